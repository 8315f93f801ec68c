"""How well scores tell positives from negatives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.calibration.fit import Bin


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve, 0 to 1: the chance that a positive scores above a negative, ties half.

    By mid-ranks (Hanley and McNeil 1982). Raises ValueError unless both classes are there.

    >>> auroc([0.9, 0.4, 0.4], [True, True, False])
    0.75
    """
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if positives == 0 or negatives == 0:
        raise ValueError("auroc needs positives and negatives")
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks = middle[inverse.reshape(-1)]
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


# How sure a difference between two systems on the same rows is.


Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference with its percentile interval; `below` means that all of the interval is under 0."""

    difference: float
    low: float
    high: float

    @property
    def below(self) -> bool:
        """Whether the first system is measurably worse."""
        return self.high < 0


def paired_bootstrap(
    first: Callable[[Rows], float],
    second: Callable[[Rows], float],
    groups: Sequence[str],
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The interval of `first(rows) - second(rows)` over resamples of whole groups (Efron and Tibshirani 1993).

    `groups` names each row's group; rows of one group are drawn together. Both statistics are given the same
    row numbers; a resample on which either raises ValueError (one class only) is left out. Raises ValueError
    when more than half are.

    >>> rows = ["a", "b", "c", "d"]
    >>> paired_bootstrap(lambda r: 1.0, lambda r: 0.5, rows, resamples=10)
    Interval(difference=0.5, low=0.5, high=0.5)
    """
    names, inverse = np.unique(np.asarray(groups), return_inverse=True)
    members = [np.flatnonzero(inverse.reshape(-1) == n) for n in range(len(names))]
    generator = np.random.default_rng(seed)
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
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(differences, [tail, 100 - tail])
    return Interval(first(everything) - second(everything), float(low), float(high))


# How far stated probabilities are from what happened: reliability bins, debiased ECE and Brier score.


BINS = 10


def reliability(probabilities: Sequence[float], happened: Sequence[bool], bins: int = BINS) -> tuple[Bin, ...]:
    """The rows in order of their probability, cut into `bins` of equal size, least probable first.

    Rows of the same probability may fall into two bins; of fewer rows than bins each has its own. Raises
    ValueError without rows, or for a probability outside 0 to 1 or not a number.

    >>> reliability([0.1, 0.9], [False, True], bins=2)
    (Bin(n=1, predicted=0.1, observed=0.0), Bin(n=1, predicted=0.9, observed=1.0))
    """
    values, labels = np.asarray(probabilities, dtype=np.float64), np.asarray(happened, dtype=np.float64)
    if not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("reliability needs probabilities from 0 to 1")
    # Among equal probabilities the order of the rows must not matter: they are spread evenly by their label.
    order = np.lexsort((labels, _spread(values, labels), values))
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return tuple(Bin(len(part), float(values[part].mean()), float(labels[part].mean())) for part in parts)


def _spread(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each row its place, 0 to 1, among the rows of its probability and label."""
    places = np.zeros(len(values))
    for value in np.unique(values):
        for label in (0.0, 1.0):
            rows = np.flatnonzero((values == value) & (labels == label))
            places[rows] = (np.arange(len(rows)) + 0.5) / max(1, len(rows))
    return places


def debiased_ece(bins: Sequence[Bin]) -> float:
    """The root mean square calibration error, 0 to 1, without what chance adds to it in finite bins.

    Each bin's squared gap less the variance of its observed share, weighed by its rows, 0 where the sum is
    negative (Kumar, Liang and Ma 2019; "ECE debiased" of Roelofs et al. 2022). It is never below the expected
    absolute gap by more than chance. Raises ValueError unless a bin has two rows.

    >>> round(debiased_ece([Bin(n=100, predicted=0.7, observed=0.5)]), 4)
    0.1936
    """
    rows = sum(bin_.n for bin_ in bins if bin_.n > 1)
    if not rows:
        raise ValueError("a calibration error needs more than one row a bin")
    total = sum(bin_.n * _squared_gap(bin_) for bin_ in bins if bin_.n > 1)
    return float(max(0.0, total / rows) ** 0.5)


def _squared_gap(bin_: Bin) -> float:
    return (bin_.predicted - bin_.observed) ** 2 - bin_.observed * (1 - bin_.observed) / (bin_.n - 1)


def brier(probabilities: Sequence[float], happened: Sequence[bool]) -> float:
    """The mean squared difference of probability and outcome, 0 to 1 (Brier 1950). Raises ValueError without rows.

    >>> brier([0.5, 1.0], [True, True])
    0.125
    """
    if not len(probabilities):
        raise ValueError("a Brier score needs rows")
    gaps = np.asarray(probabilities, dtype=np.float64) - np.asarray(happened, dtype=np.float64)
    return float((gaps**2).mean())


# How good a ranking is: nDCG and recall at a depth.


def ndcg(ranked: Sequence[str], gains: Mapping[str, float], depth: int = 10) -> float:
    """Normalised discounted cumulative gain at `depth`, 0 to 1 (Järvelin and Kekäläinen 2002, linear gain).

    `gains` maps ids to relevance above 0; ids not in it gain nothing. Raises ValueError without gains.

    >>> round(ndcg(["b", "a"], {"a": 1.0}), 3)
    0.631
    """
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gains.values(), reverse=True)[:depth]))
    if ideal <= 0:
        raise ValueError("ndcg needs at least one relevant id")
    return sum(gains.get(item, 0.0) / math.log2(i + 2) for i, item in enumerate(ranked[:depth])) / ideal


def recall(ranked: Sequence[str], relevant: frozenset[str], depth: int = 100) -> float:
    """The share of the relevant ids among the first `depth`, 0 to 1. Raises ValueError without any.

    >>> recall(["b", "a"], frozenset("ac"), 2)
    0.5
    """
    if not relevant:
        raise ValueError("recall needs at least one relevant id")
    return len(relevant.intersection(ranked[:depth])) / len(relevant)


# What is gained by not answering: accuracy among the answered, as the threshold falls.


@dataclass(frozen=True, slots=True)
class SelectivePoint:
    """At `threshold`, the share that is answered and the share of those that is right, both 0 to 1."""

    threshold: float
    answered: float
    accuracy: float


def selective_accuracy(scores: Sequence[float], right: Sequence[bool]) -> tuple[SelectivePoint, ...]:
    """One point for each distinct score, highest first (El-Yaniv and Wiener 2010).

    >>> [(p.answered, p.accuracy) for p in selective_accuracy([0.9, 0.2], [True, False])]
    [(0.5, 1.0), (1.0, 0.5)]
    """
    values, hits = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
    points = []
    for threshold in np.unique(values)[::-1]:
        kept = values >= threshold
        points.append(SelectivePoint(float(threshold), float(kept.mean()), float(hits[kept].mean())))
    return tuple(points)
