"""Fusing keeps every passage, orders by what both searches say, and MMR only reorders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.retrieval.hybrid import FUSIONS, Candidate, best_first, diversify, merge
from assay.types import Scores

IDS = st.sampled_from("abcdefgh")
RANKINGS = [
    st.dictionaries(IDS, st.floats(low, high), max_size=8).map(
        lambda scores: {each: scores[each] for each in sorted(scores, key=lambda name: -scores[name])}
    )
    for low, high in ((-1, 1), (0, 50))
]


@pytest.mark.parametrize("fusion", sorted(FUSIONS))
@given(dense=RANKINGS[0], sparse=RANKINGS[1])
@settings(deadline=None)
def test_every_passage_of_either_search_is_kept_with_a_score_of_0_to_1(
    fusion: str, dense: dict[str, float], sparse: dict[str, float]
) -> None:
    scores = FUSIONS[fusion](dense, sparse)
    assert set(scores) == set(dense) | set(sparse)
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores.values())


@pytest.mark.parametrize("fusion", sorted(FUSIONS))
@given(dense=RANKINGS[0], sparse=RANKINGS[1])
@settings(deadline=None)
def test_what_both_searches_put_before_another_stays_before_it(
    fusion: str, dense: dict[str, float], sparse: dict[str, float]
) -> None:
    order = best_first(FUSIONS[fusion](dense, sparse))
    both = [each for each in order if each in dense and each in sparse]
    for place, later in enumerate(both):
        for earlier in both[:place]:
            assert not (dense[later] > dense[earlier] + 1e-6 and sparse[later] > sparse[earlier] + 1e-6)


@given(st.lists(st.lists(st.tuples(IDS, st.floats(0, 1)), max_size=6), max_size=3))
def test_merging_keeps_each_passage_once_at_its_best_score(lists: list[list[tuple[str, float]]]) -> None:
    merged = merge([[Candidate(name, score, Scores()) for name, score in one] for one in lists])
    everything = [pair for one in lists for pair in one]
    best = {name: max(score for other, score in everything if other == name) for name, _ in everything}
    assert {each.passage_id: each.score for each in merged} == best
    assert [each.score for each in merged] == sorted(best.values(), reverse=True)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.integers(0, 14), st.floats(0, 1))
def test_mmr_chooses_distinct_places_and_by_relevance_alone_when_told(
    relevance: list[float], k: int, share: float
) -> None:
    vectors = np.random.default_rng(len(relevance)).standard_normal((len(relevance), 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    chosen = diversify(np.array(relevance), vectors, k, share)
    assert len(chosen) == len(set(chosen)) == min(k, len(relevance))
    plain = diversify(np.array(relevance), vectors, k, 1.0)
    assert plain == np.argsort(-np.array(relevance), kind="stable")[:k].tolist()
