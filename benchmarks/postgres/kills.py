"""kill -9 of servers, and of the Postgres under them, while they acknowledge uploads.

    .venv/bin/python benchmarks/postgres/kills.py [--kills 300] [--anew]

Two servers share a database. Files are uploaded to both, three in a request; at random moments one of the servers,
or the main process of Postgres, is ended by kill -9 and started again. After every 20 kills, when all jobs have
ended, the database is read: every acknowledged file must be a document with its whole text, or its job must say why
not; every document must be one that was sent, whole; the collections must fit together. Each 20 begin with an empty
database.
Figures add up in results/kills.json: a run that was stopped goes on where it was, up to `--kills`, unless `--anew`.

Bars: 0 acknowledged files lost, 0 partial documents or uploads.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "serve"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from server_process import ServerProcess, server_process

from assay.postgres.address import Address
from assay.postgres.database import Database, opened
from assay.retrieval.index.postgres_rebuild import problems
from report import write_result
from support.postgres import PostgresServer

RESULT = Path(__file__).parent / "results" / "kills.json"
ROUND, IN_A_REQUEST, SERVERS = 20, 3, 2
# Uploads between two kills: as many as are taken in meanwhile.
MOST = 4
# Seconds for the jobs of a round to end: some leases of 15 s run out first.
PATIENCE = 300.0
TENANT = "default"


def text_of(name: str) -> str:
    """The text of a file."""
    return "".join(f"Line {line} of the paper {name} is here, and it says no more.\n" for line in range(12))


@dataclass(slots=True)
class Sent:
    """What was sent to one collection, and the jobs that were acknowledged, with the names of their files."""

    collection: str
    names: list[str] = field(default_factory=list)
    jobs: dict[str, list[str]] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)


class Servers:
    """Servers on one database, each with a data folder of its own."""

    def __init__(self, folder: Path, store: str) -> None:
        self._folder, self._settings = folder, {"ASSAY_STORE": store}
        self._held: list[AbstractContextManager[ServerProcess]] = []
        self.running: list[ServerProcess] = []
        for number in range(SERVERS):
            held, server = self._start(number)
            self._held.append(held)
            self.running.append(server)

    def kill(self, number: int) -> None:
        """End one by kill -9 and start it again."""
        self.running[number].kill()
        self._held[number].__exit__(None, None, None)
        self._held[number], self.running[number] = self._start(number)

    def close(self) -> None:
        """End them."""
        for held in self._held:
            held.__exit__(None, None, None)

    def _start(self, number: int) -> tuple[AbstractContextManager[ServerProcess], ServerProcess]:
        held = server_process(self._folder / f"machine-{number}", self._settings)
        return held, held.__enter__()


@dataclass(slots=True)
class Pace:
    """How many uploads were acknowledged since the last kill; beyond `MOST` none is sent, so that jobs keep up."""

    count: int = 0
    ends: bool = False

    @property
    def waits(self) -> bool:
        """True if enough were acknowledged until the next kill."""
        return self.count >= MOST


def send(servers: Servers, number: int, sent: Sent, pace: Pace) -> None:
    """Upload to one server, again and again."""
    count = 0
    while not pace.ends:
        if pace.waits:
            time.sleep(0.02)
            continue
        batch = [f"{sent.collection}-{count + n}.txt" for n in range(IN_A_REQUEST)]
        count += IN_A_REQUEST
        sent.names.extend(batch)
        files = [("files", (name, text_of(name).encode())) for name in batch]
        address = servers.running[number].address
        try:
            with httpx2.Client(base_url=address, timeout=30.0) as client:
                response = client.post("/api/v1/documents", params={"collection": sent.collection}, files=files)
            if response.status_code == 202:
                sent.jobs[response.json()["job_id"]] = batch
                pace.count += 1
            sent.refused[str(response.status_code)] += response.status_code != 202
        except httpx2.TransportError as error:
            sent.refused[type(error).__name__] += 1
        time.sleep(0.1)


@contextmanager
def sending(servers: Servers, number: int) -> Iterator[tuple[list[Sent], Pace]]:
    """Upload to every server, each into a collection of its own, until the block ends."""
    pace, every = Pace(), [Sent(f"round-{number}-{server}") for server in range(SERVERS)]
    threads = [threading.Thread(target=send, args=(servers, at, one, pace)) for at, one in enumerate(every)]
    for thread in threads:
        thread.start()
    try:
        yield every, pace
    finally:
        pace.ends = True
        for thread in threads:
            thread.join()


@dataclass(slots=True)
class Figures:
    """What became of everything, of all rounds so far."""

    kills: int = 0
    of: Counter[str] = field(default_factory=Counter)
    kills_during_jobs: int = 0
    acknowledged: int = 0
    whole: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    unacknowledged_and_stored: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    highest_load: float = 0.0

    @classmethod
    def read(cls, path: Path) -> Figures:
        """Those of a run before, none where there was none."""
        if not path.exists():
            return cls()
        kept = json.loads(path.read_text(encoding="utf-8"))["numbers"]
        return cls(
            kills=kept["kills"],
            of=Counter(kept["kills_of"]),
            kills_during_jobs=kept["kills_while_jobs_were_open"],
            acknowledged=kept["files_acknowledged"],
            whole=kept["whole"],
            explained=Counter(kept["explained_by_the_job"]),
            lost=kept["lost"],
            partial=kept["partial"],
            unacknowledged_and_stored=kept["stored_without_an_acknowledgement"],
            refused=Counter(kept["requests_without_an_acknowledgement"]),
            seconds=kept["seconds"],
            highest_load=kept["highest_load_average"],
        )

    def numbers(self) -> dict[str, Any]:
        """The figures to keep."""
        return {
            "kills": self.kills,
            "kills_of": dict(self.of),
            "kills_while_jobs_were_open": self.kills_during_jobs,
            "files_acknowledged": self.acknowledged,
            "whole": self.whole,
            "explained_by_the_job": dict(self.explained),
            "lost": self.lost,
            "partial": self.partial,
            "stored_without_an_acknowledgement": self.unacknowledged_and_stored,
            "requests_without_an_acknowledgement": {name: n for name, n in self.refused.items() if n},
            "seconds": round(self.seconds),
            "highest_load_average": self.highest_load,
            "bars": {"kills": 300, "lost": 0, "partial": 0},
        }

    def look(self, database: Database, sent: Sent) -> None:
        """Read what is stored of a collection, and hold it against what was sent."""
        stored = documents_of(database, sent.collection)
        files = files_of(database, sent)
        acknowledged = {name for names in sent.jobs.values() for name in names}
        self.acknowledged += len(acknowledged)
        self.refused.update(sent.refused)
        for name in sorted(acknowledged):
            status, reason = files.get(name, ("none", None))
            if stored.get(name) == text_of(name) and status in ("added", "unchanged"):
                self.whole += 1
            elif status in ("failed", "skipped") and reason:
                self.explained[reason] += 1
            else:
                self.lost.append(f"{sent.collection}/{name}: {status}, {'stored' if name in stored else 'absent'}")
        for name, text in stored.items():
            if name not in sent.names or text != text_of(name):
                self.partial.append(f"{sent.collection}/{name}: {len(text)} characters")
        self.unacknowledged_and_stored += len(stored.keys() - acknowledged)
        if stored:
            self.partial.extend(problems(database, TENANT, sent.collection))


def documents_of(database: Database, collection: str) -> dict[str, str]:
    """The text of each document of a collection, by the name of its file."""
    rows = database.transaction(
        TENANT,
        lambda connection: connection.execute(
            "SELECT convert_from(source, 'UTF8'), text FROM assay.documents"
            " JOIN assay.collections USING (collection) WHERE name = %s",
            (collection,),
        ).fetchall(),
        reads=True,
    )
    found = {source.rpartition("/")[2]: text for source, text in rows}
    assert len(found) == len(rows), "a file has two documents"
    return found


def files_of(database: Database, sent: Sent) -> dict[str, tuple[str, str | None]]:
    """Status and reason of each file of the acknowledged jobs."""
    rows = database.transaction(
        TENANT,
        lambda connection: connection.execute(
            "SELECT name, status, reason FROM assay.job_files WHERE job_id = ANY(%s)", (list(sent.jobs),)
        ).fetchall(),
        reads=True,
    )
    return {name: (status, reason) for name, status, reason in rows}


def open_jobs(database: Database) -> int:
    """How many jobs have not ended."""
    query = "SELECT count(*) FROM assay.jobs WHERE status IN ('queued', 'running')"
    row = database.transaction(TENANT, lambda connection: connection.execute(query).fetchone(), reads=True)
    return int(row[0]) if row else 0


def leftovers(database: Database) -> list[str]:
    """Uploads that no job has and that are not whole, of jobs that have ended; parts of no upload."""
    query = (
        "SELECT token FROM assay.uploads WHERE job_id IS NOT NULL AND"
        " (sha256 IS NULL OR size <> (SELECT coalesce(sum(length(bytes)), 0) FROM assay.upload_parts parts"
        " WHERE parts.token = uploads.token))"
    )
    rows = database.transaction(TENANT, lambda connection: connection.execute(query).fetchall(), reads=True)
    return [f"upload {token} is not whole" for (token,) in rows]


def kill_often(folder: Path, kills: int, number: int, figures: Figures) -> None:
    """One round: so many kills, then a look at everything."""
    drawn, begun = random.Random(number), time.monotonic()
    postgres = PostgresServer.start(options="")
    try:
        servers = Servers(folder, postgres.address())
        try:
            with sending(servers, number) as (every, pace):
                for _ in range(kills):
                    pace.count = 0
                    wait_until_acknowledged(pace, drawn.randrange(MOST))
                    time.sleep(drawn.uniform(0.0, 0.4))
                    figures.kills_during_jobs += busy(postgres)
                    victim = drawn.choice([*["postgres"] * SERVERS, *range(SERVERS)])
                    if victim == "postgres":
                        postgres.kill()
                        postgres.up_again()
                    else:
                        servers.kill(int(victim))
                    figures.of["Postgres" if victim == "postgres" else "server"] += 1
                    figures.highest_load = max(figures.highest_load, round(os.getloadavg()[0], 1))
            with opened(Address.read(postgres.address())) as database:
                wait_for_jobs(database)
                for sent in every:
                    figures.look(database, sent)
                figures.partial.extend(leftovers(database))
        finally:
            servers.close()
    finally:
        postgres.remove()
    figures.kills += kills
    figures.seconds += time.monotonic() - begun


def wait_until_acknowledged(pace: Pace, count: int) -> None:
    """Wait until so many uploads were acknowledged since the last kill."""
    ends = time.monotonic() + PATIENCE
    while pace.count < count:
        assert time.monotonic() < ends, "nothing is acknowledged any more"
        time.sleep(0.02)


def busy(postgres: PostgresServer) -> bool:
    """Whether a job is open now."""
    with opened(Address.read(postgres.address())) as database:
        return open_jobs(database) > 0


def wait_for_jobs(database: Database) -> None:
    """Wait until every job has ended."""
    ends = time.monotonic() + PATIENCE
    while open_jobs(database):
        assert time.monotonic() < ends, "a job does not end"
        time.sleep(0.5)


def main() -> int:
    """Go on from the figures that are there, up to the number of kills."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--anew", action="store_true", help="leave the figures of earlier runs out")
    chosen = parser.parse_args()
    figures = Figures() if chosen.anew else Figures.read(RESULT)
    while figures.kills < chosen.kills:
        with tempfile.TemporaryDirectory() as folder:
            kill_often(Path(folder), min(ROUND, chosen.kills - figures.kills), figures.kills, figures)
        write_result("postgres", "kills", figures.numbers())
    return 1 if figures.lost or figures.partial else 0


if __name__ == "__main__":
    sys.exit(main())
