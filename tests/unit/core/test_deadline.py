"""A deadline: what waits past it is cut, what does not is done, and a replay is cut at the same steps."""

from __future__ import annotations

import asyncio

import pytest

from assay.core.run import Deadline
from assay.core.tape import Tape
from assay.errors import DeadlinePassed, Diverged


async def never() -> None:
    await asyncio.Event().wait()


async def test_what_waits_past_the_deadline_is_cut():
    deadline = Deadline(0)
    with pytest.raises(DeadlinePassed, match="0 s"):
        async with deadline.within():
            await never()


async def test_what_waits_for_nothing_is_done_past_the_deadline():
    deadline, done = Deadline(0), False
    async with deadline.within():
        done = True
    assert done


async def test_within_the_deadline_nothing_is_cut():
    async with Deadline(60).within():
        await asyncio.sleep(0)


async def test_a_timeout_of_something_inside_is_no_passed_deadline():
    with pytest.raises(TimeoutError, match="of the disk"):
        async with Deadline(60.0).within():
            raise TimeoutError("of the disk")


async def test_a_replay_is_cut_at_the_same_step_and_takes_no_time():
    tape = Tape()
    deadline = Deadline(0, tape)
    async with deadline.within():
        tape.record("clock", "", b"1")
    with pytest.raises(DeadlinePassed):
        async with deadline.within():
            await never()
    replayed = Tape(tape.entries)
    again = Deadline(0, replayed)
    async with again.within():
        await asyncio.sleep(0)
        assert replayed.recall("clock", "") == b"1"
    with pytest.raises(DeadlinePassed):
        async with again.within():
            await asyncio.sleep(0)


async def test_a_call_that_was_cut_is_cut_when_it_is_replayed():
    tape = Tape()
    with pytest.raises(DeadlinePassed):
        async with Deadline(0, tape).within():
            await never()
    replayed = Tape(tape.entries)
    with pytest.raises(DeadlinePassed):
        async with Deadline(0, replayed).within():
            replayed.recall("model", "asked")


async def test_before_a_step_that_was_cut_a_missing_call_is_a_divergence():
    replayed = Tape(())
    with pytest.raises(Diverged):
        async with Deadline(0, replayed).within():
            replayed.recall("model", "asked")
