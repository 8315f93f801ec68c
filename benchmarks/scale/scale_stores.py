"""The stores that are measured: how each is opened, and what it takes of memory and disk."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from assay.postgres.address import Address
from assay.postgres.database import release, share
from assay.retrieval.index.postgres import open_postgres
from assay.retrieval.index.sqlite import open_sqlite
from assay.types import EmbeddingModel
from support.postgres import PostgresServer

# Pages that Postgres keeps in memory, of the 2.5 GB that the whole may take.
_SHARED_BUFFERS = "1GB"


@dataclass(frozen=True)
class Opened:
    """Where a store's servers are, and the first process of each."""

    address: str = ""
    engine: str = ""
    servers: Sequence[int] = ()

    def memory(self) -> int:
        """The bytes that the servers have resident with all their processes; what several share counts once."""
        return sum(memory_of(process) for server in self.servers for process in family(server))

    def cpu_seconds(self) -> float:
        """The processor seconds that the servers have taken, with all processes that they started."""
        return sum(cpu_seconds_of(process) for server in self.servers for process in family(server))


@dataclass(frozen=True)
class Store:
    """How one store is served, opened and weighed, and what its servers do by themselves in time."""

    serve: Callable[[Path], AbstractContextManager[Opened]]
    index: Callable[[Path, Opened, EmbeddingModel], AbstractContextManager[Any]]
    size: Callable[[Path, Opened], dict[str, int]]
    derive: Callable[[Opened], None] = lambda _opened: None


def memory_of(process: int, *, most: bool = False) -> int:
    """The bytes of a process: its share of what is resident, or the most that ever were; 0 where it has ended."""
    if most:
        status = Path(f"/proc/{process}/status").read_text()
        return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return 1024 * int(next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1])


def cpu_seconds_of(process: int) -> float:
    """The processor seconds of a process and of those it started that have ended; 0 where it has ended itself."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def no_server(_place: Path) -> Iterator[Opened]:
    yield Opened()


@contextmanager
def sqlite_index(place: Path, _opened: Opened, model: EmbeddingModel) -> Iterator[Any]:
    yield open_sqlite(place / "collection", model)


def sqlite_size(place: Path, _opened: Opened) -> dict[str, int]:
    return {file.name: file.stat().st_size for file in (place / "collection").iterdir()}


@contextmanager
def postgres_server(_place: Path) -> Iterator[Opened]:
    server = PostgresServer.start()
    try:
        server.execute(f"ALTER SYSTEM SET shared_buffers = '{_SHARED_BUFFERS}'")
        server.down("fast")
        server.up()
        yield Opened(server.address(), servers=(postmaster(server),))
    finally:
        server.remove()


def postmaster(server: PostgresServer) -> int:
    """The server's first process."""
    return int((server.folder / "data" / "postmaster.pid").read_text().splitlines()[0])


def family(process: int) -> list[int]:
    """A process and those that it started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(int(child) for child in children)]


@contextmanager
def postgres_index(_place: Path, opened: Opened, model: EmbeddingModel) -> Iterator[Any]:
    database = share(Address.read(opened.address))
    try:
        yield open_postgres(database, "bench", "scale", model)
    finally:
        release(database)


def postgres_size(_place: Path, opened: Opened) -> dict[str, int]:
    with psycopg.connect(opened.address) as connection:
        return dict(
            connection.execute(
                "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
                " WHERE relnamespace = 'assay'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 1e6"
            ).fetchall()
        )


@contextmanager
def qdrant_server(place: Path) -> Iterator[Opened]:
    """Both servers; Qdrant's engine runs in a process of its own, as `support.qdrant` says."""
    program, folder = Path(__file__).parents[2] / "tests" / "support" / "qdrant.py", place / "qdrant"
    folder.mkdir(exist_ok=True)
    with postgres_server(place) as opened:
        server = subprocess.Popen(
            [sys.executable, str(program), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            yield Opened(opened.address, address, (*opened.servers, server.pid))
        finally:
            server.communicate()


@contextmanager
def qdrant_index(_place: Path, opened: Opened, model: EmbeddingModel) -> Iterator[Any]:
    """The engine searches at every size, not only beyond the bound."""
    from assay.retrieval.index.qdrant import Qdrant, QdrantAddress

    database, engine = share(Address.read(opened.address)), Qdrant(QdrantAddress.read(opened.engine))
    try:
        yield open_postgres(database, "bench", "scale", model, exact_below=-1, engine=engine)
    finally:
        engine.close()
        release(database)


def qdrant_size(place: Path, opened: Opened) -> dict[str, int]:
    files = [file for file in (place / "qdrant").rglob("*") if file.is_file()]
    return postgres_size(place, opened) | {"qdrant": sum(file.stat().st_blocks * 512 for file in files)}


def optimize(opened: Opened) -> None:
    """Let the engine build its graphs, as a server does by itself every few seconds."""
    host = opened.engine.removeprefix("qdrant://")
    urllib.request.urlopen(urllib.request.Request(f"http://{host}/optimize", method="POST")).close()


STORES = {
    "sqlite": Store(no_server, sqlite_index, sqlite_size),
    "postgres": Store(postgres_server, postgres_index, postgres_size),
    "qdrant": Store(qdrant_server, qdrant_index, qdrant_size, optimize),
}
