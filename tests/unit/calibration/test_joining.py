"""A grader's log odds joined with what is known without it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration import Joining, log_odds

ODDS = st.floats(-30, 30)


@given(ODDS, ODDS)
def test_the_log_odds_are_the_weighted_sum(words: float, network: float) -> None:
    line = Joining({"words": 2.0, "network": -0.5}, 0.25)
    assert line.odds({"words": words, "network": network}) == pytest.approx(0.25 + 2.0 * words - 0.5 * network)


@given(ODDS, ODDS)
def test_more_of_what_counts_for_it_never_makes_it_less_likely(one: float, other: float) -> None:
    line = Joining({"words": 0.7}, -0.1)
    low, high = sorted((one, other))
    assert 0 <= line.probability({"words": low}) <= line.probability({"words": high}) <= 1


@given(st.floats(0.01, 0.99))
def test_log_odds_alone_are_the_probability_that_they_came_from(probability: float) -> None:
    assert Joining({"words": 1.0}, 0.0).probability({"words": log_odds(probability)}) == pytest.approx(probability)


def test_what_is_not_weighed_is_left_out_of_account() -> None:
    assert Joining({"words": 1.0}, 0.0).odds({"words": 1.0, "network": 99.0}) == 1.0


def test_an_input_that_is_missing_is_no_zero() -> None:
    with pytest.raises(KeyError, match="network"):
        Joining({"network": 0.0}, 0.0).probability({"words": 1.0})
