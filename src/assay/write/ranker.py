"""Which sentence answers: a linear score over `features`, fitted by benchmarks/answers/fit.py."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assay.write.features import NAMES


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights for `features.NAMES`, in that order."""

    weights: tuple[float, ...]

    def shares(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """How likely each row is the answer among these rows; the shares sum to 1.

        >>> Ranker((1.0,)).shares([[0.0], [0.0]])
        [0.5, 0.5]
        """
        return softmax([sum(w * x for w, x in zip(self.weights, row, strict=True)) for row in rows])


def softmax(scores: Sequence[float]) -> list[float]:
    """Exponentials of the scores, divided by their sum."""
    top = max(scores, default=0.0)
    raised = [math.exp(score - top) for score in scores]
    total = sum(raised)
    return [each / total for each in raised]


@cache
def fitted() -> Ranker:
    """The ranker whose weights ship with the package."""
    weights: Mapping[str, Any] = json.loads(files("assay.write").joinpath("sentence_ranker.json").read_text())
    return Ranker(tuple(float(weights["weights"][name]) for name in NAMES))
