"""Promised against realised risk over random splits, and how much is still shown.

.venv/bin/python benchmarks/risk/run.py           # all
.venv/bin/python benchmarks/risk/run.py claims    # one

Each split halves the groups: a threshold is chosen on one half, and what it shows of the other half is counted. The
oracle chooses its threshold with the labels of the other half in sight. Scores: benchmarks/calibration.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "calibration"))
from scored import KEPT_OUT, Scored, fitted_on, joined, scored

from assay.calibration.curves import has_shifted
from assay.calibration.fit import Rung
from assay.calibration.risk_guarantee import STARTS, STRICTEST, RiskGuarantee, best_guarantee, guarantee
from assay.evals.fitting import ladder, oracle_share, realised
from assay.wiring.calibrated import supported_rungs

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import bundled_checker, write_result

SPLITS = 100
RUNGS = 200
RISKS = (0.05, 0.10, 0.20)


def halves(rows: Scored, seed: int) -> tuple[Scored, Scored]:
    """The rows parted by group."""
    names, inverse = np.unique(np.array(rows.groups), return_inverse=True)
    first = np.random.default_rng(seed).permutation(len(names))[: len(names) // 2]
    here = np.isin(inverse.reshape(-1), first)
    return rows.at(np.flatnonzero(here)), rows.at(np.flatnonzero(~here))


def steps(kind: str, rows: Scored) -> tuple[Rung, ...]:
    """The ladder of the rows; of claims the part that is called supported, as `assay check` takes it."""
    found = ladder(rows.scores.tolist(), (~rows.happened).tolist(), rows.groups, RUNGS)
    return supported_rungs(found, bundled_checker().model.policy.supported) if kind == "claims" else found


def kept_by(kind: str, rows: Scored, risk: float) -> RiskGuarantee | None:
    """The promise as the program makes it."""
    return guarantee(steps(kind, rows), risk, starts=starts(kind))


def starts(kind: str) -> tuple[float, ...]:
    """Where the tests begin, as in the program."""
    return STRICTEST if kind == "claims" else STARTS


def over_splits(kind: str, rows: Scored, risk: float) -> dict[str, object]:
    """How often a promise was made and broken, what it shows, and what the oracle could."""
    broken, made, shares, oracles, risks = 0, 0, [], [], []
    for seed in range(SPLITS):
        fitted, live = halves(rows, seed)
        oracles.append(oracle_share(live.scores.tolist(), (~live.happened).tolist(), risk))
        kept = kept_by(kind, fitted, risk)
        if kept is None:
            shares.append(0.0)
            continue
        there = realised(live.scores.tolist(), (~live.happened).tolist(), kept.threshold)
        made += 1
        broken += there.wrong > risk * there.shown
        shares.append(there.shown / len(live.scores))
        risks.append(there.wrong / max(1, there.shown))
    return {
        "promised": made,
        "broken": broken,
        "mean realised risk": round(float(np.mean(risks)), 4) if risks else None,
        "share shown": round(float(np.mean(shares)), 4),
        "oracle's share": round(float(np.mean(oracles)), 4),
        "of the oracle's": round(float(np.mean(shares) / np.mean(oracles)), 3) if np.mean(oracles) else None,
    }


def elsewhere(kind: str, risk: float) -> dict[str, object] | None:
    """The threshold of all fitted sets on each domain kept out, and whether the alarm is raised there."""
    sets = scored(kind)
    rows = joined(list(fitted_on(kind, sets).values()))
    kept = kept_by(kind, rows, risk)
    if kept is None or not KEPT_OUT[kind]:
        return None
    found: dict[str, object] = {}
    for name in KEPT_OUT[kind]:
        each = sets[name]
        there = realised(each.scores.tolist(), (~each.happened).tolist(), kept.threshold)
        order = np.random.default_rng(0).permutation(len(each.scores))
        found[name] = {
            "shown": there.shown,
            "risk": round(there.wrong / there.shown, 3) if there.shown else None,
            "alarm": has_shifted(each.scores[order].tolist(), rows.scores.tolist()),
        }
    return found


def main() -> None:
    """Split, count, write, for the kinds that are named, or all."""
    for kind in sys.argv[1:] or KEPT_OUT:
        rows = joined(list(fitted_on(kind, scored(kind)).values()))
        best = best_guarantee(steps(kind, rows), starts=starts(kind))
        numbers = {
            "splits": SPLITS,
            "confidence": 0.9,
            "n": len(rows.scores),
            "wrong": round(float((~rows.happened).mean()), 3),
            "best promise": None if best is None else best.to_dict(),
            **{f"{risk:.2f}": over_splits(kind, rows, risk) for risk in RISKS},
            "under shift": {f"{risk:.2f}": elsewhere(kind, risk) for risk in RISKS},
        }
        write_result("risk", kind, numbers)


if __name__ == "__main__":
    main()
