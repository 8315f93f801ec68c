"""Fit the judge's weights: a logistic regression whose weights cannot be negative, one intercept a set.

The sets count alike whatever their sizes, and within each the sufficient and the insufficient cases do. An
intercept of its own for each set keeps differences between sets (how long, how hard) out of the weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from cases import FOLDS
from numpy.typing import NDArray
from scipy.optimize import minimize

Signals = Mapping[str, float]
# How strongly weights are held near 0, and what each set counts against that.
PENALTY, SET_COUNTS = 0.5, 200.0


class Table:
    """One set's signals as a matrix, with its labels and folds."""

    def __init__(self, rows: Sequence[Signals], labels: Sequence[bool], folds: Sequence[int]) -> None:
        self.rows, self.labels, self.folds = list(rows), np.array(labels, float), np.array(folds)

    def matrix(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Shape (cases, signals)."""
        return np.array([[row[name] for name in names] for row in self.rows], float)


def fit(tables: Sequence[Table], names: Sequence[str], without_fold: int | None = None) -> dict[str, float]:
    """The weights that tell sufficient from insufficient best in all tables together."""
    parts = []
    for table in tables:
        kept = np.ones(len(table.labels), bool) if without_fold is None else table.folds != without_fold
        parts.append((table.matrix(names)[kept], table.labels[kept]))
    count = len(names)
    start = np.zeros(count + len(parts))
    bounds = [(0.0, None)] * count + [(None, None)] * len(parts)
    found = minimize(_loss, start, args=(parts, count), jac=True, method="L-BFGS-B", bounds=bounds)
    return dict(zip(names, map(float, found.x[:count]), strict=True))


def _loss(
    point: NDArray[np.float64], parts: list[tuple[NDArray[np.float64], NDArray[np.float64]]], count: int
) -> tuple[float, NDArray[np.float64]]:
    weights = point[:count]
    loss, slope = PENALTY / 2 * float(weights @ weights), np.zeros_like(point)
    slope[:count] = PENALTY * weights
    for n, (matrix, labels) in enumerate(parts):
        scores = matrix @ weights + point[count + n]
        share = labels.mean()
        counts = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share)) * SET_COUNTS / len(labels)
        loss += float((counts * (np.logaddexp(0, scores) - labels * scores)).sum())
        error = counts * (1 / (1 + np.exp(-scores)) - labels)
        slope[:count] += matrix.T @ error
        slope[count + n] = error.sum()
    return loss, slope


def scores(table: Table, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of each case."""
    return table.matrix(list(weights)) @ np.array(list(weights.values()))


def out_of_fold(table: Table, tables: Sequence[Table], names: Sequence[str]) -> NDArray[np.float64]:
    """Each case's score by weights that were fitted without its fold's groups, in any set."""
    found = np.zeros(len(table.labels))
    for fold in range(FOLDS):
        here = table.folds == fold
        found[here] = scores(table, fit(tables, names, fold))[here]
    return found


def calibrate(found: NDArray[np.float64], labels: NDArray[np.float64], prior: float) -> tuple[float, float]:
    """Slope and intercept of the logistic calibration, for a share `prior` of sufficient cases (Platt 1999)."""
    share = labels.mean()
    counts = np.where(labels == 1, prior / share, (1 - prior) / (1 - share))

    def loss(point: NDArray[np.float64]) -> float:
        raw = point[0] * found + point[1]
        return float((counts * (np.logaddexp(0, raw) - labels * raw)).sum())

    slope, intercept = minimize(loss, np.array([1.0, -float(found.mean())])).x
    return float(slope), float(intercept)
