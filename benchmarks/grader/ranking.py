"""Does a grader put the best ten passages of a search in a better order? nDCG@10 on the six labelled sets.

    ASSAY_BENCH_CACHE=FOLDER .venv/bin/python benchmarks/grader/ranking.py GRADER

The weight of the network's log odds beside the search's score is chosen for each set on the other five, of a few;
the one to ship is chosen on all six. Weight 0 is the search alone.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.calibration import Joining
from assay.evals.metrics.bootstrap import paired_bootstrap
from assay.evals.metrics.ranking import ndcg
from assay.models.grader import PairScorer
from assay.retrieve.graded import READ, ordered, pairs_of
from assay.retrieve.hybrid import HybridRetriever
from assay.types import Hit, SearchSettings
from report import write_result
from retrieval.sets import PUBLISHED_BM25, RetrievalSet, load

WEIGHTS = (0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
Gains = Mapping[float, np.ndarray]


async def measured(chosen: RetrievalSet, scorer: PairScorer, folder: Path) -> dict[float, np.ndarray]:
    """The nDCG@10 of each question, by weight."""
    index = await chosen.open(folder)
    retriever = HybridRetriever(index, chosen.embedder, SearchSettings(k=READ))
    found: dict[float, list[float]] = {weight: [] for weight in WEIGHTS}
    for query in chosen.queries:
        hits = (await retriever.retrieve((query["text"],))).hits
        scores = scorer.score_now(pairs_of(query["text"], hits))
        for weight in WEIGHTS:
            joining = Joining({"search": 1.0, "passage": weight}, 0.0)
            found[weight].append(_gain(ordered(hits, scores, joining), chosen.relevant[query["id"]]))
    await index.close()
    return {weight: np.array(values) for weight, values in found.items()}


def _gain(hits: Sequence[Hit], relevant: Mapping[str, float]) -> float:
    return ndcg([hit.passage.document_id for hit in hits], relevant)


def best(sets: Mapping[str, Gains]) -> float:
    """The weight of the highest mean over the sets."""
    return max(WEIGHTS, key=lambda weight: float(np.mean([each[weight].mean() for each in sets.values()])))


def told(name: str, sets: Mapping[str, Gains]) -> dict[str, object]:
    """One set under the weight that the others choose, beside the search alone."""
    weight = best({other: each for other, each in sets.items() if other != name})
    graded, alone = sets[name][weight], sets[name][0.0]
    apart = paired_bootstrap(
        lambda rows: float(graded[rows].mean()),
        lambda rows: float(alone[rows].mean()),
        [str(n) for n in range(len(alone))],
    )
    return {
        "questions": len(alone),
        "search": round(float(alone.mean()), 4),
        "graded": round(float(graded.mean()), 4),
        "weight": weight,
        "difference": round(apart.difference, 4),
        "interval": [round(apart.low, 4), round(apart.high, 4)],
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("grader", type=Path, help="the folder that models/grader/export_grader.py wrote")
    asked = parser.parse_args()
    scorer = PairScorer.load(asked.grader)
    sets = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in PUBLISHED_BM25:
            sets[name] = asyncio.run(measured(load(name), scorer, Path(folder)))
            print(name, {weight: round(float(each.mean()), 4) for weight, each in sets[name].items()}, flush=True)
    rows = {name: told(name, sets) for name in sets}
    means = {str(weight): round(float(np.mean([s[weight].mean() for s in sets.values()])), 4) for weight in WEIGHTS}
    numbers = {
        "grader": scorer.model.id,
        "sets": rows,
        "mean difference": round(float(np.mean([each["difference"] for each in rows.values()])), 4),
        "means by weight": means,
        "weight of all six": best(sets),
    }
    for name, each in rows.items():
        print(name, each)
    print({key: value for key, value in numbers.items() if key != "sets"})
    write_result("grader", "ranking", numbers)


if __name__ == "__main__":
    main()
