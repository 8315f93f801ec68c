"""Fit how a grader's log odds join what is known without it, and write that into the grader's manifest.

    .venv/bin/python benchmarks/grader/joinings.py PAIRS GRADER --passage WEIGHT

*claims*: a logistic line over the log odds of the support score, the logarithm of what the fact checks leave, and
the network's log odds of the whole claim and of its sentences; fitted on folds 3 and 4, which the network never
saw, and calibrated there (Platt 1999), each set counting alike. *evidence*: over the log odds of the fast judge and
the network's of the window and the two best passages; the same folds. *ranking*: what ranking.py chose.
"""

# ruff: noqa: E402

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / each) for each in ("check", "judge")] + [str(ROOT / "models" / "grader")]

import numpy as np
from joined import NAMES, inputs, line
from measured import SETS, Numbers, network, trees_odds
from rows import Labelled, every
from sklearn.linear_model import LogisticRegression
from splits import JOINING, SUPPORT

from assay.calibration import log_odds
from assay.verify.support import trees

Line = dict[str, object]
# The share of sufficient cases, as benchmarks/judge/fit.py has it for passages from elsewhere.
SUFFICIENT = 0.6


def of_claims(pairs: Path, grader: Path) -> Line:
    """The line over claims, with its calibration multiplied in."""
    sets = {name: each for name, each in every(SETS).items() if name in SUPPORT}
    odds = _as_told(trees_odds(sets))
    graded = network(pairs, grader, sets)
    given = {name: inputs(each, odds[name], graded[name]) for name, each in sets.items()}
    folds = sorted(JOINING)
    halves = {fold: line(sets, given, [each for each in folds if each != fold]) for fold in folds}
    slope, shift = _calibrated(sets, given, halves)
    scaler, model = line(sets, given, folds).steps[0][1], line(sets, given, folds).steps[1][1]
    weights = model.coef_[0] / scaler.scale_
    start = float(model.intercept_[0] - weights @ scaler.mean_)
    return _line(dict(zip(NAMES, slope * weights, strict=True)), slope * start + shift)


def _as_told(odds: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The trees' log odds after the calibration that ships with them."""
    shipped = trees("vectors")
    return {name: shipped.slope * each + shipped.shift for name, each in odds.items()}


def _calibrated(
    sets: Mapping[str, Labelled], given: Mapping[str, Numbers], halves: Mapping[int, object]
) -> tuple[float, float]:
    """Slope and shift of the line's log odds, each fold by the line of the other, each set and label alike."""
    found, labels, weights = [], [], []
    for fold, other in halves.items():
        for name, each in sets.items():
            here = each.folds == fold
            supported = each.supported[here]
            if 0 < supported.sum() < len(supported):
                found.append(other.decision_function(given[name][here]))
                labels.append(supported)
                weights.append(np.where(supported, 0.5 / supported.sum(), 0.5 / (~supported).sum()))
    scores = np.concatenate(found)[:, None]
    told = LogisticRegression(C=1e6).fit(
        scores, np.concatenate(labels), sample_weight=np.concatenate(weights) * 1000
    )
    return float(told.coef_[0, 0]), float(told.intercept_[0])


async def of_evidence(grader: Path) -> Line:
    """The line over evidence, stated for the share of sufficient evidence that the judge's own is stated for."""
    from cases import TRAIN, KeptEmbedder, given
    from learning import Table, calibrate, fit, scores

    from assay.judge.graded import graded
    from assay.judge.heuristic import HeuristicJudge
    from assay.judge.probe import probe_of
    from assay.judge.reading import read
    from assay.models.grader import PairScorer

    embedder, scorer = KeptEmbedder.open(), PairScorer.load(grader)
    judge = HeuristicJudge(embedder)
    tables = []
    for name in TRAIN:
        cases = [case for case in given(name) if case.fold in JOINING]
        rows = []
        for case in cases:
            probe = probe_of(case.question)
            readings = [read(passage, probe) for passage in case.evidence.passages]
            fast = (await judge.judge(case.question, case.evidence)).sufficiency
            said = await graded(scorer, case.question, probe, readings, {})
            rows.append(said | {"fast": log_odds(0.5 if fast is None else fast)})
        tables.append(Table(rows, [case.sufficient for case in cases], [case.fold for case in cases]))
    names = ("fast", "window", "best_passage", "second_passage")
    weights = fit(tables, names)
    found = np.concatenate([scores(each, weights) for each in tables])
    slope, shift = calibrate(found, np.concatenate([each.labels for each in tables]), SUFFICIENT)
    embedder.keep()
    return _line({name: slope * weight for name, weight in weights.items()}, shift)


def _line(weights: Mapping[str, float], shift: float) -> Line:
    return {"weights": {name: round(float(each), 4) for name, each in weights.items()}, "shift": round(shift, 4)}


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, help="the folder that models/grader/pairs.py wrote")
    parser.add_argument("grader", type=Path, help="the folder that models/grader/export_grader.py wrote")
    parser.add_argument("--passage", type=float, required=True, help="the weight that ranking.py chose")
    asked = parser.parse_args()
    path = asked.grader / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["joinings"] = {
        "claims": of_claims(asked.pairs, asked.grader),
        "evidence": asyncio.run(of_evidence(asked.grader)),
        "ranking": _line({"search": 1.0, "passage": asked.passage}, 0.0),
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(manifest["joinings"], indent=2))


if __name__ == "__main__":
    main()
