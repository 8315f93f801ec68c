"""Latency of answers: percentiles over the cases.

Percentiles by linear interpolation (Hyndman and Fan 1996, type 7). Only the first time that a question is asked
counts: an engine remembers what its networks said of it. How long a failure took is not a latency.
"""

from __future__ import annotations

from assay.evals.cases import Case
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.metrics.metric import Statistic
from assay.evals.results import CaseResult


def _ms(_case: Case, result: CaseResult) -> float | None:
    return result.ms if result.repeat == 0 else None


def _first_verified(_case: Case, result: CaseResult) -> float | None:
    return result.first_verified_ms if result.repeat == 0 else None


def _percentile(statistic: Statistic) -> MeanMeasure:
    return MeanMeasure(
        f"latency_{statistic}",
        "latency",
        _ms,
        "every case failed",
        failed=None,
        better="lower",
        unit="ms",
        statistic=statistic,
    )


P50, P95, P99 = (_percentile(statistic) for statistic in ("p50", "p95", "p99"))
FIRST_VERIFIED = MeanMeasure(
    "first_verified_p50",
    "latency",
    _first_verified,
    "no answer has a verified sentence",
    failed=None,
    better="lower",
    unit="ms",
    statistic="p50",
)
MEASURES = (P50, P95, P99, FIRST_VERIFIED)
