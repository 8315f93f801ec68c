"""Search by words over a large collection: FTS5 says where the words stand, and they are scored here.

FTS5's own `bm25` takes about a microsecond for each passage that has a word of the question, and common words make
these many; where a word stands takes it a tenth of that. Read once, it is kept until the collection changes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.retrieval.index.postings import POSTING, best_rows
from assay.retrieval.index.rows import TITLE_WEIGHT, selection
from assay.retrieval.index.schema import number_of
from assay.types import Metadata

# Bytes of postings that are kept: 8 for each passage of a term. Chosen.
_KEPT = 128_000_000
# Fewer places are sorted, more are counted in an array of all rows: chosen by time.
_FEW = 10_000
_MOST = 0xFFFF
_PLACES = (
    "SELECT group_concat(doc) FILTER (WHERE col = 'title'), group_concat(doc) FILTER (WHERE col = 'body')"
    " FROM temp.word_places WHERE term = ?"
)

Rows = NDArray[np.int64]


@dataclass(slots=True)
class _Words:
    """One version of the words: the length of each row's passage (0 where there is none), and what was read."""

    version: int
    removals: int
    passages: int
    lengths: NDArray[np.int64]
    postings: dict[str, bytes] = field(default_factory=dict)


class WordSearcher:
    """Searches collections of more than `least` passages; FTS5 itself is fast enough for smaller ones."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._lock = threading.Lock()
        self._words: _Words | None = None

    def search(
        self, connection: sqlite3.Connection, query: Sequence[str], k: int, where: Metadata
    ) -> list[tuple[int, float]] | None:
        """The k rows of highest BM25 score whose metadata equal `where`, best first; None where FTS5 is to search.

        The connection reads one state of the file meanwhile.
        """
        passages = number_of(connection, "passages")
        if passages <= self._least:
            return None
        with self._lock:
            words = self._of_version(connection, passages)
            if words is None:
                return None
            by_term = {term: self._postings(connection, words, term) for term in dict.fromkeys(query)}
            self._evict(words)
        allowed = None
        if where:
            chosen, bound = selection(where)
            allowed = np.array([row for (row,) in connection.execute(chosen, bound)], np.int64)
        known = {term: data for term, data in by_term.items() if data}
        return best_rows(query, known, words.passages, int(words.lengths.sum()), k, allowed) if known else []

    def _of_version(self, connection: sqlite3.Connection, passages: int) -> _Words | None:
        """The words as this connection sees them; None if another one has seen a newer version."""
        version, removals = number_of(connection, "version"), number_of(connection, "removals")
        old = self._words
        if old is None or old.version < version:
            kept = old.lengths if old is not None and old.removals == removals else np.zeros(1, np.int64)
            self._words = _Words(version, removals, passages, _read_lengths(connection, kept))
        elif old.version > version:
            return None
        return self._words

    def _postings(self, connection: sqlite3.Connection, words: _Words, term: str) -> bytes:
        """The postings of a term, which is the newest of those kept from then on."""
        found = words.postings.pop(term, None)
        words.postings[term] = found if found is not None else _read_postings(connection, term, words.lengths)
        return words.postings[term]

    def _evict(self, words: _Words) -> None:
        """Evict the oldest entries."""
        size = sum(map(len, words.postings.values()))
        while size > _KEPT:
            size -= len(words.postings.pop(next(iter(words.postings))))


def _read_lengths(connection: sqlite3.Connection, known: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of terms of each row's passage, its title included; `known` are those of the first rows."""
    # FTS5 keeps the lengths of both columns in a table of its own, as two of SQLite's varints.
    found = connection.execute("SELECT id, sz FROM words_docsize WHERE id >= ?", (len(known),)).fetchall()
    lengths = np.zeros(max((row for row, _ in found), default=len(known) - 1) + 1, np.int64)
    lengths[: len(known)] = known
    lengths[[row for row, _ in found]] = [_sum_of(sizes) for _, sizes in found]
    return lengths


def _sum_of(sizes: bytes) -> int:
    """The sum of the numbers that are written in 7 bits a byte, the last byte of each below 128.

    >>> _sum_of(bytes([1, 73])), _sum_of(bytes([129, 1, 5]))
    (74, 134)
    """
    total = number = 0
    for byte in sizes:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            total, number = total + number, 0
    return total


def _read_postings(connection: sqlite3.Connection, term: str, lengths: NDArray[np.int64]) -> bytes:
    """The postings of a term, as `assay.retrieval.index.postings` has them."""
    # A temporary view of the word index, since it need not be stored.
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.word_places USING fts5vocab(main, words, instance)")
    in_title, in_text = (_numbers(each) for each in connection.execute(_PLACES, (term,)).fetchone())
    places = np.concatenate([in_title, in_text])
    halves = np.repeat([round(2 * TITLE_WEIGHT), 2], [len(in_title), len(in_text)])
    if len(places) < _FEW:
        rows, which = np.unique(places, return_inverse=True)
        sums = np.bincount(which, halves, len(rows))
    else:
        of_all = np.bincount(places, halves)
        rows = np.flatnonzero(of_all)
        sums = of_all[rows]
    found = np.zeros(len(rows), POSTING)
    found["row"], found["halves"] = rows, np.minimum(sums, _MOST)
    found["length"] = np.minimum(lengths[rows], _MOST)
    return found.tobytes()


def _numbers(written: str | None) -> Rows:
    return np.fromstring(written, np.int64, sep=",") if written else np.zeros(0, np.int64)
