"""Assay on the peers' work, in the form that their harness drives; started by run.py.

Environment: PEERS is the peers' folder, PEER_NAME the name shown, EMBEDDER `bundled` or `openai:fake`, PROFILE how
deep it looks, STALLS a file that gets the event loop's longest gap of each second, as JSON lines.
"""

import time

T0 = time.perf_counter()  # the harness's clock for imports

# ruff: noqa: E402
import asyncio
import json
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay import Engine, open_engine

sys.path.insert(0, os.environ["PEERS"])
import harness

NAME = os.environ["PEER_NAME"]
CONC = "async"
TICK = 0.005
running = 0


def build(docs: list[dict[str, str]]) -> Engine:
    """An engine over the passages, with every deterministic check on and every run recorded."""
    folder = Path(tempfile.mkdtemp(prefix="assay-peer-"))
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(document) + "\n" for document in docs), encoding="utf-8")
    embedder = os.environ["EMBEDDER"]
    engine = open_engine(
        data_dir=folder / "data", model="openai:fake", profile=os.environ["PROFILE"], embedder=embedder, k=3
    )
    assert [report.status for report in engine.add([corpus])] == ["added"]
    return engine


async def aanswer(engine: Engine, question: str) -> dict[str, Any]:
    """One question, as the harness wants its answer."""
    global running, ticker
    if running == 0 and (ticker is None or ticker.done()):
        ticker = asyncio.create_task(watch())
    running += 1
    try:
        answer = await engine.aask(question)
    finally:
        running -= 1
    verified = " and verified" if answer.checks and answer.validate() else ""
    return {"answer": answer.text, "action": answer.outcome.value + verified}


ticker: asyncio.Task[None] | None = None


async def watch() -> None:
    """Write down each second's longest gap between ticks that should be 5 ms apart, and how much was running."""
    longest, most, since = 0.0, 0, time.perf_counter()
    with suppress(asyncio.CancelledError), open(os.environ["STALLS"], "a", encoding="utf-8") as file:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            longest, most = max(longest, now - before - TICK), max(most, running)
            if now - since >= 1:
                file.write(json.dumps({"running": most, "longest_ms": 1000 * longest}) + "\n")
                file.flush()
                longest, most, since = 0.0, 0, time.perf_counter()


harness.main(globals())
