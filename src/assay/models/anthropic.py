"""Anthropic's Claude models, by their messages API.

The package sends the request and names what goes wrong. The reply is read here, and of it only what is used.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from assay.errors import MissingExtra, ProviderError
from assay.nlp.tokens import estimated_tokens
from assay.types import Finish, ModelRequest, Usage

try:
    import anthropic
    import httpx2
    from anthropic import AsyncAnthropic, DefaultAioHttpClient, transform_schema
except ImportError as error:
    raise MissingExtra(
        f"Anthropic's models need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[anthropic]"',
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
    tokens,
    usage,
)

ANTHROPIC_URL = "https://api.anthropic.com"
FINISHES = finish_reasons(
    {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "tool_use": "tool",
        "refusal": "refused",
    }
)
# The shortest prompt, in tokens, that any Claude model caches; some need two or four times as many, and ignore the
# mark below that (https://platform.claude.com/docs/en/build-with-claude/prompt-caching).
CACHED_FROM = 1024
# These know an effort, and cannot say for themselves how long to think.
_WITHOUT_ADAPTIVE_THINKING = re.compile(r"claude-opus-4-5\b")
# The errors of sending a request and reading its reply; anything else is a mistake of ours.
FAILURES: tuple[type[Exception], ...] = (anthropic.AnthropicError, *CONNECTION)


class AnthropicModel(ServiceModel[AsyncAnthropic]):
    """A Claude model.

    The temperature is not sent: the API has given it up, and newer models refuse it. A system
    prompt that is long enough is marked to be kept in the provider's cache. What follows it is not: evidence stands
    between fences of a new code each time, so it would be written to the cache, at a quarter more, and never read.
    """

    provider = "anthropic"
    url = ANTHROPIC_URL
    variables = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
    failures = FAILURES

    def _connected(self) -> AsyncAnthropic:
        service = self._service
        transport = DefaultAioHttpClient(
            timeout=None,
            verify=tls_context(),
            limits=httpx2.Limits(max_connections=CONNECTIONS, keepalive_expiry=30.0),
            follow_redirects=False,
            event_hooks={"response": [limit_responses(service)]},
        )
        return AsyncAnthropic(
            # Without a key the package would take one from the environment, and send it to this address.
            api_key=service.key or "none",
            base_url=service.url,
            max_retries=0,
            timeout=None,
            default_headers=UNCOMPRESSED,
            http_client=transport,
            # Runs are recorded here, by those who ask.
            open_telemetry=False,
        )

    async def _ask(self, request: ModelRequest) -> Piece:
        response = await self._post(_body(self._service.model, request, stream=False), stream=False)
        return _read(self._service, response.content)

    async def _ask_stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        response = await self._post(_body(self._service.model, request, stream=True), stream=True)
        try:
            if not is_stream(response.headers.get("content-type")):
                yield _read(self._service, await response.aread())
                return
            chunks, blocks = response.aiter_raw(), _Blocks(self._service)
            async for data in events(self._service, chunks):
                event = _event(self._service, data)
                if event.type == "message_stop":
                    await drain(chunks)
                    break
                yield blocks.take(event)
        finally:
            await response.aclose()

    def _error(self, error: Exception) -> ProviderError:
        return provider_error(error, self._service)

    async def _post(self, body: dict[str, Any], *, stream: bool) -> httpx2.Response:
        answer = await self._clients.get().post(
            "/v1/messages",
            cast_to=httpx2.Response,
            body=body,
            stream=stream,
            stream_cls=anthropic.AsyncStream[Any],
        )
        assert isinstance(answer, httpx2.Response)  # noqa: S101 - that was asked for
        return answer


# --- the request ---------------------------------------------------------------------------------


def _body(model: str, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        # Thinking counts as part of the reply.
        "max_tokens": request.max_tokens + request.thinking_tokens,
        "messages": [
            {"role": message.role, "content": sendable(message.text)}
            for message in request.messages
            if message.role != "system"
        ],
    }
    if system := _system(request):
        body["system"] = system
    output: dict[str, Any] = {}
    if request.effort is not None:
        output["effort"] = request.effort
        if not _WITHOUT_ADAPTIVE_THINKING.search(model):
            body["thinking"] = {"type": "adaptive"}
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": _schema(request.schema)}
    if output:
        body["output_config"] = output
    if stream:
        body["stream"] = True
    return body


def _system(request: ModelRequest) -> list[dict[str, Any]]:
    """The system prompt's blocks, the last marked to be cached with all before it where they are long enough."""
    texts = [sendable(message.text) for message in request.messages if message.role == "system"]
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if sum(map(estimated_tokens, texts)) >= CACHED_FROM:
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
    return blocks


