"""A calibration from labelled scores: the curve, its error on rows it did not see, and the ladder of promises."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from assay.calibration.curves import Isotonic, log_odds
from assay.calibration.fit import Fit, MadeFor, Measured
from assay.evals.curves import isotonic, logistic
from assay.evals.metrics.calibration_error import brier, debiased_ece, reliability
from assay.evals.risk import ladder

FOLDS = 5
# Over how many partings into folds the error is averaged: one of a few hundred rows says anything from 0 to .08.
PARTINGS = 20
# How many scores of the fit are kept, evenly over their order, for the test of a shift.
KEPT = 200
# Where a logistic curve is read off, so that every fit is kept in one form; the ends are those of its scores.
_POINTS = 41
Weights = Sequence[float] | None
Way = Callable[[Sequence[float], Sequence[bool], Weights], Isotonic]


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
    sets: Sequence[str] | None = None,
) -> Fit:
    """The calibration of scores from 0 to 1: isotonic or logistic, by the lesser Brier score out of fold.

    Rows of one group are never on both sides of a fold. The error is measured out of fold, over several partings
    into folds. `gates` are the scores
    by which rows are shown or held back, `reference` those that live ones are compared with; the scores themselves
    where they are not given. `sets`, where given, names the set of each row: each set counts alike, and the curve
    is chosen for sets that it saw nothing of; its error is still of the rows as they are. Raises ValueError where
    a fold's other rows hold one outcome only.
    """
    compared = scores if reference is None else reference
    weights, folds = alike(sets) if sets else None, [str(fold_of(group)) for group in groups]
    ways = {way: out_of_fold(way, scores, happened, sets or folds, weights) for way in (by_logistic, isotonic)}
    way = min(ways, key=lambda each: _weighted_brier(ways[each], happened, weights))
    found = [measured(out_of_fold(way, scores, happened, folds, weights), happened)]
    for at in range(1, PARTINGS):
        with suppress(ValueError):  # of few rows, another parting may leave one outcome only: it measures nothing
            parted = [str(fold_of(group, at)) for group in groups]
            found.append(measured(out_of_fold(way, scores, happened, parted, weights), happened))
    return Fit(
        kind=kind,
        data=data,
        made_for=made_for,
        curve=_rounded(way(scores, happened, weights)),
        measured=_averaged(found),
        reference=tuple(round(float(each), 4) for each in np.quantile(compared, (np.arange(KEPT) + 0.5) / KEPT)),
        ladder=ladder(scores if gates is None else gates, [not each for each in happened], groups),
    )


def _averaged(found: Sequence[Measured]) -> Measured:
    """The mean errors of several partings, with the bins of the first."""
    error, score = np.mean([[each.ece, each.brier] for each in found], axis=0)
    return replace(found[0], ece=round(float(error), 4), brier=round(float(score), 4))


def measured(probabilities: Sequence[float], happened: Sequence[bool]) -> Measured:
    """The error of probabilities."""
    bins = reliability(probabilities, happened)
    return Measured(len(happened), round(debiased_ece(bins), 4), round(brier(probabilities, happened), 4), bins)


def out_of_fold(
    way: Way, scores: Sequence[float], happened: Sequence[bool], folds: Sequence[str], weights: Weights = None
) -> list[float]:
    """Each row's probability by a curve that saw no row of its fold; `weights` say how much each row counts."""
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(happened, dtype=bool)
    counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    made = np.zeros(len(scores))
    for fold in sorted(set(folds)):
        here = np.array([each == fold for each in folds])
        curve = way(list(values[~here]), list(labels[~here]), list(counts[~here]))
        made[here] = [curve.probability(float(each)) for each in values[here]]
    return made.tolist()


def fold_of(group: str, parting: int = 0) -> int:
    """The fold of a group, the same in every set and process; another in every parting."""
    named = f"{parting}:{group}" if parting else group
    return int(hashlib.sha256(named.encode(errors="surrogatepass")).hexdigest(), 16) % FOLDS


def alike(sets: Sequence[str]) -> list[float]:
    """Weights by which each set counts alike, however many rows it has; their mean is 1.

    >>> alike(["a", "a", "a", "b"])
    [0.6666666666666666, 0.6666666666666666, 0.6666666666666666, 2.0]
    """
    rows = Counter(sets)
    return [len(sets) / len(rows) / rows[each] for each in sets]


def _weighted_brier(probabilities: Sequence[float], happened: Sequence[bool], weights: Weights) -> float:
    missed = (np.asarray(probabilities) - np.asarray(happened, dtype=np.float64)) ** 2
    return float(np.average(missed, weights=weights))


def by_logistic(scores: Sequence[float], happened: Sequence[bool], weights: Weights = None) -> Isotonic:
    """A logistic curve over the log odds of the scores, read off at points evenly over their range; never falling.

    Where higher scores are not likelier, which no honest score is, the curve is level.
    """
    odds = [log_odds(each) for each in scores]
    curve = logistic(odds, happened, weights)
    if curve.slope <= 0:
        share = float(np.average(np.asarray(happened, dtype=np.float64), weights=weights))
        return Isotonic((0.0, 1.0), (share, share))
    points = sorted({*np.linspace(min(scores), max(scores), _POINTS).tolist()})
    return Isotonic(tuple(points), tuple(curve.probability(log_odds(each)) for each in points))


def _rounded(curve: Isotonic) -> Isotonic:
    """Six digits, each score once: enough for a probability, and half of the file."""
    points = {round(at, 6): round(share, 6) for at, share in zip(curve.scores, curve.probabilities, strict=True)}
    return Isotonic(tuple(points), tuple(points.values()))
