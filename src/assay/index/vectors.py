"""Search by vector: the exact scan, and what of the stored vectors is kept in memory between two searches."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]

# Vectors are read this many rows at a time, so that reading never holds them twice.
_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with their cosines, shape (n,) both, best first."""

    rows: Rows
    scores: Vectors

    def best(self, k: int) -> Scored:
        """The k best; of equals, the row stored first."""
        if len(self.rows) > k > 0:
            least = np.partition(self.scores, -k)[-k]
            kept = self.scores >= least
            rows, scores = self.rows[kept], self.scores[kept]
        else:
            rows, scores = self.rows, self.scores
        order = np.lexsort((rows, -scores))[: max(k, 0)]
        return Scored(rows[order], scores[order])

    def joined(self, other: Scored) -> Scored:
        """These and the other's, in no order."""
        return Scored(np.concatenate([self.rows, other.rows]), np.concatenate([self.scores, other.scores]))


@dataclass(frozen=True, slots=True)
class Block:
    """Rows in ascending order with their vectors, held as they are stored: in 16-bit floats.

    FAISS scans them so on one core, at half the memory traffic of 32-bit floats, and memory is what it waits for.
    """

    rows: Rows
    faiss_index: Any

    @classmethod
    def of(cls, rows: Sequence[int], blobs: Sequence[bytes], dimension: int) -> Block:
        """A block of stored vectors."""
        faiss = load_faiss()
        index = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # 16-bit floats need no training
        block = cls(np.array(rows, np.int64), index)
        block._append(blobs)
        return block

    def vectors(self, first: int, count: int) -> Vectors:
        """The vectors of so many places from the first on, shape (count, dimension)."""
        vectors: Vectors = self.faiss_index.reconstruct_n(first, count)
        return vectors

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """The k rows of highest cosine, among the allowed ones where given (ascending)."""
        return search_rows(self.faiss_index, self.rows, vector, k, allowed, load_faiss().SearchParameters)

    def without(self, alive: Rows) -> Block:
        """The block without the rows that are not among the alive ones (ascending)."""
        places = places_of(self.rows, alive)
        if len(places) == len(self.rows):
            return self
        faiss = load_faiss()
        removed = np.ones(len(self.rows), bool)
        removed[places] = False
        index = faiss.clone_index(self.faiss_index)
        index.remove_ids(np.flatnonzero(removed))
        return Block(self.rows[places], index)

    def extended(self, rows: Sequence[int], blobs: Sequence[bytes]) -> Block:
        """The block with newer rows behind its own."""
        if not rows:
            return self
        block = Block(
            np.concatenate([self.rows, np.array(rows, np.int64)]), load_faiss().clone_index(self.faiss_index)
        )
        block._append(blobs)
        return block

    def _append(self, blobs: Sequence[bytes]) -> None:
        codes = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), self.faiss_index.code_size)
        if len(blobs):
            self.faiss_index.add_sa_codes(codes)


def search_rows(index: Any, rows: Rows, vector: Vectors, k: int, allowed: Rows | None, settings: Any) -> Scored:
    """The k best places of a FAISS index, as rows; `settings` makes its search parameters."""
    if not len(rows) or k <= 0:
        return Scored(rows[:0], np.zeros(0, np.float32))
    parameters = settings()
    if allowed is not None:
        mask = np.zeros(len(rows), bool)
        mask[places_of(rows, allowed)] = True
        bits = np.packbits(mask, bitorder="little")
        parameters = settings(sel=load_faiss().IDSelectorBitmap(bits))
    scores, places = index.search(vector.reshape(1, -1), min(k, len(rows)), params=parameters)
    found = places[0] >= 0
    return Scored(rows[places[0][found]], scores[0][found]).best(k)


def load_faiss() -> Any:
    """FAISS on one thread, imported where it is first needed; its type stubs lack half of what it has."""
    import faiss

    module: Any = faiss
    module.omp_set_num_threads(1)
    return module


def places_of(rows: Rows, wanted: Rows) -> NDArray[np.intp]:
    """Where in `rows` the wanted ones stand; both ascending, those not in `rows` are left out."""
    places = np.searchsorted(rows, wanted)
    places = places[places < len(rows)]
    found: NDArray[np.intp] = places[rows[places] == wanted[: len(places)]]
    return found


def read_block(connection: sqlite3.Connection, after: int, dimension: int) -> Block:
    """The vectors of all rows beyond `after`."""
    block = Block.of([], [], dimension)
    cursor = connection.execute("SELECT row, vector FROM vectors WHERE row > ? ORDER BY row", (after,))
    rows: list[int] = []
    while chunk := cursor.fetchmany(_CHUNK):
        rows.extend(row for row, _ in chunk)
        block._append([blob for _, blob in chunk])
    return Block(np.array(rows, np.int64), block.faiss_index)


def read_newer(connection: sqlite3.Connection, block: Block, after: int) -> Block:
    """The block with all rows beyond `after` behind its own."""
    found = connection.execute("SELECT row, vector FROM vectors WHERE row > ? ORDER BY row", (after,)).fetchall()
    return block.extended([row for row, _ in found], [blob for _, blob in found])


def read_selected(
    connection: sqlite3.Connection, selected: str, bound: tuple[object, ...], dimension: int
) -> Block:
    """The vectors of the rows that a subquery selects."""
    found = connection.execute(
        f"SELECT row, vector FROM vectors WHERE row IN ({selected}) ORDER BY row",  # noqa: S608 - no value in it
        bound,
    ).fetchall()
    return Block.of([row for row, _ in found], [blob for _, blob in found], dimension)


def alive_rows(connection: sqlite3.Connection) -> Rows:
    """All rows there are, ascending; read from the small index, not from the passages."""
    found = connection.execute("SELECT row FROM passages INDEXED BY passages_of_document").fetchall()
    return np.sort(np.array([row for (row,) in found], np.int64))
