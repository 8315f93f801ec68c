"""Fit the model of sentences that say that the sources do not tell something.

    .venv/bin/python models/absence/train.py

Reads models/data/absence (sentences of two hands over different domains) and, as further sentences that are none,
claims of models/data/claims that deny nothing; prints how a fit on each hand does on the
other, and writes src/assay/verification/absence.json, fitted on both. Takes seconds, in the project's environment.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assay.nlp.negation import negations
from assay.verification.negation import runs

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "models" / "data" / "absence" / "absence.jsonl.gz"
CLAIMS = ROOT / "models" / "data" / "claims"
OUT = ROOT / "src" / "assay" / "verification" / "absence.json"
# A run in fewer sentences tells nothing; the weight of the squares of all weights; steps of Adam, their size.
FEWEST, PENALTY, STEPS, SIZE = 2, 1e-3, 800, 0.05
# At .5 a fit on one hand is right of 96 and 98 of 100 sentences of the other; at .3 of 91 and 92, and finds more.
BAR = 0.5
# Claims that deny nothing for each hand: in answers, too, few sentences say that something is not told.
PLAIN = 2_000


def fitted(rows: Sequence[dict]) -> dict:
    """The model of some sentences: logistic regression, penalised by the squares (Adam, Kingma and Ba 2015)."""
    counts = Counter(run for row in rows if "plain" not in row for run in runs(row["text"]))
    names = sorted(run for run, count in counts.items() if count >= FEWEST)
    at = {name: place for place, name in enumerate(names)}
    inputs = np.zeros((len(rows), len(names) + 1))
    inputs[:, -1] = 1
    for number, row in enumerate(rows):
        inputs[number, [at[run] for run in runs(row["text"]) if run in at]] = 1
    wanted = np.array([row["absent"] for row in rows], dtype=float)
    weights, first, second = (np.zeros(len(names) + 1) for _ in range(3))
    penalty = np.append(np.full(len(names), PENALTY), 0)
    for step in range(1, STEPS + 1):
        found = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (found - wanted) / len(rows) + penalty * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= SIZE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    kept = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=False)}
    return {"bias": round(float(weights[-1]), 3), "threshold": BAR, "weights": kept}


def told(model: dict, rows: Sequence[dict]) -> str:
    """How the model does on sentences that it was not fitted on."""
    odds = [model["bias"] + sum(model["weights"].get(run, 0.0) for run in runs(row["text"])) for row in rows]
    over = [row["absent"] for row, each in zip(rows, odds, strict=True) if 1 / (1 + np.exp(-each)) >= BAR]
    absent = sum(row["absent"] for row in rows)
    return f"n {len(rows)}: precision {sum(over) / len(over):.3f}, found {sum(over) / absent:.3f}"


def read(path: Path) -> list[dict]:
    """The rows of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    """Fit on each hand and print, fit on both and write."""
    rows = read(DATA)
    claims = [row["claim"] for name in ("claims", "documentation") for row in read(CLAIMS / f"{name}.jsonl.gz")]
    plain = random.Random(0).sample([each for each in claims if not negations(each)], 2 * PLAIN)
    rows += [
        {"text": each, "absent": False, "hand": ("one", "two")[at % 2], "plain": True}
        for at, each in enumerate(plain)
    ]
    for hand in ("one", "two"):
        mine, others = ([row for row in rows if (row["hand"] == hand) is own] for own in (True, False))
        print(f"fitted on hand {hand}, measured on the other:", told(fitted(mine), others))
    OUT.write_text(json.dumps(fitted(rows), ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
