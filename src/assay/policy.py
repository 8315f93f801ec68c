"""What to do next, decided purely: values in, an action out, nothing read and nothing changed."""

from __future__ import annotations

from collections.abc import Sequence

from assay.types import Action, Judgement, Limits, Step

# Where an action cannot be carried out, the next one that can is taken, cheapest first.
FALLBACK = (Action.REFINE, Action.EXTERNAL, Action.CLARIFY, Action.ABSTAIN)


def next_action(judgement: Judgement, path: Sequence[Step], limits: Limits, able: frozenset[Action]) -> Action:
    """The action to take on a judgement, after the steps already taken.

    The recommendation holds where it can be carried out; else the next able one of `FALLBACK`. Searching
    again (REFINE, EXTERNAL) ends with the rounds. ABSTAIN is always possible.

    >>> judgement = Judgement(sufficiency=0.4, recommendation=Action.REFINE, reason="one aspect is missing")
    >>> next_action(judgement, (), Limits(rounds=2), frozenset({Action.REFINE})).value
    'REFINE'
    >>> next_action(judgement, (), Limits(rounds=1), frozenset({Action.REFINE})).value
    'ABSTAIN'
    """
    if judgement.recommendation is Action.ANSWER:
        return Action.ANSWER if Action.ANSWER in able else Action.ABSTAIN
    searches_left = len(path) + 1 < limits.rounds
    start = FALLBACK.index(judgement.recommendation)
    for action in FALLBACK[start:]:
        searches = action in (Action.REFINE, Action.EXTERNAL)
        if action in able and (searches_left or not searches):
            return action
    return Action.ABSTAIN
