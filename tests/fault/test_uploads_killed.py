"""kill -9 of a process that takes uploads: what it acknowledged is whole, and is taken in afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from assay.ingest.walk import source_of
from support.upload_process import Tenant, text_of

TESTS = Path(__file__).parents[1]


def run_until(acknowledgements: int | None, folder: Path, first: int, last: int) -> list[str]:
    """Run the process and kill it after so many acknowledgements; the names of the acknowledged files."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}
    process = subprocess.Popen(
        [sys.executable, "-m", "support.upload_process", str(folder), str(first), str(last)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    given: list[str] = []
    for count, line in enumerate(process.stdout, 1):
        given.extend(line.split())
        if count == acknowledgements:
            process.send_signal(signal.SIGKILL)
            break
    process.stdout.close()
    assert process.wait(timeout=60) == (0 if acknowledgements is None else -signal.SIGKILL)
    return given


def whole_files(tenant: Tenant) -> dict[str, str]:
    """The text of each file that is in place or waits in staging for a job, by its name."""
    staging = tenant.folder / "uploads" / ".staging"
    found = {}
    with tenant.store._file.reading() as connection:
        assert connection is not None
        for name, token in connection.execute("SELECT name, token FROM files").fetchall():
            path = tenant.uploads.path_of("default", name)
            found[name] = (path if path.exists() else staging / token).read_text()
    return found


async def test_what_was_acknowledged_before_a_kill_is_whole_and_is_taken_in_afterwards(tmp_path: Path) -> None:
    tenant = Tenant(tmp_path / "data")
    acknowledged: list[str] = []
    for kills, first in ((2, 0), (8, 100)):
        acknowledged += run_until(kills, tenant.folder, first, first + 40)
        files = whole_files(tenant)
        assert {name: files[name] for name in acknowledged} == {
            name: text_of(int(name.removesuffix(".txt"))) for name in acknowledged
        }
    last = run_until(None, tenant.folder, 0, 6)  # some are repeated: the same keys, the same jobs
    jobs = tenant.store.jobs("default", 1000)
    assert {job.status for job in jobs} == {"done"}
    assert {file.status for job in jobs for file in job.files} <= {"added", "unchanged"}
    names = [file.name for job in jobs for file in job.files]
    assert len(names) == len(set(names))
    assert set(names) >= {*acknowledged, *last}
    async with tenant.open("default") as collection:
        records = {record.source: record.document_id for record in await collection.adocuments()}
        for name in names:
            document = await collection.index.document(records[source_of(tenant.uploads.path_of("default", name))])
            assert document is not None
            assert document.text == text_of(int(name.removesuffix(".txt")))
