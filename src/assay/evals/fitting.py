"""A calibration from labelled scores: the curve, its error on rows it did not see, and the ladder of promises."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence

import numpy as np

from assay.calibration.curves import Isotonic
from assay.calibration.fit import Fit, MadeFor, Measured
from assay.evals.curves import isotonic, logistic
from assay.evals.metrics.calibration_error import brier, debiased_ece, reliability
from assay.evals.risk import ladder

FOLDS = 5
# How many scores of the fit are kept, evenly over their order, for the test of a shift.
KEPT = 200
# Where a logistic curve is read off, so that every fit is kept in one form; the ends are those of its scores.
_POINTS = 41
_EDGE = 1e-6
Way = Callable[[Sequence[float], Sequence[bool]], Isotonic]


def fit(
    kind: str,
    data: str,
    made_for: MadeFor,
    scores: Sequence[float],
    happened: Sequence[bool],
    groups: Sequence[str],
    *,
    gates: Sequence[float] | None = None,
    reference: Sequence[float] | None = None,
) -> Fit:
    """The calibration of scores from 0 to 1: isotonic or logistic, by the lesser Brier score out of fold.

    Rows of one group are never on both sides of a fold. The error is measured out of fold. `gates` are the scores
    by which rows are shown or held back, `reference` those that live ones are compared with; the scores themselves
    where they are not given. Raises ValueError where a fold's other rows hold one outcome only.
    """
    compared = scores if reference is None else reference
    found = {way: out_of_fold(way, scores, happened, groups) for way in (by_logistic, isotonic)}
    way = min(found, key=lambda each: brier(list(found[each]), happened))
    return Fit(
        kind=kind,
        data=data,
        made_for=made_for,
        curve=_rounded(way(scores, happened)),
        measured=measured(list(found[way]), happened),
        reference=tuple(round(float(each), 4) for each in np.quantile(compared, (np.arange(KEPT) + 0.5) / KEPT)),
        ladder=ladder(scores if gates is None else gates, [not each for each in happened], groups),
    )


def measured(probabilities: Sequence[float], happened: Sequence[bool]) -> Measured:
    """The error of probabilities."""
    bins = reliability(probabilities, happened)
    return Measured(len(happened), round(debiased_ece(bins), 4), round(brier(probabilities, happened), 4), bins)


def out_of_fold(way: Way, scores: Sequence[float], happened: Sequence[bool], groups: Sequence[str]) -> list[float]:
    """Each row's probability by a curve that saw no row of its fold."""
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(happened, dtype=bool)
    folds, made = np.array([fold_of(group) for group in groups]), np.zeros(len(scores))
    for fold in sorted(set(folds.tolist())):
        here = folds == fold
        curve = way(list(values[~here]), list(labels[~here]))
        made[here] = [curve.probability(float(each)) for each in values[here]]
    return made.tolist()


def fold_of(group: str) -> int:
    """The fold of a group, the same in every set and process."""
    return int(hashlib.sha256(group.encode(errors="surrogatepass")).hexdigest(), 16) % FOLDS


def by_logistic(scores: Sequence[float], happened: Sequence[bool]) -> Isotonic:
    """A logistic curve over the log odds of the scores, read off at points evenly over their range; never falling.

    Where higher scores are not likelier, which no honest score is, the curve is level.
    """
    odds = [_log_odds(each) for each in scores]
    curve = logistic(odds, happened)
    if curve.slope <= 0:
        share = float(np.mean(np.asarray(happened, dtype=np.float64)))
        return Isotonic((0.0, 1.0), (share, share))
    points = sorted({*np.linspace(min(scores), max(scores), _POINTS).tolist()})
    return Isotonic(tuple(points), tuple(curve.probability(_log_odds(each)) for each in points))


def _log_odds(score: float) -> float:
    inner = min(1 - _EDGE, max(_EDGE, score))
    return math.log(inner / (1 - inner))


def _rounded(curve: Isotonic) -> Isotonic:
    """Six digits, each score once: enough for a probability, and half of the file."""
    points = {round(at, 6): round(share, 6) for at, share in zip(curve.scores, curve.probabilities, strict=True)}
    return Isotonic(tuple(points), tuple(points.values()))
