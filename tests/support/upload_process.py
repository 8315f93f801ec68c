"""A process that acknowledges uploads and takes them in meanwhile, without the HTTP around it.

`python -m support.upload_process FOLDER FIRST LAST [ADDRESS TENANT]` uploads documents FIRST to LAST, two in each
upload, and prints the names of each upload that it acknowledged; then it waits until all jobs have ended. With an
address of a database, all is kept there.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.core.stages import Index
from assay.ingest.detect import AnyLoader
from assay.ingest.loaders import LOADERS
from assay.ingest.pipeline import Ingestion
from assay.ingest.split import PassageSplitter
from assay.ingest.walk import portable_source, source_of
from assay.postgres.address import Address
from assay.postgres.database import opened, release, share
from assay.retrieval.index.postgres import open_postgres
from assay.retrieval.index.sqlite import open_sqlite
from assay.server.intake import JobRunner
from assay.server.stores import JobQueue, Uploads
from assay.server.uploads import StagedFile
from assay.testing.fakes import WordEmbedder
from assay.types import DocumentRecord, FileReport
from support.server_stores import FileForm, Form, PostgresForm

LEASE = 0.4


def text_of(number: int) -> str:
    return f"Document {number} begins here. " + "It goes on with one more sentence of words. " * 40


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection on the disk, with an embedder without weights."""

    index: Index
    ingestion: Ingestion

    def amirror(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        return self.ingestion.mirror([Path(path) for path in paths])

    async def adocuments(self) -> tuple[DocumentRecord, ...]:
        return await self.index.documents()


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant with its jobs, uploads and collections."""

    form: Form

    @property
    def store(self) -> JobQueue:
        return self.form.jobs(lease=LEASE)

    @property
    def uploads(self) -> Uploads:
        return self.form.uploads()

    @asynccontextmanager
    async def open(self, name: str) -> AsyncIterator[Collection]:
        embedder, folder = WordEmbedder(), self.form.folder
        index: Index
        if isinstance(self.form, PostgresForm):
            database = share(self.form.address)
            index = open_postgres(
                database, self.form.tenant, name, embedder.model, create=True, closing=lambda: release(database)
            )
        else:
            index = open_sqlite(folder / "collections" / name, embedder.model, create=True)
        splitter = PassageSplitter(lambda text: len(text.split()), size=20, limit=30)
        named = portable_source(folder) if isinstance(self.form, PostgresForm) else source_of
        try:
            yield Collection(index, Ingestion(index, embedder, splitter, AnyLoader(LOADERS), name=named))
        finally:
            await index.close()

    def runner(self) -> JobRunner:
        return JobRunner(self.store, self.uploads, self.open, asyncio.Semaphore(2), lease=LEASE)


async def stage(uploads: Uploads, number: int) -> StagedFile:
    """Receive a document in pieces."""

    async def chunks() -> AsyncIterator[bytes]:
        data = text_of(number).encode()
        for at in range(0, len(data), 500):
            yield data[at : at + 500]

    return await uploads.receive(f"{number}.txt", chunks(), 1 << 20)


async def main(folder: str, first: str, last: str, *database: str) -> None:
    place = Path(folder)
    if not database:
        await upload(Tenant(FileForm(place)), int(first), int(last))
        return
    with opened(Address.read(database[0])):  # else each access would open it anew
        await upload(Tenant(PostgresForm(place, Address.read(database[0]), database[1])), int(first), int(last))


async def upload(tenant: Tenant, first: int, last: int) -> None:
    runner = tenant.runner()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner.run())
        for number in range(first, last, 2):
            files = [await stage(tenant.uploads, number), await stage(tenant.uploads, number + 1)]
            await runner.submit("default", files, f"key-{number}")
            sys.stdout.write(" ".join(file.name for file in files) + "\n")
            sys.stdout.flush()
        for job in tenant.store.jobs("default", 1000):
            async for _snapshot in runner.snapshots(job.job_id):
                pass
        running.cancel()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
