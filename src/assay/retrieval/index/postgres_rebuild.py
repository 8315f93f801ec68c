"""Embed a collection in Postgres again with another model, and check that what is stored of it fits together.

The new vectors are a generation of their own beside the old ones, which are used until they are swapped in one
transaction. Documents may be added and removed meanwhile; a killed run is resumed by the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.core.stages import Embedder
from assay.postgres.database import Database
from assay.retrieval.index import postgres_rows as stored
from assay.retrieval.index import postgres_vectors
from assay.retrieval.index.postgres_engine import EngineRows
from assay.retrieval.index.postgres_rows import Connection, StoredCollection
from assay.retrieval.index.postings import unpacked
from assay.retrieval.index.search_engine import SearchEngine
from assay.types import EmbeddingModel

# Passages per transaction, which is the most that a kill can cost: as in SQLite.
_BATCH = 512

Batch = list[tuple[int, str, str]]


async def rebuild(
    database: Database,
    tenant: str,
    name: str,
    embedder: Embedder,
    text_of: Callable[[str, str], str],
    engine: SearchEngine | None = None,
) -> int:
    """Embed every passage of the collection again; return the number of passages.

    `text_of` makes the embedded text of a passage's title and `searched`. A search engine forgets the old vectors;
    who next opens the collection brings it the new ones. Raises UnknownCollection, StoreError.
    """
    model = embedder.model
    old = await database.write(tenant, lambda connection: _begin(connection, name, model))
    while not await database.write(tenant, lambda connection: _swap(connection, name, model)):
        batch = await database.read(
            tenant, lambda connection: _next_batch(connection, stored.require_collection(connection, name))
        )
        vectors = await embedder.embed([text_of(title, text) for _, title, text in batch])
        await database.write(tenant, lambda connection: _store(connection, name, batch, vectors))  # noqa: B023
    with database.alone() as connection:
        postgres_vectors.drop_graph(connection, old)
    if engine is not None:
        await asyncio.to_thread(EngineRows(engine, database, tenant, name).drop, old)
    return (await database.read(tenant, lambda connection: stored.require_collection(connection, name))).passages


def _begin(connection: Connection, name: str, model: EmbeddingModel) -> StoredCollection:
    """Resume a killed run for this model, or start a new one; return the collection as it is."""
    own, started = (
        stored.require_collection(connection, name, locked=True),
        f"{model.id} {model.dimension} {model.sha256}",
    )
    (rebuilding,) = connection.execute(
        "SELECT rebuilding FROM assay.collections WHERE collection = %s", (own.number,)
    ).fetchone() or (None,)
    if rebuilding != started:
        _delete_vectors(connection, own.number, own.generation + 1)
        connection.execute(
            "UPDATE assay.collections SET rebuilding = %s WHERE collection = %s", (started, own.number)
        )
    return own


def _next_batch(connection: Connection, own: StoredCollection) -> Batch:
    """The next rows without a new vector; row numbers only increase, so those after the last."""
    return stored.read_searched(connection, own, _last(connection, own), _BATCH)


def _last(connection: Connection, own: StoredCollection) -> int:
    row = connection.execute(
        'SELECT coalesce(max("row"), 0) FROM assay.vectors WHERE collection = %s AND generation = %s',
        (own.number, own.generation + 1),
    ).fetchone()
    return int(row[0]) if row else 0


def _store(connection: Connection, name: str, batch: Batch, vectors: NDArray[np.float32]) -> None:
    """Store the vectors of passages that are still there."""
    own = stored.require_collection(connection, name, locked=True)
    there = stored.passage_ids_of(connection, own, [row for row, _, _ in batch])
    kept = [(row, vector) for (row, _, _), vector in zip(batch, vectors, strict=True) if row in there]
    stored.insert_vectors(connection, replace(own, generation=own.generation + 1), kept)


def _swap(connection: Connection, name: str, model: EmbeddingModel) -> bool:
    """Replace the old vectors by the new ones; False while passages remain to be embedded."""
    own = stored.require_collection(connection, name, locked=True)
    if _next_batch(connection, own):
        return False
    connection.execute(
        "UPDATE assay.collections SET generation = generation + 1, version = version + 1, rebuilding = NULL,"
        " model_id = %s, model_dimension = %s, model_sha256 = %s, model_languages = %s WHERE collection = %s",
        (model.id, model.dimension, model.sha256, " ".join(model.languages), own.number),
    )
    _delete_vectors(connection, own.number, own.generation)
    return True


def _delete_vectors(connection: Connection, number: int, generation: int) -> None:
    connection.execute("DELETE FROM assay.vectors WHERE collection = %s AND generation = %s", (number, generation))


# The consistency of a collection, as checked by `assay doctor`.

_OF_PASSAGE = 'SELECT FROM assay.passages p WHERE p.collection = %(number)s AND p."row"'
# Each query counts what of one table has no counterpart in another.
_DISAGREEMENTS = {
    "passages without a vector": "assay.passages p WHERE collection = %(number)s AND NOT EXISTS (SELECT FROM"
    ' assay.vectors v WHERE v.collection = %(number)s AND v.generation = %(generation)s AND v."row" = p."row")',
    "vectors without a passage": "assay.vectors v WHERE collection = %(number)s AND generation = %(generation)s"
    f' AND NOT EXISTS ({_OF_PASSAGE} = v."row")',
    "metadata without a passage": f"assay.metadata m WHERE collection = %(number)s AND NOT EXISTS ({_OF_PASSAGE} ="
    ' m."row")',
    "documents with another number of passages": "assay.documents d WHERE collection = %(number)s AND d.passages <>"
    " (SELECT count(*) FROM assay.passages p WHERE p.collection = %(number)s AND p.document_id = d.document_id)",
    "documents whose text is not what was stored": "assay.documents d WHERE collection = %(number)s"
    " AND encode(sha256(convert_to(text, 'UTF8')), 'hex') <> revision",
    "passages that are not a part of their document": "assay.passages p JOIN assay.documents d"
    " USING (collection, document_id) WHERE collection = %(number)s"
    ' AND substr(d.text, p.start + 1, p."end" - p.start) <> p.text',
}


def problems(database: Database, tenant: str, name: str, engine: SearchEngine | None = None) -> tuple[str, ...]:
    """The inconsistencies of a collection, in words; empty if there are none.

    Reads all of it, and counts what a search engine has of it. Raises UnknownCollection, StoreError.
    """

    def look(connection: Connection) -> tuple[str, ...]:
        own = stored.require_collection(connection, name)
        bound = {"number": own.number, "generation": own.generation}
        counts = {
            what: _count(connection, f"SELECT count(*) FROM {rows}", bound)  # noqa: S608 - constants
            for what, rows in _DISAGREEMENTS.items()
        }
        passages = _count(connection, "SELECT count(*) FROM assay.passages WHERE collection = %(number)s", bound)
        counts["passages miscounted"] = abs(passages - own.passages)
        counts |= _words(connection, own)
        if engine is not None:
            counts |= EngineRows(engine, database, tenant, name).problems(connection, own)
        return tuple(f"{count} {what}" for what, count in counts.items() if count > 0)

    return database.transaction(tenant, look, reads=True)


def _count(connection: Connection, statement: str, bound: dict[str, int]) -> int:
    row = connection.execute(statement.encode(), bound).fetchone()
    return int(row[0]) if row else 0


def _words(connection: Connection, own: StoredCollection) -> dict[str, int]:
    """Count the inconsistencies between the words and the passages."""
    lengths = np.zeros(own.last_row + 1, np.int64)
    cursor = connection.cursor(binary=True)
    for (data,) in cursor.execute("SELECT postings FROM assay.words WHERE collection = %s", (own.number,)):
        found = unpacked(data)
        lengths[found["row"]] = found["length"]  # each posting of a row has its length
    rows = connection.execute('SELECT "row" FROM assay.passages WHERE collection = %s', (own.number,)).fetchall()
    there = np.zeros(own.last_row + 1, bool)
    there[[row for (row,) in rows]] = True
    return {
        "passages gone whose words are left": int(((lengths > 0) & ~there).sum()),
        "words miscounted": abs(int(lengths.sum()) - own.length),
    }
