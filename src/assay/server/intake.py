"""The uploads and jobs of each tenant, and the tasks that run them: files moved into place and taken in."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import re
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from assay.engine import Engine
from assay.errors import AssayError, StoreError
from assay.ingest.walk import INCOMING, UPLOADED, printable
from assay.server.collection_names import refuse_bad_collection
from assay.server.jobs import LEASE, ClaimedJob
from assay.server.stores import JobQueue, ServerStore, Uploads
from assay.server.threads import in_thread
from assay.server.uploads import FOLDER, StagedFile
from assay.types import DocumentRecord, FileReport, Job

logger = logging.getLogger("assay.server")

# Seconds between two looks for jobs of other processes, and at a job that somebody watches. Chosen.
_LOOK_EVERY, _WATCH_EVERY = 1.0, 0.5
# Seconds between two looks for what broken-off uploads left. Chosen.
_SWEEP_EVERY = 3600.0


class Documents(Protocol):
    """A collection that takes files in; an `Engine` is one."""

    def amirror(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        """Make the collection hold these files as they are now; one report a file, after it is stored for good."""
        ...

    async def adocuments(self) -> tuple[DocumentRecord, ...]:
        """The documents of the collection."""
        ...


OpenCollection = Callable[[str], AbstractAsyncContextManager[Documents]]


class JobRunner:
    """Runs the jobs of one tenant, one at a time in each collection.

    `open_collection` opens a collection for the length of one job. `places` bounds how many jobs run at once; the
    runners of several tenants may share it.
    """

    def __init__(
        self,
        store: JobQueue,
        uploads: Uploads,
        open_collection: OpenCollection,
        places: asyncio.Semaphore,
        *,
        lease: float = LEASE,
    ) -> None:
        self._store = store
        self._uploads = uploads
        self._open_collection = open_collection
        self._places = places
        self._beat_every = lease / 4
        self._owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._changed = asyncio.Event()
        self._submitting: set[asyncio.Task[Job]] = set()

    async def submit(self, collection: str, files: Sequence[StagedFile], idempotency_key: str | None = None) -> Job:
        """Create a job for staged files; once this returns, they are taken in or the job says why not.

        With an idempotency key that was used for the same files, the job of that time, and these are discarded.
        Raises UsageError as `JobQueue.create`, and then discards them, too.
        """
        # A client that vanishes cancels this; the job and its files are stored all the same.
        submitting = asyncio.create_task(self._submit(collection, files, idempotency_key))
        self._submitting.add(submitting)
        submitting.add_done_callback(self._submitting.discard)
        return await asyncio.shield(submitting)

    async def _submit(self, collection: str, files: Sequence[StagedFile], idempotency_key: str | None) -> Job:
        created = None
        try:
            refuse_bad_collection(collection)
            created = await asyncio.to_thread(self._store.create, collection, files, idempotency_key)
        finally:
            if created is None or not created.new:
                for file in files:
                    await self._uploads.discard(file.token)
        self._announce()
        return created.job

    async def run(self) -> None:
        """Run jobs until cancelled; those that run then are queued again."""
        await self._sweep()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep_sweeping())
                while True:
                    if not await self._begin_next(group):
                        await self._wait(_LOOK_EVERY)
        finally:
            with suppress(StoreError):  # then the leases run out
                await in_thread(self._store.release_all, self._owner)
            self._announce()

    async def _keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_EVERY)
            await self._sweep()

    async def _sweep(self) -> None:
        with suppress(StoreError):  # files left in staging are swept the next time
            await self._uploads.sweep(await asyncio.to_thread(self._store.staged_tokens))

    async def _begin_next(self, group: asyncio.TaskGroup) -> bool:
        """Begin the next job once there is a place; False if there is none that can run."""
        await self._places.acquire()
        claimed = None
        try:
            claimed = await self._claimed()
        finally:
            if claimed is None:
                self._places.release()
        if claimed is None:
            return False
        running = group.create_task(self._run_job(claimed))
        running.add_done_callback(lambda _task: self._places.release())
        return True

    async def snapshots(self, job_id: str) -> AsyncGenerator[Job, None]:
        """The job whenever it has changed, until it has ended; nothing for an unknown id."""
        last: Job | None = None
        while True:
            job = await asyncio.to_thread(self._store.job, job_id)
            if job is None:
                return
            if job != last:
                yield job
            if job.ended:
                return
            last = job
            await self._wait(_WATCH_EVERY)

    async def _claimed(self) -> ClaimedJob | None:
        try:
            if await asyncio.to_thread(self._store.claimable):
                return await in_thread(self._store.claim, self._owner)
        except StoreError as error:
            logger.warning("jobs cannot be looked for: %s", error)
        return None

    async def _run_job(self, claimed: ClaimedJob) -> None:
        adding = asyncio.create_task(self._add_files(claimed))
        beating = asyncio.create_task(self._keep_lease(claimed))
        try:
            await asyncio.wait((adding, beating), return_when=asyncio.FIRST_COMPLETED)
        finally:
            adding.cancel()
            beating.cancel()
            await asyncio.gather(adding, beating, return_exceptions=True)
            self._announce()

    async def _keep_lease(self, claimed: ClaimedJob) -> None:
        """Renew the lease until it is lost."""
        while True:
            await asyncio.sleep(self._beat_every)
            try:
                if not await asyncio.to_thread(self._store.beat, claimed):
                    return
            except StoreError as error:
                logger.warning("job %s: its lease could not be renewed: %s", claimed.job_id, error)

    async def _add_files(self, claimed: ClaimedJob) -> None:
        reason = hint = None
        try:
            await self._take_in(claimed)
        except AssayError as error:
            if isinstance(error, StoreError) and error.retryable:
                await self._put_back(claimed, error)
                return
            reason, hint = str(error), error.hint
        except Exception as error:  # the boundary of a job: an error of one ends that job only
            logger.exception("job %s failed", claimed.job_id)
            reason, hint = f"an error in assay itself ({type(error).__name__})", "see the server's log"
        try:
            await in_thread(self._store.finish, claimed, reason, hint)
        except StoreError as error:
            if error.retryable:
                await self._put_back(claimed, error)
            else:  # its lease runs out, and it is resumed
                logger.warning("job %s: its end could not be noted: %s", claimed.job_id, error)

    async def _put_back(self, claimed: ClaimedJob, error: StoreError) -> None:
        """Queue a job again whose database was away or busy; it is begun again later, here or elsewhere."""
        logger.warning("job %s goes on later: %s", claimed.job_id, error)
        while True:  # until the database is back, so that its absence does not count as an attempt
            await asyncio.sleep(_LOOK_EVERY)
            with suppress(StoreError):
                await in_thread(self._store.release, claimed)
                return

    async def _take_in(self, claimed: ClaimedJob) -> None:
        """Take in the files that wait. Raises what the collection or the disk raises."""
        async with (
            self._uploads.placed(claimed.collection, claimed.files) as paths,
            self._open_collection(claimed.collection) as documents,
        ):
            numbers = {printable(path): file.number for path, file in zip(paths, claimed.files, strict=True)}
            async with aclosing(_closed_together(documents.amirror(list(numbers)))) as reports:
                async for report in reports:
                    if report.status == "pruned":
                        continue
                    if not await in_thread(self._store.record, claimed, numbers[report.path], report):
                        return  # another process has the job, or its collection was deleted
                    self._announce()
            await self._remove_refused(claimed, {record.source for record in await documents.adocuments()})

    async def _remove_refused(self, claimed: ClaimedJob, sources: set[str]) -> None:
        """Delete the files of the job that no document was made of, and none of an earlier upload is left."""
        job = await asyncio.to_thread(self._store.job, claimed.job_id)
        for file in job.files if job is not None else ():
            source = self._uploads.source(claimed.collection, file.name)
            if file.status in ("failed", "skipped") and source not in sources:
                await self._uploads.remove(source)

    def _announce(self) -> None:
        """Wake everyone who waits for a change of a job."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def _wait(self, seconds: float) -> None:
        """Wait until a job changes in this process, or for so long."""
        with suppress(TimeoutError):
            # Not wait_for, which in Python 3.11 loses a cancelling that meets the event.
            async with asyncio.timeout(seconds):
                await self._changed.wait()


