"""Measure the bundled encoder: cosine to the float model, retrieval on SciFact, speed and memory.

python benchmarks/embedding/run.py
"""

from __future__ import annotations

import json
import math
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import assay_models
import numpy as np

from assay.models.embed_local import LocalEmbedder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FLOAT = ROOT / "models" / "export" / "build" / "float"
DATA = Path(os.environ.get("ASSAY_BENCH_DATA", ROOT.parent / "shared" / "data")) / "dev"
TEXTS, QUESTIONS = 1000, 200


def read(name: str) -> list[dict[str, str]]:
    """The objects of a .jsonl file of the evaluation data."""
    path = DATA / name
    if not path.is_file():
        sys.exit(f"there is no {path}: set ASSAY_BENCH_DATA to the folder of evaluation data")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def every_nth(texts: Sequence[str], wanted: int) -> list[str]:
    """About `wanted` of the texts, spread over all of them."""
    return list(texts[:: max(1, len(texts) // wanted)])


def cosine_to_float(embedder: LocalEmbedder, texts: Sequence[str]) -> dict[str, Any] | str:
    """Least, 5th percentile and mean of the cosines, or why there are none."""
    if not FLOAT.is_dir():
        return "skipped: run models/export/run.sh to have the float model"
    exact = LocalEmbedder.load(FLOAT).embed_now(texts)
    cosines = (embedder.embed_now(texts) * exact).sum(axis=1)
    found = {"least": cosines.min(), "percentile_5": np.percentile(cosines, 5), "mean": cosines.mean()}
    return {"texts": len(texts)} | {name: round(float(value), 4) for name, value in found.items()}


def cosine_to_batch(embedder: LocalEmbedder, texts: Sequence[str]) -> float:
    """The least cosine between a text's vector made alone and made among the others."""
    alone = np.concatenate([embedder.embed_now([text]) for text in texts])
    return round(float((alone * embedder.embed_now(texts)).sum(axis=1).min()), 6)


def speed(embedder: LocalEmbedder, texts: Sequence[str], questions: Sequence[str]) -> dict[str, float]:
    """Passages and tokens a second (best of three), and what one question costs."""
    tokens = sum(min(embedder.count_tokens(text), embedder.capacity) + 2 for text in texts)
    walls, processors = [], []
    for _ in range(3):
        wall, processor = time.perf_counter(), time.process_time()
        embedder.embed_now(texts)
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    waits = []
    for question in questions:
        begun = time.perf_counter()
        embedder.embed_now([question])
        waits.append(1000 * (time.perf_counter() - begun))
    return {
        "passages_a_second": round(len(texts) / min(walls), 1),
        "tokens_a_second": round(tokens / min(walls)),
        "tokens_a_processor_second": round(tokens / min(processors)),
        "question_ms_median": round(statistics.median(waits), 2),
    }


def ndcg_at_10(embedder: LocalEmbedder) -> float:
    """nDCG@10 of exact cosine over title and text of SciFact."""
    corpus, queries = read("scifact/corpus.jsonl"), read("scifact/queries.jsonl")
    relevant: dict[str, set[str]] = {}
    for line in (DATA / "scifact" / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant.setdefault(query, set()).add(document)
    passages = embedder.embed_now([f"{row.get('title', '')} {row['text']}".strip() for row in corpus])
    judged = [row for row in queries if row["id"] in relevant]
    similarities = embedder.embed_now([row["text"] for row in judged]) @ passages.T
    gains = []
    for row, scores in zip(judged, similarities, strict=True):
        wanted = relevant[row["id"]]
        top = np.argsort(-scores, kind="stable")[:10]
        gain = sum(1 / math.log2(rank + 2) for rank, place in enumerate(top) if corpus[place]["id"] in wanted)
        gains.append(gain / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(wanted)))))
    return round(statistics.mean(gains), 4)


def measured() -> dict[str, Any]:
    """Everything, as it is written to the results."""
    begun = time.perf_counter()
    embedder = LocalEmbedder.load(assay_models.folder())
    loaded = time.perf_counter() - begun
    passages = every_nth([row["text"] for row in read("wiki-mix/corpus.jsonl")], TEXTS)
    questions = every_nth([row["text"] for row in read("wiki-mix/queries.jsonl")], QUESTIONS)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}",
        "model": embedder.model.id,
        "sha256": embedder.model.sha256,
        "load_seconds": round(loaded, 3),
        "speed": speed(embedder, passages, questions),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "cosine_alone_to_batch_least": cosine_to_batch(embedder, questions),
        "cosine_to_float": cosine_to_float(embedder, passages + questions + ["", "a", "Yes.", "!!", "42"]),
        "scifact_ndcg_at_10": ndcg_at_10(embedder),
    }


def main() -> None:
    """Measure, print, and keep the result."""
    found = json.dumps(measured(), indent=2)
    print(found)
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / "embedding.json").write_text(found + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
