"""Number of questions that failed: asking ended with an error."""

from __future__ import annotations

from assay.evals.cases import Case
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult


def _not_failed(_case: Case, _result: CaseResult) -> float:
    return 0.0


FAILED = MeanMeasure("failed", "failures", _not_failed, "nothing was asked", failed=1.0, better="lower")
MEASURES = (FAILED,)
