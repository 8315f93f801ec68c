"""A calibration from labelled scores: the curve, its error on rows it did not see, and the ladder of promises."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.calibration.curves import Isotonic, Logistic, log_odds
from assay.calibration.fit import Fit, MadeFor, Measured, Rung
from assay.evals.metrics import brier, debiased_ece, reliability

# Fitting the curves that turn scores into probabilities.


_STEPS = 100


def isotonic(scores: Sequence[float], happened: Sequence[bool], weights: Sequence[float] | None = None) -> Isotonic:
    """The never-falling step function nearest to the outcomes (pool adjacent violators, Ayer et al. 1955).

    Each step is kept as its two ends, so that a score between two steps is read in proportion. `weights`, above 0,
    say how much each row counts. Raises ValueError unless both outcomes are there.

    >>> isotonic([0.1, 0.2, 0.3], [False, True, True])
    Isotonic(scores=(0.1, 0.2, 0.3), probabilities=(0.0, 1.0, 1.0))
    """
    _require_both(happened)
    values, inverse = np.unique(np.asarray(scores, dtype=np.float64), return_inverse=True)
    counts = np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64)
    mass = np.bincount(inverse, counts)
    steps: list[_Step] = []
    for at, share in enumerate(np.bincount(inverse, counts * np.asarray(happened, dtype=np.float64)) / mass):
        steps.append(_Step(at, at, float(mass[at]), float(share)))
        while len(steps) > 1 and steps[-2].share >= steps[-1].share:
            last = steps.pop()
            steps.append(steps.pop().joined(last))
    ends = [(at, step.share) for step in steps for at in sorted({step.first, step.last})]
    return Isotonic(tuple(float(values[at]) for at, _ in ends), tuple(share for _, share in ends))


class _Step:
    """A run of score values, by their numbers, that share one probability."""

    __slots__ = ("first", "last", "mass", "share")

    def __init__(self, first: int, last: int, mass: float, share: float) -> None:
        self.first, self.last, self.mass, self.share = first, last, mass, share

    def joined(self, after: _Step) -> _Step:
        mass = self.mass + after.mass
        return _Step(self.first, after.last, mass, (self.mass * self.share + after.mass * after.share) / mass)


def logistic(scores: Sequence[float], happened: Sequence[bool], weights: Sequence[float] | None = None) -> Logistic:
    """The logistic curve of the highest likelihood, with Platt's softened targets (Platt 1999), by Newton's method.

    The targets are (N+ + 1) / (N+ + 2) and 1 / (N- + 2), so that separable rows have a finite curve too. Raises
    ValueError unless both outcomes are there.
    """
    _require_both(happened)
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(happened, dtype=bool)
    counts = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    targets = np.where(labels, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    design = np.stack([values, np.ones(len(values))], axis=1)
    point, loss = np.zeros(2), np.inf
    for _ in range(_STEPS):
        raw = design @ point
        chances = 1 / (1 + np.exp(-np.clip(raw, -500, 500)))
        slope = design.T @ (counts * (chances - targets))
        bend = (design.T * (counts * np.maximum(chances * (1 - chances), 1e-12))) @ design + 1e-12 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        now = _loss(design @ (point - step), targets, counts)
        while now > loss and np.abs(step).max() > 1e-12:
            step /= 2
            now = _loss(design @ (point - step), targets, counts)
        point, before, loss = point - step, loss, now
        if before - loss < 1e-12:
            break
    return Logistic(slope=float(point[0]), intercept=float(point[1]))


def _loss(raw: np.ndarray, targets: np.ndarray, counts: np.ndarray) -> float:
    return float((counts * (np.logaddexp(0, raw) - targets * raw)).sum())


def _require_both(happened: Sequence[bool]) -> None:
    if len(set(map(bool, happened))) < 2:
        raise ValueError("a calibration needs rows of both outcomes")


# From labelled scores to the ladder on which promises of a risk are tested, and what an oracle could promise.


RUNGS = 200


def ladder(
    scores: Sequence[float],
    wrong: Sequence[bool],
    groups: Sequence[str] | None = None,
    rungs: int = RUNGS,
) -> tuple[Rung, ...]:
    """At most `rungs` thresholds, highest first, evenly over the rows; rows of one score are never parted.

    `groups` names what rows belong to; without it each row stands alone.

    >>> [(rung.score, rung.shown, rung.wrong) for rung in ladder([0.9, 0.5, 0.5], [False, True, False])]
    [(0.9, 1, 0), (0.5, 3, 1)]
    """
    values, faults = np.asarray(scores, dtype=np.float64), np.asarray(wrong, dtype=bool)
    order = np.argsort(-values, kind="stable")
    values, faults = values[order], faults[order]
    counts = np.cumsum(faults)
    members = np.arange(len(values)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    members = members.reshape(-1)[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    chosen = ends[np.unique(np.linspace(0, len(ends) - 1, min(rungs, len(ends))).round().astype(int))]
    return tuple(
        Rung(
            float(values[at]),
            int(at) + 1,
            int(counts[at]),
            1.0 if groups is None else design_effect(faults[: at + 1], members[: at + 1]),
        )
        for at in chosen
    )


def design_effect(wrong: NDArray[np.bool_], groups: NDArray[np.intp]) -> float:
    """Variance of the share of wrong rows over that of as many independent rows, at least 1.

    The variance from group totals over the binomial one (Kish 1965, Survey Sampling).

    >>> design_effect(np.array([True, True, False, False]), np.array([0, 0, 1, 1]))
    2.0
    """
    share = float(wrong.mean())
    if share in (0.0, 1.0):
        return 1.0
    totals = np.bincount(groups, wrong - share)
    return max(1.0, round(float((totals**2).sum() / (len(wrong) * share * (1 - share))), 4))


def realised(scores: Sequence[float], wrong: Sequence[bool], threshold: float) -> Rung:
    """The rows from a threshold on, and the wrong ones among them."""
    shown = np.asarray(scores, dtype=np.float64) >= threshold
    return Rung(threshold, int(shown.sum()), int((np.asarray(wrong, dtype=bool) & shown).sum()))


def oracle_share(scores: Sequence[float], wrong: Sequence[bool], risk: float) -> float:
    """The largest share that a threshold chosen with the labels in sight could show at no more than the risk.

    >>> oracle_share([0.9, 0.8, 0.1], [False, False, True], 0.2)
    0.6666666666666666
    """
    rows = ladder(scores, wrong, rungs=len(scores))
    return max((row.shown for row in rows if row.wrong <= risk * row.shown), default=0) / len(scores)


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
    way = min(ways, key=lambda name: _weighted_brier(ways[name], happened, weights))
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
        reference=tuple(
            round(float(quantile), 4) for quantile in np.quantile(compared, (np.arange(KEPT) + 0.5) / KEPT)
        ),
        ladder=ladder(scores if gates is None else gates, [not outcome for outcome in happened], groups),
    )


def unseen(scores: Sequence[float], happened: Sequence[bool], groups: Sequence[str]) -> list[float]:
    """Each row's probability by a curve of the kind that `fit` chooses, which saw no row of its fold.

    Raises ValueError where a fold's other rows hold one outcome only.
    """
    folds = [str(fold_of(group)) for group in groups]
    ways = [out_of_fold(way, scores, happened, folds) for way in (by_logistic, isotonic)]
    return min(ways, key=lambda made: brier(made, happened))


def _averaged(found: Sequence[Measured]) -> Measured:
    """The mean errors of several partings, with the bins of the first."""
    error, score = np.mean([[part.ece, part.brier] for part in found], axis=0)
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
        here = np.array([row_fold == fold for row_fold in folds])
        curve = way(list(values[~here]), list(labels[~here]), list(counts[~here]))
        made[here] = [curve.probability(float(value)) for value in values[here]]
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
    return [len(sets) / len(rows) / rows[name] for name in sets]


def _weighted_brier(probabilities: Sequence[float], happened: Sequence[bool], weights: Weights) -> float:
    missed = (np.asarray(probabilities) - np.asarray(happened, dtype=np.float64)) ** 2
    return float(np.average(missed, weights=weights))


def by_logistic(scores: Sequence[float], happened: Sequence[bool], weights: Weights = None) -> Isotonic:
    """A logistic curve over the log odds of the scores, read off at points evenly over their range; never falling.

    Where higher scores are not likelier, which no honest score is, the curve is level.
    """
    odds = [log_odds(score) for score in scores]
    curve = logistic(odds, happened, weights)
    if curve.slope <= 0:
        share = float(np.average(np.asarray(happened, dtype=np.float64), weights=weights))
        return Isotonic((0.0, 1.0), (share, share))
    points = sorted({*np.linspace(min(scores), max(scores), _POINTS).tolist()})
    return Isotonic(tuple(points), tuple(curve.probability(log_odds(point)) for point in points))


def _rounded(curve: Isotonic) -> Isotonic:
    """Six digits, each score once: enough for a probability, and half of the file."""
    points = {round(at, 6): round(share, 6) for at, share in zip(curve.scores, curve.probabilities, strict=True)}
    return Isotonic(tuple(points), tuple(points.values()))
