"""Whole asks over wiki-mix without a model: `scored/answers.json` and `scored/searched.json` of the cache.

    .venv/bin/python benchmarks/calibration/answers.py

*answers*: of the questions that were answered, the score of the answer and whether it shows the gold.
*searched*: of all questions, the sufficiency of what the search found and whether the collection has the answer.
Both are the shipped program's; its judge's five weights were fitted on the evidence sets that these questions are
from (fitted out of fold, the judge is no worse on them: benchmarks/judge).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from answers_data import Asked, questions, shows_gold
from pipeline import engine
from scored import Scored, keep

from assay.types import Answer, Outcome


def main() -> None:
    """Ask everything, write."""
    with engine() as opened:
        asked = [(each, opened.ask(each.text)) for each in questions()]
    shown = [(each, answer) for each, answer in asked if answer.outcome in (Outcome.ANSWERED, Outcome.PARTIAL)]
    keep("answers", {"wiki-mix": _scored([(e, a.confidence.score, is_right(e, a)) for e, a in shown])})
    keep("searched", {"wiki-mix": _scored([(e, a.judgement.sufficiency or 0.0, bool(e.golds)) for e, a in asked])})


def is_right(asked: Asked, answer: Answer) -> bool:
    """Whether the answer shows a gold; no answer to an unanswerable question does."""
    return bool(asked.golds) and shows_gold(answer.text, asked.golds)


def _scored(rows: list[tuple[Asked, float, bool]]) -> Scored:
    return Scored(
        np.array([score for _, score, _ in rows]),
        np.array([right for _, _, right in rows]),
        tuple(each.group for each, _, _ in rows),
    )


if __name__ == "__main__":
    main()
