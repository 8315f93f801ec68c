"""The one HTTP client for outside: every request goes through it, to an address that was checked.

A host's addresses are found once. Each of them is checked, and the connection is made to exactly those: a name
that points elsewhere a moment later changes nothing. The host's name stays in the request and in the TLS
handshake, so that the server's certificate is tested against it.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import socket
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from assay.core.stages import Clock
from assay.errors import (
    EgressRefused,
    MissingExtra,
    ProviderError,
    ProviderFailed,
    ProviderRefused,
    ProviderUnreachable,
    causes_of,
)
from assay.web.egress import address_of
from assay.web.guard import Link, SsrfGuard
from assay.web.pages import page_date
from assay.web.robots import LARGEST, Robots, SiteRules, read
from assay.web.sources import Page

# Failures on the way to a server outside, as assay's errors: one table for pages and search services.


try:
    import aiohttp as aiohttp
    import yarl as yarl
except ImportError as error:
    raise MissingExtra(
        f"sources outside need a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[web]"',
    ) from error

# The errors of connections and decoders; anything else is a mistake of ours.
FAILURES: tuple[type[Exception], ...] = (aiohttp.ClientError, OSError, ValueError, EOFError)
_SAID = 200
# A piece of the key this long, found in what a service says, gives the key away.
_TELLING = 8


def answered(who: str, status: int, headers: Mapping[str, str], said: str = "", hint: str = "") -> ProviderError:
    """The error for a status that is no answer: only 408, 425, 429 and 5xx may go better later."""
    start = f"{who} answered {status}" + (f": {said}" if said else "")
    wait = retry_after(headers)
    if status == 429:
        return ProviderRefused(start, hint="wait, or ask less often", retryable=True, retry_after=wait)
    if status in (408, 425) or status >= 500:
        broken = "wait, then try again; it is overloaded or broken"
        return ProviderFailed(start, hint=broken, retryable=True, retry_after=wait)
    return ProviderRefused(start, hint=hint or "look at the address in a browser; it may be gone or not public")


def unreadable_answer(who: str, found: str) -> ProviderFailed:
    """The error for an answer that cannot be read."""
    line = " ".join(found.split())
    return ProviderFailed(
        f"{who} answered nonsense: {line[:_SAID]}",
        hint="check that its address is that of such a service; else try again",
        retryable=True,
    )


def late(who: str, seconds: float) -> ProviderUnreachable:
    """The error for an answer that did not come in time."""
    return ProviderUnreachable(
        f"{who} did not answer within {seconds:g} s", hint="try again, or allow more seconds", retryable=True
    )


def failed(who: str, error: Exception, seconds: float) -> ProviderError:
    """The error for an exception of the connection, or one of ours inside it."""
    chain = tuple(causes_of(error))
    for link in chain:
        if isinstance(link, ProviderError):
            return link
    if any(isinstance(link, TimeoutError) for link in chain):
        return late(who, seconds)
    if any(isinstance(link, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError) for link in chain):
        return ProviderFailed(f"{who} broke off while answering", hint="try again", retryable=True)
    if any(isinstance(link, aiohttp.ClientResponseError) for link in chain):
        return unreadable_answer(who, f"{type(error).__name__}: {error}")
    cause, retryable = _cause(chain)
    hint = "check the address and the network"
    return ProviderUnreachable(f"no connection to {who}: {cause}", hint=hint, retryable=retryable)


def _cause(chain: tuple[BaseException, ...]) -> tuple[str, bool]:
    """The reason for a failed connection, and whether another try may find one."""
    for link in chain:
        if isinstance(link, ssl.SSLError | aiohttp.ClientSSLError):
            return "the secure connection failed", False
        if isinstance(link, aiohttp.ClientConnectorDNSError):
            return "the host has no address", True
        if isinstance(link, ConnectionRefusedError):
            return "nothing listens there", True
    return "the connection failed", True


def masked(said: object, key: str | None) -> str:
    """The service's message, in one line and cut; nothing where it repeats a recognisable part of the key.

    >>> masked("bad key  tvly-0123456789", "tvly-0123456789"), masked({"detail": {"error": "over  quota"}}, None)
    ('', 'over quota')
    """
    while isinstance(said, Mapping):
        said = next((said[name] for name in ("error", "message", "detail", "info") if said.get(name)), "")
    line = " ".join(str(said).split())[:_SAID]
    pieces = (key[at : at + _TELLING] for at in range(len(key) - _TELLING + 1)) if key else iter(())
    return "" if any(piece in line for piece in pieces) else line


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: a number or a date), None without one.

    >>> retry_after({"Retry-After": "120"}), retry_after({"Retry-After": "soon"}), retry_after({})
    (120.0, None, None)
    """
    told = headers.get("Retry-After", "")
    if re.fullmatch(r"\d{1,9}(?:\.\d{1,3})?", told):
        return float(told)
    try:
        now = parsedate_to_datetime(headers["Date"]).timestamp() if "Date" in headers else time.time()
        seconds = parsedate_to_datetime(told).timestamp() - now
    except (ValueError, OverflowError, TypeError):
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


