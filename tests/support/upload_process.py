"""A process that acknowledges uploads and takes them in meanwhile, without the HTTP around it.

`python -m support.upload_process FOLDER FIRST LAST` uploads documents FIRST to LAST, two in each upload, and prints
the names of each upload that it acknowledged; then it waits until all jobs have ended.
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
from assay.retrieval.index.sqlite import open_sqlite
from assay.server.intake import JobRunner
from assay.server.jobs import SqliteJobs
from assay.server.uploads import FolderUploads, StagedFile
from assay.testing.fakes import WordEmbedder
from assay.types import DocumentRecord, FileReport

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
    """A tenant's folder with its jobs and uploads."""

    folder: Path

    @property
    def store(self) -> SqliteJobs:
        return SqliteJobs(self.folder / "jobs.sqlite", lease=LEASE)

    @property
    def uploads(self) -> FolderUploads:
        return FolderUploads(self.folder)

    @asynccontextmanager
    async def open(self, name: str) -> AsyncIterator[Collection]:
        embedder = WordEmbedder()
        index = open_sqlite(self.folder / "collections" / name, embedder.model, create=True)
        splitter = PassageSplitter(lambda text: len(text.split()), size=20, limit=30)
        try:
            yield Collection(index, Ingestion(index, embedder, splitter, AnyLoader(LOADERS)))
        finally:
            await index.close()

    def runner(self) -> JobRunner:
        return JobRunner(self.store, self.uploads, self.open, asyncio.Semaphore(2), lease=LEASE)


async def stage(uploads: FolderUploads, number: int) -> StagedFile:
    """Receive a document in pieces."""

    async def chunks() -> AsyncIterator[bytes]:
        data = text_of(number).encode()
        for at in range(0, len(data), 500):
            yield data[at : at + 500]

    return await uploads.receive(f"{number}.txt", chunks(), 1 << 20)


async def main(folder: str, first: str, last: str) -> None:
    tenant = Tenant(Path(folder))
    runner = tenant.runner()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(runner.run())
        for number in range(int(first), int(last), 2):
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
