"""Work of the loop: changes of the first draft, searches and repairs, and whether they helped.

Counted as `assay figures` counts, over the answers that were given; a failed result took no turn that is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from assay.evals.cases import Case
from assay.evals.metrics.gold import GIVEN
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.metrics.metric import Better, Unit
from assay.evals.results import CaseResult
from assay.records.figures import reflections_of


def reflected(result: CaseResult) -> float:
    """1 for an answer that differs from its first draft, else 0."""
    return float(reflections_of(Counter(result.repairs), result.drafts) > 0)


def net_improvement(result: CaseResult) -> float:
    """Claims that failed and are supported after a repair, less those that were supported and are not."""
    return float(result.improved - result.regressed)


def _of_given(
    name: str, count: Callable[[CaseResult], float], unit: Unit = "count", better: Better = "neither"
) -> MeanMeasure:
    def score(_case: Case, result: CaseResult) -> float | None:
        return count(result) if result.outcome in GIVEN else None

    return MeanMeasure(name, "loop", score, "no question was answered", failed=None, better=better, unit=unit)


REFLECTION_RATE = _of_given("reflection_rate", reflected, unit="")
DRAFTS = _of_given("drafts", lambda result: float(result.drafts))
ROUNDS = _of_given("rounds", lambda result: float(result.rounds))
REPAIRS = _of_given("repairs", lambda result: float(len(result.repairs)))
NET_IMPROVEMENT = _of_given("net_improvement", net_improvement, better="higher")
REGRESSIONS = _of_given("regressions", lambda result: float(result.regressed), better="lower")
MEASURES = (REFLECTION_RATE, DRAFTS, ROUNDS, REPAIRS, NET_IMPROVEMENT, REGRESSIONS)
