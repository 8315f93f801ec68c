"""Take files in with the workers of a cluster, which read and embed, while this process alone stores.

What is stored is the checkpoint: a run that was ended is resumed by running it again, since documents that are
stored are neither embedded nor stored again. A document's id is made of where it is, so one that is read twice, as
after a machine was lost, replaces itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

from assay.core.concurrency import ordered_map
from assay.core.stages import Embedder, Entry, Index
from assay.ingest.files import Item, ReadyDocument, StaleDocument, StoredDocuments
from assay.ingest.object_storage import refuse_remote
from assay.ingest.pipeline import READ_AHEAD, Prefetcher, embedded, next_group, prune
from assay.ingest.walk import FoundFile, walk
from assay.settings import Settings, sent_settings
from assay.types import FileReport
from assay.wiring.cluster import rows
from assay.wiring.cluster.connection import LOST, ActorPool, Cluster, Lost
from assay.wiring.cluster.embedder import EMBED, ClusterEmbedder
from assay.wiring.cluster.rows import FileOutcome
from assay.wiring.cluster.workers import Part, Worker, own_version

_READ = "read"
# Files that are read ahead for each worker, and groups of passages that it has to embed: it must not wait for this
# process, and what waits here is in memory. Chosen.
_FILES_AHEAD, _GROUPS_AHEAD = 4, 1
# Processes that may end while they read a file before it is given up. Chosen.
_READINGS = 3
_GIVEN_UP = f"the process that read it ended, {_READINGS} times over"
_HINT = "read it on a machine with more memory, by `assay add` without --ray"

Group = tuple[tuple[Entry, ...], list[FileReport]]


def open_workers(settings: Settings, cluster: Cluster, kind: type[Worker] = Worker) -> ActorPool:
    """The workers of a cluster, begun by the first call."""
    return ActorPool(cluster, kind, sent_settings(settings), own_version(), lanes={_READ: 1, EMBED: 1})


class ClusterIngestion:
    """Ingests files into an index through a cluster; the index is written to by this process alone.

    `kind` is the class of the workers (a test's own ends its process).
    """

    def __init__(
        self, index: Index, embedder: Embedder, settings: Settings, cluster: Cluster, kind: type[Worker] = Worker
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._settings = settings
        self._cluster = cluster
        self._kind = kind

    def add(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        """Store the files at and under the paths, in order; one report per file, once it is stored durably.

        A file that ends every process which reads it is reported as failed, like one that is damaged. Raises
        StoreError and ProviderError; what was reported before stays stored.
        """
        return self._reports(paths, sync=False, dry_run=False)

    def mirror(self, paths: Sequence[Path | str], *, dry_run: bool = False) -> AsyncIterator[FileReport]:
        """Like `add`, then remove documents that are gone from the files and folders; a dry run changes nothing."""
        return self._reports(paths, sync=True, dry_run=dry_run)

    async def _reports(
        self, paths: Sequence[Path | str], *, sync: bool, dry_run: bool
    ) -> AsyncGenerator[FileReport, None]:
        if self._settings.offline:
            refuse_remote(paths)
        found = await asyncio.to_thread(lambda: list(walk(paths)))
        known = StoredDocuments(await self._index.documents())
        stale: list[StaleDocument] = []
        pool = open_workers(self._settings, self._cluster, self._kind)
        try:
            items = self._read(found, known, stale, pool, dry_run=dry_run)
            async with aclosing(self._groups(items, pool)) as groups, Prefetcher(groups, 1) as ahead:
                async for entries, reports in ahead:
                    if entries:
                        await self._index.add(entries)
                    for report in reports:
                        yield report
        finally:
            pool.close()
        if sync:
            async for report in prune(self._index, paths, found, known, stale, dry_run=dry_run):
                yield report

    async def _read(
        self,
        found: Sequence[FoundFile],
        known: StoredDocuments,
        stale: list[StaleDocument],
        pool: ActorPool,
        *,
        dry_run: bool,
    ) -> AsyncGenerator[Item]:
        """The documents and reports of the files, in order; several files are read at once."""

        async def first_parts() -> AsyncIterator[Callable[[], Coroutine[Any, Any, _Reading]]]:
            for seen in found:
                reading = _Reading(seen, known, pool, dry_run=dry_run)
                yield reading.begin

        at_once = _FILES_AHEAD * (await pool.size() if found else 1)
        async with aclosing(ordered_map(first_parts(), at_once)) as readings:
            async for reading in readings:
                async for item in reading.items():
                    if isinstance(item, FileOutcome):
                        stale.extend(item.stale)
                        yield item.report
                    else:
                        yield item

    async def _groups(self, items: AsyncGenerator[Item], pool: ActorPool) -> AsyncGenerator[Group]:
        """Group the items, and embed several groups at once; they come in order."""
        embedder = ClusterEmbedder(self._embedder, pool)

        async def group_entries(group: Sequence[Item]) -> Group:
            ready = {item.document.document_id: item for item in group if isinstance(item, ReadyDocument)}
            reports = [item for item in group if isinstance(item, FileReport)]
            return await embedded(tuple(ready.values()), embedder), reports

        async def work() -> AsyncIterator[Callable[[], Coroutine[Any, Any, Group]]]:
            async with Prefetcher(items, READ_AHEAD) as ahead:
                while group := await next_group(ahead):
                    yield partial(group_entries, group)

        async with aclosing(ordered_map(work(), 1 + _GROUPS_AHEAD * await pool.size())) as groups:
            async for group in groups:
                yield group


class _Reading:
    """One file that a worker reads, part by part; if it is lost, another one begins anew."""

    def __init__(self, seen: FoundFile, known: StoredDocuments, pool: ActorPool, *, dry_run: bool) -> None:
        self._seen = seen
        self._request = rows.write_request(seen, known)
        self._pool = pool
        self._dry_run = dry_run
        self._left = _READINGS
        self._part: Part = (None, [])
        self._actor: Any = None

    async def begin(self) -> _Reading:
        """Read the first part."""
        if self._seen.problem is not None:
            hint = "check the path and the rights to read it"
            self._part = _only(FileReport(self._seen.path, "failed", self._seen.problem, hint=hint))
            return self
        if self._left == 0:
            self._part = _only(FileReport(self._seen.path, "failed", _GIVEN_UP, hint=_HINT))
            return self
        try:
            self._part, self._actor = await self._pool.call_by(
                _READ, "read", self._request, self._dry_run, attempts=self._left
            )
        except Lost:
            self._part = _only(FileReport(self._seen.path, "failed", _GIVEN_UP, hint=_HINT))
        return self

    async def items(self) -> AsyncIterator[ReadyDocument | FileOutcome]:
        """All that is in the file, the documents of a lost worker once more."""
        while True:
            number, found = self._part
            for data in found:
                yield rows.read_item(data)
            if number is None:
                return
            try:
                self._part = await self._actor.more.remote(number)
            except LOST:
                self._pool.replace(self._actor)
                self._left -= 1
                await self.begin()


def _only(report: FileReport) -> Part:
    return None, [rows.write_outcome(FileOutcome(report))]
