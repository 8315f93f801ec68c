"""Which weights fuse best, judged on the set that did not choose them.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/retrieval/choose.py

For each set, the way of best mean gain over max(dense, sparse) on the other five is taken and its gain on the set
left out is shown. The constants in src/assay/retrieval/hybrid.py are the way that is best on all six.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.evals.metrics import ndcg
from assay.retrieval.hybrid import DEPTH, best_first, by_cosine, by_rank, by_scaled_score, scores_of, with_feedback
from report import write_result
from retrieval.sets import PUBLISHED_BM25, RetrievalSet, load


@dataclass(frozen=True)
class Way:
    """One way of fusing; `share` None stands for reciprocal rank fusion."""

    share: float | None
    feedback: int = 0
    strength: float = 0.0

    def __str__(self) -> str:
        name = "rrf" if self.share is None else f"scaled {self.share:g}"
        return f"{name}, feedback {self.feedback} x {self.strength:g}" if self.feedback else name


FEEDBACKS = [(0, 0.0), *((n, strength) for n in (1, 2, 3, 5) for strength in (0.3, 0.5))]
WAYS = [Way(share, *feedback) for share in (None, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9) for feedback in FEEDBACKS]


@dataclass(frozen=True)
class Pool:
    """What both searches found for one question."""

    ids: list[str]
    vectors: NDArray[np.float32]
    vector: NDArray[np.float32]
    dense: dict[str, float]
    sparse: dict[str, float]

    def ranking(self, way: Way) -> list[str]:
        scores = self.fused(way, self.vector)
        if way.feedback:
            place = {each: n for n, each in enumerate(self.ids)}
            first = [place[each] for each in best_first(scores)[: way.feedback]]
            scores = self.fused(way, with_feedback(self.vector, self.vectors[first], way.strength))
        return best_first(scores)

    def fused(self, way: Way, vector: NDArray[np.float32]) -> dict[str, float]:
        cosines = by_cosine(self.ids, self.vectors @ vector)
        return (
            by_rank(cosines, self.sparse) if way.share is None else by_scaled_score(cosines, self.sparse, way.share)
        )


async def pools_of(chosen: RetrievalSet, folder: Path) -> list[Pool]:
    index, pools = await chosen.open(folder), []
    for query, vector in zip(chosen.queries, chosen.query_vectors, strict=True):
        dense = scores_of(await index.dense(vector, DEPTH, {}))
        sparse = scores_of(await index.sparse(query["text"], DEPTH, {}))
        ids = list(dense | sparse)
        pools.append(Pool(ids, await index.vectors(ids), vector, dense, sparse))
    await index.close()
    return pools


def gains_of(chosen: RetrievalSet, pools: list[Pool]) -> dict[Way, float]:
    """What each way gains over the better of the two searches alone, in nDCG@10."""

    def mean(rankings: list[list[str]]) -> float:
        pairs = zip(chosen.queries, rankings, strict=True)
        return float(np.mean([ndcg(ranking, chosen.relevant[query["id"]]) for query, ranking in pairs]))

    better = max(mean([list(pool.dense) for pool in pools]), mean([list(pool.sparse) for pool in pools]))
    return {way: mean([pool.ranking(way) for pool in pools]) - better for way in WAYS}


def main() -> None:
    gains: dict[str, dict[Way, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in PUBLISHED_BM25:
            chosen = load(name)
            gains[name] = gains_of(chosen, asyncio.run(pools_of(chosen, Path(folder))))
            print(name, flush=True)

    def mean_gain(way: Way, names: list[str]) -> float:
        return float(np.mean([gains[name][way] for name in names]))

    left_out = {}
    for name in gains:
        others = [each for each in gains if each != name]
        way = max(WAYS, key=lambda each: mean_gain(each, others))
        left_out[name] = {"chosen": str(way), "gain": round(gains[name][way], 4)}
    best = sorted(WAYS, key=lambda each: -mean_gain(each, list(gains)))
    result = {
        "left_out": left_out,
        "mean_gain_left_out": round(float(np.mean([each["gain"] for each in left_out.values()])), 4),
        "all_six": {str(way): round(mean_gain(way, list(gains)), 4) for way in best},
    }
    write_result("retrieval", "choose", result)


if __name__ == "__main__":
    main()
