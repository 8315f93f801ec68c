"""Does the network beside the present checks tell supported claims better than they do alone?

.venv/bin/python benchmarks/grader/run.py PAIRS GRADER TOKENS [--earlier FOLDER]

With --earlier, what earlier.py wrote of an earlier commit: the checks that the bars are set against.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import astuple, replace
from math import isnan
from pathlib import Path

import numpy as np
from alignment import with_alignment
from joined import NAMES, inputs, joined, line
from measured import FIFTH, MEANS, SETS, UNSEEN, Numbers, counted, gap, network, trees_odds
from rows import Labelled, every
from splits import KEPT_OUT

from assay.evals.metrics.auroc import auroc
from assay.models.grader import Pair, PairScorer

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import write_result

Rows = Mapping[str, np.ndarray]
Systems = Mapping[str, Mapping[str, Numbers]]
CANDIDATES = ("present", "aligned", "joined", "all")


def weakened(sets: Mapping[str, Labelled], odds: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """The log odds as probabilities, less what failed fact checks take."""
    return {name: each.left / (1 + np.exp(-odds[name])) for name, each in sets.items()}


def both_labels(sets: Mapping[str, Labelled], rows: Rows) -> tuple[str, ...]:
    """The sets that have both labels among the rows."""
    return tuple(name for name, each in sets.items() if 0 < each.supported[rows[name]].sum() < rows[name].sum())


def as_then(sets: Mapping[str, Labelled], folder: Path) -> dict[str, Labelled]:
    """The sets with the inputs that an earlier commit's checks gave."""
    made = {}
    for name, each in sets.items():
        then = np.load(folder / f"{name}.npz")
        made[name] = replace(each, names=tuple(map(str, then["names"])), inputs=then["inputs"], left=then["left"])
    return made


def table(
    title: str, sets: Mapping[str, Labelled], systems: Systems, folds: tuple[int, ...], base: str
) -> dict[str, object]:
    """Print and return the AUROC of each system on each set and mean, and the gap of each candidate to the base."""
    rows = {name: counted(name, each, folds) for name, each in sets.items()}
    usable = both_labels(sets, rows)
    print(f"\n{title}\n{'':24}{'rows':>6}" + "".join(f"{name:>12}" for name in systems))
    found: dict[str, dict[str, object]] = {}
    for name in (*usable, *MEANS):
        names = tuple(each for each in MEANS.get(name, (name,)) if each in usable)
        scores = {
            system: float(np.mean([auroc(s[each][rows[each]], sets[each].supported[rows[each]]) for each in names]))
            for system, s in systems.items()
        }
        gaps = {
            system: gap(names, sets, rows, systems[system], systems[base], 1000 if name in MEANS else 300)
            for system in CANDIDATES
            if system != base
        }
        count = sum(int(rows[each].sum()) for each in names)
        cells = "".join(f"{value:12.3f}" for value in scores.values())
        print(f"{name:24}{count:6}{cells}")
        for system, apart in gaps.items() if name in MEANS else ():
            print(f"    {system} - {base} {apart.difference:+.3f} [{apart.low:+.3f}, {apart.high:+.3f}]")
        key = f"mean of {name}" if name in MEANS else name
        found[key] = {"rows": count} | {system: round(value, 3) for system, value in scores.items()}
        for system, apart in gaps.items():
            found[key][f"{system} - {base}"] = [None if isnan(each) else round(each, 3) for each in astuple(apart)]
    return found


def cost(model: Path) -> float:
    """CPU milliseconds of a pair of 128 tokens, the median of runs of 10 pairs on one thread."""
    scorer = PairScorer.load(model, threads=1)
    word = "paper "
    pairs = [Pair(word * 25, word * 100)] * 10
    taken = []
    for _ in range(12):
        started = time.process_time()
        scorer.score_now(pairs)
        taken.append(100 * (time.process_time() - started))
    return float(np.median(taken[2:]))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", type=Path, help="the folder that models/grader/pairs.py wrote")
    parser.add_argument("grader", type=Path, help="the folder that models/grader/export_grader.py wrote")
    parser.add_argument("tokens", type=Path, help="the model that models/grader/token_vectors.py wrote")
    parser.add_argument("--earlier", type=Path, default=None, help="the folder that earlier.py wrote")
    asked = parser.parse_args()
    sets = every(SETS)
    trees, aligned = trees_odds(sets), trees_odds(with_alignment(sets, asked.tokens))
    graded = network(asked.pairs, asked.grader, sets)
    given = {name: inputs(each, trees[name], graded[name]) for name, each in sets.items()}
    everything = {name: inputs(each, aligned[name], graded[name]) for name, each in sets.items()}
    systems = {
        "overlap": {name: each.overlap for name, each in sets.items()},
        "present": weakened(sets, trees),
        "aligned": weakened(sets, aligned),
        "network": {name: each.whole for name, each in graded.items()},
        "joined": joined(sets, given),
        "all": joined(sets, everything),
    }
    tables = {"": "present"}
    if asked.earlier is not None:
        then = as_then(sets, asked.earlier)
        systems["issue A"] = weakened(then, trees_odds(then))
        tables[", above issue A's checks"] = "issue A"
    weights = line(sets, given, (0, 3, 4)).named_steps["logisticregression"].coef_[0]
    numbers = {
        "kept out": list(KEPT_OUT),
        **{
            title + told: table(title + told, sets, systems, folds, base)
            for told, base in tables.items()
            for title, folds in {"a fifth": FIFTH, "unseen": UNSEEN}.items()
        },
        "weights of the line, inputs of variance 1": dict(
            zip(NAMES, (round(float(each), 3) for each in weights), strict=True)
        ),
        "CPU ms of a pair of 128 tokens": round(cost(asked.grader), 1),
    }
    write_result("grader", "support", numbers)


if __name__ == "__main__":
    main()
