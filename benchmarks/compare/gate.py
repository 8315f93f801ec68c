"""How often the gate of `assay compare` catches a planted regression, and passes a pair that did not change.

.venv/bin/python benchmarks/compare/gate.py

Each comparison is of 300 questions, of which seven in ten are answered right; the outcomes are simulated, the tests
and the gate are the program's own. Noise is the share of questions on which two runs of one version differ: twice
as many are right in half of their runs. A planted regression turns as many right and steady questions wrong as are
the points. Nothing else differs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.evals.gate import ALPHA, GatedPairs, Requirement, rule
from assay.evals.statistics import difference_interval, paired_test

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import write_result

Values = NDArray[np.float64]
QUESTIONS, RIGHT = 300, 0.7
NOISE = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.10)
POINTS = (0, 1, 2, 3, 5)
TRIALS, FEW = 4_000, 500
# The bar is in twenties: 20 of 20 regressions caught, 19 of 20 unchanged pairs passed.
OF = 20
FALL = Requirement("right", "fall", 1, "points")


def outcomes(
    noise: float, points: float, repeats: int, random: np.random.Generator, questions: int = QUESTIONS
) -> tuple[Values, Values]:
    """The mean over its repeats of each question's outcome, in both versions."""
    steady = (random.random(questions) < RIGHT).astype(float)
    before = np.where(random.random(questions) < 2 * noise, 0.5, steady)
    after = before.copy()
    after[random.choice(np.flatnonzero(before == 1), round(points * questions / 100), replace=False)] = 0.0
    first, second = ((random.random((repeats, questions)) < chance).mean(axis=0) for chance in (before, after))
    return first, second


def shares_of_claims(
    noise: float, points: float, repeats: int, random: np.random.Generator, questions: int = QUESTIONS
) -> tuple[Values, Values]:
    """The share of supported claims of each answer of one to five; an unsteady one has a claim more or less."""
    claims = random.integers(1, 6, questions)
    unsteady = random.random(questions) < 2 * noise
    steady = np.where(random.random(questions) < RIGHT, 1.0, 0.5)
    lost = random.choice(np.flatnonzero((steady == 1) & ~unsteady), round(points * questions / 100), replace=False)

    def run() -> Values:
        return steady - unsteady * (random.random((repeats, questions)) < 0.5).mean(axis=0) * 0.5 / claims

    first, second = run(), run()
    second[lost] = 0.0
    return first, second


def is_kept(values: dict[str, tuple[Values, Values]], requirements: tuple[Requirement, ...]) -> bool:
    """Whether the program's gate passes these pairs."""
    pairs = {}
    for name, (first, second) in values.items():
        test = paired_test(first.tolist(), second.tolist())
        means = float(first.mean()), float(second.mean())
        pairs[name] = GatedPairs(tuple(first.tolist()), tuple(second.tolist()), *means, test)
    return rule(requirements, pairs).passed


def by_gate(first: Values, second: Values) -> bool:
    """The program's rule: the fall is above the limit, and established."""
    return is_kept({"right": (first, second)}, (FALL,))


def by_difference(first: Values, second: Values) -> bool:
    """A rule without a test: the fall is not above the limit."""
    return float(first.mean() - second.mean()) <= 0.01 + 1e-9


def by_interval(first: Values, second: Values) -> bool:
    """A stricter rule: the fall is established to be above the limit, by its one-sided interval of 95 %."""
    _, high = difference_interval(first.tolist(), second.tolist(), level=1 - 2 * ALPHA, resamples=500)
    return high >= -0.01 - 1e-9


def caught(
    rule_of: Callable[[Values, Values], bool],
    noise: float,
    points: float,
    repeats: int = 1,
    trials: int = TRIALS,
    make: Callable[..., tuple[Values, Values]] = outcomes,
    questions: int = QUESTIONS,
) -> float:
    """The share of comparisons that do not pass."""
    random = np.random.default_rng([round(noise * 1000), round(points * 10), repeats])
    return sum(not rule_of(*make(noise, points, repeats, random, questions)) for _ in range(trials)) / trials


def twenties(noise: float, points: float, repeats: int = 1) -> str:
    """How many of twenty comparisons end as they should, one draw of the bar."""
    random = np.random.default_rng([7, round(noise * 1000), round(points * 10), repeats])
    failed = sum(not by_gate(*outcomes(noise, points, repeats, random)) for _ in range(OF))
    return f"{failed if points else OF - failed} of {OF}"


def several(noise: float, points: float, count: int) -> float:
    """The share of gates of several requirements that do not pass, of which the first is on what was planted."""
    random = np.random.default_rng([count, round(noise * 1000), round(points * 10)])
    names = [f"metric{n}" for n in range(count)]
    requirements = tuple(Requirement(name, "fall", 1, "points") for name in names)
    failed = 0
    for _ in range(FEW):
        values = {name: outcomes(noise, 0 if n else points, 1, random) for n, name in enumerate(names)}
        failed += not is_kept(values, requirements)
    return failed / FEW


def measured() -> dict[str, object]:
    """All tables: shares of comparisons in which the gate fails, by noise."""
    by_noise = {noise: f"{noise:.1%}" for noise in NOISE}
    return {
        "one run each, 300 questions": {
            shown: {f"{points} points": caught(by_gate, noise, points) for points in POINTS}
            for noise, shown in by_noise.items()
        },
        "twenty and twenty": {
            shown: {"3 points caught": twenties(noise, 3), "unchanged passed": twenties(noise, 0)}
            for noise, shown in by_noise.items()
        },
        "without a test": {
            shown: {f"{points} points": caught(by_difference, noise, points, trials=FEW) for points in (0, 3)}
            for noise, shown in by_noise.items()
        },
        "established beyond the limit": {
            shown: {f"{points} points": caught(by_interval, noise, points, trials=FEW) for points in (0, 3)}
            for noise, shown in by_noise.items()
        },
        "repeats": {
            by_noise[noise]: {
                f"{repeats} runs each": {
                    f"{points} points": caught(by_gate, noise, points, repeats, trials=FEW) for points in (0, 3)
                }
                for repeats in (3, 5, 9)
            }
            for noise in (0.01, 0.02, 0.05, 0.10)
        },
        "1,000 questions": {
            by_noise[noise]: {
                f"{points} points": caught(by_gate, noise, points, questions=1_000) for points in (0, 3)
            }
            for noise in (0.01, 0.02, 0.05, 0.10)
        },
        "several requirements": {
            by_noise[noise]: {
                f"{count} requirements": {f"{points} points": several(noise, points, count) for points in (0, 3)}
                for count in (2, 5)
            }
            for noise in (0.0, 0.01, 0.02, 0.05)
        },
        "shares of claims": {
            by_noise[noise]: {
                f"{points} points": caught(by_gate, noise, points, trials=FEW, make=shares_of_claims)
                for points in (0, 3)
            }
            for noise in (0.0, 0.01, 0.02, 0.05)
        },
    }


if __name__ == "__main__":
    write_result("compare", "gate", measured())
