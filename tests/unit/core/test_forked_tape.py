"""A tape of a replay under other settings: it answers what it holds, and says what it lacks."""

from __future__ import annotations

import pytest

from assay.core.tape import SystemClock, Tape, TapeEntry
from assay.errors import Diverged
from assay.records.replay import ForkClock, TapedFences, TapedRetriever
from assay.records.replay_stubs import RetrieverStub
from assay.testing.fakes import ScriptedRetriever
from assay.types import Evidence


async def taped(*queries: str) -> tuple[TapeEntry, ...]:
    tape = Tape()
    for query in queries:
        await TapedRetriever(ScriptedRetriever({(query,): Evidence()}), tape).retrieve((query,))
    return tape.entries


async def test_a_fork_answers_what_it_holds_and_makes_the_other_calls():
    fork = Tape(await taped("rain"), forks=True)
    search = TapedRetriever(ScriptedRetriever({("snow",): Evidence()}), fork)
    assert await search.retrieve(("rain",)) == Evidence()
    assert fork.entries == ()
    assert await search.retrieve(("snow",)) == Evidence()
    assert [entry.port for entry in fork.entries] == ["retrieve"]


async def test_a_refused_call_says_who_would_be_asked_what_at_which_step():
    fork = Tape(await taped("rain"), forks=True)
    search = TapedRetriever(RetrieverStub("the search of the collection", fork.diverge), fork)
    await search.retrieve(("rain",))
    for query in ("snow", "hail"):
        with pytest.raises(Diverged) as refused:
            await search.retrieve((query,))
    assert refused.value.request == "hail"
    assert fork.divergence is not None
    told = fork.divergence.step, fork.divergence.call, fork.divergence.request
    assert told == (2, "the search of the collection", "snow")


async def test_a_replay_that_is_no_fork_makes_no_call():
    replay = Tape(await taped("rain"))
    assert replay.plays("retrieve", "any key")
    with pytest.raises(Diverged, match="no further call"):
        await TapedRetriever(ScriptedRetriever({}), replay).retrieve(("snow",))


def test_the_clock_of_a_fork_runs_on_from_the_last_recorded_reading():
    entries = [TapeEntry("monotonic", "", b"1e9"), TapeEntry("monotonic", "", b"1000000005.0")]
    clock = ForkClock(SystemClock(), Tape(entries, forks=True))
    assert [clock.monotonic(), clock.monotonic()] == [1e9, 1e9 + 5]
    later = [clock.monotonic() for _ in range(3)]
    assert later == sorted(later)
    assert 1e9 + 5 <= later[0] < 1e9 + 3600


@pytest.mark.parametrize("waits", [True, False])
async def test_the_clock_of_a_fork_waits_only_where_calls_are_made(waits: bool):
    slept: list[float] = []

    class Watched(SystemClock):
        async def sleep(self, seconds: float) -> None:
            slept.append(seconds)

    await ForkClock(Watched(), Tape([], forks=True), waits=waits).sleep(3600)
    assert slept == [3600.0] * waits


def test_each_stage_has_codes_of_its_own():
    tape = Tape()
    codes = iter("abc")
    for stage in ("judge", "write", "judge"):
        TapedFences(lambda: next(codes), tape, stage)()
    fork = Tape(tape.entries, forks=True)
    assert TapedFences(lambda: "new", fork, "write")() == "b"
    assert [TapedFences(lambda: "new", fork, "judge")() for _ in range(3)] == ["a", "c", "new"]
