from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration.rightness import Rightness, shipped_rightness, stands_out

shares = st.floats(0, 1)
relevances = st.dictionaries(st.text(max_size=3), shares, max_size=6)


@given(shares, shares, relevances)
def test_a_higher_score_is_never_a_lower_signal(one: float, other: float, relevance: dict[str, float]):
    low, high = sorted((one, other))
    weights = shipped_rightness()
    assert 0 < weights.of(low, relevance) <= weights.of(high, relevance) < 1


@given(relevances)
def test_another_passage_never_makes_one_stand_out_more_unless_it_is_the_nearest(relevance: dict[str, float]):
    before = stands_out(relevance)
    assert 0 <= before <= 1
    assert stands_out({**relevance, "another": max(relevance.values(), default=0.0)}) == 0 or not relevance


def test_the_order_of_passages_says_nothing():
    assert stands_out({"a": 0.2, "b": 0.9}) == stands_out({"b": 0.9, "a": 0.2}) == pytest.approx(0.7)


def test_a_missing_weight_is_refused():
    with pytest.raises(KeyError, match="standing"):
        Rightness.read({"score": 1.0, "intercept": 0.0})
