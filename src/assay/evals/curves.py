"""Fitting the curves that turn scores into probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.calibration.curves import Isotonic, Logistic

_STEPS = 100


def isotonic(scores: Sequence[float], happened: Sequence[bool], weights: Sequence[float] | None = None) -> Isotonic:
    """The never-falling step function nearest to the outcomes (pool adjacent violators, Ayer et al. 1955).

    Each step is kept as its two ends, so that a score between two steps is read in proportion. `weights`, above 0,
    say how much each row counts. Raises ValueError unless both outcomes are there.

    >>> isotonic([0.1, 0.2, 0.3], [False, True, True])
    Isotonic(scores=(0.1, 0.2, 0.3), probabilities=(0.0, 1.0, 1.0))
    """
    _require_both(happened)
    values, inverse = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    counts = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64)
    mass = np.bincount(inverse, counts)
    steps: list[_Step] = []
    for at, share in enumerate(np.bincount(inverse, counts * np.asarray(happened, dtype=np.float64)) / mass):
        steps.append(_Step(at, at, float(mass[at]), float(share)))
        while len(steps) > 1 and steps[-2].share >= steps[-1].share:
            last = steps.pop()
            steps.append(steps.pop().joined(last))
    ends = [(at, step.share) for step in steps for at in sorted({step.first, step.last})]
    return Isotonic(tuple(float(values[at]) for at, _ in ends), tuple(share for _, share in ends))


class _Step:
    """A run of score values, by their numbers, that share one probability."""

    __slots__ = ("first", "last", "mass", "share")

    def __init__(self, first: int, last: int, mass: float, share: float) -> None:
        self.first, self.last, self.mass, self.share = first, last, mass, share

    def joined(self, after: _Step) -> _Step:
        mass = self.mass + after.mass
        return _Step(self.first, after.last, mass, (self.mass * self.share + after.mass * after.share) / mass)


def logistic(scores: Sequence[float], happened: Sequence[bool], weights: Sequence[float] | None = None) -> Logistic:
    """The logistic curve of the highest likelihood, with Platt's softened targets (Platt 1999), by Newton's method.

    The targets are (N+ + 1) / (N+ + 2) and 1 / (N- + 2), so that separable rows have a finite curve too. Raises
    ValueError unless both outcomes are there.
    """
    _require_both(happened)
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(happened, dtype=bool)
    counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    targets = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    design = np.stack([values, np.ones(len(values))], axis=1)
    point, loss = np.zeros(2), np.inf
    for _ in range(_STEPS):
        raw = design @ point
        chances = 1 / (1 + np.exp(-np.clip(raw, -500, 500)))
        slope = design.T @ (counts * (chances - targets))
        bend = (design.T * (counts * np.maximum(chances * (1 - chances), 1e-12))) @ design + 1e-12 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        now = _loss(design @ (point - step), targets, counts)
        while now > loss and np.abs(step).max() > 1e-12:
            step /= 2
            now = _loss(design @ (point - step), targets, counts)
        point, before, loss = point - step, loss, now
        if before - loss < 1e-12:
            break
    return Logistic(slope=float(point[0]), intercept=float(point[1]))


def _loss(raw: np.ndarray, targets: np.ndarray, counts: np.ndarray) -> float:
    return float((counts * (np.logaddexp(0, raw) - targets * raw)).sum())


def _require_both(happened: Sequence[bool]) -> None:
    if len(set(map(bool, happened))) < 2:
        raise ValueError("a calibration needs rows of both outcomes")
