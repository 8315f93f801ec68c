"""Running an async generator ahead of the one who reads it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """Works off `source` in a task of its own, at most `size` items ahead; use as a context manager.

    What the source raises is raised where its next item would have been.
    """

    def __init__(self, source: AsyncGenerator[T], size: int) -> None:
        self._source = source
        self._queue: asyncio.Queue[tuple[T, ...] | Exception | None] = asyncio.Queue(size)
        self._ended = False

    async def __aenter__(self) -> Ahead[T]:
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
