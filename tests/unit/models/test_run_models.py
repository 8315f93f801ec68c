"""A model within a run: attempts and delays, the budget, the circuit, replies of the right shape, the tape."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from assay.core.budget import Budget, Meter
from assay.core.tape import Tape
from assay.errors import (
    BudgetSpent,
    CircuitOpen,
    Diverged,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UnusableReply,
)
from assay.models.prices import Price
from assay.models.run_model import COOLING, FAILURES, CallMeter, Circuit, RunModel, Tuning
from assay.records.replay import ModelTape, TapedClock
from assay.records.replay_stubs import ModelStub
from assay.types import Limits, ModelReply, ModelRequest, PromptMessage, Usage

ASKED = ModelRequest("judge", (PromptMessage("user", "How hot?"),), max_tokens=10)
USED = Usage(prompt_tokens=4, completion_tokens=2, total_tokens=6, cached_tokens=0, calls=1, cost=0.001)
GOOD = ModelReply("100 degrees", "stop", USED, "m")
BUSY = ProviderFailed("503", hint="later", retryable=True)
DENIED = ProviderRefused("401", hint="key")

Part = str | ModelReply | ProviderError


@dataclass
class Stepped:
    """A model that gives what it was told, one list of parts a call, and fails on any further call."""

    calls: list[list[Part]]
    asked: list[ModelRequest] = field(default_factory=list)
    name: str = "fake:m"
    host: str = "localhost"

    async def complete(self, request: ModelRequest) -> ModelReply:
        async with aclosing(self.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, ModelReply):
                    return part
        raise AssertionError("no reply is scripted")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        assert self.calls, "one call too many"
        self.asked.append(request)
        for part in self.calls.pop(0):
            if isinstance(part, ProviderError):
                raise part
            yield part

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass
class SetClock:
    """A clock that moves only when something sleeps."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def metered(calls: list[list[Part]], limits: Limits = Limits(calls=8, seconds=60), **metering: Any) -> RunModel:
    clock = SetClock()
    return RunModel(Stepped(calls), meter=CallMeter(Budget(limits, clock), clock, **metering))


# --- attempts ----------------------------------------------------------------------------------


async def test_a_retryable_failure_is_tried_four_times_with_rising_delays():
    model = metered([[BUSY], [BUSY], [BUSY], [GOOD]])
    assert await model.complete(ASKED) == GOOD
    for slept, delay in zip(model.meter.clock.slept, (1, 2, 4), strict=True):
        assert 0.8 * delay <= slept <= 1.2 * delay
    assert model.meter.budget.spent.calls == 4


async def test_the_fifth_attempt_is_not_made():
    model = metered([[BUSY], [BUSY], [BUSY], [BUSY]])
    with pytest.raises(ProviderFailed, match="503"):
        await model.complete(ASKED)
    assert len(model.meter.clock.slept) == 3


async def test_the_attempts_of_each_call_are_counted():
    counted: list[tuple[int, bool]] = []

    def counting(calls: list[list[Part]]) -> RunModel:
        return metered(calls, on_attempts=lambda attempts, replied: counted.append((attempts, replied)))

    await counting([[BUSY], [GOOD]]).complete(ASKED)
    async for _part in counting([[GOOD]]).stream(ASKED):
        pass
    for calls in ([[DENIED]], [[BUSY]] * 4):
        with pytest.raises(ProviderError):
            await counting(calls).complete(ASKED)
    assert counted == [(2, True), (1, True), (1, False), (4, False)]


async def test_each_attempt_is_watched_with_what_came_of_it():
    counting = Meter(SetClock())
    model = replace(metered([[BUSY], [GOOD], ["It ", "rains.", GOOD], ["It "], [DENIED]]), watch=counting.watch)
    await model.complete(ASKED)
    _parts = [part async for part in model.stream(ASKED)]
    async with aclosing(model.stream(ASKED)) as left:
        await anext(left)
    with pytest.raises(ProviderRefused):
        await model.complete(ASKED)
    seen = [(call.streamed, call.reply, call.error) for call in counting.calls]
    assert seen == [
        (False, None, "ProviderFailed"),
        (False, GOOD, ""),
        (True, GOOD, ""),
        (True, None, ""),
        (False, None, "ProviderRefused"),
    ]
    assert {(call.model, call.host) for call in counting.calls} == {(model.name, model.host)}
    assert all(call.request == ASKED for call in counting.calls)


