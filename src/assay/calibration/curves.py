"""From a score to a probability, by a curve that was fitted on labelled data. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

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


@dataclass(frozen=True, slots=True)
class ClaimPolicy:
    """A logistic line over named inputs, and where its probability settles a claim.

    The probability that the claim is supported is sigmoid(shift + sum of weight x input); an input without a weight
    counts for nothing. From `supported` on the claim is supported, below `unsupported` it is not; in between nobody
    can tell. A claim that is not supported is contradicted where the checker's own probability of that is at least
    `contradicted`; None where that was too rare to tell. `assay.calibration.claims` fits all of it.

    >>> policy = ClaimPolicy({"words": 1.0, "network": 0.5}, 0.0, 0.8, 0.1, 0.9)
    >>> policy.probability({"words": 0.0, "network": 0.0, "length": 12.0})
    0.5
    """

    weights: Mapping[str, float]
    shift: float
    supported: float
    unsupported: float
    contradicted: float | None

    def contradicts(self, against: float) -> bool:
        """True if a claim that is not supported is contradicted, by the checker's own probability of that.

        >>> ClaimPolicy({"words": 1.0}, 0.0, 0.8, 0.1, None).contradicts(1.0)
        False
        """
        return self.contradicted is not None and against >= self.contradicted

    def probability(self, inputs: Mapping[str, float]) -> float:
        """The probability, 0 to 1; raises KeyError where an input that has a weight is missing."""
        return sigmoid(self.shift + math.fsum(weight * inputs[name] for name, weight in self.weights.items()))

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """The policy as a manifest has it; raises KeyError, TypeError or ValueError where it is none."""
        weights = {str(name): float(weight) for name, weight in body["weights"].items()}
        supported, unsupported = float(body["supported"]), float(body["unsupported"])
        contradicted = None if body["contradicted"] is None else float(body["contradicted"])
        shift = float(body["shift"])
        if not weights or not all(map(math.isfinite, (shift, *weights.values()))):
            raise ValueError("a weight is no number")
        if not 0.0 <= unsupported <= supported <= 1.0 or not 0.0 <= (contradicted or 0.0) <= 1.0:
            raise ValueError("the bars are not in order")
        return cls(weights, shift, supported, unsupported, contradicted)


# The test that live signals still look like those that a calibration was fitted on. Pure.


# From how many live signals on the test is made, how many of the latest it reads, and the p-value of an alarm.
# With ever more signals any two collections differ; the latest fifty show what matters (docs/decisions/142).
LEAST, LATEST, ALARM = 50, 50, 0.01
# The judge's name for a run as it was fitted: with its embedding model and its reader, no language model asked.
FITTED_MODE = "fast (read)"
# The warning of an answer whose collection has raised the alarm.
SHIFTED = "the latest questions are unlike those it was measured on"
# Terms of the series after which the next is below 1e-16 wherever the sum is used.
_TERMS = 100


@dataclass(frozen=True, slots=True)
class TwoSample:
    """The largest distance of two distributions, 0 to 1, and how likely one as large is by chance."""

    distance: float
    p: float


def kolmogorov_smirnov(first: Sequence[float], second: Sequence[float]) -> TwoSample:
    """The two-sample test of Kolmogorov and Smirnov, p by the asymptotic distribution (Stephens 1970).

    Ties make it cautious. Raises ValueError where a sample is empty.

    >>> kolmogorov_smirnov([1.0, 2.0], [1.0, 2.0])
    TwoSample(distance=0.0, p=1.0)
    """
    if not first or not second:
        raise ValueError("the test needs two samples")
    one, two = sorted(first), sorted(second)
    distance = max(abs(bisect_right(one, at) / len(one) - bisect_right(two, at) / len(two)) for at in (*one, *two))
    return TwoSample(distance, _survival(math.sqrt(len(one) * len(two) / (len(one) + len(two))) * distance))


def has_shifted(live: Sequence[float], fitted: Sequence[float]) -> bool:
    """True if the latest live signals, the newest last, come from elsewhere than those of the fit.

    >>> has_shifted([0.9] * 49, [0.1] * 200), has_shifted([0.9] * 50, [0.1] * 200)
    (False, True)
    """
    return len(live) >= LEAST and kolmogorov_smirnov(live[-LATEST:], fitted).p < ALARM


def _survival(value: float) -> float:
    """The chance of a larger value under Kolmogorov's distribution."""
    if value < 0.2:  # the series converges slowly where the chance is 1 to twelve digits
        return 1.0
    terms = ((1 if n % 2 else -1) * math.exp(-2 * (n * value) ** 2) for n in range(1, _TERMS))
    return min(1.0, max(0.0, 2 * sum(terms)))
