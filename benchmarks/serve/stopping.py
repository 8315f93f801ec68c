"""How the server ends, and what clients that leave let it do.

    .venv/bin/python benchmarks/serve/stopping.py
    .venv/bin/python benchmarks/serve/stopping.py --kills 5 --only kills

- *stop*: SIGTERM while 50 streams are being answered by a slow model. Bars: each stream ends with exactly one
  terminal event, and the process within 10 s.
- *kills*: kill -9 at random moments while 30 files are uploaded, three in a request. Bars: after the next start
  every acknowledged file is whole, or its job says why not.
- *vanished*: a client closes its connection while a model writes, by turns of a stream and of one object. Bars: the
  call of the model is cancelled within a second; no connection, thread or run stays behind.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import httpx2

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))
from server_process import PATIENCE, Serve, Server, ServerProcess, server_process, upload, wait_for_job

from report import write_result
from support.provider import Asked, LocalProvider, Reply

WATER = b"# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = "At how many degrees does water boil?"
SENTENCE = "Water boils at 100 degrees Celsius at sea level [1]. "
STREAM = {"accept": "text/event-stream"}
FILES, IN_A_REQUEST = 30, 3


# --- SIGTERM --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Stream:
    """The events of one stream, and whether it ended as HTTP ends."""

    kinds: list[str] = field(default_factory=list)
    complete: bool = False

    @property
    def terminal(self) -> int:
        """How many of its events are terminal."""
        return sum(kind in ("done", "error") for kind in self.kinds)


async def follow(session: aiohttp.ClientSession, address: str, stream: Stream) -> None:
    """Ask, and read events until the connection ends."""
    with suppress(aiohttp.ClientError):
        async with session.post(f"{address}/api/v1/ask", json={"question": QUESTION}, headers=STREAM) as response:
            async for line in response.content:
                if line.startswith(b"event: "):
                    stream.kinds.append(line[7:].strip().decode())
        stream.complete = True


async def stop_under(server: ServerProcess, streams: list[Stream]) -> float:
    """Stop the server once every stream has its first sentence; the seconds until it has ended."""
    limits = aiohttp.ClientTimeout(total=PATIENCE)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=limits) as session:
        following = [asyncio.create_task(follow(session, server.address, stream)) for stream in streams]
        while not all(any(kind.startswith("sentence.") for kind in stream.kinds) for stream in streams):
            await asyncio.sleep(0.05)
            assert not any(task.done() for task in following), "a stream ended before the stop"
        seconds = await asyncio.to_thread(server.terminate)
        await asyncio.gather(*following)
    return seconds


def stopped(folder: Path, count: int) -> dict[str, Any]:
    """The figures of a stop under `count` streams."""
    script = folder.with_suffix(".json")
    # A sentence of 53 letters each 5 s or so, for a minute: longer than a stop may take.
    rule = {"role": "writer", "reply": SENTENCE * 12, "pieces": 60, "delay": 1.0}
    script.write_text(json.dumps([rule]), encoding="utf-8")
    streams = [Stream() for _ in range(count)]
    with server_process(folder, {"ASSAY_MODEL": f"fake:{script}"}) as server:
        with server.client() as client:
            upload(client, {"water.md": WATER})
        seconds = asyncio.run(stop_under(server, streams))
        code = server.process.returncode
    return {
        "streams": count,
        "with_one_terminal_event": sum(stream.terminal == 1 for stream in streams),
        "ended_by_it": sum(stream.kinds[-1] in ("done", "error") for stream in streams if stream.kinds),
        "complete_responses": sum(stream.complete for stream in streams),
        "seconds": round(seconds, 2),
        "exit_code": code,
        "bars": {"with_one_terminal_event": count, "seconds": 10},
    }


# --- kill -9 --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Uploads:
    """The uploads to one collection: names with their texts, and the jobs that were acknowledged."""

    collection: str
    texts: dict[str, str]
    jobs: dict[str, list[str]] = field(default_factory=dict)

    def send(self, server: ServerProcess) -> None:
        """Upload the files until the server is gone."""
        names = list(self.texts)
        with server.client() as client, suppress(httpx2.TransportError):
            for at in range(0, len(names), IN_A_REQUEST):
                batch = names[at : at + IN_A_REQUEST]
                files = [("files", (name, self.texts[name].encode())) for name in batch]
                place = {"collection": self.collection}
                response = client.post("/api/v1/documents", params=place, files=files)
                self.jobs[response.json()["job_id"]] = batch


def new_uploads(number: int, count: int = FILES) -> Uploads:
    """So many small files."""
    texts = {
        f"{n}.md": f"# Paper {n}\n\n" + "".join(f"Line {line} of paper {n} is here.\n\n" for line in range(12))
        for n in range(count)
    }
    return Uploads(f"killed-{number}", texts)


@dataclass(slots=True)
class KillFigures:
    """What became of acknowledged files."""

    acknowledged: int = 0
    whole: int = 0
    explained: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def check(self, client: httpx2.Client, sent: Uploads) -> None:
        """Look after a restart at every acknowledged file."""
        for job_id, names in sent.jobs.items():
            self.acknowledged += len(names)
            files = {file["name"]: file for file in wait_for_job(client, job_id)["files"]}
            for name in names:
                file = files.get(name, {})
                if file.get("status") in ("added", "unchanged") and self._is_whole(client, sent, name, file):
                    self.whole += 1
                elif file.get("status") in ("skipped", "failed") and file.get("reason") and file.get("hint"):
                    self.explained.append(file["reason"])
                else:
                    self.lost.append(f"{sent.collection}/{name}: {file}")

    @staticmethod
    def _is_whole(client: httpx2.Client, sent: Uploads, name: str, file: dict[str, Any]) -> bool:
        place = {"collection": sent.collection}
        shown = client.get(f"/api/v1/documents/{file['document_id']}", params=place)
        return shown.status_code == 200 and shown.json()["characters"] == len(sent.texts[name])


def killed(folder: Path, kills: int, files: int = FILES) -> dict[str, Any]:
    """The figures of so many kills while `files` are sent each time; those acknowledged are read at the end."""
    drawn, figures = random.Random(9), KillFigures()
    sent = [new_uploads(number, files) for number in range(kills)]
    for uploads in sent:
        with server_process(folder) as server:
            sending = threading.Thread(target=uploads.send, args=(server,))
            sending.start()
            wanted = drawn.randrange(files // IN_A_REQUEST)
            wait_until(lambda uploads=uploads, wanted=wanted: len(uploads.jobs) >= wanted)
            time.sleep(drawn.uniform(0.0, 0.3))
            server.kill()
            sending.join()
    with server_process(folder) as server, server.client() as client:
        for uploads in sent:
            figures.check(client, uploads)
    return {
        "kills": kills,
        "kills_during_uploads": sum(len(one.jobs) < files / IN_A_REQUEST for one in sent),
        "files_acknowledged": figures.acknowledged,
        "whole": figures.whole,
        "explained_by_the_job": len(figures.explained),
        "explanations": dict(Counter(figures.explained)),
        "lost": len(figures.lost),
        "lost_first": figures.lost[:5],
        "bars": {"lost": 0},
    }


# --- clients that leave ----------------------------------------------------------------------------


def slow_answer(_asked: Asked) -> Reply:
    """A minute's silence, then an answer."""
    return Reply(SENTENCE, wait=60.0)


