"""From paths to stored documents: read, split, embed and store, each ahead of the next.

A transaction holds whole documents, often several: what was reported is stored for good, and what was not is
absent. Running again takes up where a killed run ended, since files whose bytes are stored are not read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from assay.core.stages import Embedder, Entry, Index, Splitter
from assay.ingest.files import FileReader, Item, StoredDocuments, Reader, ReadyDocument, StaleDocument
from assay.ingest.walk import FoundFile, walk
from assay.types import FileReport

# Running an async generator ahead of the one who reads it.


T = TypeVar("T")


class Prefetcher(Generic[T]):
    """Works off `source` in a task of its own, at most `size` items ahead; use as a context manager.

    What the source raises is raised where its next item would have been.
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
            async with aclosing(self._source):  # also when it waits here, and not in the source
                async for item in self._source:
                    await self._queue.put((item,))
            await self._queue.put(None)
        except Exception as error:  # noqa: BLE001 - handed on to the reader, who raises it
            await self._queue.put(error)

    async def next(self) -> tuple[T, ...]:
        """The next item in a tuple of one; the empty tuple at the end, as often as one asks."""
        if self._ended:
            return ()
        item = await self._queue.get()
        if isinstance(item, Exception):
            raise item
        self._ended = item is None
        return item or ()

    async def next_within(self, seconds: float) -> tuple[T, ...] | None:
        """The same; None where nothing came in time."""
        if self._queue.empty():
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    return await self.next()
            return None
        return await self.next()

    async def __aiter__(self) -> AsyncIterator[T]:
        while item := await self.next():
            yield item[0]


# A group of documents is embedded and stored together once it holds this many passages: large enough that the
# commit's cost (a few ms) vanishes beside the embedding's (a second), small enough to be acknowledged soon.
GROUP = 256
# A group is closed before it is full when the reader has nothing new for this long (a slow PDF).
IDLE_SECONDS = 0.05
_READ_AHEAD = 256
# Texts embedded in one call: more than a group usually has, so that only a large document needs several.
_AT_ONCE = 2 * GROUP


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: files finished of those found, and passages stored."""

    files_done: int
    files_found: int
    passages: int


@dataclass(frozen=True, slots=True)
class _Group:
    """Items in order, with the entries that those of them that are documents have become."""

    items: tuple[Item, ...]
    entries: tuple[Entry, ...] = ()


class Ingestion:
    """Takes files into an index; `reader` turns bytes into text (the sandbox, outside of tests)."""

    def __init__(
        self,
        index: Index,
        embedder: Embedder,
        splitter: Splitter,
        reader: Reader,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._splitter = splitter
        self._reader = reader
        self._progress = progress

    def add(self, paths: Sequence[Path]) -> AsyncIterator[FileReport]:
        """Store the files at and under the paths; one report a file, after it is stored for good.

        Raises StoreError and ProviderError; what was reported before stays stored.
        """
        return self._reports(paths, sync=False, dry_run=False)

    def mirror(self, paths: Sequence[Path], *, dry_run: bool = False) -> AsyncIterator[FileReport]:
        """Like add, then remove what is gone from the files and folders.

        A dry run reads the files, too, and reports what would become of each; nothing is stored or removed.
        Nothing is removed below a folder that cannot be read, nor of a file that cannot be read any more.
        """
        return self._reports(paths, sync=True, dry_run=dry_run)

    async def _reports(self, paths: Sequence[Path], *, sync: bool, dry_run: bool) -> AsyncIterator[FileReport]:
        found = await asyncio.to_thread(lambda: list(walk(paths)))
        known = StoredDocuments(await self._index.documents())
        files = FileReader(self._reader, self._splitter, self._embedder.model, known, dry_run=dry_run)
        done = passages = 0
        try:
            async with aclosing(self._stored(self._embedded(self._read(found, files)))) as reports:
                async for report in reports:
                    done, passages = done + 1, passages + report.passages
                    if self._progress is not None:
                        self._progress(Progress(done, len(found), passages))
                    yield report
        finally:
            await asyncio.to_thread(self._reader.close)
        if sync:
            async for report in self._pruned(paths, found, known, files.stale, dry_run=dry_run):
                yield report

    async def _read(self, found: Sequence[FoundFile], files: FileReader) -> AsyncGenerator[Item]:
        """The documents and reports of the files found, in order."""
        for seen in found:
            chunks = files.items(seen)
            while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
                for item in chunk:
                    yield item

    async def _embedded(self, items: AsyncGenerator[Item]) -> AsyncGenerator[_Group]:
        """The items in groups, with the vectors of their passages."""
        async with Prefetcher(items, _READ_AHEAD) as ahead:
            while group := await _next_group(ahead):
                ready = {item.document.document_id: item for item in group if isinstance(item, ReadyDocument)}
                yield _Group(tuple(group), tuple([entry async for entry in self._entries(tuple(ready.values()))]))

    async def _entries(self, ready: tuple[ReadyDocument, ...]) -> AsyncIterator[Entry]:
        """Each document with its vectors; all their passages are embedded together, some hundred at a time."""
        import numpy as np

        texts = [embedded_text(passage.title, passage.searched) for item in ready for passage in item.passages]
        parts = [await self._embedder.embed(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
        vectors = np.concatenate(parts) if parts else np.zeros((0, self._embedder.model.dimension), np.float32)
        at = 0
        for item in ready:
            yield Entry(item.document, item.passages, vectors[at : at + len(item.passages)])
            at += len(item.passages)

    async def _stored(self, groups: AsyncGenerator[_Group]) -> AsyncGenerator[FileReport]:
        """Store group after group; the reports of each group follow its commit."""
        async with Prefetcher(groups, 1) as ahead:
            async for group in ahead:
                if group.entries:
                    await self._index.add(group.entries)
                for item in group.items:
                    if isinstance(item, FileReport):
                        yield item

    async def _pruned(
        self,
        paths: Sequence[Path],
        found: Sequence[FoundFile],
        known: StoredDocuments,
        stale: Sequence[StaleDocument],
        *,
        dry_run: bool,
    ) -> AsyncIterator[FileReport]:
        """Remove what the files no longer hold, and tell."""
        gone = [*stale, *known.missing(paths, found)]
        if gone and not dry_run:
            await self._index.remove([document.document_id for document in gone])
        for document in gone:
            yield FileReport(document.path, "pruned", document.reason, 0, document.document_id)


async def _next_group(ahead: Prefetcher[Item]) -> list[Item]:
    """The next items, up to a group's passages or until none comes for a while; empty at the end."""
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
    """What a passage's vector is made of.

    >>> embedded_text("Tea", "Boil water.")
    'Tea\\nBoil water.'
    """
    return f"{title}\n{text.strip()}" if title else text.strip()
