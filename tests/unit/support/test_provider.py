"""The localhost provider, asked by the vendors' own clients."""

import asyncio
import json
import socket
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types as genai_types

from support.provider import Asked, LocalProvider, Reply, Tokens, Wire

# Google's client does to aiohttp what aiohttp warns of.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"enum": ["yes", "no"]}, "score": {"type": "number"}},
    "required": ["verdict", "score"],
    "additionalProperties": False,
}
EVIDENCE = "5fa2c9d1 [1] Tea, page 2\nTea is hot. It is cheap.\n5fa2c9d1 [2] Ice\nIce is cold.\nIs tea hot or cold?"
ANSWER = "Tea is hot [1]. Ice is cold [2]."


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    with LocalProvider() as running:
        yield running


class OpenAIClient:
    def __init__(self, provider: LocalProvider) -> None:
        self.client = openai.AsyncOpenAI(api_key="secret", base_url=provider.url, max_retries=0)

    async def complete(self, prompt: str, schema: dict[str, Any] | None = None) -> tuple[str, Any, Any]:
        form: Any = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        said = await self.client.chat.completions.create(
            model="fake",
            messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}],
            response_format=form if schema else openai.omit,
        )
        assert said.usage is not None
        return said.choices[0].message.content or "", said.choices[0].finish_reason, said.usage.total_tokens

    async def stream(self, prompt: str) -> AsyncIterator[str]:
        async with await self.client.chat.completions.create(
            model="fake", messages=[{"role": "user", "content": prompt}], stream=True
        ) as events:
            async for event in events:
                for choice in event.choices:
                    yield choice.delta.content or ""

    async def models(self) -> list[str]:
        return [each.id async for each in self.client.models.list()]

    async def close(self) -> None:
        await self.client.close()


class GeminiClient:
    def __init__(self, provider: LocalProvider) -> None:
        options = genai_types.HttpOptions(base_url=provider.address("gemini"))
        self.client = genai.Client(api_key="secret", http_options=options)

    async def complete(self, prompt: str, schema: dict[str, Any] | None = None) -> tuple[str, Any, Any]:
        config = genai_types.GenerateContentConfig(
            system_instruction="Be brief.",
            response_mime_type="application/json" if schema else None,
            response_json_schema=schema,
        )
        said = await self.client.aio.models.generate_content(model="fake", contents=prompt, config=config)
        assert said.candidates
        assert said.usage_metadata
        return said.text or "", said.candidates[0].finish_reason, said.usage_metadata.total_token_count

    async def stream(self, prompt: str) -> AsyncIterator[str]:
        async for event in await self.client.aio.models.generate_content_stream(model="fake", contents=prompt):
            yield event.text or ""

    async def models(self) -> list[str]:
        return [str(each.name) async for each in await self.client.aio.models.list()]

    async def close(self) -> None:
        await self.client.aio.aclose()
        self.client.close()


