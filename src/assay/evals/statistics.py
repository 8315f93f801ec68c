"""Paired statistics: whether two systems differ on the same cases by more than chance makes them differ.

`first` and `second` are the values of the two systems, case for case; a case that was asked several times has one
value, the mean over its repeats, since the repeats of a case are not independent of one another.

All p values are mid-p: what is exactly as far off as the finding counts half. On so few cases as differ between two
versions, counting it whole would waste half of the 5 % that a test may err in (Lancaster 1961; Fagerland, Lydersen
and Laake 2013 recommend it for McNemar's test).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from assay.calibration.risk_guarantee import binomial_tail
from assay.evals.metrics.metric import Statistic
from assay.types import Value

Floats = NDArray[np.float64]

# Up to so many cases that differ, every swap is counted. Beyond, this many are drawn, fewer for many cases, but
# never fewer than the last (chosen): a p value of .05 is then known to within .005, and .014.
_ALL_SWAPS, _SWAPS, _FEWEST_SWAPS = 12, 10_000, 1_000
_RESAMPLES = 1_000
# Numbers that are drawn in all for one test, and held at one time.
_DRAWN, _AT_ONCE = 10_000_000, 2_000_000


@dataclass(frozen=True, slots=True)
class PairedTest(Value):
    """Probability that chance alone puts the second system this far below the first, and this far above it.

    `fall` and `rise` are one-sided mid-p values, above 0 and below 1; `name` says by which test.
    """

    name: str
    fall: float
    rise: float

    @property
    def either(self) -> float:
        """The two-sided p value: twice the smaller one, at most 1.

        >>> PairedTest("McNemar", 0.02, 0.99).either
        0.04
        """
        return min(1.0, 2 * min(self.fall, self.rise))


def paired_test(first: Sequence[float], second: Sequence[float], statistic: Statistic = "mean") -> PairedTest:
    """McNemar's test of two means of 0 and 1, else the randomisation test.

    >>> paired_test([1, 1, 0], [0, 1, 0]).name, paired_test([0.5, 1], [0.25, 1]).name
    ('McNemar', 'randomisation')
    """
    if statistic == "mean" and _are_binary(first, second):
        return mcnemar(*_changed(first, second))
    return randomisation(first, second, statistic)


def mcnemar(lower: int, higher: int) -> PairedTest:
    """McNemar's test of two shares of the same cases (McNemar 1947), by its exact distribution.

    `lower` counts the cases that are 1 in the first system only, `higher` those that are 1 in the second only. If
    the systems do not differ, such a case is as likely to be the one as the other, so `lower` is binomial with a
    chance of one half.

    >>> round(mcnemar(9, 0).fall, 5), mcnemar(0, 0).either
    (0.00098, 1.0)
    """
    return PairedTest("McNemar", _middle_tail(higher, lower + higher), _middle_tail(lower, lower + higher))


def _middle_tail(most: int, trials: int) -> float:
    """The chance of fewer than `most` heads of a coin, and half of that of exactly so many."""
    if not trials:
        return 0.5
    below = binomial_tail(most - 1, trials, 0.5) if most else 0.0
    return (below + binomial_tail(most, trials, 0.5)) / 2


def randomisation(
    first: Sequence[float], second: Sequence[float], statistic: Statistic = "mean", *, seed: int = 0
) -> PairedTest:
    """The randomisation test of paired values (Fisher 1935; Smucker, Allan and Carterette 2007).

    If the systems do not differ, either of them could have given either value of a case. So both values of each
    case are swapped or not, and it is counted how often the difference of the statistic is as far off as the one
    that was found. Every way to swap is counted where at most 12 cases differ; otherwise ways are drawn, and the
    one that was found counts as one of them (Phipson and Smyth 2010). On 0 and 1 it is McNemar's test.

    >>> randomisation([1.0, 1.0, 1.0, 0.5], [0.0, 0.0, 0.0, 0.5]).fall
    0.0625
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    differing = np.flatnonzero(one != other)
    if not len(differing):
        return PairedTest("randomisation", 0.5, 0.5)
    found = float(_statistic(other, statistic) - _statistic(one, statistic))
    slack = 1e-9 * float(np.abs(other - one).max())  # differences that are equal but for rounding
    fall = rise = 0.0
    total = 0
    for swapped in _swaps(len(differing), len(one), seed):
        if statistic == "mean":
            differences = (1.0 - 2.0 * swapped) @ (other - one)[differing] / len(one)
        else:
            below, above = np.tile(one, (len(swapped), 1)), np.tile(other, (len(swapped), 1))
            below[:, differing] = np.where(swapped, other[differing], one[differing])
            above[:, differing] = np.where(swapped, one[differing], other[differing])
            differences = _statistic(above, statistic) - _statistic(below, statistic)
        lower, higher = int((differences < found - slack).sum()), int((differences > found + slack).sum())
        equal = len(swapped) - lower - higher
        fall, rise, total = fall + lower + equal / 2, rise + higher + equal / 2, total + len(swapped)
    if len(differing) > _ALL_SWAPS:
        fall, rise, total = fall + 0.5, rise + 0.5, total + 1
    return PairedTest("randomisation", fall / total, rise / total)