@lru_cache(maxsize=64)
def _schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The reply's schema as the API takes it: closed, with the limits that it cannot keep as descriptions."""
    return transform_schema(schema)


# --- the reply -----------------------------------------------------------------------------------


class _Block(BaseModel):
    type: str = ""
    text: str | None = None
    thinking: str | None = None


class _Usage(BaseModel):
    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_creation_input_tokens: Any = None


class _Message(BaseModel):
    type: str = ""
    model: str | None = None
    content: list[_Block] | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None
    error: Any = None


class _Delta(BaseModel):
    text: str | None = None
    thinking: str | None = None
    stop_reason: str | None = None


class _Event(BaseModel):
    type: str
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None
    error: Any = None


def _read(service: Service, content: bytes) -> Piece:
    """Read a whole reply."""
    try:
        message = _Message.model_validate_json(content)
    except ValidationError:
        raise unreadable_reply(service, f"{content[:80]!r}") from None
    if message.error:
        raise _error_inside(service, message.error)
    if message.content is None:
        raise unreadable_reply(service, "a message without content")
    return Piece(
        text="".join(block.text or "" for block in message.content if block.type == "text"),
        finish=_finish(message.stop_reason),
        usage=_usage_of(message.usage) if message.usage else None,
        model=message.model,
    )


def _event(service: Service, data: bytes) -> _Event:
    try:
        event = _Event.model_validate_json(data)
    except ValidationError:
        raise unreadable_reply(service, f"{data[:80]!r}") from None
    if event.type == "error" or event.error:
        raise _error_inside(service, event.error)
    return event


class _Blocks:
    """The events of one stream in their order: a message, its blocks one after the other, its ending."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._open = -1
        self._begun = _Usage()

    def take(self, event: _Event) -> Piece:
        """Take in an event. Raises ProviderFailed for one out of its place."""
        if event.type == "message_start" and event.message:
            self._begun = event.message.usage or _Usage()
            # The count of output tokens that a message begins with is not what it will have.
            begun = self._begun.model_copy(update={"output_tokens": None})
            return Piece(model=event.message.model, usage=_usage_of(begun))
        if event.type == "content_block_start":
            return self._started(event)
        if event.type == "content_block_delta" and event.delta:
            if event.index != self._open:
                raise unreadable_reply(self._service, f"a piece of block {event.index} within block {self._open}")
            return Piece(text=event.delta.text or "", thinking=bool(event.delta.thinking))
        if event.type == "message_delta":
            return self._ended(event)
        return Piece()

    def _started(self, event: _Event) -> Piece:
        if event.index != self._open + 1:
            raise unreadable_reply(self._service, f"block {event.index} after block {self._open}")
        self._open = event.index
        block = event.content_block or _Block()
        return Piece(text=(block.text or "") if block.type == "text" else "")

    def _ended(self, event: _Event) -> Piece:
        told = {name: value for name, value in (event.usage or _Usage()) if value is not None}
        counted = _usage_of(self._begun.model_copy(update={"output_tokens": None, **told}))
        return Piece(finish=_finish(event.delta.stop_reason if event.delta else None), usage=counted)


def _finish(reason: str | None) -> Finish | None:
    return FINISHES.get(reason, "other") if reason else None


def _usage_of(told: _Usage) -> Usage:
    """The usage; what was read from the cache and written to it counts as prompt, as with other providers."""
    parts = (told.input_tokens, told.cache_read_input_tokens, told.cache_creation_input_tokens)
    # Only the first is always there; an impossible count makes the sum unknown.
    counts = [tokens(part) for part in parts if part is not None]
    prompt = None if tokens(parts[0]) is None or None in counts else sum(count or 0 for count in counts)
    return usage(prompt, told.output_tokens, None, told.cache_read_input_tokens)


# --- errors --------------------------------------------------------------------------------------


def provider_error(error: BaseException, service: Service) -> ProviderError:
    """Our error for one of the package, of its connection, or one of ours that it wrapped."""
    if isinstance(error, anthropic.APIStatusError):
        waiting = retry_after(error.response.headers)
        return status_error(
            service, ErrorReply(error.status_code, error_message(error.body), str(error.type or ""), waiting)
        )
    if isinstance(error, anthropic.APITimeoutError) and error.__cause__ is None:
        return timeout_error(service, service.seconds, "answer")
    if isinstance(error, anthropic.APIConnectionError):
        return connection_error(service, error)
    if isinstance(error, anthropic.AnthropicError):
        return unreadable_reply(service, f"{type(error).__name__}: {error}")
    return connection_error(service, error)


def _error_inside(service: Service, error: object) -> ProviderError:
    """The error for one that came in the place of a reply."""
    kind = error.get("type") if isinstance(error, dict) else None
    return stream_error(service, str(kind), None, error_message(error))