class AnthropicClient:
    def __init__(self, provider: LocalProvider) -> None:
        address = provider.address("anthropic")
        self.client = anthropic.AsyncAnthropic(api_key="secret", base_url=address, max_retries=0)

    async def complete(self, prompt: str, schema: dict[str, Any] | None = None) -> tuple[str, Any, Any]:
        config: Any = {"format": {"type": "json_schema", "schema": schema}}
        said = await self.client.messages.create(
            model="fake",
            max_tokens=100,
            system="Be brief.",
            messages=[{"role": "user", "content": prompt}],
            output_config=config if schema else anthropic.omit,
        )
        text = "".join(block.text for block in said.content if block.type == "text")
        return text, said.stop_reason, said.usage.input_tokens + said.usage.output_tokens

    async def stream(self, prompt: str) -> AsyncIterator[str]:
        async with self.client.messages.stream(
            model="fake", max_tokens=100, messages=[{"role": "user", "content": prompt}]
        ) as events:
            async for piece in events.text_stream:
                yield piece

    async def models(self) -> list[str]:
        return [each.id async for each in self.client.models.list()]

    async def close(self) -> None:
        await self.client.close()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds; a test that waits for long has failed."""
    for _ in range(2_000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("never")


CLIENTS: dict[Wire, Any] = {"openai": OpenAIClient, "gemini": GeminiClient, "anthropic": AnthropicClient}


@pytest.fixture(params=list(CLIENTS))
async def client(provider: LocalProvider, request: pytest.FixtureRequest) -> AsyncIterator[Any]:
    connected = CLIENTS[request.param](provider)
    yield connected
    await connected.close()


async def test_prose_cites_the_numbered_evidence(provider: LocalProvider, client: Any) -> None:
    text, finish, tokens = await client.complete(EVIDENCE)
    assert (text, tokens) == (ANSWER, len(EVIDENCE.split()) + 2 + len(ANSWER.split()))
    assert str(finish).lower().rpartition(".")[2] in {"stop", "end_turn"}
    (request,) = provider.requests
    assert request.asked is not None
    assert [(each.role, each.text) for each in request.asked.messages] == [
        ("system", "Be brief."),
        ("user", EVIDENCE),
    ]
    assert "secret" in str(request.headers)


async def test_json_fits_the_schema(client: Any) -> None:
    text, _, _ = await client.complete("Is it?", SCHEMA)
    assert json.loads(text) == {"verdict": "yes", "score": 0}


async def test_a_stream_comes_in_pieces(client: Any) -> None:
    pieces = [piece async for piece in client.stream(EVIDENCE) if piece]
    assert ("".join(pieces), len(pieces)) == (ANSWER, 8)


async def test_the_models_are_listed(client: Any) -> None:
    assert [name.removeprefix("models/") for name in await client.models()] == ["fake"]


async def test_texts_that_share_words_have_near_vectors(provider: LocalProvider) -> None:
    async with openai.AsyncOpenAI(api_key="secret", base_url=provider.url) as service:
        said = await service.embeddings.create(model="fake", input=["red fox", "red hen", "blue sea"])
    one, near, far = (each.embedding for each in said.data)
    assert sum(map(float.__mul__, one, near)) > sum(map(float.__mul__, one, far))


async def test_a_rule_of_ones_own_sees_what_is_asked() -> None:
    asked: list[Asked] = []

    def rule(request: Asked) -> Reply:
        asked.append(request)
        return Reply("Twelve.", usage=Tokens(5, 6), finish="length")

    with LocalProvider(rule) as provider:
        service = OpenAIClient(provider)
        assert await service.complete("How many?", SCHEMA) == ("Twelve.", "length", 11)
        await service.close()
    assert (asked[0].wire, asked[0].schema, asked[0].stream) == ("openai", SCHEMA, False)


async def test_a_rule_that_raises_fails_the_test() -> None:
    def rule(request: Asked) -> str:
        raise AssertionError("unscripted")

    async def asking() -> None:
        with LocalProvider(rule) as provider:
            service = OpenAIClient(provider)
            with pytest.raises(openai.APIStatusError, match="unscripted"):
                await service.complete("?")
            await service.close()

    with pytest.raises(AssertionError, match="unscripted"):
        await asking()


async def test_delays_are_scaled() -> None:
    with LocalProvider(lambda asked: Reply("a b c", wait=4.0, pace=2.0), time_scale=1 / 100) as provider:
        service = OpenAIClient(provider)
        began = time.monotonic()
        assert "".join([piece async for piece in service.stream("?")]) == "a b c"
        await service.close()
    # Without a scale it would be ten seconds.
    assert 0.1 <= time.monotonic() - began < 10


async def test_connections_are_counted_and_given_back(provider: LocalProvider, client: Any) -> None:
    await asyncio.gather(*(client.complete(EVIDENCE) for _ in range(5)))
    assert 1 <= provider.connections.peak <= 5
    await client.close()
    await until(lambda: provider.connections.now == 0)
    assert provider.disconnects == ()


async def test_a_client_that_leaves_is_noted(provider: LocalProvider) -> None:
    provider.misbehave("accept-and-hang")
    service = OpenAIClient(provider)
    asking = asyncio.create_task(service.complete("?"))
    await until(lambda: bool(provider.requests))
    left = time.monotonic()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await service.close()
    await until(lambda: bool(provider.disconnects))
    assert provider.disconnects[0].request is provider.requests[0]
    assert provider.disconnects[0].at >= left


async def test_a_fault_strikes_where_and_as_often_as_told(provider: LocalProvider) -> None:
    service = OpenAIClient(provider)
    provider.misbehave("status-503", where=lambda asked: "tea" in asked.prompt, times=1)
    assert (await service.complete("Ice?"))[1] == "stop"
    with pytest.raises(openai.InternalServerError, match="overloaded"):
        await service.complete("Hot tea?")
    assert (await service.complete("Hot tea?"))[1] == "stop"
    provider.misbehave("status-401")
    with pytest.raises(openai.AuthenticationError):
        await service.complete("Ice?")
    provider.behave()
    assert (await service.complete("Ice?"))[1] == "stop"
    await service.close()


async def test_a_fault_leaves_requests_alone_that_it_does_not_fit(provider: LocalProvider) -> None:
    provider.misbehave("wrong-keys")
    service = OpenAIClient(provider)
    assert (await service.complete(EVIDENCE))[0] == ANSWER
    assert json.loads((await service.complete("?", SCHEMA))[0]) == {"the_verdict": "yes", "the_score": 0}
    await service.close()


def test_a_fault_of_the_address_is_no_behaviour(provider: LocalProvider) -> None:
    with pytest.raises(ValueError, match="address"):
        provider.misbehave("dns-fail")


@pytest.mark.parametrize(("fault", "reason"), [("dns-fail", "not known"), ("tls-bad", "ALERT")])
def test_the_bad_addresses_are_bad(provider: LocalProvider, fault: str, reason: str) -> None:
    with pytest.raises(urllib.error.URLError, match=rf"(?i){reason}"):
        urllib.request.urlopen(provider.address("openai", fault) + "/models", timeout=60)  # noqa: S310


def test_a_closed_port_refuses_and_opens_again(provider: LocalProvider) -> None:
    with pytest.raises(ValueError, match="count"):
        provider.misbehave("refused", times=1)
    for _ in range(2):
        provider.misbehave("refused")
        assert provider.connections.now == 0
        with pytest.raises(urllib.error.URLError, match="refused"):
            urllib.request.urlopen(provider.url + "/models")  # noqa: S310
        provider.behave()
        with urllib.request.urlopen(provider.url + "/models") as response:  # noqa: S310
            assert response.status == 200


def test_what_it_does_not_serve_is_not_found(provider: LocalProvider) -> None:
    for path in ("/v1/other", "/"):
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            urllib.request.urlopen(provider.address("gemini") + path)  # noqa: S310
        caught.value.close()


def test_a_client_that_sends_nonsense_or_leaves_early_does_no_harm(provider: LocalProvider) -> None:
    port = int(provider.address("gemini").rpartition(":")[2])
    for sent in (b"", b"GET", b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(sent)
    with urllib.request.urlopen(provider.url + "/models") as response:  # noqa: S310
        assert response.status == 200
