"""The error of the shipped calibrations within what they were fitted on, and on domains that they never saw.

.venv/bin/python benchmarks/calibration/run.py           # all
.venv/bin/python benchmarks/calibration/run.py claims    # one
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scored import KEPT_OUT, Scored, fitted_on, joined, names, scored

from assay.calibration.curves import LEAST, has_shifted
from assay.calibration.fit import Fit
from assay.calibration.shipped import shipped
from assay.evals.fitting import alike, by_logistic, measured

sys.path.insert(0, str(Path(__file__).parents[1]))
from report import write_result

# The share of a domain's questions that must be shown as calibrated for it to count.
SHOWN = 0.6


def shown_as_calibrated(scores: np.ndarray, fit: Fit) -> np.ndarray:
    """Which rows would be shown as calibrated, were they asked one after the other in a shuffled order."""
    order = np.random.default_rng(0).permutation(len(scores))
    live = scores[order].tolist()
    kept = np.zeros(len(scores), dtype=bool)
    for n, at in enumerate(order):
        kept[at] = not has_shifted(live[:n], fit.reference)
    return kept


def error(rows: Scored, probabilities: np.ndarray) -> dict[str, object]:
    """ECE, Brier score and bins."""
    found = measured(probabilities.tolist(), rows.happened.tolist())
    bins = [[each.n, round(each.predicted, 3), round(each.observed, 3)] for each in found.bins]
    return {"n": found.n, "ece": found.ece, "brier": found.brier, "bins": bins}


def left_out(kind: str, sets: Mapping[str, Scored]) -> dict[str, object]:
    """The pooled error when each set is judged by a curve fitted on the others."""
    found = []
    for name, each in sets.items():
        others = {key: other for key, other in sets.items() if key != name}
        rest, weights = joined(list(others.values())), alike(names(others)) if kind == "claims" else None
        curve = by_logistic(rest.scores.tolist(), rest.happened.tolist(), weights)
        found.append(np.array([curve.probability(float(one)) for one in each.scores]))
    return error(joined(list(sets.values())), np.concatenate(found))


def of_kind(kind: str) -> dict[str, object]:
    """Every figure of one fit."""
    sets, fit = scored(kind), shipped()[kind]
    inner = fitted_on(kind, sets)
    within = fit.measured
    body: dict[str, object] = {
        "within, out of fold": {
            "n": within.n,
            "ece": within.ece,
            "brier": within.brier,
            "bins": [[each.n, round(each.predicted, 3), round(each.observed, 3)] for each in within.bins],
        }
    }
    if len(inner) > 1:
        body["within, set left out"] = left_out(kind, inner)
    if KEPT_OUT[kind]:
        body["kept out"] = kept_out(kind, {name: sets[name] for name in KEPT_OUT[kind]}, fit)
    return body


def kept_out(kind: str, sets: Mapping[str, Scored], fit: Fit) -> dict[str, object]:
    """The domains that nothing was fitted on: what is shown as calibrated there, and its pooled error."""
    shown = {name: shown_of(kind, name, each, fit) for name, each in sets.items()}
    counted = [name for name, kept in shown.items() if kept.mean() >= SHOWN]
    body: dict[str, object] = {
        "domains": {
            name: {
                "n": len(each.scores),
                "shown as calibrated": round(float(shown[name].mean()), 3),
                "ece of all": error(each, probabilities(each, fit))["ece"],
            }
            for name, each in sets.items()
        },
        "domains with at least .6 shown as calibrated": counted,
        "all that is shown as calibrated": pooled(sets, shown, list(sets), fit),
    }
    if counted:
        body["shown as calibrated in those domains"] = pooled(sets, shown, counted, fit)
    return body


def shown_of(kind: str, name: str, rows: Scored, fit: Fit) -> np.ndarray:
    """Which rows of a set would be shown as calibrated; of answers by the evidence of all that was asked."""
    if kind != "answers":
        return shown_as_calibrated(rows.scores, fit)
    asked = scored("asked")[name]
    return shown_as_calibrated(asked.scores, fit)[asked.happened]


def pooled(
    sets: Mapping[str, Scored], shown: Mapping[str, np.ndarray], names: list[str], fit: Fit
) -> dict[str, object]:
    """The error over the rows of several domains that are shown as calibrated."""
    rows = joined([sets[name].at(np.flatnonzero(shown[name])) for name in names])
    return error(rows, probabilities(rows, fit))


def probabilities(rows: Scored, fit: Fit) -> np.ndarray:
    """The shipped probability of each row."""
    return np.array([fit.probability(float(each)) for each in rows.scores])


def main() -> None:
    """Measure the kinds that are named, or all; print, write."""
    for kind in sys.argv[1:] or KEPT_OUT:
        write_result("calibration", kind, {"least signals": LEAST, **of_kind(kind)})


if __name__ == "__main__":
    main()
