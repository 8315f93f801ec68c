"""What comes over the wire, within limits: bodies, and the events of a stream.

A service can send anything. A body of more than 8 MiB or an event of more than 1 MiB ends the call instead of
filling the memory. Replies are asked for uncompressed, so that what is counted is what is kept, and a
compressed one is refused unread: a few kilobytes of it could be gigabytes.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable
from functools import cache
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import aiohttp
import anyio
import httpx2
from aiohttp.helpers import get_env_proxy_for_url
from yarl import URL

from assay.models.provider import Service, too_large

LARGEST_BODY = 8 * 1024 * 1024
LARGEST_EVENT = 1024 * 1024
# More connections than any caller opens at once; the budget and the caller's own bounds come first.
CONNECTIONS = 1024
UNCOMPRESSED = {"Accept-Encoding": "identity"}
# What connections and decoders raise, whichever package uses them.
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
def secure() -> ssl.SSLContext:
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
        connector=aiohttp.TCPConnector(limit=CONNECTIONS, keepalive_timeout=30.0, ssl=secure()),
        timeout=aiohttp.ClientTimeout(total=None),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        proxy=proxy,
        proxy_auth=signed,
    )


# --- limits --------------------------------------------------------------------------------------


def guard(service: Service) -> Callable[[httpx2.Response], Awaitable[None]]:
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
    """Whether a body is a stream of events; what is neither JSON nor a page is taken for one.

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
