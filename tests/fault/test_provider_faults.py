"""Every fault of a provider at every role of a whole run: what `faults.toml` declares, and never a silent pass."""

from __future__ import annotations

import asyncio
import time
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay import open_engine
from assay.engine import Engine
from assay.errors import AssayError, DeadlinePassed
from assay.types import (
    Answer,
    Done,
    Event,
    EvidenceFound,
    Failed,
    Message,
    Outcome,
    SentenceProvisional,
    SentenceVerified,
    SentenceWithdrawn,
    Status,
)
from support.provider import FAULTS, Asked, LocalProvider, plain_answer

# An engine's connections belong to the loop that opened them, and engines are used again.
in_one_loop = pytest.mark.asyncio(loop_scope="module")

ALL = tomllib.loads((Path(__file__).parent / "faults.toml").read_text(encoding="utf-8"))["fault"]
# The roles of a search that goes on have a test of their own.
DECLARED = [each for each in ALL if each["role"] not in {"rewriter", "strip_ranker"}]
MOUNTAINS = """# Mountains

Mount Everest is 8,849 metres tall. It was first climbed on 29 May 1953.

The K2 is 8,611 metres tall. It was first climbed on 31 July 1954.
"""
WRITTEN = "Mount Everest is 8,849 metres tall [1]. It was first climbed on 29 May 1953 [1]."
CONDENSED = "How tall is the K2?"
QUESTION = "How tall is Mount Everest?"
# Of two mountains the rules take the first, so that it shows whose reading was taken.
FOLLOW_UP = ("How tall is it?", (Message("user", "Is Mount Everest near the K2?"), Message("assistant", "No.")))
ATTEMPTS = 4
DEADLINE = 20.0
# How far past its deadline a question may end on a machine that stalls; without one it would wait for a minute.
GRACE = 10.0
# Where a second is to be waited, there is time for one wait and not for two.
ONE_WAIT = 1.95
# How often a machine may stall at the one moment that matters before a test fails.
PATIENCE = 5
SLOW = {"accept-and-hang", "stream-pings", "stream-drip"}
WAITING = {"status-429-retry-1", "status-429-retry-date"}
ROLES: dict[str, dict[str, Any]] = {
    "condenser": {"condenser_model": "openai:fake", "max_calls": 24},
    # Without reflection, or the judge's model would assess the answer too.
    "judge": {"judge_model": "openai:fake", "profile": "thorough", "reflection": False},
    "writer": {"writer_model": "openai:fake", "max_calls": 24},
    "writer_stream": {"writer_model": "openai:fake", "max_calls": 24},
}


def answered(asked: Asked) -> str:
    """What the honest model says to each role."""
    if asked.schema is None:
        return WRITTEN
    if "standalone" in asked.schema["properties"]:
        return f'{{"standalone": "{CONDENSED}", "resolved": true}}'
    return plain_answer(asked)


@dataclass
class Bench:
    """A provider, and engines over one small collection whose roles ask it."""

    provider: LocalProvider
    folder: Path
    engines: dict[tuple[str, ...], Engine]

    def engine(self, role: str, fault: str, **settings: Any) -> Engine:
        """The engine whose role meets the fault."""
        place = fault if FAULTS[fault].place == "address" else None
        limits = {"request_seconds": 0.25, "idle_seconds": 0.25} if fault in SLOW else {}
        return self.opened(role, place, **{"deadline": DEADLINE, **limits, **settings})

    def opened(self, role: str, place: str | None = None, **settings: Any) -> Engine:
        key = (role.removesuffix("_stream"), str(place), repr(sorted(settings.items())))
        if key not in self.engines:
            self.engines[key] = open_engine(
                data_dir=self.folder / "data",
                openai_base_url=self.provider.address("openai", place),
                openai_api_key="sk-0123456789abcdef",
                **ROLES[role],
                **{"retry_seconds": 0.01, **settings},
            )
        return self.engines[key]


