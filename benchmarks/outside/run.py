"""Sources outside on wiki-mix: what is still answered where the answers are on a web, and in how many rounds.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/outside/run.py

The worth of searching is learned anew without the fold of the question at hand (5 folds by group); with the table
that ships, learned from all of these questions, the same is measured beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "correct"))
from answers_data import SOURCES, Asked, questions, shows_gold
from moved import choosing, folder_without_answers, opened, web, whole_folder
from recorded import ALWAYS, FOLDS, Searched, fold_of, recorded

from assay.core.stages import SearchUtility
from assay.engine import Engine
from assay.evals.metrics import Rows, paired_bootstrap
from assay.judging.search_utility import learned_utility
from assay.types import Action, Outcome
from learn import by_rules, learned
from report import write_result

FIXED_ROUNDS = 3
# A loop that always goes on until it can answer: it neither weighs nor asks back.
FIXED = (Action.ANSWER, Action.REFINE, Action.EXTERNAL, Action.ABSTAIN)
AT_HOME = (Action.ANSWER, Action.REFINE, Action.CLARIFY, Action.ABSTAIN)
WorthFor = Callable[[Asked], SearchUtility]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a question ended: whether it was answered, whether the answer shows the gold, and its rounds."""

    asked: Asked
    answered: bool
    shown: bool
    rounds: int

    @property
    def right(self) -> bool:
        """Whether an answer shows the gold, or a question without one is refused."""
        return self.shown if self.asked.golds else not self.answered


def ended(engine: Engine, asked: Sequence[Asked], worth_for: WorthFor, able: Sequence[Action] = ()) -> list[Ended]:
    """Every question asked of the engine, with the searches' worth that is given for it."""
    engines: dict[float, list[Engine]] = {}
    done = []
    for each in asked:
        worth = worth_for(each)
        known = engines.setdefault(id(worth), [])
        known or known.append(choosing(engine, worth, able))
        answer = known[0].ask(each.text)
        answered = answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)
        shown = answered and bool(each.golds) and shows_gold(answer.text, each.golds)
        done.append(Ended(each, answered, shown, answer.searches))
    return done


def out_of_fold(found: Sequence[Searched]) -> WorthFor:
    """For each question what the runs of the other folds teach."""
    worths = [learned(by_rules([each for each in found if fold_of(each.asked) != fold])) for fold in range(FOLDS)]
    return lambda asked: worths[fold_of(asked)]


# --- answers moved outside ------------------------------------------------------------------------


def moved_figures(before: Sequence[Ended], after: Sequence[Ended]) -> dict[str, object]:
    """What is left of the answers that were given when everything was local."""
    pairs = list(zip(before, after, strict=True))
    answerable = [(b, a) for b, a in pairs if b.asked.golds]
    unanswerable = [(b, a) for b, a in pairs if not b.asked.golds]
    return {
        "answered before": sum(b.answered for b, _ in answerable),
        "still answered": sum(b.answered and a.answered for b, a in answerable),
        "share still answered": _share([a.answered for b, a in answerable if b.answered]),
        "by source": {
            source: _share([a.answered for b, a in answerable if b.answered and b.asked.source == source])
            for source in SOURCES
        },
        "gold shown before": sum(b.shown for b, _ in answerable),
        "gold shown": sum(a.shown for _, a in answerable),
        "share still shown": _share([a.shown for b, a in answerable if b.shown]),
        "unanswerable": len(unanswerable),
        "unanswerable refused before": sum(not b.answered for b, _ in unanswerable),
        "unanswerable refused": sum(not a.answered for _, a in unanswerable),
        "more of them refused": sum(b.answered - a.answered for b, a in unanswerable),
        "mean rounds": round(mean(a.rounds for _, a in pairs), 3),
    }


def _share(values: Sequence[bool]) -> float:
    return round(mean(values), 3) if values else 0.0


# --- choosing against a fixed loop ----------------------------------------------------------------


def chosen_figures(fixed: Sequence[Ended], chosen: Sequence[Ended]) -> dict[str, object]:
    """Rounds and right ends of both, and the paired 95 % interval of the difference."""
    right, other = (np.array([each.right for each in ends], float) for ends in (chosen, fixed))
    difference = paired_bootstrap(_mean_of(right), _mean_of(other), [each.asked.group for each in fixed])
    rounds, of_fixed = (mean(each.rounds for each in ends) for ends in (chosen, fixed))
    return {
        "mean rounds": round(rounds, 3),
        "mean rounds of the fixed loop": round(of_fixed, 3),
        "fewer rounds": round(1 - rounds / of_fixed, 3),
        "right": int(right.sum()),
        "right by the fixed loop": int(other.sum()),
        "difference in right": round(difference.difference, 4),
        "interval": [round(difference.low, 4), round(difference.high, 4)],
        "gold shown": {source: _shown(chosen, source) for source in SOURCES},
        "gold shown by the fixed loop": {source: _shown(fixed, source) for source in SOURCES},
        "unanswerable refused": _refused(chosen),
        "unanswerable refused by the fixed loop": _refused(fixed),
    }


def _mean_of(values: np.ndarray) -> Callable[[Rows], float]:
    return lambda rows: float(values[rows].mean())


def _shown(ends: Sequence[Ended], source: str) -> int:
    return sum(each.shown for each in ends if each.asked.source == source)


def _refused(ends: Sequence[Ended]) -> int:
    return sum(not each.answered for each in ends if not each.asked.golds)


# --- both -------------------------------------------------------------------------------------------


def main() -> None:
    """Record, learn by folds, measure, and keep the numbers in results/."""
    asked = questions()
    worths = {"out of fold": out_of_fold(recorded()), "as shipped": lambda _asked: learned_utility()}
    with opened(whole_folder()) as engine:
        before = ended(engine, asked, worths["as shipped"])
    with opened(whole_folder(), rounds=FIXED_ROUNDS) as engine:
        fixed = ended(engine, asked, lambda _asked: ALWAYS, [each for each in FIXED if each is not Action.EXTERNAL])
        at_home = {name: ended(engine, asked, worth) for name, worth in worths.items()}
    with web() as settings:
        with opened(folder_without_answers(), **settings) as engine:
            moved = {name: ended(engine, asked, worth) for name, worth in worths.items()}
            unasked = ended(engine, asked, worths["as shipped"], AT_HOME)
        with opened(folder_without_answers(), rounds=FIXED_ROUNDS, **settings) as engine:
            fixed_moved = ended(engine, asked, lambda _asked: ALWAYS, FIXED)
            chosen_moved = {name: ended(engine, asked, worth) for name, worth in worths.items()}
    figures = {name: moved_figures(before, after) for name, after in moved.items()}
    write_result("outside", "moved", {**figures, "nothing asked outside": moved_figures(before, unasked)})
    write_result(
        "outside",
        "choosing",
        {
            "over the whole collection": {name: chosen_figures(fixed, ends) for name, ends in at_home.items()},
            "answers outside": {name: chosen_figures(fixed_moved, ends) for name, ends in chosen_moved.items()},
        },
    )


if __name__ == "__main__":
    main()
