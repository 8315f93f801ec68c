"""What a search costs as a collection grows: time, memory, disk, building, and recall.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/scale/run.py
        [--stores sqlite postgres qdrant] [--passages 10000 100000 200000 1000000]

Bars at 1,000,000: a search by words and by vector takes at most 25 ms at the 95th percentile in SQLite and FAISS,
50 ms in Postgres; recall@10 is at least .97 of the exact search; at most 2.5 GB are resident. A point whose result
is kept is not measured again (`--again` does), so a run that was ended goes on; a store that was built is kept in
the cache until it was searched. Each point is built by one process and searched by another.

Times are those of a machine that does other work too, so each question is asked five times, and the bar is held
against the least of the five; all of them are in the results as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from assay.core.stages import Index
from assay.retrieval.hybrid import HybridRetriever
from report import ROOT, write_result
from retrieval.sets import KnownEmbedder, local_embedder
from scale.scale_passages import Scale, cache, least_scores, nearness, open_scale, questions
from scale.scale_stores import STORES, Opened, memory_of
from speed.search import entry, quantiles

ADDED_AT_ONCE = 1000
WARM, PASSES = 30, 5
K, RECALL_AT = 24, 10
BARS = {"sqlite": 25.0, "postgres": 50.0}
RECALL_BAR, RESIDENT_BAR = 0.97, 2.5e9


async def build(index: Index, scale: Scale, derive: Callable[[], None]) -> dict[str, Any]:
    """Store all passages, and what is derived from them."""
    began, worked = time.perf_counter(), time.process_time()
    for first in range(0, scale.count, ADDED_AT_ONCE):
        last = min(first + ADDED_AT_ONCE, scale.count)
        vectors = scale.vectors(first, last)
        await index.add([entry(scale.row(n), vectors[n - first : n - first + 1]) for n in range(first, last)])
        if first % (50 * ADDED_AT_ONCE) == 0:
            print(
                f"{last:,} of {scale.count:,} in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True
            )
    stored = time.perf_counter()
    await index.settle()  # type: ignore[attr-defined]
    derive()
    return {
        "stored_per_second": round(scale.count / (stored - began)),
        "seconds_to_store": round(stored - began, 1),
        "seconds_to_derive": round(time.perf_counter() - stored, 1),
        "cpu_seconds_of_the_process": round(time.process_time() - worked, 1),
    }


async def search(index: Index, scale: Scale, cpu_seconds: Callable[[], float]) -> dict[str, Any]:
    """The milliseconds of each search, one after another, and the share of the true nearest that is found."""
    asked, vectors = questions()
    known = KnownEmbedder(local_embedder().model, dict(zip(asked, vectors, strict=True)))
    retriever = HybridRetriever(index, known)

    async def dense(n: int) -> object:
        return await index.dense(vectors[n], K, {})

    async def sparse(n: int) -> object:
        return await index.sparse(asked[n], K, {})

    async def hybrid(n: int) -> object:
        return await retriever.retrieve((asked[n],))

    began = time.perf_counter()
    await hybrid(0)
    first = round(1000 * (time.perf_counter() - began), 1)
    for n in range(WARM):
        await hybrid(n)
    taken = {
        f"{name}_ms": await timed(work, len(asked), cpu_seconds)
        for name, work in (("dense", dense), ("sparse", sparse), ("search", hybrid))
    }
    return taken | {"first_search_ms": first, "recall_at_10": await recall(index, scale)}


async def timed(
    work: Callable[[int], Awaitable[object]], times: int, cpu_seconds: Callable[[], float]
) -> dict[str, Any]:
    """The milliseconds of each question, all of them asked again and again: the least of each, and all of them.

    The least tells what the search costs on a machine that other work keeps busy; all, what it cost there.
    `cpu_mean` are the milliseconds of processors, those of servers included; `own_cpu` the least of each question
    that the process itself takes.
    """
    began_cpu = time.process_time() + cpu_seconds()
    milliseconds, own = np.zeros((PASSES, times)), np.zeros((PASSES, times))
    for turn in range(PASSES):
        for n in range(times):
            began, worked = time.perf_counter(), time.process_time()
            await work(n)
            milliseconds[turn, n] = 1000 * (time.perf_counter() - began)
            own[turn, n] = 1000 * (time.process_time() - worked)
    mean = 1000 * (time.process_time() + cpu_seconds() - began_cpu) / milliseconds.size
    least, every = quantiles(milliseconds.min(axis=0).tolist()), quantiles(milliseconds.ravel().tolist())
    return least | {"all": every, "cpu_mean": round(mean, 2), "own_cpu": quantiles(own.min(axis=0).tolist())}


async def recall(index: Index, scale: Scale) -> float:
    """The share of the true nearest ten that are among the ten found."""
    _, vectors = questions()
    shares = []
    for vector, least in zip(vectors, least_scores(scale, vectors, RECALL_AT), strict=True):
        found = await index.dense(vector, RECALL_AT, {})
        # Stored vectors have 16 bits: what is as near but for rounding counts.
        shares.append(sum(hit.score >= least - 1e-3 for hit in found) / RECALL_AT)
    return round(float(np.mean(shares)), 4)


def step(store: str, count: int, what: str, place: Path, opened: Opened) -> dict[str, Any]:
    """Run one step in a process of its own, whose memory is then that of the step alone."""
    command = [sys.executable, __file__, "--step", what, "--stores", store, "--passages", str(count)]
    told = json.dumps({"place": str(place), "opened": asdict(opened)})
    print(f"{store} {count:,}: {what}", file=sys.stderr, flush=True)
    done = subprocess.run(command, input=told, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_step(store: str, count: int, what: str) -> None:
    """What a process of a step does."""
    given = json.load(sys.stdin)
    opened = Opened(**given["opened"])
    scale = open_scale(count)

    async def work() -> dict[str, Any]:
        with STORES[store].index(Path(given["place"]), opened, local_embedder().model) as index:
            worked = opened.cpu_seconds()
            with most_memory(opened) as servers:
                if what == "build":
                    found = await build(index, scale, lambda: STORES[store].derive(opened))
                else:
                    found = await search(index, scale, opened.cpu_seconds)
            found["resident"] = memory_of(os.getpid(), most=what == "build")
            found["resident_of_servers"] = max(servers)
            found["cpu_seconds_of_servers"] = round(opened.cpu_seconds() - worked, 1)
            await index.close()
        return found

    if what == "search":
        least_scores(scale, questions()[1], RECALL_AT)  # not part of the memory of a search
        scale = Scale(scale.count, scale.own, scale.real, [], scale.file)
    print(json.dumps(asyncio.run(work())))


@contextmanager
def most_memory(opened: Opened) -> Iterator[list[int]]:
    """What the servers have resident, looked at every few seconds and at the end."""
    found, ended = [opened.memory()], threading.Event()

    def look() -> None:
        while not ended.wait(5):
            found.append(opened.memory())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        ended.set()
        looking.join()
        found.append(opened.memory())


def point(store: str, count: int) -> dict[str, Any]:
    """One store at one size."""
    scale = open_scale(count)
    place = cache() / f"{store}-{count}"
    if not (place / "built.json").exists() and place.exists():
        shutil.rmtree(place)  # a build that was ended
    place.mkdir(exist_ok=True)
    with STORES[store].serve(place) as opened:
        if not (place / "built.json").exists():
            built = step(store, count, "build", place, opened)
            (place / "built.json").write_text(json.dumps(built))
        built = json.loads((place / "built.json").read_text())
        found = step(store, count, "search", place, opened)
        size = STORES[store].size(place, opened)
    shutil.rmtree(place)
    result = {"passages": count, "own_vectors": scale.own, "real_passages": scale.real, "built": built}
    result |= {"bytes": size, **found}
    if count > scale.real:
        result["cosine_of_variations"] = nearness(scale)
    if count == 1_000_000 and store in BARS:
        resident = found["resident"] + found["resident_of_servers"]
        result["bars"] = {"search_p95_ms": BARS[store], "recall_at_10": RECALL_BAR, "resident": RESIDENT_BAR}
        result["reached"] = {
            "search_p95_ms": found["search_ms"]["p95"] <= BARS[store],
            "recall_at_10": found["recall_at_10"] >= RECALL_BAR,
            "resident": resident <= RESIDENT_BAR,
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stores", nargs="*", default=list(STORES), choices=list(STORES))
    parser.add_argument("--passages", type=int, nargs="*", default=[10_000, 100_000, 200_000, 1_000_000])
    parser.add_argument("--again", action="store_true", help="measure what was measured before, too")
    parser.add_argument("--step", choices=["build", "search"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.step:
        run_step(chosen.stores[0], chosen.passages[0], chosen.step)
        return
    for count in chosen.passages:
        for store in chosen.stores:
            file = ROOT / "benchmarks" / "scale" / "results" / f"{store}-{count}.json"
            if chosen.again or not file.exists():
                write_result("scale", f"{store}-{count}", point(store, count))


if __name__ == "__main__":
    main()
