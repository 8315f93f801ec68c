"""From what is measured of an answer to one signal of whether it is right. Pure.

The rules' score is the least of what must hold. Beside it counts what a reader makes of the passages and of the
answer itself, how much of the question the answer holds, and how far the nearest passage and the quoted place stand
out: where several are as near, the one that was quoted is more often not the one that answers (docs/decisions/150,
156 and 158).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, Self

from assay.calibration.curves import log_odds, sigmoid
from assay.types import AnswerReading

# A reader's log odds beyond these tell no more.
_MOST_ODDS = 4.0
FEATURES = ("score", "standing", "reader_best", "reader_second", "cosine_best", "odds", "held", "rarest", "apart")


@dataclass(frozen=True, slots=True)
class Rightness:
    """A weighted sum of `FEATURES`, and the signals from which on an answer counts as answering, or as not.

    `yes` is the least signal of an answer that answers the question, `no` the greatest of one that does not;
    between them nobody can tell.
    """

    weights: Mapping[str, float]
    intercept: float
    yes: float
    no: float

    def of(self, features: Mapping[str, float]) -> float:
        """The signal, 0 to 1; a feature that is missing counts 0.

        >>> Rightness({"odds": 1.0}, 0.0, 0.7, 0.1).of({"odds": 0.0})
        0.5
        """
        total = sum(weight * features.get(name, 0.0) for name, weight in self.weights.items())
        return sigmoid(total + self.intercept)

    @classmethod
    def read(cls, body: Mapping[str, object]) -> Self:
        """The weights as the file has them; raises KeyError or TypeError where one is missing."""
        weights = body["weights"]
        if not isinstance(weights, Mapping):
            raise TypeError("weights are no mapping")
        numbers = (float(str(body[name])) for name in ("intercept", "yes", "no"))
        return cls({str(name): float(weight) for name, weight in weights.items()}, *numbers)


def features(
    score: float, relevance: Mapping[str, float], signals: Mapping[str, float], reading: AnswerReading | None
) -> dict[str, float]:
    """The inputs of the signal: the rules' score, the judgement's numbers, and what a reader makes of the answer.

    A model's judgement has no numbers of a reader: then the answer's own odds stand for those of the best passage.

    Of 1,042 held-out answers without those numbers, 52 are marked so, 50 right; else 27, 25 right.

    >>> features(0.5, {"a": 0.75, "b": 0.5}, {"reader_best": 0.8}, AnswerReading(9.0, 1.0, 0.5))
    {'score': 0.0, 'standing': 0.25, 'reader_best': 0.8, 'odds': 4.0, 'held': 1.0, 'rarest': 0.5}
    >>> features(0.5, {"a": 0.75}, {}, AnswerReading(2.0, 1.0, 0.5))["reader_best"]
    0.75
    """
    told = {name: signals[name] for name in ("reader_best", "reader_second", "cosine_best") if name in signals}
    measured = {"score": log_odds(score), "standing": stands_out(relevance), **told}
    if reading is None:
        return measured
    odds = min(max(reading.odds, -_MOST_ODDS), _MOST_ODDS)
    measured.setdefault("reader_best", (odds + _MOST_ODDS) / (2 * _MOST_ODDS))
    apart = {} if reading.apart is None else {"apart": min(max(reading.apart, -_MOST_ODDS), _MOST_ODDS)}
    return {**measured, "odds": odds, "held": reading.held, "rarest": reading.rarest, **apart}


# From these probabilities that a quoted table row answers, it counts as answering, or as not: of the rows quoted in
# benchmarks/cells/asked.jsonl, 91 are right and 3 wrong above the first, 121 and 16 above .62.
ROW_YES, ROW_NO = 0.852, 0.08


def signal_of(
    rightness: Rightness,
    score: float,
    relevance: Mapping[str, float],
    signals: Mapping[str, float],
    reading: AnswerReading | None,
) -> tuple[float, Literal["yes", "unsure", "no"]]:
    """The signal of an answer, and whether it answers the question; a table row quoted has its own.

    >>> weighed = Rightness({"odds": 1.0}, 0.0, 0.7, 0.1)
    >>> signal_of(weighed, 0.5, {}, {}, AnswerReading(0.0, 1.0, 1.0))
    (0.5, 'unsure')
    >>> signal_of(weighed, 0.5, {}, {}, AnswerReading(0.0, 1.0, 1.0, row=4.0))[1]
    'yes'
    """
    if reading is not None and reading.row is not None:
        signal, yes, no = sigmoid(reading.row), ROW_YES, ROW_NO
    else:
        signal, yes, no = rightness.of(features(score, relevance, signals, reading)), rightness.yes, rightness.no
    return signal, "yes" if signal >= yes else "no" if signal <= no else "unsure"


@lru_cache(maxsize=2)
def shipped_rightness(*, read: bool) -> Rightness:
    """The shipped weights, with a reader or without one, made by benchmarks/calibration/answers.py."""
    body = json.loads((files("assay.calibration") / "rightness.json").read_text(encoding="utf-8"))
    return Rightness.read(body["read" if read else "plain"])


def stands_out(relevance: Mapping[str, float]) -> float:
    """Lead of the nearest passage over the next, 0 to 1; a lone one leads by all its nearness.

    >>> stands_out({"a": 0.75, "b": 0.5}), stands_out({"a": 0.75}), stands_out({})
    (0.25, 0.75, 0.0)
    """
    first, second = sorted((0.0, 0.0, *relevance.values()), reverse=True)[:2]
    return first - second
