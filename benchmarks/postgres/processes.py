"""Several servers on one Postgres: questions a second beside those of one, and restarts of each under load.

    .venv/bin/python benchmarks/postgres/processes.py [--rounds 3] [--seconds 20] [--only speed|restarts]

- *speed*: 16 clients ask 12 questions of this project's how-to pages again and again, of one server process and of
  four, by turns; a scripted model writes at once. Every process has answered each question once before, since it
  keeps what its networks said. Bar: four answer at least 1.8 times as many questions a second.
- *restarts*: while 8 clients ask two servers and files are uploaded to both, each server is ended by SIGTERM and
  started again, twice. What gets no reply from one server is sent to the other, as a proxy does. Bars: every
  question is answered, every acknowledged file is taken in, and both servers find it.

The clients run on the same machine, which the figures of its load tell of.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "serve"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from server_process import ServerProcess, server_process

from assay import Engine, open_engine
from assay.postgres.address import Address
from assay.postgres.database import opened
from kills import open_jobs, text_of, wait_for_jobs
from report import ROOT, write_result
from support.postgres import PostgresServer

QUESTIONS = ROOT / "benchmarks" / "answers" / "own_docs.jsonl"
ASKED, CLIENTS, SERVERS, SENTENCES = 12, 16, 4, 3
# Seconds for one answer.
PATIENCE = 120.0


def reply(engine: Engine, question: str) -> str:
    """A few cited sentences from what the search finds."""
    sentences = [
        f"{sentence[:-1]} [{number}]."
        for number, passage in enumerate(engine.gather(question).evidence.passages, 1)
        for sentence in re.split(r"(?<=[.])\s+", " ".join(passage.text.split()))
        if 5 <= len(sentence.split()) <= 40 and sentence.endswith(".")
    ]
    return " ".join(sentences[:SENTENCES]) or "The documents say nothing of it."


def prepare(folder: Path, store: str) -> tuple[dict[str, str], list[str]]:
    """The settings of the servers, whose collection has the how-to pages, and the questions."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()[:ASKED]
    asked = [json.loads(line)["question"] for line in lines]
    with open_engine(data_dir=folder / "prepared", store=store) as engine:
        engine.add([ROOT / "docs" / "how-to"])
        rules = [{"role": "writer", "contains": one, "reply": reply(engine, one)} for one in asked]
    script = folder / "script.json"
    script.write_text(json.dumps([*rules, {"role": "writer", "reply": "Nothing."}]), encoding="utf-8")
    return {"ASSAY_STORE": store, "ASSAY_MODEL": f"fake:{script}"}, asked


@contextmanager
def servers(folder: Path, settings: dict[str, str], count: int) -> Iterator[list[ServerProcess]]:
    """So many servers, each with a data folder of its own."""
    with ExitStack() as held:
        yield [
            held.enter_context(server_process(folder / f"machine-{number}", settings)) for number in range(count)
        ]


@dataclass(slots=True)
class Answers:
    """What clients saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    elsewhere: int = 0
    lost: int = 0


@dataclass(slots=True)
class Places:
    """The addresses of the servers; one that gives no reply is passed over for the next."""

    addresses: list[str]

    def from_the(self, number: int) -> list[str]:
        """All of them, beginning with one."""
        at = number % len(self.addresses)
        return [*self.addresses[at:], *self.addresses[:at]]


async def ask(session: aiohttp.ClientSession, places: Sequence[str], question: str, answers: Answers) -> None:
    """Ask the first server, or the next where one gives no reply."""
    begun = time.perf_counter()
    for tried, address in enumerate(places):
        try:
            async with session.post(f"{address}/api/v1/ask", json={"question": question}) as response:
                body = await response.json()
        except (aiohttp.ClientError, TimeoutError):
            continue
        answers.elsewhere += tried > 0
        answers.statuses[str(response.status) if response.status != 200 else body["outcome"]] += 1
        answers.lost += response.status != 200
        answers.seconds.append(time.perf_counter() - begun)
        return
    answers.lost += 1


def a_session() -> aiohttp.ClientSession:
    """A session whose requests have a connection each, as a proxy without keep-alive opens them."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True), timeout=aiohttp.ClientTimeout(total=PATIENCE)
    )


async def load(places: Places, asked: list[str], clients: int, ends: asyncio.Event) -> Answers:
    """Clients that ask one question after another until it ends."""
    answers, drawn = Answers(), random.Random(7)

    async def client(number: int) -> None:
        for turn in itertools.count():
            if ends.is_set():
                return
            await ask(session, places.from_the(number + turn), drawn.choice(asked), answers)

    async with a_session() as session:
        await asyncio.gather(*(client(number) for number in range(clients)))
    return answers


async def warm(places: Places, asked: list[str]) -> None:
    """Ask every server every question once."""
    async with a_session() as session:
        for address in places.addresses:
            await asyncio.gather(*(ask(session, [address], question, Answers()) for question in asked))


async def for_seconds(places: Places, asked: list[str], seconds: float) -> tuple[Answers, float]:
    """The answers of so many seconds, and how long they took."""
    ends = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, ends.set)
    begun = time.perf_counter()
    answers = await load(places, asked, CLIENTS, ends)
    return answers, time.perf_counter() - begun


