"""Every measure, in the order in which reports show them."""

from __future__ import annotations

from collections.abc import Iterable

from assay.evals.cases import Case
from assay.evals.metrics import (
    abstention,
    answer,
    calibration,
    citations,
    consistency,
    contradictions,
    cost,
    failures,
    groundedness,
    latency,
    loop,
    retrieval,
    sufficiency,
)
from assay.evals.metrics.measure import Measure, measure
from assay.evals.metrics.metric import Metric
from assay.evals.results import CaseResult

MEASURES: tuple[Measure, ...] = (
    *failures.MEASURES,
    *answer.MEASURES,
    *abstention.MEASURES,
    *citations.MEASURES,
    *groundedness.MEASURES,
    *contradictions.MEASURES,
    *retrieval.MEASURES,
    *sufficiency.MEASURES,
    *calibration.MEASURES,
    *loop.MEASURES,
    *consistency.MEASURES,
    *latency.MEASURES,
    *cost.MEASURES,
)


def measure_all(cases: Iterable[Case], results: Iterable[CaseResult]) -> tuple[Metric, ...]:
    """Every metric of the results, read once; those that cannot be measured have the cause."""
    return measure(cases, results, MEASURES)