# Find the addresses of a host, as text.
Resolve = Callable[[str], Awaitable[Sequence[str]]]

USER_AGENT = f"assay/{version('assay')} (reads pages to answer a question; keeps to robots.txt)"
_CONNECT_SECONDS = 5.0


async def system_addresses(host: str) -> tuple[str, ...]:
    """The host's addresses as this machine finds them. Raises OSError where there are none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(info[4][0]) for info in found))


class PinnedHttpClient:
    """Opens requests to links that a guard made. Neither follows redirects, nor retries, nor keeps cookies."""

    def __init__(self, guard: SsrfGuard, resolve: Resolve = system_addresses) -> None:
        self.guard = guard
        self._resolve = resolve

    @asynccontextmanager
    async def open(
        self,
        link: Link,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        idle_seconds: float = 5.0,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response's head; its body is read by the caller, still compressed.

        Raises EgressRefused where an address may not be reached, and what the network raises.
        """
        addresses = await self._addresses(link)
        url = yarl.URL(str(link), encoded=True)
        if url.raw_host != link.host or url.port != link.port:
            raise EgressRefused(f"{str(link)!r} is read in two ways", hint="give the address as a browser shows it")
        connector = aiohttp.TCPConnector(
            resolver=_Found(addresses),
            use_dns_cache=False,
            force_close=True,
            ssl=_certificates(),
            socket_factory=_only_to(addresses),
        )
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=idle_seconds)
        async with aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": USER_AGENT, **(headers or {})},
            auto_decompress=False,
            trust_env=False,
        ) as session:
            # aiohttp asks a second time where a connection is dropped, and has no other way to say no.
            session._retry_connection = False
            async with session.request(method, url, json=json, allow_redirects=False) as response:
                yield response

    async def _addresses(self, link: Link) -> tuple[str, ...]:
        """The link's addresses, all of them checked."""
        literal = address_of(link.host) is not None
        addresses = (link.host,) if literal else tuple(await self._resolve(link.host))
        if not addresses:
            raise OSError("the host has no address")
        self.guard.check(link, addresses)
        return addresses


class _Found(aiohttp.abc.AbstractResolver):
    """Answers every question with the addresses that were found and checked before."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[aiohttp.abc.ResolveResult]:
        """The checked addresses, as aiohttp wants them."""
        return [
            aiohttp.abc.ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        """Nothing is open."""


def _only_to(addresses: Sequence[str]) -> Callable[[Any], socket.socket]:
    """A maker of sockets that makes none for an address which was not checked, whoever asks for it."""

    def made(info: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, target = info
        if target[0] not in addresses:
            raise OSError(f"{target[0]} was not checked")
        return socket.socket(family, kind, protocol)

    return made


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates to trust, read once: that takes tens of milliseconds."""
    return ssl.create_default_context()


# A response's body within limits: in pieces, decompressed as far as the limit and no further.


# The encodings that this file undoes, as a request asks for them.
ENCODINGS = "gzip, deflate"


async def read_body(pieces: AsyncIterator[bytes], encoding: str, largest: int, who: str) -> bytes:
    """The whole body, decompressed. Raises ProviderFailed beyond `largest` bytes, packed or unpacked.

    `encoding` is the response's Content-Encoding, empty for none.
    """
    unpack = _unpacker(encoding.strip().lower(), who)
    parts: list[bytes] = []
    packed = size = 0
    async for piece in pieces:
        packed += len(piece)
        part = unpack(piece, largest - size + 1)
        size += len(part)
        if max(size, packed) > largest:
            hint = "nothing that long is read; look for a shorter page"
            raise ProviderFailed(f"{who} sent more than {largest >> 20} MiB", hint=hint)
        parts.append(part)
    return b"".join(parts)


def _unpacker(encoding: str, who: str) -> Callable[[bytes, int], bytes]:
    """A function that unpacks one piece after the other, each time at most so many bytes."""
    if encoding in ("", "identity"):
        return lambda piece, _: piece
    if encoding not in ("gzip", "x-gzip", "deflate"):
        hint = "it ignores what was asked for; look for another page"
        raise ProviderFailed(f"{who} packed its answer as {encoding[:40]}, which was not asked for", hint=hint)
    # 47 stands for the largest window and for a gzip or zlib header, whichever comes (zlib's manual).
    unpacker = zlib.decompressobj(wbits=47)

    def unpack(piece: bytes, room: int) -> bytes:
        try:
            # Bytes beyond the room are never asked for: the caller gives up then.
            return unpacker.decompress(piece, max_length=room)
        except zlib.error as error:
            hint = "try again; else look for another page"
            raise ProviderFailed(f"{who} sent a damaged answer: {error}", hint=hint, retryable=True) from None

    return unpack


# Pages from the web: one GET, within every limit, or a typed error that says why not.


