"""The words of passages, packed: in which rows a term stands, how often, and how long these passages are.

A posting has 8 bytes, so that those of a term can be joined end to end by the database, which need not know what
they say.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.nlp.tokens import terms
from assay.retrieval.index.rows import K1, TITLE_WEIGHT, B, inverse_frequency

# A count is in halves, since a title's word counts TITLE_WEIGHT; what is beyond 16 bits is cut off.
POSTING = np.dtype([("row", "<u4"), ("halves", "<u2"), ("length", "<u2")])
_MOST = 0xFFFF
# The longest term that is kept as it is, in characters: an entry of Postgres' index has at most 2,700 bytes.
_LONGEST_TERM = 255

Postings = NDArray[np.void]


@dataclass(frozen=True, slots=True)
class PackedWords:
    """The postings of some passages by term, each in the order of rows, and how many terms they have in all."""

    by_term: Mapping[str, bytes]
    length: int


def stored_term(term: str) -> str:
    """The term as it is stored: as it is, or shortened, with its hash, where it is very long.

    >>> stored_term("boil"), len(stored_term("b" * 1000))
    ('boil', 97)
    """
    if len(term) <= _LONGEST_TERM:
        return term
    return f"{term[:32]}#{hashlib.sha256(term.encode(errors='backslashreplace')).hexdigest()}"


def packed(passages: Iterable[tuple[int, str, str]]) -> PackedWords:
    """The words of passages, each given as its row, its title and its searched text; rows ascend."""
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    total = 0
    for row, title, text in passages:
        in_title, in_text = Counter(map(stored_term, terms(title))), Counter(map(stored_term, terms(text)))
        length = in_title.total() + in_text.total()
        total += length
        for term in in_title | in_text:
            halves = round(2 * (TITLE_WEIGHT * in_title[term] + in_text[term]))
            found[term].append((row, min(halves, _MOST), min(length, _MOST)))
    return PackedWords({term: np.array(each, POSTING).tobytes() for term, each in found.items()}, total)


def unpacked(postings: bytes) -> Postings:
    """The postings, shape (n,)."""
    return np.frombuffer(postings, POSTING)


def without(postings: bytes, rows: NDArray[np.int64]) -> bytes:
    """The postings of other rows than these."""
    found = unpacked(postings)
    return found[~np.isin(found["row"], rows)].tobytes()


def beyond(postings: bytes, row: int) -> bytes:
    """The postings of rows beyond that one."""
    found = unpacked(postings)
    return found[found["row"] > row].tobytes()


def best_rows(
    query: Sequence[str],
    by_term: Mapping[str, bytes],
    passages: int,
    length: int,
    k: int,
    allowed: NDArray[np.int64] | None = None,
    frequencies: Mapping[str, int] | None = None,
) -> list[tuple[int, float]]:
    """The k rows of highest BM25 score with that score, best first, of equals the one stored first.

    As `rows.bm25`, over a collection of so many passages with `length` terms in all; of the allowed rows, where
    given. `frequencies` says in how many passages each term stands, where `by_term` is not of all of them.
    """
    mean = length / max(passages, 1)
    rows, scores = [np.zeros(0, np.int64)], [np.zeros(0, np.float64)]
    for term, times in Counter(term for term in query if term in by_term).items():
        found = unpacked(by_term[term])
        frequency = found["halves"] / 2
        norm = K1 * (1 - B + B * found["length"] / mean)
        weight = times * inverse_frequency(passages, len(found) if frequencies is None else frequencies[term])
        rows.append(found["row"].astype(np.int64))
        scores.append(weight * frequency * (K1 + 1) / (frequency + norm))
    sums = np.bincount(np.concatenate(rows), np.concatenate(scores))
    if allowed is not None:
        kept = np.zeros(len(sums), bool)
        kept[allowed[allowed < len(sums)]] = True
        sums[~kept] = 0.0
    # Most rows score zero, and choosing among them would take longer than all else.
    candidates = np.flatnonzero(sums > 0)
    scores_of = sums[candidates]
    if len(candidates) > k:
        chosen = scores_of >= np.partition(scores_of, -k)[-k]
        candidates, scores_of = candidates[chosen], scores_of[chosen]
    order = np.lexsort((candidates, -scores_of))[:k]
    return [(int(row), float(score)) for row, score in zip(candidates[order], scores_of[order], strict=True)]
