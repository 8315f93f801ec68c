"""Much work at once: in order, within its bound, and with nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.concurrency import AHEAD, ordered_map

Piece = Callable[[], Awaitable[int]]


async def pieces(*work: Piece) -> AsyncIterator[Piece]:
    for each in work:
        yield each


@given(
    waits=st.lists(st.integers(0, 5), max_size=20),
    at_once=st.integers(1, 6),
)
def test_results_come_in_order_and_never_more_than_so_many_run(waits: list[int], at_once: int):
    running = most = 0

    async def piece(number: int, turns: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(turns):
            await asyncio.sleep(0)
        running -= 1
        return number

    async def main() -> list[int]:
        work = (lambda n=n, turns=turns: piece(n, turns) for n, turns in enumerate(waits))
        return [each async for each in ordered_map(pieces(*work), at_once)]

    assert asyncio.run(main()) == list(range(len(waits)))
    assert running == 0
    assert most <= at_once


async def test_a_result_is_given_before_further_work_is_there():
    arrived = asyncio.Event()

    async def work() -> AsyncIterator[Piece]:
        async def one() -> int:
            return 1

        async def two() -> int:
            return 2

        yield one
        await arrived.wait()
        yield two

    async with aclosing(ordered_map(work(), 4)) as results:
        assert await anext(results) == 1
        arrived.set()
        assert [each async for each in results] == [2]


async def test_a_slow_piece_lets_a_bounded_number_pass_it():
    gate, begun = asyncio.Event(), 0

    async def slow() -> int:
        await gate.wait()
        return 0

    async def quick() -> int:
        nonlocal begun
        begun += 1
        return begun

    async with aclosing(ordered_map(pieces(slow, *[quick] * 100), 2)) as results:
        first = asyncio.ensure_future(anext(results))
        for _ in range(200):
            await asyncio.sleep(0)
        assert begun == 2 * AHEAD - 1
        gate.set()
        assert await first == 0
        assert [each async for each in results] == list(range(1, 101))


async def test_an_error_comes_in_its_place_and_ends_the_rest():
    ended: list[str] = []

    async def good() -> int:
        return 1

    async def bad() -> int:
        raise ValueError("broken")

    async def endless() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("endless")
        return 3

    results = ordered_map(pieces(good, bad, endless), 3)
    assert await anext(results) == 1
    with pytest.raises(ValueError, match="broken"):
        await anext(results)
    assert ended == ["endless"]


async def test_what_the_work_itself_raises_is_raised_after_the_results_before_it():
    async def work() -> AsyncIterator[Piece]:
        async def one() -> int:
            return 1

        yield one
        raise OSError("input gone")

    results = ordered_map(work(), 2)
    assert await anext(results) == 1
    with pytest.raises(OSError, match="input gone"):
        await anext(results)


async def test_leaving_early_cancels_what_is_under_way():
    ended: list[int] = []

    async def endless() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(1)
        return 0

    async def good() -> int:
        return 1

    async with aclosing(ordered_map(pieces(good, endless, endless), 3)) as results:
        assert await anext(results) == 1
        await asyncio.sleep(0)
    assert ended == [1, 1]
    assert len(asyncio.all_tasks()) == 1
