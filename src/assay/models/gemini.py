"""Google's Gemini models.

The package parses the replies itself, so the limits are set one step earlier: its connections hand it no more
than it may have.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from assay.errors import MissingExtra, ProviderError
from assay.types import Effort, Finish, ModelRequest

try:
    import aiohttp
    import httpx2
    from google import genai
    from google.genai import errors, types
except ImportError as error:
    raise MissingExtra(
        f"Gemini's models need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[gemini]"',
    ) from error

from assay.models.provider import (
    ErrorReply,
    Service,
    connection_error,
    error_message,
    retry_after,
    status_error,
    unreadable_reply,
)
from assay.models.wire import (
    CONNECTION,
    CONNECTIONS,
    UNCOMPRESSED,
    Piece,
    ServiceModel,
    bounded,
    events,
    finish_reasons,
    is_stream,
    refuse_compressed,
    sendable,
    tls_context,
    tokens,
    usage,
)

if TYPE_CHECKING:
    from aiohttp.connector import Connection

GEMINI_URL = "https://generativelanguage.googleapis.com"
FINISHES = finish_reasons(
    {
        "STOP": "stop",
        "MAX_TOKENS": "length",
        "CONTINUATION": "length",
        "SAFETY": "blocked",
        "RECITATION": "blocked",
        "LANGUAGE": "blocked",
        "BLOCKLIST": "blocked",
        "PROHIBITED_CONTENT": "blocked",
        "SPII": "blocked",
        "ESCALATION": "blocked",
        "MODEL_ARMOR": "blocked",
        "PUP_LIMITED_DISABLED": "blocked",
        "MALFORMED_FUNCTION_CALL": "tool",
        "UNEXPECTED_TOOL_CALL": "tool",
        "TOO_MANY_TOOL_CALLS": "tool",
    }
)
# Gemini 2.5 is told how many tokens it may think with, and later models a level; the numbers are Google's own for
# these efforts (https://ai.google.dev/gemini-api/docs/openai).
_BUDGETED = re.compile(r"gemini-2\.5")
_BUDGETS: Mapping[Effort, int] = MappingProxyType({"low": 1024, "medium": 8192, "high": 24576})
# The connections of a stream, noted when the package opens them.
_OPENED: ContextVar[list[aiohttp.ClientResponse] | None] = ContextVar("assay_gemini_opened", default=None)
# The package trips over an answer of another shape in any of these ways.
_SHAPE: tuple[type[Exception], ...] = (AttributeError, TypeError, LookupError, RecursionError)
FAILURES: tuple[type[Exception], ...] = (
    errors.APIError,
    errors.ContinuationInterruptedError,
    *CONNECTION,
    *_SHAPE,
)


class GeminiModel(ServiceModel["_Client"]):
    """A Gemini model.

    Nothing is continued or called back either: each of the package's own ways of asking again is switched off.
    """

    provider = "gemini"
    url = GEMINI_URL
    variables = ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")
    failures = FAILURES

    def _connected(self) -> _Client:
        return _Client(self._service)

    async def _ask(self, request: ModelRequest) -> Piece:
        reply = await self._clients.get().models.generate_content(**_asked(self._service.model, request))
        return _read(self._service, reply)

    async def _ask_stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        asked = _asked(self._service.model, request)
        opened: list[aiohttp.ClientResponse] = []
        try:
            parts = await self._clients.get().models.generate_content_stream(**asked)
            token = _OPENED.set(opened)
            try:
                part = await anext(parts, None)
            finally:
                _OPENED.reset(token)
            while part is not None:
                yield _read(self._service, part)
                part = await anext(parts, None)
        finally:
            # The package leaves this to the garbage collector where a stream is not read to its end.
            for response in opened:
                response.close()

    def _error(self, error: Exception) -> ProviderError:
        return provider_error(error, self._service)


# --- the connection ------------------------------------------------------------------------------


class _Client:
    """The package's client on connections of its own, for the running event loop."""

    def __init__(self, service: Service) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=CONNECTIONS),
            response_class=_response_class(service),
            headers=UNCOMPRESSED,
            auto_decompress=False,
            trust_env=True,
        )
        options = types.HttpOptions(
            base_url=service.url,
            api_version="v1beta",
            aiohttp_client=self._session,
            # The package opens these three as well; the certificates are read once for all.
            httpx_client=httpx2.Client(verify=tls_context()),
            async_client_args={"ssl": tls_context(), "verify": tls_context(), "allow_redirects": False},
            # Without this the package tries again after a failed connection.
            retry_options=types.HttpRetryOptions(attempts=1),
        )
        # Without a key the package would take one from the environment, and send it to this address.
        self._client = genai.Client(api_key=service.key or "none", vertexai=False, http_options=options)
        self.models = self._client.aio.models

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aio.aclose()
        await self._session.close()


def _response_class(service: Service) -> type[aiohttp.ClientResponse]:
    """Responses that raise ProviderFailed where they pass the limits."""

    class Limited(aiohttp.ClientResponse):
        async def start(self, connection: Connection) -> aiohttp.ClientResponse:
            await super().start(connection)
            if (opened := _OPENED.get()) is not None:
                opened.append(self)
            refuse_compressed(service, self.headers.get("content-encoding"))
            streamed = self.status == 200 and is_stream(self.headers.get("content-type"))
            self.content = cast("aiohttp.StreamReader", _Content(service, self.content, streamed))
            return self

        def get_encoding(self) -> str:
            # JSON is UTF-8 (RFC 8259, 8.1), whatever the header says.
            return "utf-8"

    return Limited


