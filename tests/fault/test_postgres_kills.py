"""kill -9 of who writes, and a crash of Postgres under it: what was acknowledged is whole, all else is absent."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.postgres.database import Database
from assay.retrieval.index.postgres import open_postgres
from assay.retrieval.index.postgres_rebuild import problems
from support.postgres import PostgresServer, opened, shared_address

from .test_index_kills import OLD, entry

HERE = Path(__file__).parent
# Adds, updates and removes documents without an end, and prints the name and edition of each once it is stored.
WRITER = """
import asyncio, sys
sys.path[:0] = {paths!r}
from assay.retrieval.index.postgres import open_postgres
from fault.test_index_kills import OLD, entry
from support.postgres import opened

async def write():
    with opened(sys.argv[1]) as database:
        index = open_postgres(database, "killed", sys.argv[2], OLD.model)
        for n in range(1, 1_000_000):
            name = f"d{{n % 40}}"
            await (index.remove([name]) if n % 7 == 0 else index.add([entry(name, n)]))
            print(name, 0 if n % 7 == 0 else n, flush=True)

asyncio.run(write())
"""


@pytest.fixture
def writer(tmp_path: Path) -> Path:
    path = tmp_path / "writer.py"
    path.write_text(WRITER.format(paths=[str(HERE.parent), str(HERE.parents[1] / "src")]), encoding="utf-8")
    return path


def acknowledged(output: Iterator[str]) -> tuple[dict[str, int], int]:
    """The last acknowledged edition of each document, 0 where it was removed, and the number of changes."""
    lines = [line.split() for line in output]
    return {name: int(edition) for name, edition in lines}, len(lines)


async def held(database: Database, collection: str) -> dict[str, int]:
    """The edition of each document that is stored, each of them whole."""
    index = open_postgres(database, "killed", collection, OLD.model)
    editions = {}
    for record in await index.documents():
        document = await index.document(record.document_id)
        assert document is not None
        editions[record.document_id] = int(document.bytes_sha256)
        assert document.text == entry(record.document_id, editions[record.document_id]).document.text
        assert record.passages == 5
    await index.close()
    assert problems(database, "killed", collection) == ()
    return editions


def nothing_lost(before: dict[str, int], stored: dict[str, int]) -> None:
    """One change may have been stored and not acknowledged; all that was acknowledged is there."""
    differing = [name for name in before.keys() | stored.keys() if before.get(name, 0) != stored.get(name, 0)]
    assert len(differing) <= 1
    for name in differing:
        assert stored.get(name, 0) == 0 or stored[name] > before.get(name, 0)


@pytest.mark.parametrize("turn", range(6))
async def test_a_writer_that_is_killed_loses_nothing_that_it_acknowledged(turn: int, writer: Path) -> None:
    drawn = random.Random(turn)  # noqa: S311 - no secret
    address, collection = shared_address(), f"writer {turn}"
    with subprocess.Popen(
        [sys.executable, writer, address, collection], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(drawn.uniform(0, 0.5))
        child.kill()
        before, changes = acknowledged(iter([first, *child.stdout]))
    assert changes > 0
    with opened(address) as database:
        nothing_lost(before, await held(database, collection))


async def test_a_database_that_crashes_loses_nothing_that_was_acknowledged(writer: Path) -> None:
    server = PostgresServer.start()
    try:
        for turn in range(3):
            command = [sys.executable, writer, server.address(), f"crash {turn}"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                assert child.stdout is not None
                first = child.stdout.readline()
                time.sleep(0.2)
                server.down()
                before, _ = acknowledged(iter([first, *child.stdout]))
                _, errors = child.communicate(timeout=30)
                assert "StoreError" in errors
            server.up()
            with opened(server.address()) as database:
                nothing_lost(before, await held(database, f"crash {turn}"))
    finally:
        server.remove()
