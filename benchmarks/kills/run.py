"""300 random kills while a collection of 20,000 passages changes, and 100 interleavings of two processes.

    .venv/bin/python benchmarks/kills/run.py [--kills 300] [--interleavings 100]

Bars: 0 lost, 0 partial, opens within 1 s; each process sees the other's change at its next question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.core.stages import Entry
from assay.errors import ModelMismatch
from assay.retrieval.index.rebuild import problems, rebuild
from assay.retrieval.index.sqlite import SqliteIndex, open_sqlite
from assay.types import Document, EmbeddingModel, Passage
from report import write_result

DIMENSION = 64
PASSAGES = 10
DOCUMENTS = 2000
AT_ONCE = 25
EXACT_BELOW = 10_000


@dataclass(frozen=True)
class DrawnEmbedder:
    """Vectors drawn from the first text, the same on every run."""

    name: str

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(self.name, DIMENSION, self.name)

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        drawn = (
            np.random.default_rng(zlib.crc32(texts[0].encode()))
            .standard_normal((len(texts), DIMENSION))
            .astype(np.float32)
        )
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


EMBEDDERS = (DrawnEmbedder("one"), DrawnEmbedder("two"))


def letters(number: int) -> str:
    """A word for a number, of consonants: no two have one stem."""
    return "q" + "".join("bcdfghjklm"[int(digit)] for digit in str(number))


async def entry(name: str, edition: int, embedder: DrawnEmbedder) -> Entry:
    texts = [
        f"{name} edition e{letters(edition)} passage {n} " + "some words that fill it " * 8 for n in range(PASSAGES)
    ]
    starts = accumulate((len(text) + 1 for text in texts[:-1]), initial=0)
    document = Document(name, "\n".join(texts), "", name, "text", str(edition))
    passages = tuple(
        Passage(f"{name}/{edition}/{n}", name, document.revision, start, start + len(text), text)
        for n, (start, text) in enumerate(zip(starts, texts, strict=True))
    )
    return Entry(document, passages, await embedder.embed(texts))


def opened(folder: Path) -> tuple[SqliteIndex, DrawnEmbedder]:
    """The collection with whichever of the two models it has."""
    try:
        return open_sqlite(folder, EMBEDDERS[0].model, exact_below=EXACT_BELOW), EMBEDDERS[0]
    except ModelMismatch:
        return open_sqlite(folder, EMBEDDERS[1].model, exact_below=EXACT_BELOW), EMBEDDERS[1]


# --- kills --------------------------------------------------------------------------------------


@dataclass
class Truth:
    """The edition of each document that was acknowledged, and what the change under way would make of some."""

    editions: dict[str, int] = field(default_factory=dict)
    pending: dict[str, int | None] = field(default_factory=dict)

    def hear(self, line: str) -> None:
        """Take in one line of the child: a change begun, or done."""
        message = json.loads(line)
        if "begin" in message:
            self.pending = message["begin"]
        else:
            self.settle(True)

    def settle(self, done: bool) -> None:
        if done:
            self.editions.update({name: edition for name, edition in self.pending.items() if edition is not None})
            for name in [name for name, edition in self.pending.items() if edition is None]:
                self.editions.pop(name, None)
        self.pending = {}


async def keep_changing(folder: Path, editions: dict[str, int], seed: int, tell: int) -> None:
    """Change the collection in random ways until killed, telling each change before it begins and behind it."""
    generator = random.Random(seed)
    index, embedder = opened(folder)
    editions = dict(editions)
    while True:
        kind = generator.choices(["add", "update", "delete", "reindex"], [4, 4, 3, 1])[0]
        names = generator.sample(sorted(editions), AT_ONCE)
        if kind == "add" or (kind == "delete" and len(editions) < DOCUMENTS):
            names = [letters(generator.randrange(10**9)) for _ in range(AT_ONCE)]
        if kind == "reindex":
            await index.close()
            tell_line(tell, {"begin": {}})
            embedder = EMBEDDERS[1 - EMBEDDERS.index(embedder)]
            await rebuild(folder, embedder, lambda title, text: text)
            tell_line(tell, {"done": kind})
            index, embedder = opened(folder)
            continue
        gone = kind == "delete" and names[0] in editions
        change = {name: None if gone else editions.get(name, 0) + 1 for name in names}
        entries = [] if gone else [await entry(name, editions.get(name, 0) + 1, embedder) for name in names]
        tell_line(tell, {"begin": change})
        await (index.remove(names) if gone else index.add(entries))
        tell_line(tell, {"done": kind})
        truth = Truth(editions, change)
        truth.settle(True)


def tell_line(tell: int, message: object) -> None:
    os.write(tell, (json.dumps(message) + "\n").encode())


def kill_once(folder: Path, truth: Truth, seed: int, after: float) -> list[str]:
    """Let a child change the collection, kill it, and return the kinds of changes it completed."""
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hear)
        try:
            asyncio.run(keep_changing(folder, truth.editions, seed, tell))
        finally:
            os._exit(1)
    os.close(tell)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    with os.fdopen(hear) as lines:
        heard = lines.read().splitlines()
    for line in heard:
        truth.hear(line)
    return [json.loads(line)["done"] for line in heard if "done" in json.loads(line)]


async def look(folder: Path, truth: Truth) -> tuple[int, int, float]:
    """How many documents are lost, how many partial, and the seconds that opening took."""
    started = time.perf_counter()
    index, embedder = opened(folder)
    await index.version()
    seconds = time.perf_counter() - started
    records = {record.document_id: record for record in await index.documents()}
    found = {name: int(record.bytes_sha256) for name, record in records.items()}
    # The change under way is done or not done, as a whole.
    done = {name: found.get(name) for name in truth.pending} == truth.pending
    truth.settle(done)
    lost = sum(found.get(name) != edition for name, edition in truth.editions.items())
    partial = len(problems(folder)) + sum(name not in truth.editions for name in found)
    partial += sum(record.passages != PASSAGES for record in records.values())
    for name in random.Random(len(found)).sample(sorted(found), 10):
        expected = await entry(name, found[name], embedder)
        ids = {each.passage_id for each in await index.sparse(name, 50, {})}
        whole = await index.document(name) == expected.document
        partial += not (whole and ids == {each.passage_id for each in expected.passages})
    await index.close()
    return lost, partial, seconds


async def fill(folder: Path) -> Truth:
    index = open_sqlite(folder, EMBEDDERS[0].model, exact_below=EXACT_BELOW)
    names = [letters(n) for n in range(DOCUMENTS)]
    for first in range(0, DOCUMENTS, 500):
        await index.add([await entry(name, 1, EMBEDDERS[0]) for name in names[first : first + 500]])
    await index.close()
    return Truth(dict.fromkeys(names, 1))


def measure_kills(folder: Path, count: int) -> dict[str, object]:
    truth = asyncio.run(fill(folder))
    generator = random.Random(0)
    lost = partial = 0
    longest, completed = 0.0, dict.fromkeys(["add", "update", "delete", "reindex"], 0)
    for n in range(count):
        for kind in kill_once(folder, truth, n, generator.uniform(0.05, 1.5)):
            completed[kind] += 1
        now_lost, now_partial, seconds = asyncio.run(look(folder, truth))
        lost, partial, longest = lost + now_lost, partial + now_partial, max(longest, seconds)
        if n % 25 == 24 or now_lost or now_partial:
            print(f"{n + 1} kills: {lost} lost, {partial} partial, opened within {longest:.2f} s", flush=True)
    return {
        "kills": count,
        "passages": len(truth.editions) * PASSAGES,
        "changes_completed": completed,
        "lost": lost,
        "partial": partial,
        "longest_opening_seconds": round(longest, 3),
        "upper_bound_of_loss": round(3 / count, 4),  # the rule of three, 95 %
    }


# --- two processes ------------------------------------------------------------------------------


def serve(folder: Path, pipe: Connection) -> None:
    """One process with the collection open: does what it is told, and says what it finds."""

    async def loop() -> None:
        index = open_sqlite(folder, EMBEDDERS[0].model, exact_below=100)
        while (command := pipe.recv()) is not None:
            kind, name, edition = command
            if kind == "add":
                await index.add([await entry(name, edition, EMBEDDERS[0])])
            elif kind == "remove":
                await index.remove([name])
            (vector, *_) = (await entry(name, edition, EMBEDDERS[0])).vectors
            sparse = {each.passage_id for each in await index.sparse(name, 50, {})}
            dense = [each.passage_id for each in await index.dense(vector, 100, {})]
            pipe.send((sparse, {each for each in dense if each.startswith(f"{name}/")}, dense[0] if dense else ""))
        await index.close()

    asyncio.run(loop())


def measure_interleavings(folder: Path, count: int) -> dict[str, object]:
    context = get_context("fork")
    pairs = [context.Pipe() for _ in range(2)]
    workers = [context.Process(target=serve, args=(folder, theirs)) for _, theirs in pairs]
    for worker in workers:
        worker.start()
    pipes = [ours for ours, _ in pairs]
    generator, missed, steps, editions = random.Random(1), 0, 0, dict[str, int]()
    for _ in range(count):
        for _ in range(generator.randint(2, 6)):
            steps += 1
            name, writer = letters(generator.randrange(30)), generator.randrange(2)
            if name in editions and generator.random() < 0.4:
                del editions[name]
                command = ("remove", name, 1)
            else:
                editions[name] = editions.get(name, 0) + generator.randint(1, 3)
                command = ("add", name, editions[name])
            pipes[writer].send(command)
            own = pipes[writer].recv()
            pipes[1 - writer].send(("ask", name, command[2]))
            other = pipes[1 - writer].recv()
            wanted = {f"{name}/{editions[name]}/{n}" for n in range(PASSAGES)} if name in editions else set()
            for sparse, dense, first in (own, other):
                best = f"{name}/{command[2]}/0"
                missed += sparse != wanted or not dense <= wanted or (first == best) != bool(wanted)
    for pipe in pipes:
        pipe.send(None)
    for worker in workers:
        worker.join()
    return {"interleavings": count, "changes": steps, "missed": missed, "problems": list(problems(folder))}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--interleavings", type=int, default=100)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        interleavings = measure_interleavings(Path(folder) / "two", chosen.interleavings)
        print(interleavings, flush=True)
        kills = measure_kills(Path(folder) / "kills", chosen.kills)
    passed = not (kills["lost"] or kills["partial"] or interleavings["missed"] or interleavings["problems"])
    passed = passed and float(str(kills["longest_opening_seconds"])) <= 1
    write_result("kills", "run", {**kills, **interleavings, "passed": passed})


if __name__ == "__main__":
    main()
