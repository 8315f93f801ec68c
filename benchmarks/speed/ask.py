"""What a fast ask costs beyond its search, in CPU milliseconds of the whole process.

    .venv/bin/python benchmarks/speed/ask.py [--questions 200]

Bar: at most 50 CPU-ms more at the 95th percentile. Real questions over the wiki-mix corpus.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay import open_engine
from report import data_folder, write_result


async def measured(corpus: Path, questions: list[str], folder: Path) -> tuple[list[float], list[float]]:
    async with open_engine(data_dir=folder) as engine:
        async for report in engine.aadd([corpus]):
            assert report.status == "added", report
        searches, asks = [], []
        for question in questions[:5]:
            await engine.aask(question)
        for question in questions:
            before = time.process_time()
            await engine.asearch(question)
            between = time.process_time()
            await engine.aask(question)
            searches.append(1000 * (between - before))
            asks.append(1000 * (time.process_time() - between))
    return searches, asks


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--documents", type=int, default=3000)
    chosen = parser.parse_args()
    source = data_folder() / "dev" / "wiki-mix"
    lines = (source / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines][: chosen.questions]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        rows = (source / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[: chosen.documents]
        corpus.write_text("\n".join(rows) + "\n", encoding="utf-8")
        searches, asks = asyncio.run(measured(corpus, questions, Path(folder) / "data"))
    beyond = np.subtract(asks, searches)
    result = {
        "questions": len(questions),
        "search_cpu_ms_median": float(np.median(searches)),
        "ask_cpu_ms_median": float(np.median(asks)),
        "beyond_search_cpu_ms_p50": float(np.percentile(beyond, 50)),
        "beyond_search_cpu_ms_p95": float(np.percentile(beyond, 95)),
        "bars": {"beyond_search_cpu_ms_p95": 50},
    }
    write_result("speed", "ask", result)


if __name__ == "__main__":
    main()
