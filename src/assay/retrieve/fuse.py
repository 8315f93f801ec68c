"""One ranking out of two: what a search by vector and a search by words found, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from assay.types import Found, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
RANK_CONSTANT = 60
# How much the vectors count in the scaled sum: chosen leaving one set out, see decisions/013.
DENSE_SHARE = 0.8
# How far feedback moves the query's vector towards the first passages, chosen in the same way.
FEEDBACK_SHARE = 0.5
# The least values that the two scores can take, from which they are scaled: a cosine and a BM25 score.
_LEAST_DENSE = -1.0
_LEAST_SPARSE = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that a search returned, its score there, and the raw scores behind it."""

    passage_id: str
    score: float
    scores: Scores


# Passage ids with their scores, best first.
Ranking = Mapping[str, float]
Fusion = Callable[[Ranking, Ranking], dict[str, float]]


def by_rank(dense: Ranking, sparse: Ranking) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the rankings that hold the passage.

    >>> by_rank({"a": 0.9, "b": 0.8}, {"b": 7.0})["b"] > 1 / 61
    True
    """
    scores: dict[str, float] = {}
    for ranking in (dense, sparse):
        for rank, each in enumerate(ranking, 1):
            scores[each] = scores.get(each, 0.0) + 1 / (RANK_CONSTANT + rank)
    return scores


def by_scaled_score(dense: Ranking, sparse: Ranking, dense_share: float = DENSE_SHARE) -> dict[str, float]:
    """The weighted sum of both scores, each scaled so that its least possible value is 0 and its best here 1.

    `dense_share`, 0 to 1, is the weight of the cosines. The "theoretical min-max" convex combination of Bruch,
    Gai and Ingber 2022 (arXiv 2210.11934).

    >>> fused = by_scaled_score({"a": 1.0, "b": 0.0}, {"b": 6.0, "c": 3.0})
    >>> {each: round(score, 3) for each, score in fused.items()}
    {'a': 0.8, 'b': 0.6, 'c': 0.1}
    """
    scores: dict[str, float] = {}
    for ranking, least, share in ((dense, _LEAST_DENSE, dense_share), (sparse, _LEAST_SPARSE, 1 - dense_share)):
        best = max(ranking.values(), default=least)
        spread = best - least
        for each, score in ranking.items():
            scores[each] = scores.get(each, 0.0) + (share * ((score - least) / spread) if spread > 0 else 0.0)
    return scores


FUSIONS: Mapping[str, Fusion] = MappingProxyType({"rrf": by_rank, "scaled": by_scaled_score})


def ranked(scores: Mapping[str, float]) -> list[str]:
    """The ids, best first; of equals, the one named first leads.

    >>> ranked({"a": 0.1, "b": 0.3})
    ['b', 'a']
    """
    return sorted(scores, key=scores.__getitem__, reverse=True)


def moved(
    vector: NDArray[np.float32], best: NDArray[np.float32], share: float = FEEDBACK_SHARE
) -> NDArray[np.float32]:
    """The query's vector moved towards the vectors of the passages found first, shape (n, dimension).

    `share` is how far, in lengths of their mean. Rocchio 1971, with those passages taken for relevant and none
    for irrelevant.
    """
    import numpy as np

    towards: NDArray[np.float32] = vector + share * best.mean(axis=0)
    return towards / np.float32(np.linalg.norm(towards))


def by_cosine(ids: Sequence[str], cosines: NDArray[np.float32]) -> dict[str, float]:
    """The passages with their cosines, best first."""
    order = (-cosines).argsort(kind="stable").tolist()
    values = cosines.tolist()
    return {ids[place]: values[place] for place in order}


def scores_of(found: Sequence[Found]) -> dict[str, float]:
    """What a search returned, as a ranking."""
    return {each.passage_id: each.score for each in found}


def candidates(scores: Mapping[str, float], dense: Ranking, sparse: Ranking, count: int) -> tuple[Candidate, ...]:
    """The best `count` passages by their scores, with the raw scores of both searches beside them."""
    return tuple(
        Candidate(each, scores[each], Scores(dense.get(each), sparse.get(each))) for each in ranked(scores)[:count]
    )


def merge(lists: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """The candidates of several queries, best first; one that several found stands where it scored best.

    >>> one, two = Candidate("a", 0.5, Scores()), Candidate("a", 0.7, Scores())
    >>> [each.score for each in merge([[one], [two]])]
    [0.7]
    """
    best: dict[str, Candidate] = {}
    for one in lists:
        for each in one:
            if each.passage_id not in best or each.score > best[each.passage_id].score:
                best[each.passage_id] = each
    return tuple(sorted(best.values(), key=lambda each: -each.score))
