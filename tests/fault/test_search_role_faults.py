"""Every fault of a provider where a model rewrites a search or ranks strips: rules take over, and that is told."""

from __future__ import annotations

import asyncio
import json
import time
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from assay import open_engine
from assay.engine import Engine
from assay.errors import DeadlinePassed
from assay.types import Answer, Done, EvidenceFound, Failed
from support.provider import FAULTS, Asked, LocalProvider, plain_answer
from support.web import LocalWeb
from support.web.server import Article

in_one_loop = pytest.mark.asyncio(loop_scope="module")

# What tells each role's requests from the others', and what it says where it fails.
FIELDS = {"rewriter": "queries", "strip_ranker": "strips"}
FAILED = {
    "rewriter": "the model that writes queries failed",
    "strip_ranker": "the model that ranks strips failed",
}
DECLARED = [
    each
    for each in tomllib.loads((Path(__file__).parent / "faults.toml").read_text(encoding="utf-8"))["fault"]
    if each["role"] in FIELDS
]
LOCAL = (
    "# Lakes\n\nThe lake of Ulm is 20 metres deep. Trout live in it. It freezes in winter. Boats are for hire.\n"
)
LAKES = "Many lakes lie below Mount Kenya."
ARTICLES = (
    Article("/kenya", "Mount Kenya", "Mount Kenya is 5,199 metres tall, which is tall."),
    Article(
        "/kenya-lakes",
        "Lakes of Africa",
        f"Fish swim in every one of them. {LAKES} The water is cold. Few people go there. Boats are rare.",
    ),
)
QUESTION = "How tall is Mount Kenya?"
REWRITTEN = "Mount Kenya height metres"
ATTEMPTS, DEADLINE = 4, 20.0
# Where a second is to be waited, there is time for one wait and not for two.
ONE_WAIT = 1.95
# How often a machine may stall at the one moment that matters before a test fails.
PATIENCE = 5
SLOW = {"accept-and-hang", "stream-pings", "stream-drip"}
WAITING = {"status-429-retry-1", "status-429-retry-date"}


def answered(asked: Asked) -> str:
    """What the honest model says to each role."""
    fields = {} if asked.schema is None else asked.schema["properties"]
    if "queries" in fields:
        return json.dumps({"queries": [{"part": 1, "query": REWRITTEN}]})
    if "strips" in fields:
        lines = asked.prompt.split("\n")
        return json.dumps({"strips": [int(each.split(".")[0]) for each in lines if "Fish swim" in each]})
    if "parts" in fields and "5,199" not in asked.prompt:
        said = json.loads(plain_answer(asked))
        parts = [{**each, "state": "missing", "passages": []} for each in said["parts"]]
        return json.dumps({**said, "parts": parts, "recommendation": "EXTERNAL"})
    return plain_answer(asked)


@dataclass
class Bench:
    """A provider, a web beside it, and engines over one small collection that does not hold the answer."""

    provider: LocalProvider
    web: LocalWeb
    folder: Path
    engines: dict[str, Engine]

    def engine(self, fault: str, deadline: float = DEADLINE) -> Engine:
        """The engine whose model may meet the fault."""
        place = fault if FAULTS[fault].place == "address" else None
        settings: dict[str, Any] = {"deadline": deadline}
        if fault in SLOW:
            settings |= {"request_seconds": 0.25, "idle_seconds": 0.25}
        # One that reaches nobody is left alone for a while; the others are asked on.
        key = repr((fault if FAULTS[fault].place != "reply" else None, sorted(settings.items())))
        if key not in self.engines:
            self.engines[key] = open_engine(
                data_dir=self.folder / "data",
                openai_base_url=self.provider.address("openai", place),
                openai_api_key="sk-0123456789abcdef",
                condenser_model="openai:fake",
                profile="thorough",
                outside=("searxng",),
                searxng_url=self.web.url,
                intranet_hosts=(self.web.address,),
                retry_seconds=0.01,
                **settings,
            )
        return self.engines[key]


