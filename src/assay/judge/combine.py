"""What a model's verdict makes of the fast judge's sufficiency. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Verdict = Literal["yes", "partial", "no"]

# How many times as often a model gives each verdict on enough evidence as on too little. They are those of a model
# that is right four times of five, and of a "partial" that leans to too little; not calibrated on any model.
LIKELIHOODS: Mapping[Verdict, float] = MappingProxyType({"yes": 4.0, "partial": 0.5, "no": 0.25})
# The odds where the fast judge measured nothing: even, so that the model alone decides.
_EVEN = 0.5


def combined(fast: float | None, verdict: Verdict, correct: float) -> float:
    """The sufficiency after the verdict, 0 to 1: Bayes' rule in odds, odds(after) = odds(fast) x likelihood.

    "yes" never lowers it, "partial" and "no" never raise it. After "no" it lies below `correct` (above 0),
    whatever the fast judge measured: what a reader says is not there is not answered.

    >>> round(combined(0.5, "yes", 0.7), 2), round(combined(0.9, "partial", 0.7), 2), combined(1.0, "no", 0.7) < 0.7
    (0.8, 0.82, True)
    """
    before = _EVEN if fast is None else fast
    raised = before * LIKELIHOODS[verdict]
    after = raised / (raised + 1.0 - before)
    return under(correct, after) if verdict == "no" else after


def under(correct: float, sufficiency: float) -> float:
    """The sufficiency, held below `correct`, the threshold (above 0) from which on evidence counts as enough.

    >>> under(0.7, 0.9) < 0.7, under(0.7, 0.2)
    (True, 0.2)
    """
    return min(sufficiency, max(0.0, math.nextafter(correct, 0.0)))
