"""What a grader's scores and what was known without them make together: one probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.calibration.curves import sigmoid


@dataclass(frozen=True, slots=True)
class Joining:
    """A logistic line over named inputs, most of them log odds.

    The probability is sigmoid(shift + sum of weight x input), as fitted by benchmarks/grader/joinings.py.

    >>> Joining({"words": 1.0, "network": 0.5}, 0.0).probability({"words": 0.0, "network": 0.0})
    0.5
    """

    weights: Mapping[str, float]
    shift: float

    def odds(self, inputs: Mapping[str, float]) -> float:
        """The log odds; raises KeyError for an input that is missing."""
        return self.shift + sum(weight * inputs[name] for name, weight in self.weights.items())

    def probability(self, inputs: Mapping[str, float]) -> float:
        """The probability, 0 to 1; raises KeyError for an input that is missing."""
        return sigmoid(self.odds(inputs))
