"""OpenAI's chat completions, and every server that speaks them: vLLM, Ollama, llama.cpp, OpenRouter and others.

The package sends the request and names what goes wrong. The reply is read here, and of it only what is used.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ValidationError

from assay.errors import MissingExtra, ProviderError
from assay.types import Finish, ModelRequest

try:
    import httpx2
    import openai
    from openai import AsyncOpenAI, DefaultAioHttpClient
except ImportError as error:
    raise MissingExtra(
        f"models of OpenAI and of compatible services need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[openai]"',
    ) from error

from assay.models.provider import (
    ErrorReply,
    Service,
    connection_error,
    error_message,
    retry_after,
    status_error,
    stream_error,
    timeout_error,
    unreadable_reply,
)
from assay.models.structured import strict
from assay.models.wire import (
    CONNECTION,
    CONNECTIONS,
    UNCOMPRESSED,
    Piece,
    ServiceModel,
    drain,
    events,
    finish_reasons,
    is_stream,
    limit_responses,
    sendable,
    tls_context,
    usage,
)

OPENAI_URL = "https://api.openai.com/v1"
FINISHES = finish_reasons(
    {
        "stop": "stop",
        "length": "length",
        "content_filter": "blocked",
        "tool_calls": "tool",
        "function_call": "tool",
    }
)
# The errors of sending a request and reading its reply; anything else is a mistake of ours.
FAILURES: tuple[type[Exception], ...] = (openai.OpenAIError, *CONNECTION)
_NOT_KNOWN = re.compile(
    r"(un|not )(supported|known|recognized|expected|permitted)|does not support|extra input", re.I
)


# The sizes of lists in a schema; not every service knows them.
_SIZES = ("minItems", "maxItems")
# A service's words on a limit that is larger than its own, or than the prompt leaves.
_LIMIT = re.compile(r"max_(completion_)?tokens|maximum context|context.?(length|window|size)", re.I)


class OpenAiModel(ServiceModel[AsyncOpenAI]):
    """A model behind an OpenAI-compatible service.

    Nothing is retried, but for a parameter that the service says it does not know: newer models refuse
    `temperature` or `max_tokens`, older servers `max_completion_tokens` or `stream_options`. It is left out or
    renamed from then on; a temperature that the user set never is. Where the room for thinking makes the limit of
    a reply larger than the service allows, the request is sent again without that room.
    """

    provider = "openai"
    url = OPENAI_URL
    variables = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
    failures = FAILURES

    @cached_property
    def _dialect(self) -> _Dialect:
        at_openai = self.host == "api.openai.com"
        # OpenAI compiles each schema anew, and its models end their lists: one that changes with each call is slow.
        return _Dialect("max_completion_tokens" if at_openai else "max_tokens", list_sizes=not at_openai)

    def _connected(self) -> AsyncOpenAI:
        return connected(self._service)

    async def _ask(self, request: ModelRequest) -> Piece:
        response = await self._post(request, stream=False)
        return _read(self._service, response.content)

    async def _ask_stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        response = await self._post(request, stream=True)
        try:
            if is_stream(response.headers.get("content-type")):
                async with aclosing(self._events(response)) as pieces:
                    async for piece in pieces:
                        yield piece
            else:
                yield _read(self._service, await response.aread())
        finally:
            await response.aclose()

    def _error(self, error: Exception) -> ProviderError:
        return provider_error(error, self._service)

    async def _events(self, response: httpx2.Response) -> AsyncGenerator[Piece, None]:
        chunks = response.aiter_raw()
        async for data in events(self._service, chunks):
            if data.strip() == b"[DONE]":
                await drain(chunks)
                break
            yield _read(self._service, data, part=True)

    async def _post(self, request: ModelRequest, *, stream: bool) -> httpx2.Response:
        """The service's answer, whole or, for a stream, to be read; asked again in words that it knows."""
        while True:
            dialect = self._dialect
            try:
                answer = await self._clients.get().post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    body=_body(self._service.model, request, dialect, stream),
                    stream=stream,
                    stream_cls=openai.AsyncStream[Any],
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                name = _refused(error, dialect)
                plainer = None if name == "temperature" and request.temperature_set else dialect.without(name)
                if plainer is not None:
                    self._dialect = plainer
                elif request.thinking_tokens and _LIMIT.search(error_message(error.body)):
                    request = replace(request, thinking_tokens=0)
                else:
                    raise
            else:
                assert isinstance(answer, httpx2.Response)  # noqa: S101 - that was asked for
                return answer


def connected(service: Service) -> AsyncOpenAI:
    """A client of its own connections, for the running event loop; it follows no redirects."""
    transport = DefaultAioHttpClient(
        timeout=None,
        verify=tls_context(),
        limits=httpx2.Limits(max_connections=CONNECTIONS, keepalive_expiry=30.0),
        follow_redirects=False,
        event_hooks={"response": [limit_responses(service)]},
    )
    return AsyncOpenAI(
        # The client insists on a key; services of one's own often have none.
        api_key=service.key or "none",
        base_url=service.url,
        max_retries=0,
        timeout=None,
        default_headers=UNCOMPRESSED,
        http_client=transport,
    )


