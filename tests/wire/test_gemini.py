"""Gemini's wire format."""

import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Literal

import aiohttp
import pytest
from google.genai import errors
from pydantic import BaseModel

from assay.errors import ProviderError, ProviderFailed, ProviderRefused
from assay.models.gemini import FAILURES, GeminiModel, provider_error
from assay.models.provider import Service
from assay.types import ModelReply, ModelRequest, PromptMessage

KEY = "AIza0123456789abcdef"
SERVICE = Service("gemini", "m", "http://h", KEY, "GEMINI_API_KEY", "GEMINI_BASE_URL")
ASK = ModelRequest(
    "writer",
    (PromptMessage("system", "Be brief."), PromptMessage("user", "How tall?"), PromptMessage("assistant", "What?")),
    max_tokens=50,
)


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]


def said(*parts: Any, finish: Any = None, index: int = 0, **more: Any) -> dict[str, Any]:
    texts = [part if isinstance(part, dict) else {"text": part} for part in parts]
    candidate = {"index": index, "content": {"role": "model", "parts": texts}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], "modelVersion": "m-1", **more}


@pytest.fixture
async def model(told: Any) -> AsyncIterator[GeminiModel]:
    opened = GeminiModel("m", api_key=KEY, base_url=told.host)
    yield opened
    await opened.aclose()


async def streamed(model: GeminiModel, request: ModelRequest = ASK) -> ModelReply:
    parts = [part async for part in model.stream(request)]
    assert isinstance(parts[-1], ModelReply)
    return parts[-1]


async def test_what_is_sent(told: Any, model: GeminiModel):
    told.json(said("Yes.", finish="STOP"))
    await model.complete(ModelRequest("judge", ASK.messages, schema=Verdict, max_tokens=50, temperature=0.7))
    assert told.paths == ["/v1beta/models/m:generateContent"]
    (asked,) = told.asked
    assert asked["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert [(each["role"], each["parts"]) for each in asked["contents"]] == [
        ("user", [{"text": "How tall?"}]),
        ("model", [{"text": "What?"}]),
    ]
    config = asked["generationConfig"]
    assert (config["maxOutputTokens"], config["temperature"]) == (50, 0.7)
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == Verdict.model_json_schema()
    assert told.headers[0]["x-goog-api-key"] == KEY
    assert told.headers[0]["accept-encoding"] == "identity"


@pytest.mark.filterwarnings("ignore:.* is not a valid FinishReason")
@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("SAFETY", "blocked"),
        ("RECITATION", "blocked"),
        ("BLOCKLIST", "blocked"),
        ("PROHIBITED_CONTENT", "blocked"),
        ("SPII", "blocked"),
        ("MALFORMED_FUNCTION_CALL", "tool"),
        ("OTHER", "other"),
        ("FINISH_REASON_UNSPECIFIED", "other"),
        ("NEVER_HEARD_OF", "other"),
        (None, "incomplete"),
    ],
)
async def test_only_a_known_ending_is_one(told: Any, model: GeminiModel, reason: str | None, finish: str):
    reply = said("Yes.", finish=reason)
    # What would make the package ask again by itself.
    reply["candidates"][0]["continuationToken"] = "YWJj"
    told.json(reply)
    assert (await model.complete(ASK)).finish == finish
    told.answers.clear()
    told.events(said("Yes."), reply | {"candidates": [{**reply["candidates"][0], "content": {}}]})
    assert (await streamed(model)).finish == finish
    assert len(told.asked) == 2


async def test_a_blocked_prompt_is_blocked(told: Any, model: GeminiModel):
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}}
    told.json(blocked)
    reply = await model.complete(ASK)
    assert (reply.finish, reply.text, reply.usage.prompt_tokens) == ("blocked", "", 9)
    told.answers.clear()
    told.events(blocked)
    assert (await streamed(model)).finish == "blocked"


async def test_thoughts_are_no_text_and_count_as_written(told: Any, model: GeminiModel):
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 5, "totalTokenCount": 16}
    thought = {"text": "Hm.", "thought": True}
    told.json(said(thought, "Yes.", finish="STOP", usageMetadata=usage | {"cachedContentTokenCount": 4}))
    reply = await model.complete(ASK)
    assert (reply.text, reply.usage.completion_tokens, reply.usage.total_tokens) == ("Yes.", 7, 16)
    assert reply.usage.cached_tokens == 4
    told.answers.clear()
    told.events(said(thought), said("Yes.", finish="STOP", usageMetadata=usage))
    reply = await streamed(model)
    assert (reply.text, reply.usage.completion_tokens, reply.usage.cached_tokens) == ("Yes.", 7, None)


@pytest.mark.parametrize("usage", [{}, {"promptTokenCount": -1, "candidatesTokenCount": -5}])
async def test_counts_that_cannot_be_are_unknown(told: Any, model: GeminiModel, usage: Any):
    told.json(said("Yes.", finish="STOP", usageMetadata=usage))
    counted = (await model.complete(ASK)).usage
    assert (counted.prompt_tokens, counted.completion_tokens, counted.total_tokens) == (None, None, None)


async def test_a_function_call_is_a_tool_whatever_the_ending(told: Any, model: GeminiModel):
    told.json(said({"functionCall": {"name": "f", "args": {}}}, finish="STOP"))
    assert (await model.complete(ASK)).finish == "tool"


async def test_other_candidates_are_never_mixed_in(told: Any, model: GeminiModel):
    told.events(said("Yes."), said("No.", index=1), said(finish="STOP"))
    with pytest.raises(ProviderFailed):
        await streamed(model)


