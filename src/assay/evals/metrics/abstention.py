"""Abstention: answers withheld where they should be, and only there."""

from __future__ import annotations

from assay.evals.cases import Answerability, Case
from assay.evals.metrics.gold import GIVEN, WITHHELD, content_share
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult

# A missing part counts as named if so many of its content words are among what is said to be missing (chosen).
_NAMED = 0.5


def abstention_precision(case: Case, result: CaseResult) -> float | None:
    """Share of the questions not answered that the documents do not answer; None for one answered.

    To ask back counts as not answering. A failed result counts as a wrong refusal.
    """
    return float(case.answerability is Answerability.NONE) if result.outcome in WITHHELD else None


def abstention_recall(_case: Case, result: CaseResult) -> float:
    """Share of the unanswerable questions that were not answered."""
    return float(result.outcome in WITHHELD)


def answer_rate(_case: Case, result: CaseResult) -> float:
    """Share of the fully answerable questions that were answered, rightly or not."""
    return float(result.outcome in GIVEN)


def missing_named(case: Case, result: CaseResult) -> float:
    """The share of the parts that the documents do not answer which the result says are missing, 0 to 1."""
    said = " ".join((*result.missing, result.text if result.outcome in WITHHELD else ""))
    return sum(content_share(said, part) >= _NAMED for part in case.missing) / len(case.missing)


def _says(case: Case) -> bool:
    return case.answerability is not None


def _is_unanswerable(case: Case) -> bool:
    return case.answerability is Answerability.NONE


def _is_answerable(case: Case) -> bool:
    return case.answerability is Answerability.FULL


def _has_missing(case: Case) -> bool:
    return bool(case.missing)


PRECISION = MeanMeasure(
    "abstention_precision",
    "abstention",
    abstention_precision,
    "no question was refused of which the case says whether the documents answer it",
    _says,
)
RECALL = MeanMeasure(
    "abstention_recall",
    "abstention",
    abstention_recall,
    "no case is one that the documents do not answer",
    _is_unanswerable,
)
ANSWER_RATE = MeanMeasure(
    "answer_rate", "abstention", answer_rate, "no case says that the documents answer it", _is_answerable
)
MISSING_NAMED = MeanMeasure(
    "missing_named", "abstention", missing_named, "no case says which parts are missing", _has_missing
)
MEASURES = (PRECISION, RECALL, ANSWER_RATE, MISSING_NAMED)
