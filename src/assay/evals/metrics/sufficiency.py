"""How well scores tell positives from negatives, and what is gained by not answering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
