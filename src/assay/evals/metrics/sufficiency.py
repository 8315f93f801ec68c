"""Separation of positives and negatives by scores, and the gain of not answering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.evals.cases import Answerability, Case
from assay.evals.metrics.gold import GIVEN, is_right
from assay.evals.metrics.measure import PairMeasure, Points
from assay.evals.results import CaseResult

# Points of a curve that are plotted.
_PLOTTED = 200


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve, 0 to 1: the chance that a positive scores above a negative, ties half.

    By mid-ranks (Hanley and McNeil 1982). Raises ValueError unless both classes are there.

    >>> auroc([0.9, 0.4, 0.4], [True, True, False])
    0.75
    """
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if positives == 0 or negatives == 0:
        raise ValueError("auroc needs positives and negatives")
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    ranks = middle[inverse.reshape(-1)]
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


@dataclass(frozen=True, slots=True)
class SelectivePoint:
    """At `threshold`, the share that is answered and the share of those that is right, both 0 to 1."""

    threshold: float
    answered: float
    accuracy: float


def selective_accuracy(scores: Sequence[float], right: Sequence[bool]) -> tuple[SelectivePoint, ...]:
    """One point for each distinct score, highest first (El-Yaniv and Wiener 2010).

    >>> [(p.answered, p.accuracy) for p in selective_accuracy([0.9, 0.2], [True, False])]
    [(0.5, 1.0), (1.0, 0.5)]
    """
    values, hits = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
    points = []
    for threshold in np.unique(values)[::-1]:
        kept = values >= threshold
        points.append(SelectivePoint(float(threshold), float(kept.mean()), float(hits[kept].mean())))
    return tuple(points)


def aurc(scores: Sequence[float], right: Sequence[bool]) -> float:
    """Area under the risk-coverage curve, 0 to 1, lower is better (Geifman and El-Yaniv 2017, arXiv 1705.08500).

    The mean, over coverages 1/n to n/n, of the share that is wrong among the highest scores; among equal scores the
    wrong ones are spread evenly, which is the expectation over their orders. Raises ValueError without rows.

    >>> aurc([0.9, 0.2], [True, False])
    0.25
    """
    if not len(scores):
        raise ValueError("a risk-coverage curve needs rows")
    return float(np.mean([risk for _, risk in _risks(scores, right)]))


def risk_coverage(scores: Sequence[float], right: Sequence[bool]) -> Points:
    """Points of the curve: the share that is answered, and the share of those that is wrong; at most 200.

    >>> risk_coverage([0.9, 0.2], [True, False])
    ((0.5, 0.0), (1.0, 0.5))
    """
    points = _risks(scores, right)
    if len(points) <= _PLOTTED:
        return tuple(points)
    return tuple(points[int(place)] for place in np.linspace(0, len(points) - 1, _PLOTTED))


def _risks(scores: Sequence[float], right: Sequence[bool]) -> list[tuple[float, float]]:
    """Coverage and risk at each number of rows, the highest scores first."""
    values, wrong = np.asarray(scores, dtype=np.float64), 1.0 - np.asarray(right, dtype=np.float64)
    _, inverse, counts = np.unique(-values, return_inverse=True, return_counts=True)
    shares = np.bincount(inverse.reshape(-1), weights=wrong) / counts
    errors = np.cumsum(np.repeat(shares, counts))
    covered = np.arange(1, len(values) + 1)
    return [(float(n / len(values)), float(error / n)) for n, error in zip(covered, errors, strict=True)]


def _sufficiency_and_label(case: Case, result: CaseResult) -> tuple[float, float] | None:
    """The sufficiency, and whether the documents answer in full; a failed result has the worst of its label."""
    if case.answerability is None:
        return None
    label = float(case.answerability is Answerability.FULL)
    if result.outcome is None:
        return 1.0 - label, label
    return None if result.sufficiency is None else (result.sufficiency, label)


def _sufficiency_and_right(case: Case, result: CaseResult) -> tuple[float, float] | None:
    """The sufficiency and whether the answer is right.

    What was not answered, or failed, comes last and counts as wrong, unless the documents do not answer: then there
    is nothing to cover.
    """
    right = is_right(case, result)
    if right is None:
        return None
    if result.outcome in GIVEN:
        return None if result.sufficiency is None else (result.sufficiency, float(right))
    return None if case.answerability is Answerability.NONE and right else (-1.0, 0.0)


SUFFICIENCY_AUROC = PairMeasure(
    "sufficiency_auroc",
    "sufficiency",
    _sufficiency_and_label,
    auroc,
    "no case says whether the documents answer it, or nothing was judged",
)
AURC = PairMeasure(
    "aurc",
    "sufficiency",
    _sufficiency_and_right,
    aurc,
    "no case says what a right answer is, or nothing was judged",
    curve=risk_coverage,
    better="lower",
)
MEASURES = (SUFFICIENCY_AUROC, AURC)
