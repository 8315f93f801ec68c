"""The default index: one SQLite file, and a derived FAISS file once the collection is large."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.errors import StoreError, UnknownCollection
from assay.retrieval.index import rows
from assay.retrieval.index.rows import TITLE_WEIGHT, match_expression, query_terms
from assay.retrieval.index.schema import (
    connect,
    number_of,
    prepare,
    raise_number,
    refuse_other_model,
    snapshot,
    store_errors,
    stored_model,
    transaction,
)
from assay.retrieval.index.searcher import EXACT_BELOW, Reached, VectorSearcher
from assay.retrieval.index.words import WordSearcher
from assay.types import CollectionSummary, Document, DocumentRecord, EmbeddingModel, Found, Metadata, Passage

FILE_NAME = "index.sqlite"
GRAPH_NAME = "vectors.faiss"
_READERS = 3

T = TypeVar("T")


def open_sqlite(
    folder: Path,
    model: EmbeddingModel,
    *,
    create: bool = True,
    exact_below: int = EXACT_BELOW,
    reached: Reached = lambda step: None,
) -> SqliteIndex:
    """Open the collection in `folder`, creating it if it is missing and `create` is set.

    From `exact_below` passages on, searches by vector use the derived file, and those by words keep what they read.
    `reached` receives each step of a change (tests kill the process there).

    Raises UnknownCollection, ModelMismatch, DamagedStore, StoreFull, StoreError.
    """
    path = folder / FILE_NAME
    if not create and not path.exists():
        raise UnknownCollection(
            f"there is no collection {folder.name}", hint="add documents to it with `assay add`, or name another"
        )
    prepare(path, model)
    vectors = VectorSearcher(folder / GRAPH_NAME, model, exact_below, reached)
    return SqliteIndex(path, model, vectors, WordSearcher(exact_below), reached)


def read_summary(folder: Path) -> CollectionSummary:
    """The name of the collection in `folder`, its number of documents, and its version, without opening a model."""
    path = folder / FILE_NAME
    if not path.is_file():  # connecting would create it
        return CollectionSummary(folder.name, None, None)
    try:
        with store_errors(path), closing(connect(path)) as connection:
            (documents,) = connection.execute("SELECT count(*) FROM documents").fetchone()
            return CollectionSummary(folder.name, documents, number_of(connection, "version"))
    except StoreError:
        return CollectionSummary(folder.name, None, None)


def read_model(folder: Path) -> EmbeddingModel:
    """The model that the collection in `folder` was embedded by. Raises UnknownCollection, StoreError."""
    path = folder / FILE_NAME
    if not path.is_file():  # connecting would create it
        raise UnknownCollection(
            f"there is no collection {folder.name}", hint="`assay ls` lists the documents of an existing one"
        )
    with store_errors(path), closing(connect(path)) as connection:
        return stored_model(connection)


class SqliteIndex:
    """An `Index` on disk. Reads run on a few threads with a connection each, writes on one of their own."""

    def __init__(
        self, path: Path, model: EmbeddingModel, searcher: VectorSearcher, words: WordSearcher, reached: Reached
    ) -> None:
        self._path = path
        self._model = model
        self._searcher = searcher
        self._words = words
        self._reached = reached
        self._connections = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="assay-read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="assay-write")
        self._builder = ThreadPoolExecutor(1, thread_name_prefix="assay-build")
        self._building: Future[None] | None = None
        self._closed = threading.Event()
        self._wrote = False

    @property
    def model(self) -> EmbeddingModel:
        """The model of the stored vectors."""
        return self._model

    async def add(self, entries: Sequence[Entry]) -> int:
        """Store the entries in one transaction, each replacing the document of its id; return the version."""
        for entry in entries:
            rows.check_entry(entry, self._model.dimension)
        return await self._write(lambda connection: self._add(connection, entries))

    async def remove(self, document_ids: Sequence[str]) -> int:
        """Remove the documents in one transaction; unknown ids are ignored; return the version."""
        return await self._write(lambda connection: self._remove(connection, document_ids))

    async def documents(self) -> tuple[DocumentRecord, ...]:
        """All documents, ordered by source, then id."""
        return await self._read(rows.read_records)

    async def document(self, document_id: str) -> Document | None:
        """The document as stored, or None."""
        return await self._read(lambda connection: rows.read_document(connection, document_id))

    async def passages(self, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
        """The passages of those ids, in that order; ids that are gone are left out."""
        return await self._read(lambda connection: rows.read_passages(connection, passage_ids))

    async def vectors(self, passage_ids: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for one gone."""
        dimension = self._model.dimension
        return await self._read(lambda connection: rows.read_vectors(connection, passage_ids, dimension))

    async def dense(self, vector: NDArray[np.float32], k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest cosine to `vector` (shape (dimension,)), best first."""
        return await self._read(lambda connection: self._dense(connection, vector, k, where))

    async def sparse(self, text: str, k: int, where: Metadata) -> tuple[Found, ...]:
        """The k passages of highest BM25 score for the words of `text`, best first; no query syntax."""
        return await self._read(lambda connection: self._sparse(connection, query_terms(text), k, where))

    async def term_counts(self, terms: Sequence[str] | None = None) -> Mapping[str, int]:
        """Number of passages with each term, titles included: of all terms, or of the ones given that stand."""
        return await self._read(lambda connection: _term_counts(connection, terms))

    async def holding(self, term: str, k: int) -> tuple[str, ...]:
        """The ids of the first k passages that hold a term in title or text, as stored."""
        return await self._read(lambda connection: _holding(connection, term, k))

    async def size(self) -> int:
        """Number of passages."""
        return await self._read(lambda connection: number_of(connection, "passages"))

    async def version(self) -> int:
        """The collection's version: 0 when new, one more after each change."""
        return await self._read(lambda connection: number_of(connection, "version"))

    async def document_ids(self) -> tuple[str, ...]:
        """The ids of all documents, in the order that they were stored in."""
        return await self._read(
            lambda connection: tuple(
                found for (found,) in connection.execute("SELECT document_id FROM documents ORDER BY number")
            )
        )

    async def entries(self, document_ids: Sequence[str]) -> tuple[Entry, ...]:
        """The documents with their passages and vectors as stored; unknown ids are left out."""
        dimension = self._model.dimension

        def read(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            found = (rows.read_entry(connection, document_id, dimension) for document_id in document_ids)
            return tuple(entry for entry in found if entry is not None)

        return await self._read(read)

    async def settle(self) -> None:
        """Update the derived file now if it is outdated; this only affects the speed of searches."""
        await asyncio.wrap_future(self._start_building())

    async def close(self) -> None:
        """Release files and threads; may be called twice.

        After changes the derived file is updated first, so that the next process starts fast.
        """
        if self._closed.is_set():
            return
        try:
            if self._wrote:
                await self.settle()
        finally:
            self._closed.set()
            await asyncio.to_thread(self._release)

    def _release(self) -> None:
        for executor in (self._builder, self._writer, self._readers):
            executor.shutdown()
        for connection in self._open:
            connection.close()

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def run() -> T:
            with store_errors(self._path):
                return work(self._connection())

        return await asyncio.get_running_loop().run_in_executor(self._readers, run)

    async def _write(self, work: Callable[[sqlite3.Connection], int]) -> int:
        def run() -> int:
            with store_errors(self._path):
                connection = self._connection()
                self._reached("before transaction")
                with transaction(connection):
                    refuse_other_model(connection, self._model)
                    self._reached("in transaction")
                    version = work(connection)
                    self._reached("before commit")
                self._reached("committed")
                self._wrote = True
                return version

        return await asyncio.get_running_loop().run_in_executor(self._writer, run)

    def _connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._connections, "own", None)
        if connection is None:
            connection = self._connections.own = connect(self._path)
            self._open.append(connection)
        return connection

    def _add(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> int:
        for entry in entries:
            self._delete(connection, entry.document.document_id)
            number = rows.insert_document(connection, entry.document)
            self._reached("document inserted")
            rows.insert_passages(connection, entry, number)
            raise_number(connection, "passages", len(entry.passages))
            self._reached("passages inserted")
        return raise_number(connection, "version") if entries else number_of(connection, "version")

    def _remove(self, connection: sqlite3.Connection, document_ids: Sequence[str]) -> int:
        removed = [self._delete(connection, document_id) for document_id in document_ids]
        return raise_number(connection, "version") if any(removed) else number_of(connection, "version")

    def _delete(self, connection: sqlite3.Connection, document_id: str) -> bool:
        passages = rows.delete_document(connection, document_id)
        if passages is None:
            return False
        raise_number(connection, "removals")
        raise_number(connection, "passages", -passages)
        self._reached("document deleted")
        return True

    def _dense(
        self, connection: sqlite3.Connection, vector: NDArray[np.float32], k: int, where: Metadata
    ) -> tuple[Found, ...]:
        if k <= 0:
            return ()
        view = self._searcher.view(connection)
        found = self._searcher.search(connection, view, vector.astype(np.float32, copy=False), k, where)
        passages = _to_found(connection, found.rows.tolist(), found.scores.tolist())
        if len(passages) < len(found.rows) and self._searcher.view(connection) is not view:
            return self._dense(connection, vector, k, where)  # a passage has just been removed: search again
        idle = self._building is None or self._building.done()
        if idle and self._searcher.is_outdated(view):
            self._start_building()
        return passages

    def _sparse(
        self, connection: sqlite3.Connection, query: Sequence[str], k: int, where: Metadata
    ) -> tuple[Found, ...]:
        if not query or k <= 0:
            return ()
        with snapshot(connection):
            best = self._words.search(connection, query, k, where)
            if best is None:
                return _by_bm25(connection, query, k, where)
            return _to_found(connection, [row for row, _ in best], [score for _, score in best])

    def _start_building(self) -> Future[None]:
        if self._building is None or self._building.done():
            self._building = self._builder.submit(self._build)
        return self._building

    def _build(self) -> None:
        with store_errors(self._path):
            self._searcher.build(self._connection(), lambda: not self._closed.is_set())


def _by_bm25(connection: sqlite3.Connection, query: Sequence[str], k: int, where: Metadata) -> tuple[Found, ...]:
    """The k passages that FTS5 itself ranks best."""
    selected, bound = rows.selection(where)
    # The + keeps SQLite from running the whole match once for each selected row.
    restriction = f"AND +words.rowid IN ({selected})" if where else ""
    best = (
        f"SELECT rowid, -bm25(words, {TITLE_WEIGHT}, 1.0) AS score FROM words"  # noqa: S608 - no value in it
        f" WHERE words MATCH ? {restriction} ORDER BY score DESC, rowid LIMIT ?"
    )
    found = connection.execute(
        f"SELECT passage_id, score FROM ({best}) AS best JOIN passages ON passages.row = best.rowid"  # noqa: S608
        " ORDER BY score DESC, best.rowid",
        (match_expression(query), *bound, k),
    ).fetchall()
    return tuple(Found(passage_id, score) for passage_id, score in found)


def _term_counts(connection: sqlite3.Connection, terms: Sequence[str] | None) -> dict[str, int]:
    # A temporary view of the word index, since it need not be stored.
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_terms USING fts5vocab(main, words, row)")
    if terms is None:
        return dict(connection.execute("SELECT term, doc FROM temp.word_terms"))
    found = (
        connection.execute("SELECT term, doc FROM temp.word_terms WHERE term = ?", (term,)).fetchone()
        for term in terms
    )
    return dict(row for row in found if row is not None)


def _holding(connection: sqlite3.Connection, term: str, k: int) -> tuple[str, ...]:
    found = connection.execute(
        "SELECT passage_id FROM words JOIN passages ON passages.row = words.rowid"
        " WHERE words MATCH ? ORDER BY words.rowid LIMIT ?",
        (match_expression([term]), k),
    )
    return tuple(passage_id for (passage_id,) in found)


def _to_found(connection: sqlite3.Connection, numbers: list[int], scores: list[float]) -> tuple[Found, ...]:
    """The passages of the rows with their scores; rows removed meanwhile are left out."""
    ids = rows.passage_ids_of(connection, numbers)
    return tuple(Found(ids[row], score) for row, score in zip(numbers, scores, strict=True) if row in ids)
