"""Embed a collection again with another model, beside the old vectors, then swap them in one transaction.

Until the swap the collection works as before, and documents may be added and removed; a killed run is resumed by
the next one.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.core.stages import Embedder
from assay.errors import UnknownCollection
from assay.retrieval.index.rows import SEARCHED
from assay.retrieval.index.schema import (
    bring_up_to_date,
    connect,
    number_of,
    raise_number,
    set_value,
    store_errors,
    store_model,
    transaction,
)
from assay.retrieval.index.searcher import Reached
from assay.retrieval.index.sqlite import FILE_NAME, open_sqlite
from assay.types import EmbeddingModel

# Passages per transaction, which is the most that a kill can cost: chosen.
_BATCH = 512


async def rebuild(
    folder: Path,
    embedder: Embedder,
    text_of: Callable[[str, str], str],
    *,
    progress: Callable[[int], None] = lambda done: None,
    reached: Reached = lambda step: None,
) -> int:
    """Embed every passage of the collection in `folder` again; return the number of passages.

    `text_of` makes the embedded text of a passage's title and `searched`; `progress` receives the number of
    passages done, `reached` each step (tests kill the process there). Raises UnknownCollection, StoreError.
    """
    path = folder / FILE_NAME
    if not path.exists():
        raise UnknownCollection(
            f"there is no collection {folder.name}", hint="`assay ls` lists the documents of an existing one"
        )
    with store_errors(path):
        connection = connect(path)
        try:
            done = await asyncio.to_thread(_begin, connection, embedder.model)
            reached("rebuild begun")
            while not await asyncio.to_thread(_swap, connection, embedder.model, reached):
                done = await _embed_newer(connection, embedder, text_of, done)
                reached("batch embedded")
                progress(done)
        finally:
            connection.close()
    reached("swapped")
    index = open_sqlite(folder, embedder.model)
    try:
        await index.settle()
        return await index.size()
    finally:
        await index.close()


async def _embed_newer(
    connection: sqlite3.Connection, embedder: Embedder, text_of: Callable[[str, str], str], done: int
) -> int:
    """Embed the next passages and store their vectors beside; return the number done."""
    batch = await asyncio.to_thread(_next_batch, connection)
    vectors = await embedder.embed([text_of(title, text) for _, title, text in batch])
    await asyncio.to_thread(_store, connection, [row for row, _, _ in batch], vectors)
    return done + len(batch)


def _begin(connection: sqlite3.Connection, model: EmbeddingModel) -> int:
    """Resume a killed run for this model, or start a new one; return the number of passages done."""
    bring_up_to_date(connection)
    started = f"{model.id} {model.dimension} {model.sha256}"
    with transaction(connection):
        found = connection.execute("SELECT value FROM collection WHERE key = 'rebuilding'").fetchone()
        if found != (started,):
            connection.execute("DROP TABLE IF EXISTS vectors_beside")
            connection.execute("CREATE TABLE vectors_beside (row INTEGER PRIMARY KEY, vector BLOB NOT NULL)")
            set_value(connection, "rebuilding", started)
    done: int = connection.execute("SELECT count(*) FROM vectors_beside").fetchone()[0]
    return done


def _next_batch(connection: sqlite3.Connection) -> list[tuple[int, str, str]]:
    """The next rows without a new vector; row numbers only increase, so those after the last."""
    return connection.execute(
        f"SELECT row, title, {SEARCHED} FROM passages"  # noqa: S608 - a constant
        " WHERE row > (SELECT coalesce(max(row), 0) FROM vectors_beside) ORDER BY row LIMIT ?",
        (_BATCH,),
    ).fetchall()


def _store(connection: sqlite3.Connection, rows: Sequence[int], vectors: NDArray[np.float32]) -> None:
    halves = vectors.astype(np.float16)
    with transaction(connection):
        connection.executemany(
            "INSERT INTO vectors_beside VALUES (?, ?)",
            [(row, half.tobytes()) for row, half in zip(rows, halves, strict=True)],
        )


def _swap(connection: sqlite3.Connection, model: EmbeddingModel, reached: Reached) -> bool:
    """Replace the old vectors by the new ones; False while passages remain to be embedded."""
    if _next_batch(connection):
        return False
    with transaction(connection):
        if _next_batch(connection):  # added meanwhile by another process
            return False
        connection.execute("DELETE FROM vectors_beside WHERE row NOT IN (SELECT row FROM passages)")
        connection.execute("DROP TABLE vectors")
        connection.execute("ALTER TABLE vectors_beside RENAME TO vectors")
        connection.execute("DELETE FROM collection WHERE key = 'rebuilding'")
        store_model(connection, model)
        raise_number(connection, "version")
        reached("before swap")
    return True


# The consistency of a collection's file, as checked by `assay doctor` and the kill tests.


# Each query counts rows of one table without a counterpart in another.
_DISAGREEMENTS = {
    "passages without a vector": "passages WHERE row NOT IN (SELECT row FROM vectors)",
    "vectors without a passage": "vectors WHERE row NOT IN (SELECT row FROM passages)",
    "passages without words": "passages WHERE row NOT IN (SELECT id FROM words_docsize)",
    "words without a passage": "words_docsize WHERE id NOT IN (SELECT row FROM passages)",
    "passages without a document": "passages WHERE document NOT IN (SELECT number FROM documents)",
    "metadata without a passage": "metadata WHERE row NOT IN (SELECT row FROM passages)",
}


def problems(folder: Path) -> tuple[str, ...]:
    """The inconsistencies of the collection in `folder`, in words; empty if there are none.

    Reads the whole file. Raises DamagedStore if it cannot be read, StoreError.
    """
    path = folder / FILE_NAME
    with store_errors(path):
        connection = connect(path)
        try:
            return (*_damaged_pages(connection), *_disagreements(connection), *_changed_texts(connection))
        finally:
            connection.close()


def _damaged_pages(connection: sqlite3.Connection) -> list[str]:
    lines = [line for (line,) in connection.execute("PRAGMA integrity_check(20)")]
    return [] if lines == ["ok"] else lines


def _disagreements(connection: sqlite3.Connection) -> list[str]:
    counts = {
        name: connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0]  # noqa: S608 - constants
        for name, rows in _DISAGREEMENTS.items()
    }
    (passages,) = connection.execute("SELECT count(*) FROM passages").fetchone()
    counts["passages miscounted"] = abs(passages - number_of(connection, "passages"))
    return [f"{count} {name}" for name, count in counts.items() if count]


def _changed_texts(connection: sqlite3.Connection) -> list[str]:
    """Documents whose text does not match its hash, and passages that do not match their document."""
    found: list[str] = []
    for number, document_id, text, revision in connection.execute(
        "SELECT number, document_id, text, revision FROM documents"
    ):
        if hashlib.sha256(text.encode()).hexdigest() != revision:
            found.append(f"the text of document {document_id} is not what was stored")
        parts = connection.execute('SELECT start, "end", text FROM passages WHERE document = ?', (number,))
        if any(text[start:end] != part for start, end, part in parts):
            found.append(f"a passage of document {document_id} is not a part of its text")
    return found
