"""Calibration error, Brier score and the fitted curves: by properties, by hand, and against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss

from assay.evals.fitting import isotonic, logistic
from assay.evals.metrics import brier, debiased_ece, reliability
from assay.types import ReliabilityBin

chance = st.floats(0, 1, allow_nan=False)
rows = st.lists(st.tuples(chance, st.booleans()), min_size=1, max_size=60)
both = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=60).filter(
    lambda made: len({label for _, label in made}) == 2
)


def parted(made):
    return [float(score) for score, _ in made], [label for _, label in made]


@given(rows)
def test_bins_are_of_equal_size_and_keep_every_row(made):
    scores, labels = parted(made)
    bins = reliability(scores, labels)
    assert max(each.n for each in bins) - min(each.n for each in bins) <= 1
    assert sum(each.n for each in bins) == len(made)
    assert sum(each.n * each.observed for each in bins) == pytest.approx(sum(labels))
    assert [each.predicted for each in bins] == sorted(each.predicted for each in bins)


@given(rows)
def test_the_order_of_the_rows_does_not_matter(made):
    assert reliability(*parted(made)) == reliability(*parted(made[::-1]))


@given(rows)
def test_brier_agrees_with_scikit_learn(made):
    scores, labels = parted(made)
    assert brier(scores, labels) == pytest.approx(brier_score_loss(labels, scores, pos_label=True))


def test_the_error_of_true_probabilities_is_less_by_its_bias():
    generator = np.random.default_rng(3)
    found = []
    for _ in range(200):
        scores = generator.random(300)
        bins = reliability(list(scores), list(generator.random(300) < scores))
        found.append(sum(each.n * (each.predicted - each.observed) ** 2 for each in bins) / 300)
        found[-1] -= debiased_ece(bins) ** 2
    assert np.mean(found) > 0.004  # chance alone: the mean of p (1 - p) over 30 rows a bin is about 1 / 180


def test_an_error_that_is_there_is_found():
    bins = reliability([0.9] * 1000, [True, False] * 500)
    assert debiased_ece(bins) == pytest.approx(0.4, abs=0.01)


def test_by_hand():
    bins = (ReliabilityBin(10, 0.5, 0.8), ReliabilityBin(10, 0.9, 0.9))
    expected = ((0.3**2 - 0.16 / 9) + (0 - 0.09 / 9)) / 2
    assert debiased_ece(bins) == pytest.approx(math.sqrt(expected))


@given(both)
def test_isotonic_agrees_with_scikit_learn(made):
    scores, labels = parted(made)
    curve = isotonic(scores, labels)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    asked = [-1.0, *np.linspace(0, 8, 33), 9.0]
    assert [curve.probability(each) for each in asked] == pytest.approx(list(theirs.predict(asked)))


@given(both)
def test_isotonic_never_falls_and_keeps_the_mean(made):
    scores, labels = parted(made)
    curve = isotonic(scores, labels)
    found = [curve.probability(each) for each in np.linspace(-1, 10, 50)]
    assert found == sorted(found)
    assert np.mean([curve.probability(each) for each in scores]) == pytest.approx(np.mean(labels))


def test_logistic_agrees_with_scikit_learn():
    generator = np.random.default_rng(1)
    scores = generator.normal(size=4000)
    labels = generator.random(4000) < 1 / (1 + np.exp(-(1.7 * scores - 0.4)))
    theirs = LogisticRegression(C=1e9).fit(scores[:, None], labels)
    found = logistic(list(scores), list(labels))
    assert found.slope == pytest.approx(theirs.coef_[0, 0], rel=0.01)
    assert found.intercept == pytest.approx(theirs.intercept_[0], abs=0.01)


@given(both)
def test_logistic_is_finite_and_keeps_the_softened_mean(made):
    scores, labels = parted(made)
    found = logistic(scores, labels)
    positives, negatives = sum(labels), len(labels) - sum(labels)
    wanted = positives * (positives + 1) / (positives + 2) + negatives / (negatives + 2)
    assert math.isfinite(found.slope)
    assert sum(found.probability(each) for each in scores) == pytest.approx(wanted, abs=1e-4)


def test_what_is_undefined_is_refused():
    with pytest.raises(ValueError, match="both outcomes"):
        isotonic([0.1, 0.2], [True, True])
    with pytest.raises(ValueError, match="both outcomes"):
        logistic([0.1, 0.2], [False, False])
    with pytest.raises(ValueError, match="from 0 to 1"):
        reliability([math.nan], [True])
    with pytest.raises(ValueError, match="more than one row"):
        debiased_ece(reliability([0.5], [True]))
    with pytest.raises(ValueError, match="needs rows"):
        brier([], [])
