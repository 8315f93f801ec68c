"""What a few labels of a collection's own teach: confidence and threshold on answers that were not labelled.

    .venv/bin/python benchmarks/learn/run.py     # about 2 minutes of CPU

The natural questions of dev/real are asked of their documentations; nothing that ships was fitted on them. So many
answers are drawn, their labels taught as `assay learn` does, and the rest measured: the error of the confidence and
the marks of the threshold, before and after, over many draws. In *harder* half of the right answers, drawn by
chance, are called wrong: a collection that is unlike what the shipped calibration was fitted on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "calibration"))
sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from natural import read_questions
from real_collections import collection, documents_of, set_folder, unpacked

from answers import Row, naturally_asked
from assay.calibration.fit import Fit, MadeFor
from assay.calibration.rightness import shipped_rightness
from assay.calibration.shipped import shipped
from assay.evals.fitting import fit
from assay.evals.labels_file import Labelled
from assay.evals.learning import WRONG_MARK, State, learn_confidence, learn_threshold
from assay.evals.metrics import brier, debiased_ece, reliability
from assay.evals.recalibrate import LabelledAnswer
from report import write_result

LABELS, DRAWS = (20, 40, 60), 50
ORIGIN = MadeFor("", "", "", "", "")


def main() -> None:
    """Ask, draw, learn, measure, write."""
    rightness = shipped_rightness(read=True)
    rows = [row for row in asked() if row.rated]
    answers = [
        LabelledAnswer(
            label=Labelled(n, str(n), row.right),
            run_id=str(n),
            origin=ORIGIN,
            score=rightness.of(row.signals),
            gate=row.sufficiency,
            group=row.group,
            searches=1,
            is_read=True,
        )
        for n, row in enumerate(rows, 1)
    ]
    chance = np.random.default_rng(5)
    harder = [
        replace(one, label=replace(one.label, right=one.label.right and bool(chance.random() < 0.5)))
        for one in answers
    ]
    numbers = {
        name: {
            "answers": len(some),
            "right": sum(answer.label.right for answer in some),
            **{f"{count} labels": learned(some, count, rightness.yes) for count in LABELS},
        }
        for name, some in (("as they are", answers), ("harder", harder))
    }
    write_result("learning", "run", numbers)


def asked() -> Iterator[Row]:
    """Each question that has an answer, or none, asked of its documentation."""
    folder = set_folder("real")
    questions = read_questions(folder / "questions.jsonl")
    for name, place in documents_of(unpacked(folder), rows_of(folder / "questions.jsonl")).items():
        with collection(name, place) as opened:
            yield from naturally_asked(opened, (one for one in questions if one.collection == name), "real")


def rows_of(path: Path) -> list[dict[str, object]]:
    """The JSON lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def learned(answers: Sequence[LabelledAnswer], count: int, now: float) -> dict[str, float]:
    """The means over draws of so many labels, measured on the other answers."""
    chance = np.random.default_rng(count)
    in_force = shipped()["answers"]
    found: dict[str, list[float]] = {}

    def add(**numbers: float) -> None:
        for name, value in numbers.items():
            found.setdefault(name.replace("_", " "), []).append(value)

    for _ in range(DRAWS):
        order = chance.permutation(len(answers))
        some, rest = [answers[n] for n in order[:count]], [answers[n] for n in order[count:]]
        right = [answer.label.right for answer in rest]
        taught = learn_confidence(some, in_force, partial(fitted, some), 0)
        old = [in_force.probability(answer.score) for answer in rest]
        new = (
            [taught.result.probability(answer.score) for answer in rest] if isinstance(taught.result, Fit) else old
        )
        add(
            confidence_learned=float(new is not old), confidence_too_few=float(taught.lesson.state is State.TOO_FEW)
        )
        add(ECE_before=ece(old, right), ECE_after=ece(new, right))
        add(Brier_before=brier(old, right), Brier_after=brier(new, right))
        add(draws_worse_in_Brier=float(brier(new, right) > brier(old, right)))
        marks = learn_threshold(some, now, 0)
        add(threshold_too_few=float(marks.lesson.state is State.TOO_FEW))
        if isinstance(marks.result, float):
            before, after = (marked(rest, bar) for bar in (now, marks.result))
            add(threshold_learned=1.0, marked_before=before[0], marked_after=after[0])
            add(wrong_of_marked_before=before[1], wrong_of_marked_after=after[1])
            add(draws_worth_less=float(after[2] < before[2]))
        else:
            add(threshold_learned=0.0)
    return {name: round(float(np.nanmean(values)), 4) for name, values in found.items()}


def fitted(some: Sequence[LabelledAnswer]) -> Fit:
    """The calibration of some answers, as `recalibrate.fit_answers` makes it."""
    scores, right = [answer.score for answer in some], [answer.label.right for answer in some]
    return fit("answers", f"{len(some)} labels", ORIGIN, scores, right, [answer.group for answer in some])


def ece(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """The debiased calibration error."""
    return debiased_ece(reliability(probabilities, right))


def marked(rest: Sequence[LabelledAnswer], bar: float) -> tuple[float, float, float]:
    """The share that is marked, the share of these that is wrong (NaN for none), and what the marks are worth."""
    over = [answer.label.right for answer in rest if answer.score >= bar]
    wrong = over.count(False)
    share = wrong / len(over) if over else float("nan")
    return len(over) / len(rest), share, (len(over) - wrong - WRONG_MARK * wrong) / len(rest)


if __name__ == "__main__":
    main()
