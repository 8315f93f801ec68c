"""Does anything tell sufficient evidence better than the fast judge's line of signals does?

    .venv/bin/python benchmarks/grader/evidence.py TOKENS [--grader FOLDER]

TOKENS is what models/grader/token_vectors.py wrote; FOLDER what export_grader.py wrote of a network that was taught
evidence, too. It saw folds 1 and 2 of the sets that teach, so with --grader only their other rows count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import numpy as np
from evidence_inputs import ALIGNED, NEAR, NETWORK, WORDED, Inputs
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from cases import FOLDS, SETS, TRAIN, Case, KeptEmbedder, given
from fit import GIVEN, WORDS, table
from learning import Table, fit, scores
from run import BY_WORDS, overlap
from sklearn.ensemble import HistGradientBoostingClassifier
from token_encoder import TokenEncoder

from assay.evals.metrics.auroc import auroc
from assay.evals.metrics.bootstrap import paired_bootstrap
from assay.models.grader import PairScorer
from report import write_result

Scores = NDArray[np.float64]
# The judge's signals of words and vectors, all of which grow with better evidence.
SIGNALS = (
    "cover_all", "cover_best", "rare", "pairs", "names", "numbers", "aspects", "answer", "typed", "cosine_best",
    "reached",
)  # fmt: skip
TREES = {
    "max_iter": 120, "learning_rate": 0.05, "max_leaf_nodes": 6, "min_samples_leaf": 30, "l2_regularization": 5.0,
    "early_stopping": False, "random_state": 0,
}  # fmt: skip
# The folds of the sets that teach which no network saw.
UNSEEN = (0, 3, 4)
LINES = {
    "more words": (*GIVEN, *WORDED),
    "aligned": (*GIVEN, "aligned"),
    "aligned, near": (*GIVEN, "aligned", "near_mean"),
    "all": (*SIGNALS, *WORDED, *ALIGNED, *NEAR),
}


def by_line(scored: Mapping[str, Table], names: Sequence[str]) -> dict[str, Scores]:
    """Each case's score by a line that saw nothing of its fold, in any set."""
    trained = [scored[name] for name in TRAIN]
    found = {name: np.zeros(len(each.labels)) for name, each in scored.items()}
    for fold in range(FOLDS):
        weights = fit(trained, names, fold)
        for name, each in scored.items():
            here = each.folds == fold
            found[name][here] = scores(each, weights)[here]
    return found


def by_unseen_line(scored: Mapping[str, Table], names: Sequence[str]) -> dict[str, Scores]:
    """The same with a network's scores among the names: fitted on, and told of, rows that it never saw."""
    trained = [_kept(scored[name], UNSEEN) for name in TRAIN]
    found = {name: _centred(each, trained, fit(trained, names)) for name, each in scored.items()}
    for fold in UNSEEN:
        weights = fit(trained, names, fold)
        for name in TRAIN:
            here = scored[name].folds == fold
            found[name][here] = _centred(scored[name], trained, weights)[here]
    return found


def _centred(each: Table, trained: Sequence[Table], weights: Mapping[str, float]) -> Scores:
    """The weighted sums, less their mean over the sets that teach: lines of several folds have no common zero."""
    return scores(each, weights) - float(np.mean([scores(other, weights).mean() for other in trained]))


def _kept(each: Table, folds: Sequence[int]) -> Table:
    kept = np.flatnonzero(np.isin(each.folds, folds))
    return Table([each.rows[at] for at in kept], [bool(each.labels[at]) for at in kept], list(each.folds[kept]))


def by_trees(scored: Mapping[str, Table], names: Sequence[str]) -> dict[str, Scores]:
    """The same by boosted trees; more of anything never lowers the score."""
    found = {name: np.zeros(len(each.labels)) for name, each in scored.items()}
    for fold in range(FOLDS):
        parts = [(scored[name].matrix(names), scored[name].labels, scored[name].folds != fold) for name in TRAIN]
        inputs = np.concatenate([matrix[kept] for matrix, _, kept in parts])
        labels = np.concatenate([labels[kept] for _, labels, kept in parts])
        weights = np.concatenate([_balanced(labels[kept]) for _, labels, kept in parts])
        model = HistGradientBoostingClassifier(**TREES, monotonic_cst=[1] * len(names))
        model.fit(inputs, labels, sample_weight=weights / weights.mean())
        for name, each in scored.items():
            here = each.folds == fold
            found[name][here] = model.decision_function(each.matrix(names)[here])
    return found


