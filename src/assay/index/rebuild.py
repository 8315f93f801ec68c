"""Embed a collection anew with another model, beside the old vectors, then swap them in one transaction.

Until the swap the collection works as before, and documents may come and go; killed at any moment, the next
run goes on where this one stopped.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import UnknownCollection
from assay.index.rows import SEARCHED
from assay.index.schema import (
    bring_up_to_date,
    connect,
    raise_number,
    set_value,
    store_errors,
    store_model,
    transaction,
)
from assay.index.searcher import Reached
from assay.index.sqlite import FILE_NAME, open_sqlite
from assay.stages import Embedder
from assay.types import EmbeddingModel

# Passages a transaction: what a kill can cost is at most this much embedding.
_BATCH = 512


async def rebuild(
    folder: Path,
    embedder: Embedder,
    text_of: Callable[[str, str], str],
    *,
    progress: Callable[[int], None] = lambda done: None,
    reached: Reached = lambda step: None,
) -> int:
    """Embed every passage of the collection in `folder` anew; return how many passages it has.

    `text_of` makes what is embedded from a passage's title and `searched`; `progress` is told how many passages are
    done; `reached` each step, which is how the tests kill it there. Raises UnknownCollection, StoreError.
    """
    path = folder / FILE_NAME
    if not path.exists():
        raise UnknownCollection(f"there is no collection {folder.name}", hint="see `assay ls` for those there are")
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
    """Embed the next passages and store their vectors beside; return how many are done."""
    batch = await asyncio.to_thread(_next_batch, connection)
    vectors = await embedder.embed([text_of(title, text) for _, title, text in batch])
    await asyncio.to_thread(_store, connection, [row for row, _, _ in batch], vectors)
    return done + len(batch)


def _begin(connection: sqlite3.Connection, model: EmbeddingModel) -> int:
    """Go on with what a killed run has done for this model, else start anew; return how many are done."""
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
    """The next rows without a vector beside: rows only ever rise, so those behind the last."""
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
    """Put the new vectors in the place of the old ones; False while passages are left to embed."""
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
