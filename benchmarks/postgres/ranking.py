"""Whether Postgres ranks as SQLite does: nDCG@10 on labelled sets, with the same documents and vectors in both.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/postgres/ranking.py [SET ...]

Bar: on every set and for every way of searching, nDCG@10 within .005 of SQLite's. It starts a server of its own.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from assay.core.stages import Index
from assay.evals.metrics import ndcg
from assay.postgres.address import Address
from assay.postgres.database import release, share
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.postgres import open_postgres
from assay.types import SearchMode, SearchSettings
from report import write_result
from retrieval.sets import PUBLISHED_BM25, RetrievalSet, load, local_embedder
from support.postgres import new_database

WAYS = {
    "dense": SearchSettings(mode=SearchMode.DENSE, k=10),
    "sparse": SearchSettings(mode=SearchMode.SPARSE, k=10),
    "hybrid": SearchSettings(k=10),
}
AT_ONCE = 256
BAR = 0.005


async def measured(index: Index, chosen: RetrievalSet) -> dict[str, tuple[float, float, list[list[str]]]]:
    """For each way the mean nDCG@10, the median milliseconds of a search, and what was found."""
    results = {}
    for way, settings in WAYS.items():
        retriever, scores, found, taken = HybridRetriever(index, chosen.embedder, settings), [], [], []
        for query in chosen.queries:
            began = time.perf_counter()
            hits = (await retriever.retrieve((query["text"],))).hits
            taken.append(time.perf_counter() - began)
            found.append([hit.passage.document_id for hit in hits])
            scores.append(ndcg(found[-1], chosen.relevant[query["id"]]))
        results[way] = float(np.mean(scores)), 1000 * float(np.median(taken)), found
    return results


async def both(chosen: RetrievalSet, folder: Path, address: str) -> dict[str, object]:
    """One set in both stores."""
    sqlite = await chosen.open(folder)
    database = share(Address.read(address))
    postgres = open_postgres(database, "bench", chosen.name, local_embedder().model)
    began = time.perf_counter()
    for at in range(0, len(chosen.documents), AT_ONCE):
        await postgres.add([chosen.entry(n) for n in range(at, min(at + AT_ONCE, len(chosen.documents)))])
    seconds = time.perf_counter() - began
    one, other = await measured(sqlite, chosen), await measured(postgres, chosen)
    await sqlite.close()
    await postgres.close()
    release(database)
    return {
        "documents": len(chosen.documents),
        "questions": len(chosen.queries),
        "stored_per_second": round(len(chosen.documents) / seconds),
        **{
            way: {
                "sqlite": round(one[way][0], 4),
                "postgres": round(other[way][0], 4),
                "same_ten": round(
                    float(np.mean([a == b for a, b in zip(one[way][2], other[way][2], strict=True)])), 4
                ),
                "sqlite_ms": round(one[way][1], 2),
                "postgres_ms": round(other[way][1], 2),
            }
            for way in WAYS
        },
    }


def main() -> None:
    names = sys.argv[1:] or list(PUBLISHED_BM25)
    address, sets = new_database(), {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            sets[name] = asyncio.run(both(load(name), Path(folder), address))
            print(name, sets[name], flush=True)
    farthest = max(abs(each[way]["sqlite"] - each[way]["postgres"]) for each in sets.values() for way in WAYS)
    result = {"sets": sets, "farthest": round(farthest, 4), "bars": {"within": farthest <= BAR}}
    write_result("postgres", "ranking" if len(sets) == len(PUBLISHED_BM25) else "-".join(sets), result)


if __name__ == "__main__":
    main()
