"""The shipped utility of searching again, learned from recorded runs; see benchmarks/correct/learn.py."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from assay.core.stages import SearchUtility
from assay.types import Action, Triage

# What a table has beside the gains by triage.
SECONDS = "seconds"
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


def with_own(shipped: SearchUtility, own: Mapping[Any, Mapping[Any, float]]) -> SearchUtility:
    """The utility with one's own gains and seconds, by the names of actions and triages, over those that ship.

    >>> found = with_own(learned_utility(), {"REFINE": {"ambiguous": 0.25, "seconds": 1.5}})
    >>> from assay.types import Action, Triage
    >>> found.gains[Action.REFINE, Triage.AMBIGUOUS], found.costs[Action.REFINE], found.costs[Action.EXTERNAL]
    (0.25, 1.5, 2.0)
    """
    gains = {
        (Action(action), Triage(triage)): gain
        for action, row in own.items()
        for triage, gain in row.items()
        if triage != SECONDS
    }
    costs = {Action(action): row[SECONDS] for action, row in own.items() if SECONDS in row}
    return replace(shipped, gains={**shipped.gains, **gains}, costs={**shipped.costs, **costs})
