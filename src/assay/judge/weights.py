"""The fitted weights: which signals count how much, and how their sum becomes a probability."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files

from assay.calibration import Logistic


@dataclass(frozen=True, slots=True)
class Model:
    """A weighted sum of signals and its calibration."""

    weights: Mapping[str, float]
    calibration: Logistic

    def sufficiency(self, signals: Mapping[str, float]) -> float:
        """The probability, 0 to 1, that evidence of these signals suffices; raises KeyError for one missing."""
        return self.calibration.probability(self.score(signals))

    def score(self, signals: Mapping[str, float]) -> float:
        """The weighted sum."""
        return sum(weight * signals[name] for name, weight in self.weights.items())


@dataclass(frozen=True, slots=True)
class Weights:
    """One model for each way in which evidence comes.

    `searched` is for passages that a search chose: all of them hold the question's words, so coverage says little
    there and nearness much. `given` is for passages that came without a search. Both have another model where a
    reader read the passages, too. `words` is for all of them where only words can be compared.
    """

    searched: Model
    given: Model
    words: Model
    searched_read: Model
    given_read: Model


@lru_cache(maxsize=1)
def fitted() -> Weights:
    """The shipped weights, made by benchmarks/judge/fit.py; their provenance stands in the file."""
    table = json.loads((files("assay.judge") / "weights.json").read_text(encoding="utf-8"))
    return Weights(**{part.name: _model(table[part.name]) for part in fields(Weights)})


def _model(table: Mapping[str, Mapping[str, float]]) -> Model:
    return Model(table["weights"], Logistic(**table["calibration"]))
