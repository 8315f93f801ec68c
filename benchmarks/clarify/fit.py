"""Fit src/assay/judging/ambiguity.json on the development half of mtrag-un: asked back or answerable.

A logistic regression in which both kinds count alike, with a fixed penalty; no signal was chosen by its score. The
threshold is the out-of-fold probability that 5 % of the answerable questions reach.

    .venv/bin/python benchmarks/clarify/fit.py
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from clarify_data import FOLDS, Row, rows
from numpy.typing import NDArray
from scipy.optimize import minimize

from assay.judging.ambiguity import NAMES, AmbiguityModel, signals
from report import ROOT

TARGET = ROOT / "src" / "assay" / "judging" / "ambiguity.json"
PENALTY = 1.0
# The share of answerable questions that may reach the threshold.
ASKED_NEEDLESSLY = 0.05


def fit(matrix: NDArray[np.float64], asked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weights of the signals, then the intercept."""
    weight = np.where(asked, 0.5 / asked.mean(), 0.5 / (1 - asked.mean()))
    sign = np.where(asked, 1.0, -1.0)

    def loss(found: NDArray[np.float64]) -> float:
        scores = matrix @ found[:-1] + found[-1]
        return float((weight * np.logaddexp(0, -sign * scores)).sum() + PENALTY * (found[:-1] ** 2).sum())

    return np.asarray(minimize(loss, np.zeros(matrix.shape[1] + 1), method="BFGS").x)


def model(found: NDArray[np.float64], threshold: float = 0.5) -> AmbiguityModel:
    """The fitted weights as the package reads them."""
    weights = {name: round(float(value), 4) for name, value in zip(NAMES, found[:-1], strict=True)}
    return AmbiguityModel(weights, round(float(found[-1]), 4), threshold)


def out_of_fold(cases: Sequence[Row]) -> NDArray[np.float64]:
    """Each row's ambiguity by weights of the other folds; unanswerable rows are scored and never fitted."""
    table = [signals(each.question, each.evidence) for each in cases]
    matrix = np.array([[row[name] for name in NAMES] for row in table])
    asked = np.array([each.kind == "underspecified" for each in cases])
    used = np.array([each.kind != "unanswerable" for each in cases])
    folds = np.array([each.fold for each in cases])
    scores = np.zeros(len(cases))
    for fold in range(FOLDS):
        train, test = used & (folds != fold), folds == fold
        fitted = model(fit(matrix[train], asked[train]))
        scores[test] = [fitted.ambiguity(row) for row, here in zip(table, test, strict=True) if here]
    return scores


def main() -> None:
    """Fit on all rows, choose the threshold out of fold, write."""
    cases = rows()
    scores = out_of_fold(cases)
    answerable = np.array([each.kind == "answerable" for each in cases])
    threshold = float(np.quantile(scores[answerable], 1 - ASKED_NEEDLESSLY))
    fitted = [each for each in cases if each.kind != "unanswerable"]
    matrix = np.array([[signals(each.question, each.evidence)[name] for name in NAMES] for each in fitted])
    made = model(fit(matrix, np.array([each.kind == "underspecified" for each in fitted])), round(threshold, 3))
    body = {
        "weights": dict(made.weights),
        "intercept": made.intercept,
        "threshold": made.threshold,
        "provenance": {
            "script": "benchmarks/clarify/fit.py",
            "date": datetime.now(UTC).date().isoformat(),
            "trained_on": {"mtrag-un": len(fitted)},
            "asked_needlessly": ASKED_NEEDLESSLY,
        },
    }
    TARGET.write_text(json.dumps(body, indent=2) + "\n")
    print(json.dumps(body, indent=2))


if __name__ == "__main__":
    main()
