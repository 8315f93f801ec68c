"""How fast two workers of a Ray cluster take documents in, against embedding the same passages in one process.

    .make/ray/bin/python benchmarks/cluster/run.py [--passages 3000] [--rounds 2]

Bar: one .jsonl at no less than 1.6 times the speed of one bare process, which embeds and does nothing else, on one
thread as each worker does. It embeds the very passages that the workers stored, in turns with them, so that a
change of the machine's speed touches both. Ray is started before; that its workers begin is part of what is timed,
and so is storing in SQLite.

On a machine that does other work, the seconds say how much of it that left. So the processor's seconds are counted
too, of this process and all that it started: two free processors could do what `processor_bound` says, at best.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import assay_models

from assay import open_engine
from assay.ingest.pipeline import embedded_text
from assay.models.embed_local import LocalEmbedder
from assay.retrieval.index.sqlite import open_sqlite
from assay.wiring.cluster.connection import Cluster
from report import write_result
from speed.add import passages

WORKERS = 2


def processor_seconds() -> float:
    """What this process and all below it, with those that have ended, have used of processors."""
    parents, used = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        number = int(path.parent.name)
        parents[number], used[number] = int(fields[1]), sum(map(int, fields[11:15]))

    def is_own(number: int) -> bool:
        while number in parents and number != os.getpid():
            number = parents[number]
        return number == os.getpid()

    return sum(ticks for number, ticks in used.items() if is_own(number)) / os.sysconf("SC_CLK_TCK")


def bare(texts: list[str]) -> tuple[float, float]:
    """The seconds that one process embeds for, and those of the processor."""
    embedder = LocalEmbedder.load(assay_models.folder(), threads=1)
    started, used = time.perf_counter(), time.process_time()
    for at in range(0, len(texts), 256):
        embedder.embed_now(texts[at : at + 256])
    return time.perf_counter() - started, time.process_time() - used


def stored_texts(store: Path) -> list[str]:
    """What was embedded of the documents of a store."""
    index = open_sqlite(store / "collections" / "default", LocalEmbedder.load(assay_models.folder()).model)

    async def read() -> list[str]:
        entries = await index.entries(await index.document_ids())
        await index.close()
        return [embedded_text(passage.title, passage.searched) for entry in entries for passage in entry.passages]

    return asyncio.run(read())


def spread(path: Path, store: Path) -> tuple[float, float]:
    """The seconds that a cluster takes a file in for, and those of the processors."""
    with open_engine(data_dir=store, models=False, ray="local", workers=WORKERS) as engine:
        started, used = time.perf_counter(), processor_seconds()
        (report,) = engine.add([path])
        seconds = time.perf_counter() - started, processor_seconds() - used
    assert report.status == "added", report
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    rows = passages(chosen.passages)
    cluster = Cluster("local", WORKERS)
    cluster.connect()  # engines stay in a cluster that the program has joined itself
    load, parts = [os.getloadavg()[0]], ("bare", "two_workers")
    seconds, used = dict.fromkeys(parts, 0.0), dict.fromkeys(parts, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "passages.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        for number in range(chosen.rounds):
            store = Path(folder) / str(number)
            spreading = spread(path, store)
            texts = stored_texts(store)
            done = bare(texts), spreading
            for name, (taken, processor) in zip(parts, done, strict=True):
                seconds[name] += taken
                used[name] += processor
            load.append(os.getloadavg()[0])
            print(number, {name: (round(seconds[name], 1), round(used[name], 1)) for name in parts}, flush=True)
    cluster.close()
    result = {
        "passages": len(texts),
        "rounds": chosen.rounds,
        "workers": WORKERS,
        "passages_per_second": {name: len(texts) * chosen.rounds / value for name, value in seconds.items()},
        "times_one_bare_process": seconds["bare"] / seconds["two_workers"],
        "processor_seconds": used,
        "processor_bound": WORKERS * used["bare"] / used["two_workers"],
        "load_average": load,
        "bars": {"times_one_bare_process": 1.6},
    }
    write_result("cluster", "run", result)


if __name__ == "__main__":
    main()
