"""Search by vector: the exact scan, and what of the stored vectors is kept in memory between two searches."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.index.rows import as_matrix

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
    """Rows in ascending order with their vectors, shape (rows, dimension)."""

    rows: Rows
    vectors: Vectors

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """The k rows of highest cosine, among the allowed ones where given (ascending)."""
        if allowed is None:
            return Scored(self.rows, self.vectors @ vector).best(k)
        places = places_of(self.rows, allowed)
        return Scored(self.rows[places], self.vectors[places] @ vector).best(k)

    def without(self, alive: Rows) -> Block:
        """The block without the rows that are not among the alive ones (ascending)."""
        places = places_of(self.rows, alive)
        return self if len(places) == len(self.rows) else Block(self.rows[places], self.vectors[places])

    def extended(self, newer: Block) -> Block:
        """The block with newer rows behind its own."""
        if not len(newer.rows):
            return self
        return Block(np.concatenate([self.rows, newer.rows]), np.concatenate([self.vectors, newer.vectors]))


def places_of(rows: Rows, wanted: Rows) -> NDArray[np.intp]:
    """Where in `rows` the wanted ones stand; both ascending, those not in `rows` are left out."""
    places = np.searchsorted(rows, wanted)
    places = places[places < len(rows)]
    found: NDArray[np.intp] = places[rows[places] == wanted[: len(places)]]
    return found


def read_block(connection: sqlite3.Connection, after: int, total: int, dimension: int) -> Block:
    """The vectors of all rows beyond `after`; `total` is how many rows there are in all."""
    # Counting all rows would read every page of them twice.
    newer = "SELECT count(*) FROM vectors WHERE row > ?"
    count = total if after == 0 else connection.execute(newer, (after,)).fetchone()[0]
    rows, vectors = np.empty(count, np.int64), np.empty((count, dimension), np.float32)
    cursor = connection.execute("SELECT row, vector FROM vectors WHERE row > ? ORDER BY row", (after,))
    filled = 0
    while chunk := cursor.fetchmany(_CHUNK):
        end = filled + len(chunk)
        rows[filled:end] = [row for row, _ in chunk]
        vectors[filled:end] = as_matrix([blob for _, blob in chunk], dimension)
        filled = end
    return Block(rows, vectors)


def read_selected(
    connection: sqlite3.Connection, selected: str, bound: tuple[object, ...], dimension: int
) -> Block:
    """The vectors of the rows that a subquery selects."""
    found = connection.execute(
        f"SELECT row, vector FROM vectors WHERE row IN ({selected}) ORDER BY row",  # noqa: S608 - no value in it
        bound,
    ).fetchall()
    rows = np.array([row for row, _ in found], np.int64)
    return Block(rows, as_matrix([blob for _, blob in found], dimension))


def alive_rows(connection: sqlite3.Connection) -> Rows:
    """All rows there are, ascending; read from the small index, not from the passages."""
    found = connection.execute("SELECT row FROM passages INDEXED BY passages_of_document").fetchall()
    return np.sort(np.array([row for (row,) in found], np.int64))
