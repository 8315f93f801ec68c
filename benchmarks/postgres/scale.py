"""What a search in Postgres costs at a size, and how much of the true nearest its graph finds.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/postgres/scale.py [--passages 20000 100000]

The texts are those of the scale set, all of them real. Its vectors are not embedded here, since that takes an hour:
they are the real ones of the six retrieval sets, moved a little (a cosine of about .86), so recall is about those.
Exact up to 20,000 passages, by graph beyond. It starts a server of its own, with 512 MB of shared buffers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from assay.postgres.address import Address
from assay.postgres.database import release, share
from assay.retrieval.index import postgres_vectors
from assay.retrieval.index.postgres import PostgresIndex, open_postgres
from report import write_result
from retrieval.sets import PUBLISHED_BM25, Vectors, load, local_embedder
from speed.search import entry, passages, quantiles
from support.postgres import new_database, the_server

AT_ONCE = 500
BREADTHS = (100, 200, 400, 600, 1000)


def real_vectors() -> tuple[Vectors, list[str], Vectors]:
    """The vectors of the six sets' documents, the questions of one, and their vectors."""
    sets = [load(name) for name in PUBLISHED_BM25]
    asked = sets[-1]
    return (
        np.concatenate([each.document_vectors for each in sets]),
        [query["text"] for query in asked.queries],
        asked.query_vectors,
    )


def moved(own: Vectors, count: int) -> Vectors:
    """So many vectors near the given ones."""
    generator = np.random.default_rng(0)
    copies = own[generator.integers(0, len(own), count)]
    copies += 0.03 * generator.standard_normal(copies.shape, np.float32)
    return copies / np.linalg.norm(copies, axis=1, keepdims=True)


async def timed(index: PostgresIndex, questions: list[str], vectors: Vectors) -> dict[str, Any]:
    """The milliseconds of both searches."""
    dense, sparse = [], []
    for question, vector in zip(questions, vectors, strict=True):
        began = time.perf_counter()
        await index.dense(vector, 24, {})
        between = time.perf_counter()
        await index.sparse(question, 24, {})
        dense.append(1000 * (between - began))
        sparse.append(1000 * (time.perf_counter() - between))
    return {"dense_ms": quantiles(dense), "sparse_ms": quantiles(sparse)}


async def recall(index: PostgresIndex, stored: Vectors, vectors: Vectors, k: int) -> float:
    """The share of the true nearest k that the index returns."""
    shares = []
    for vector in vectors[:100]:
        scores = [found.score for found in await index.dense(vector, k, {})]
        least = np.partition(stored @ vector, -k)[-k] - 1e-3
        shares.append(sum(score >= least for score in scores) / k)
    return round(float(np.mean(shares)), 4)


async def measured(count: int, own: Vectors, questions: list[str], asked: Vectors) -> dict[str, Any]:
    """One size."""
    rows = passages(count)
    vectors = moved(own, len(rows)).astype(np.float16).astype(np.float32)
    database = share(Address.read(new_database()))
    index = open_postgres(database, "bench", f"scale{count}", local_embedder().model)
    began = time.perf_counter()
    for at in range(0, len(rows), AT_ONCE):
        await index.add([entry(rows[n], vectors[n : n + 1]) for n in range(at, min(at + AT_ONCE, len(rows)))])
    stored = time.perf_counter()
    await index.settle()
    built = time.perf_counter()
    result: dict[str, Any] = {
        "passages": len(rows),
        "stored_per_second": round(len(rows) / (stored - began)),
        "seconds_to_build_graph": round(built - stored, 1),
        "bytes": sizes(database),
    }
    if result["seconds_to_build_graph"] > 1:
        result["breadths"] = {}
        usual = postgres_vectors.SEARCH_BREADTH
        for breadth in BREADTHS:
            postgres_vectors.SEARCH_BREADTH = breadth
            taken = await timed(index, questions, asked)
            result["breadths"][breadth] = {
                "recall_at_10": await recall(index, vectors, asked, 10),
                "recall_at_100": await recall(index, vectors, asked, 100),
                "dense_ms": taken["dense_ms"],
            }
            print(breadth, result["breadths"][breadth], flush=True)
        postgres_vectors.SEARCH_BREADTH = usual
    await timed(index, questions[:20], asked[:20])
    result |= await timed(index, questions, asked)
    result["recall_at_10"] = await recall(index, vectors, asked, 10)
    await index.close()
    release(database)
    return result


def sizes(database: Any) -> dict[str, int]:
    """The bytes of each table with its indexes."""
    with database.alone() as connection:
        return dict(
            connection.execute(
                "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
                " WHERE relnamespace = 'assay'::regnamespace AND relkind = 'r' AND relname <> 'schema_versions'"
            ).fetchall()
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, nargs="*", default=[20_000, 100_000])
    chosen = parser.parse_args()
    the_server().execute("ALTER SYSTEM SET shared_buffers = '512MB'")
    the_server().down("fast")
    the_server().up()
    own, questions, asked = real_vectors()
    for count in chosen.passages:
        result = asyncio.run(measured(count, own, questions[:200], asked[:200]))
        print(json.dumps(result), flush=True)
        write_result("postgres", f"scale-{count}", result)


if __name__ == "__main__":
    main()
