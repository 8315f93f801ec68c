"""From paths to stored documents: read, split, embed and store, each step ahead of the next.

A transaction contains whole documents, often several: what was reported is stored durably, and nothing else is. A
killed run is resumed by running again, since unchanged files are not read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from assay.core.stages import Embedder, Entry, Index, Splitter
from assay.ingest.files import FileReader, Item, Reader, ReadyDocument, StaleDocument, StoredDocuments
from assay.ingest.object_storage import refuse_remote
from assay.ingest.walk import FoundFile, SourceOf, source_of, walk
from assay.types import FileReport

# Running an async generator ahead of its consumer.


T = TypeVar("T")


class Prefetcher(Generic[T]):
    """Run `source` in its own task, at most `size` items ahead; use as a context manager.

    An exception of the source is raised in place of its next item.
    """

    def __init__(self, source: AsyncGenerator[T], size: int) -> None:
        self._source = source
        self._queue: asyncio.Queue[tuple[T, ...] | Exception | None] = asyncio.Queue(size)
        self._ended = False

    async def __aenter__(self) -> Prefetcher[T]:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _work(self) -> None:
        try:
            async with aclosing(self._source):  # also if cancelled while waiting here
                async for item in self._source:
                    await self._queue.put((item,))
            await self._queue.put(None)
        except Exception as error:  # noqa: BLE001 - handed on to the reader, who raises it
            await self._queue.put(error)

    async def next(self) -> tuple[T, ...]:
        """The next item in a tuple of one; empty at the end, however often it is called."""
        if self._ended:
            return ()
        item = await self._queue.get()
        if isinstance(item, Exception):
            raise item
        self._ended = item is None
        return item or ()

    async def next_within(self, seconds: float) -> tuple[T, ...] | None:
        """Like `next`; None if nothing arrives in time."""
        if self._queue.empty():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return await self.next()
            return None
        return await self.next()

    async def __aiter__(self) -> AsyncIterator[T]:
        while item := await self.next():
            yield item[0]


# Passages after which a group is embedded and stored: large enough that the commit (a few ms) is cheap beside the
# embedding (a second), small enough to be acknowledged soon.
GROUP = 256
# A group is closed early if the reader yields nothing for this long (a slow PDF).
IDLE_SECONDS = 0.05
READ_AHEAD = 256
# Texts per embedding call: more than a usual group, so that only a large document needs several.
_AT_ONCE = 2 * GROUP


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run: files done, files found, passages stored."""

    files_done: int
    files_found: int
    passages: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Items in order, with the entries made of their documents."""

    items: tuple[Item, ...]
    entries: tuple[Entry, ...] = ()


class Ingestion:
    """Ingests files into an index; `reader` turns bytes into text (the sandbox, except in tests).

    `name` gives the source of the documents of a file. Offline, addresses of other machines are refused.
    """

    def __init__(
        self,
        index: Index,
        embedder: Embedder,
        splitter: Splitter,
        reader: Reader,
        progress: Callable[[Progress], None] | None = None,
        *,
        offline: bool = False,
        name: SourceOf = source_of,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._splitter = splitter
        self._reader = reader
        self._progress = progress
        self._offline = offline
        self._name = name

    def add(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        """Store the files at and under the paths; yields one report per file, once it is stored durably.

        Raises StoreError and ProviderError; what was reported before stays stored.
        """
        return self._reports(paths, sync=False, dry_run=False)

    def mirror(self, paths: Sequence[Path | str], *, dry_run: bool = False) -> AsyncIterator[FileReport]:
        """Like `add`, then remove documents that are gone from the files and folders.

        A dry run also reads the files and reports what would happen; nothing is stored or removed. Documents in
        unreadable folders or files are never removed.
        """
        return self._reports(paths, sync=True, dry_run=dry_run)

    async def _reports(
        self, paths: Sequence[Path | str], *, sync: bool, dry_run: bool
    ) -> AsyncIterator[FileReport]:
        if self._offline:
            refuse_remote(paths)
        found = await asyncio.to_thread(lambda: list(walk(paths, self._name)))
        known = StoredDocuments(await self._index.documents(), self._name)
        files = FileReader(self._reader, self._splitter, self._embedder.model, known, dry_run=dry_run)
        done = passages = 0
        try:
            async with aclosing(self._store_groups(self._embed_groups(self._read(found, files)))) as reports:
                async for report in reports:
                    done, passages = done + 1, passages + report.passages
                    if self._progress is not None:
                        self._progress(Progress(done, len(found), passages))
                    yield report
        finally:
            await asyncio.to_thread(self._reader.close)
        if sync:
            async for report in prune(self._index, paths, found, known, files.stale, dry_run=dry_run):
                yield report

    async def _read(self, found: Sequence[FoundFile], files: FileReader) -> AsyncGenerator[Item]:
        """The documents and reports of the files, in order."""
        for seen in found:
            chunks = files.items(seen)
            while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
                for item in chunk:
                    yield item

    async def _embed_groups(self, items: AsyncGenerator[Item]) -> AsyncGenerator[_Group]:
        """Group the items and embed their passages."""
        async with Prefetcher(items, READ_AHEAD) as ahead:
            while group := await next_group(ahead):
                ready = {item.document.document_id: item for item in group if isinstance(item, ReadyDocument)}
                yield _Group(tuple(group), await embedded(tuple(ready.values()), self._embedder))

    async def _store_groups(self, groups: AsyncGenerator[_Group]) -> AsyncGenerator[FileReport]:
        """Store the groups; each group's reports follow its commit."""
        async with Prefetcher(groups, 1) as ahead:
            async for group in ahead:
                if group.entries:
                    await self._index.add(group.entries)
                for item in group.items:
                    if isinstance(item, FileReport):
                        yield item


