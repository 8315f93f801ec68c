"""OpenAI's wire format and its servers' peculiarities."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Literal

import httpx2
import openai
import pytest
from pydantic import BaseModel

from assay.errors import PromptTooLong, ProviderError, ProviderFailed, ProviderRefused, ProviderUnreachable
from assay.models.openai import FAILURES, OpenAiModel, provider_error
from assay.models.provider import Service
from assay.types import ModelReply, ModelRequest, PromptMessage

KEY = "sk-proj-0123456789abcdef"
SERVICE = Service("openai", "m", "http://h/v1", KEY, "OPENAI_API_KEY", "OPENAI_BASE_URL")
ASK = ModelRequest("writer", (PromptMessage("user", "How tall is it?"),))


class Verdict(BaseModel):
    verdict: Literal["yes", "no"]
    reason: str = "none"


class Free(BaseModel):
    by_id: dict[str, int]


def whole(content: Any = "Yes.", finish: Any = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": finish}], **more}


def part(content: Any = None, finish: Any = None, index: int = 0, **more: Any) -> dict[str, Any]:
    delta = {} if content is None else {"content": content}
    return {"model": "m-1", "choices": [{"index": index, "delta": delta | more, "finish_reason": finish}]}


@pytest.fixture
async def model(told: Any) -> AsyncIterator[OpenAiModel]:
    opened = OpenAiModel("m", api_key=KEY, base_url=f"{told.host}/v1")
    yield opened
    await opened.aclose()


async def streamed(model: OpenAiModel, request: ModelRequest = ASK) -> ModelReply:
    parts = [part async for part in model.stream(request)]
    assert isinstance(parts[-1], ModelReply)
    return parts[-1]


# --- the request ---------------------------------------------------------------------------------


async def test_what_is_sent(told: Any, model: OpenAiModel):
    told.json(whole())
    await model.complete(ASK)
    assert told.paths == ["/v1/chat/completions"]
    assert told.asked == [
        {
            "model": "m",
            "messages": [{"role": "user", "content": "How tall is it?"}],
            "max_tokens": 1024,
            "temperature": 0.1,
        }
    ]
    assert told.headers[0]["authorization"] == f"Bearer {KEY}"
    assert told.headers[0]["accept-encoding"] == "identity"


async def test_a_stream_asks_for_its_usage(told: Any, model: OpenAiModel):
    told.events(part("Yes."), part(finish="stop"), b"data: [DONE]")
    await streamed(model)
    assert (told.asked[0]["stream"], told.asked[0]["stream_options"]) == (True, {"include_usage": True})


async def test_a_schema_is_strict_where_it_can_be(told: Any, model: OpenAiModel):
    told.json(whole())
    await model.complete(ModelRequest("judge", ASK.messages, schema=Verdict))
    await model.complete(ModelRequest("judge", ASK.messages, schema=Free))
    strict, free = (asked["response_format"]["json_schema"] for asked in told.asked)
    assert told.asked[0]["response_format"]["type"] == "json_schema"
    assert (strict["name"], strict["strict"]) == ("Verdict", True)
    assert strict["schema"] == {
        "type": "object",
        "properties": {"verdict": {"enum": ["yes", "no"], "type": "string"}, "reason": {"type": "string"}},
        "required": ["verdict", "reason"],
        "additionalProperties": False,
    }
    assert (free["strict"], free["schema"]) == (False, Free.model_json_schema())


class Sized(BaseModel):
    numbers: list[int]


SIZED = replace(ASK, schema=Sized, list_sizes={"numbers": (2, 2)})


def sizes(asked: dict[str, Any]) -> tuple[int | None, int | None]:
    numbers = asked["response_format"]["json_schema"]["schema"]["properties"]["numbers"]
    return numbers.get("minItems"), numbers.get("maxItems")


async def test_lists_have_the_sizes_of_the_call_where_the_service_knows_them(told: Any, model: OpenAiModel):
    told.json(whole())
    told.json({"error": {"message": "Invalid schema: 'minItems' is not permitted."}}, 400)
    told.json(whole())
    told.json(whole())
    await model.complete(replace(SIZED, list_sizes={"numbers": (0, 3)}))
    await model.complete(SIZED)
    await model.complete(SIZED)
    assert [sizes(asked) for asked in told.asked] == [(0, 3), (2, 2), (None, None), (None, None)]


def test_openai_itself_is_sent_one_schema_for_all_calls():
    assert OpenAiModel("m", api_key="k")._dialect.list_sizes is False


def unsupported(name: str, instead: str = "", *, param: bool = True) -> dict[str, Any]:
    message = f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
    return {
        "error": {"message": message, "code": "unsupported_parameter" if param else None}
        | ({"param": name} if param else {})
    }


@pytest.mark.parametrize("param", [True, False])
async def test_a_parameter_that_the_service_does_not_know_is_given_up_for_good(
    told: Any, model: OpenAiModel, param: bool
):
    told.json(unsupported("max_tokens", " Use 'max_completion_tokens' instead.", param=param), 400)
    told.json(unsupported("temperature", param=param), 400)
    told.json(whole())
    assert (await model.complete(ASK)).finish == "stop"
    assert (await model.complete(ASK)).finish == "stop"
    assert len(told.asked) == 4
    for asked in told.asked[2:]:
        assert asked.keys() == {"model", "messages", "max_completion_tokens"}


async def test_stream_options_are_given_up_too(told: Any, model: OpenAiModel):
    told.json({"detail": [{"type": "extra_forbidden", "loc": ["stream_options"], "msg": "extra inputs"}]}, 422)
    told.events(part("Yes."), part(finish="stop"), b"data: [DONE]")
    reply = await streamed(model)
    assert (reply.finish, reply.usage.prompt_tokens) == ("stop", None)
    assert [asked.get("stream_options") for asked in told.asked] == [{"include_usage": True}, None]


async def test_giving_up_ends(told: Any, model: OpenAiModel):
    told.json(unsupported("max_tokens"), 400)
    told.json(unsupported("max_completion_tokens"), 400)
    with pytest.raises(ProviderRefused):
        await model.complete(ASK)
    assert len(told.asked) == 2


async def test_a_parameter_with_a_wrong_value_is_not_given_up(told: Any, model: OpenAiModel):
    told.json({"error": {"message": "max_tokens is too large: 1024", "param": "max_tokens"}}, 400)
    with pytest.raises(ProviderRefused):
        await model.complete(ASK)
    assert len(told.asked) == 1


async def test_a_server_without_json_mode_is_named(told: Any, model: OpenAiModel):
    told.json({"error": {"message": "response_format of type json_schema is not supported"}}, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(ModelRequest("judge", ASK.messages, schema=Verdict))
    assert "no JSON mode" in caught.value.hint


async def test_effort_and_room_to_think_are_sent_in_the_services_words(told: Any, model: OpenAiModel):
    told.json(whole())
    await model.complete(replace(ASK, effort="high", thinking_tokens=8192))
    assert (told.asked[0]["reasoning_effort"], told.asked[0]["max_tokens"]) == ("high", 1024 + 8192)


async def test_an_effort_that_the_model_does_not_know_is_an_error_and_never_left_out(told: Any, model: OpenAiModel):
    message = "Unsupported parameter: 'reasoning_effort' is not supported with this model."
    told.json({"error": {"message": message, "code": "unsupported_parameter", "param": "reasoning_effort"}}, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(replace(ASK, effort="low"))
    assert "leave --reasoning-effort out" in caught.value.hint
    assert len(told.asked) == 1


UNCHANGEABLE = {"error": {"message": "'temperature' does not support 0.5", "code": "unsupported_value",
                          "param": "temperature"}}  # fmt: skip


async def test_a_temperature_that_the_user_set_is_not_given_up(told: Any, model: OpenAiModel):
    told.json(UNCHANGEABLE, 400)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(replace(ASK, temperature=0.5, temperature_set=True))
    assert "leave --writer-temperature and --judge-temperature out" in caught.value.hint
    assert len(told.asked) == 1


async def test_after_a_temperature_was_given_up_one_that_is_set_is_still_sent(told: Any, model: OpenAiModel):
    told.json(UNCHANGEABLE, 400)
    told.json(whole())
    told.json(UNCHANGEABLE, 400)
    await model.complete(ASK)
    with pytest.raises(ProviderRefused):
        await model.complete(replace(ASK, temperature=0.5, temperature_set=True))
    assert ["temperature" in each for each in told.asked] == [True, False, True]


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 9216. This model supports at most 4096 completion tokens",
        "This model's maximum context length is 8192 tokens. However, you requested 9300 tokens",
    ],
)
async def test_where_the_room_to_think_is_too_much_the_request_is_sent_without_it(
    told: Any, model: OpenAiModel, message: str
):
    told.json({"error": {"message": message}}, 400)
    told.json(whole())
    assert (await model.complete(replace(ASK, thinking_tokens=8192))).text == "Yes."
    await model.complete(replace(ASK, thinking_tokens=100))
    assert [each["max_tokens"] for each in told.asked] == [9216, 1024, 1124]


async def test_a_prompt_that_is_too_long_without_any_room_is_told(told: Any, model: OpenAiModel):
    told.json({"error": {"message": "This model's maximum context length is 8192 tokens"}}, 400)
    with pytest.raises(PromptTooLong):
        await model.complete(replace(ASK, thinking_tokens=8192))
    assert [each["max_tokens"] for each in told.asked] == [9216, 1024]


@pytest.mark.parametrize(("text", "finish"), [("", "thinking"), ("Ye", "length")])
async def test_a_limit_used_up_before_the_first_word_was_thinking(
    told: Any, model: OpenAiModel, text: str, finish: str
):
    told.json(whole(text, "length"))
    assert (await model.complete(ASK)).finish == finish


# --- the reply -----------------------------------------------------------------------------------

ENDINGS = [
    ("stop", "stop"),
    ("length", "length"),
    ("content_filter", "blocked"),
    ("tool_calls", "tool"),
    ("function_call", "tool"),
    (None, "incomplete"),
    ("", "incomplete"),
    ("eos", "other"),
    ("STOP", "other"),
]


@pytest.mark.parametrize(("reason", "finish"), ENDINGS)
async def test_only_a_known_ending_is_one(told: Any, model: OpenAiModel, reason: str | None, finish: str):
    told.json(whole("Yes.", reason))
    assert (await model.complete(ASK)).finish == finish
    told.answers.clear()
    told.events(part("Yes."), part(finish=reason), b"data: [DONE]")
    assert (await streamed(model)).finish == finish


async def test_a_refusal_is_no_text(told: Any, model: OpenAiModel):
    reply = whole(None)
    reply["choices"][0]["message"]["refusal"] = "I will not."
    told.json(reply)
    assert (await model.complete(ASK)).finish == "refused"
    told.answers.clear()
    told.events(part(refusal="I will"), part(refusal=" not."), part(finish="stop"), b"data: [DONE]")
    refusal = await streamed(model)
    assert (refusal.finish, refusal.text) == ("refused", "")


async def test_of_two_endings_the_bad_one_holds(told: Any, model: OpenAiModel):
    told.events(part("Yes."), part(finish="length"), part(finish="stop"), b"data: [DONE]")
    assert (await streamed(model)).finish == "length"
    told.answers.clear()
    told.events(part("Yes."), part(finish="stop"), part(finish="length"), b"data: [DONE]")
    assert (await streamed(model)).finish == "length"


async def test_text_after_the_end_is_nonsense(told: Any, model: OpenAiModel):
    told.events(part("Yes.", "stop"), part(" And no."), b"data: [DONE]")
    with pytest.raises(ProviderFailed):
        await streamed(model)


@pytest.mark.parametrize("index", [1, -1, 7])
async def test_other_choices_are_never_mixed_in(told: Any, model: OpenAiModel, index: int):
    told.events(part("Yes."), part(" No.", index=index), part(finish="stop"), b"data: [DONE]")
    with pytest.raises(ProviderFailed):
        await streamed(model)


async def test_two_choices_are_nonsense(told: Any, model: OpenAiModel):
    reply = whole()
    reply["choices"] *= 2
    told.json(reply)
    with pytest.raises(ProviderFailed):
        await model.complete(ASK)


async def test_usage_comes_in_an_event_of_its_own(told: Any, model: OpenAiModel):
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    told.events(part("Yes."), part(finish="stop"), {"choices": [], "usage": usage}, b"data: [DONE]")
    counted = (await streamed(model)).usage
    assert (counted.prompt_tokens, counted.completion_tokens) == (9, 2)
    assert (counted.total_tokens, counted.cached_tokens) == (11, 4)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": -1, "total_tokens": 0},
        {"prompt_tokens": "9", "completion_tokens": 1.5, "total_tokens": True},
        {"prompt_tokens": 10**12, "completion_tokens": None, "prompt_tokens_details": None},
        {"prompt_tokens_details": {"cached_tokens": 3}},
    ],
)
async def test_counts_that_cannot_be_are_unknown(told: Any, model: OpenAiModel, usage: Any):
    told.json(whole(usage=usage))
    counted = (await model.complete(ASK)).usage
    assert (counted.prompt_tokens, counted.completion_tokens) == (None, None)
    assert (counted.total_tokens, counted.cached_tokens) == (None, None)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": "many"}',
        b'{"choices": [{"message": {"content": 5}, "finish_reason": "stop"}]}',
        b'{"choices": [{"message": {"content": "\\ud800"}, "finish_reason": "stop"}]}',
        b'{"choices": [{"message": {"content": "\xff"}, "finish_reason": "stop"}]}',
        b"[" * 100_000,
    ],
)
async def test_what_is_no_reply_fails(told: Any, model: OpenAiModel, body: bytes):
    told.text(body, kind="application/json")
    with pytest.raises(ProviderFailed) as caught:
        await model.complete(ASK)
    assert "OPENAI_BASE_URL" in caught.value.hint


async def test_a_whole_reply_to_a_stream_is_read(told: Any, model: OpenAiModel):
    told.json(whole("Yes."))
    reply = await streamed(model)
    assert (reply.text, reply.finish) == ("Yes.", "stop")


@pytest.mark.parametrize(
    ("ending", "finish"),
    [(b"data: [DONE]", "incomplete"), (b": bye", "incomplete"), (b'data: {"choi', "incomplete")],
)
async def test_an_end_without_a_finish_reason_is_incomplete(
    told: Any, model: OpenAiModel, ending: bytes, finish: str
):
    told.text(
        b"data: " + json.dumps(part("Yes.")).encode() + b"\r\n\r\n" + ending + b"\n", kind="text/event-stream"
    )
    reply = await streamed(model)
    assert (reply.text, reply.finish) == ("Yes.", finish)


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        ({"message": "overloaded", "type": "server_error"}, ProviderFailed, True),
        ({"message": "slow down", "code": 429}, ProviderRefused, True),
        (
            {"message": "no credit", "type": "insufficient_quota", "code": "insufficient_quota"},
            ProviderRefused,
            False,
        ),
        ({"message": "bad upstream", "code": 502}, ProviderFailed, True),
        ({"message": "bad prompt", "type": "invalid_request_error"}, ProviderRefused, False),
        ("went wrong", ProviderFailed, True),
    ],
)
async def test_errors_with_status_200_are_read(
    told: Any, model: OpenAiModel, error: Any, kind: type[ProviderError], retryable: bool
):
    told.events(part("Yes."), {"error": error})
    with pytest.raises(ProviderError) as caught:
        await streamed(model)
    assert (type(caught.value), caught.value.retryable) == (kind, retryable)
    told.answers.clear()
    told.json({"error": error})
    with pytest.raises(ProviderError) as caught:
        await model.complete(ASK)
    assert (type(caught.value), caught.value.retryable) == (kind, retryable)


async def test_thinking_is_a_sign_of_life_and_no_text(told: Any, model: OpenAiModel):
    told.events(part(reasoning_content="Hm."), part("Yes."), part(finish="stop"), b"data: [DONE]")
    assert (await streamed(model)).text == "Yes."


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "echo", [KEY, "sk-proj-********cdef", KEY[:12], f"({KEY[4:]})", f"key={KEY}&x"], ids=range(5)
)
async def test_the_key_is_in_no_message(told: Any, model: OpenAiModel, echo: str):
    told.json({"error": {"message": f"Incorrect API key provided: {echo} ."}}, 401)
    with pytest.raises(ProviderRefused) as caught:
        await model.complete(ASK)
    error = caught.value
    assert "Incorrect API key provided: " in str(error)
    assert "…" in str(error)
    assert echo not in f"{error} {error.hint} {error!r}"
    # Nor in what a log of the traceback would show.
    assert error.__suppress_context__
    assert "OPENAI_API_KEY" in error.hint
    assert KEY not in repr(model)


def exceptions(base: type[BaseException] = BaseException) -> set[type[BaseException]]:
    """Every exception class that the package has defined."""
    found = {each for each in base.__subclasses__() if each.__module__.split(".")[0] == "openai"}
    return found.union(*(exceptions(each) for each in base.__subclasses__() if each is not type))


def instance(kind: type[BaseException]) -> BaseException:
    request = httpx2.Request("POST", "http://h")
    if issubclass(kind, openai.APIStatusError):
        status = getattr(kind, "status_code", 500)
        response = httpx2.Response(status if isinstance(status, int) else 500, request=request)
        return (
            kind(response=response, body=None)
            if kind is openai.OAuthError
            else kind("m", response=response, body=None)
        )
    if issubclass(kind, openai.APITimeoutError):
        return kind(request)
    if issubclass(kind, openai.APIConnectionError):
        return kind(request=request)
    if issubclass(kind, openai.APIResponseValidationError):
        return kind(httpx2.Response(200, request=request), None)
    if issubclass(kind, openai.APIError):
        return kind("m", request, body=None)
    return kind.__new__(kind, "m")


def test_every_exception_of_the_package_is_mapped():
    # Raised by what is not used here: a coroutine without a stream class, certificates as credentials.
    unused = {"MissingStreamClassError", "_TransientTokenExchangeError"}
    kinds = {kind for kind in exceptions() if kind.__name__ not in unused}
    assert {openai.RateLimitError, openai.APITimeoutError, openai.OAuthError} <= kinds
    for kind in kinds:
        assert issubclass(kind, FAILURES), kind
        error = provider_error(instance(kind), SERVICE)
        assert isinstance(error, ProviderError), kind
        assert error.hint


@pytest.mark.parametrize(
    ("kind", "ours", "retryable"),
    [
        (openai.BadRequestError, ProviderRefused, False),
        (openai.AuthenticationError, ProviderRefused, False),
        (openai.PermissionDeniedError, ProviderRefused, False),
        (openai.NotFoundError, ProviderRefused, False),
        (openai.ConflictError, ProviderFailed, True),
        (openai.UnprocessableEntityError, ProviderRefused, False),
        (openai.RateLimitError, ProviderRefused, True),
        (openai.InternalServerError, ProviderFailed, True),
        (openai.APITimeoutError, ProviderUnreachable, True),
        (openai.APIConnectionError, ProviderUnreachable, True),
        (openai.APIResponseValidationError, ProviderFailed, True),
    ],
)
def test_what_each_becomes(kind: type[Exception], ours: type[ProviderError], retryable: bool):
    error = provider_error(instance(kind), SERVICE)
    assert (type(error), error.retryable) == (ours, retryable)
