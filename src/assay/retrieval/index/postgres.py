"""The index in Postgres with pgvector, which many processes and machines share.

The tables hold the collections of all tenants; row-level security shows each its own. A search by words reads the
postings of the question's terms and scores them here, as SQLite's FTS5 does. A search by vector scans the vectors
of a small collection exactly; a large one has a graph (HNSW) of its own, which a process builds beside its work.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from psycopg import errors

from assay.core.stages import Entry
from assay.errors import StoreError
from assay.postgres.database import Database, Work
from assay.retrieval.index import postgres_rows as stored
from assay.retrieval.index import postgres_vectors
from assay.retrieval.index.postgres_engine import EngineHits, EngineRows
from assay.retrieval.index.postgres_rows import Connection, StoredCollection
from assay.retrieval.index.postings import best_rows, stored_term, unpacked
from assay.retrieval.index.rows import check_entry, query_terms
from assay.retrieval.index.search_engine import SearchEngine
from assay.types import CollectionSummary, Document, DocumentRecord, EmbeddingModel, Found, Metadata, Passage

# Passages up to which a search by vector scans them all: 50,000, as in SQLite, took twice as long as a graph would.
EXACT_BELOW = 20_000
# Changes after which the words of many small ones are joined: chosen.
_MERGE_AFTER = 32
# Documents whose words are taken out at a time, so that memory stays bounded: chosen.
_REMOVE_AT_ONCE = 200

T = TypeVar("T")
OwnWork = Callable[[Connection, StoredCollection], T]


def open_postgres(
    database: Database,
    tenant: str,
    name: str,
    model: EmbeddingModel,
    *,
    create: bool = True,
    exact_below: int = EXACT_BELOW,
    engine: SearchEngine | None = None,
    closing: Callable[[], None] = lambda: None,
) -> PostgresIndex:
    """Open a tenant's collection, creating it if it is missing and `create` is set.

    From `exact_below` passages on, searches by vector use a graph; all searches use the engine then, where one is
    given. `closing` is called when it is closed. Raises UnknownCollection, ModelMismatch, StoreError.
    """

    def prepare(connection: Connection) -> None:
        if create:
            stored.create_collection(connection, name, model)
        stored.read_collection(connection, name, model)

    database.transaction(tenant, prepare)
    rows = EngineRows(engine, database, tenant, name) if engine is not None else None
    return PostgresIndex(database, tenant, name, model, exact_below, rows, closing)


def created_at(database: Database, tenant: str, name: str) -> int:
    """The time when a collection was made, in Unix seconds; 0 for one that is gone."""

    def read(connection: Connection) -> int:
        row = connection.execute(
            "SELECT extract(epoch FROM created)::int8 FROM assay.collections WHERE name = %s", (name,)
        ).fetchone()
        return int(row[0]) if row else 0

    return database.transaction(tenant, read, reads=True)


def read_names(database: Database, tenant: str) -> tuple[str, ...]:
    """The names of a tenant's collections, sorted."""

    def read(connection: Connection) -> tuple[str, ...]:
        return tuple(name for (name,) in connection.execute("SELECT name FROM assay.collections ORDER BY name"))

    return database.transaction(tenant, read, reads=True)


def read_summaries(database: Database, tenant: str) -> tuple[CollectionSummary, ...]:
    """The collections of a tenant with their numbers of documents and versions, sorted by name."""

    def read(connection: Connection) -> tuple[CollectionSummary, ...]:
        found = connection.execute(
            "SELECT name, (SELECT count(*) FROM assay.documents d WHERE d.collection = c.collection), version"
            " FROM assay.collections c ORDER BY name"
        )
        return tuple(CollectionSummary(*row) for row in found)

    return database.transaction(tenant, read, reads=True)


def read_model(database: Database, tenant: str, name: str) -> EmbeddingModel:
    """The model that a collection was embedded by. Raises UnknownCollection."""

    def read(connection: Connection) -> EmbeddingModel:
        return stored.require_collection(connection, name).model

    return database.transaction(tenant, read, reads=True)


def delete_collection(database: Database, tenant: str, name: str, engine: SearchEngine | None = None) -> None:
    """Remove a collection with all its rows, here and in a search engine. Raises UnknownCollection."""

    def delete(connection: Connection) -> StoredCollection:
        found = stored.require_collection(connection, name, locked=True)
        stored.delete_all_rows(connection, found)
        return found

    found = database.transaction(tenant, delete)
    with database.alone() as connection:
        for generation in (found.generation, found.generation + 1):
            postgres_vectors.drop_graph(connection, replace(found, generation=generation))
    if engine is not None:
        EngineRows(engine, database, tenant, name).drop(found)


