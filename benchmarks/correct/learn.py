"""What searching again is worth, learned from recorded runs, and written into the package.

    .venv/bin/python benchmarks/correct/learn.py

An end is worth 1 where a question that has an answer is answered from evidence that holds the gold, or one that
has none is refused, else 0. `sure` is the sufficiency with which going outside is worth most: below it a search is
made before an answer is given, and the evidence found must reach it. The gain of a search is how much more the ends
after it are worth than those without it, by what the first judgement said. EXTERNAL's seconds are an assumption:
those of a service on the internet, not of the web on this machine.

No model can be asked here. The table for a judge that asks one assumes that its model is right four times of five,
as that judge does itself (judging/asking.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))
from recorded import Looked, Searched, recorded

from assay.core.stages import SEARCHING, SearchUtility
from assay.judging.asking import Verdict, combined
from assay.judging.decide import Thresholds, triage_of
from assay.judging.light import learned_band
from assay.types import Action, Triage
from report import ROOT, write_result

TABLE = ROOT / "src" / "assay" / "web" / "worth.json"
PRICE, EXTERNAL_SECONDS = 0.02, 2.0
CORRECT = Thresholds().correct
BARS = tuple(n / 100 for n in range(70, 96))
MODEL_RIGHT = 0.8


@dataclass(frozen=True, slots=True)
class Case:
    """A search as it was recorded, and how much it counts."""

    searched: Searched
    weight: float = 1.0

    @property
    def now(self) -> float:
        """What answering or refusing at once is worth."""
        return self._worth(self.searched.first, CORRECT)

    def after(self, sure: float) -> float:
        """What answering or refusing after the search is worth."""
        return self._worth(self.searched.later, max(CORRECT, sure) if self.searched.changed else CORRECT)

    def _worth(self, looked: Looked, bar: float) -> float:
        answers = looked.sufficiency >= bar
        return float(looked.holds if answers else not self.searched.asked.golds)


def by_rules(found: Iterable[Searched]) -> list[Case]:
    """The runs as they were judged."""
    return [Case(each) for each in found]


def by_a_model(found: Iterable[Searched]) -> list[Case]:
    """The runs as they would be judged with a model's verdicts, each pair of verdicts with its probability.

    What a model reads wrongly it reads wrongly again: it may come to another verdict only where the second search
    found the gold or lost it.
    """
    return [
        Case(replace(each, first=_heard(each.first, right), later=_heard(each.later, right_later)), share)
        for each in found
        for right, right_later, share in _verdicts(each.first.holds == each.later.holds)
    ]


def _verdicts(same: bool) -> list[tuple[bool, bool, float]]:
    """Whether the model is right about the first and about the later evidence, and how likely that is."""
    chances = {True: MODEL_RIGHT, False: 1 - MODEL_RIGHT}
    if same:
        return [(right, right, chances[right]) for right in chances]
    return [(right, later, chances[right] * chances[later]) for right in chances for later in chances]


def _heard(looked: Looked, right: bool) -> Looked:
    """What is judged after the model's verdict; it is asked only where the rules are unsure."""
    if looked.sufficiency not in learned_band():
        return looked
    verdict: Verdict = "yes" if looked.holds == right else "no"
    return replace(looked, sufficiency=combined(looked.sufficiency, verdict, CORRECT))


def learned(cases: Sequence[Case], bars: Sequence[float] = BARS) -> SearchUtility:
    """The worth that these cases teach, `sure` being one of the bars."""
    costs = {
        Action.REFINE: round(median(each.searched.seconds for each in of(cases, Action.REFINE)), 2),
        Action.EXTERNAL: EXTERNAL_SECONDS,
    }
    outside = of(cases, Action.EXTERNAL)
    sure = max(bars, key=lambda bar: sum(each.weight * _at(each, bar) for each in outside))
    gains = {
        (action, triage): round(gain, 3)
        for action in SEARCHING
        for triage in Triage
        if (gain := _gain(of(cases, action), triage, sure)) is not None
    }
    return SearchUtility(gains, costs, PRICE, sure)


def of(cases: Iterable[Case], action: Action) -> list[Case]:
    """The cases of one action."""
    return [each for each in cases if each.searched.action is action]


def _at(case: Case, sure: float) -> float:
    """What a case is worth with this bar, less the price of its search."""
    if case.searched.first.sufficiency >= sure:
        return case.now
    return case.after(sure) - PRICE * EXTERNAL_SECONDS


def _gain(cases: Iterable[Case], triage: Triage, sure: float) -> float | None:
    """How much more the ends after the search are worth, of those with this triage that are not sure."""
    open_cases = [
        each
        for each in cases
        if triage_of(each.searched.first.sufficiency, Thresholds()) is triage
        and each.searched.first.sufficiency < sure
    ]
    whole = sum(each.weight for each in open_cases)
    return sum(each.weight * (each.after(sure) - each.now) for each in open_cases) / whole if whole else None


def table(worth: SearchUtility) -> dict[str, object]:
    """A worth as it is written."""
    return {
        "sure": worth.answer_threshold,
        "gains": {
            action.value: {
                triage.value: worth.gains[action, triage] for triage in Triage if (action, triage) in worth.gains
            }
            for action in SEARCHING
        },
    }


def counted(cases: Sequence[Case], worth: SearchUtility) -> dict[str, dict[str, int]]:
    """By action and triage: how many were not sure, and how many ends the search made right and wrong."""
    counts: dict[str, dict[str, int]] = {}
    for each in cases:
        first = each.searched.first.sufficiency
        triage = triage_of(first, Thresholds())
        if triage is not None and first < worth.answer_threshold:
            row = counts.setdefault(
                f"{each.searched.action.value} {triage.value}", {"asked": 0, "gained": 0, "lost": 0}
            )
            row["asked"] += 1
            row["gained"] += each.after(worth.answer_threshold) > each.now
            row["lost"] += each.after(worth.answer_threshold) < each.now
    return dict(sorted(counts.items()))


def main() -> None:
    """Learn from all dev questions; benchmarks/outside/run.py measures out of fold."""
    found = recorded()
    rules, model = by_rules(found), by_a_model(found)
    # A model's verdict is a second look already: no bar is raised after it.
    worths = {"rules": learned(rules), "model": learned(model, (CORRECT,))}
    shared = worths["rules"]
    body = {name: table(worth) for name, worth in worths.items()} | {
        "seconds": {action.value: shared.costs[action] for action in SEARCHING},
        "price": PRICE,
    }
    write_result("correct", "worth", {"counts by rules": counted(rules, shared), **body})
    TABLE.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
