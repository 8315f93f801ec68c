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
from scipy.optimize import minimize
from signals import NATURAL, Signals, kept

from assay.build.checking import open_checker
from assay.calibration import ClaimPolicy
from assay.evals.metrics.auroc import auroc
from assay.settings import load_settings
from assay.verify.entailed import INPUTS, WEIGHED
from report import write_result

NAMES = tuple(sorted(INPUTS))
# No failed check speaks for a claim.
NEVER_ABOVE = frozenset(f"failed {name}" for name in WEIGHED)
# Of the false claims so many may be called supported, of the true ones so many not borne out: below what issue G
# allows of each. A claim called contradicted is to be so with this precision.
PASSED, FLAGGED, PRECISION = 0.028, 0.04, 0.9
# The natural claims count so much of what the labelled sets count together.
NATURAL_WEIGHT = 1.5
PENALTY = 1e-3


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


def fitted(sets: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The weights, the shift last."""
    rows, labels, weights = [], [], []
    for name, (inside, supported) in sets.items():
        counts = NATURAL_WEIGHT if name in NATURAL else 1 / len(FITTED)
        share = supported.mean()
        rows.append(inside)
        labels.append(supported)
        weights.append(np.where(supported, 0.5 / share, 0.5 / (1 - share)) * counts / len(supported))
    x, y, w = np.concatenate(rows), np.concatenate(labels).astype(float), np.concatenate(weights)
    scale = x.std(0) + 1e-9

    def lost(beta: np.ndarray) -> tuple[float, np.ndarray]:
        z = x / scale @ beta[:-1] + beta[-1]
        p = 1 / (1 + np.exp(-z))
        slope = w * (p - y)
        value = (w * (np.logaddexp(0, z) - y * z)).sum() + PENALTY * (beta[:-1] ** 2).sum()
        return value, np.append((x / scale).T @ slope + 2 * PENALTY * beta[:-1], slope.sum())

    limits = [(None, 0.0) if name in NEVER_ABOVE else (None, None) for name in NAMES]
    found = minimize(lost, np.zeros(len(NAMES) + 1), jac=True, method="L-BFGS-B", bounds=[*limits, (None, None)])
    return np.append(found.x[:-1] / scale, found.x[-1])


def bars(some: Sequence[Signals], p: np.ndarray) -> dict[str, float]:
    """From which probabilities on claims are settled: those of `ClaimPolicy`."""
    true = np.array([each.label == "supports" for each in some])
    wrong = np.array([each.label == "contradicts" for each in some])
    against = np.array([each.checker[1] if each.checker else 0.0 for each in some])
    unsupported = float(np.quantile(p[true], FLAGGED))
    flagged = p < unsupported
    contradicted = 1.0
    for bar in np.unique(against[flagged])[::-1]:
        above = flagged & (against >= bar)
        if above.sum() >= 20 and wrong[above].mean() < PRECISION:
            break
        contradicted = float(bar)
    passing = np.sort(np.where([each.is_vetoed for each in some], 0.0, p)[~true])[::-1]
    return {
        "supported": float(passing[int(PASSED * len(passing))]),
        "unsupported": unsupported,
        "contradicted": contradicted,
    }


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
    weights = fitted({name: sets[name] for name in ("genre", *FITTED) if name in sets})
    p = {name: 1 / (1 + np.exp(-(rows @ weights[:-1] + weights[-1]))) for name, (rows, _) in sets.items()}
    print(*(f"{name:22}{weight:8.3f}" for name, weight in zip((*NAMES, "shift"), weights, strict=True)), sep="\n")
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
        {name: round(float(weight), 4) for name, weight in zip(NAMES, weights[:-1], strict=True) if weight},
        round(float(weights[-1]), 4),
        **{name: round(value, 4) for name, value in bars(found, p["genre"]).items()},
    )
    print(policy)
    body = asdict(policy)
    if len(sys.argv) > 2:
        opened = open_checker(load_settings({"checker": sys.argv[2]}).settings)
        assert opened is not None, "name the checker that the signals are of"
        body = {"made_for": opened.checker.model.sha256, "policy": body}
    Path(sys.argv[1]).write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