@dataclass(frozen=True, slots=True)
class _Change:
    """The collection before a change, its version after it, and the rows that went."""

    before: StoredCollection
    version: int
    gone: tuple[int, ...] = ()


class PostgresIndex:
    """An `Index` in Postgres. Every call is one transaction of the tenant, in a thread of the database's."""

    def __init__(
        self,
        database: Database,
        tenant: str,
        name: str,
        model: EmbeddingModel,
        exact_below: int,
        in_engine: EngineRows | None,
        closing: Callable[[], None],
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._name = name
        self._model = model
        self._exact_below = exact_below
        self._in_engine = in_engine
        self._closing = closing
        self._builder = ThreadPoolExecutor(1, thread_name_prefix="assay-build")
        self._building: Future[None] | None = None
        self._graph_builder: Connection | None = None
        self._may_build = True
        self._wrote = False
        self._closed = False
        self._released = threading.Event()

    @property
    def model(self) -> EmbeddingModel:
        """The model of the stored vectors."""
        return self._model

    async def add(self, entries: Sequence[Entry]) -> int:
        """Store the entries in one transaction, each replacing the document of its id; return the version."""
        for entry in entries:
            check_entry(entry, self._model.dimension)
        last = {entry.document.document_id: entry for entry in entries}
        return await self._change(list(last), list(last.values()))

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; unknown ids are ignored; return the version."""
        return await self._change(list(dict.fromkeys(document_ids)), [])

    async def documents(self) -> tuple[DocumentRecord, ...]:
        """All documents, ordered by source, then id."""
        return await self._read(stored.read_records)

    async def document(self, document_id: str) -> Document | None:
        """The document as stored, or None."""
        return await self._read(lambda connection, own: stored.read_document(connection, own, document_id))

    async def passages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of those ids, in that order; ids that are gone are left out."""
        return await self._read(lambda connection, own: stored.read_passages(connection, own, passage_ids))

    async def vectors(self, passage_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for one gone."""
        return await self._read(lambda connection, own: stored.read_vectors(connection, own, passage_ids))

    async def dense(self, vector: NDArray[np.float32], k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest cosine to `vector` (shape (dimension,)), best first."""
        if k <= 0:
            return ()
        return await self._read(lambda connection, own: self._dense(connection, own, vector, k, where))

    async def sparse(self, text: str, k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest BM25 score for the words of `text`, best first; no query syntax."""
        query = [stored_term(term) for term in query_terms(text)]
        if not query or k <= 0:
            return ()

        def search(connection: Connection, own: StoredCollection) -> tuple[Found, ...]:
            if self._in_engine is not None and own.passages > self._exact_below:
                terms = query_terms(text)
                return self._by_engine(connection, own, self._in_engine.sparse(connection, own, terms, k, where))
            allowed = stored.read_selected(connection, own, where) if where else None
            found = stored.read_postings(connection, own, query)
            if not found:
                return ()
            return _to_found(connection, own, best_rows(query, found, own.passages, own.length, k, allowed))

        return await self._read(search)

    async def term_counts(self, terms: Sequence[str] | None = None) -> Mapping[str, int]:
        """In how many passages each term stands, titles included: of all terms, or of the ones given that stand."""
        wanted = None if terms is None else [stored_term(term) for term in terms]
        return await self._read(lambda connection, own: stored.read_frequencies(connection, own, wanted))

    async def holding(self, term: str, k: int) -> tuple[str, ...]:
        """The ids of the first k passages that hold a term in title or text, as stored."""
        wanted = stored_term(term)

        def first(connection: Connection, own: StoredCollection) -> tuple[str, ...]:
            found = stored.read_postings(connection, own, [wanted])
            rows = np.sort(unpacked(found.get(wanted, b""))["row"])[:k].tolist()
            ids = stored.passage_ids_of(connection, own, rows)
            return tuple(ids[row] for row in rows)

        return await self._read(first)

    async def size(self) -> int:
        """The number of passages."""
        return await self._read(lambda _connection, own: own.passages)

    async def version(self) -> int:
        """The collection's version: 0 when new, one more after each change."""
        return await self._read(lambda _connection, own: own.version)

    async def document_ids(self) -> tuple[str, ...]:
        """The ids of all documents, in the order that they were stored in."""
        return await self._read(stored.read_document_ids)

    async def entries(self, document_ids: Sequence[str]) -> tuple[Entry, ...]:
        """The documents with their passages and vectors as stored; unknown ids are left out."""

        def read(connection: Connection, own: StoredCollection) -> tuple[Entry, ...]:
            found = (stored.read_entry(connection, own, document_id) for document_id in document_ids)
            return tuple(entry for entry in found if entry is not None)

        return await self._read(read)

    async def settle(self) -> None:
        """Build the graph, or fill the engine, now; this only affects the speed of searches."""
        await asyncio.wrap_future(self._start_building())

    async def close(self) -> None:
        """Release threads; may be called twice. After changes a graph that is missing is built first."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._wrote:
                with suppress(StoreError):  # the next one builds it: what was added is stored either way
                    await self.settle()
        finally:
            await asyncio.to_thread(self._release)

    async def _read(self, work: OwnWork[T]) -> T:
        return await self._database.read(self._tenant, self._on_collection(work))

    async def _change(self, document_ids: Sequence[str], entries: Sequence[Entry]) -> int:
        """Remove documents and store others; the version rises by one where anything changed."""

        def change(connection: Connection, own: StoredCollection) -> _Change:
            documents, gone, terms = 0, list[int](), 0
            for at in range(0, len(document_ids), _REMOVE_AT_ONCE):
                found = stored.delete_documents(connection, own, document_ids[at : at + _REMOVE_AT_ONCE])
                documents, terms = documents + found[0], terms - found[2]
                gone += found[1]
            if not entries and not documents:
                return _Change(own, own.version)
            added = stored.insert_entries(connection, own, entries) if entries else (0, 0)
            merges = own.unmerged + 1 >= _MERGE_AFTER
            if merges:
                stored.merge_words(connection, own)
            passages, terms, last = added[0] - len(gone), terms + added[1], own.last_row + added[0]
            stored.count_change(connection, own, passages, terms, last_row=last, merged=merges)
            return _Change(own, own.version + 1, tuple(gone))

        done = await self._database.write(self._tenant, self._on_collection(change, locked=True))
        self._wrote = True
        if self._in_engine is not None and done.before.passages > self._exact_below:
            with suppress(StoreError):  # what the engine has not heard of is looked through in Postgres
                await asyncio.wrap_future(self._builder.submit(self._tell_engine, self._in_engine, done))
        return done.version

    def _on_collection(self, work: OwnWork[T], *, locked: bool = False) -> Work[T]:
        return lambda connection: work(
            connection, stored.read_collection(connection, self._name, self._model, locked=locked)
        )

    def _dense(
        self, connection: Connection, own: StoredCollection, vector: NDArray[np.float32], k: int, where: Metadata
    ) -> tuple[Found, ...]:
        small = own.passages <= self._exact_below
        if self._in_engine is not None and not small:
            asked = vector.astype(np.float32, copy=False)
            return self._by_engine(connection, own, self._in_engine.dense(connection, own, asked, k, where))
        if not small and not postgres_vectors.has_graph(connection, own):
            self._start_building()
        found = postgres_vectors.search(connection, own, vector, k, where, exactly=small)
        return _to_found(connection, own, found)

    def _by_engine(self, connection: Connection, own: StoredCollection, hits: EngineHits) -> tuple[Found, ...]:
        """The hits of the engine; rows that it lacks or should not have are put right beside the search."""
        if self._in_engine is not None and not self._closed:
            if hits.gone:
                self._builder.submit(self._in_engine.remove, own, hits.gone)
            if hits.behind:
                self._start_building()
        return _to_found(connection, own, hits.best)

    def _tell_engine(self, in_engine: EngineRows, done: _Change) -> None:
        if done.gone:
            in_engine.remove(done.before, done.gone)
        self._build()

    def _start_building(self) -> Future[None]:
        if self._building is None or self._building.done():
            self._building = self._builder.submit(self._build)
        return self._building

    def _release(self) -> None:
        self._released.set()
        if (building := self._graph_builder) is not None:
            building.cancel_safe()
        self._builder.shutdown()
        self._closing()

    def _build(self) -> None:
        """Build the graph of the collection, or fill the engine, if it is large, unless another process does."""
        if self._in_engine is not None:
            self._in_engine.fill(self._exact_below, lambda: not self._released.is_set())
            return
        own = self._database.transaction(
            self._tenant, lambda connection: stored.find_collection(connection, self._name), reads=True
        )
        if own is None or own.passages <= self._exact_below or not self._may_build:
            return
        with self._database.alone() as connection:
            self._graph_builder = connection
            try:
                postgres_vectors.build_graph(connection, own)
            except errors.InsufficientPrivilege:
                self._may_build = False  # who owns the tables builds it; searches are exact until then
            except errors.QueryCanceled:
                pass  # closed meanwhile: the next one builds it
            finally:
                self._graph_builder = None


def _to_found(
    connection: Connection, own: StoredCollection, best: Sequence[tuple[int, float]]
) -> tuple[Found, ...]:
    ids = stored.passage_ids_of(connection, own, [row for row, _ in best])
    return tuple(Found(ids[row], score) for row, score in best)
