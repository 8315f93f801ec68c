"""kill -9 at every named step of a change, and at random moments: a document is whole or absent, never lost.

The benchmark benchmarks/kills does the same 300 times over a large collection.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.stages import Entry
from assay.retrieval.index.rebuild import problems, rebuild
from assay.retrieval.index.sqlite import GRAPH_NAME, open_sqlite
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Passage

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kills by signal")

OLD, NEW = WordEmbedder(8, "old"), WordEmbedder(8, "new")
SMALL = 20
NAMES = "alfa bravo charlie delta echo foxtrot golf hotel india juliett".split()
Reached = Callable[[str], None]


def entry(name: str, edition: int = 1) -> Entry:
    """A document of five passages, each with the words of its edition."""
    texts = [f"{name} edition{edition} passage{n}" for n in range(5)]
    starts = accumulate((len(text) + 1 for text in texts[:-1]), initial=0)
    document = Document(name, "\n".join(texts), "", name, "text", f"{edition}")
    passages = tuple(
        Passage(f"{name}/{edition}/{n}", name, document.revision, start, start + len(text), text)
        for n, (start, text) in enumerate(zip(starts, texts, strict=True))
    )
    vectors = np.eye(8, dtype=np.float32)[[n % 8 for n in range(5)]]
    return Entry(document, passages, vectors)


async def fill(folder: Path) -> None:
    """Ten documents, and a derived file over their fifty passages."""
    index = open_sqlite(folder, OLD.model, exact_below=SMALL)
    await index.add([entry(name) for name in NAMES])
    await index.close()


async def change(folder: Path, reached: Reached) -> None:
    """Update alfa, add novel, remove bravo: one transaction each; then bring the derived file up to date."""
    (folder / GRAPH_NAME).unlink(missing_ok=True)
    index = open_sqlite(folder, OLD.model, exact_below=SMALL, reached=reached)
    await index.add([entry("alfa", 2), entry("novel")])
    await index.remove(["bravo"])
    await index.close()


async def renew(folder: Path, reached: Reached) -> None:
    """Reindex with another model."""
    await rebuild(folder, NEW, lambda title, text: text, reached=reached)


def killed(work: Callable[[], Coroutine[Any, Any, None]], after: float | None = None) -> bool:
    """Run the work in a child, killed from outside after so many seconds; True where it died by a signal."""
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(work())
        finally:
            os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def killing_at(step: str, nth: int = 1) -> Reached:
    """Dies when the step is reached for the nth time."""
    left = [nth]

    def reached(name: str) -> None:
        left[0] -= name == step
        if name == step and left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return reached


async def state(folder: Path, embedder: WordEmbedder) -> dict[str, int]:
    """The edition of each document, after seeing that each is whole; 0 stands for absent."""
    assert problems(folder) == ()
    index = open_sqlite(folder, embedder.model, exact_below=SMALL)
    editions = {}
    for record in await index.documents():
        edition = int(record.bytes_sha256)
        assert await index.document(record.document_id) == entry(record.document_id, edition).document
        found = {each.passage_id for each in await index.sparse(record.document_id, 99, {})}
        assert found == {f"{record.document_id}/{edition}/{n}" for n in range(5)}
        assert (await index.vectors(sorted(found))).shape == (5, 8)
        editions[record.document_id] = edition
    seen = await index.dense(np.ones(8, np.float32), 1000, {})
    assert len(seen) == await index.size() == 5 * len(editions)
    await index.close()
    return editions


BEFORE = dict.fromkeys(NAMES, 1)
BETWEEN = {**BEFORE, "alfa": 2, "novel": 1}
AFTER = {name: edition for name, edition in BETWEEN.items() if name != "bravo"}


@pytest.mark.parametrize(
    ("step", "nth", "expected"),
    [
        ("before transaction", 1, BEFORE),
        ("in transaction", 1, BEFORE),
        ("document deleted", 1, BEFORE),
        ("document inserted", 1, BEFORE),
        ("passages inserted", 1, BEFORE),
        ("document inserted", 2, BEFORE),
        ("passages inserted", 2, BEFORE),
        ("before commit", 1, BEFORE),
        ("committed", 1, BETWEEN),
        ("document deleted", 2, BETWEEN),
        ("before commit", 2, BETWEEN),
        ("committed", 2, AFTER),
        ("graph grown", 1, AFTER),
        ("graph written", 1, AFTER),
        ("graph in place", 1, AFTER),
    ],
)
def test_killed_at_a_step_each_document_is_whole_or_absent(
    tmp_path: Path, step: str, nth: int, expected: dict[str, int]
) -> None:
    asyncio.run(fill(tmp_path))
    assert killed(lambda: change(tmp_path, killing_at(step, nth)))
    assert asyncio.run(state(tmp_path, OLD)) == expected
    assert not killed(lambda: change(tmp_path, lambda name: None))
    assert asyncio.run(state(tmp_path, OLD)) == AFTER


@pytest.mark.parametrize(
    ("step", "embedder"),
    [("rebuild begun", OLD), ("batch embedded", OLD), ("before swap", OLD), ("swapped", NEW)],
)
def test_killed_while_reindexing_the_collection_has_one_model_or_the_other(
    tmp_path: Path, step: str, embedder: WordEmbedder
) -> None:
    asyncio.run(fill(tmp_path))
    assert killed(lambda: renew(tmp_path, killing_at(step)))
    assert asyncio.run(state(tmp_path, embedder)) == BEFORE
    assert not killed(lambda: renew(tmp_path, lambda name: None))
    assert asyncio.run(state(tmp_path, NEW)) == BEFORE


def test_killed_while_the_file_is_made_the_next_opening_makes_it(tmp_path: Path) -> None:
    for delay in (0.0, 0.002, 0.005, 0.01):
        folder = tmp_path / str(delay)
        killed(lambda: fill(folder), after=delay)  # noqa: B023 - used at once
        killed(lambda: fill(folder))  # noqa: B023
        assert asyncio.run(state(folder, OLD)) == BEFORE


def test_killed_at_random_nothing_is_lost(tmp_path: Path) -> None:
    generator = random.Random(7)  # noqa: S311 - which moments, not secrets
    asyncio.run(fill(tmp_path))
    for _ in range(12):
        killed(lambda: change(tmp_path, lambda name: None), after=generator.uniform(0, 0.1))
        assert asyncio.run(state(tmp_path, OLD)) in (BEFORE, BETWEEN, AFTER)
