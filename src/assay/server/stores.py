"""The store of a server's keys, uploads and jobs: its data folder, or the database that servers share."""

from __future__ import annotations

from collections.abc import AsyncIterable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assay.server import jobs, keys
from assay.server.api_key import DEFAULT_TENANT, tenant_folder
from assay.server.jobs import ClaimedJob, CreatedJob, SqliteJobs
from assay.server.keys import KeyRecords, KeysFile, KeyStore
from assay.server.uploads import FolderUploads, StagedFile, WaitingFile
from assay.settings import Settings
from assay.types import FileReport, Job
from assay.wiring.collections import database_address


class JobQueue(Protocol):
    """The jobs of one tenant. Safe for several threads, processes and machines; every method raises StoreError.

    A job is queued, running, and then done or failed. A running job has an owner with a lease: when it was not
    renewed for a while, anybody may take the job over, and what the former owner writes is refused.
    """

    def create(
        self, collection: str, files: Sequence[StagedFile], idempotency_key: str | None = None
    ) -> CreatedJob:
        """A queued job for staged files; with a key that was used for the same files, the job of that time.

        Raises UsageError for no files, the same name twice, and a key that was used for other files.
        """
        ...

    def job(self, job_id: str) -> Job | None:
        """The job of that id; None if there is none."""
        ...

    def jobs(self, collection: str, limit: int = 50) -> tuple[Job, ...]:
        """The latest jobs of a collection, newest first."""
        ...

    def staged_tokens(self) -> frozenset[str]:
        """The tokens of all files that wait."""
        ...

    def remove_collection(self, collection: str) -> tuple[str, ...]:
        """Delete the jobs of a collection, whatever their status; the tokens of their files that waited."""
        ...

    def claim(self, owner: str) -> ClaimedJob | None:
        """The oldest job that can run now, with a lease for `owner`; None if there is none.

        One whose collection has a running job waits. One that was begun too often fails.
        """
        ...

    def claimable(self) -> bool:
        """True if `claim` may find a job; cheaper, since it does not write."""
        ...

    def beat(self, claimed: ClaimedJob) -> bool:
        """Renew the lease; False if it was lost."""
        ...

    def record(self, claimed: ClaimedJob, number: int, report: FileReport) -> bool:
        """Note what became of a file; False if the lease was lost."""
        ...

    def finish(self, claimed: ClaimedJob, reason: str | None = None, hint: str | None = None) -> bool:
        """End the job: done, or failed for a reason, as are its files that wait; False if the lease was lost."""
        ...

    def release(self, claimed: ClaimedJob) -> bool:
        """Queue the job again, as if it had not been begun; False if the lease was lost."""
        ...

    def release_all(self, owner: str) -> None:
        """Queue the running jobs of an owner again, as if they had not been begun."""
        ...


class Uploads(Protocol):
    """The uploaded files of one tenant. Methods raise StoreError, StoreFull."""

    async def receive(self, name: str, chunks: AsyncIterable[bytes], limit: int) -> StagedFile:
        """Keep a file of at most `limit` bytes for a job; what breaks off leaves nothing.

        Raises UploadTooLarge, and whatever `chunks` raises.
        """
        ...

    def source(self, collection: str, name: str) -> str:
        """The source of the documents of the file of that name. Raises UsageError for a bad collection."""
        ...

    def placed(
        self, collection: str, files: Sequence[WaitingFile]
    ) -> AbstractAsyncContextManager[tuple[Path, ...]]:
        """The paths of a job's files, to be read within the block; each takes the place of the one of its name.

        A file that was placed before is left as it is, so what a kill interrupted may be repeated.
        """
        ...

    def read(self, source: str) -> bytes:
        """The bytes of a document's file; it waits. Raises OSError, DocumentError, ValueError."""
        ...

    async def discard(self, token: str) -> None:
        """Delete a file that no job has; harmless if it is gone."""
        ...

    async def remove(self, source: str) -> bool:
        """Delete the file of a document, by the document's `source`; False if it is no upload of this tenant."""
        ...

    async def remove_collection(self, collection: str) -> None:
        """Delete all uploaded files of a collection."""
        ...

    async def sweep(self, taken: Collection[str]) -> int:
        """Delete what broken-off requests left over an hour ago; the number of files.

        `taken` are the tokens of the files that wait for a job.
        """
        ...


async def receive_all(
    uploads: Uploads, files: Sequence[tuple[str, AsyncIterable[bytes]]], limit: int
) -> list[StagedFile]:
    """Receive files, each a name and its chunks; if one fails, none is kept. Raises as `Uploads.receive`."""
    staged: list[StagedFile] = []
    try:
        for name, chunks in files:
            staged.append(await uploads.receive(name, chunks, limit))
    except BaseException:
        for file in staged:
            await uploads.discard(file.token)
        raise
    return staged


class ServerStore(Protocol):
    """The records of a server beside collections and runs, of all its tenants."""

    def keys(self) -> KeyRecords:
        """The API keys."""
        ...

    def jobs(self, tenant: str) -> JobQueue:
        """The jobs of a tenant."""
        ...

    def uploads(self, tenant: str) -> Uploads:
        """The uploaded files of a tenant."""
        ...

    def tenants_with_jobs(self) -> frozenset[str]:
        """The tenants that may have jobs which have not ended. It may wait, and raises StoreError."""
        ...


@dataclass(frozen=True, slots=True)
class FolderStore:
    """Files in a data folder, which processes of one machine share; tenants have folders in it."""

    data_dir: Path

    def keys(self) -> KeysFile:
        """The file of the keys."""
        return KeysFile(self.data_dir / keys.FILE_NAME)

    def jobs(self, tenant: str) -> SqliteJobs:
        """The file of the tenant's jobs."""
        return SqliteJobs(tenant_folder(self.data_dir, tenant) / jobs.FILE_NAME)

    def uploads(self, tenant: str) -> FolderUploads:
        """The folder of the tenant's uploads."""
        return FolderUploads(tenant_folder(self.data_dir, tenant))

    def tenants_with_jobs(self) -> frozenset[str]:
        """The tenants that ever uploaded."""
        found = {path.parent.name for path in self.data_dir.glob(f"tenants/*/{jobs.FILE_NAME}")}
        own = (self.data_dir / jobs.FILE_NAME).exists()
        return frozenset(found | ({DEFAULT_TENANT} if own else set()))


def store_of(settings: Settings) -> ServerStore:
    """The store that the settings name; nothing is opened yet. Raises UsageError, MissingExtra."""
    if settings.store is None:
        return FolderStore(settings.data_dir)
    address = database_address(settings, settings.store)
    from assay.server.postgres_store import PostgresStore

    return PostgresStore(address, settings.data_dir)


def key_store(settings: Settings) -> KeyStore:
    """The keys that the settings name. Raises as `store_of`."""
    return KeyStore(store_of(settings).keys())
