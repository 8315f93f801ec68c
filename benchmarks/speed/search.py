"""What a search costs over its bare parts: embedding the question, one FAISS search, one FTS5 query.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/speed/search.py [--passages 50000 198515]

Bar: at most 2.5 times as long at the median and the 95th percentile; exact at 50,000 and HNSW at 198,515 passages.
Embedding 198,515 passages takes an hour or more, and is kept in the cache folder in parts. With
`--borrow`, passages that are not embedded yet get another passage's vector with a little noise; the result says so.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import assay_models
import faiss
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.core.stages import Entry
from assay.ingest.pipeline import embedded_text
from assay.models.embed_local import LocalEmbedder
from assay.retrieval.hybrid import HybridRetriever
from assay.retrieval.index.rows import TITLE_WEIGHT, match_expression, query_terms
from assay.retrieval.index.sqlite import FILE_NAME, GRAPH_NAME, open_sqlite
from assay.retrieval.index.vectors import read_graph
from assay.types import Document, Passage
from report import data_folder, write_result

PART = 2000
K = 8
BAR = 2.5
# What a graph of this size is commonly searched with, for so few results.
BARE_BREADTH = 96
Vectors = NDArray[np.float32]


def passages(count: int) -> list[dict[str, str]]:
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in itertools.islice(lines, count)]


def vectors_of(rows: list[dict[str, str]], embedder: LocalEmbedder, *, borrow: bool) -> tuple[Vectors, int]:
    """One row a passage, and how many of them are its own."""
    folder = Path(os.environ.get("ASSAY_BENCH_CACHE", tempfile.gettempdir())) / "scale"
    folder.mkdir(parents=True, exist_ok=True)
    parts: list[Vectors] = []
    for first in range(0, len(rows), PART):
        part = folder / f"{first // PART:04d}.npy"
        if not part.exists():
            if borrow:
                break
            vectors = embedder.embed_now(
                [embedded_text(row["title"], row["text"]) for row in rows[first : first + PART]]
            )
            np.save(part, vectors.astype(np.float16))
        parts.append(np.load(part).astype(np.float32))
    own = np.concatenate(parts)[: len(rows)]
    generator = np.random.default_rng(0)
    copies = own[generator.integers(0, len(own), len(rows) - len(own))]
    moved = copies + 0.03 * generator.standard_normal(copies.shape, np.float32)  # a cosine of about .86
    moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    return np.concatenate([own, moved.astype(np.float32)]), len(own)


def entry(row: dict[str, str], vector: Vectors) -> Entry:
    document = Document(row["id"], row["text"], row["title"], row["doc"], "text", "")
    passage = Passage(row["id"], row["id"], document.revision, 0, len(row["text"]), row["text"], row["title"])
    return Entry(document, (passage,), vector)


def bare_search(folder: Path, vectors: Vectors, embedder: LocalEmbedder, exact: bool) -> Callable[[str], None]:
    """The three parts with nothing around them; the graph and the FTS5 table are the store's own."""
    faiss.omp_set_num_threads(1)
    if exact:
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
    else:
        graph = read_graph(folder / GRAPH_NAME)
        assert graph is not None
        index = graph.faiss_index
        index.hnsw.efSearch = BARE_BREADTH
    connection = sqlite3.connect(folder / FILE_NAME)
    sql = (
        f"SELECT rowid, bm25(words, {TITLE_WEIGHT}, 1.0) AS score FROM words"  # noqa: S608
        f" WHERE words MATCH ? ORDER BY score LIMIT {K}"
    )

    def search(question: str) -> None:
        index.search(embedder.embed_now([question]), K)
        connection.execute(sql, (match_expression(query_terms(question)),)).fetchall()

    return search


async def measured(
    rows: list[dict[str, str]], vectors: Vectors, questions: list[str], folder: Path
) -> dict[str, Any]:
    embedder = LocalEmbedder.load(assay_models.folder())
    index = open_sqlite(folder, embedder.model)
    for first in range(0, len(rows), 1000):
        group = range(first, min(first + 1000, len(rows)))
        await index.add([entry(rows[n], vectors[n : n + 1]) for n in group])
    started = time.perf_counter()
    await index.settle()
    building = time.perf_counter() - started
    exact = not (folder / GRAPH_NAME).exists()
    bare = bare_search(folder, vectors, embedder, exact)
    retriever = HybridRetriever(index, embedder)
    bare_ms, search_ms = [], []
    for question in questions[:10]:
        bare(question)
        await retriever.retrieve((question,))
    for question in questions:  # turn by turn, so that both meet the same moments of a shared machine
        before = time.perf_counter()
        bare(question)
        between = time.perf_counter()
        await retriever.retrieve((question,))
        bare_ms.append(1000 * (between - before))
        search_ms.append(1000 * (time.perf_counter() - between))
    found = await recall(index, vectors, embedder, questions)
    await index.close()
    return {
        "passages": len(rows),
        "search": "exact" if exact else "hnsw",
        "bare_ms": quantiles(bare_ms),
        "search_ms": quantiles(search_ms),
        "ratio": {name: round(quantiles(search_ms)[name] / quantiles(bare_ms)[name], 2) for name in ("p50", "p95")},
        "recall_at_100": found,
        "seconds_to_build_graph": round(building, 1),
    }


async def recall(index: Any, vectors: Vectors, embedder: LocalEmbedder, questions: list[str]) -> float:
    """The share of the true hundred nearest that the index returns."""
    shares = []
    for question in questions[:100]:
        vector = embedder.embed_now([question])[0]
        scores = [found.score for found in await index.dense(vector, 100, {})]
        least = np.partition(vectors @ vector, -100)[-100] - 1e-3
        shares.append(sum(score >= least for score in scores) / 100)
    return round(float(np.mean(shares)), 4)


def quantiles(values: list[float]) -> dict[str, float]:
    return {"p50": round(float(np.percentile(values, 50)), 2), "p95": round(float(np.percentile(values, 95)), 2)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, nargs="*", default=[50_000, 198_515])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--borrow", action="store_true")
    chosen = parser.parse_args()
    lines = (data_folder() / "dev" / "wiki-mix" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines][: chosen.questions]
    for count in chosen.passages:
        rows = passages(count)
        vectors, own = vectors_of(rows, LocalEmbedder.load(assay_models.folder()), borrow=chosen.borrow)
        with tempfile.TemporaryDirectory() as folder:
            result = asyncio.run(measured(rows, vectors, questions, Path(folder)))
        result |= {"own_vectors": own, "bar": BAR, "passed": max(result["ratio"].values()) <= BAR}
        write_result("speed", f"search-{count}", result)


if __name__ == "__main__":
    main()