async def test_what_no_retry_mends_is_raised_at_once():
    model = metered([[DENIED]])
    with pytest.raises(ProviderRefused):
        await model.complete(ASKED)
    assert model.meter.clock.slept == []


@pytest.mark.parametrize(("retry_after", "slept"), [(7.0, [7.0]), (61.0, None)])
async def test_retry_after_is_kept_where_it_fits_the_deadline(retry_after: float, slept: list[float] | None):
    wait = ProviderRefused("429", hint="wait", retryable=True, retry_after=retry_after)
    model = metered([[wait], [GOOD]])
    if slept is None:
        with pytest.raises(ProviderRefused, match="429"):
            await model.complete(ASKED)
    else:
        assert await model.complete(ASKED) == GOOD
        assert model.meter.clock.slept == slept


async def test_a_stream_that_gave_something_is_not_begun_again():
    model = metered([["It is "], ["never asked"]])
    model.adapter.calls[0].append(BUSY)
    given, failed = await heard(model, ASKED)
    assert (given, failed[0]) == ("It is ", ProviderFailed)
    assert model.meter.budget.spent.total_tokens is None, "what the broken stream used is unknown"


async def test_a_stream_that_gave_nothing_is_tried_again():
    model = metered([[BUSY], ["100", GOOD]])
    assert [part async for part in model.stream(ASKED)] == ["100", GOOD]
    assert model.meter.budget.spent.calls == 2


async def test_each_attempt_is_told_beside_the_budget():
    told: list[Usage] = []
    model = metered([[BUSY], [GOOD]], on_usage=told.append)
    await model.complete(ASKED)
    assert told == [Usage(calls=1), GOOD.usage]


# --- the budget --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "flag"),
    [
        (Limits(calls=0), "--max-calls"),
        (Limits(calls=5, tokens=9), "--max-tokens"),
        (Limits(calls=5, cost=0.00001), "--max-cost"),
    ],
)
async def test_no_call_is_made_that_could_pass_a_limit(limits: Limits, flag: str):
    model = metered([], limits, price=Price(10.0, 10.0, 10.0))
    with pytest.raises(BudgetSpent) as caught:
        await model.complete(ASKED)
    assert flag in caught.value.hint
    assert model.meter.budget.spent == Usage()


async def test_ten_calls_at_once_cannot_overspend():
    model = metered([[GOOD], [GOOD], [GOOD]], Limits(calls=3))
    done = await asyncio.gather(*(model.complete(ASKED) for _ in range(10)), return_exceptions=True)
    assert sum(isinstance(each, ModelReply) for each in done) == 3
    assert sum(isinstance(each, BudgetSpent) for each in done) == 7


async def test_unreported_tokens_are_unknown_and_count_as_reserved():
    silent = replace(GOOD, usage=Usage(None, None, None, None, calls=1, cost=None))
    model = metered([[silent], [GOOD]], Limits(calls=9, tokens=20))
    await model.complete(ASKED)
    assert model.meter.budget.spent.total_tokens is None
    with pytest.raises(BudgetSpent, match="20 tokens"):
        await model.complete(ASKED)


async def test_calls_that_are_kept_for_others_are_not_taken():
    model = metered([[GOOD], [GOOD]], Limits(calls=2))
    early = replace(model, meter=replace(model.meter, spare=1))
    await early.complete(ASKED)
    with pytest.raises(BudgetSpent, match="1 of the question's 2 model calls are kept"):
        await early.complete(ASKED)
    await model.complete(ASKED)


# --- the circuit -------------------------------------------------------------------------------


