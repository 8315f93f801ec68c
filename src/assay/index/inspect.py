"""Whether a collection's file holds together: what `assay doctor` and the kill tests ask."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

from assay.index.schema import connect, number_of, store_errors
from assay.index.sqlite import FILE_NAME

# Each counts rows of one table that lack their counterpart in another.
_DISAGREEMENTS = {
    "passages without a vector": "passages WHERE row NOT IN (SELECT row FROM vectors)",
    "vectors without a passage": "vectors WHERE row NOT IN (SELECT row FROM passages)",
    "passages without words": "passages WHERE row NOT IN (SELECT id FROM words_docsize)",
    "words without a passage": "words_docsize WHERE id NOT IN (SELECT row FROM passages)",
    "passages without a document": "passages WHERE document NOT IN (SELECT number FROM documents)",
    "metadata without a passage": "metadata WHERE row NOT IN (SELECT row FROM passages)",
}


def problems(folder: Path) -> tuple[str, ...]:
    """What is wrong with the collection in `folder`, in words; nothing where its rows, words and vectors agree.

    Reads the whole file. Raises DamagedStore where it cannot be read at all, StoreError.
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
    """Documents whose text is not what was stored, by their hash, and passages that are not their part of it."""
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
