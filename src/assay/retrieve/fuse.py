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


Fusion = Callable[[Sequence[Found], Sequence[Found]], dict[str, float]]


def by_rank(dense: Sequence[Found], sparse: Sequence[Found]) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the lists that hold the passage.

    >>> by_rank([Found("a", 0.9), Found("b", 0.8)], [Found("b", 7.0)])["b"] > 1 / 61
    True
    """
    scores: dict[str, float] = {}
    for found in (dense, sparse):
        for rank, each in enumerate(found, 1):
            scores[each.passage_id] = scores.get(each.passage_id, 0.0) + 1 / (RANK_CONSTANT + rank)
    return scores


def by_scaled_score(dense: Sequence[Found], sparse: Sequence[Found]) -> dict[str, float]:
    """The weighted sum of both scores, each scaled so that its least possible value is 0 and its best here 1.

    The "theoretical min-max" convex combination of Bruch, Gai and Ingber 2022 (arXiv 2210.11934).

    >>> by_scaled_score([Found("a", 1.0), Found("b", 0.0)], [Found("b", 6.0), Found("c", 3.0)])
    {'a': 0.8, 'b': 0.6, 'c': 0.1}
    """
    scores: dict[str, float] = {}
    for found, least, share in ((dense, _LEAST_DENSE, DENSE_SHARE), (sparse, _LEAST_SPARSE, 1 - DENSE_SHARE)):
        best = max((each.score for each in found), default=least)
        for each in found:
            part = share * (each.score - least) / (best - least) if best > least else 0.0
            scores[each.passage_id] = round(scores.get(each.passage_id, 0.0) + part, 12)
    return scores


FUSIONS: Mapping[str, Fusion] = MappingProxyType({"rrf": by_rank, "scaled": by_scaled_score})


def ranked(scores: Mapping[str, float]) -> list[str]:
    """The ids, best first; of equals, the one named first leads."""
    return sorted(scores, key=lambda each: -scores[each])


def moved(vector: NDArray[np.float32], best: NDArray[np.float32]) -> NDArray[np.float32]:
    """The query's vector moved towards the vectors of the passages found first, shape (n, dimension).

    Rocchio 1971, with those passages taken for relevant and none for irrelevant.
    """
    import numpy as np

    towards: NDArray[np.float32] = vector + FEEDBACK_SHARE * best.mean(axis=0)
    return towards / np.float32(np.linalg.norm(towards))


def by_cosine(ids: Sequence[str], cosines: NDArray[np.float32]) -> tuple[Found, ...]:
    """The passages with their cosines, best first."""
    return tuple(
        sorted((Found(*each) for each in zip(ids, cosines.tolist(), strict=True)), key=lambda found: -found.score)
    )


def candidates_of(
    scores: Mapping[str, float], dense: Sequence[Found], sparse: Sequence[Found]
) -> tuple[Candidate, ...]:
    """The fused scores as candidates, best first, with the raw scores of both searches beside them."""
    raw_dense = {each.passage_id: each.score for each in dense}
    raw_sparse = {each.passage_id: each.score for each in sparse}
    return tuple(
        Candidate(each, scores[each], Scores(raw_dense.get(each), raw_sparse.get(each))) for each in ranked(scores)
    )


def alone(dense: Sequence[Found], sparse: Sequence[Found]) -> tuple[Candidate, ...]:
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
