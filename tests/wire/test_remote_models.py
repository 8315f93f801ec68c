"""What the three adapters promise alike, against a service on localhost that speaks all three wire formats."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import pytest
from pydantic import BaseModel

from assay.core.stages import LLM
from assay.errors import (
    PromptTooLong,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    UsageError,
)
from assay.models.anthropic import AnthropicModel
from assay.models.gemini import GeminiModel
from assay.models.openai import OpenAiModel
from assay.types import ModelReply, ModelRequest, PromptMessage, Usage
from support.provider import LocalProvider, Reply, Tokens

ADAPTERS: dict[str, Any] = {"openai": OpenAiModel, "gemini": GeminiModel, "anthropic": AnthropicModel}
KEY = "sk-live-0123456789abcdef"
# How often a machine may stall at the one moment that matters before a test fails.
PATIENCE = 5
TEXT = "The tower is 330 m tall, says the café."


class Verdict(BaseModel):
    verdict: str
    score: float = 0.0


ASK = ModelRequest(
    "writer",
    (
        PromptMessage("system", "Be brief."),
        PromptMessage("user", "How tall is it?"),
        PromptMessage("assistant", "Which?"),
        PromptMessage("user", "The tower, with a lone \ud800 in it."),
    ),
    max_tokens=77,
)


def says(text: str = TEXT, **more: Any) -> Any:
    return lambda asked: Reply(text, usage=Tokens(120, 9, 30), **more)


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(says()) as running:
        yield running


@asynccontextmanager
async def connected(wire: str, provider: LocalProvider, **more: Any) -> AsyncIterator[LLM]:
    fault = more.pop("fault", None)
    given = {"api_key": KEY, "base_url": provider.address(wire, fault)} | more  # type: ignore[arg-type]
    model = ADAPTERS[wire]("fake", **given)
    try:
        yield model
    finally:
        await model.aclose()
        await model.aclose()


async def streamed(model: LLM, request: ModelRequest = ASK) -> ModelReply:
    parts = [part async for part in model.stream(request)]
    *pieces, reply = parts
    assert isinstance(reply, ModelReply)
    assert "".join(str(piece) for piece in pieces) == reply.text
    assert all(pieces)
    return reply


async def replied(model: LLM, stream: bool, request: ModelRequest = ASK) -> ModelReply:
    return await streamed(model, request) if stream else await model.complete(request)


async def refused(model: LLM, stream: bool) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await replied(model, stream)
    error = caught.value
    assert KEY not in f"{error} {error.hint}"
    assert error.hint
    return error


async def until(condition: Any) -> None:
    """Wait until it holds; beyond these seconds it never will."""
    async with asyncio.timeout(20.0):
        while not condition():
            await asyncio.sleep(0.01)


wires = pytest.mark.parametrize("wire", list(ADAPTERS))
both = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@wires
@both
async def test_a_reply_has_its_text_ending_usage_and_model(wire: str, stream: bool, provider: LocalProvider):
    async with connected(wire, provider) as model:
        reply = await replied(model, stream)
    assert reply == ModelReply(TEXT, "stop", Usage(120, 9, 129, 30, calls=1, cost=None), "fake")


@wires
@both
async def test_the_prompt_arrives_as_it_was_given(wire: str, stream: bool, provider: LocalProvider):
    async with connected(wire, provider) as model:
        await replied(model, stream)
    (request,) = provider.requests
    asked = request.asked
    assert asked is not None
    assert (asked.model, asked.stream, asked.schema, asked.max_tokens) == ("fake", stream, None, 77)
    assert [(each.role, each.text) for each in asked.messages] == [
        *((each.role, each.text) for each in ASK.messages[:3]),
        ("user", "The tower, with a lone ? in it."),
    ]
    assert KEY in " ".join(request.headers.values())


@wires
@both
async def test_a_schema_is_asked_for_in_the_providers_own_way(wire: str, stream: bool, provider: LocalProvider):
    asking = ModelRequest("judge", ASK.messages, schema=Verdict)
    async with connected(wire, provider) as model:
        reply = await replied(model, stream, asking)
    asked = provider.requests[0].asked
    assert asked is not None
    assert asked.schema is not None
    assert set(asked.schema["properties"]) == {"verdict", "score"}
    # What the reply says is for another to judge.
    assert (reply.text, reply.parsed) == (TEXT, None)


@wires
async def test_names_and_hosts(wire: str):
    model = ADAPTERS[wire]("m-1", base_url="https://models.example.org:8443/v1")
    assert (model.name, model.host) == (f"{wire}:m-1", "models.example.org")


@wires
@pytest.mark.parametrize(
    "wrong",
    [
        {"model": ""},
        {"base_url": "example.org"},
        {"base_url": "http://"},
        {"base_url": "http://h:port/"},
        {"base_url": "ftp://h/"},
        {"api_key": "sk-1\n"},
        {"api_key": "sk-ä"},
        {"api_key": ""},
    ],
)
async def test_what_cannot_be_an_address_a_key_or_a_model_is_refused(wire: str, wrong: dict[str, str]):
    given = {"model": "m", "api_key": None, "base_url": "http://127.0.0.1"} | wrong
    with pytest.raises(UsageError) as caught:
        ADAPTERS[wire](given["model"], api_key=given["api_key"], base_url=given["base_url"])
    assert not given["api_key"] or given["api_key"] not in str(caught.value)


# --- endings -------------------------------------------------------------------------------------


@wires
@both
@pytest.mark.parametrize(
    ("fault", "finish"),
    [
        ("finish-length", "length"),
        ("content-empty", "empty"),
        ("refusal", "refused"),
        ("content-filter", "blocked"),
        ("tool-call", "tool"),
        ("stream-no-finish", "incomplete"),
    ],
)
async def test_every_ending_is_named(wire: str, stream: bool, fault: str, finish: str, provider: LocalProvider):
    provider.misbehave(fault)
    # Gemini blocks where others refuse, Anthropic refuses where others block.
    finish = {("gemini", "refusal"): "blocked", ("anthropic", "content-filter"): "refused"}.get(
        (wire, fault), finish
    )
    async with connected(wire, provider) as model:
        assert (await replied(model, stream)).finish == finish


@wires
@both
@pytest.mark.parametrize("fault", ["usage-missing", "usage-negative"])
async def test_usage_that_is_not_told_is_unknown(wire: str, stream: bool, fault: str, provider: LocalProvider):
    provider.misbehave(fault)
    async with connected(wire, provider) as model:
        usage = (await replied(model, stream)).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (None, None, None)
    assert (usage.calls, usage.cost) == (1, None)


@wires
@both
@pytest.mark.parametrize("fault", ["unknown-fields", "stream-split-utf8", "stream-done-twice"])
async def test_what_is_only_unusual_is_read(wire: str, stream: bool, fault: str, provider: LocalProvider):
    provider.misbehave(fault)
    async with connected(wire, provider) as model:
        assert (await replied(model, stream)).text == TEXT


# --- errors --------------------------------------------------------------------------------------

STATUSES: list[tuple[str, type[ProviderError], bool, str]] = [
    ("status-400", ProviderRefused, False, ""),
    ("status-401", ProviderRefused, False, "_API_KEY"),
    ("status-403", ProviderRefused, False, "_API_KEY"),
    ("status-404", ProviderRefused, False, "no model fake"),
    ("status-408", ProviderFailed, True, ""),
    ("status-413", PromptTooLong, False, "fewer passages"),
    ("status-422", ProviderRefused, False, ""),
    ("status-429", ProviderRefused, True, "wait"),
    ("status-500", ProviderFailed, True, ""),
    ("status-503", ProviderFailed, True, ""),
    ("status-529", ProviderFailed, True, ""),
    ("status-502-html", ProviderFailed, True, ""),
    ("status-400-too-long", PromptTooLong, False, "context window"),
    ("reset-after-headers", ProviderFailed, True, ""),
    ("stream-cut", ProviderFailed, True, ""),
    ("body-html", ProviderFailed, True, "_BASE_URL"),
    ("body-wrong-charset", ProviderFailed, True, ""),
    ("body-50-mb", ProviderFailed, False, ""),
    ("body-gzip-bomb", ProviderFailed, False, ""),
    ("stream-10-mb-event", ProviderFailed, False, ""),
]


@wires
@both
@pytest.mark.parametrize(("fault", "kind", "retryable", "hint"), STATUSES, ids=[each[0] for each in STATUSES])
async def test_faults_are_errors_of_our_tree_after_one_request(
    wire: str, stream: bool, fault: str, kind: type, retryable: bool, hint: str, provider: LocalProvider
):
    provider.misbehave(fault)
    async with connected(wire, provider) as model:
        error = await refused(model, stream)
    assert (type(error), error.retryable) == (kind, retryable)
    assert hint in error.hint
    assert len(provider.requests) == 1


@wires
@both
@pytest.mark.parametrize(
    ("fault", "least", "most"),
    [
        ("status-429", None, None),
        ("status-429-retry-1", 1.0, 1.0),
        ("status-429-retry-3600", 3600.0, 3600.0),
        ("status-429-retry-negative", None, None),
    ],
)
async def test_how_long_to_wait_is_told(
    wire: str, stream: bool, fault: str, least: float | None, most: float | None, provider: LocalProvider
):
    provider.misbehave(fault)
    async with connected(wire, provider) as model:
        error = await refused(model, stream)
    assert error.retryable
    assert (error.retry_after, error.retry_after) == (least, most)


@wires
@both
@pytest.mark.parametrize(
    ("fault", "hint", "retryable"),
    [("refused", "start the service", True), ("dns-fail", "check the host", True), ("tls-bad", "https", False)],
)
async def test_what_is_not_there_is_unreachable(
    wire: str, stream: bool, fault: str, hint: str, retryable: bool, provider: LocalProvider
):
    if fault == "refused":
        provider.misbehave(fault)
    async with connected(wire, provider, fault=None if fault == "refused" else fault) as model:
        error = await refused(model, stream)
    assert (type(error), error.retryable) == (ProviderUnreachable, retryable)
    assert hint in error.hint
    assert f"{wire.upper()}_BASE_URL" in error.hint


@wires
async def test_a_stray_piece_ends_a_stream(wire: str, provider: LocalProvider):
    provider.misbehave("stream-out-of-order")
    async with connected(wire, provider) as model:
        assert isinstance(await refused(model, stream=True), ProviderFailed)


@wires
async def test_an_error_inside_a_stream_ends_it(wire: str, provider: LocalProvider):
    provider.misbehave("stream-error-event")
    async with connected(wire, provider) as model:
        error = await refused(model, stream=True)
    assert (type(error), error.retryable) == (ProviderFailed, True)


# --- time ----------------------------------------------------------------------------------------


@wires
@both
async def test_a_service_that_hangs_is_left(wire: str, stream: bool, provider: LocalProvider):
    provider.misbehave("accept-and-hang")
    async with connected(wire, provider, seconds=0.2) as model:
        for _ in range(PATIENCE):
            error = await refused(model, stream)
            assert (type(error), error.retryable) == (ProviderUnreachable, True)
            if provider.requests:
                break
        await until(lambda: len(provider.disconnects) == len(provider.requests) > 0)


@wires
@both
async def test_signs_of_life_are_no_reply(wire: str, stream: bool, provider: LocalProvider):
    provider.misbehave("stream-pings")
    async with connected(wire, provider, seconds=0.2) as model:
        assert isinstance(await refused(model, stream), ProviderUnreachable)


@wires
async def test_a_stream_that_stops_speaking_is_left(wire: str, provider: LocalProvider):
    provider.misbehave("stream-drip")
    async with connected(wire, provider, seconds=600.0, idle_seconds=0.2) as model:
        error = await refused(model, stream=True)
    assert (type(error), error.retryable) == (ProviderUnreachable, True)
    assert "0.2 s" in str(error)


@wires
async def test_the_first_word_may_take_longer_than_the_next(wire: str):
    with LocalProvider(says(wait=0.3), time_scale=1.0) as provider:
        async with connected(wire, provider, seconds=600.0, idle_seconds=0.1) as model:
            for _ in range(PATIENCE):
                with suppress(ProviderUnreachable):
                    assert (await streamed(model)).finish == "stop"
                    return
    pytest.fail("the first word was waited for no longer than the next")


@wires
@both
async def test_cancelling_reaches_the_service(wire: str, stream: bool, provider: LocalProvider):
    provider.misbehave("accept-and-hang")
    async with connected(wire, provider) as model:
        asking = asyncio.ensure_future(replied(model, stream))
        await until(lambda: len(provider.requests) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await until(lambda: len(provider.disconnects) == 1)
        # The next question is answered all the same.
        provider.behave()
        assert (await replied(model, stream)).text == TEXT


@wires
async def test_leaving_a_stream_early_reaches_the_service(wire: str):
    with LocalProvider(says("word " * 1_000, pace=0.05), time_scale=1.0) as provider:
        async with connected(wire, provider) as model:
            async with aclosing(model.stream(ASK)) as parts:
                assert await anext(parts)
            await until(lambda: len(provider.disconnects) == 1)


# --- connections ---------------------------------------------------------------------------------


@wires
@both
async def test_connections_are_used_again(wire: str, stream: bool, provider: LocalProvider):
    async with connected(wire, provider) as model:
        for _ in range(5):
            await replied(model, stream)
        # The end of a stream is waited for a tenth of a second: where the machine stalls then, another is opened.
        assert provider.connections.opened <= (2 if stream else 1)
    await until(lambda: provider.connections.now == 0)


@wires
async def test_128_calls_run_at_once(wire: str, provider: LocalProvider):
    provider.misbehave("accept-and-hang")
    async with connected(wire, provider) as model:
        asking = [asyncio.ensure_future(model.complete(ASK)) for _ in range(128)]
        await until(lambda: len(provider.requests) == 128)
        assert provider.connections.now == 128
        for each in asking:
            each.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        provider.behave()
        replies = await asyncio.gather(*(model.complete(ASK) for _ in range(128)))
    assert [reply.text for reply in replies] == [TEXT] * 128


@wires
async def test_after_many_faults_good_calls_succeed_and_no_socket_is_left(wire: str, provider: LocalProvider):
    faults = ("stream-cut", "stream-out-of-order", "status-500", "body-truncated", "reset-after-headers")
    async with connected(wire, provider) as model:
        for n in range(30):
            provider.misbehave(faults[n % len(faults)], times=1)
            try:
                await replied(model, stream=n % 2 == 0)
            except ProviderError:
                continue
        provider.behave()
        for _ in range(10):
            assert (await replied(model, stream=True)).text == TEXT
        await until(lambda: provider.connections.now == 1)
    await until(lambda: provider.connections.now == 0)


@wires
def test_each_event_loop_has_connections_of_its_own(wire: str, provider: LocalProvider):
    model = ADAPTERS[wire]("fake", base_url=provider.address(wire))  # type: ignore[arg-type]

    async def once() -> str:
        try:
            return (await model.complete(ASK)).text
        finally:
            await model.aclose()

    assert [asyncio.run(once()) for _ in range(2)] == [TEXT, TEXT]


@wires
async def test_without_a_key_none_is_taken_from_the_environment(
    wire: str, provider: LocalProvider, monkeypatch: pytest.MonkeyPatch
):
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    async with connected(wire, provider, api_key=None) as model:
        await model.complete(ASK)
    assert KEY not in str(provider.requests[0].headers)


@wires
@both
async def test_redirects_are_not_followed(wire: str, stream: bool, told: Any, provider: LocalProvider):
    told.answers.append((307, b"", {"Location": f"{provider.address(wire)}/elsewhere"}))  # type: ignore[arg-type]
    model = ADAPTERS[wire]("fake", api_key=KEY, base_url=told.host)
    error = await refused(model, stream)
    await model.aclose()
    assert (type(error), error.retryable) == (ProviderRefused, False)
    assert f"{wire.upper()}_BASE_URL" in error.hint
    assert provider.requests == ()


@wires
def test_a_missing_package_names_the_command(wire: str):
    package = {"openai": "openai", "gemini": "google.genai", "anthropic": "anthropic"}[wire]
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from assay.errors import MissingExtra\n"
        f"try:\n    import assay.models.{wire}\n"
        "except MissingExtra as error:\n    print(error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f'in the clone of assay: pip install ".[{wire}]"'
