"""How fast documents are taken in, against embedding the same passages and nothing else, in one run.

    .venv/bin/python benchmarks/speed/add.py [--passages 20000] [--files 2000]

Bars: one .jsonl of 20,000 passages at no less than 75 % of the bare embedding speed, 2,000 one-passage files at no
less than 50 %. The parts take turns on the same texts, so that a change of the machine's speed touches both.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import assay_models

from assay import open_engine
from assay.ingest.pipeline import embedded_text
from assay.models.embed_local import LocalEmbedder
from report import data_folder, write_result


def passages(count: int) -> list[dict[str, str]]:
    with gzip.open(data_folder() / "scale" / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return [{key: row[key] for key in ("id", "title", "text")} for row in itertools.islice(rows, count)]


def bare(rows: list[dict[str, str]]) -> float:
    embedder = LocalEmbedder.load(assay_models.folder())
    texts = [embedded_text(row["title"], row["text"]) for row in rows]
    started = time.perf_counter()
    for at in range(0, len(texts), 256):
        embedder.embed_now(texts[at : at + 256])
    return len(rows) / (time.perf_counter() - started)


def as_lines(rows: list[dict[str, str]], folder: Path) -> float:
    path = folder / "passages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return added([path], len(rows), folder / "lines")


def as_files(rows: list[dict[str, str]], folder: Path) -> float:
    files = folder / "files"
    files.mkdir()
    for n, row in enumerate(rows):
        (files / f"{n:05}.txt").write_text(row["text"], encoding="utf-8")
    return added([files], len(rows), folder / "store")


def added(paths: list[Path], count: int, store: Path) -> float:
    with open_engine(data_dir=store) as engine:
        started = time.perf_counter()
        reports = engine.add(paths)
        seconds = time.perf_counter() - started
    assert all(report.status == "added" for report in reports), [r for r in reports if r.status != "added"][:3]
    assert sum(report.passages for report in reports) >= count
    return count / seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=2_000)
    chosen = parser.parse_args()
    rows = passages(chosen.passages)
    few = rows[: chosen.files]
    with tempfile.TemporaryDirectory() as folder:
        lines, bare_lines = as_lines(rows, Path(folder)), bare(rows)
        files, bare_files = as_files(few, Path(folder)), bare(few)
    result = {
        "jsonl_passages": len(rows),
        "jsonl_share_of_bare": lines / bare_lines,
        "files": len(few),
        "files_share_of_bare": files / bare_files,
        "bare_passages_per_second": bare_lines,
        "bars": {"jsonl_share_of_bare": 0.75, "files_share_of_bare": 0.5},
    }
    write_result("speed", "add", result)


if __name__ == "__main__":
    main()
