"""What to do next, decided purely: values in, an action out, nothing read and nothing changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Action, Judgement, Limits, Step
from assay.worth import SEARCHING, Worth


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, and why in one sentence."""

    action: Action
    reason: str


def next_action(
    judgement: Judgement,
    found: frozenset[str],
    path: Sequence[Step],
    limits: Limits,
    able: frozenset[Action],
    worth: Worth,
) -> Choice:
    """The action to take on a judgement of the passages `found` (their ids), after the steps already taken.

    ANSWER and CLARIFY hold where they are recommended and can be carried out. Otherwise the search that is worth
    most is taken, if any is worth more than it costs, a round is left, and it did not bring nothing before.
    ABSTAIN is always possible.

    >>> from assay.types import Triage
    >>> judgement = Judgement(0.4, Action.REFINE, "one aspect is missing", triage=Triage.AMBIGUOUS)
    >>> worth = Worth({(Action.REFINE, Triage.AMBIGUOUS): 0.2})
    >>> able = frozenset({Action.ANSWER, Action.REFINE})
    >>> next_action(judgement, frozenset(), (), Limits(rounds=2), able, worth).action.value
    'REFINE'
    >>> next_action(judgement, frozenset(), (), Limits(rounds=1), able, worth)
    Choice(action=<Action.ABSTAIN: 'ABSTAIN'>, reason='one aspect is missing; no search round is left')
    """
    recommended = judgement.recommendation
    if recommended in (Action.ANSWER, Action.CLARIFY) and recommended in able:
        return Choice(recommended, judgement.reason)
    if len(path) + 1 >= limits.rounds:
        return Choice(Action.ABSTAIN, f"{judgement.reason}; no search round is left")
    open_to = [each for each in SEARCHING if each in able and each not in _brought_nothing(found, path)]
    if not open_to:
        return Choice(Action.ABSTAIN, f"{judgement.reason}; no search is left that could bring more")
    values = {each: worth.of(each, judgement.triage, _taken(each, path)) for each in open_to}
    best = max(open_to, key=lambda each: values[each])
    if values[best] > 0:
        return Choice(best, f"{judgement.reason}; searching again is worth {values[best]:.2f}")
    return Choice(Action.ABSTAIN, f"{judgement.reason}; no search is worth its cost")


def _brought_nothing(found: frozenset[str], path: Sequence[Step]) -> frozenset[Action]:
    """The searches after which the passages were the same as before: the loop was in that state already."""
    after = (*(step.passage_ids for step in path), found)[1:]
    return frozenset(step.action for step, ids in zip(path, after, strict=True) if ids == step.passage_ids)


def _taken(action: Action, path: Sequence[Step]) -> int:
    return sum(step.action is action for step in path)
