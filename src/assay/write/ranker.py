"""Which sentence answers: linear scores over `features`, fitted by benchmarks/answers/fit.py.

Where one passage answers, other things tell the right sentence than where the answer lies scattered over
several passages, so there are two rankings, mixed by how scattered the answer seems (a mixture of experts,
Jacobs et al. 1991).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assay.calibration import sigmoid
from assay.write.features import NAMES, SCATTER_NAMES, Reading


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights for `features.NAMES` twice and for `features.SCATTER_NAMES`, each in that order."""

    together: tuple[float, ...]
    apart: tuple[float, ...]
    scatter: tuple[float, ...]
    scatter_intercept: float

    def scattered(self, reading: Reading) -> float:
        """The probability that the answer lies scattered over several passages."""
        return sigmoid(self.scatter_intercept + _dot(self.scatter, reading.scatter))

    def shares(self, reading: Reading) -> list[float]:
        """How likely each candidate is the answer among them; the shares sum to 1."""
        scattered = self.scattered(reading)
        together = softmax([_dot(self.together, row) for row in reading.rows])
        apart = softmax([_dot(self.apart, row) for row in reading.rows])
        return [(1 - scattered) * one + scattered * other for one, other in zip(together, apart, strict=True)]


def _dot(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, row, strict=True))


def softmax(scores: Sequence[float]) -> list[float]:
    """Exponentials of the scores, divided by their sum.

    >>> softmax([7.0, 7.0])
    [0.5, 0.5]
    """
    top = max(scores, default=0.0)
    raised = [math.exp(score - top) for score in scores]
    total = sum(raised)
    return [each / total for each in raised]


@cache
def fitted() -> Ranker:
    """The ranker whose weights ship with the package."""
    stored: Mapping[str, Any] = json.loads(files("assay.write").joinpath("sentence_ranker.json").read_text())
    return Ranker(
        together=tuple(float(stored["together"][name]) for name in NAMES),
        apart=tuple(float(stored["apart"][name]) for name in NAMES),
        scatter=tuple(float(stored["scatter"][name]) for name in SCATTER_NAMES),
        scatter_intercept=float(stored["scatter_intercept"]),
    )
