"""How long answers take: percentiles over the cases, each case by the mean over its repeats.

Percentiles by linear interpolation (Hyndman and Fan 1996, type 7). How long a failure took is not a latency.
"""

from __future__ import annotations

from assay.evals.cases import Case
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.metrics.metric import Statistic
from assay.evals.results import CaseResult


def _ms(_case: Case, result: CaseResult) -> float:
    return result.ms


def _first_verified(_case: Case, result: CaseResult) -> float | None:
    return result.first_verified_ms


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
