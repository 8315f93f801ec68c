"""Much work at once, within a bound, with its results in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable
from typing import TypeVar

Result = TypeVar("Result")

# So many times `at_once` may be finished and wait for a slow one before them: their results are held in memory.
AHEAD = 4


async def in_order(
    work: AsyncIterable[Callable[[], Awaitable[Result]]], at_once: int
) -> AsyncGenerator[Result, None]:
    """The results of the work, in its order, each as soon as it and all before it are there.

    At most `at_once` are under way together. What a piece of work raises is raised here in its place and ends
    the rest, as does leaving early: wrap it in `contextlib.aclosing` where you may.
    """
    places, ahead = asyncio.Semaphore(at_once), asyncio.Semaphore(at_once * AHEAD)
    started: asyncio.Queue[asyncio.Task[Result] | None] = asyncio.Queue()
    tasks: set[asyncio.Task[Result]] = set()

    async def within_bound(piece: Callable[[], Awaitable[Result]]) -> Result:
        async with places:
            return await piece()

    async def start() -> None:
        try:
            async for piece in work:
                await ahead.acquire()
                task = asyncio.create_task(within_bound(piece))
                tasks.add(task)
                started.put_nowait(task)
        finally:
            started.put_nowait(None)

    starting = asyncio.create_task(start())
    try:
        while (task := await started.get()) is not None:
            yield await task
            tasks.discard(task)
            ahead.release()
        await starting
    finally:
        for each in (starting, *tasks):
            each.cancel()
        await asyncio.gather(starting, *tasks, return_exceptions=True)
