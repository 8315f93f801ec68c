"""The search engine beside a collection in Postgres: it finds rows where one database no longer does.

The rows of Postgres are the truth. The engine holds a vector and the weights of words for each of them, in a set
that can be filled again from the rows at any time; it never sees a text.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.nlp.tokens import terms
from assay.retrieval.index.postings import stored_term
from assay.retrieval.index.rows import K1, TITLE_WEIGHT, B


@dataclass(frozen=True, slots=True)
class Held:
    """The row up to which all are in a set, and the mean length of passages, in terms, that its weights are for.

    The mean is that of the collection when the set was made. Which passages are looked at depends on it; their
    scores do not, since these are computed anew.
    """

    up_to: int
    mean_length: float


@dataclass(frozen=True, slots=True)
class EnginePoint:
    """One row as an engine holds it: its vector, the weights of its words, its length in terms and its filters."""

    row: int
    vector: NDArray[np.float32]
    weights: Mapping[int, float]
    length: int
    filters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WordHit:
    """A row that has words asked for, with the weights and the length that were stored."""

    row: int
    weights: Mapping[int, float]
    length: int


class SearchEngine(Protocol):
    """Sets of rows, each by the name that a collection in Postgres gives it. Every method raises StoreError.

    `filters` keeps the rows that have all of them. Methods are called from many threads at once.
    """

    def create(self, name: str, dimension: int, mean_length: float) -> None:
        """Make a set where there is none of that name."""
        ...

    def held(self, name: str) -> Held | None:
        """The state of the set; None where there is no such set, or where nobody has finished making it."""
        ...

    def store(self, name: str, points: Sequence[EnginePoint], held: Held) -> None:
        """Store the points, each in the place of one of its row; with them it has what `held` says."""
        ...

    def remove(self, name: str, rows: Sequence[int]) -> None:
        """Remove rows; those that are not there, and sets that are not, are ignored."""
        ...

    def nearest(self, name: str, vector: NDArray[np.float32], most: int, filters: Sequence[int]) -> tuple[int, ...]:
        """The rows of highest dot product with `vector` (shape (dimension,)), best first, about these."""
        ...

    def by_words(
        self, name: str, weights: Mapping[int, float], most: int, filters: Sequence[int]
    ) -> tuple[WordHit, ...]:
        """The rows for which the products of both weights sum up to the most, best first."""
        ...

    def count(self, name: str) -> int:
        """The number of rows of the set; 0 where there is none."""
        ...

    def drop(self, name: str) -> None:
        """Remove the set if there is one."""
        ...

    def close(self) -> None:
        """Release the connections; calling it twice is harmless."""
        ...


def term_number(term: str) -> int:
    """The number of a term, 0 to 2**32 - 1. Two terms of a million share one about a hundred times.

    >>> term_number("boil") == term_number("boil") != term_number("water")
    True
    """
    return int.from_bytes(hashlib.blake2b(stored_term(term).encode(), digest_size=4).digest())


def filter_number(key: str, value: str) -> int:
    """The number of a filter, -2**63 to 2**63 - 1, of texts that stand for a key and a value."""
    named = f"{len(key)} {key}{value}".encode()
    return int.from_bytes(hashlib.blake2b(named, digest_size=8).digest(), signed=True)


def weights_of(title: str, text: str, mean_length: float) -> tuple[dict[int, float], int]:
    """The weight of each word of a passage, as BM25 has it where passages have that mean length, and its length."""
    in_title, in_text = Counter(terms(title)), Counter(terms(text))
    length = in_title.total() + in_text.total()
    halves: Counter[int] = Counter()
    for term in in_title | in_text:
        halves[term_number(term)] += round(2 * (TITLE_WEIGHT * in_title[term] + in_text[term]))
    norm = _norm(length, mean_length)
    return {number: n / 2 * (K1 + 1) / (n / 2 + norm) for number, n in halves.items()}, length


def count_of(weight: float, length: int, mean_length: float) -> float:
    """The count of a word in a passage, from its weight there: the inverse of `weights_of`, in halves.

    >>> weights, length = weights_of("Boiling", "Water boils; ice melts.", 80.0)
    >>> [count_of(weights[term_number(term)], length, 80.0) for term in ("boil", "ice")]
    [2.5, 1.0]
    """
    return round(2 * weight * _norm(length, mean_length) / (K1 + 1 - weight)) / 2


def _norm(length: int, mean_length: float) -> float:
    return K1 * (1 - B + B * length / mean_length)
