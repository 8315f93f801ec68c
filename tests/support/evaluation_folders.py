"""Folders of evaluations, made of what each case gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.evals.cases import Case
from assay.evals.results import CaseResult
from assay.evals.run_folder import Evaluation, open_run
from assay.types import Outcome, Usage, Verdict


def result(case: str, *, right: bool = True, repeat: int = 0, cost: float = 0.01, **others: Any) -> CaseResult:
    """An answer that shows the gold, 42, or another number."""
    claim = Verdict.SUPPORTED if right else Verdict.UNSUPPORTED
    given: dict[str, Any] = {
        "outcome": Outcome.ANSWERED,
        "text": f"It is {42 if right else 13}.",
        "claims": (claim,),
        "verdict": claim,
        "usage": Usage(10, 5, 15, 0, 1, cost),
        "ms": 100.0,
    }
    return CaseResult(case, repeat, **{**given, **others})


def cases(count: int, slices: Mapping[str, str] | None = None) -> list[Case]:
    """Cases c000, c001, …; every third one is of the kind "date", the others "name", unless `slices` says else."""
    return [
        Case(
            f"c{n:03}",
            f"Which number is {n}?",
            answers=("42",),
            slices={"kind": "name" if n % 3 else "date"} if slices is None else slices,
        )
        for n in range(count)
    ]


def evaluation_folder(folder: Path, asked: Iterable[Case], results: Iterable[CaseResult], **about: Any) -> Path:
    """The folder of an evaluation of these cases with these results."""
    asked = list(asked)
    given: dict[str, Any] = {
        "dataset": "questions.jsonl",
        "shape": "own",
        "dataset_sha256": "0" * 64,
        "cases": len(asked),
        "repeats": 1,
        "profile": "fast",
        "version": "0.1.0",
        "started": 0.0,
    }
    with open_run(folder, Evaluation(**{**given, **about}), asked) as run:
        for one in results:
            run.append(one)
    return folder
