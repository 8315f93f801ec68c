"""kill -9 of a process that takes uploads: what it acknowledged is whole, and is taken in afterwards."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from support.postgres import shared_address
from support.server_stores import FORMS, Form, PostgresForm, form_of
from support.upload_process import Tenant, text_of

TESTS = Path(__file__).parents[1]


def run_until(acknowledgements: int | None, form: Form, first: int, last: int) -> list[str]:
    """Run the process and kill it after so many acknowledgements; the names of the acknowledged files."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])}
    database = (shared_address(), form.tenant) if isinstance(form, PostgresForm) else ()
    process = subprocess.Popen(
        [sys.executable, "-m", "support.upload_process", str(form.folder), str(first), str(last), *database],
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


def kept_files(tenant: Tenant) -> dict[str, str]:
    """The text of each file that has a place or waits for it in a job, by its name."""
    if isinstance(tenant.form, PostgresForm):
        found = tenant.form.rows.read(
            lambda connection: connection.execute(
                "SELECT name, (SELECT string_agg(bytes, ''::bytea ORDER BY part) FROM assay.upload_parts parts"
                " WHERE parts.token = files.token) FROM assay.job_files files"
            ).fetchall()
        )
        return {name: data.decode() for name, data in found}
    staging, kept = tenant.form.folder / "uploads" / ".staging", {}
    with closing(sqlite3.connect(tenant.form.folder / "jobs.sqlite")) as connection:
        for name, token in connection.execute("SELECT name, token FROM files").fetchall():
            path = Path(tenant.uploads.source("default", name))
            kept[name] = (path if path.exists() else staging / token).read_text()
    return kept


@pytest.mark.parametrize("name", FORMS)
async def test_what_was_acknowledged_before_a_kill_is_whole_and_is_taken_in_afterwards(
    name: str, tmp_path: Path
) -> None:
    with form_of(name, tmp_path / "data") as form:
        await kill_and_look(Tenant(form))


async def kill_and_look(tenant: Tenant) -> None:
    acknowledged: list[str] = []
    for kills, first in ((2, 0), (8, 100)):
        acknowledged += run_until(kills, tenant.form, first, first + 40)
        files = kept_files(tenant)
        assert {name: files[name] for name in acknowledged} == {
            name: text_of(int(name.removesuffix(".txt"))) for name in acknowledged
        }
    last = run_until(None, tenant.form, 0, 6)  # some are repeated: the same keys, the same jobs
    jobs = tenant.store.jobs("default", 1000)
    assert {job.status for job in jobs} == {"done"}
    assert {file.status for job in jobs for file in job.files} <= {"added", "unchanged"}
    names = [file.name for job in jobs for file in job.files]
    assert len(names) == len(set(names))
    assert set(names) >= {*acknowledged, *last}
    async with tenant.open("default") as collection:
        records = {record.source: record.document_id for record in await collection.adocuments()}
        assert len(records) == len(names)
        for name in names:
            document = await collection.index.document(records[tenant.uploads.source("default", name)])
            assert document is not None
            assert document.text == text_of(int(name.removesuffix(".txt")))
