"""Search by words: the token strings that are indexed, the query made of a question, and BM25."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.text.tokens import terms

# SQLite's FTS5 fixes these two for its bm25(): https://sqlite.org/fts5.html#the_bm25_function
K1 = 1.2
B = 0.75
# What a word of the title counts, and how often a word that a question repeats: see decisions/011.
TITLE_WEIGHT = 1.5
_REPEATS = 3
# What a question of a megabyte is cut to; longer than any real question, short enough to stay fast.
_LONGEST_QUERY = 256


@dataclass(frozen=True, slots=True)
class PassageWords:
    """How often each term occurs in a passage's title and text, and how many terms they hold together."""

    counts: Mapping[str, float]
    length: int


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """What BM25 needs of the whole collection: passages, their mean length, and in how many each term is."""

    passages: int
    mean_length: float
    frequencies: Mapping[str, int]


def token_string(text: str) -> str:
    """What is indexed for `text`.

    >>> token_string("The boiling points of 水素")
    'boil point 水素'
    """
    return " ".join(terms(text))


def query_terms(text: str) -> tuple[str, ...]:
    """The terms of a question that are searched, in order of first occurrence; none where it has stop words only.

    A term that the question repeats is repeated, and so counts more, as in BM25's query term frequency.

    >>> query_terms("What is the boiling point of boiling water?"), query_terms("Who is it?")
    (('boil', 'boil', 'point', 'water'), ())
    """
    counts = Counter(terms(text))
    found = tuple(term for term, count in counts.items() for _ in range(min(count, _REPEATS)))
    return found[:_LONGEST_QUERY]


def match_expression(found: Sequence[str]) -> str:
    """An FTS5 expression for passages with any of the terms; each is quoted, so none is query syntax.

    >>> match_expression(["near", 'a"b'])
    '"near" OR "a""b"'
    """
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in found)


def bm25(query: Sequence[str], passage: PassageWords, statistics: WordStatistics) -> float:
    """The score of one passage, as FTS5 counts it (Robertson et al. 1994), 0 where no term occurs.

    >>> one, all_of = PassageWords({"boil": 1.0}, 4), WordStatistics(10, 4.0, {"boil": 2})
    >>> round(bm25(["boil", "water"], one, all_of), 3)
    1.224
    """
    score = 0.0
    for term in query:
        count = passage.counts.get(term, 0.0)
        if count:
            norm = K1 * (1 - B + B * passage.length / statistics.mean_length)
            score += _weight_of(term, statistics) * count * (K1 + 1) / (count + norm)
    return score


def _weight_of(term: str, statistics: WordStatistics) -> float:
    """The inverse document frequency; FTS5 gives a term of more than half of all rows a millionth."""
    frequency = statistics.frequencies[term]
    weight = math.log((statistics.passages - frequency + 0.5) / (frequency + 0.5))
    return weight if weight > 0 else 1e-6
