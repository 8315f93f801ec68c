"""The shipped utility of searching again, learned from recorded runs; see benchmarks/correct/learn.py."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Literal

from assay.core.stages import SearchUtility
from assay.types import Action, Triage

# The threshold for "correct" with which the runs were judged.
_CORRECT = 0.7


@cache
def learned_utility(judge: Literal["rules", "model"] = "rules", correct: float = _CORRECT) -> SearchUtility:
    """The table in search_utility.json for a judge of rules, or for one that asks a language model.

    Gain by action and triage, seconds by action, what a second must bring, and how sure evidence must be: as far
    above `correct`, 0 to 1, as it was learned above the usual threshold.

    >>> from assay.types import Action
    >>> sorted(action.value for action in learned_utility().costs)
    ['EXTERNAL', 'REFINE']
    """
    table = json.loads(files("assay.web").joinpath("search_utility.json").read_text(encoding="utf-8"))
    own = table[judge]
    return SearchUtility(
        {
            (Action(action), Triage(triage)): float(gain)
            for action, by_triage in own["gains"].items()
            for triage, gain in by_triage.items()
        },
        {Action(action): float(seconds) for action, seconds in table["seconds"].items()},
        float(table["price"]),
        min(1.0, float(own["sure"]) + correct - _CORRECT),
    )
