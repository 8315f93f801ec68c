"""The uploads and jobs of each tenant, and the tasks that run them."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from assay.engine import Engine
from assay.errors import StoreError
from assay.server.job_runner import JobRunner
from assay.server.jobs import FILE_NAME, JobStore
from assay.server.uploads import FOLDER, Uploads

# Jobs that run at once in all; two processors are busy with two. Chosen.
_AT_ONCE = 2

OpenEngine = Callable[[Path, str], AbstractAsyncContextManager[Engine]]


@dataclass(frozen=True, slots=True)
class TenantIntake:
    """How one tenant's files are taken in."""

    uploads: Uploads
    jobs: JobStore
    runner: JobRunner
    task: asyncio.Task[None]


@dataclass(slots=True)
class Intake:
    """The intakes of all tenants by folder, begun when they are first needed."""

    open_engine: OpenEngine
    _of: dict[Path, TenantIntake] = field(default_factory=dict)
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    def of(self, folder: Path) -> TenantIntake:
        """The intake of the tenant in that folder; call it on the event loop."""
        if folder not in self._of:
            uploads, jobs = Uploads(folder), JobStore(folder / FILE_NAME)

            @asynccontextmanager
            async def open_collection(name: str) -> AsyncIterator[Engine]:
                async with self.open_engine(folder, name) as engine:
                    yield engine

            runner = JobRunner(jobs, uploads, open_collection, self._places)
            self._of[folder] = TenantIntake(uploads, jobs, runner, asyncio.create_task(runner.run()))
        return self._of[folder]

    def resume(self, data_dir: Path) -> None:
        """Go on with what an earlier process left, of every tenant that ever uploaded."""
        for file in (data_dir / FILE_NAME, *data_dir.glob(f"tenants/*/{FILE_NAME}")):
            if file.exists():
                self.of(file.parent)

    def waiting_files(self) -> float:
        """How many uploaded files of all tenants wait; NaN where that cannot be read. It waits for the disk."""
        try:
            return sum(len(intake.jobs.staged_tokens()) for intake in tuple(self._of.values()))
        except StoreError:
            return math.nan

    async def close(self) -> None:
        """End the running jobs; they are queued again."""
        for intake in self._of.values():
            intake.task.cancel()
        for intake in self._of.values():
            with suppress(asyncio.CancelledError):
                await intake.task


def upload_path_remover(folder: Path) -> Callable[[str], str]:
    """A function that shortens the paths of a tenant's uploads in a text to the name of the file.

    >>> shorten = upload_path_remover(Path("/data"))
    >>> shorten("see /data/uploads/default/0123456789abcdef0123456789abcdef/tea.md, line 3")
    'see tea.md, line 3'
    """
    roots = {str(folder), str(folder.resolve())}
    pattern = re.compile(f"(?:{'|'.join(map(re.escape, roots))})/{FOLDER}/[^/\n]{{1,64}}/[0-9a-f]{{32}}/")
    return lambda text: pattern.sub("", text)
