"""Use of a question: tokens, calls of models, US dollars. The use of a failed one is not known."""

from __future__ import annotations

from assay.evals.cases import Case
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult


def tokens(_case: Case, result: CaseResult) -> float | None:
    """Tokens of all model calls, prompts and replies; None where a provider did not say."""
    return None if result.usage is None or result.usage.total_tokens is None else float(result.usage.total_tokens)


def calls(_case: Case, result: CaseResult) -> float | None:
    """Calls of language models, every attempt counted."""
    return None if result.usage is None else float(result.usage.calls)


def cost(_case: Case, result: CaseResult) -> float | None:
    """US dollars; None where a price is not known."""
    return None if result.usage is None else result.usage.cost


COST = MeanMeasure("cost", "cost", cost, "no price is known", failed=None, better="lower", unit="USD")
TOKENS = MeanMeasure("tokens", "cost", tokens, "no provider said", failed=None, better="lower", unit="tokens")
CALLS = MeanMeasure("calls", "cost", calls, "no result has a usage", failed=None, better="lower", unit="count")
MEASURES = (COST, TOKENS, CALLS)
