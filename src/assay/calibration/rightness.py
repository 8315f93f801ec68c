"""From what the rules say of an answer to one signal of whether it is right. Pure.

The rules' score is the least of what must hold. Beside it counts how far the nearest passage stands out: where
several are as near, the one that was quoted is more often not the one that answers (docs/decisions/150).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Self

from assay.calibration.curves import log_odds, sigmoid


@dataclass(frozen=True, slots=True)
class Rightness:
    """A weighted sum of the log odds of the rules' score and of how far one passage stands out."""

    score: float
    standing: float
    intercept: float

    def of(self, score: float, relevance: Mapping[str, float]) -> float:
        """The signal, 0 to 1, of an answer with the rules' score and its passages' relevance, both 0 to 1.

        >>> one, several = {"a": 0.9, "b": 0.1}, {"a": 0.9, "b": 0.9}
        >>> Rightness(0.5, 2.0, -1.0).of(0.9, one) > Rightness(0.5, 2.0, -1.0).of(0.9, several)
        True
        """
        return sigmoid(self.score * log_odds(score) + self.standing * stands_out(relevance) + self.intercept)

    @classmethod
    def read(cls, body: Mapping[str, float]) -> Self:
        """The weights as the file has them; raises KeyError where one is missing."""
        return cls(body["score"], body["standing"], body["intercept"])


@lru_cache(maxsize=1)
def shipped_rightness() -> Rightness:
    """The shipped weights, made by benchmarks/calibration/answers.py."""
    body = json.loads((files("assay.calibration") / "rightness.json").read_text(encoding="utf-8"))
    return Rightness.read(body["weights"])


def stands_out(relevance: Mapping[str, float]) -> float:
    """How much nearer the nearest passage is than the next, 0 to 1; a lone one stands out by all that it is near.

    >>> stands_out({"a": 0.75, "b": 0.5}), stands_out({"a": 0.75}), stands_out({})
    (0.25, 0.75, 0.0)
    """
    first, second = sorted((0.0, 0.0, *relevance.values()), reverse=True)[:2]
    return first - second