def vanish(server: Server, provider: LocalProvider, *, streams: bool) -> float:
    """Ask, and close the connection once the model is at work; the seconds until its call has ended."""
    host, port = urlsplit(server.address).netloc.split(":")
    body = json.dumps({"question": QUESTION}).encode()
    accept = STREAM["accept"] if streams else "application/json"
    lines = (
        "POST /api/v1/ask HTTP/1.1", f"Host: {host}:{port}", "Content-Type: application/json", f"Accept: {accept}",
        f"Content-Length: {len(body)}", "", "",
    )  # fmt: skip
    known, left = len(provider.requests), len(provider.disconnects)
    with socket.create_connection((host, int(port)), PATIENCE) as connection:
        connection.sendall("\r\n".join(lines).encode() + body)
        wait_until(lambda: len(provider.requests) > known)
    closed = time.monotonic()
    wait_until(lambda: len(provider.disconnects) > left)
    return provider.disconnects[-1].at - closed


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what always comes."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.002)


def vanished(folder: Path, times: int, serve: Serve = server_process) -> dict[str, Any]:
    """The figures of so many clients that leave."""
    with LocalProvider(slow_answer, time_scale=1.0) as provider:
        settings = {"ASSAY_MODEL": "openai:fake", "ASSAY_OPENAI_BASE_URL": provider.url}
        with serve(folder, settings) as server:
            with server.client() as client:
                upload(client, {"water.md": WATER})
            for streams in (True, False):
                vanish(server, provider, streams=streams)
            time.sleep(1.0)
            descriptors, threads = server.descriptors, server.threads
            taken = [vanish(server, provider, streams=n % 2 == 0) for n in range(times)]
            time.sleep(1.0)
            with server.client() as client:
                metrics = client.get("/metrics").text
            result = {
                "clients": times,
                "seconds_until_cancelled_median": round(statistics.median(taken), 3),
                "seconds_until_cancelled_longest": round(max(taken), 3),
                "within_a_second": sum(seconds <= 1.0 for seconds in taken),
                "descriptors_more": server.descriptors - descriptors,
                "threads_more": server.threads - threads,
                "model_connections_open": provider.connections.now,
                "runs_in_progress": metric(metrics, "assay_runs_in_progress"),
            }
    return {**result, "bars": {"seconds_until_cancelled_longest": 1.0, "runs_in_progress": 0}}


def metric(text: str, name: str) -> float:
    """The value of a metric without labels."""
    return float(next(line for line in text.splitlines() if line.startswith(f"{name} ")).split()[1])


def main() -> None:
    """Print the figures, and keep those of full size in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--only", choices=["stop", "kills", "vanished"])
    chosen = parser.parse_args()
    parts: dict[str, tuple[Callable[[Path, int], dict[str, Any]], int, int]] = {
        "stop": (stopped, chosen.streams, 50),
        "kills": (killed, chosen.kills, 20),
        "vanished": (vanished, chosen.clients, 100),
    }
    for name, (measure, count, whole) in parts.items():
        if chosen.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            result = measure(Path(folder) / "data", count)
        if count == whole:
            write_result("serve", f"stopping-{name}", result)
        else:
            print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
