"""The sufficiency of every labelled case of given passages: `scored/evidence.json` of the cache.

    .venv/bin/python benchmarks/calibration/evidence.py

The judge's weights are refitted without the case's fold for the sets that they were fitted on. Cases that are
judged by words alone are left out: the fit is of the judge with its embedding model.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "judge"))
from cases import TRAIN, Case, KeptEmbedder, given, open_reader
from fit import GIVEN_READ as GIVEN
from learning import Table, out_of_fold
from scored import KEPT_OUT, Scored, keep

from assay.calibration.curves import FITTED_MODE
from assay.core.stages import Reader
from assay.judging.reader_judge import HeuristicJudge
from assay.judging.signals import load_weights
from assay.types import Judgement

# Questions of their own, labelled like the rest of their domain, that lie beside its `evidence.jsonl`.
BESIDE = {"climate-fever": ("evidence.jsonl", "conflict.jsonl"), "newspolluted": ("conflict.jsonl",)}


def cases_of(name: str) -> list[Case]:
    """Every labelled case of a set."""
    return [case for file in BESIDE.get(name, ("evidence.jsonl",)) for case in given(name, file=file)]


async def judged(cases: Sequence[Case], embedder: KeptEmbedder, reader: Reader) -> list[Judgement]:
    """What the shipped judge says of each case."""
    judge = HeuristicJudge(embedder, reader=reader)
    return [await judge.judge(case.question, case.evidence) for case in cases]


async def main() -> None:
    """Judge, refit, write."""
    embedder, reader = KeptEmbedder.open(), open_reader()
    cases = {name: cases_of(name) for name in (*TRAIN, *KEPT_OUT["evidence"])}
    found = {name: await judged(each, embedder, reader) for name, each in cases.items()}
    embedder.keep()
    tables = {
        name: Table(
            [dict.fromkeys(GIVEN, 0.0) | dict(one.signals) for one in found[name]],
            [case.sufficient for case in cases[name]],
            [case.fold for case in cases[name]],
        )
        for name in TRAIN
    }
    calibrated = load_weights().given_read.calibration
    scores = {name: np.array([one.sufficiency or 0.0 for one in each]) for name, each in found.items()}
    for name, table in tables.items():
        refitted = out_of_fold(table, list(tables.values()), GIVEN)
        scores[name] = np.array([calibrated.probability(float(each)) for each in refitted])
    by_vectors = {name: np.array([one.mode_used == FITTED_MODE for one in each]) for name, each in found.items()}
    keep(
        "evidence",
        {
            name: Scored(scores[name], np.array([c.sufficient for c in each]), tuple(c.group for c in each)).at(
                np.flatnonzero(by_vectors[name])
            )
            for name, each in cases.items()
        },
    )


if __name__ == "__main__":
    asyncio.run(main())