def _balanced(labels: Scores) -> Scores:
    return np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (1 - labels).sum())


async def systems(
    cases: Mapping[str, list[Case]], inputs: Inputs, embedder: KeptEmbedder
) -> dict[str, dict[str, Scores]]:
    """The scores of each set by each system; where no model reads the language, words alone in all of them."""
    read = {name: each for name, each in cases.items() if name not in BY_WORDS}
    tables = {name: _table(each, await _known(name, each, inputs)) for name, each in read.items()}
    plain = {name: await table(cases[name], None) for name in (*TRAIN, *BY_WORDS)}
    found = {line: by_line(tables, names) for line, names in ({"present": GIVEN} | LINES).items()}
    if inputs.scorer:
        with_fast = {name: _with(each, "fast", found["present"][name]) for name, each in tables.items()}
        found["network"] = by_unseen_line(with_fast, ("window",))
        found["joined"] = by_unseen_line(with_fast, ("fast", *NETWORK))
    found["trees"] = by_trees(tables, (*SIGNALS, *WORDED, *ALIGNED, *NEAR))
    by_words = by_line(plain, WORDS)
    embedder.keep()
    return {
        name: {"overlap": overlap(each)[1]}
        | {system: (by_words if name in BY_WORDS else of)[name] for system, of in found.items()}
        for name, each in cases.items()
    }


def _table(cases: Sequence[Case], rows: Sequence[Mapping[str, float]]) -> Table:
    names = {name for row in rows for name in row}
    full = [{name: row.get(name, 0.0) for name in names} for row in rows]
    return Table(full, [case.sufficient for case in cases], [case.fold for case in cases])


def _with(each: Table, name: str, values: Scores) -> Table:
    rows = [{**row, name: float(value)} for row, value in zip(each.rows, values, strict=True)]
    return Table(rows, [bool(label) for label in each.labels], list(each.folds))


async def _known(name: str, cases: Sequence[Case], inputs: Inputs) -> list[dict[str, float]]:
    """The inputs of a set's cases, from the cache where they are there."""
    cache = os.environ.get("ASSAY_BENCH_CACHE")
    network = inputs.scorer.model.sha256[:12] if inputs.scorer else "none"
    path = Path(cache, f"evidence-{name}-{network}.json") if cache else None
    if path is not None and path.exists():
        return list(json.loads(path.read_text()))
    rows = await inputs.of(cases)
    if path is not None:
        path.write_text(json.dumps(rows))
    return rows


def report(cases: Mapping[str, list[Case]], found: Mapping[str, Mapping[str, Scores]]) -> dict[str, object]:
    """Print and return each system's AUROC, and its gap to the present one with the 95 % interval."""
    names = list(next(iter(found.values())))
    print(f"{'':14}" + "".join(f"{name:>15}" for name in names))
    rows: dict[str, dict[str, object]] = {}
    for name, each in cases.items():
        labels = np.array([case.sufficient for case in each])
        rows[name] = {"rows": len(each)}
        for system, odds in found[name].items():
            rows[name][system] = round(auroc(list(odds), list(labels)), 3)
            if system not in ("overlap", "present"):
                rows[name][f"{system} - present"] = _gap(each, labels, odds, found[name]["present"])
        print(f"{name:14}" + "".join(f"{rows[name][system]:15.3f}" for system in names))
    means = {system: round(float(np.mean([row[system] for row in rows.values()])), 3) for system in names}
    print(f"{'mean':14}" + "".join(f"{mean:15.3f}" for mean in means.values()))
    gaps = {system: mean_gap(cases, found, system) for system in names if system not in ("overlap", "present")}
    return {"sets": rows, "mean": means, "mean - present": gaps, "a fifth": fifth(cases, found)}