async def test_an_open_circuit_fails_at_once_and_one_probe_closes_it():
    clock = SetClock()
    circuit = Circuit(clock)
    model = RunModel(Stepped([*([BUSY] for _ in range(FAILURES)), [GOOD], [GOOD]]), circuit)
    for _ in range(FAILURES):
        with pytest.raises(ProviderFailed):
            await model.complete(ASKED)
    with pytest.raises(CircuitOpen) as caught:
        await model.complete(ASKED)
    assert not caught.value.retryable
    clock.now += COOLING
    assert await model.complete(ASKED) == GOOD
    assert await model.complete(ASKED) == GOOD


async def test_a_probe_that_fails_opens_the_circuit_again():
    clock = SetClock()
    circuit = Circuit(clock)
    model = RunModel(Stepped([*([BUSY] for _ in range(FAILURES + 1))]), circuit)
    for _ in range(FAILURES):
        with pytest.raises(ProviderFailed):
            await model.complete(ASKED)
    clock.now += COOLING
    with pytest.raises(ProviderFailed):
        await model.complete(ASKED)
    with pytest.raises(CircuitOpen):
        await model.complete(ASKED)


async def test_a_refusal_is_no_failure_of_the_provider():
    model = RunModel(Stepped([*([DENIED] for _ in range(FAILURES + 1))]), Circuit(SetClock()))
    for _ in range(FAILURES + 1):
        with pytest.raises(ProviderRefused):
            await model.complete(ASKED)


# --- replies of the right shape ------------------------------------------------------------------


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]
    score: float = Field(ge=0, le=1)
    passage: int

    @field_validator("passage")
    @classmethod
    def _given(cls, value: int, info: ValidationInfo) -> int:
        if value not in info.context["ids"]:
            raise ValueError("this passage was not given")
        return value


SHAPED = replace(ASKED, schema=Verdict, given={"ids": {1, 2}})
RIGHT = '{"verdict": "yes", "score": 0.5, "passage": 2}'


def said(text: str) -> list[Part]:
    return [replace(GOOD, text=text)]


@pytest.mark.parametrize("text", [RIGHT, f"Sure:\n```json\n{RIGHT}\n```\nAnything else?"])
async def test_a_reply_is_parsed(text: str):
    reply = await RunModel(Stepped([said(text)])).complete(SHAPED)
    assert isinstance(reply.parsed, Verdict)
    assert reply.parsed.passage == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "no JSON at all",
        "{",
        RIGHT.replace("0.5", "NaN"),
        RIGHT.replace("0.5", "1e999"),
        RIGHT.replace("0.5", '"1 out of 2"'),
        RIGHT.replace("2}", "7}"),
        RIGHT.replace('"yes"', '"UNSUPPORTED, not yes"'),
        '{"answer": "yes"}',
        "[]",
    ],
)
async def test_a_wrong_reply_is_shown_its_errors_once(wrong: str):
    inner = Stepped([said(wrong), said(RIGHT)])
    reply = await RunModel(inner).complete(SHAPED)
    assert reply.parsed is not None
    assert reply.usage.calls == 2
    assert [message.role for message in inner.asked[1].messages] == ["user", "assistant", "user"]
    with pytest.raises(UnusableReply, match="twice") as caught:
        await RunModel(Stepped([said(wrong), said(wrong)])).complete(SHAPED)
    assert "--judge-model" in caught.value.hint


@pytest.mark.parametrize("finish", ["length", "empty", "refused", "blocked", "tool", "incomplete", "other"])
async def test_a_reply_that_did_not_end_by_itself_is_unusable(finish):
    with pytest.raises(UnusableReply) as caught:
        await RunModel(Stepped([[replace(GOOD, finish=finish)]])).complete(ASKED)
    assert caught.value.finish == finish


# --- the tape ------------------------------------------------------------------------------------


def played(tape: Tape) -> RunModel:
    return RunModel(ModelStub("fake:m"), tape=ModelTape(Tape(tape.entries)))


async def heard(model, request: ModelRequest) -> list:
    parts: list = []
    try:
        async for part in model.stream(request):
            parts.append(part)
        parts.append(await model.complete(request))
    except (ProviderError, BudgetSpent) as error:
        parts.append((type(error), str(error), error.hint, error.retryable, getattr(error, "finish", None)))
    return parts


