"""What 100,000 passages cost: disk, memory of an ask, and the seconds of a cold `assay ask`.

    .venv/bin/python benchmarks/speed/size.py [--passages 100000]

Bars: 600 MB, 700 MB, 3 s. The vectors are random but of the bundled model's shape: neither size nor time of an ask
depends on what they hold, and embedding 100,000 passages would only lengthen the run.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import itertools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import assay_models

from assay.core.stages import Entry
from assay.models.embed_local import LocalEmbedder
from assay.retrieval.index.sqlite import open_sqlite
from assay.types import Document, Passage
from report import data_folder, write_result

QUESTION = "What does the profile module record when a program runs?"
MEBIBYTE = 1 << 20


def entry(row: dict[str, str], generator: np.random.Generator, dimension: int) -> Entry:
    document = Document(row["id"], row["text"], row["title"], row["doc"], "text", row["id"])
    passage = Passage(
        Passage.id_for(row["id"], document.revision, 0, len(row["text"])),
        row["id"],
        document.revision,
        0,
        len(row["text"]),
        row["text"],
        row["title"],
    )
    vector = generator.standard_normal((1, dimension)).astype(np.float32)
    return Entry(document, (passage,), vector / np.linalg.norm(vector))


async def fill(folder: Path, count: int) -> None:
    model = LocalEmbedder.load(assay_models.folder()).model
    generator = np.random.default_rng(0)
    index = open_sqlite(folder, model)
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in itertools.islice(lines, count))
        while group := [entry(row, generator, model.dimension) for row in itertools.islice(rows, 500)]:
            await index.add(group)
    await index.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=100_000)
    count = parser.parse_args().passages
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(fill(Path(folder) / "collections" / "default", count))
        disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        command = [str(Path(sys.executable).with_name("assay")), "ask", QUESTION, "--data-dir", folder]
        taken = []
        for _ in range(5):
            started = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            taken.append(time.perf_counter() - started)
            assert done.returncode in (0, 3, 4), done.stderr
    result = {
        "passages": count,
        "disk_mib": disk / MEBIBYTE,
        "ask_peak_mib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "cold_ask_seconds": statistics.median(taken),
        "bars": {"disk_mib": 600, "ask_peak_mib": 700, "cold_ask_seconds": 3},
    }
    write_result("speed", "size", result)


if __name__ == "__main__":
    main()
