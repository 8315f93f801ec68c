"""What a checker says of a claim and what is known without it make one probability; how much of it settles what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay.calibration.curves import sigmoid


@dataclass(frozen=True, slots=True)
class ClaimPolicy:
    """A logistic line over named inputs, and where its probability settles a claim.

    The probability that the claim is borne out is sigmoid(shift + sum of weight x input); an input without a weight
    counts for nothing. From `supported` on the claim is supported, below `unsupported` it is not; in between nobody
    can tell. A claim that is not borne out is contradicted where the checker's own probability of that is at least
    `contradicted`; None where that was too rare to tell. `claim_fit` fits all of it.

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
        """Whether a claim that is not borne out is contradicted, by the checker's own probability of that.

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
