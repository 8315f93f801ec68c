"""From a score to a probability, by a curve that was fitted on labelled data. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

# Scores nearer to 0 or 1 are read as this near: a few of exactly 1 would else bend a whole curve.
_EDGE = 1e-3


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


@dataclass(frozen=True, slots=True)
class Isotonic:
    """A line that never falls, through points given in the order of their scores, level before and after them.

    >>> Isotonic(scores=(0.2, 0.4), probabilities=(0.5, 1.0)).probability(0.3)
    0.75
    """

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]

    def probability(self, score: float) -> float:
        """The probability of a score, 0 to 1, never decreasing; between two points in proportion."""
        at = bisect_right(self.scores, score)
        if at == 0:
            return self.probabilities[0]
        if at == len(self.scores):
            return self.probabilities[-1]
        (left, right), (low, high) = self.scores[at - 1 : at + 1], self.probabilities[at - 1 : at + 1]
        return low + (high - low) * (score - left) / (right - left)


def sigmoid(value: float) -> float:
    """1 / (1 + e^-value) without overflow.

    >>> sigmoid(-1000.0), sigmoid(0.0)
    (0.0, 0.5)
    """
    if value < 0:
        grown = math.exp(max(value, -745.0))
        return grown / (1.0 + grown) if value > -745.0 else 0.0
    return 1.0 / (1.0 + math.exp(-value))


def log_odds(score: float) -> float:
    """The log odds of a score from 0 to 1, kept finite.

    >>> log_odds(0.5), round(log_odds(1.0), 1)
    (0.0, 6.9)
    """
    inner = min(1 - _EDGE, max(_EDGE, score))
    return math.log(inner / (1 - inner))