async def _closed_together(reports: AsyncIterator[FileReport]) -> AsyncGenerator[FileReport, None]:
    """The reports as a generator whose closing also ends the work behind them."""
    try:
        async for report in reports:
            yield report
    finally:
        if isinstance(reports, AsyncGenerator):
            await reports.aclose()


# Jobs that run at once in all; two processors are busy with two. Chosen.
_AT_ONCE = 2
# Seconds between two looks for tenants whose jobs another process left; a lease is longer. Chosen.
_TENANTS_EVERY = 5.0

# Opens the collection of a tenant.
OpenEngine = Callable[[str, str], AbstractAsyncContextManager[Engine]]


@dataclass(frozen=True, slots=True)
class TenantIntake:
    """The intake of one tenant's files."""

    uploads: Uploads
    jobs: JobQueue
    runner: JobRunner
    task: asyncio.Task[None]


@dataclass(slots=True)
class Intake:
    """The intakes of all tenants by name, begun when they are first needed."""

    open_engine: OpenEngine
    store: ServerStore
    _of: dict[str, TenantIntake] = field(default_factory=dict)
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))
    _watching: asyncio.Task[None] | None = None

    def of(self, tenant: str) -> TenantIntake:
        """The intake of a tenant; call it on the event loop."""
        if tenant not in self._of:
            uploads, jobs = self.store.uploads(tenant), self.store.jobs(tenant)

            @asynccontextmanager
            async def open_collection(name: str) -> AsyncIterator[Engine]:
                async with self.open_engine(tenant, name) as engine:
                    yield engine

            runner = JobRunner(jobs, uploads, open_collection, self._places)
            self._of[tenant] = TenantIntake(uploads, jobs, runner, asyncio.create_task(runner.run()))
        return self._of[tenant]

    def resume(self) -> None:
        """Go on, until this is closed, with what other processes left, of every tenant with jobs."""
        self._watching = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        while True:
            try:
                for tenant in await asyncio.to_thread(self.store.tenants_with_jobs):
                    self.of(tenant)
            except (StoreError, OSError) as error:
                logger.warning("jobs cannot be looked for: %s", error)
            await asyncio.sleep(_TENANTS_EVERY)

    def waiting_files(self) -> float:
        """Number of waiting files of all tenants; NaN where that cannot be read. It waits for the disk."""
        try:
            return sum(len(intake.jobs.staged_tokens()) for intake in tuple(self._of.values()))
        except StoreError:
            return math.nan

    async def close(self) -> None:
        """End the running jobs; they are queued again."""
        tasks = [intake.task for intake in self._of.values()]
        if self._watching is not None:
            tasks.append(self._watching)
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task


def upload_path_remover(folder: Path) -> Callable[[str], str]:
    """A function that shortens the paths of a tenant's uploads in a text to the name of the file.

    >>> shorten = upload_path_remover(Path("/data"))
    >>> shorten("see /data/uploads/default/0123456789abcdef0123456789abcdef/tea.md, line 3")
    'see tea.md, line 3'
    >>> shorten("upload:/default/0123456789abcdef0123456789abcdef/tea.md")
    'tea.md'
    """
    folders = {str(folder), str(folder.resolve())}
    roots = "|".join(re.escape(f"{root}/{FOLDER}/") for root in folders)
    copies = "|".join(re.escape(f"{root}/{INCOMING}/") for root in folders)
    place = "[^/\n]{1,64}/[0-9a-f]{32}/"
    pattern = re.compile(f"(?:(?:{copies})[0-9a-f]{{32}}/|{roots}|{re.escape(UPLOADED)}){place}")
    return lambda text: pattern.sub("", text)
