"""Fit src/assay/judging/weights.json.

Weights are fitted on the sets of given passages whose licence allows it (`cases.TRAIN`), those of `searched` with
the passages' titles, which the other two may not have. Calibrations are fitted
on out-of-fold scores: of `searched` on the questions over wiki-mix, of `given` and `words` on the training sets.

    .venv/bin/python benchmarks/judge/fit.py
    .venv/bin/python benchmarks/judge/fit.py searched_read    # one of them, the others as they are

With a reader, evidence that a search found is fitted on the written questions, too: they are asked of a collection,
and the reader saw none of them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from cases import ASKED, ROOT, TRAIN, Case, KeptEmbedder, asked, given, open_reader, written
from learning import Table, calibrate, fit, out_of_fold

from assay.core.stages import Reader
from assay.judging.reader_judge import HeuristicJudge

TARGET = ROOT / "src" / "assay" / "judging" / "weights.json"
# Chosen by forward selection on the training sets, out of fold and leaving one set out.
SEARCHED = ("cosine_best", "reached", "beyond", "names", "typed")
GIVEN = ("cover_all", "rare", "typed", "cosine_best", "reached")
WORDS = ("cover_all", "pairs", "rare", "answer")
# With a reader: its signals beside those above; a signal that tells nothing more gets no weight.
READ = ("reader_best", "reader_second", "reader_third")
SEARCHED_READ, GIVEN_READ = (*SEARCHED, *READ), (*GIVEN, *READ)
# The share of sufficient cases for which probabilities are stated. Four of five questions put to a collection: at
# this share the default threshold of .7 refuses two of three wiki-mix questions that have no answer. Three of five
# sets of passages from elsewhere: below .7, so that signals which tell nothing do not end in an answer.
WRITTEN = "written"
PRIORS = {"searched": 0.8, "given": 0.6, "words": 0.6, "searched_read": 0.8, "given_read": 0.6}


async def tables(
    embedder: KeptEmbedder | None, reader: Reader | None = None, *, titles: bool = False
) -> dict[str, Table]:
    """The signals of every case of the training sets."""
    return {name: await table(given(name, titles=titles), embedder, reader) for name in TRAIN}


async def table(cases: Sequence[Case], embedder: KeptEmbedder | None, reader: Reader | None = None) -> Table:
    """The judge's signals of the cases; 0 where it could measure none."""
    judge = HeuristicJudge(embedder, reader=reader)
    rows = [(await judge.judge(case.question, case.evidence)).signals for case in cases]
    names = {name for row in rows for name in row}
    return Table(
        [{name: row.get(name, 0.0) for name in names} for row in rows],
        [case.sufficient for case in cases],
        [case.fold for case in cases],
    )


def calibration(part: str, found: Sequence[np.ndarray], labels: Sequence[np.ndarray]) -> dict[str, float]:
    """The calibration of one model's out-of-fold scores, each set counting alike."""
    least = min(len(each) for each in labels)
    take = [np.linspace(0, len(each) - 1, least).astype(int) for each in labels]
    scores = np.concatenate([each[rows] for each, rows in zip(found, take, strict=True)])
    truths = np.concatenate([each[rows] for each, rows in zip(labels, take, strict=True)])
    slope, intercept = calibrate(scores, truths, PRIORS[part])
    return {"slope": round(slope, 4), "intercept": round(intercept, 4)}


def model(part: str, names: Sequence[str], trained: dict[str, Table], on: dict[str, Table]) -> dict[str, object]:
    """One model: weights of all training sets, calibration on the out-of-fold scores of the sets in `on`."""
    training = list(trained.values())
    scores = [out_of_fold(each, training, names) for each in on.values()]
    weights = {name: round(weight, 4) for name, weight in fit(training, names).items()}
    return {"weights": weights, "calibration": calibration(part, scores, [each.labels for each in on.values()])}


async def main() -> None:
    """Measure, fit, write."""
    embedder, reader = KeptEmbedder.open(), open_reader()
    both, titled = await tables(embedder, reader), await tables(embedder, reader, titles=True)
    plain = await tables(None)
    search = {ASKED: await table(await asked(embedder), embedder, reader)}
    natural = {WRITTEN: await table(written(), embedder, reader)}
    embedder.keep()
    result: dict[str, object] = {
        "provenance": {
            "fitted": True,
            "script": "benchmarks/judge/fit.py",
            "date": datetime.now(UTC).date().isoformat(),
            "embedding_model": embedder.model.id,
            "reader": reader.model.id,
            "trained_on": {name: len(each.labels) for name, each in both.items()},
            "calibrated_on": {
                "searched": ASKED,
                "given": "trained_on",
                "words": "trained_on",
                "searched_read": [ASKED, WRITTEN],
                "given_read": "trained_on",
            },
            "priors": PRIORS,
        },
        "searched": model("searched", SEARCHED, titled, search),
        "given": model("given", GIVEN, both, both),
        "words": model("words", WORDS, plain, plain),
        "searched_read": model("searched_read", SEARCHED_READ, titled | natural, search | natural),
        "given_read": model("given_read", GIVEN_READ, both, both),
    }
    if sys.argv[1:]:
        result = json.loads(TARGET.read_text()) | {name: result[name] for name in ("provenance", *sys.argv[1:])}
    TARGET.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
