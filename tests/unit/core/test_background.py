"""Work on a loop of its own, asked for from another loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from assay.core.concurrency import BackgroundLoop


@pytest.fixture
def background() -> Iterator[BackgroundLoop]:
    loop = BackgroundLoop()
    yield loop
    loop.stop()


async def where() -> int:
    return threading.get_ident()


async def test_the_work_is_done_in_another_thread_and_its_result_comes_back(background: BackgroundLoop) -> None:
    first, second = await background.arun(where()), await background.arun(where())
    assert first == second != threading.get_ident()


async def test_work_that_is_there_already_stays_there(background: BackgroundLoop) -> None:
    async def outer() -> tuple[int, int]:
        return await where(), await background.arun(where())

    one, other = await background.arun(outer())
    assert one == other


async def test_what_the_work_raises_is_raised_here(background: BackgroundLoop) -> None:
    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await background.arun(fail())


async def test_a_cancelled_caller_waits_for_the_end_of_the_work(background: BackgroundLoop) -> None:
    began, put_away = threading.Event(), threading.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            put_away.set()

    waiting = asyncio.create_task(background.arun(work()))
    while not began.is_set():
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert put_away.is_set()


async def test_a_caller_cancelled_at_once_leaves_nothing_running(background: BackgroundLoop) -> None:
    ended = threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    waiting = asyncio.create_task(background.arun(work()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    async def running() -> int:
        return len(asyncio.all_tasks()) - 1

    assert await background.arun(running()) == 0


async def test_calls_are_handed_over_in_order_and_before_the_result(background: BackgroundLoop) -> None:
    heard: list[tuple[int, int]] = []
    hand = background.forward(lambda number: heard.append((number, threading.get_ident())))

    async def count() -> None:
        for number in range(100):
            hand(number)

    await background.arun(count())
    assert heard == [(number, threading.get_ident()) for number in range(100)]


async def test_the_end_of_the_loop_ends_what_runs_there(background: BackgroundLoop) -> None:
    waiting = asyncio.create_task(background.arun(asyncio.Event().wait()))
    await asyncio.sleep(0.01)
    await asyncio.to_thread(background.stop)
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_the_caller_is_free_while_the_work_is_busy(background: BackgroundLoop) -> None:
    may_end = threading.Event()

    async def busy() -> bool:
        return may_end.wait(timeout=60)  # blocks that loop on purpose

    working = asyncio.create_task(background.arun(busy()))
    for _ in range(10):
        await asyncio.sleep(0)
    may_end.set()
    assert await working
