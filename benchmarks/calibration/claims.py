"""The support of every labelled claim, by trees that saw nothing of its group: `scored/claims.json` of the cache.

As in the program, a claim that the source says word for word has 1; one that breaks off has none and is left out.

    ASSAY_BENCH_CACHE=/tmp/check .venv/bin/python benchmarks/calibration/claims.py

The inputs of the trees are kept in the same folder, as benchmarks/check does.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
from fit import calibration, out_of_fold
from rows import ALL, Labelled, every, passage, raw
from scored import Scored, keep

from assay.types import Passage
from assay.verify.broken_off import breaks_off
from assay.verify.cases import Task, quotes_of
from assay.verify.claims import whole


def main() -> None:
    """Score out of fold, calibrate as benchmarks/check/fit.py does, take what failed fact checks take."""
    sets = every(ALL)
    odds = out_of_fold(sets)
    slope, shift = calibration(sets, odds)
    by_trees = {name: each.left / (1 + np.exp(-(slope * odds[name] + shift))) for name, each in sets.items()}
    keep("claims", {name: _as_told(name, by_trees[name], each) for name, each in sets.items()})


def _as_told(name: str, by_trees: np.ndarray, rows: Labelled) -> Scored:
    """The support that the program gives each claim, those without any left out."""
    said = [_said(row["claim"], passage(row["context"])) for row in raw(name)]
    scores = np.array([1.0 if quoted else score for quoted, score in zip(said, by_trees, strict=True)])
    measured = np.array([quoted is not None for quoted in said])
    return Scored(scores, rows.supported, rows.groups).at(np.flatnonzero(measured))


def _said(claim: str, source: Passage) -> bool | None:
    """Whether the source says the claim word for word; None for a claim that breaks off, or none at all."""
    stated = tuple(whole(claim, ()))
    if not stated or any(breaks_off(each.text) for each in stated):
        return None
    return None not in quotes_of(Task(claim, (), stated, (source,), (source,), False))


if __name__ == "__main__":
    main()
