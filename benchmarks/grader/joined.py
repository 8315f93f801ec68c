"""The joining: a logistic line over the trees' log odds, the network's, and what the fact checks leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from fit import FAMILY_WEIGHT, balanced
from measured import UNSEEN, Labelled, Network, Numbers
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from splits import SUMMEDITS, SUPPORT

NAMES = ("trees", "left", "whole", "least", "mean")


def inputs(rows: Labelled, trees: Numbers, network: Network) -> Numbers:
    """The line's inputs, one row a claim, in the order of NAMES."""
    left = np.log(np.maximum(rows.left, 0.05))
    return np.column_stack([trees, left, network.whole, network.least, network.mean])


def line(
    sets: Mapping[str, Labelled], given: Mapping[str, Numbers], folds: Sequence[int], strength: float = 0.05
) -> Pipeline:
    """The line fitted on the folds of the sets that may teach, each set counting alike, the family half."""
    rows = {name: np.isin(sets[name].folds, folds) for name in SUPPORT}
    rows = {name: kept for name, kept in rows.items() if kept.any()}
    matrix = np.concatenate([given[name][kept] for name, kept in rows.items()])
    labels = np.concatenate([sets[name].supported[kept] for name, kept in rows.items()])
    weights = np.concatenate(
        [
            (FAMILY_WEIGHT if name in SUMMEDITS else 1.0) * balanced(sets[name].supported[kept])
            for name, kept in rows.items()
        ]
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=strength))
    return model.fit(matrix, labels, logisticregression__sample_weight=weights * len(labels) / weights.sum())


def joined(sets: Mapping[str, Labelled], given: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Each row's log odds by a line that saw nothing of its fold; sets that teach nothing by that of folds 3, 4."""
    lines = {fold: line(sets, given, [each for each in UNSEEN if each != fold]) for fold in UNSEEN}
    odds = {}
    for name, each in sets.items():
        odds[name] = lines[0].decision_function(given[name])
        for fold in UNSEEN if name in SUPPORT else ():
            here = each.folds == fold
            if here.any():
                odds[name][here] = lines[fold].decision_function(given[name][here])
    return odds
