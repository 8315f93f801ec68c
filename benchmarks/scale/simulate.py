"""What shards and compression do to the share of the true nearest that is found, tried out in one process.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/scale/simulate.py [--passages 100000]

Graphs of FAISS stand for those of a cluster, with the same links and breadths. Each shard is asked for k and some
more, as a cluster does, and the best of all are taken; what is compressed to 8 bits is scored anew in 16, as assay
does with what an engine finds. Nothing of a network is in these numbers.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.retrieval.index.qdrant import SEARCH_BREADTH
from assay.retrieval.index.search_engine import weights_of
from assay.retrieval.index.vectors import BUILD_BREADTH, LINKS
from report import write_result
from scale.scale_passages import DIMENSION, Vectors, least_scores, open_scale, questions

K, SPARE, SAMPLE = 10, 24, 5000
SHARDS = (1, 10)
KINDS = {"16 bits": faiss.ScalarQuantizer.QT_fp16, "8 bits": faiss.ScalarQuantizer.QT_8bit}


def graph_of(vectors: Vectors, kind: int) -> Any:
    """A graph of the vectors, as one shard has it."""
    index = faiss.IndexHNSWSQ(DIMENSION, kind, LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_BREADTH
    index.train(vectors)
    index.add(vectors)
    index.hnsw.efSearch = SEARCH_BREADTH
    return index


def found_in(shards: Sequence[Any], first: Sequence[int], vector: Vectors) -> NDArray[np.int64]:
    """The places of the passages that the shards find, all together."""
    places = [
        shard.search(vector[None], K + SPARE)[1][0] + start for shard, start in zip(shards, first, strict=True)
    ]
    return np.concatenate(places)


def tried(vectors: Vectors, asked: Vectors, least: Vectors, parts: int, kind: int) -> dict[str, float]:
    """Recall and the milliseconds of one core for one way of keeping the vectors."""
    first = [len(vectors) * part // parts for part in range(parts)]
    ends = [*first[1:], len(vectors)]
    began = time.process_time()
    shards = [graph_of(vectors[start:end], kind) for start, end in zip(first, ends, strict=True)]
    built, shares = time.process_time(), []
    for vector, bound in zip(asked, least, strict=True):
        places = found_in(shards, first, vector)
        scores = np.sort(vectors[places] @ vector)[::-1][:K]
        shares.append(float(np.mean(scores >= bound - 1e-3)))
    searched = time.process_time()
    return {
        "recall_at_10": round(float(np.mean(shares)), 4),
        "cpu_ms_a_search": round(1000 * (searched - built) / len(asked), 2),
        "cpu_seconds_to_build": round(built - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=100_000)
    count = parser.parse_args().passages
    faiss.omp_set_num_threads(1)
    scale, (_, asked) = open_scale(count), questions()
    vectors = np.concatenate([scale.vectors(n, min(n + 10_000, count)) for n in range(0, count, 10_000)])
    least = least_scores(scale, asked, K)
    terms = [len(weights_of(row["title"], row["text"], 1.0)[0]) for row in scale.rows[:SAMPLE]]
    numbers: dict[str, Any] = {"passages": count, "own_vectors": scale.own}
    numbers["breadth"] = SEARCH_BREADTH
    numbers["terms_a_passage"] = round(float(np.mean(terms)), 1)
    for name, kind in KINDS.items():
        for parts in SHARDS:
            way = f"{'one graph' if parts == 1 else f'{parts} shards'}, {name}"
            numbers[way] = tried(vectors, asked, least, parts, kind)
            print(way, numbers[way], flush=True)
    write_result("scale", f"simulated-{count}", numbers)


if __name__ == "__main__":
    main()
