"""Sentences that say that the sources do not tell something: "Whether pets are allowed isn't stated."

No source sentence bears such a statement out or speaks against it, though it denies something. Which sentences are
of this kind is learned (models/absence): a logistic model over runs of one to three words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from assay.calibration import sigmoid
from assay.text.tokens import words

# Words in a run at most.
LONGEST_RUN = 3


@dataclass(frozen=True, slots=True)
class Absence:
    """The fitted model: the log odds of a sentence are `bias` plus the `weights` of its runs.

    `bar` is the probability from which on a sentence counts as one.
    """

    bias: float
    bar: float
    weights: Mapping[str, float]

    def probability(self, text: str) -> float:
        """How likely the text is such a sentence, 0 to 1."""
        return sigmoid(self.bias + sum(self.weights.get(run, 0.0) for run in runs(text)))


def runs(text: str) -> frozenset[str]:
    """The runs of one to three words, with the text's beginning and end as words, and any number as 0.

    >>> sorted(runs("Paid 20"))
    ['0', '0 >', '<', '< paid', '< paid 0', '>', 'paid', 'paid 0', 'paid 0 >']
    """
    said = ["<", *("0" if each.isdigit() else each for each in words(text)), ">"]
    return frozenset(
        " ".join(said[at : at + length])
        for length in range(1, LONGEST_RUN + 1)
        for at in range(len(said) - length + 1)
    )


def tells_of_absence(text: str) -> bool:
    """Whether a sentence says that the sources do not tell something.

    >>> [tells_of_absence(each) for each in ("The passages do not mention the price.", "Prices do not change.")]
    [True, False]
    """
    model = _model()
    return model.probability(text) >= model.bar


@cache
def _model() -> Absence:
    return Absence(**json.loads(files("assay.verify").joinpath("absence.json").read_text(encoding="utf-8")))
