from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from assay.calibration.fit import Rung
from assay.calibration.risk_guarantee import STRICTEST, best_guarantee, binomial_tail, guarantee
from assay.evals.fitting import ladder, oracle_share, realised


@given(st.integers(0, 400), st.integers(1, 400), st.floats(0.001, 0.999))
def test_the_binomial_tail_agrees_with_scipy(most, trials, chance):
    assert binomial_tail(most, trials, chance) == pytest.approx(binom.cdf(most, trials, chance), abs=1e-9)


rows = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=300)


@given(rows, st.sampled_from([0.05, 0.1, 0.2, 0.5]))
def test_a_promise_is_borne_out_by_its_rows(made, risk):
    scores, wrong = [float(score) for score, _ in made], [fault for _, fault in made]
    found = guarantee(ladder(scores, wrong), risk)
    if found is not None:
        there = realised(scores, wrong, found.threshold)
        assert (there.shown, there.wrong) == (found.shown, found.wrong)
        assert there.wrong <= risk * there.shown
        assert found.share <= oracle_share(scores, wrong, risk)


@given(rows)
def test_the_ladder_counts_every_row_once(made):
    scores, wrong = [float(score) for score, _ in made], [fault for _, fault in made]
    steps = ladder(scores, wrong, rungs=7)
    assert (steps[-1].shown, steps[-1].wrong) == (len(made), sum(wrong))
    assert all(each.shown == sum(score >= each.score for score in scores) for each in steps)


@given(rows)
def test_the_best_promise_is_the_least(made):
    steps = ladder([float(score) for score, _ in made], [fault for _, fault in made])
    best = best_guarantee(steps)
    assert best is None or best.risk < 0.02 or guarantee(steps, best.risk - 0.01) is None


def test_a_promise_is_kept_nine_times_of_ten():
    generator = np.random.default_rng(5)
    scores = generator.random(400_000)
    wrong = generator.random(400_000) > 0.5 + scores / 2
    broken = 0
    for _ in range(200):
        chosen = generator.integers(0, len(scores), 600)
        found = guarantee(ladder(scores[chosen], wrong[chosen]), 0.1)
        if found is not None:
            there = realised(scores, wrong, found.threshold)
            broken += there.wrong > 0.1 * there.shown
    assert broken <= 29  # 20 are expected at most; 29 is 2 standard deviations above


def test_rows_of_one_group_count_as_fewer():
    scores, wrong = [0.9] * 100, [True] * 5 + [False] * 95
    alone = guarantee(ladder(scores, wrong), 0.15)
    together = ladder(scores, wrong, [str(n // 5) for n in range(100)])
    assert alone is not None
    assert together[-1].design == pytest.approx(5.0, abs=0.3)
    assert guarantee(together, 0.15) is None


def test_one_bad_row_at_the_top_does_not_end_it():
    scores = [1.0] * 40 + [0.5] * 400
    wrong = [True] * 20 + [False] * 420
    assert guarantee(ladder(scores, wrong), 0.1).threshold == 0.5


def test_scores_that_tell_nothing_promise_nothing():
    assert guarantee(ladder([0.5] * 400, [True, False] * 200), 0.2) is None
    assert best_guarantee(ladder([0.5] * 400, [True, False] * 200)).risk == pytest.approx(0.56, abs=0.02)


def test_one_start_has_all_of_the_doubt_and_ends_at_its_first_bad_step():
    sure_on_top = [Rung(1.0, 60, 1), Rung(0.9, 90, 40), Rung(0.8, 400, 50)]
    one, three = guarantee(sure_on_top, 0.15, starts=STRICTEST), guarantee(sure_on_top, 0.15)
    assert (one and one.threshold, three and three.threshold) == (1.0, 1.0)
    assert guarantee([Rung(1.0, 60, 4)], 0.15, starts=STRICTEST) is not None
    assert guarantee([Rung(1.0, 60, 4)], 0.15) is None
