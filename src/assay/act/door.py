"""The one door to the network: every request outside goes through it, to an address that was checked.

A host's addresses are found once. Each of them is checked, and the connection is made to exactly those: a name
that points elsewhere a moment later changes nothing. The host's name stays in the request and in the TLS
handshake, so that the server's certificate is tested against it.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import Any

from assay.act.addresses import address_of
from assay.act.failures import aiohttp, yarl
from assay.act.guard import Guard, Link
from assay.errors import EgressRefused

# Find the addresses of a host, as text.
Resolve = Callable[[str], Awaitable[Sequence[str]]]

USER_AGENT = f"assay/{version('assay')} (reads pages to answer a question; keeps to robots.txt)"
_CONNECT_SECONDS = 5.0


async def system_addresses(host: str) -> tuple[str, ...]:
    """The host's addresses as this machine finds them. Raises OSError where there are none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


class Door:
    """Opens requests to links that a guard made. Neither follows redirects, nor retries, nor keeps cookies."""

    def __init__(self, guard: Guard, resolve: Resolve = system_addresses) -> None:
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
