"""Applying a fitted calibration: from a score to a probability. Pure; the fits are made in benchmarks/."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic calibration (Platt 1999): the probability is `sigmoid(slope * score + intercept)`.

    >>> Logistic(slope=1.0, intercept=0.0).probability(0.0)
    0.5
    """

    slope: float
    intercept: float

    def probability(self, score: float) -> float:
        """The probability of a raw score, unbounded on both sides; 0 to 1, never decreasing where slope >= 0."""
        return sigmoid(self.slope * score + self.intercept)


def sigmoid(value: float) -> float:
    """1 / (1 + e^-value) without overflow.

    >>> sigmoid(-1000.0), sigmoid(0.0)
    (0.0, 0.5)
    """
    if value < 0:
        grown = math.exp(max(value, -745.0))
        return grown / (1.0 + grown) if value > -745.0 else 0.0
    return 1.0 / (1.0 + math.exp(-value))
