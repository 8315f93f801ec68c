"""Many answering streams at once against one server process, then twice as many as it takes.

    .venv/bin/python benchmarks/serve/load.py
    .venv/bin/python benchmarks/serve/load.py --streams 50 --seconds 20

The server is `assay serve` over this project's docs, with a scripted model that writes 300 words or so, one each
20 ms, from what the search found. Each stream asks one of 60 questions, reads its answer to the end, and asks the
next. The client runs on the same machine. Bars, for 200 streams and 60 s: first verified sentence within 3 s at the
95th percentile, longest gap between two events .5 s, no stream dropped, exactly one terminal event each, at most
350 MiB beyond the networks; at twice what `--answering` allows a refusal within 100 ms, and an answer after 5 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay import Engine, open_engine
from report import ROOT, write_result

PROGRAM = str(Path(sys.executable).with_name("assay"))
QUESTIONS = ROOT / "benchmarks" / "answers" / "own_docs.jsonl"
DOCUMENTS = ("docs", "README.md", "SECURITY.md", "CONTRIBUTING.md")
STREAM = {"accept": "text/event-stream"}
# About 50 words a second: how fast strong models are served. Chosen.
SECONDS_A_WORD = 0.02
WORDS = 300
TERMINAL = ("done", "error")


@dataclass(slots=True)
class Seen:
    """What a client saw: seconds, counts."""

    first_verified: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    terminal: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    ended: int = 0


def reply(engine: Engine, question: str) -> str:
    """About `WORDS` words of cited sentences from what the search finds."""
    sentences: list[str] = []
    for number, passage in enumerate(engine.gather(question).evidence.passages, 1):
        for sentence in re.split(r"(?<=[.])\s+", " ".join(passage.text.split())):
            if 5 <= len(sentence.split()) <= 40 and sentence.endswith("."):
                sentences.append(f"{sentence[:-1]} [{number}].")
            if sum(len(one.split()) for one in sentences) >= WORDS:
                return " ".join(sentences)
    return " ".join(sentences) or "The documents say nothing of it."


def prepare(folder: Path) -> tuple[Path, list[str]]:
    """A data folder with the docs, and a script with a reply to each question."""
    asked = [json.loads(line)["question"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rules = []
    with open_engine(data_dir=folder, collection="docs") as engine:
        engine.add([ROOT / place for place in DOCUMENTS])
        for question in asked:
            text = reply(engine, question)
            words = max(1, len(text.split()))
            rules.append(
                {"role": "writer", "contains": question, "reply": text, "pieces": words, "delay": SECONDS_A_WORD}
            )
    script = folder / "script.json"
    script.write_text(json.dumps([*rules, {"role": "writer", "reply": "Nothing."}]), encoding="utf-8")
    return script, asked


def start(folder: Path, script: Path, port: int, answering: int) -> subprocess.Popen[bytes]:
    """The server as a process of its own."""
    command = [PROGRAM, "serve", "--data-dir", str(folder), "--port", str(port), "-m", f"fake:{script}"]
    limits = ["--deadline", "60", "--answering", str(answering), "--answering-per-key", str(answering)]
    return subprocess.Popen([*command, *limits, "--requests-per-minute", "1000000"], stderr=subprocess.PIPE)


def memory_of(process: subprocess.Popen[bytes]) -> float:
    """Resident memory, MiB."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


async def one_stream(session: aiohttp.ClientSession, address: str, question: str, seen: Seen) -> None:
    """Ask one question and read its answer to the end."""
    started = last = time.perf_counter()
    verified, terminal = False, 0
    body = {"question": question, "collection": "docs"}
    try:
        async with session.post(f"{address}/api/v1/ask", json=body, headers=STREAM) as response:
            if response.status != 200:
                seen.refused.append(time.perf_counter() - started)
                return
            async for line in response.content:
                now = time.perf_counter()
                if not line.startswith(b"event: "):
                    continue
                kind = line[7:].strip().decode()
                # A gap is told from the first sentence on: before it, the search and the judge are at work.
                if verified:
                    seen.gaps.append(now - last)
                last = now
                if kind == "sentence.verified" and not verified:
                    verified = True
                    seen.first_verified.append(now - started)
                terminal += kind in TERMINAL
        seen.terminal.append(terminal)
        seen.ended += 1
    except (aiohttp.ClientError, TimeoutError) as error:
        seen.failed.append(f"{type(error).__name__}: {error}")


