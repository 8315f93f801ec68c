"""How many uploaded files wait, of all tenants together."""

from __future__ import annotations

import math
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from assay.engine import Engine
from assay.server.intake import Intake
from assay.server.jobs import FILE_NAME
from assay.server.stores import FolderStore
from assay.server.uploads import StagedFile


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
