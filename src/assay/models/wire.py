"""Limits on what comes over the wire: bodies, and the events of a stream.

A service can send anything. A body of more than 8 MiB or an event of more than 1 MiB ends the call instead of
filling the memory. Replies are asked for uncompressed, so that what is counted is what is kept, and a
compressed one is refused unread: a few kilobytes of it could be gigabytes.
"""

from __future__ import annotations

import asyncio
import ssl
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import ClassVar, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

import aiohttp
import anyio
import httpx2
from aiohttp.helpers import get_env_proxy_for_url
from yarl import URL

from assay.errors import ProviderError
from assay.models.provider import FURTHER, Service, ending, timeout_error, too_large, unreadable_reply
from assay.types import Finish, ModelReply, ModelRequest, Usage

LARGEST_BODY = 8 * 1024 * 1024
LARGEST_EVENT = 1024 * 1024
# More connections than any caller opens at once; the budget and the caller's own bounds come first.
CONNECTIONS = 1024
UNCOMPRESSED = {"Accept-Encoding": "identity"}
# The errors of connections and decoders, whichever package uses them.
CONNECTION: tuple[type[Exception], ...] = (
    aiohttp.ClientError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    OSError,
    ValueError,
    EOFError,
    anyio.EndOfStream,
)
# Some services keep the connection open after the last event; longer is not waited for its end.
_REST = 0.1

Client = TypeVar("Client")


class _Closing(Protocol):
    async def close(self) -> None: ...


VendorClient = TypeVar("VendorClient", bound=_Closing)


class PerLoop(Generic[Client]):
    """One client for each event loop, as connections belong to the loop that opened them."""

    def __init__(self, opened: Callable[[], Client], close: Callable[[Client], Awaitable[None]]) -> None:
        self._opened = opened
        self._close = close
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()

    def get(self) -> Client:
        """The running loop's client."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._clients[loop] = self._opened()
        return client

    async def aclose(self) -> None:
        """Close the running loop's client; calling it twice is harmless."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await self._close(client)


@cache
def tls_context() -> ssl.SSLContext:
    """The certificates to trust, read once: that takes tens of milliseconds."""
    return httpx2.create_ssl_context()


def opened(url: str) -> aiohttp.ClientSession:
    """Connections of the running event loop to this address, through the proxy that the environment sets for it.

    Nothing is limited here but their number; bodies come as they were sent.
    """
    try:
        proxy, signed = get_env_proxy_for_url(URL(url))
    except LookupError:
        proxy, signed = None, None
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=CONNECTIONS, keepalive_timeout=30.0, ssl=tls_context()),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        proxy=proxy,
        proxy_auth=signed,
    )


# --- limits --------------------------------------------------------------------------------------