async def load(address: str, asked: list[str], streams: int, seconds: float) -> Seen:
    """`streams` clients that ask one question after another for so many seconds."""
    seen, drawn = Seen(), random.Random(7)
    ends = time.perf_counter() + seconds
    limits = aiohttp.ClientTimeout(total=None, sock_read=60)

    async def client(number: int) -> None:
        await asyncio.sleep(5 * number / streams)  # people do not press return together
        while time.perf_counter() < ends:
            await one_stream(session, address, drawn.choice(asked), seen)

    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=limits, read_bufsize=2**20) as session:
        await asyncio.gather(*(client(number) for number in range(streams)))
    return seen


async def overload(address: str, asked: list[str], streams: int) -> dict[str, Any]:
    """Twice as many streams as the server takes: how fast it refuses, and whether it answers 5 s later."""
    seen = Seen()
    limits = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=limits) as session:
        await asyncio.gather(
            *(one_stream(session, address, asked[n % len(asked)], seen) for n in range(2 * streams))
        )
        await asyncio.sleep(5)
        after = Seen()
        await one_stream(session, address, asked[0], after)
    return {
        "asked": 2 * streams,
        "refused": len(seen.refused),
        "refusal_ms_median": 1000 * statistics.median(seen.refused) if seen.refused else None,
        "refusal_ms_p95": 1000 * percentile(seen.refused, 0.95) if seen.refused else None,
        "answered_after_5_s": after.ended == 1,
    }


def percentile(values: list[float], share: float) -> float:
    """The value at a share of the sorted values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def wait_ready(address: str) -> None:
    """Wait until the server answers."""
    async with aiohttp.ClientSession() as session:
        for _ in range(600):
            with suppress(aiohttp.ClientError):
                async with session.get(f"{address}/readyz") as response:
                    if response.status == 200:
                        return
            await asyncio.sleep(0.1)
    raise SystemExit("the server did not start")


async def measure(folder: Path, streams: int, seconds: float) -> dict[str, Any]:
    """The figures of a load, and of twice that load."""
    script, asked = prepare(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    process = start(folder, script, port, streams)
    try:
        await wait_ready(address)
        await load(address, asked, 1, 0.5)
        opened = memory_of(process)
        seen = await load(address, asked, streams, seconds)
        peak = memory_of(process)
        beyond = await overload(address, asked, streams)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    return {
        "streams": streams,
        "seconds": seconds,
        "cores": os.cpu_count(),
        "answers": seen.ended,
        "answers_per_second": seen.ended / seconds,
        "first_verified_s_median": statistics.median(seen.first_verified),
        "first_verified_s_p95": percentile(seen.first_verified, 0.95),
        "gap_s_p95": percentile(seen.gaps, 0.95),
        "gap_s_longest": max(seen.gaps),
        "dropped": len(seen.failed),
        "refused": len(seen.refused),
        "with_one_terminal_event": sum(count == 1 for count in seen.terminal) / max(1, len(seen.terminal)),
        "rss_mib_with_networks": opened,
        "rss_mib_beyond": peak - opened,
        "overload": beyond,
        "exit_code": process.returncode,
    }


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(measure(Path(folder), chosen.streams, chosen.seconds))
    print(json.dumps(result, indent=1))
    if (chosen.streams, chosen.seconds) == (200, 60.0):
        write_result("serve", "load", result)


if __name__ == "__main__":
    main()
