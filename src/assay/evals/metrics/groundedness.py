"""Groundedness of answers, by assay's own verdicts, which `assay audit` measures against labels."""

from __future__ import annotations

from assay.evals.cases import Case
from assay.evals.metrics.gold import GIVEN
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult
from assay.types import Verdict


def groundedness(_case: Case, result: CaseResult) -> float | None:
    """The share of an answer's claims that are supported, 0 to 1; None for an answer without claims, or for none.

    As faithfulness in Es et al. 2023 (arXiv 2309.15217, section 3), with assay's verdicts in place of a model's.
    """
    if not result.claims or result.outcome not in GIVEN:
        return None
    return sum(verdict is Verdict.SUPPORTED for verdict in result.claims) / len(result.claims)


def verified(_case: Case, result: CaseResult) -> float | None:
    """1 for an answer that is shown with ✓, 0 for another one; None where there is no answer."""
    return float(result.verified) if result.outcome in GIVEN else None


GROUNDEDNESS = MeanMeasure("groundedness", "groundedness", groundedness, "no answer has claims")
VERIFIED = MeanMeasure("verified", "groundedness", verified, "no question was answered")
MEASURES = (GROUNDEDNESS, VERIFIED)
