"""CLARIFY on mtrag-un: does the ambiguity tell questions that must be asked back from those that can be answered?

.venv/bin/python benchmarks/clarify/run.py
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import numpy as np
from clarify_data import Row, rows
from fit import out_of_fold
from numpy.typing import NDArray

from assay.core.tape import SystemClock
from assay.evals.metrics import auroc
from assay.judging.ambiguity import load_ambiguity_model
from assay.judging.judge import JudgePipeline
from assay.judging.reader_judge import HeuristicJudge
from assay.types import Action
from assay.writing.abstain import clarifying_question
from report import write_result

KINDS = ("underspecified", "answerable", "unanswerable")


async def chosen(cases: Sequence[Row]) -> NDArray[np.bool_]:
    """Where the judge of words, with the shipped weights and the readings, recommends a question back."""
    judge = JudgePipeline(HeuristicJudge(), SystemClock())
    judged = [await judge.judge(each.question, each.evidence) for each in cases]
    return np.array([each.recommendation is Action.CLARIFY for each in judged])


def main() -> None:
    """Measure and write."""
    cases = rows()
    scores = out_of_fold(cases)
    kinds = np.array([each.kind for each in cases])
    telling = kinds != "unanswerable"
    asks = asyncio.run(chosen(cases))
    begun = time.process_time()
    for each in cases:
        clarifying_question(each.question, each.evidence)
    spent = (time.process_time() - begun) * 1000 / len(cases)
    offering = [
        "Do you mean" in clarifying_question(each.question, each.evidence).text
        for each in cases
        if each.kind == "underspecified"
    ]
    write_result(
        "clarify",
        "mtrag-un",
        {
            "rows": {kind: int((kinds == kind).sum()) for kind in KINDS},
            "auroc out of fold": round(
                auroc(list(map(float, scores[telling])), list(kinds[telling] == "underspecified")), 4
            ),
            "auroc against unanswerable, out of fold": round(
                auroc(
                    list(map(float, scores[kinds != "answerable"])),
                    list(kinds[kinds != "answerable"] == "underspecified"),
                ),
                4,
            ),
            "at the threshold, out of fold": {
                kind: round(float((scores[kinds == kind] >= load_ambiguity_model().threshold).mean()), 4)
                for kind in KINDS
            },
            "asked back by the fast judge of words": {
                kind: round(float(asks[kinds == kind].mean()), 4) for kind in KINDS
            },
            "questions back that offer readings": round(sum(offering) / len(offering), 4),
            "cpu ms of a question back": round(spent, 3),
        },
    )


if __name__ == "__main__":
    main()
