"""Every fault of a provider, for every adapter: a typed error, or a reply whose ending says what it is worth."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import cycle, islice
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from assay.errors import ProviderError
from assay.models.anthropic import AnthropicModel
from assay.models.gemini import GeminiModel
from assay.models.openai import OpenAiModel
from assay.types import ModelReply, ModelRequest, PromptMessage
from support.provider import FAULTS, Asked, LocalProvider, Wire

# Google's client does to aiohttp what aiohttp warns of.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")

Mode = Literal["prose", "json", "stream"]
ADAPTERS: dict[Wire, Any] = {"openai": OpenAiModel, "gemini": GeminiModel, "anthropic": AnthropicModel}
PROMPT = "[1] Tea\nTea is hot – 90 °C. It is cheap.\n[2] Ice\nIce is cold.\nHow hot is tea – hot or cold?"
ANSWER = "Tea is hot – 90 °C [1]. Ice is cold [2]."

# An error is told by its class, with "again" where the same call may work later; a reply by its ending.
UNREACHABLE, AGAIN_UNREACHABLE = "ProviderUnreachable", "ProviderUnreachable again"
REFUSED, AGAIN_REFUSED, TOO_LONG = "ProviderRefused", "ProviderRefused again", "PromptTooLong"
FAILED, AGAIN_FAILED = "ProviderFailed", "ProviderFailed again"
OUTCOMES = {
    "refused": AGAIN_UNREACHABLE,
    "dns-fail": AGAIN_UNREACHABLE,
    "tls-bad": UNREACHABLE,
    "reset-after-headers": AGAIN_FAILED,
    "accept-and-hang": AGAIN_UNREACHABLE,
    "status-400": REFUSED,
    "status-400-too-long": TOO_LONG,
    "status-401": REFUSED,
    "status-403": REFUSED,
    "status-404": REFUSED,
    "status-408": AGAIN_FAILED,
    "status-413": TOO_LONG,
    "status-422": REFUSED,
    "status-429": AGAIN_REFUSED,
    "status-429-quota": REFUSED,
    "status-429-retry-1": AGAIN_REFUSED,
    "status-429-retry-3600": AGAIN_REFUSED,
    "status-429-retry-date": AGAIN_REFUSED,
    "status-429-retry-negative": AGAIN_REFUSED,
    "status-500": AGAIN_FAILED,
    "status-502-html": AGAIN_FAILED,
    "status-503": AGAIN_FAILED,
    "status-529": AGAIN_FAILED,
    "body-empty": AGAIN_FAILED,
    "body-truncated": AGAIN_FAILED,
    "body-html": AGAIN_FAILED,
    "body-50-mb": FAILED,
    "body-wrong-charset": AGAIN_FAILED,
    "body-gzip-bomb": FAILED,
    "content-empty": "empty",
    "refusal": "refused",
    "finish-length": "length",
    "content-filter": "blocked",
    "usage-missing": "stop",
    "usage-negative": "stop",
    "unknown-fields": "stop",
    "tool-call": "tool",
    "stream-cut": AGAIN_FAILED,
    "stream-no-finish": "incomplete",
    "stream-pings": AGAIN_UNREACHABLE,
    "stream-drip": AGAIN_UNREACHABLE,
    "stream-duplicate": "stop",  # no format numbers its pieces, so that nobody can tell
    "stream-out-of-order": AGAIN_FAILED,
    "stream-error-event": AGAIN_FAILED,
    "stream-split-utf8": "stop",
    "stream-done-twice": "stop",
    "stream-10-mb-event": FAILED,
    # What the model says is for its reader to judge; the adapter hands it on.
    "json-invalid": "stop",
    "json-in-prose": "stop",
    "json-in-fences": "stop",
    "json-nan": "stop",
    "json-huge-number": "stop",
    "score-in-words": "stop",
    "wrong-keys": "stop",
    "extra-ids": "stop",
    "empty-list": "stop",
    "unknown-citations": "stop",
}
# Where a wire format, or a stream, cannot tell one thing from another.
OTHERWISE: dict[tuple[str, Wire, bool], str] = {
    **{("refusal", "gemini", stream): "blocked" for stream in (True, False)},
    **{("content-filter", "anthropic", stream): "refused" for stream in (True, False)},
    **{("body-empty", wire, True): "incomplete" for wire in ADAPTERS},
    **{("body-truncated", wire, True): "incomplete" for wire in ADAPTERS},
    ("body-empty", "gemini", False): "incomplete",
    ("stream-error-event", "gemini", False): "incomplete",
}
# These end with a limit of time, which is set short for them.
SLOW = {"accept-and-hang", "stream-pings", "stream-drip"}
# The reply says what the honest one would.
UNHARMED = {"usage-missing", "usage-negative", "unknown-fields", "stream-split-utf8", "stream-done-twice"}
LARGE = {"body-50-mb", "body-gzip-bomb", "stream-10-mb-event"}


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]
    score: float
    ids: list[str]


@pytest.fixture(scope="module")
def running() -> Iterator[LocalProvider]:
    with LocalProvider() as provider:
        yield provider


@pytest.fixture
def provider(running: LocalProvider) -> Iterator[LocalProvider]:
    running.forget()
    yield running
    running.behave()


def cases() -> Iterator[Any]:
    for fault in FAULTS.values():
        for wire in sorted(fault.wires):
            for mode in ("prose", "json", "stream"):
                asked = Asked(wire, "fake", (), {} if mode == "json" else None, mode == "stream")
                if fault.fits(asked):
                    yield pytest.param(fault.id, wire, mode, id=f"{fault.id}-{wire}-{mode}")


@asynccontextmanager
async def model(provider: LocalProvider, wire: Wire, fault: str | None = None) -> AsyncIterator[Any]:
    in_address = fault is not None and FAULTS[fault].place == "address"
    seconds = 0.3 if fault in SLOW else 20.0
    adapter = ADAPTERS[wire](
        "fake",
        api_key="sk-0123456789abcdef",
        base_url=provider.address(wire, fault if in_address else None),
        seconds=seconds,
        idle_seconds=seconds / 2,
    )
    try:
        yield adapter
    finally:
        await adapter.aclose()


async def outcome(adapter: Any, mode: Mode) -> tuple[str, ModelReply | None]:
    request = ModelRequest("judge", (PromptMessage("user", PROMPT),), Verdict if mode == "json" else None)
    # Far beyond every limit of the adapter: a test that gets here has hung.
    async with asyncio.timeout(120):
        try:
            reply = await (streamed(adapter, request) if mode == "stream" else adapter.complete(request))
        except ProviderError as error:
            return told(error), None
    return reply.finish, reply


def told(error: ProviderError) -> str:
    assert error.hint
    assert "sk-0123456789abcdef" not in str(error)
    return f"{type(error).__name__}{' again' if error.retryable else ''}"


async def streamed(adapter: Any, request: ModelRequest) -> ModelReply:
    parts = [part async for part in adapter.stream(request)]
    *pieces, reply = parts
    assert "".join(pieces) == reply.text
    return reply


def test_every_fault_has_its_outcome() -> None:
    assert set(OUTCOMES) == set(FAULTS)
    assert len(FAULTS) >= 52


@pytest.mark.parametrize(("fault", "wire", "mode"), list(cases()))
async def test_a_fault_ends_as_it_should(provider: LocalProvider, fault: str, wire: Wire, mode: Mode) -> None:
    if FAULTS[fault].place != "address":
        provider.misbehave(fault)
    async with model(provider, wire, fault) as adapter:
        ended, reply = await outcome(adapter, mode)
    assert ended == OTHERWISE.get((fault, wire, mode == "stream"), OUTCOMES[fault])
    # Trying again is for those who know the deadline. A short limit may pass before the request is there.
    once = int(FAULTS[fault].place == "reply")
    assert len(provider.requests) in ({0, once} if fault in SLOW else {once})
    if reply is not None:
        assert_honest(reply, fault, mode)
    await closed(provider)


def assert_honest(reply: ModelReply, fault: str, mode: Mode) -> None:
    assert reply.usage.calls == 1
    if fault in {"usage-missing", "usage-negative"}:
        assert reply.usage.total_tokens is None
        assert reply.usage.prompt_tokens is None
    if fault in UNHARMED and mode != "json":
        assert reply.text == ANSWER


@pytest.mark.parametrize("wire", list(ADAPTERS))
async def test_after_a_thousand_faults_all_is_well(provider: LocalProvider, wire: Wire) -> None:
    """A third of them for each wire format, then a hundred good calls with the same client; none is left open."""
    usable = [
        each.id
        for each in FAULTS.values()
        if each.place == "reply" and wire in each.wires and each.id not in SLOW | LARGE and each.group != "content"
    ]
    async with model(provider, wire) as adapter:
        for fault in islice(cycle(usable), 34):
            provider.misbehave(fault)
            await asyncio.gather(*(outcome(adapter, "stream" if n % 2 else "prose") for n in range(10)))
        assert len(provider.requests) == 340
        provider.behave()
        for _ in range(10):
            good = await asyncio.gather(*(outcome(adapter, "stream" if n % 2 else "prose") for n in range(10)))
            assert [ended for ended, _ in good] == ["stop"] * 10
        assert {reply.text for _, reply in good if reply} == {ANSWER}
    await closed(provider)


async def closed(provider: LocalProvider) -> None:
    for _ in range(1_000):
        if provider.connections.now == 0:
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"{provider.connections} are left open")
