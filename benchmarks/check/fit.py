"""Fit the support score and write src/assay/verification/support.json.

Boosted trees on the sets whose licence allows weights. Every set weighs the same, the eight of the summedits
family half, and within a set both labels the same. More in common with the sources never lowers the score and
more that is missing never raises it: without these signs the trees learn the habits of those who made the sets.
Calibrated (Platt 1999) on out-of-fold scores. Run: .venv/bin/python benchmarks/check/fit.py
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rows import FITTED, SUMMEDITS, Labelled, every
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

OUT = Path(__file__).parents[2] / "src" / "assay" / "verification" / "support.json"
SETTINGS = {
    "max_iter": 150, "learning_rate": 0.05, "max_leaf_nodes": 8, "min_samples_leaf": 40, "l2_regularization": 5.0,
    "max_features": 0.5, "early_stopping": False, "random_state": 0,
}  # fmt: skip
# What more of it may do to the score: raise it, lower it; anything for the inputs in neither.
RAISES = """overlap cover best1 best2 best3 window least_sentence mean_sentence least_cover pairs triples grams
    subsequence run near pairs_together triples_together around_least around_mean alike_best alike_joined alike_top3
    alike_mean alike_ahead alike_all alike_least alike_sentences alike_spanned""".split()
LOWERS = """numbers_missing numbers_missing_soft numbers_elsewhere dates_missing names_missing names_missing_share
    novel_noun novel_verb novel_adjective novel_adverb novel_other novel_number novel_name changed_noun changed_verb
    changed_adjective changed_adverb meaning_opposite meaning_sister meaning_none novel novel_share moved_name
    moved_number moved denials_alone denials_odd denials_more opposites opposites_listed direction_wrong amounts_new
    amounts_nowhere absolutes_new hedges_lost far far_share swapped""".split()
FAMILY_WEIGHT = 0.5
Masks = Mapping[str, np.ndarray]


def stacked(sets: Mapping[str, Labelled], masks: Masks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, labels and weights of the rows that the masks keep."""
    inputs = np.concatenate([sets[name].inputs[mask] for name, mask in masks.items()])
    labels = np.concatenate([sets[name].supported[mask] for name, mask in masks.items()])
    family = {name: FAMILY_WEIGHT if name in SUMMEDITS else 1.0 for name in masks}
    weights = np.concatenate([family[name] * balanced(sets[name].supported[mask]) for name, mask in masks.items()])
    return inputs, labels, weights / weights.mean()


def balanced(supported: np.ndarray) -> np.ndarray:
    """Weights that give each label half of the set's one."""
    positives, negatives = max(1, supported.sum()), max(1, (~supported).sum())
    return np.where(supported, 0.5 / positives, 0.5 / negatives)


def fitted(sets: Mapping[str, Labelled], masks: Masks) -> HistGradientBoostingClassifier:
    """The trees fitted on the rows that the masks keep."""
    inputs, labels, weights = stacked(sets, masks)
    names = sets[next(iter(masks))].names
    signs = [(name in RAISES) - (name in LOWERS) for name in names]
    model = HistGradientBoostingClassifier(**SETTINGS, monotonic_cst=signs)
    return model.fit(inputs, labels, sample_weight=weights)


def out_of_fold(sets: Mapping[str, Labelled], names: tuple[str, ...] = FITTED) -> dict[str, np.ndarray]:
    """Each row's log odds from trees that saw nothing of its group; sets not in `names` are scored likewise."""
    scores = {name: np.zeros(len(each.supported)) for name, each in sets.items()}
    for fold in range(5):
        model = fitted(sets, {name: sets[name].folds != fold for name in names})
        for name, each in sets.items():
            held = each.folds == fold
            if held.any():
                scores[name][held] = model.decision_function(each.inputs[held])
    return scores


def calibration(sets: Mapping[str, Labelled], scores: Mapping[str, np.ndarray]) -> tuple[float, float]:
    """Slope and shift of the log odds, on out-of-fold scores of the fitted sets."""
    everything = {name: np.ones(len(sets[name].supported), dtype=bool) for name in FITTED}
    _, labels, weights = stacked(sets, everything)
    joined = np.concatenate([scores[name] for name in FITTED])[:, None]
    line = LogisticRegression(C=1e6).fit(joined, labels, sample_weight=weights)
    return float(line.coef_[0, 0]), float(line.intercept_[0])


def written(model: HistGradientBoostingClassifier, names: tuple[str, ...], line: tuple[float, float]) -> dict:
    """The trees as `assay.verification.support` reads them; the baseline goes into the shift."""
    body: dict[str, list] = {key: [] for key in ("roots", "feature", "threshold", "left", "right", "value")}
    for (tree,) in model._predictors:
        first = len(body["feature"])
        body["roots"].append(first)
        for node in tree.nodes:
            leaf = bool(node["is_leaf"])
            body["feature"].append(-1 if leaf else int(node["feature_idx"]))
            body["threshold"].append(0.0 if leaf else float(node["num_threshold"]))
            body["left"].append(0 if leaf else first + int(node["left"]))
            body["right"].append(0 if leaf else first + int(node["right"]))
            body["value"].append(float(f"{node['value']:.6g}") if leaf else 0.0)
    slope, shift = line
    baseline = float(np.ravel(model._baseline_prediction)[0])
    return {"names": list(names), **body, "slope": slope, "shift": shift + slope * baseline}


def model_of(sets: Mapping[str, Labelled]) -> dict:
    """One variant, fitted on everything and calibrated."""
    line = calibration(sets, out_of_fold(sets))
    model = fitted(sets, {name: np.ones(len(each.supported), dtype=bool) for name, each in sets.items()})
    return written(model, sets[FITTED[0]].names, line) | {"rows": {n: len(s.supported) for n, s in sets.items()}}


def revision() -> str:
    """The commit that the fit was made at."""
    return subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sets = every(FITTED)
    words = {name: each.words_only for name, each in sets.items()}
    models = {"words": model_of(words), "vectors": model_of(sets)}
    body = {
        "schema": "assay-support/1",
        "made_by": "benchmarks/check/fit.py",
        "date": datetime.now(UTC).date().isoformat(),
        "revision": revision(),
        "settings": SETTINGS,
        "results": "benchmarks/check/results/check.json",
        "models": models,
    }
    OUT.write_text(json.dumps(body, separators=(",", ":")) + "\n")
    print(OUT, OUT.stat().st_size, "bytes")
