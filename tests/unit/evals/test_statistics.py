"""Paired statistics against SciPy's, against a second implementation by enumeration, and by their properties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from assay.evals.metrics import paired_bootstrap
from assay.evals.statistics import (
    difference_interval,
    holm,
    mcnemar,
    paired_test,
    randomisation,
    smallest_fall,
    statistic_of,
)

counts = st.integers(0, 60)
tenths = st.integers(0, 10).map(lambda n: n / 10)
pairs = st.lists(st.tuples(tenths, tenths), min_size=1, max_size=9)
binary_pairs = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=10
)


def columns(rows: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [one for one, _ in rows], [other for _, other in rows]


@given(counts, counts)
def test_mcnemar_agrees_with_the_binomial_distribution_of_scipy(lower: int, higher: int):
    n = lower + higher
    found = mcnemar(lower, higher)
    assert found.fall == pytest.approx(binom.sf(lower, n, 0.5) + binom.pmf(lower, n, 0.5) / 2)
    assert found.rise == pytest.approx(binom.sf(higher, n, 0.5) + binom.pmf(higher, n, 0.5) / 2)


@given(counts, counts)
def test_both_sides_of_mcnemar_add_up_and_mirror(lower: int, higher: int):
    found, mirrored = mcnemar(lower, higher), mcnemar(higher, lower)
    assert found.fall + found.rise == pytest.approx(1)
    assert (found.fall, found.rise) == pytest.approx((mirrored.rise, mirrored.fall))


def by_enumeration(first: list[float], second: list[float], statistic: str) -> tuple[float, float]:
    """Both p values by trying every swap of every pair, without a shortcut for pairs that are equal."""

    def difference(swaps: tuple[bool, ...]) -> float:
        one = [b if swap else a for a, b, swap in zip(first, second, swaps, strict=True)]
        other = [a if swap else b for a, b, swap in zip(first, second, swaps, strict=True)]
        measure = np.mean if statistic == "mean" else lambda values: np.percentile(values, int(statistic[1:]))
        return float(measure(other) - measure(one))

    found = difference((False,) * len(first))
    all_of_them = [difference(swaps) for swaps in itertools.product([False, True], repeat=len(first))]
    equal = sum(abs(value - found) < 1e-9 for value in all_of_them)
    lower = sum(value < found - 1e-9 for value in all_of_them)
    return (lower + equal / 2) / len(all_of_them), (len(all_of_them) - lower - equal / 2) / len(all_of_them)


@given(pairs, st.sampled_from(["mean", "p50", "p95"]))
def test_few_pairs_are_swapped_in_every_way(rows: list[tuple[float, float]], statistic: str):
    found = randomisation(*columns(rows), statistic)
    assert (found.fall, found.rise) == pytest.approx(by_enumeration(*columns(rows), statistic))


@given(binary_pairs)
def test_the_randomisation_of_zeros_and_ones_is_mcnemar(rows: list[tuple[float, float]]):
    test, same = paired_test(*columns(rows)), randomisation(*columns(rows))
    assert test.name == "McNemar"
    assert (test.fall, test.rise) == pytest.approx((same.fall, same.rise))


def test_drawn_swaps_come_close_to_mcnemar():
    first, second = [1.0] * 40 + [0.0] * 30, [0.0] * 20 + [1.0] * 20 + [1.0] * 10 + [0.0] * 20
    drawn, exact = randomisation(first, second), mcnemar(20, 10)
    assert drawn.fall == pytest.approx(exact.fall, abs=0.01)


def test_swaps_of_many_cases_are_drawn_in_parts():
    generator = np.random.default_rng(5)
    first = generator.random(3_000)
    lower = randomisation(first.tolist(), (first - 0.2 * generator.random(3_000)).tolist())
    assert lower.fall < 0.001
    assert lower.rise > 0.999


@given(pairs)
def test_the_interval_is_that_of_the_bootstrap_of_the_metrics(rows: list[tuple[float, float]]):
    first, second = (np.array(column) for column in columns(rows))
    names = [f"{n:02}" for n in range(len(rows))]
    known = paired_bootstrap(
        lambda drawn: float(second[drawn].mean()), lambda drawn: float(first[drawn].mean()), names, resamples=50
    )
    found = difference_interval(first.tolist(), second.tolist(), resamples=50)
    assert found == pytest.approx((known.low, known.high))


def test_the_interval_of_a_percentile_holds_a_shift_of_all_cases():
    first = [float(n) for n in range(100)]
    low, high = difference_interval(first, [value + 7 for value in first], "p95")
    assert (low, high) == pytest.approx((7, 7))


def test_an_interval_of_nothing_is_refused():
    with pytest.raises(ValueError, match="needs values"):
        difference_interval([], [])


def test_a_statistic_of_all_cases_together_cannot_be_had_from_values():
    with pytest.raises(ValueError, match="cannot be had"):
        statistic_of([1.0], "other")


@given(st.lists(st.floats(0.0001, 1), min_size=1, max_size=8))
def test_holm_is_the_step_down_of_bonferroni(values: list[float]):
    adjusted = holm(values)
    # A second implementation, from the definition: reject in order while p ≤ α / (m - k).
    for alpha in (0.01, 0.05, 0.2, 0.5):
        rejected = set()
        for k, place in enumerate(sorted(range(len(values)), key=lambda n: values[n])):
            if values[place] * (len(values) - k) > alpha:
                break
            rejected.add(place)
        assert {n for n, value in enumerate(adjusted) if value <= alpha} == rejected
    assert all(value <= other <= 1 for value, other in zip(values, adjusted, strict=True))


@given(binary_pairs, st.sampled_from([0.05, 0.01]))
def test_the_smallest_fall_is_established_and_a_case_less_is_not(rows: list[tuple[float, float]], alpha: float):
    first, second = columns(rows)
    rises = sum(one < other for one, other in rows)
    smallest = smallest_fall(first, second, alpha)
    falls = round(smallest * len(rows)) + rises
    assert mcnemar(falls, rises).fall <= alpha < mcnemar(falls - 1, rises).fall


def test_the_smallest_fall_of_other_values_needs_noise():
    assert smallest_fall([0.5, 0.25], [0.5, 0.25], 0.05) is None
    generator = np.random.default_rng(2)
    first = generator.random(400)
    second = first + generator.normal(0, 0.1, 400)
    assert smallest_fall(first.tolist(), second.tolist(), 0.05) == pytest.approx(1.645 * 0.1 / 20, rel=0.1)