async def embedded(ready: Sequence[ReadyDocument], embedder: Embedder) -> tuple[Entry, ...]:
    """Each document with its vectors; passages are embedded together, several hundred at a time."""
    import numpy as np

    texts = [embedded_text(passage.title, passage.searched) for item in ready for passage in item.passages]
    parts = [await embedder.embed(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
    vectors = np.concatenate(parts) if parts else np.zeros((0, embedder.model.dimension), np.float32)
    entries, at = [], 0
    for item in ready:
        entries.append(Entry(item.document, item.passages, vectors[at : at + len(item.passages)]))
        at += len(item.passages)
    return tuple(entries)


async def prune(
    index: Index,
    paths: Sequence[Path | str],
    found: Sequence[FoundFile],
    known: StoredDocuments,
    stale: Sequence[StaleDocument],
    *,
    dry_run: bool,
) -> AsyncIterator[FileReport]:
    """Remove documents that are gone from the files and folders, and report them; a dry run removes nothing."""
    missing = [*stale, *known.missing(paths, found)]
    if missing and not dry_run:
        await index.remove([document.document_id for document in missing])
    for document in missing:
        yield FileReport(document.path, "pruned", document.reason, 0, document.document_id)


async def next_group(ahead: Prefetcher[Item]) -> list[Item]:
    """The next items, until a group is full or none arrives for a while; empty at the end."""
    items = list(await ahead.next())
    passages = sum(item.size for item in items if isinstance(item, ReadyDocument))
    while items and passages < GROUP:
        more = await ahead.next_within(IDLE_SECONDS)
        if not more:
            break
        items.extend(more)
        passages += more[0].size if isinstance(more[0], ReadyDocument) else 0
    return items


def embedded_text(title: str, text: str) -> str:
    """The text that is embedded for a passage.

    >>> embedded_text("Tea", "Boil water.")
    'Tea\\nBoil water.'
    """
    return f"{title}\n{text.strip()}" if title else text.strip()
