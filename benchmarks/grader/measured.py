"""What is measured: the sets, which of their rows count, and for each row the trees' log odds and the network's."""

# ruff: noqa: E402

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "check"), str(ROOT / "models" / "grader")]
from fit import RAISES as RAISES
from fit import fitted
from rows import Labelled
from splits import KEPT_OUT, SUMMEDITS, SUPPORT

from assay.evals.metrics.auroc import auroc
from assay.models.grader import Pair, PairScorer

Numbers = NDArray[np.float64]
# The folds that no network saw, the fifth that nothing saw.
UNSEEN, FIFTH = (0, 3, 4), (0,)
NEVER = ("qags-cnndm", "qags-xsum", "climate-fever", "faithbench", "averitec")
SEVEN = ("wice", "factcheck-gpt", "scifact", "climate-fever", "falke", "qags-cnndm", "qags-xsum")
SETS = (*SUPPORT, *KEPT_OUT, *NEVER)
MEANS = {"seven": SEVEN, "summedits": SUMMEDITS, "summedits kept out": KEPT_OUT}


@dataclass(frozen=True)
class Network:
    """The network's log odds of each row: of the whole claim, and the least and the mean over its sentences."""

    whole: Numbers
    least: Numbers
    mean: Numbers


def counted(name: str, rows: Labelled, folds: Sequence[int]) -> NDArray[np.bool_]:
    """Which rows of a set count: those of the folds, all where the set teaches nothing."""
    return np.isin(rows.folds, folds) if name in SUPPORT else np.ones(len(rows.supported), dtype=bool)


def trees_odds(sets: Mapping[str, Labelled]) -> dict[str, Numbers]:
    """Each row's log odds by present trees fitted without its fold; of sets that teach nothing the mean of five."""
    odds = {name: np.zeros(len(each.supported)) for name, each in sets.items()}
    for fold in range(5):
        model = fitted(sets, {name: sets[name].folds != fold for name in SUPPORT})
        for name, each in sets.items():
            here = each.folds == fold if name in SUPPORT else np.ones(len(each.supported), dtype=bool)
            if here.any():
                odds[name][here] += model.decision_function(each.inputs[here]) / (1 if name in SUPPORT else 5)
    return odds


def network(pairs: Path, model: Path, sets: Mapping[str, Labelled]) -> dict[str, Network]:
    """The network's scores for every row that counts, 0 for those that it learned from; kept in the cache."""
    rows = [json.loads(line) for line in (pairs / "labelled.jsonl").open(encoding="utf-8")]
    scorer = PairScorer.load(model)
    kept = _cache(scorer.model.sha256, pairs / "labelled.jsonl")
    if kept is not None and kept.exists():
        scores = np.load(kept)
    else:
        scores = _scored(scorer, rows)
        if kept is not None:
            np.save(kept, scores)
    return {name: _gathered(name, rows, scores, len(each.supported)) for name, each in sets.items()}


def _scored(scorer: PairScorer, rows: Sequence[Mapping[str, Any]]) -> Numbers:
    wanted = [
        at for at, row in enumerate(rows) if row["fold"] in UNSEEN or row["source"].split(":")[0] not in SUPPORT
    ]
    scores = np.zeros(len(rows))
    scores[wanted] = scorer.score_now([Pair(rows[at]["claim"], rows[at]["evidence"]) for at in wanted])
    return scores


def _cache(model: str, pairs: Path) -> Path | None:
    folder = os.environ.get("ASSAY_BENCH_CACHE")
    digest = hashlib.sha256(pairs.read_bytes()).hexdigest()
    return Path(folder, f"grader-{model[:12]}-{digest[:12]}.npy") if folder else None


def _gathered(name: str, rows: Sequence[Mapping[str, str]], scores: Numbers, count: int) -> Network:
    """A set's scores by row: a row's pairs stand one after another, the whole claim first."""
    wholes: list[float] = []
    parts: list[list[float]] = []
    for row, score in zip(rows, scores, strict=True):
        if row["source"] != f"{name}:grounding":
            continue
        if row["kind"] == "whole":
            wholes.append(float(score))
            parts.append([])
        else:
            parts[-1].append(float(score))
    if len(wholes) != count:
        raise SystemExit(f"{name}: {len(wholes)} rows with scores, {count} with inputs; make the pairs again")
    pieces = [part or [whole] for whole, part in zip(wholes, parts, strict=True)]
    return Network(
        np.array(wholes), np.array([min(e) for e in pieces]), np.array([float(np.mean(e)) for e in pieces])
    )


@dataclass(frozen=True)
class Gap:
    """How far one system is above another, with its 95 % interval."""

    difference: float
    low: float
    high: float


def gap(
    names: Sequence[str],
    sets: Mapping[str, Labelled],
    rows: Mapping[str, NDArray[np.bool_]],
    first: Mapping[str, Numbers],
    second: Mapping[str, Numbers],
    resamples: int = 1000,
) -> Gap:
    """The difference of the mean AUROC over the sets, groups drawn anew within each (Efron and Tibshirani 1993)."""
    draw = np.random.default_rng(0)
    drawers = [_drawer(sets[name], rows[name], first[name], second[name], draw) for name in names]
    whole = float(np.mean([each(False) for each in drawers]))
    found = [_mean([each(True) for each in drawers]) for _ in range(resamples)]
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return Gap(whole, float(low), float(high))


def _mean(differences: Sequence[float]) -> float:
    known = [each for each in differences if not np.isnan(each)]
    return float(np.mean(known)) if known else float("nan")


def _drawer(
    each: Labelled, kept: NDArray[np.bool_], first: Numbers, second: Numbers, draw: np.random.Generator
) -> Callable[[bool], float]:
    """A function that gives the difference on the rows themselves or on groups drawn anew; NaN with one class."""
    numbers = np.flatnonzero(kept)
    _, inverse = np.unique(np.array(each.groups)[numbers], return_inverse=True)
    members = [numbers[inverse == group] for group in range(inverse.max() + 1)]

    def difference(drawn: bool) -> float:
        chosen = [members[at] for at in draw.integers(0, len(members), len(members))] if drawn else members
        at = np.concatenate(chosen)
        labels = each.supported[at]
        if labels.all() or not labels.any():
            return float("nan")
        return auroc(first[at], labels) - auroc(second[at], labels)

    return difference