async def test_comments_and_lines_of_any_ending_are_read(told: Any, model: GeminiModel):
    event = b'data: {"candidates":[{"content":{"parts":[{"text":"Yes."}]},\r\ndata: "finishReason":"STOP"}]}'
    told.text(b": ping\r\n\r\nid: 7\r\n" + event + b"\r\n\r\n: bye\r\n\r\n", kind="text/event-stream")
    reply = await streamed(model)
    assert (reply.text, reply.finish) == ("Yes.", "stop")


@pytest.mark.parametrize("body", [b'{"candidates": 5}', b'{"candidates": [{"content": "x"}]}', b"[" * 100_000])
async def test_what_is_no_reply_fails(told: Any, model: GeminiModel, body: bytes):
    told.text(body, kind="application/json")
    with pytest.raises(ProviderFailed):
        await model.complete(ASK)


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b'{"candidates": []}'])
async def test_an_answer_that_says_nothing_is_incomplete(told: Any, model: GeminiModel, body: bytes):
    told.text(body, kind="application/json")
    assert (await model.complete(ASK)).finish == "incomplete"


async def test_a_delay_in_the_details_is_how_long_to_wait(told: Any, model: GeminiModel):
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}
    quota = "You exceeded your current quota, please check your plan and billing details."
    told.json({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": quota, "details": [info]}}, 429)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(ASK)
    assert (caught.value.retryable, caught.value.retry_after) == (True, 12.5)


async def test_a_wrong_key_names_its_variable_and_is_not_said(told: Any, model: GeminiModel):
    message = f"API key not valid: {KEY}. Please pass a valid API key."
    told.json({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": message}}, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(ASK)
    assert "GEMINI_API_KEY" in caught.value.hint
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "ours", "retryable"),
    [(503, ProviderFailed, True), (429, ProviderRefused, True), (400, ProviderRefused, False)],
)
async def test_errors_inside_a_stream(
    told: Any, model: GeminiModel, code: int, ours: type[ProviderError], retryable: bool
):
    told.events(said("Yes."), {"error": {"code": code, "message": "no", "status": "S"}})
    with pytest.raises(ProviderError) as caught:
        await streamed(model)
    assert (type(caught.value), caught.value.retryable) == (ours, retryable)
    assert len(told.asked) == 1


# --- errors --------------------------------------------------------------------------------------


def exceptions(base: type[BaseException] = BaseException) -> set[type[BaseException]]:
    """Every exception class that the package has defined for what is used here."""
    found = {each for each in base.__subclasses__() if each.__module__.startswith("google.genai")}
    return found.union(*(exceptions(each) for each in base.__subclasses__() if each is not type))


def test_every_exception_of_the_package_is_mapped():
    # The interactions API, which is not used here, has a tree of its own.
    kinds = {kind for kind in exceptions() if "_gaos" not in kind.__module__ and not issubclass(kind, Warning)}
    assert {errors.ClientError, errors.ServerError, errors.UnknownApiResponseError} <= kinds
    for kind in kinds:
        assert issubclass(kind, FAILURES), kind
        made = kind(500, {"error": {"message": "m"}}) if issubclass(kind, errors.APIError) else kind("m")
        error = provider_error(made, SERVICE)
        assert isinstance(error, ProviderError), kind
        assert error.hint


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (errors.ClientError(404, {"error": {"message": "m"}}), False),
        (errors.ServerError(503, {"error": {"message": "m"}}), True),
        (errors.APIError(0, {}), True),
        (errors.APIError(302, {}), False),
        (AttributeError("x"), True),
        (RecursionError("x"), True),
        (aiohttp.ServerDisconnectedError(), True),
        (ssl.SSLError("x"), False),
    ],
)
def test_what_each_becomes(error: Exception, retryable: bool):
    assert provider_error(error, SERVICE).retryable == retryable


@pytest.mark.parametrize(
    ("name", "effort", "sent"),
    [
        ("gemini-3-flash", "low", {"thinking_level": "LOW"}),
        ("gemini-3-flash", "high", {"thinking_level": "HIGH"}),
        ("gemini-2.5-flash", "low", {"thinking_budget": 1024}),
        ("models/gemini-2.5-pro", "high", {"thinking_budget": 24576}),
        ("gemini-3-flash", None, None),
    ],
)
async def test_effort_and_room_to_think_are_sent_as_the_model_is_told_them(
    told: Any, name: str, effort: Any, sent: Any
):
    told.json(said("Yes.", finish="STOP"))
    model = GeminiModel(name, api_key=KEY, base_url=told.host)
    await model.complete(replace(ASK, effort=effort, thinking_tokens=8192))
    await model.aclose()
    config = told.asked[0]["generationConfig"]
    assert config.get("thinkingConfig") == sent
    assert config["maxOutputTokens"] == 50 + 8192


async def test_an_effort_that_the_model_does_not_know_is_an_error(told: Any, model: GeminiModel):
    message = "Thinking level is not supported for this model."
    told.json({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(replace(ASK, effort="medium"))
    assert "leave --reasoning-effort out" in caught.value.hint


@pytest.mark.parametrize(("parts", "finish"), [((), "thinking"), (("The tow",), "length")])
async def test_a_limit_used_up_before_the_first_word_was_thinking(
    told: Any, model: GeminiModel, parts: Any, finish: str
):
    told.json(said(*parts, finish="MAX_TOKENS"))
    assert (await model.complete(ASK)).finish == finish