@pytest.mark.parametrize(
    "calls",
    [
        [["100 ", "degrees", GOOD], [GOOD]],
        [["100 ", GOOD], [ProviderUnreachable("gone", hint="net", retryable=True, retry_after=3.0)]],
        [[UnusableReply("half", hint="more", finish="length")]],
    ],
)
async def test_a_replay_hears_the_same(calls: list[list[Part]]):
    tape = Tape()
    live = await heard(RunModel(Stepped(calls), tape=ModelTape(tape)), ASKED)
    assert await heard(played(tape), ASKED) == live


async def test_a_replay_of_another_request_diverges():
    tape = Tape()
    await RunModel(Stepped([[GOOD]]), tape=ModelTape(tape)).complete(ASKED)
    with pytest.raises(Diverged, match="step 1"):
        await played(tape).complete(replace(ASKED, temperature=1.0))


@pytest.mark.parametrize("otherwise", [{"effort": "low"}, {"thinking_tokens": 5}, {"max_tokens": 7}])
async def test_a_replay_of_a_request_that_is_set_otherwise_diverges(otherwise: dict[str, Any]):
    tape = Tape()
    await RunModel(Stepped([[GOOD]]), tape=ModelTape(tape)).complete(ASKED)
    with pytest.raises(Diverged, match="step 1"):
        await played(tape).complete(replace(ASKED, **otherwise))


@pytest.mark.parametrize(
    ("pieces", "said", "finish"),
    [
        (["<think>", "Hm. " * 500, "</think>", "Water boils. "], 4, "stop"),  # thinking is what the room is for
        (["Water boils. "] * 100, 4, "length"),
        (["Water boils. "] * 3, 3, "stop"),
    ],
)
async def test_room_to_think_is_no_room_for_a_longer_reply(pieces: list[str], said: int, finish: str):
    tape, request = Tape(), replace(ASKED, max_tokens=10)
    tuning = Tuning(thinking_tokens=5000)
    model = RunModel(Stepped([[*pieces, GOOD]]), tape=ModelTape(tape), tuning=tuning)
    live = [part async for part in model.stream(request)]
    *given, ended = live
    assert isinstance(ended, ModelReply)
    assert (len(given), ended.finish) == (said, finish)
    replayed = RunModel(ModelStub("fake:m"), tape=ModelTape(Tape(tape.entries)), tuning=tuning)
    assert [part async for part in replayed.stream(request)] == live


async def test_room_to_think_is_reserved_with_the_reply():
    budget = Budget(Limits(tokens=1000), SetClock())
    request = replace(ASKED, max_tokens=100, thinking_tokens=2000)
    with pytest.raises(BudgetSpent):
        await RunModel(Stepped([]), meter=CallMeter(budget, SetClock())).complete(request)


async def test_what_thinks_aloud_until_its_limit_says_so():
    reply = ModelReply("<think>It may be 100", "length", Usage(calls=1), "m")
    with pytest.raises(UnusableReply) as caught:
        await RunModel(Stepped([[reply]])).complete(ASKED)
    assert caught.value.finish == "thinking"


async def test_a_call_that_was_cut_short_is_told_in_the_replay():
    class Hangs(Stepped):
        async def complete(self, request: ModelRequest) -> ModelReply:
            await asyncio.Event().wait()
            raise AssertionError

    tape = Tape()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await RunModel(Hangs([]), tape=ModelTape(tape)).complete(ASKED)
    with pytest.raises(TimeoutError):
        await played(tape).complete(ASKED)


async def test_a_replayed_clock_does_not_wait():
    tape = Tape()
    live = TapedClock(SetClock(), tape)
    read = (live.monotonic(), live.time(), live.monotonic())
    replayed, stopped = TapedClock(SetClock(0.0), Tape(tape.entries)), SetClock()
    assert (replayed.monotonic(), replayed.time(), replayed.monotonic()) == read
    await TapedClock(stopped, Tape(tape.entries)).sleep(5)
    assert stopped.slept == []
