"""Concurrency: ordered results of bounded work, and an event loop in a thread for callers without one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from assay.errors import UsageError

Result = TypeVar("Result")

# Chosen: so many times `at_once` results may wait in memory for a slow one before them.
AHEAD = 4


async def ordered_map(
    work: AsyncIterable[Callable[[], Awaitable[Result]]], at_once: int
) -> AsyncGenerator[Result, None]:
    """The results of the work in order, each as soon as it and all before it are done.

    At most `at_once` run together. An exception is re-raised at its position and cancels the remaining tasks, as
    does closing the generator: wrap it in `contextlib.aclosing` if you may leave early.
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
        for started_task in (starting, *tasks):
            started_task.cancel()
        await asyncio.gather(starting, *tasks, return_exceptions=True)


Given = TypeVar("Given")


class BackgroundLoop:
    """An event loop in a thread of its own, started when first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """True if it was started and not stopped."""
        return self._loop is not None

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of `work`, run on the loop; Ctrl-C cancels it.

        Raises UsageError if the loop itself calls: it cannot wait for itself.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise UsageError(
                "a plain method was called from within a run, which would wait for itself",
                hint="call it from another thread, or after the run",
            )
        future = asyncio.run_coroutine_threadsafe(work, self._started())
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    async def arun(self, work: Coroutine[Any, Any, Result]) -> Result:
        """As `run`, for a caller on a loop of its own, which is not blocked.

        If the caller is cancelled, the work is too, and is awaited: it may have to clean up.
        """
        here, there = asyncio.get_running_loop(), self._started()
        if here is there:
            return await work
        ended: asyncio.Future[None] = here.create_future()
        tasks: list[asyncio.Task[Result]] = []

        def begin() -> None:
            tasks.append(there.create_task(work))
            tasks[0].add_done_callback(lambda _task: tell())

        def tell() -> None:
            with suppress(RuntimeError):  # the caller's loop is closed: nobody waits any more
                here.call_soon_threadsafe(end)

        def end() -> None:
            if not ended.done():
                ended.set_result(None)

        there.call_soon_threadsafe(begin)
        try:
            await asyncio.shield(ended)
        except asyncio.CancelledError:
            there.call_soon_threadsafe(lambda: tasks[0].cancel())
            await ended
            raise
        return tasks[0].result()

    def forward(self, call: Callable[[Given], None]) -> Callable[[Given], None]:
        """A function for work on this loop that calls `call` on the caller's own loop, in the same order."""
        here = asyncio.get_running_loop()
        if here is self._started():
            return call

        def hand(given: Given) -> None:
            with suppress(RuntimeError):  # the caller's loop is closed
                here.call_soon_threadsafe(call, given)

        return hand

    def stop(self) -> None:
        """Cancel what still runs, then end the loop and its thread."""
        if self._loop is not None:
            self.run(_cancel_other_tasks())
        with self._lock:
            if self._loop is None or self._thread is None:
                return
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="assay", daemon=True)
                self._thread.start()
            return self._loop


async def _cancel_other_tasks() -> None:
    """Cancel every other task of the running loop, and wait for their ends."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