# Media types that the loaders read.
_READABLE = frozenset(
    """text/html application/xhtml+xml text/plain text/markdown text/x-markdown text/csv text/tab-separated-values
    application/csv application/pdf application/x-pdf application/json text/json application/xml text/xml
    application/epub+zip
    application/vnd.openxmlformats-officedocument.wordprocessingml.document
    application/vnd.openxmlformats-officedocument.presentationml.presentation
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet""".split()
)
_REDIRECTS = (301, 302, 303, 307, 308)
_ACCEPTED = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5"


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The limits of one page: bytes, seconds in all, seconds without a byte, and redirects."""

    bytes: int = 10 * 1024 * 1024
    seconds: float = 15.0
    idle_seconds: float = 5.0
    hops: int = 5


class PageFetcher:
    """Fetches pages by a client. It keeps the sites' rules for half a day, and nothing else."""

    def __init__(self, client: PinnedHttpClient, clock: Clock, limits: PageLimits | None = None) -> None:
        self._client = client
        self._clock = clock
        self._limits = limits or PageLimits()
        self._sites = SiteRules(self._robots, clock)

    async def fetch(self, link: str) -> Page:
        """The page at an address, through at most five redirects, each of them checked like the first.

        Raises EgressRefused for what the rules or the guard forbid, ProviderRefused for what the site does,
        ProviderUnreachable and ProviderFailed.
        """
        asked = self._client.guard.link(link)
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._followed(asked)
        except TimeoutError:
            raise late(str(asked), self._limits.seconds) from None
        except FAILURES as error:
            raise failed(str(asked), error, self._limits.idle_seconds) from None

    async def _followed(self, asked: Link) -> Page:
        link = asked
        for _ in range(self._limits.hops + 1):
            await self._refuse_what_the_site_does(link)
            found = await self._get(asked, link)
            if isinstance(found, Page):
                return found
            link = found
        raise ProviderRefused(
            f"{asked} leads on more than {self._limits.hops} times", hint="give the address that it ends at"
        )

    async def _get(self, asked: Link, link: Link) -> Page | Link:
        """The page, or where it leads on to."""
        headers = {"Accept": _ACCEPTED, "Accept-Encoding": ENCODINGS}
        async with self._client.open(link, headers=headers, idle_seconds=self._limits.idle_seconds) as response:
            if response.status in _REDIRECTS and "Location" in response.headers:
                return self._client.guard.follow(link, response.headers["Location"])
            if response.status != 200:
                raise answered(str(link), response.status, response.headers)
            content_type = _content_type(link, response.headers)
            data = await self._body(response, link, self._limits.bytes)
            modified = response.headers.get("Last-Modified")
        return await asyncio.to_thread(self._page, asked, link, data, content_type, modified)

    def _page(self, asked: Link, link: Link, data: bytes, content_type: str, modified: str | None) -> Page:
        fetched = self._clock.time()
        written = page_date(data, content_type, modified, fetched)
        return Page(str(link), str(asked), data, content_type, fetched, hashlib.sha256(data).hexdigest(), written)

    async def _body(self, response: aiohttp.ClientResponse, link: Link, largest: int) -> bytes:
        encoding = response.headers.get("Content-Encoding", "")
        return await read_body(response.content.iter_any(), encoding, largest, str(link))

    # --- the site's own rules -----------------------------------------------------------------------

    async def _refuse_what_the_site_does(self, link: Link) -> None:
        """Raise ProviderRefused where the site's robots.txt, or the lack of an answer, forbids the link."""
        if not (await self._sites.of(link)).allows(link.target):
            hint = "open it in a browser, and add it as a file if you may"
            raise ProviderRefused(f"{link}: the site's robots.txt does not let it be read", hint=hint)

    async def _robots(self, link: Link) -> Robots:
        """The site's rules: none where it has no such file. Raises ProviderError where it cannot be asked."""
        at = self._client.guard.follow(link, "/robots.txt")
        for _ in range(self._limits.hops + 1):
            headers = {"Accept": "text/plain,*/*;q=0.5", "Accept-Encoding": ENCODINGS}
            async with self._client.open(at, headers=headers, idle_seconds=self._limits.idle_seconds) as response:
                if response.status in _REDIRECTS and "Location" in response.headers:
                    at = self._client.guard.follow(at, response.headers["Location"])
                elif response.status == 200:
                    return read((await self._body(response, at, LARGEST)).decode("utf-8", errors="replace"))
                elif response.status == 429 or response.status >= 500:
                    raise answered(f"{at}, which says what may be read,", response.status, response.headers)
                else:
                    # A site without the file forbids nothing (RFC 9309, 2.3.1.3).
                    return Robots()
        return Robots()


def _content_type(link: Link, headers: Mapping[str, str]) -> str:
    """The response's type without parameters. Raises ProviderRefused for one that no loader reads."""
    told = headers.get("Content-Type", "").split(";")[0].strip().lower()
    if told in _READABLE or told.endswith(("+xml", "+json")):
        return told
    kind = told[:80] or "of no known kind"
    raise ProviderRefused(f"{link} is {kind}, which is not read", hint="look for the same as a page or a PDF")
