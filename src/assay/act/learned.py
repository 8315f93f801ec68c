"""The shipped worth of searching again, as recorded runs taught it; see benchmarks/correct/learn.py."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from assay.types import Action, Triage
from assay.worth import Worth


@cache
def learned_worth() -> Worth:
    """The table in worth.json: gain by action and triage, seconds by action, and what a second must bring.

    >>> from assay.types import Action
    >>> sorted(action.value for action in learned_worth().costs)
    ['EXTERNAL', 'REFINE']
    """
    table = json.loads(files("assay.act").joinpath("worth.json").read_text(encoding="utf-8"))
    return Worth(
        {
            (Action(action), Triage(triage)): float(gain)
            for action, by_triage in table["gains"].items()
            for triage, gain in by_triage.items()
        },
        {Action(action): float(seconds) for action, seconds in table["seconds"].items()},
        float(table["price"]),
    )
