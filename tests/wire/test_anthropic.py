"""Anthropic's wire format."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from inspect import signature
from typing import Any, Literal

import anthropic
import httpx2
import pytest
from pydantic import BaseModel, Field

from assay.errors import ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.models.anthropic import CACHED_FROM, FAILURES, AnthropicModel, provider_error
from assay.models.provider import Service
from assay.types import ModelReply, ModelRequest, PromptMessage

KEY = "sk-ant-0123456789abcdef"
SERVICE = Service("anthropic", "m", "http://h", KEY, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
ASK = ModelRequest(
    "writer",
    (PromptMessage("system", "Be brief."), PromptMessage("system", "Cite."), PromptMessage("user", "How tall?")),
    max_tokens=50,
)


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]
    score: float = Field(ge=0, le=1)


def whole(text: str = "Yes.", reason: Any = "end_turn", **more: Any) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}]
    return {"type": "message", "model": "m-1", "content": content, "stop_reason": reason, **more}


def begun(**usage: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"type": "message", "model": "m-1", "content": [], "usage": usage}}


def block(index: int = 0, kind: str = "text") -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, "text": ""}}


def piece(text: str, index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}


def ended(reason: Any = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


STOP = {"type": "message_stop"}


@pytest.fixture
async def model(told: Any) -> AsyncIterator[AnthropicModel]:
    opened = AnthropicModel("m", api_key=KEY, base_url=told.host)
    yield opened
    await opened.aclose()


async def streamed(model: AnthropicModel, request: ModelRequest = ASK) -> ModelReply:
    parts = [part async for part in model.stream(request)]
    assert isinstance(parts[-1], ModelReply)
    return parts[-1]


async def test_what_is_sent(told: Any, model: AnthropicModel):
    told.json(whole())
    await model.complete(ASK)
    assert told.paths == ["/v1/messages"]
    assert told.asked == [
        {
            "model": "m",
            "max_tokens": 50,
            "messages": [{"role": "user", "content": "How tall?"}],
            "system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Cite."}],
        }
    ]
    assert told.headers[0]["authorization"] == f"Bearer {KEY}"
    assert told.headers[0]["accept-encoding"] == "identity"
    assert "anthropic-version" in told.headers[0]


async def test_a_schema_is_closed_and_keeps_its_limits_in_words(told: Any, model: AnthropicModel):
    told.json(whole())
    await model.complete(ModelRequest("judge", ASK.messages, schema=Verdict))
    asked = told.asked[0]["output_config"]["format"]
    assert asked["type"] == "json_schema"
    assert asked["schema"]["additionalProperties"] is False
    assert asked["schema"]["required"] == ["verdict", "score"]
    assert "maximum" not in asked["schema"]["properties"]["score"]
    assert "maximum: 1" in asked["schema"]["properties"]["score"]["description"]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool"),
        ("refusal", "refused"),
        ("pause_turn", "other"),
        ("stop", "other"),
        (None, "incomplete"),
    ],
)
async def test_only_a_known_ending_is_one(told: Any, model: AnthropicModel, reason: str | None, finish: str):
    told.json(whole("Yes.", reason))
    assert (await model.complete(ASK)).finish == finish
    told.answers.clear()
    told.events(begun(), block(), piece("Yes."), ended(reason), STOP)
    assert (await streamed(model)).finish == finish


async def test_thoughts_are_no_text(told: Any, model: AnthropicModel):
    told.json(whole("Yes."))
    assert (await model.complete(ASK)).text == "Yes."
    thought = {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}
    told.answers.clear()
    told.events(begun(), block(0, "thinking"), thought, block(1), piece("Yes.", 1), ended(), STOP)
    assert (await streamed(model)).text == "Yes."


async def test_what_is_cached_counts_as_prompt(told: Any, model: AnthropicModel):
    usage = {"input_tokens": 10, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 5}
    told.json(whole(usage=usage | {"output_tokens": 7}))
    counted = (await model.complete(ASK)).usage
    assert (counted.prompt_tokens, counted.completion_tokens) == (45, 7)
    assert (counted.total_tokens, counted.cached_tokens) == (52, 30)
    told.answers.clear()
    told.events(begun(**usage, output_tokens=1), block(), piece("Yes."), ended(output_tokens=7), STOP)
    assert (await streamed(model)).usage == counted


async def test_signs_of_life_are_passed_over(told: Any, model: AnthropicModel):
    ping = b'event: ping\ndata: {"type": "ping"}'
    told.events(begun(), ping, block(), piece("Yes."), b"event: ping\ndata:", ended(), STOP)
    assert (await streamed(model)).finish == "stop"


async def test_the_count_that_a_stream_begins_with_is_not_the_last(told: Any, model: AnthropicModel):
    told.events(begun(input_tokens=10, output_tokens=1), block(), piece("Yes."))
    reply = await streamed(model)
    assert (reply.finish, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("incomplete", 10, None)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": -1, "output_tokens": "7"}, {"input_tokens": None}])
async def test_counts_that_cannot_be_are_unknown(told: Any, model: AnthropicModel, usage: Any):
    told.json(whole(usage=usage))
    counted = (await model.complete(ASK)).usage
    assert (counted.prompt_tokens, counted.completion_tokens, counted.total_tokens) == (None, None, None)


@pytest.mark.parametrize(
    "events",
    [
        [block(1)],
        [block(), block()],
        [block(), piece("Yes.", 1)],
        [piece("Yes.")],
        [block(), piece("Yes."), block(2)],
        [block(), piece("Yes."), ended(), piece("No.")],
    ],
)
async def test_events_out_of_their_place_fail(told: Any, model: AnthropicModel, events: list[Any]):
    told.events(begun(), *events, ended(), STOP)
    with pytest.raises(ProviderFailed):
        await streamed(model)


@pytest.mark.parametrize(
    ("kind", "ours", "retryable"),
    [
        ("overloaded_error", ProviderFailed, True),
        ("api_error", ProviderFailed, True),
        ("rate_limit_error", ProviderRefused, True),
        ("invalid_request_error", ProviderRefused, False),
        ("authentication_error", ProviderRefused, False),
        ("never_heard_of", ProviderFailed, True),
    ],
)
async def test_errors_inside_a_stream(
    told: Any, model: AnthropicModel, kind: str, ours: type[ProviderError], retryable: bool
):
    told.events(begun(), block(), piece("Yes."), {"type": "error", "error": {"type": kind, "message": "no"}})
    with pytest.raises(ProviderError) as caught:
        await streamed(model)
    assert (type(caught.value), caught.value.retryable) == (ours, retryable)


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"content": 1}', b'{"type": "message", "content": null}'])
async def test_what_is_no_reply_fails(told: Any, model: AnthropicModel, body: bytes):
    told.text(body, kind="application/json")
    with pytest.raises(ProviderFailed):
        await model.complete(ASK)


async def test_a_model_without_structured_outputs_is_named(told: Any, model: AnthropicModel):
    message = "output_config.format: structured outputs are not supported by this model"
    told.json({"type": "error", "error": {"type": "invalid_request_error", "message": message}}, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(ModelRequest("judge", ASK.messages, schema=Verdict))
    assert "no JSON mode" in caught.value.hint


async def test_effort_and_room_to_think_are_sent_in_the_services_words(told: Any, model: AnthropicModel):
    told.json(whole('{"verdict": "yes", "score": 1}'))
    await model.complete(replace(ASK, schema=Verdict, effort="medium", thinking_tokens=8192))
    (asked,) = told.asked
    assert asked["max_tokens"] == 50 + 8192
    assert asked["thinking"] == {"type": "adaptive"}
    assert (asked["output_config"]["effort"], asked["output_config"]["format"]["type"]) == ("medium", "json_schema")


async def test_a_model_from_before_adaptive_thinking_is_told_the_effort_alone(told: Any):
    told.json(whole())
    model = AnthropicModel("claude-opus-4-5-20251101", api_key=KEY, base_url=told.host)
    await model.complete(replace(ASK, effort="low"))
    await model.aclose()
    assert told.asked[0]["output_config"] == {"effort": "low"}
    assert "thinking" not in told.asked[0]


async def test_an_effort_that_the_model_does_not_know_is_an_error(told: Any, model: AnthropicModel):
    message = "This model does not support the effort parameter."
    told.json({"type": "error", "error": {"type": "invalid_request_error", "message": message}}, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(replace(ASK, effort="low"))
    assert "leave --reasoning-effort out" in caught.value.hint


async def test_a_long_system_prompt_is_kept_in_the_cache_and_a_short_one_is_not(told: Any, model: AnthropicModel):
    told.json(whole())
    long = PromptMessage("system", "Cite the source of each sentence. " * (CACHED_FROM * 4 // 34 + 1))
    await model.complete(replace(ASK, messages=(ASK.messages[0], long, *ASK.messages[2:])))
    await model.complete(ASK)
    marked, unmarked = (each["system"] for each in told.asked)
    assert [each.get("cache_control") for each in marked] == [None, {"type": "ephemeral"}]
    assert not any("cache_control" in each for each in unmarked)
    # Evidence is never the same twice: it would be paid for as kept, and never found again.
    assert "cache_control" not in json.dumps([each["messages"] for each in told.asked])


@pytest.mark.parametrize(
    ("text", "reason", "finish"),
    [
        ("", "max_tokens", "thinking"),
        ("The tow", "max_tokens", "length"),
        ("The tow", "model_context_window_exceeded", "length"),
    ],
)
async def test_a_reply_that_was_cut_off_is_known_as_such(
    told: Any, model: AnthropicModel, text: str, reason: str, finish: str
):
    told.json(whole(text, reason))
    assert (await model.complete(ASK)).finish == finish


# --- errors --------------------------------------------------------------------------------------


def exceptions(base: type[BaseException] = BaseException) -> set[type[BaseException]]:
    """Every exception class that the package has defined, but for its tools' and command line's."""
    found = {
        each
        for each in base.__subclasses__()
        if each.__module__.split(".")[0] == "anthropic" and not each.__module__.startswith("anthropic.lib.tools")
    }
    return found.union(*(exceptions(each) for each in base.__subclasses__() if each is not type))


def instance(kind: type[BaseException]) -> BaseException:
    request = httpx2.Request("POST", "http://h")
    if issubclass(kind, anthropic.APIStatusError):
        status = getattr(kind, "status_code", 500)
        response = httpx2.Response(status if isinstance(status, int) else 500, request=request)
        return kind("m", response=response, body=None)
    if issubclass(kind, anthropic.APITimeoutError):
        return kind(request)
    if issubclass(kind, anthropic.APIConnectionError):
        return kind(request=request)
    if issubclass(kind, anthropic.APIResponseValidationError):
        return kind(httpx2.Response(200, request=request), None)
    if issubclass(kind, anthropic.APIError):
        return kind("m", request, body=None)
    _self, *wanted = signature(kind.__init__).parameters.values()
    named = {each.name: "m" for each in wanted if each.kind is each.KEYWORD_ONLY and each.default is each.empty}
    return kind(*("m" for each in wanted if each.kind is each.POSITIONAL_OR_KEYWORD), **named)


def test_every_exception_of_the_package_is_mapped():
    # Raised by what is not used here: a coroutine without a stream class, credentials in files.
    unused = {"MissingStreamClassError", "_NonObjectPayloadError"}
    kinds = {kind for kind in exceptions() if kind.__name__ not in unused}
    assert {anthropic.RateLimitError, anthropic.APITimeoutError, anthropic.OverloadedError} <= kinds
    for kind in kinds:
        assert issubclass(kind, FAILURES), kind
        error = provider_error(instance(kind), SERVICE)
        assert isinstance(error, ProviderError), kind
        assert error.hint


@pytest.mark.parametrize(
    ("kind", "ours", "retryable"),
    [
        (anthropic.BadRequestError, ProviderRefused, False),
        (anthropic.AuthenticationError, ProviderRefused, False),
        (anthropic.PermissionDeniedError, ProviderRefused, False),
        (anthropic.NotFoundError, ProviderRefused, False),
        (anthropic.ConflictError, ProviderFailed, True),
        (anthropic.UnprocessableEntityError, ProviderRefused, False),
        (anthropic.RateLimitError, ProviderRefused, True),
        (anthropic.InternalServerError, ProviderFailed, True),
        (anthropic.OverloadedError, ProviderFailed, True),
        (anthropic.APITimeoutError, ProviderUnreachable, True),
        (anthropic.APIConnectionError, ProviderUnreachable, True),
    ],
)
def test_what_each_becomes(kind: type[Exception], ours: type[ProviderError], retryable: bool):
    error = provider_error(instance(kind), SERVICE)
    assert (type(error), error.retryable) == (ours, retryable)
