"""Distance of stated probabilities from what happened: reliability bins, debiased ECE and Brier score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.evals.cases import Case
from assay.evals.metrics.gold import GIVEN, is_right, says_right
from assay.evals.metrics.measure import MeanMeasure, PairMeasure, Points
from assay.evals.results import CaseResult
from assay.types import ReliabilityBin

BINS = 10


def reliability(
    probabilities: Sequence[float], happened: Sequence[bool], bins: int = BINS
) -> tuple[ReliabilityBin, ...]:
    """The rows in order of their probability, cut into `bins` of equal size, least probable first.

    Rows of the same probability may fall into two bins; of fewer rows than bins each has its own. Raises
    ValueError without rows, or for a probability outside 0 to 1 or not a number.

    >>> reliability([0.1, 0.9], [False, True], bins=2)
    (ReliabilityBin(n=1, predicted=0.1, observed=0.0), ReliabilityBin(n=1, predicted=0.9, observed=1.0))
    """
    values, labels = np.asarray(probabilities, dtype=np.float64), np.asarray(happened, dtype=np.float64)
    if not len(values) or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("reliability needs probabilities from 0 to 1")
    # Among equal probabilities the order of the rows must not matter: they are spread evenly by their label.
    order = np.lexsort((labels, _spread(values, labels), values))
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return tuple(
        ReliabilityBin(len(part), float(values[part].mean()), float(labels[part].mean())) for part in parts
    )


def _spread(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each row its place, 0 to 1, among the rows of its probability and label."""
    places = np.zeros(len(values))
    for value in np.unique(values):
        for label in (0.0, 1.0):
            rows = np.flatnonzero((values == value) & (labels == label))
            places[rows] = (np.arange(len(rows)) + 0.5) / max(1, len(rows))
    return places


def debiased_ece(bins: Sequence[ReliabilityBin]) -> float:
    """The root mean square calibration error, 0 to 1, without what chance adds to it in finite bins.

    Each bin's squared gap less the variance of its observed share, weighed by its rows, 0 where the sum is
    negative (Kumar, Liang and Ma 2019; "ECE debiased" of Roelofs et al. 2022). It is never below the expected
    absolute gap by more than chance. Raises ValueError unless a bin has two rows.

    >>> round(debiased_ece([ReliabilityBin(n=100, predicted=0.7, observed=0.5)]), 4)
    0.1936
    """
    rows = sum(bin_.n for bin_ in bins if bin_.n > 1)
    if not rows:
        raise ValueError("a calibration error needs more than one row a bin")
    total = sum(bin_.n * _squared_gap(bin_) for bin_ in bins if bin_.n > 1)
    return float(max(0.0, total / rows) ** 0.5)


def _squared_gap(bin_: ReliabilityBin) -> float:
    return (bin_.predicted - bin_.observed) ** 2 - bin_.observed * (1 - bin_.observed) / (bin_.n - 1)


def brier(probabilities: Sequence[float], happened: Sequence[bool]) -> float:
    """The mean squared difference of probability and outcome, 0 to 1 (Brier 1950). Raises ValueError without rows.

    >>> brier([0.5, 1.0], [True, True])
    0.125
    """
    if not len(probabilities):
        raise ValueError("a Brier score needs rows")
    gaps = np.asarray(probabilities, dtype=np.float64) - np.asarray(happened, dtype=np.float64)
    return float((gaps**2).mean())


# Of an evaluation: the probabilities that answers state, and whether these are right.


_CAUSE = "no answer states a probability and has a case that says what is right"


def _probability_and_right(case: Case, result: CaseResult) -> tuple[float, float] | None:
    """The probability that a given answer states, and whether it is right; other results state none."""
    right = is_right(case, result)
    if right is None or result.probability is None or result.outcome not in GIVEN:
        return None
    return result.probability, float(right)


def _ece(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    return debiased_ece(reliability(probabilities, right))


def _curve(probabilities: Sequence[float], right: Sequence[bool]) -> Points:
    return tuple((bin_.predicted, bin_.observed) for bin_ in reliability(probabilities, right))


def _squared_error(case: Case, result: CaseResult) -> float | None:
    pair = _probability_and_right(case, result)
    return None if pair is None else (pair[0] - pair[1]) ** 2


ECE = PairMeasure("ece", "calibration", _probability_and_right, _ece, _CAUSE, curve=_curve, better="lower")
# A failed result states no probability.
BRIER = MeanMeasure("brier", "calibration", _squared_error, _CAUSE, says_right, failed=None, better="lower")
MEASURES = (ECE, BRIER)
