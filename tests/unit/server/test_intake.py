"""The uploads of all tenants: how many files wait, and what other processes left."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from assay.engine import Engine
from assay.errors import StoreError
from assay.postgres.address import Address
from assay.server.intake import Intake
from assay.server.jobs import FILE_NAME
from assay.server.postgres_store import PostgresStore
from assay.server.stores import FolderStore, receive_all
from assay.server.uploads import StagedFile
from support.postgres import opened, shared_address
from support.server_stores import FORMS


def unopened(tenant: str, name: str) -> AbstractAsyncContextManager[Engine]:
    raise AssertionError(f"nothing is taken into {name} of {tenant} here")


async def test_files_of_all_tenants_are_counted(tmp_path: Path) -> None:
    intake = Intake(unopened, FolderStore(tmp_path))
    assert intake.waiting_files() == 0
    for tenant, names in (("acme", ("a.md", "b.md")), ("globex", ("c.md",))):
        intake.of(tenant).jobs.create("default", [StagedFile(name, f"token-{name}", "0" * 64, 1) for name in names])
    assert intake.waiting_files() == 3  # before the loop lets the jobs run
    await intake.close()


async def test_a_record_that_cannot_be_read_is_no_zero(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database" * 100)
    intake = Intake(unopened, FolderStore(tmp_path))
    intake.of("default")
    assert math.isnan(intake.waiting_files())
    await intake.close()


@pytest.mark.parametrize("kept_in", FORMS)
async def test_what_another_process_left_goes_on_without_a_request(tmp_path: Path, kept_in: str) -> None:
    @asynccontextmanager
    async def closed(tenant: str, name: str) -> AsyncIterator[Engine]:
        raise StoreError(f"{name} of {tenant} is closed", hint="none")
        yield

    with opened(shared_address()):
        tenant = f"t{uuid.uuid4().hex[:20]}"
        address = Address.read(shared_address())
        store = FolderStore(tmp_path) if kept_in == "files" else PostgresStore(address, tmp_path)
        staged = await receive_all(store.uploads(tenant), [("tea.md", chunks_of(b"Tea."))], 100)
        job = store.jobs(tenant).create("default", staged).job
        other = FolderStore(tmp_path) if kept_in == "files" else PostgresStore(address, tmp_path / "elsewhere")
        assert tenant in other.tenants_with_jobs()
        intake = Intake(closed, other)
        intake.resume()
        try:
            async with asyncio.timeout(20):
                while not (ended := store.jobs(tenant).job(job.job_id) or job).ended:
                    await asyncio.sleep(0.01)
        finally:
            await intake.close()
        assert ended.reason == f"default of {tenant} is closed"
        assert kept_in == "files" or tenant not in PostgresStore(address, tmp_path).tenants_with_jobs()


async def chunks_of(data: bytes) -> AsyncIterator[bytes]:
    yield data