def limit_responses(service: Service) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A hook that makes a client's responses raise ProviderFailed where they pass the limits."""

    async def limited(response: httpx2.Response) -> None:
        refuse_compressed(service, response.headers.get("content-encoding"))
        if response.status_code != 200 or not is_stream(response.headers.get("content-type")):
            assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - an async client's
            response.stream = _Bounded(service, response.stream)

    return limited


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends in an error when it is too large."""

    def __init__(self, service: Service, inner: httpx2.AsyncByteStream) -> None:
        self._service = service
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in bounded(self._service, self._inner):
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def bounded(
    service: Service, chunks: AsyncIterable[bytes], largest: int = LARGEST_BODY
) -> AsyncIterator[bytes]:
    """The same chunks. Raises ProviderFailed when they have more than `largest` bytes."""
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > largest:
            raise too_large(service, f"more than {largest} bytes")
        yield chunk


def refuse_compressed(service: Service, encoding: str | None) -> None:
    """Raise ProviderFailed where a body is compressed, which was not asked for."""
    if (encoding or "identity").lower() != "identity":
        raise too_large(service, f"a body compressed with {encoding}, which was not asked for")


def is_stream(content_type: str | None) -> bool:
    """True if a body is a stream of events; what is neither JSON nor a page is taken for one.

    >>> is_stream("text/event-stream; charset=utf-8"), is_stream("application/json")
    (True, False)
    """
    return (content_type or "").split(";")[0].strip().lower() not in ("application/json", "text/html")


# --- events --------------------------------------------------------------------------------------


async def events(service: Service, chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """The data of each server-sent event (WHATWG HTML, 9.2.6); comments and other fields are left out.

    An event that is cut off is left out too. Raises ProviderFailed for an event of more than 1 MiB.
    """
    rest = b""
    data: list[bytes] = []
    size = 0
    async for chunk in chunks:
        *lines, rest = _lines(rest + chunk)
        for line in lines:
            if line:
                data.extend(_data(line))
                size += len(line)
                continue
            event = b"\n".join(data)
            data.clear()
            size = 0
            if event:
                yield event
        if size + len(rest) > LARGEST_EVENT:
            raise too_large(service, f"an event of more than {LARGEST_EVENT} bytes")


def _lines(text: bytes) -> list[bytes]:
    """The lines of `text`, whose last is not ended; lines end in LF, CR LF or CR."""
    # A CR at the very end may be half of a CR LF.
    held = b"\r" if text.endswith(b"\r") else b""
    lines = text[: len(text) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    lines[-1] += held
    return lines


def _data(line: bytes) -> tuple[bytes, ...]:
    name, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
    return (value.removeprefix(b" "),) if name == b"data" else ()


async def drain(chunks: AsyncIterator[bytes]) -> None:
    """Read what follows the last event, so that the connection can be used again; at most a tenth of a second."""
    try:
        async with asyncio.timeout(_REST):
            async for _ in chunks:
                pass
    except TimeoutError:
        pass


# A reply as it comes in: pieces, how it ended, and what the provider says it used.


# A reply of more characters than this is no reply.
LARGEST_TEXT = 8 * 1024 * 1024
# A count above this is a mistake: no context window comes near it.
_MOST_TOKENS = 100_000_000
_NOT_SAID = Usage(None, None, None, None, calls=1, cost=None)


@dataclass(frozen=True, slots=True)
class Piece:
    """The content of one event of a stream, or of a whole reply.

    `thinking` marks tokens that are not part of the text; `finish` and `usage` are None where it said nothing.
    """

    text: str = ""
    thinking: bool = False
    finish: Finish | None = None
    usage: Usage | None = None
    model: str | None = None


@dataclass(slots=True)
class ReplyBuilder:
    """The pieces of one reply, put together."""

    service: Service
    texts: list[str] = field(default_factory=list)
    characters: int = 0
    finish: Finish | None = None
    usage: Usage = _NOT_SAID
    model: str | None = None

    def take(self, piece: Piece) -> str:
        """Add a piece and return its text. Raises ProviderFailed for text after the end, and for too much."""
        if piece.text and self.finish is not None:
            raise unreadable_reply(self.service, "text after the end of the reply")
        self.texts.append(piece.text)
        self.characters += len(piece.text)
        if self.characters > LARGEST_TEXT:
            raise too_large(self.service, f"a reply of more than {LARGEST_TEXT} characters")
        # An ending that is not a whole reply outweighs one that is.
        if self.finish in (None, "stop"):
            self.finish = piece.finish or self.finish
        self.usage = piece.usage or self.usage
        self.model = piece.model or self.model
        return piece.text

    def reply(self) -> ModelReply:
        """The reply so far; without an ending it is incomplete."""
        text = "".join(self.texts)
        return ModelReply(text, ending(text, self.finish), self.usage, self.model or self.service.model)


def complete_reply(service: Service, piece: Piece) -> ModelReply:
    """The reply that came in one piece."""
    builder = ReplyBuilder(service)
    builder.take(piece)
    return builder.reply()


async def stream_reply(
    service: Service, pieces: AsyncGenerator[Piece, None]
) -> AsyncGenerator[str | ModelReply, None]:
    """The pieces' texts as they come, then the reply; the pieces' connection is closed in any case.

    Only time spent waiting counts. Before the first token a provider may take all its `seconds`, as a model
    that thinks first does; from then on each token must follow within `idle_seconds`. Events without a token
    are no sign of life.
    """
    builder = ReplyBuilder(service)
    left, idle, begun = service.seconds, service.idle_seconds, False
    clock = asyncio.get_running_loop().time
    try:
        while True:
            started = clock()
            try:
                async with asyncio.timeout(min(left, idle) if begun else left):
                    piece = await anext(pieces, None)
            except TimeoutError:
                raise (
                    timeout_error(service, service.idle_seconds, FURTHER)
                    if begun and idle < left
                    else timeout_error(service, service.seconds, "whole reply")
                ) from None
            if piece is None:
                break
            waited = clock() - started
            left -= waited
            alive = bool(piece.text) or piece.thinking
            begun = begun or alive
            idle = service.idle_seconds if alive else idle - waited
            if builder.take(piece):
                yield piece.text
    finally:
        await pieces.aclose()
    yield builder.reply()


class ServiceModel(ABC, Generic[VendorClient]):
    """A language model behind a service: what every vendor's adapter does alike.

    Nothing is retried. Connections belong to an event loop, so each loop that asks has its own, until `aclose` is
    called on it. `failures` are what asking and reading can raise; anything else is a mistake of ours. `url` is the
    provider's own address, `variables` name what a user sets for the key and for another address.
    """

    provider: ClassVar[str]
    url: ClassVar[str]
    variables: ClassVar[tuple[str, str]]
    failures: ClassVar[tuple[type[Exception], ...]]

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        seconds: float = 60.0,
        idle_seconds: float = 20.0,
        key_named: str | None = None,
        url_named: str | None = None,
    ) -> None:
        """A model by the service's name for it. `seconds` bounds one call, `idle_seconds` a stream's pauses;
        errors call key and address `key_named` and `url_named`.

        Raises UsageError for an address or a key that cannot be one.
        """
        address = self.url if base_url is None else base_url
        names = key_named or self.variables[0], url_named or self.variables[1]
        self._service = Service(self.provider, model, address, api_key, *names, seconds, idle_seconds)
        self._clients = PerLoop(self._connected, lambda client: client.close())
        tls_context()

    @property
    def name(self) -> str:
        """The provider and the model's name, with a colon between."""
        return self._service.name

    @property
    def host(self) -> str:
        """The host that prompts are sent to."""
        return self._service.host

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The whole reply, however it ended.

        Raises ProviderUnreachable, ProviderRefused, PromptTooLong, ProviderFailed.
        """
        try:
            async with asyncio.timeout(self._service.seconds):
                piece = await self._ask(request)
            return complete_reply(self._service, piece)
        except TimeoutError:
            raise timeout_error(self._service, self._service.seconds, "reply") from None
        except self.failures as error:
            raise self._error(error) from None

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """The reply's text piece by piece, then the reply. Raises as `complete`."""
        return stream_reply(self._service, self._pieces(request))

    async def aclose(self) -> None:
        """Close the connections of the running event loop; calling it twice is harmless."""
        await self._clients.aclose()

    async def _pieces(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        try:
            async with aclosing(self._ask_stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        except self.failures as error:
            raise self._error(error) from None

    @abstractmethod
    def _connected(self) -> VendorClient:
        """A client of its own connections, for the running event loop; it follows no redirects."""

    @abstractmethod
    async def _ask(self, request: ModelRequest) -> Piece:
        """The whole reply in one piece."""

    @abstractmethod
    def _ask_stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """The pieces of the reply; their connection is closed with the generator."""

    @abstractmethod
    def _error(self, error: Exception) -> ProviderError:
        """Our error for one of `failures`."""


# --- usage ---------------------------------------------------------------------------------------


def usage(prompt: object, completion: object, total: object, cached: object) -> Usage:
    """One call's usage as the provider counted it; what it did not say, or cannot be, is None.

    A total that it did not say is the sum where both parts are known.

    >>> usage(100, 20, None, 300)
    Usage(prompt_tokens=100, completion_tokens=20, total_tokens=120, cached_tokens=None, calls=1, cost=None)
    """
    # A prompt has tokens: servers that do not count say 0.
    given, written, both = tokens(prompt) or None, tokens(completion), tokens(total) or None
    if both is None and given is not None and written is not None:
        both = given + written
    kept = tokens(cached)
    if kept is not None and (given is None or kept > given):
        kept = None
    return Usage(given, written, both, kept, calls=1, cost=None)


def tokens(count: object) -> int | None:
    """A count of tokens, None for what cannot be one.

    >>> tokens(7), tokens(-1), tokens("7"), tokens(True)
    (7, None, None, None)
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST_TOKENS:
        return None
    return count


def finish_reasons(reasons: dict[str, Finish]) -> Mapping[str, Finish]:
    """A vendor's finish reasons, read-only."""
    return MappingProxyType(reasons)


def sendable(text: str) -> str:
    """`text` as JSON can carry it: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