# --- the request ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Dialect:
    """The parameters that a service knows."""

    length: str
    temperature: bool = True
    stream_options: bool = True
    list_sizes: bool = True
    renamed: bool = False

    def without(self, name: str | None) -> _Dialect | None:
        """The dialect without a parameter; None where it has nothing to give up."""
        if name == self.length and not self.renamed:
            other = "max_tokens" if name == "max_completion_tokens" else "max_completion_tokens"
            return replace(self, length=other, renamed=True)
        if name == "temperature" and self.temperature:
            return replace(self, temperature=False)
        if name == "stream_options" and self.stream_options:
            return replace(self, stream_options=False)
        if name in _SIZES and self.list_sizes:
            return replace(self, list_sizes=False)
        return None


def _refused(error: openai.APIStatusError, dialect: _Dialect) -> str | None:
    """The parameter that a service says it does not know, None where it says something else."""
    said = error_message(error.body)
    if dialect.list_sizes and any(name in said for name in _SIZES):
        return _SIZES[0]
    if not (str(error.code).startswith("unsupported") or _NOT_KNOWN.search(said)):
        return None
    if error.param:
        return error.param
    named = [name for name in (dialect.length, "temperature", "stream_options") if name in said]
    return min(named, key=said.index, default=None)


def _body(model: str, request: ModelRequest, dialect: _Dialect, stream: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": sendable(message.text)} for message in request.messages],
        # Thinking counts as part of the reply.
        dialect.length: request.max_tokens + request.thinking_tokens,
    }
    if dialect.temperature or request.temperature_set:
        body["temperature"] = request.temperature
    if request.effort is not None:
        body["reasoning_effort"] = request.effort
    if request.schema is not None:
        sizes = request.list_sizes if dialect.list_sizes else {}
        body["response_format"] = _response_format(replace(request, list_sizes=sizes))
    if stream:
        body["stream"] = True
        if dialect.stream_options:
            body["stream_options"] = {"include_usage": True}
    return body


def _response_format(request: ModelRequest) -> dict[str, Any]:
    plain = request.reply_schema
    assert request.schema is not None and plain is not None  # noqa: S101, PT018 - asked for only where there is one
    closed = strict(plain)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", request.schema.__name__)[:64]
    described = {"name": name, "schema": closed or plain, "strict": closed is not None}
    return {"type": "json_schema", "json_schema": described}


# --- the reply -----------------------------------------------------------------------------------


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    # Two names that servers give to what a model thinks aloud.
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[Any] | None = None


class _Choice(BaseModel):
    index: int = 0
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _Details(BaseModel):
    cached_tokens: Any = None


class _Usage(BaseModel):
    prompt_tokens: Any = None
    completion_tokens: Any = None
    total_tokens: Any = None
    prompt_tokens_details: _Details | None = None


class _Reply(BaseModel):
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


def _read(service: Service, content: bytes, *, part: bool = False) -> Piece:
    """Read a reply, or a part of one in a stream."""
    try:
        reply = _Reply.model_validate_json(content)
    except ValidationError:
        raise unreadable_reply(service, f"{content[:80]!r}") from None
    if reply.error:
        raise _error_inside(service, reply.error)
    choices = reply.choices or []
    # One choice was asked for: another one's text, or a part out of its place, must not become half an answer.
    if any(choice.index != 0 for choice in choices) or len(choices) > 1 or not (choices or part):
        raise unreadable_reply(service, f"{len(choices)} choices of numbers {[choice.index for choice in choices]}")
    counted = _usage_of(reply.usage)
    if not choices:
        return Piece(usage=counted, model=reply.model)
    said = choices[0].delta or choices[0].message or _Message()
    return Piece(
        text=said.content or "",
        thinking=bool(said.reasoning_content or said.reasoning or said.refusal or said.tool_calls),
        finish=_finish(said, choices[0].finish_reason),
        usage=counted,
        model=reply.model,
    )


def _finish(said: _Message, reason: str | None) -> Finish | None:
    if said.refusal:
        return "refused"
    if said.tool_calls:
        return "tool"
    return FINISHES.get(reason, "other") if reason else None


def _usage_of(told: _Usage | None) -> Any:
    if told is None:
        return None
    cached = told.prompt_tokens_details.cached_tokens if told.prompt_tokens_details else None
    return usage(told.prompt_tokens, told.completion_tokens, told.total_tokens, cached)


# --- errors --------------------------------------------------------------------------------------


def provider_error(error: BaseException, service: Service) -> ProviderError:
    """Our error for one of the package, of its connection, or one of ours that it wrapped."""
    if isinstance(error, openai.APIStatusError):
        waiting = retry_after(error.response.headers)
        code = f"{error.type or ''} {error.code or ''}"
        return status_error(service, ErrorReply(error.status_code, error_message(error.body), code, waiting))
    if isinstance(error, openai.APITimeoutError) and error.__cause__ is None:
        return timeout_error(service, service.seconds, "answer")
    if isinstance(error, openai.APIConnectionError):
        # The package calls a refused connection a timeout as well; the cause tells them apart.
        return connection_error(service, error)
    if isinstance(error, openai.APIError):
        return stream_error(service, str(error.type), error.code, error.message)
    if isinstance(error, openai.OpenAIError):
        return unreadable_reply(service, f"{type(error).__name__}: {error}")
    return connection_error(service, error)


def _error_inside(service: Service, error: object) -> ProviderError:
    """The error for one that came in the place of a reply."""
    parts = error if isinstance(error, dict) else {}
    return stream_error(service, str(parts.get("type")), parts.get("code"), error_message(error))
