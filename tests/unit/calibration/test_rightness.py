from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration.rightness import FEATURES, Rightness, features, shipped_rightness, stands_out
from assay.types import AnswerReading

shares = st.floats(0, 1)
relevances = st.dictionaries(st.text(max_size=3), shares, max_size=6)
odds = st.floats(-50, 50)
SIGNALS = {"reader_best": 0.9, "reader_second": 0.4, "cosine_best": 0.7, "cover_all": 1.0}
READ = AnswerReading(2.0, 0.75, 0.5, 1.0)


@given(shares, shares, relevances)
def test_a_higher_score_is_never_a_lower_signal(one: float, other: float, relevance: dict[str, float]):
    weights = shipped_rightness(read=False)
    low, high = (weights.of(features(score, relevance, {}, None)) for score in sorted((one, other)))
    assert 0 < low <= high < 1


@given(odds, odds, shares, relevances)
def test_an_answer_that_reads_better_is_never_less_likely_right(
    one: float, other: float, held: float, relevance: dict[str, float]
):
    weights = shipped_rightness(read=True)
    low, high = (
        weights.of(features(0.9, relevance, SIGNALS, AnswerReading(each, held, 1.0)))
        for each in sorted((one, other))
    )
    assert 0 < low <= high < 1


@given(relevances)
def test_another_passage_never_makes_one_stand_out_more_unless_it_is_the_nearest(relevance: dict[str, float]):
    before = stands_out(relevance)
    assert 0 <= before <= 1
    assert stands_out({**relevance, "another": max(relevance.values(), default=0.0)}) == 0 or not relevance


def test_the_order_of_passages_says_nothing():
    assert stands_out({"a": 0.2, "b": 0.9}) == stands_out({"b": 0.9, "a": 0.2}) == pytest.approx(0.7)


def test_the_features_are_those_that_can_be_weighed():
    assert set(features(0.5, {}, SIGNALS, READ)) == set(FEATURES)
    assert set(features(0.5, {}, {}, None)) == {"score", "standing"}


@pytest.mark.parametrize("read", [False, True])
def test_the_shipped_weights_are_of_features_and_their_bars_are_in_order(read: bool):
    weights = shipped_rightness(read=read)
    assert set(weights.weights) <= set(FEATURES)
    assert 0 <= weights.no < weights.yes <= 1


def test_without_a_reader_nothing_of_one_is_weighed():
    assert set(shipped_rightness(read=False).weights) <= {"score", "standing", "cosine_best"}


def test_a_missing_feature_counts_nothing_and_an_unknown_one_neither():
    weights = Rightness({"odds": 1.0, "held": 2.0}, 0.0, 0.7, 0.1)
    assert weights.of({}) == weights.of({"other": 9.0}) == 0.5
    assert weights.of({"held": 1.0}) > 0.5


def test_beyond_certainty_odds_tell_no_more():
    far, further = (features(0.5, {}, {}, AnswerReading(each, 1.0, 1.0)) for each in (9.0, 90.0))
    assert far == further


@pytest.mark.parametrize("missing", ["weights", "intercept", "yes", "no"])
def test_a_missing_weight_is_refused(missing: str):
    body = {"weights": {"score": 1.0}, "intercept": 0.0, "yes": 0.5, "no": 0.1}
    assert Rightness.read(body) == Rightness({"score": 1.0}, 0.0, 0.5, 0.1)
    with pytest.raises(KeyError, match=missing):
        Rightness.read({name: value for name, value in body.items() if name != missing})


def test_weights_that_are_no_mapping_are_refused():
    with pytest.raises(TypeError, match="no mapping"):
        Rightness.read({"weights": 1.0, "intercept": 0.0, "yes": 0.5, "no": 0.1})
