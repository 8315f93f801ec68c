from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.calibration.curves import has_shifted
from assay.calibration.fit import Fit, MadeFor
from assay.calibration.shipped import WEIGHTS, shipped, weights_behind
from assay.evals.fitting import PARTINGS, fit, fold_of

ORIGIN = MadeFor("e", "fast", "", "", "w")


@cache
def made(seed: int, rows: int) -> Fit:
    generator = np.random.default_rng(seed)
    scores = generator.random(rows)
    happened = generator.random(rows) < scores**2
    return fit("answers", "made up", ORIGIN, scores.tolist(), happened.tolist(), [str(n) for n in range(rows)])


@pytest.mark.parametrize("kind", sorted(WEIGHTS))
def test_what_ships_was_fitted_for_the_weights_that_ship(kind: str):
    found = shipped()[kind]
    assert found.made_for.weights == weights_behind(kind), "run benchmarks/calibration again"
    assert 0 <= found.measured.ece <= 0.05
    assert sum(each.n for each in found.measured.bins) == found.measured.n
    assert not has_shifted(found.reference[::4], found.reference)


@given(st.integers(0, 19))
def test_a_fit_is_read_as_it_was_written(seed: int):
    before = made(seed, 80)
    assert Fit.read(json.loads(json.dumps(before.to_dict()))) == before


def test_a_fit_of_enough_rows_is_near_the_truth():
    found = made(1, 4000)
    assert found.measured.ece < 0.03
    for score in (0.3, 0.6, 0.9):
        assert found.probability(score) == pytest.approx(score**2, abs=0.06)


@given(st.integers(0, 19))
def test_a_higher_score_is_never_less_likely(seed: int):
    found = made(seed, 80)
    values = [found.probability(each) for each in np.linspace(0, 1, 50)]
    assert values == sorted(values)
    assert 0 <= values[0] <= values[-1] <= 1


def test_one_outcome_is_refused():
    with pytest.raises(ValueError, match="both outcomes"):
        fit("answers", "", ORIGIN, [0.1, 0.2, 0.3], [True] * 3, ["a", "b", "c"])


def test_sets_count_alike_however_many_rows_they_have():
    generator = np.random.default_rng(3)
    scores = generator.random(900).tolist()
    sets = ["large"] * 600 + ["a"] * 100 + ["b"] * 100 + ["c"] * 100
    happened = (generator.random(900) < np.where(np.arange(900) < 600, 0.9, 0.3)).tolist()
    groups = [str(n) for n in range(900)]
    by_rows = fit("claims", "", ORIGIN, scores, happened, groups).probability(0.5)
    by_sets = fit("claims", "", ORIGIN, scores, happened, groups, sets=sets).probability(0.5)
    assert by_rows == pytest.approx(0.7, abs=0.06)
    assert by_sets == pytest.approx((0.9 + 3 * 0.3) / 4, abs=0.06)


def test_a_few_scores_of_exactly_one_do_not_bend_the_curve():
    generator = np.random.default_rng(4)
    scores = [*generator.random(1000).tolist(), *[1.0] * 60]
    happened = [*(generator.random(1000) < 0.5).tolist(), *[True] * 60]
    found = fit("claims", "", ORIGIN, scores, happened, [str(n) for n in range(1060)], sets=["a", "b"] * 530)
    assert found.probability(0.3) == pytest.approx(0.5, abs=0.1)


def test_the_error_is_that_of_several_partings_so_that_no_single_one_decides():
    generator = np.random.default_rng(5)
    scores = generator.random(300).tolist()
    happened = (generator.random(300) < scores).tolist()

    renamed = ([f"{name}:{n}" for n in range(300)] for name in range(6))
    errors = [fit("answers", "", ORIGIN, scores, happened, groups).measured.ece for groups in renamed]
    assert max(errors) - min(errors) < 0.03


def test_few_rows_are_fitted_where_only_another_parting_leaves_one_outcome():
    groups = [f"a{n}" for n in range(20)]
    right = [n in (0, 1) for n in range(20)]
    first = [fold_of(group) for group in groups]
    assert len({fold for fold, each in zip(first, right, strict=True) if each}) > 1
    assert any(fold_of("a0", at) == fold_of("a1", at) for at in range(1, PARTINGS))
    assert fit("answers", "", ORIGIN, [n / 20 for n in range(20)], right, groups).measured.n == 20
