"""How well each way of searching ranks: nDCG@10 on six labelled sets, one passage a document.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/retrieval/run.py [SET ...]

Bars: the mean of hybrid - max(dense, sparse) at least .045; hybrid measurably below the better one (paired
bootstrap over questions) on no set; our BM25 at least the published column - .01.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.evals.metrics import Rows, ndcg, paired_bootstrap
from assay.retrieval.hybrid import HybridRetriever
from assay.types import SearchMode, SearchSettings
from report import write_result
from retrieval.sets import PUBLISHED_BM25, RetrievalSet, load

WAYS = {
    "dense": SearchSettings(mode=SearchMode.DENSE, k=10),
    "sparse": SearchSettings(mode=SearchMode.SPARSE, k=10),
    "rrf": SearchSettings(k=10, fusion="rrf", feedback=0),
    "rrf+feedback": SearchSettings(k=10, fusion="rrf"),
    "scaled": SearchSettings(k=10, feedback=0),
    "hybrid": SearchSettings(k=10),
    "hybrid, mmr .9": SearchSettings(k=10, mmr=0.9),
}


async def measured(chosen: RetrievalSet, folder: Path) -> dict[str, list[float]]:
    """The nDCG@10 of each question, for each way."""
    index, scores = await chosen.open(folder), {}
    for way, settings in WAYS.items():
        retriever = HybridRetriever(index, chosen.embedder, settings)
        scores[way] = []
        for query in chosen.queries:
            hits = (await retriever.retrieve((query["text"],))).hits
            ranked = [hit.passage.document_id for hit in hits]
            scores[way].append(ndcg(ranked, chosen.relevant[query["id"]]))
    await index.close()
    return scores


def summary(name: str, scores: dict[str, list[float]]) -> dict[str, object]:
    """The means of one set, and how hybrid stands to the better of its two parts."""
    means = {way: float(np.mean(values)) for way, values in scores.items()}
    better = max(("dense", "sparse"), key=lambda way: means[way])
    hybrid, other = np.array(scores["hybrid"]), np.array(scores[better])

    def mean_of(values: np.ndarray, rows: Rows) -> float:
        return float(values[rows].mean())

    interval = paired_bootstrap(
        lambda rows: mean_of(hybrid, rows), lambda rows: mean_of(other, rows), [str(n) for n in range(len(hybrid))]
    )
    return {
        "questions": len(hybrid),
        **{way: round(mean, 4) for way, mean in means.items()},
        "gain": round(interval.difference, 4),
        "interval": [round(interval.low, 4), round(interval.high, 4)],
        "below": interval.below,
        "published_bm25": PUBLISHED_BM25[name],
        "bm25_holds": means["sparse"] >= PUBLISHED_BM25[name] - 0.01,
    }


def main() -> None:
    names = sys.argv[1:] or list(PUBLISHED_BM25)
    sets = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            chosen = load(name)
            sets[name] = summary(name, asyncio.run(measured(chosen, Path(folder))))
            print(name, sets[name], flush=True)
    gain = float(np.mean([each["gain"] for each in sets.values()]))
    result = {
        "sets": sets,
        "mean_gain": round(gain, 4),
        "bars": {
            "mean_gain": gain >= 0.045,
            "never_below": not any(each["below"] for each in sets.values()),
            "bm25": all(each["bm25_holds"] for each in sets.values()),
        },
    }
    write_result("retrieval", "six-sets" if len(sets) == len(PUBLISHED_BM25) else "-".join(sets), result)


if __name__ == "__main__":
    main()
