"""Bootstrap of the difference between two systems on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference with its percentile interval; `below` means that all of the interval is under 0."""

    difference: float
    low: float
    high: float

    @property
    def below(self) -> bool:
        """True if the first system is measurably worse."""
        return self.high < 0


def paired_bootstrap(
    first: Callable[[Rows], float],
    second: Callable[[Rows], float],
    groups: Sequence[str],
    *,
    resamples: int = 1000,
) -> Interval:
    """The 95 % interval of `first(rows) - second(rows)` over resamples of whole groups (Efron and Tibshirani 1993).

    `groups` names each row's group; rows of one group are drawn together. Both statistics are given the same
    row numbers; a resample on which either raises ValueError (one class only) is left out. Raises ValueError
    when more than half are.

    >>> rows = ["a", "b", "c", "d"]
    >>> paired_bootstrap(lambda r: 1.0, lambda r: 0.5, rows, resamples=10)
    Interval(difference=0.5, low=0.5, high=0.5)
    """
    names, inverse = np.unique(np.asarray(groups), return_inverse=True)
    members = [np.flatnonzero(inverse.reshape(-1) == n) for n in range(len(names))]
    generator = np.random.default_rng(0)
    differences: list[float] = []
    for _ in range(resamples):
        drawn = generator.integers(0, len(names), len(names))
        rows = np.concatenate([members[n] for n in drawn])
        try:
            differences.append(first(rows) - second(rows))
        except ValueError:
            continue
    if len(differences) < resamples / 2:
        raise ValueError("more than half of the resamples hold one class only")
    everything = np.arange(len(inverse.reshape(-1)))
    low, high = np.percentile(differences, [2.5, 97.5])
    return Interval(first(everything) - second(everything), float(low), float(high))
