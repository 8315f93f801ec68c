"""Fit the ranking of sentences (src/assay/writing/sentence_ranker.json) and the gate between its two halves.

.venv/bin/python benchmarks/answers/fit.py

Each half is a conditional logit: among one question's sentences, the ones that show the gold should get the
largest share. A gold of at most 8 words is shown or not; of a longer one a sentence shows a part of the words.
One half learns from clapnq, where one passage answers, the other from hotpot100 and musique100, where it takes
several; the gate is a logistic regression that tells the two apart.
"""

from __future__ import annotations

import datetime
import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from answers_data import LONG_WORDS, SOURCES, gold_share, questions, shows_gold
from numpy.typing import NDArray
from pipeline import Case, completed, engine, found
from scipy.optimize import minimize

from assay.nlp.tokens import words
from assay.writing.candidates import candidates
from assay.writing.features import NAMES, SCATTER_NAMES, PoolFeatures, extract_features
from assay.writing.ranking import Ranker

OUT = Path(__file__).resolve().parents[2] / "src" / "assay" / "writing" / "sentence_ranker.json"
TOGETHER, APART = ("clapnq",), ("hotpot", "musique")
FOLDS = 5
# How strongly weights (of features scaled to unit spread) are held near 0; chosen out of fold from .01, .03, .1.
PENALTY = 0.03
# A sentence that shows less of a long gold than this is no answer; more shown counts more than in proportion.
LEAST_SHARE, SHARPNESS = 0.1, 1.5
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """One question's sentences as numbers, and the share that each should get."""

    source: str
    fold: int
    reading: PoolFeatures
    target: Array

    @property
    def rows(self) -> Array:
        """Shape (sentences, features)."""
        return np.array(self.reading.rows)


def fold_of(case: Case) -> int:
    """The fold of the case's group, 0 to 4."""
    return zlib.crc32(case.asked.group.encode()) % FOLDS


def examples(cases: Sequence[Case]) -> list[Example]:
    """The cases as examples; the target is empty where no sentence shows a gold."""
    made = []
    for case in cases:
        pool = candidates(case.evidence)
        if pool:
            reading = extract_features(case.question, case.evidence, pool)
            shown = np.array([_shown(candidate.text, case.asked.golds) for candidate in pool])
            made.append(Example(case.asked.source, fold_of(case), reading, _target(shown)))
    return made


def _shown(text: str, golds: tuple[str, ...]) -> float:
    values = [0.0]
    for gold in golds:
        if len(words(gold)) > LONG_WORDS:
            values.append(gold_share(text, gold))
        elif words(gold) not in (["yes"], ["no"]):
            values.append(float(shows_gold(text, (gold,))))
    return max(values)


def _target(shown: Array) -> Array:
    sharp = np.where(shown >= LEAST_SHARE, shown, 0.0) ** SHARPNESS
    return sharp / sharp.sum() if sharp.sum() > 0 else np.zeros(0)


def conditional_logit(given: Sequence[Example]) -> Array:
    """Weights that give each question's target sentences the largest shares; every source counts alike."""
    usable = [each for each in given if len(each.target)]
    counts = Counter(each.source for each in usable)
    spread = np.concatenate([each.rows for each in usable]).std(0)
    spread[spread < 1e-6] = 1e9
    scaled = [(each.rows / spread, each.target, 1 / counts[each.source] / len(counts)) for each in usable]

    def loss(weights: Array) -> tuple[float, Array]:
        total, slope = PENALTY * weights @ weights, 2 * PENALTY * weights
        for rows, target, weight in scaled:
            scores = rows @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            total -= weight * (target @ np.log(shares + 1e-12))
            slope = slope + weight * (rows.T @ (shares - target))
        return float(total), slope

    return np.asarray(minimize(loss, np.zeros(len(spread)), jac=True, method="L-BFGS-B").x) / spread


def gate(given: Sequence[Example]) -> tuple[Array, float]:
    """Weights and intercept that tell questions of several passages from those of one; both count alike."""
    rows = np.array([each.reading.scatter for each in given])
    apart = np.array([each.source in APART for each in given], float)
    if apart.all() or not apart.any():
        return np.zeros(rows.shape[1]), 0.0
    middle, spread = rows.mean(0), rows.std(0) + 1e-9
    scaled = (rows - middle) / spread
    weight = np.where(apart > 0, 0.5 / apart.sum(), 0.5 / (1 - apart).sum())

    def loss(weights: Array) -> float:
        scores = scaled @ weights[:-1] + weights[-1]
        return float(
            weight @ (np.logaddexp(0, scores) - apart * scores) + PENALTY / 3 * weights[:-1] @ weights[:-1]
        )

    best = np.asarray(minimize(loss, np.zeros(rows.shape[1] + 1), method="L-BFGS-B").x)
    return best[:-1] / spread, float(best[-1] - (best[:-1] / spread) @ middle)


def fit(given: Sequence[Example]) -> Ranker:
    """The ranker that these examples teach; a half whose sources are all left out learns from the others."""
    together = [each for each in given if each.source in TOGETHER] or list(given)
    apart = [each for each in given if each.source in APART] or list(given)
    scatter, intercept = gate(given)
    return Ranker(
        tuple(map(float, conditional_logit(together))),
        tuple(map(float, conditional_logit(apart))),
        tuple(map(float, scatter)),
        intercept,
    )


def stored(ranker: Ranker, given: Sequence[Example]) -> dict[str, object]:
    """The ranker as it ships, with where it comes from."""
    return {
        "provenance": {
            "made_by": "benchmarks/answers/fit.py",
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "sets": {SOURCES[source]: n for source, n in Counter(each.source for each in given).items()},
            "half": "dev",
            "licences": "clapnq Apache-2.0; hotpot100 CC BY-SA 4.0; musique100 CC BY 4.0",
            "penalty": PENALTY,
        },
        "together": {name: round(value, 4) for name, value in zip(NAMES, ranker.together, strict=True)},
        "apart": {name: round(value, 4) for name, value in zip(NAMES, ranker.apart, strict=True)},
        "scatter": {name: round(value, 4) for name, value in zip(SCATTER_NAMES, ranker.scatter, strict=True)},
        "scatter_intercept": round(ranker.scatter_intercept, 4),
    }


def main() -> None:
    """Fit on all dev questions and write the weights; benchmarks/answers/run.py judges them out of fold."""
    with engine() as opened:
        cases = found(opened, [asked for asked in questions() if asked.golds])
    given = examples(completed(cases))
    OUT.write_text(json.dumps(stored(fit(given), given), indent=1) + "\n", encoding="utf-8")
    print(OUT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