def speed(folder: Path, store: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Questions a second of one server and of several, by turns."""
    settings, asked = prepare(folder, store)
    found: dict[int, list[dict[str, float]]] = {1: [], SERVERS: []}
    for _ in range(rounds):
        for count in found:
            with servers(folder, settings, count) as running:
                places = Places([server.address for server in running])
                asyncio.run(warm(places, asked))
                before = [cpu_seconds(server.pid) for server in running]
                answers, taken = asyncio.run(for_seconds(places, asked, seconds))
                used = sum(cpu_seconds(server.pid) - was for server, was in zip(running, before, strict=True))
            assert answers.lost == 0, answers.statuses
            found[count].append(
                {
                    "questions_per_second": round(len(answers.seconds) / taken, 2),
                    "p95_s": round(statistics.quantiles(answers.seconds, n=20)[18], 2),
                    "processor_seconds_per_question": round(used / len(answers.seconds), 3),
                    "processors_used": round(used / taken, 2),
                    "load_average": round(os.getloadavg()[0], 1),
                }
            )
    one, several = (
        statistics.median(each["questions_per_second"] for each in found[count]) for count in (1, SERVERS)
    )
    return {
        "cores": os.cpu_count(),
        "clients": CLIENTS,
        "seconds": seconds,
        "one_process": found[1],
        "four_processes": found[SERVERS],
        "times_as_many": round(several / one, 2),
        "bars": {"times_as_many": 1.8},
    }


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Uploaded:
    """The files that were acknowledged, and those of them that a server does not have afterwards."""

    names: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    elsewhere: int = 0
    refused: int = 0


async def upload_until(places: Places, ends: asyncio.Event) -> Uploaded:
    """Upload a file at a time until it ends, to one server after the other."""
    uploaded = Uploaded()
    async with a_session() as session:
        for number in itertools.count():
            if ends.is_set():
                break
            await upload(session, places.from_the(number), f"paper-{number}.txt", uploaded)
            await asyncio.sleep(0.5)
    return uploaded


async def upload(session: aiohttp.ClientSession, places: Sequence[str], name: str, uploaded: Uploaded) -> None:
    """Upload a file to the first server, or to the next where one gives no reply."""
    for tried, address in enumerate(places):
        form = aiohttp.FormData()
        form.add_field("files", text_of(name).encode(), filename=name)
        place, headers = f"{address}/api/v1/documents?collection=papers", {"Idempotency-Key": name}
        with suppress(aiohttp.ClientError, TimeoutError):
            async with session.post(place, data=form, headers=headers) as response:
                if response.status == 202:
                    uploaded.names.append(name)
                    uploaded.elsewhere += tried > 0
                    return
    uploaded.refused += 1


async def restart_under(
    folder: Path, settings: dict[str, str], asked: list[str], turns: int
) -> tuple[Answers, Uploaded, int]:
    """Restart each of two servers so many times; what clients saw, and jobs that were open as a server ended."""
    ends, open_then = asyncio.Event(), 0
    held = [server_process(folder / f"machine-{number}", settings) for number in range(2)]
    running = [await asyncio.to_thread(one.__enter__) for one in held]
    places = Places([server.address for server in running])
    working = asyncio.gather(load(places, asked, CLIENTS // 2, ends), upload_until(places, ends))
    try:
        for number in [*range(2)] * turns:
            await asyncio.sleep(4.0)
            with opened(Address.read(settings["ASSAY_STORE"])) as database:
                open_then += await asyncio.to_thread(open_jobs, database)
            await asyncio.to_thread(running[number].terminate)
            held[number].__exit__(None, None, None)
            held[number] = server_process(folder / f"machine-{number}", settings)
            running[number] = await asyncio.to_thread(held[number].__enter__)
            places.addresses[number] = running[number].address
        await asyncio.sleep(4.0)
        ends.set()
        answers, uploaded = await working
        with opened(Address.read(settings["ASSAY_STORE"])) as database:
            await asyncio.to_thread(wait_for_jobs, database)
        uploaded.missing = await missing(places.addresses, uploaded.names)
    finally:
        ends.set()
        for one in held:
            await asyncio.to_thread(one.__exit__, None, None, None)
    return answers, uploaded, open_then


async def missing(addresses: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names that a server does not list among its documents."""
    found: list[str] = []
    async with a_session() as session:
        for address in addresses:
            query = {"collection": "papers", "limit": "1000"}
            async with session.get(f"{address}/api/v1/documents", params=query) as response:
                there = {document["name"] for document in (await response.json())["documents"]}
            found.extend(f"{address} {name}" for name in names if name not in there)
    return found


def restarts(folder: Path, store: str, turns: int = 2) -> dict[str, Any]:
    """The figures of restarts under load."""
    settings, asked = prepare(folder, store)
    answers, uploaded, open_then = asyncio.run(restart_under(folder, settings, asked, turns))
    return {
        "restarts": 2 * turns,
        "questions": len(answers.seconds) + answers.lost,
        "outcomes": dict(answers.statuses),
        "answered_by_the_other_server": answers.elsewhere,
        "questions_lost": answers.lost,
        "files_acknowledged": len(uploaded.names),
        "acknowledged_by_the_other_server": uploaded.elsewhere,
        "uploads_refused_by_both": uploaded.refused,
        "jobs_open_at_restarts": open_then,
        "files_missing": uploaded.missing,
        "load_average": round(os.getloadavg()[0], 1),
        "bars": {"questions_lost": 0, "files_missing": 0},
    }


def main() -> None:
    """Print the figures and keep them in results/."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", choices=["speed", "restarts"])
    chosen = parser.parse_args()
    for name in ("speed", "restarts"):
        if chosen.only not in (None, name):
            continue
        postgres = PostgresServer.start(options="")
        try:
            with tempfile.TemporaryDirectory() as folder:
                result = (
                    speed(Path(folder), postgres.address(), chosen.rounds, chosen.seconds)
                    if name == "speed"
                    else restarts(Path(folder), postgres.address())
                )
        finally:
            postgres.remove()
        write_result("postgres", f"processes-{name}", result)


if __name__ == "__main__":
    main()