def _gap(cases: Sequence[Case], labels: NDArray[np.bool_], first: Scores, second: Scores) -> list[float]:
    apart = paired_bootstrap(
        lambda rows: auroc(list(first[rows]), list(labels[rows])),
        lambda rows: auroc(list(second[rows]), list(labels[rows])),
        [case.group for case in cases],
        resamples=300,
    )
    return [round(each, 3) for each in astuple(apart)[:3]]


def mean_gap(
    cases: Mapping[str, list[Case]], found: Mapping[str, Mapping[str, Scores]], system: str, resamples: int = 300
) -> list[float]:
    """How far the system's mean is above the present one's, groups drawn anew within each set."""
    draw = np.random.default_rng(0)
    ways = {name: _places(each) for name, each in cases.items()}

    def mean(drawn: Mapping[str, NDArray[np.intp]]) -> float:
        return float(np.mean([_apart(cases[name], found[name], system, rows) for name, rows in drawn.items()]))

    whole = mean({name: np.concatenate(places) for name, places in ways.items()})
    some = [
        mean({n: np.concatenate([p[at] for at in draw.integers(len(p), size=len(p))]) for n, p in ways.items()})
        for _ in range(resamples)
    ]
    return [round(float(each), 3) for each in (whole, *np.percentile(some, [2.5, 97.5]))]


def _places(cases: Sequence[Case]) -> list[NDArray[np.intp]]:
    places: dict[str, list[int]] = {}
    for at, case in enumerate(cases):
        places.setdefault(case.group, []).append(at)
    return [np.array(each) for each in places.values()]


def _apart(cases: Sequence[Case], found: Mapping[str, Scores], system: str, rows: NDArray[np.intp]) -> float:
    labels = [cases[at].sufficient for at in rows]
    return auroc(list(found[system][rows]), labels) - auroc(list(found["present"][rows]), labels)


def fifth(cases: Mapping[str, list[Case]], found: Mapping[str, Mapping[str, Scores]]) -> dict[str, float]:
    """The mean AUROC over the sets on fold 0 alone."""
    means: dict[str, list[float]] = {}
    for name, each in cases.items():
        rows = [at for at, case in enumerate(each) if case.fold == 0]
        labels = [each[at].sufficient for at in rows]
        for system, odds in found[name].items():
            means.setdefault(system, []).append(auroc(list(odds[rows]), labels))
    return {system: round(float(np.mean(each)), 3) for system, each in means.items()}


async def measured(tokens: Path, grader: Path | None) -> dict[str, object]:
    """Every system on every set."""
    embedder = KeptEmbedder.open()
    scorer = PairScorer.load(grader) if grader else None
    cases = {name: given(name) for name in SETS}
    found = await systems(cases, Inputs(embedder, TokenEncoder(tokens), scorer), embedder)
    if scorer is not None:
        cases, found = _unseen(cases, found)
    return report(cases, found) | {"network": scorer.model.id if scorer else None}


def _unseen(
    cases: Mapping[str, list[Case]], found: Mapping[str, Mapping[str, Scores]]
) -> tuple[dict[str, list[Case]], dict[str, dict[str, Scores]]]:
    """The cases that the network never saw, with their scores."""
    rows = {
        name: [at for at, case in enumerate(each) if name not in TRAIN or case.fold in UNSEEN]
        for name, each in cases.items()
    }
    return (
        {name: [cases[name][at] for at in kept] for name, kept in rows.items()},
        {name: {system: odds[rows[name]] for system, odds in found[name].items()} for name in cases},
    )


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tokens", type=Path, help="the model that models/grader/token_vectors.py wrote")
    parser.add_argument("--grader", type=Path, default=None, help="the folder of the evidence network")
    asked = parser.parse_args()
    write_result("grader", "evidence", asyncio.run(measured(asked.tokens, asked.grader)))


if __name__ == "__main__":
    main()