class _Content:
    """A stream reader whose body is bounded, and whose events, if it has events, are whole."""

    def __init__(self, service: Service, inner: aiohttp.StreamReader, streamed: bool) -> None:
        self._service = service
        self._inner = inner
        self._streamed = streamed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in bounded(self._service, self._inner.iter_any())])

    async def iter_any(self) -> AsyncIterator[bytes]:
        """One event at a time, without the comments that the package would take for a reply."""
        if not self._streamed:
            yield await self.read()
            return
        async for data in events(self._service, self._inner.iter_any()):
            yield b"data: " + data.replace(b"\n", b" ") + b"\n\n"


# --- the request ---------------------------------------------------------------------------------


def _asked(model: str, request: ModelRequest) -> dict[str, Any]:
    system = "\n\n".join(sendable(message.text) for message in request.messages if message.role == "system")
    config = types.GenerateContentConfig(
        system_instruction=system or None,
        temperature=request.temperature,
        # Thinking counts as part of the reply.
        max_output_tokens=request.max_tokens + request.thinking_tokens,
        thinking_config=_thinking(model, request.effort),
        response_mime_type="application/json" if request.schema else None,
        response_json_schema=request.schema.model_json_schema() if request.schema else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
    )
    contents = [
        types.Content(
            role="model" if message.role == "assistant" else "user", parts=[types.Part(text=sendable(message.text))]
        )
        for message in request.messages
        if message.role != "system"
    ]
    return {"model": model, "contents": contents, "config": config}


def _thinking(model: str, effort: Effort | None) -> types.ThinkingConfig | None:
    """The thinking of this model as it is set; None leaves it to the model."""
    if effort is None:
        return None
    if _BUDGETED.search(model):
        return types.ThinkingConfig(thinking_budget=_BUDGETS[effort])
    return types.ThinkingConfig(thinking_level=types.ThinkingLevel(effort.upper()))


# --- the reply -----------------------------------------------------------------------------------


def _read(service: Service, reply: types.GenerateContentResponse) -> Piece:
    """Read a reply, or a part of one in a stream."""
    counted = _usage_of(reply.usage_metadata)
    model = reply.model_version
    if reply.prompt_feedback and reply.prompt_feedback.block_reason:
        return Piece(finish="blocked", usage=counted, model=model)
    candidates = reply.candidates or []
    if not candidates:
        return Piece(usage=counted, model=model)
    # One candidate was asked for: another one's text must not become half an answer.
    if len(candidates) > 1 or candidates[0].index not in (None, 0):
        raise unreadable_reply(service, f"candidates {[candidate.index for candidate in candidates]}")
    content = candidates[0].content
    parts = (content.parts if content else None) or []
    return Piece(
        text="".join(part.text for part in parts if part.text and not part.thought),
        thinking=any(part.thought or part.function_call for part in parts),
        finish=_finish(candidates[0].finish_reason, parts),
        usage=counted,
        model=model,
    )


def _finish(reason: types.FinishReason | None, parts: list[types.Part]) -> Finish | None:
    if any(part.function_call for part in parts):
        return "tool"
    return FINISHES.get(str(reason.value), "other") if reason else None


def _usage_of(told: types.GenerateContentResponseUsageMetadata | None) -> Any:
    if told is None:
        return None
    written = told.candidates_token_count
    # Thoughts are paid for as what is written.
    if written is not None and tokens(told.thoughts_token_count):
        written += told.thoughts_token_count or 0
    return usage(told.prompt_token_count, written, told.total_token_count, told.cached_content_token_count)


# --- errors --------------------------------------------------------------------------------------


def provider_error(error: BaseException, service: Service) -> ProviderError:
    """Our error for one of the package, of its connection, or one of ours that it wrapped."""
    if isinstance(error, errors.APIError):
        return _answered(error, service)
    if isinstance(error, errors.ContinuationInterruptedError | AttributeError | TypeError | LookupError):
        return unreadable_reply(service, f"{type(error).__name__}: {error}")
    if isinstance(error, RecursionError):
        return unreadable_reply(service, "JSON nested too deeply")
    return connection_error(service, error)


def _answered(error: errors.APIError, service: Service) -> ProviderError:
    headers = getattr(error.response, "headers", None)
    waiting = retry_after(headers) if isinstance(headers, Mapping) else None
    if waiting is None:
        waiting = _retry_delay(error.details)
    code = error.code if isinstance(error.code, int) and 300 <= error.code <= 599 else 500
    return status_error(service, ErrorReply(code, error_message(error.details), str(error.status or ""), waiting))


def _retry_delay(details: object) -> float | None:
    """The seconds of a google.rpc.RetryInfo, such as "12.5s"; None without one."""
    found = re.search(r"'retryDelay': '(\d+(?:\.\d+)?)s'", str(details))
    return float(found[1]) if found else None
