"""The line is the one of the least loss, and the bars keep their aims on claims that they did not see."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.calibration.claims import PENALTY, Aims, Bars, balanced, bars, line

UNSEEN = Aims(0.03, 0.06, 0.9)
NAMES = ("checker", "failed", "overlap")


def drawn(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three inputs, of which the second speaks for a claim though it must not, and labels."""
    draw = np.random.default_rng(seed)
    x = np.stack([3 * draw.standard_normal(n), draw.random(n) < 0.3, draw.random(n)], 1)
    return x, draw.random(n) < 1 / (1 + np.exp(-(0.8 * x[:, 0] + 0.9 * x[:, 1] - 1.5 * x[:, 2] + 0.4)))


def rows_of(x: np.ndarray) -> list[dict[str, float]]:
    return [dict(zip(NAMES, row, strict=True)) for row in x.tolist()]


@pytest.mark.parametrize("never_above", [(), ("failed",)])
def test_the_line_is_that_of_another_optimiser(never_above: tuple[str, ...]) -> None:
    x, y = drawn()
    w = balanced(y)
    scale = x.std(0)

    def lost(beta: np.ndarray) -> tuple[float, np.ndarray]:
        z = x / scale @ beta[:-1] + beta[-1]
        slope = w * (1 / (1 + np.exp(-z)) - y)
        value = (w * (np.logaddexp(0, z) - y * z)).sum() + PENALTY * (beta[:-1] ** 2).sum()
        return value, np.append((x / scale).T @ slope + 2 * PENALTY * beta[:-1], slope.sum())

    limits = [(None, 0.0 if name in never_above else None) for name in NAMES]
    options = {"ftol": 1e-15, "gtol": 1e-10}
    best = minimize(
        lost, np.zeros(4), jac=True, method="L-BFGS-B", bounds=[*limits, (None, None)], options=options
    ).x
    found = line(rows_of(x), y, w, never_above=never_above)
    assert [found.weights[name] for name in NAMES] == pytest.approx(best[:-1] / scale, abs=1e-5)
    assert found.shift == pytest.approx(best[-1], abs=1e-5)
    assert (found.weights["failed"] > 0.1) is not bool(never_above)


def test_an_input_that_never_differs_weighs_nothing() -> None:
    x, y = drawn()
    x[:, 1] = 1.0
    assert set(line(rows_of(x), y, balanced(y)).weights) == {"checker", "overlap"}
    with pytest.raises(ValueError, match="measure alike"):
        line(rows_of(np.ones((4, 3))), np.array([True, True, False, False]), np.full(4, 0.25))


def test_labels_of_one_kind_fit_nothing() -> None:
    with pytest.raises(ValueError, match="all true or all false"):
        balanced(np.ones(4, bool))


def found_bars(
    p: np.ndarray, true: np.ndarray, against: np.ndarray | None = None, aims: Aims = UNSEEN, **more: np.ndarray
) -> Bars:
    none = np.zeros(len(p), bool)
    said = np.zeros(len(p)) if against is None else against
    return bars(p, true, more.get("wrong", none), said, more.get("vetoed", none), aims)


def test_of_claims_to_come_no_more_than_the_aims_pass_and_are_flagged() -> None:
    draw = np.random.default_rng(1)
    passed, flagged = [], []
    for _ in range(400):
        true = np.arange(120) < 40
        found = found_bars(draw.normal(np.where(true, 0.6, 0.4), 0.15).clip(0, 1), true)
        passed.append((draw.normal(0.4, 0.15, 500) >= found.supported).mean())
        flagged.append((draw.normal(0.6, 0.15, 500) < found.unsupported).mean())
    assert 0.02 < np.mean(passed) <= 0.03
    assert 0.03 < np.mean(flagged) <= 0.06


def test_of_several_alike_none_pass_where_not_all_may() -> None:
    true = np.arange(140) < 40
    p = np.where(true, 0.9, 0.2)
    p[40:60] = 0.95
    assert found_bars(p, true).supported > 0.95
    assert found_bars(p, true, vetoed=(p == 0.95)).supported < 0.9


def test_bars_that_cross_meet_in_the_middle() -> None:
    true = np.arange(140) < 40
    found = found_bars(np.where(true, 0.8, 0.2), true)
    assert found.supported == found.unsupported == pytest.approx(0.5)


@pytest.mark.parametrize(("true", "false", "what"), [(10, 100, "too few true"), (40, 30, "too few false")])
def test_too_few_claims_for_a_share_are_told(true: int, false: int, what: str) -> None:
    labels = np.arange(true + false) < true
    with pytest.raises(ValueError, match=what):
        found_bars(np.where(labels, 0.8, 0.2), labels)


def test_false_claims_that_are_as_likely_as_can_be_leave_no_bar() -> None:
    true = np.arange(140) < 40
    with pytest.raises(ValueError, match="as likely as can be"):
        found_bars(np.ones(140), true)


@pytest.mark.parametrize(
    ("flagged", "wrong", "contradicted"),
    [(21, 21, None), (22, 22, 0.8), (60, 58, 0.8), (60, 50, None)],
)
def test_contradicted_takes_enough_flagged_claims_that_are_so(
    flagged: int, wrong: int, contradicted: float | None
) -> None:
    true = np.arange(200) < 100
    p, against = np.where(true, 0.8, 0.2), np.zeros(200)
    against[100 : 100 + flagged] = 0.8
    so = np.zeros(200, bool)
    so[100 : 100 + wrong] = True
    assert found_bars(p, true, against, wrong=so).contradicted == contradicted


def test_what_the_checker_finds_unlikely_is_never_called_contradicted() -> None:
    true = np.arange(200) < 100
    p = np.where(true, 0.8, 0.2)
    assert found_bars(p, true, np.full(200, 0.4), wrong=~true).contradicted is None


def test_with_thousands_of_claims_the_aims_hold_for_these_themselves() -> None:
    draw = np.random.default_rng(2)
    true = np.arange(3000) < 1000
    p = draw.normal(np.where(true, 0.55, 0.45), 0.1).clip(0, 1)
    found = found_bars(p, true, aims=Aims(0.028, 0.04, 0.9, unseen=False))
    assert found.supported == np.sort(p[~true])[::-1][int(0.028 * 2000)]
    assert found.unsupported == np.quantile(p[true], 0.04)
