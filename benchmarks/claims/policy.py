"""Fit what a checker's verdicts settle, on the signals that signals.py kept.

    .venv/bin/python benchmarks/claims/policy.py OUT.json [CHECKER]

The line is fitted on the natural claims of the genre that was held out and on the labelled sets that may be fitted
on: each set counts alike, within it both labels, the natural claims half as much again as all labelled sets. For
these, words and vectors speak by trees that saw nothing of the claim's group. The bars come from the natural claims
alone; those over written passages and over documentations are only measured. models/reader/export_reader.py takes
OUT.json. With CHECKER, the one of the hub that the signals are of (what `--checker` takes), OUT.json is the
`claim_policy.json` of its folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
from fit import calibration, out_of_fold
from rows import ALL, FITTED, OTHERS, SUMMEDITS, every
from signals import NATURAL, Signals, kept

from assay.calibration import ClaimPolicy
from assay.calibration.claims import Aims, Bars, Line, balanced, bars, line
from assay.evals.metrics import auroc
from assay.settings import load_settings
from assay.verification.verdict import INPUTS, NEVER_ABOVE
from assay.wiring.networks import open_checker_network
from report import write_result

NAMES = tuple(sorted(INPUTS))
# Below what issue G allows: 3 and 6 %. The thousands of claims need no bound for those to come.
AIMS = Aims(passed=0.025, flagged=0.04, precision=0.9, unseen=False)
# The natural claims count so much of what the labelled sets count together.
NATURAL_WEIGHT = 1.5


def trees_out_of_fold() -> dict[str, np.ndarray]:
    """What words and vectors say of the labelled sets, as log odds of trees that saw nothing of a claim's group."""
    sets = every(ALL)
    odds = out_of_fold(sets)
    slope, shift = calibration(sets, odds)
    return {name: slope * each + shift for name, each in odds.items()}


def compared(some: Sequence[Signals]) -> list[int]:
    """The places of those that the line rules on."""
    return [at for at, each in enumerate(some) if not each.quoted and each.checker and each.aligned is not None]


def with_quotes(some: Sequence[Signals], p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The support of all claims of a set, 1 of those that are quoted, 0 where nothing was compared; the labels."""
    found = np.array([float(each.quoted) for each in some])
    found[compared(some)] = p
    return found, np.array([each.label == "supports" for each in some])


def fitted(sets: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Line:
    """The line on these sets, each counted as the head of this file says."""
    rows = [dict(zip(NAMES, row, strict=True)) for inside, _ in sets.values() for row in inside]
    counts = [
        balanced(supported) * (NATURAL_WEIGHT if name in NATURAL else 1 / len(FITTED))
        for name, (_, supported) in sets.items()
    ]
    labels = np.concatenate([supported for _, supported in sets.values()])
    return line(rows, labels, np.concatenate(counts), never_above=NEVER_ABOVE)


def bars_of(some: Sequence[Signals], p: np.ndarray) -> Bars:
    """From which probabilities on claims are settled: those of `ClaimPolicy`."""
    true = np.array([each.label == "supports" for each in some])
    wrong = np.array([each.label == "contradicts" for each in some])
    against = np.array([each.checker[1] if each.checker else 0.0 for each in some])
    return bars(p, true, wrong, against, np.array([each.is_vetoed for each in some]), AIMS)


def main() -> None:
    """Fit, print, write."""
    apart = trees_out_of_fold()
    sets: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    trees: dict[str, np.ndarray] = {}
    every_set = {name: kept(name) for name in (*NATURAL, *ALL)}
    some = {name: found for name, found in every_set.items() if found}  # of one set all groups taught the checker
    for name, found in some.items():
        places = compared(found)
        own = apart.get(name)
        told = (found[at].inputs(None if own is None else float(own[int(found[at].id)])) for at in places)
        rows = [[each[name] for name in NAMES] for each in told]
        sets[name] = np.array(rows), np.array([found[at].label == "supports" for at in places])
        trees[name] = sets[name][0][:, NAMES.index("trees")]
    found_line = fitted({name: sets[name] for name in ("genre", *FITTED) if name in sets})
    weights = np.array([found_line.weights.get(name, 0.0) for name in NAMES])
    p = {name: 1 / (1 + np.exp(-(rows @ weights + found_line.shift))) for name, (rows, _) in sets.items()}
    print(*(f"{name:22}{weight:8.3f}" for name, weight in zip(NAMES, weights, strict=True)), sep="\n")
    print(f"{'shift':22}{found_line.shift:8.3f}")
    checker = NAMES.index("checker")
    print(f"{'set':24}{'n':>6}  joined  trees  checker")
    for name, (rows, supported) in sets.items():
        told = (auroc(each, supported) for each in (p[name], trees[name], rows[:, checker]))
        print(f"{name:24}{len(supported):6}  " + "  ".join(f"{each:.3f}" for each in told))
    joined = {name: round(float(auroc(*with_quotes(found, p[name]))), 3) for name, found in some.items()}
    means = {
        f"mean of the {what}": round(float(np.mean([joined[name] for name in names if name in some])), 3)
        for what, names in (("six support sets", OTHERS), ("edited summaries", SUMMEDITS))
    }
    write_result("claims", "labelled", means | {name: joined[name] for name in some})
    found = [some["genre"][at] for at in compared(some["genre"])]
    policy = ClaimPolicy(
        {name: round(float(weight), 4) for name, weight in zip(NAMES, weights, strict=True) if weight},
        round(found_line.shift, 4),
        **{name: value and round(value, 4) for name, value in asdict(bars_of(found, p["genre"])).items()},
    )
    print(policy)
    body = asdict(policy)
    if len(sys.argv) > 2:
        opened = open_checker_network(load_settings({"checker": sys.argv[2]}).settings)
        assert opened is not None, "name the checker that the signals are of"
        body = {"made_for": opened.checker.model.sha256, "policy": body}
    Path(sys.argv[1]).write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
