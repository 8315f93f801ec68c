"""The worth of searching again, learned from questions with a known answer that were asked with and without it.

A right end is worth 1, any other 0, and a second of searching costs the price that ships. The table is learned
where it is measurably better than the one in force: on questions that it did not see, what both would do is
compared, and the 95 % interval of the difference is all above 0 (decision 228).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median
from typing import Literal

from assay.core.stages import SearchUtility
from assay.evals.cases import Case
from assay.evals.fitting import FOLDS, fold_of
from assay.evals.learning import Learned, Lesson, State
from assay.evals.metrics import paired_bootstrap
from assay.evals.metrics.gold import is_right
from assay.evals.results import CaseResult
from assay.judging.recommendation import Thresholds, triage_of
from assay.judging.search_utility import SECONDS
from assay.nlp.tokens import words
from assay.records.learning import SEARCH
from assay.types import Action, Triage

# From fewer questions that were searched for again nothing is learned; chosen, as for a threshold.
FEWEST_QUESTIONS = 40
# From fewer questions of one triage its gain stays as it is; chosen.
FEWEST_OF_A_TRIAGE = 10


@dataclass(frozen=True, slots=True)
class SearchedAgain:
    """The end after another search by one action: whether it is right, and the seconds that it took longer."""

    is_right: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class AskedTwice:
    """A question of known answer: the triage of its first evidence, whether it ends right without another search,
    and what became of it after each. Questions of one `group` have the same words.
    """

    group: str
    triage: Triage
    is_right: bool
    after: Mapping[Action, SearchedAgain]


def asked_twice(
    cases: Iterable[Case],
    once: Iterable[CaseResult],
    again: Mapping[Action, Iterable[CaseResult]],
    thresholds: Thresholds,
) -> tuple[AskedTwice, ...]:
    """The questions that were searched for again by at least one action.

    Left out are questions whose right answer is not known, that bring their own passages, or that failed.
    """
    first = {result.case: result for result in once}
    later = {action: {result.case: result for result in results} for action, results in again.items()}
    found = []
    for case in cases:
        before = first.get(case.id)
        is_right_before = None if case.passages or before is None else is_right(case, before)
        if before is None or before.outcome is None or is_right_before is None:
            continue
        triage = triage_of(before.sufficiency, thresholds)
        ends = {
            action: SearchedAgain(bool(is_right(case, end)), (end.ms - before.ms) / 1000)
            for action, results in later.items()
            if (end := results.get(case.id)) is not None and end.outcome is not None and end.rounds > before.rounds
        }
        if triage is not None and ends:
            found.append(AskedTwice(" ".join(words(case.question)), triage, is_right_before, ends))
    return tuple(found)


def learn_searching(asked: Sequence[AskedTwice], now: SearchUtility, judge: Literal["rules", "model"]) -> Learned:
    """The gains and seconds of searching again by these questions, against those in force for such a judge."""
    right = sum(one.is_right for one in asked)
    told = f"{len(asked)} questions that were searched for again, {right} of them right without"
    blank = Lesson(SEARCH, State.TOO_FEW, told, str(FEWEST_QUESTIONS), latest=len(asked))
    if len(asked) < FEWEST_QUESTIONS:
        return Learned(blank)
    folds = [fold_of(one.group) for one in asked]
    unseen = {
        fold: fitted([one for one, own in zip(asked, folds, strict=True) if own != fold], now)
        for fold in range(FOLDS)
    }
    old = [_end(one, now) for one in asked]
    new = [_end(one, unseen[fold]) for one, fold in zip(asked, folds, strict=True)]
    difference = paired_bootstrap(
        lambda rows: mean(new[row].worth(now.price) for row in rows),
        lambda rows: mean(old[row].worth(now.price) for row in rows),
        [one.group for one in asked],
    )
    best, actions = fitted(asked, now), {action for one in asked for action in one.after}
    found = replace(
        blank,
        state=State.LEARNED,
        before={**_figures(old), **_gains(now, actions)},
        after={**_figures(new), **_gains(best, actions)},
        gain_of=f"right ends less {now.price:g} for a second, per question",
        gain=round(difference.difference, 4),
        low=round(difference.low, 4),
        high=round(difference.high, 4),
    )
    if difference.below:
        return Learned(replace(found, state=State.WORSE))
    if difference.low <= 0:
        reason = "what would be done is not measurably better on questions that the table did not see"
        return Learned(replace(found, state=State.UNCHANGED, reason=reason))
    return Learned(found, {judge: table_of(best, actions)})


def fitted(asked: Sequence[AskedTwice], now: SearchUtility) -> SearchUtility:
    """The utility by these questions; what too few of them tell about stays as it is."""
    gains, costs = dict(now.gains), dict(now.costs)
    for action in {action for one in asked for action in one.after}:
        searched = [one for one in asked if action in one.after]
        if len(searched) >= FEWEST_OF_A_TRIAGE:
            costs[action] = round(max(0.0, median(one.after[action].seconds for one in searched)), 2)
        for triage in Triage:
            alike = [one for one in searched if one.triage is triage]
            if len(alike) >= FEWEST_OF_A_TRIAGE:
                gain = mean(one.after[action].is_right - one.is_right for one in alike)
                gains[action, triage] = round(gain, 3)
    return replace(now, gains=gains, costs=costs)


def table_of(utility: SearchUtility, actions: Iterable[Action]) -> dict[str, dict[str, float]]:
    """The gains and seconds of these actions by name, as the setting `search_utility` has them for one judge."""
    table = {action.value: {SECONDS: utility.costs.get(action, 0.0)} for action in sorted(actions)}
    for (action, triage), gain in utility.gains.items():
        if action.value in table:
            table[action.value][triage.value] = gain
    return table


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a question: whether it is right, and the seconds of another search, 0 without one."""

    is_right: bool
    seconds: float
    is_searched: bool

    def worth(self, price: float) -> float:
        return self.is_right - price * self.seconds


def _end(one: AskedTwice, utility: SearchUtility) -> _End:
    """The end of a question where the search that is worth most is made, if that is above 0."""
    values = {action: utility.of(action, one.triage, 0) for action in one.after}
    best = max(values, key=lambda action: values[action])
    if values[best] <= 0:
        return _End(one.is_right, 0.0, is_searched=False)
    after = one.after[best]
    return _End(after.is_right, max(0.0, after.seconds), is_searched=True)


def _figures(ends: Sequence[_End]) -> dict[str, float]:
    return {
        "right": round(mean(end.is_right for end in ends), 3),
        "searched again": round(mean(end.is_searched for end in ends), 3),
    }


def _gains(utility: SearchUtility, actions: Container[Action]) -> dict[str, float]:
    gains = ((key, gain) for key, gain in sorted(utility.gains.items()) if key[0] in actions)
    return {f"{action.value} {triage.value}": gain for (action, triage), gain in gains}