@pytest.fixture(scope="module")
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(answered) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bench(provider: LocalProvider, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    made = Bench(provider, tmp_path_factory.mktemp("faults"), {})
    (made.folder / "mountains.md").write_text(MOUNTAINS, encoding="utf-8")
    async for report in made.opened("writer").aadd([made.folder / "mountains.md"]):
        assert report.status == "added"
    yield made
    for engine in made.engines.values():
        await engine.aclose()


@pytest.fixture(autouse=True)
def _clean(provider: LocalProvider) -> Iterator[None]:
    provider.forget()
    yield
    provider.behave()


# --- asking ------------------------------------------------------------------------------------------


@dataclass
class Told:
    """What came of one question: an answer or an error, and, of a stream, every event."""

    answer: Answer | None
    error: str | None
    message: str
    seconds: float
    events: tuple[Event, ...] = ()


async def ask(engine: Engine, role: str) -> Told:
    """Ask as the role needs it; the hang that this cuts off would fail the test."""
    began = time.monotonic()
    async with asyncio.timeout(120):
        told = await (streamed(engine) if role == "writer_stream" else whole(engine, role))
    told.seconds = time.monotonic() - began
    return told


async def ask_in_time(bench: Bench, engine: Engine, role: str, deadline: float) -> Told:
    """Ask, and again where the machine stalled until the deadline was past."""
    for _ in range(PATIENCE):
        bench.provider.forget()
        told = await ask(engine, role)
        if told.seconds < deadline:
            return told
    raise AssertionError(f"{PATIENCE} questions in a row took longer than {deadline} s, the last {told}")


def tries(fault: str) -> int:
    """How often a question is put that should be answered: a good reply may come too late for a short limit."""
    return PATIENCE if fault in SLOW else 1


async def whole(engine: Engine, role: str) -> Told:
    text, history = FOLLOW_UP if role == "condenser" else (QUESTION, ())
    try:
        answer = await engine.aask(text, history)
    except AssayError as error:
        return told_of(error)
    return Told(answer, None, "", 0.0, answer.trace)


def told_of(error: AssayError) -> Told:
    assert error.hint
    return Told(None, type(error).__name__, str(error), 0.0)


async def streamed(engine: Engine) -> Told:
    async with aclosing(engine.stream(QUESTION)) as stream:
        events = tuple([event async for event in stream])
    assert_one_end(events)
    last = events[-1]
    if isinstance(last, Done):
        return Told(last.answer, None, "", 0.0, events)
    assert isinstance(last, Failed)
    assert last.hint
    return Told(None, last.error, last.message, 0.0, events)


def assert_one_end(events: tuple[Event, ...]) -> None:
    """One terminal event, the last; and one end for each sentence."""
    assert [isinstance(each, Done | Failed) for each in events] == [False] * (len(events) - 1) + [True]
    begun = Counter(each.sentence.number for each in events if isinstance(each, SentenceProvisional))
    ended = Counter(
        each.sentence.number for each in events if isinstance(each, SentenceVerified | SentenceWithdrawn)
    )
    assert begun == ended


# --- what must hold ----------------------------------------------------------------------------------


def assert_used(role: str, told: Told, fault: str) -> None:
    """The run ended as usual, with the model's reply."""
    assert told.answer is not None, told.message
    answer = told.answer
    assert answer.outcome in {Outcome.ANSWERED, Outcome.PARTIAL}
    match role:
        case "condenser":
            asked = next(each.queries for each in answer.trace if isinstance(each, EvidenceFound))
            assert asked == (CONDENSED,)
            assert answer.warnings == ()
        case "judge":
            assert answer.judgement.mode_used == "thorough"
            assert all(check.status is not Status.UNKNOWN for check in answer.checks)
        case _:
            said = " ".join(claim.text for claim in answer.claims)
            assert "29 May 1953" in said
            assert "8,849 metres tall" in said
    if fault in {"usage-missing", "usage-negative"}:
        assert (answer.usage.prompt_tokens, answer.usage.total_tokens) == (None, None)


def assert_says_so(role: str, told: Told, cause: str) -> None:
    """The stage did without the model: the answer is there, and says what was not done and why."""
    assert told.answer is not None, told.message
    answer = told.answer
    if role == "condenser":
        (warning,) = answer.warnings
        assert "the model that rewrites follow-up questions failed" in warning
        assert cause in warning
        return
    assert "thorough failed" in answer.judgement.mode_used
    (check,) = (each for each in answer.checks if each.name == "judge")
    assert check.status is Status.UNKNOWN
    assert cause in (check.cause or "")
    assert any("could not be run" in each for each in answer.warnings)


def assert_no_half_answer(told: Told, cause: str) -> None:
    assert told.answer is None
    assert told.error is not None
    assert cause in told.message


def assert_cut(told: Told, cause: str) -> None:
    """What was written whole is there, and nothing of what was not; the answer says so."""
    assert told.answer is not None, told.message
    answer = told.answer
    assert answer.outcome.value == "partial"
    assert [cause in each for each in answer.warnings] == [True]
    assert answer.claims
    assert all(claim.text.endswith(".") and claim.text[:-1] in WRITTEN for claim in answer.claims)


def assert_bounds(told: Told, deadline: float) -> None:
    assert told.seconds <= deadline + GRACE


def attempts(provider: LocalProvider) -> int:
    """How often the provider was asked for one reply at most; a reply is what one prompt asks for."""
    return max(Counter(each.asked.messages for each in provider.requests if each.asked).values(), default=0)


def assert_tried(provider: LocalProvider, fault: str, expected: str) -> None:
    """Four attempts where trying again may help, else one; none where nothing can be reached."""
    if FAULTS[fault].place != "reply":
        assert provider.requests == ()
    elif expected != "retried":  # too long a prompt is tried without the room for thinking, too
        assert attempts(provider) == (2 if fault == "status-400-too-long" else 1)
    elif FAULTS[fault].group == "content":  # the second prompt shows what is wrong with the first reply
        assert [attempts(provider), len(provider.requests)] == [1, 2]
    elif fault in WAITING:
        assert attempts(provider) <= 2
    elif fault in SLOW:  # the short limit of an attempt may pass before its request is there
        assert 1 < attempts(provider) <= ATTEMPTS
    else:
        assert attempts(provider) == ATTEMPTS


def assert_declared(role: str, told: Told, expected: str, cause: str) -> None:
    """What a fault that stays ends in: an error for the writer, a stage that did without for the others."""
    if expected == "cut":
        assert_cut(told, cause)
    elif role.startswith("writer"):
        assert expected in {"retried", "error"}
        assert_no_half_answer(told, cause)
    else:
        assert expected in {"retried", "unknown"}
        assert_says_so(role, told, cause)


# --- the suite ---------------------------------------------------------------------------------------


def cases(*expected: str) -> list[Any]:
    """The declared faults with one of these expectations."""
    return [
        pytest.param(
            each["id"], each["role"], each["expected"], each.get("cause", ""), id=f"{each['id']}-{each['role']}"
        )
        for each in DECLARED
        if each["expected"] in expected
    ]


def test_every_fault_is_declared_for_every_role_that_it_fits() -> None:
    fitting = {
        (fault.id, role)
        for fault in FAULTS.values()
        for role in ROLES
        if fault.fits(
            Asked("openai", "m", (), None if role.startswith("writer") else {}, role.startswith("writer"))
        )
    }
    # A follow-up's reply has neither lists nor ids.
    fitting -= {("extra-ids", "condenser"), ("empty-list", "condenser")}
    assert {(each["id"], each["role"]) for each in DECLARED} == fitting
    assert len(DECLARED) == len(fitting)
    assert len({each["id"] for each in DECLARED}) >= 52


@pytest.mark.parametrize(("fault", "role", "expected", "cause"), cases("ok"))
@in_one_loop
async def test_a_reply_that_is_good_enough_is_used(
    bench: Bench, fault: str, role: str, expected: str, cause: str
) -> None:
    bench.provider.misbehave(fault)
    told = await ask(bench.engine(role, fault), role)
    assert_used(role, told, fault)
    assert told.answer is not None
    if cause:  # what was wrong was mended, and that is told
        assert [each.kind.value for each in told.answer.repairs] == [cause] * len(told.answer.repairs)
        assert told.answer.repairs
        assert not told.answer.invalid_citations
    assert attempts(bench.provider) <= ATTEMPTS
    assert_bounds(told, DEADLINE)


@pytest.mark.parametrize(("fault", "role", "expected", "cause"), cases("retried", "unknown", "error", "cut"))
@in_one_loop
async def test_a_fault_that_stays_is_told(bench: Bench, fault: str, role: str, expected: str, cause: str) -> None:
    deadline = ONE_WAIT if fault in WAITING else DEADLINE
    engine = bench.engine(role, fault, deadline=deadline)
    if FAULTS[fault].place != "address":
        bench.provider.misbehave(fault)
    told = await ask_in_time(bench, engine, role, deadline)
    assert_declared(role, told, expected, cause)
    assert_tried(bench.provider, fault, expected)
    if FAULTS[fault].place == "address":
        return
    bench.provider.behave()
    for _ in range(tries(fault)):
        told = await ask_in_time(bench, engine, role, deadline)
        if told.error is None:
            break
    assert_used(role, told, fault)


@pytest.mark.parametrize(
    ("fault", "role", "expected", "cause"),
    [each for each in cases("retried") if FAULTS[each.values[0]].place == "reply"],
)
@in_one_loop
async def test_a_fault_that_happens_once_is_mended(
    bench: Bench, fault: str, role: str, expected: str, cause: str
) -> None:
    for _ in range(tries(fault)):
        bench.provider.forget()
        bench.provider.misbehave(fault, times=1)
        told = await ask(bench.engine(role, fault), role)
        if told.error is None:
            break
    assert_used(role, told, fault)
    # A judge that finds enough is asked once more, the question that tests it.
    assert len(bench.provider.requests) == 2 + (role == "judge") or fault in SLOW
    assert attempts(bench.provider) <= ATTEMPTS
    assert_bounds(told, DEADLINE)


@pytest.mark.parametrize("role", list(ROLES))
@in_one_loop
async def test_a_service_that_starts_late_is_waited_for(bench: Bench, role: str) -> None:
    """Of a closed port nobody sees the attempts, so it opens after a while: before the second one at the latest."""
    engine = bench.opened(role, retry_seconds=0.3)
    bench.provider.misbehave("refused")
    asyncio.get_running_loop().call_later(0.15, bench.provider.behave)
    assert_used(role, await ask(engine, role), "refused")


@pytest.mark.parametrize("fault", sorted(SLOW))
@pytest.mark.parametrize("role", list(ROLES))
@in_one_loop
async def test_the_deadline_ends_a_question_that_hangs(bench: Bench, fault: str, role: str) -> None:
    engine = bench.opened(role, deadline=0.5)
    bench.provider.misbehave(fault)
    for _ in range(PATIENCE):
        told = await ask(engine, role)
        assert_no_half_answer(told, "within 0.5 s")
        assert told.error == DeadlinePassed.__name__
        assert_bounds(told, 0.5)
        if bench.provider.requests:
            break
    # The provider is left, so that it does not write on for nobody: long before the limit of the request.
    async with asyncio.timeout(20):
        while not len(bench.provider.disconnects) == len(bench.provider.requests) > 0:
            await asyncio.sleep(0.005)
