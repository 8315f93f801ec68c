"""One ranking out of two: what a search by vector and a search by words found, put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from assay.types import Found, Scores

# The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
RANK_CONSTANT = 60
# How much the vectors count in the scaled sum: chosen leaving one set out, see decisions/013.
DENSE_SHARE = 0.8
# The least values that the two scores can take, from which they are scaled: a cosine and a BM25 score.
_LEAST_DENSE = -1.0
_LEAST_SPARSE = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a search returned, its score there, and the raw scores behind it."""

    passage_id: str
    score: float
    scores: Scores


Searched = Sequence[Found]
Fusion = Callable[[Searched, Searched, Searched], dict[str, float]]


def by_rank(dense: Searched, sparse: Searched, beyond: Searched = ()) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the lists that hold the passage.

    What lies `beyond` the dense list has no rank there.

    >>> by_rank([Found("a", 0.9), Found("b", 0.8)], [Found("b", 7.0)])["b"] > 1 / 61
    True
    """
    scores: dict[str, float] = {}
    for found in (dense, sparse):
        for rank, each in enumerate(found, 1):
            scores[each.passage_id] = scores.get(each.passage_id, 0.0) + 1 / (RANK_CONSTANT + rank)
    return scores


def by_scaled_score(dense: Searched, sparse: Searched, beyond: Searched = ()) -> dict[str, float]:
    """The weighted sum of both scores, each scaled so that its least possible value is 0 and its best here 1.

    The "theoretical min-max" convex combination of Bruch, Gai and Ingber 2022 (arXiv 2210.11934). `beyond` are
    the cosines of passages that only the search by words returned.

    >>> by_scaled_score([Found("a", 1.0), Found("b", 0.0)], [Found("b", 6.0), Found("c", 3.0)])
    {'a': 0.8, 'b': 0.6, 'c': 0.1}
    """
    best_dense = max((each.score for each in dense), default=_LEAST_DENSE)
    best_sparse = max((each.score for each in sparse), default=_LEAST_SPARSE)
    scores: dict[str, float] = {}
    for each in (*dense, *beyond):
        scores[each.passage_id] = DENSE_SHARE * _scaled(each.score, _LEAST_DENSE, best_dense)
    for each in sparse:
        part = (1 - DENSE_SHARE) * _scaled(each.score, _LEAST_SPARSE, best_sparse)
        scores[each.passage_id] = round(scores.get(each.passage_id, 0.0) + part, 12)
    return scores


def _scaled(score: float, least: float, best: float) -> float:
    return (score - least) / (best - least) if best > least else 0.0


FUSIONS = MappingProxyType({"rrf": by_rank, "scaled": by_scaled_score})


def fuse(dense: Searched, sparse: Searched, beyond: Searched, fusion: Fusion) -> tuple[Candidate, ...]:
    """What either search found, best first, with both raw scores; of equals, the dense search's order holds.

    `beyond` are the cosines of passages that only the search by words returned.
    """
    raw_dense = {each.passage_id: each.score for each in (*dense, *beyond)}
    raw_sparse = {each.passage_id: each.score for each in sparse}
    scores = fusion(dense, sparse, beyond)
    order = sorted(scores, key=lambda each: -scores[each])
    return tuple(Candidate(each, scores[each], Scores(raw_dense.get(each), raw_sparse.get(each))) for each in order)


def alone(dense: Searched, sparse: Searched) -> tuple[Candidate, ...]:
    """The one list that there is, scored as it is."""
    by_vector = [Candidate(each.passage_id, each.score, Scores(dense=each.score)) for each in dense]
    by_words = [Candidate(each.passage_id, each.score, Scores(sparse=each.score)) for each in sparse]
    return tuple(by_vector + by_words)


def merge(lists: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """The candidates of several queries, best first; one that several found stands where it scored best.

    >>> one, two = Candidate("a", 0.5, Scores()), Candidate("a", 0.7, Scores())
    >>> [each.score for each in merge([[one], [two]])]
    [0.7]
    """
    best: dict[str, Candidate] = {}
    for candidates in lists:
        for each in candidates:
            if each.passage_id not in best or each.score > best[each.passage_id].score:
                best[each.passage_id] = each
    return tuple(sorted(best.values(), key=lambda each: -each.score))