def difference_interval(
    first: Sequence[float],
    second: Sequence[float],
    statistic: Statistic = "mean",
    *,
    resamples: int = _RESAMPLES,
    level: float = 0.95,
) -> tuple[float, float]:
    """Percentile interval of the statistic of `second` less that of `first` (Efron and Tibshirani 1993).

    The paired bootstrap over cases: `metrics.paired_bootstrap` with all resamples drawn at once, which takes a
    tenth of its time. Raises ValueError without values.

    >>> difference_interval([0.0, 0.5, 0.5], [0.5, 1.0, 1.0])
    (0.5, 0.5)
    """
    if not len(first):
        raise ValueError("an interval needs values")
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if np.array_equal(one, other):
        return 0.0, 0.0
    generator = np.random.default_rng(0)
    differences: list[Floats] = []
    for count in _parts(resamples, len(one)):
        rows = generator.integers(0, len(one), (count, len(one)))
        if statistic == "mean":
            differences.append((other - one)[rows].mean(axis=1))
        else:
            differences.append(_statistic(other[rows], statistic) - _statistic(one[rows], statistic))
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(np.concatenate(differences), [tail, 100 - tail])
    return float(low), float(high)


def smallest_fall(first: Sequence[float], second: Sequence[float], alpha: float) -> float | None:
    """The smallest fall of the mean that a test at `alpha` could tell from the noise of these pairs.

    Of 0 and 1: as many cases rise as now, and just enough fall. Otherwise the normal approximation z·s/√n, with s
    the standard deviation of the differences; None where no case differs, since that says nothing of the noise.

    >>> smallest_fall([1] * 100, [1] * 100, 0.05)
    0.04
    """
    if _are_binary(first, second):
        _, higher = _changed(first, second)
        lower = higher
        while mcnemar(lower, higher).fall > alpha:
            lower += 1
        return (lower - higher) / len(first)
    differences = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if len(differences) < 2 or not differences.any():
        return None
    return NormalDist().inv_cdf(1 - alpha) * float(differences.std(ddof=1)) / math.sqrt(len(differences))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """The p values adjusted for being several, in their order (Holm 1979).

    Where no difference is real, the chance that any adjusted value is at most α is itself at most α.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return tuple(adjusted)


def statistic_of(values: Sequence[float], statistic: Statistic) -> float:
    """The mean or the percentile of the values.

    >>> statistic_of([1.0, 2.0, 6.0], "mean"), statistic_of([1.0, 2.0, 6.0], "p50")
    (3.0, 2.0)
    """
    return float(_statistic(np.asarray(values, dtype=np.float64), statistic))


def _statistic(values: Floats, statistic: Statistic) -> Floats:
    """The statistic along the last axis."""
    if statistic == "mean":
        return np.asarray(values.mean(axis=-1))
    if statistic == "other":
        raise ValueError("this statistic cannot be had from the values of the cases")
    return np.asarray(np.percentile(values, int(statistic[1:]), axis=-1))


def _are_binary(first: Sequence[float], second: Sequence[float]) -> bool:
    return {*first, *second} <= {0.0, 1.0}


def _changed(first: Sequence[float], second: Sequence[float]) -> tuple[int, int]:
    """Numbers of cases that are lower in the second system, and that are higher."""
    pairs = list(zip(first, second, strict=True))
    return sum(other < one for one, other in pairs), sum(other > one for one, other in pairs)


def _swaps(differing: int, cases: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Ways to swap the cases that differ, a row for each way."""
    if differing <= _ALL_SWAPS:
        yield (np.arange(2**differing)[:, None] >> np.arange(differing) & 1).astype(bool)
        return
    generator = np.random.default_rng(seed)
    for count in _parts(min(_SWAPS, max(_FEWEST_SWAPS, _DRAWN // cases)), cases):
        yield generator.integers(0, 2, (count, differing), dtype=np.int8).astype(bool)


def _parts(total: int, width: int) -> list[int]:
    """`total` rows of `width` numbers, in parts that are held at one time."""
    rows = max(1, _AT_ONCE // width)
    return [min(rows, total - start) for start in range(0, total, rows)]
