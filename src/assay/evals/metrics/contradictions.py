"""Flags on documents that contradict one another, and only on those."""

from __future__ import annotations

from assay.evals.cases import Case
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult

_CAUSE = "no case says whether the documents contradict one another on it"


def contradiction_precision(case: Case, result: CaseResult) -> float | None:
    """Share of the questions with a flagged contradiction on which there is one; None without a flag."""
    return float(bool(case.conflicting)) if result.contradictions else None


def contradiction_recall(_case: Case, result: CaseResult) -> float:
    """Share of the questions on which documents contradict one another that is flagged."""
    return float(result.contradictions > 0)


def _says(case: Case) -> bool:
    return case.conflicting is not None


def _is_conflicting(case: Case) -> bool:
    return case.conflicting is True


PRECISION = MeanMeasure(
    "contradiction_precision",
    "contradictions",
    contradiction_precision,
    f"{_CAUSE}, or nothing was flagged",
    _says,
)
RECALL = MeanMeasure(
    "contradiction_recall",
    "contradictions",
    contradiction_recall,
    "no case says that the documents contradict one another on it",
    _is_conflicting,
)
MEASURES = (PRECISION, RECALL)
