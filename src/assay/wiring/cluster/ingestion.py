"""Take files in with the workers of a cluster: Ray Data reads, splits and embeds them, and this process stores them.

What is stored is the checkpoint: a run that was ended is resumed by running it again, since documents that are stored
are neither embedded nor stored again. A document's id is made of where it is, so one that arrives twice, as after a
machine was lost, replaces itself.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import ray
import ray.data
from ray.data import ActorPoolStrategy, DataContext

from assay import __version__
from assay.core.stages import Entry, Index
from assay.errors import AssayError
from assay.ingest.files import StaleDocument, StoredDocuments
from assay.ingest.object_storage import refuse_remote
from assay.ingest.pipeline import GROUP, IDLE_SECONDS, Prefetcher, prune
from assay.ingest.walk import FoundFile, walk
from assay.settings import Settings, sent_settings
from assay.types import FileReport
from assay.wiring.cluster import rows
from assay.wiring.cluster.connection import Cluster, failed_workers
from assay.wiring.cluster.rows import FileOutcome
from assay.wiring.cluster.workers import DocumentEmbedder, FileWorker

# Files of one task at the first attempt; one that ends its process takes the others along. Then they are read one by
# one, so that only those are given up that end every process. Chosen.
_FILES_A_TASK = (16, 1)
# Bytes of a block between reading and embedding: about 100 passages, a second's work. Ray's own size, 128 MiB, would
# give all of a small collection to one worker.
_BLOCK = 256 << 10
# Blocks that wait to be stored; workers wait beyond. Chosen.
_BLOCKS_AHEAD = 4
# Processes that a worker may lose before it is given up with what it has, and the times that a task is tried: until
# Ray gives a machine up that is lost, which takes some 20 s, it tries about once a second. Chosen.
_RESTARTS, _RETRIES = 3, 60
_GIVEN_UP = f"the process that read it ended, {len(_FILES_A_TASK) * (_RESTARTS + 1)} times over"
_HINT = "read it on a machine with more memory, by `assay add` without --ray"

Row = dict[str, Any]
Make = Callable[[], Iterable[Any]]


@dataclass(slots=True)
class _Waiting:
    """A file with what has arrived of it."""

    seen: FoundFile
    stored: set[int] = field(default_factory=set)
    outcome: FileOutcome | None = None

    @property
    def is_done(self) -> bool:
        """True once all its documents are stored, and it is known how many there are."""
        return self.outcome is not None and len(self.stored) >= self.outcome.documents


class ClusterIngestion:
    """Ingests files into an index through a cluster; the index is written to by this process alone.

    `reads` is what reads the files (a test's own kind ends its process).
    """

    def __init__(
        self, index: Index, settings: Settings, cluster: Cluster, reads: type[FileWorker] = FileWorker
    ) -> None:
        self._index = index
        self._settings = settings
        self._cluster = cluster
        self._reads = reads

    def add(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        """Store the files at and under the paths; one report per file, once it is stored durably.

        The order is that in which they are done. A file that ends every process which reads it is reported as
        failed, like one that is damaged. Raises StoreError and ProviderError; what was reported stays stored.
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
        waiting = {number: _Waiting(seen) for number, seen in enumerate(found)}
        stored = known = StoredDocuments(await self._index.documents())
        stale: list[StaleDocument] = []
        for files_a_task in _FILES_A_TASK if waiting else ():
            async with aclosing(self._pass(waiting, stored, stale, files_a_task, dry_run=dry_run)) as reports:
                async for report in reports:
                    yield report
            if not waiting:
                break
            stored = StoredDocuments(await self._index.documents())  # what has been stored since is not sent again
            waiting = {number: _Waiting(left.seen) for number, left in waiting.items()}
        for left in waiting.values():
            yield FileReport(left.seen.path, "failed", _GIVEN_UP, hint=_HINT)
        if sync:
            async for report in prune(self._index, paths, found, known, stale, dry_run=dry_run):
                yield report

    async def _pass(
        self,
        waiting: dict[int, _Waiting],
        stored: StoredDocuments,
        stale: list[StaleDocument],
        files_a_task: int,
        *,
        dry_run: bool,
    ) -> AsyncGenerator[FileReport, None]:
        """Read, embed and store the files that wait; what is done is reported, and waits no longer."""
        size = await asyncio.to_thread(self._cluster.connect)
        requests = [
            {"file": number, "request": rows.write_request(file.seen, stored)}
            for number, file in waiting.items()
            if file.seen.problem is None
        ]
        for number in [number for number, file in waiting.items() if file.seen.problem is not None]:
            yield _unread(waiting.pop(number).seen)
        if not requests:
            return
        blocks = _blocks(partial(self._plan, requests, files_a_task, size, dry_run=dry_run))
        async with Prefetcher(blocks, _BLOCKS_AHEAD) as ahead:
            while group := await _next_group(ahead, GROUP * 4 * self._index.model.dimension):
                for report in await self._store(group, waiting, stale):
                    yield report

    def _plan(self, requests: list[Row], files_a_task: int, size: int, *, dry_run: bool) -> Iterable[Any]:
        """The blocks of rows, as the workers make them."""
        sent = sent_settings(self._settings)
        tasks = max(min(size * 2, len(requests)), -(-len(requests) // files_a_task))
        with warnings.catch_warnings():
            # Ray warns of names of its own, and of the one way to say how often a task is tried again: 2.64 will take
            # that back.
            warnings.simplefilter("ignore", DeprecationWarning)
            with DataContext.current(_context()):
                return self._planned(requests, sent, tasks, size, dry_run=dry_run)

    def _planned(
        self, requests: list[Row], sent: dict[str, Any], tasks: int, size: int, *, dry_run: bool
    ) -> Iterable[Any]:
        files = ray.data.from_items(requests, override_num_blocks=tasks)
        documents = files.map_batches(
            self._reads,
            fn_constructor_args=(sent, __version__),
            fn_constructor_kwargs={"dry_run": dry_run},
            compute=_pool(min(size, tasks)),
            batch_size=None,
            batch_format="pyarrow",
            # Reading takes a hundredth of what embedding does: it has no processor of its own.
            num_cpus=0,
            ray_remote_args_fn=_retries,
        )
        ready = documents.map_batches(
            DocumentEmbedder,
            fn_constructor_args=(sent, __version__),
            compute=_pool(size),
            batch_size=None,
            batch_format="pyarrow",
            num_cpus=1,
            ray_remote_args_fn=_retries,
        )
        return iter(ready.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=1))

    async def _store(
        self, group: Sequence[Row], waiting: dict[int, _Waiting], stale: list[StaleDocument]
    ) -> list[FileReport]:
        """Store the documents of the rows; return the reports of the files that are done with them."""
        entries: dict[str, Entry] = {}
        for found in group:
            if found["error"]:
                raise rows.read_error(found["error"])
            if found["document"]:
                entry = self._entry(found)
                entries[entry.document.document_id] = entry
        if entries:
            await self._index.add(tuple(entries.values()))
        reports = []
        for found in group:
            file = waiting.get(found["file"])
            if file is None:  # done before: a machine was lost after it had sent this
                continue
            if found["document"]:
                file.stored.add(found["ordinal"])
            else:
                file.outcome = rows.read_outcome(found["outcome"])
            if file.is_done and file.outcome is not None:
                del waiting[found["file"]]
                stale.extend(file.outcome.stale)
                reports.append(file.outcome.report)
        return reports

    def _entry(self, found: Row) -> Entry:
        ready = rows.read_document(found["document"])
        vectors = np.frombuffer(found["vectors"], "<f4").reshape(ready.size, self._index.model.dimension)
        return Entry(ready.document, ready.passages, vectors)


def _context() -> DataContext:
    """How Ray Data works here."""
    context = DataContext.get_current().copy()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.target_max_block_size = _BLOCK
    # Ray drops a block whose process ended too often; the files of it are read again here, one by one.
    context.max_errored_blocks = -1
    return context


def _pool(size: int) -> ActorPoolStrategy:
    """So many workers from the start; fewer will do, as where there are fewer files."""
    return ActorPoolStrategy(min_size=1, max_size=size, initial_size=size)


def _retries() -> dict[str, Any]:
    return {"max_restarts": _RESTARTS, "max_task_retries": _RETRIES}


def _unread(seen: FoundFile) -> FileReport:
    return FileReport(seen.path, "failed", seen.problem, hint="check the path and the rights to read it")


async def _blocks(plan: Make) -> AsyncGenerator[list[Row]]:
    """The blocks of rows one after another, each taken in a thread. Raises ProviderFailed."""
    iterator: Any = None
    taken: asyncio.Task[Any] | None = None

    def begin() -> Any:
        return iter(plan())

    def take() -> list[Row] | None:
        block = next(iterator, None)
        return None if block is None else block.to_pylist()

    try:
        iterator = await asyncio.to_thread(begin)
        while True:
            taken = asyncio.ensure_future(asyncio.to_thread(take))
            block = await asyncio.shield(taken)
            if block is None:
                return
            yield block
    except AssayError:
        raise
    except Exception as error:
        raise failed_workers(error) from error
    finally:
        if taken is not None and not taken.done():
            await asyncio.wait({taken})  # a generator cannot be closed while it runs
        if iterator is not None:
            await asyncio.to_thread(iterator.close)


async def _next_group(ahead: Prefetcher[list[Row]], size: int) -> list[Row]:
    """The next rows, until their vectors have `size` bytes or none arrives for a while; empty at the end."""
    group: list[Row] = []
    blocks = await ahead.next()
    while blocks:
        group += blocks[0]
        if sum(len(found["vectors"]) for found in group) >= size:
            break
        blocks = await ahead.next_within(IDLE_SECONDS) or ()
    return group