@pytest.fixture(scope="module")
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(answered) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bench(provider: LocalProvider, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    with LocalWeb(ARTICLES) as web:
        made = Bench(provider, web, tmp_path_factory.mktemp("faults"), {})
        (made.folder / "lakes.md").write_text(LOCAL, encoding="utf-8")
        async for report in made.engine("body-empty").aadd([made.folder / "lakes.md"]):
            assert report.status == "added"
        yield made
        for engine in made.engines.values():
            await engine.aclose()


@pytest.fixture(autouse=True)
def _clean(provider: LocalProvider) -> Iterator[None]:
    provider.forget()
    yield
    provider.behave()


@dataclass(frozen=True)
class Told:
    answer: Answer
    seconds: float

    @property
    def searched(self) -> list[tuple[str, ...]]:
        return [each.queries for each in self.answer.trace if isinstance(each, EvidenceFound)]

    @property
    def strips(self) -> str:
        """What of the lakes' passage the last round showed."""
        last = [each.evidence for each in self.answer.trace if isinstance(each, EvidenceFound)][-1]
        (hit,) = (each for each in last.hits if LAKES in each.passage.text)
        return " ".join(hit.passage.text[strip.start : strip.end] for strip in hit.strips)


async def ask(engine: Engine) -> Told:
    """Ask; the hang that this cuts off would fail the test."""
    began = time.monotonic()
    async with asyncio.timeout(120):
        answer = await engine.aask(QUESTION)
    assert [each for each in answer.trace if isinstance(each, Done | Failed)] == [answer.trace[-1]]
    return Told(answer, time.monotonic() - began)


async def ask_in_time(bench: Bench, engine: Engine, deadline: float) -> Told:
    """Ask, and again where the machine stalled until the deadline was past."""
    for _ in range(PATIENCE):
        bench.provider.forget()
        with suppress(DeadlinePassed):
            told = await ask(engine)
            if told.seconds < deadline:
                return told
    raise AssertionError(f"{PATIENCE} questions in a row took longer than {deadline} s")


def assert_used(role: str, told: Told) -> None:
    """The run ended as usual, with the model's reply."""
    assert "5,199 metres" in told.answer.text
    assert not any(FAILED[role] in each for each in told.answer.warnings)
    if role == "rewriter":
        assert told.searched[1] == (REWRITTEN,)
    else:
        assert "Fish swim" in told.strips


def assert_says_so(role: str, told: Told, fault: str, cause: str) -> None:
    """The rules did it, the answer is there, and it says what failed and why."""
    assert "5,199 metres" in told.answer.text
    (warning,) = (each for each in told.answer.warnings if FAILED[role] in each)
    # A service that nobody reaches fails the judge first, and after many failures it is asked no more.
    assert cause in warning or (FAULTS[fault].place != "reply" and "is left alone for now" in warning)
    assert "by rules" in warning
    if role == "rewriter":
        assert told.searched[1] != (REWRITTEN,)
    else:
        assert told.strips == LAKES


def misbehave(bench: Bench, fault: str, role: str, times: int | None = None) -> None:
    """Commit the fault where the role asks; where nothing can be reached, nobody can pick."""
    if FAULTS[fault].place == "port":
        bench.provider.misbehave(fault)
    elif FAULTS[fault].place == "reply":
        field = FIELDS[role]
        bench.provider.misbehave(fault, lambda asked: field in (asked.schema or {}).get("properties", {}), times)


def attempts(bench: Bench, role: str) -> int:
    """How often the role's reply was asked for with one prompt at most."""
    asked = [each.asked for each in bench.provider.requests if each.asked]
    of_role = [each for each in asked if FIELDS[role] in (each.schema or {}).get("properties", {})]
    return max(Counter(each.messages for each in of_role).values(), default=0)


def cases(*expected: str) -> list[Any]:
    return [
        pytest.param(
            each["id"], each["role"], each["expected"], each.get("cause", ""), id=f"{each['id']}-{each['role']}"
        )
        for each in DECLARED
        if each["expected"] in expected
    ]


def test_every_fault_that_fits_is_declared_for_both_roles() -> None:
    fitting = {
        (fault.id, role) for fault in FAULTS.values() for role in FIELDS if fault.fits(Asked("openai", "m", (), {}))
    }
    assert {(each["id"], each["role"]) for each in DECLARED} == fitting
    assert len(DECLARED) == len(fitting)


@pytest.mark.parametrize(("fault", "role", "expected", "cause"), cases("ok"))
@in_one_loop
async def test_a_reply_that_is_good_enough_is_used(
    bench: Bench, fault: str, role: str, expected: str, cause: str
) -> None:
    misbehave(bench, fault, role)
    told = await ask(bench.engine(fault))
    assert_used(role, told)
    assert attempts(bench, role) == 1


@pytest.mark.parametrize(("fault", "role", "expected", "cause"), cases("retried", "unknown"))
@in_one_loop
async def test_a_fault_that_stays_leaves_the_rules_and_is_told(
    bench: Bench, fault: str, role: str, expected: str, cause: str
) -> None:
    deadline = ONE_WAIT if fault in WAITING else DEADLINE
    misbehave(bench, fault, role)
    told = await ask_in_time(bench, bench.engine(fault, deadline), deadline)
    assert_says_so(role, told, fault, cause)
    if FAULTS[fault].place != "reply":
        assert bench.provider.requests == ()
    elif expected == "retried" and FAULTS[fault].group != "content" and fault not in WAITING:
        # The short limit of an attempt may pass before its request is there.
        assert attempts(bench, role) in ({2, 3, ATTEMPTS} if fault in SLOW else {ATTEMPTS})
    else:
        assert attempts(bench, role) <= 2


@pytest.mark.parametrize(
    ("fault", "role", "expected", "cause"),
    [each for each in cases("retried") if FAULTS[each.values[0]].place == "reply"],
)
@in_one_loop
async def test_a_fault_that_happens_once_is_mended(
    bench: Bench, fault: str, role: str, expected: str, cause: str
) -> None:
    misbehave(bench, fault, role, times=1)
    assert_used(role, await ask(bench.engine(fault)))
    # A good reply may come too late for the short limit of an attempt.
    assert attempts(bench, role) <= (ATTEMPTS if fault in SLOW else 2)
