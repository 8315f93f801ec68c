"""What is gained by not answering: accuracy among the answered, as the threshold falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
