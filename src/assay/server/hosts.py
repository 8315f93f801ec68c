"""Names and origins that a request may carry, and the address that it came from.

A web page of another site can send requests to this machine, and by DNS rebinding read the replies. Its requests
carry a foreign Origin, or a foreign Host, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from assay.errors import UsageError
from assay.server.problems import problem_response

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
# The port is no part of the name; a name that is no address cannot have brackets or colons.
_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::([0-9]{1,5}))?", re.ASCII)
_ORIGIN = re.compile(r"(https?)://([^/?#@\s]{1,300})", re.ASCII)
_PORTS = {"http": "80", "https": "443"}
# Headers that a proxy adds to a request that it passes on.
_FORWARDING = ("x-forwarded-for", "forwarded", "x-real-ip", "via")


class HostAndOrigin:
    """Refuse requests whose Host is not a name of this server (421), or whose Origin is another site (403).

    Names are localhost and its addresses, the address that is listened on, and `allowed_hosts`; where every address
    of the machine is listened on, any address too, as a rebound name is none. An Origin must be the request's own
    Host, or one of `allowed_origins`, such as `https://assay.example.org`. Web sockets are closed: there are none.
    Raises UsageError for names and origins that cannot be any.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        listening: str,
        allowed_hosts: Iterable[str] = (),
        allowed_origins: Iterable[str] = (),
    ) -> None:
        self._app = app
        self._any_address = _is_wildcard(listening)
        own = () if self._any_address else (f"[{listening}]" if ":" in listening else listening,)
        self._hosts = {_name(host) for host in (*LOCAL_HOSTS, *own, *allowed_hosts)}
        self._origins = {origin_name(origin) for origin in allowed_origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer the refusal."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            refusal = self._host_refusal(headers) or self._origin_refusal(headers)
            if refusal is not None:
                status, detail, hint = refusal
                await problem_response(status, detail, hint, scope)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _host_refusal(self, headers: Headers) -> tuple[int, str, str] | None:
        given = headers.getlist("host")
        parts = _parts(given[0]) if len(given) == 1 else None
        if parts is None:
            return 400, "the request has no usable Host header", "send one, as every HTTP client does"
        host, _ = parts
        if host in self._hosts or (self._any_address and _is_address(host)):
            return None
        return (
            421,
            f"this server is not {host[:100]!r}",
            "use the address it listens on, or start it with --allow-host NAME",
        )

    def _origin_refusal(self, headers: Headers) -> tuple[int, str, str] | None:
        for origin in headers.getlist("origin"):
            if origin.lower() not in self._origins and not _same_origin(origin, headers["host"]):
                return (
                    403,
                    f"requests of the web origin {origin[:100]!r} are not accepted",
                    "start the server with --allow-origin ORIGIN to accept them",
                )
        return None


def behind_proxies(app: ASGIApp, proxies: Iterable[str]) -> ASGIApp:
    """The application with the client's address taken from X-Forwarded-For where one of the proxies sent it.

    `proxies` are addresses and networks. Raises UsageError for anything else.
    """
    trusted = list(proxies)
    for proxy in trusted:
        try:
            ip_network(proxy, strict=False)
        except ValueError as error:
            raise UsageError(
                f"{proxy[:100]!r} is not the address of a proxy", hint="e.g. --trust-proxy 10.0.0.7 or 10.0.0.0/24"
            ) from error
    if not trusted:
        return app
    return cast(ASGIApp, ProxyHeadersMiddleware(app, trusted_hosts=trusted))  # type: ignore[arg-type]


def origin_name(origin: str) -> str:
    """A web origin as browsers send it: in lower case, without the port that its scheme implies.

    >>> origin_name("HTTPS://Assay.example.org:443")
    'https://assay.example.org'

    Raises UsageError for what is none.
    """
    match = _ORIGIN.fullmatch(origin.lower())
    parts = _parts(match[2]) if match else None
    if match is None or parts is None:
        raise UsageError(
            f"{origin[:100]!r} is not a web origin", hint="e.g. --allow-origin https://assay.example.org"
        )
    host, port = parts
    return f"{match[1]}://{host}" if port in (None, _PORTS[match[1]]) else f"{match[1]}://{host}:{port}"


def client_of(scope: Scope) -> str:
    """The name under which a client's requests are counted: its address; of IPv6 the network, as one has them all.

    >>> client_of({"client": ("2001:db8::7", 50000)}), client_of({"client": ("::ffff:10.0.0.7", 50000)})
    ('2001:db8::/64', '10.0.0.7')
    """
    try:
        address = ip_address((scope.get("client") or ("",))[0])
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(ip_network((address, 64), strict=False)) if mapped is None else str(mapped)
    return str(address)


def is_direct_and_local(scope: Scope) -> bool:
    """True if the client is on this machine, and no proxy stands in between."""
    if any(name in Headers(scope=scope) for name in _FORWARDING):
        return False
    return is_loopback((scope.get("client") or ("",))[0])


def is_loopback(host: str) -> bool:
    """True if only this machine reaches the address.

    >>> [is_loopback(host) for host in ("localhost", "127.9.9.9", "::1", "0.0.0.0", "localhost.example.org")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    try:
        return host == "" or ip_address(host).is_unspecified
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _parts(header: str) -> tuple[str, str | None] | None:
    """The name, in lower case and addresses in their shortest form, and the port; None if it is neither."""
    match = _HOST.fullmatch(header.lower())
    if match is None:
        return None
    host, port = match.groups()
    if not host.startswith("["):
        return host, port
    try:
        return f"[{IPv6Address(host[1:-1])}]", port
    except ValueError:
        return None


def _same_origin(origin: str, host: str) -> bool:
    """True if an Origin names the Host of its request; the port that a scheme implies may be left out."""
    match = _ORIGIN.fullmatch(origin.lower())
    theirs = _parts(match[2]) if match else None
    ours = _parts(host)
    if match is None or theirs is None or ours is None:
        return False
    implied = _PORTS[match[1]]
    return (theirs[0], theirs[1] or implied) == (ours[0], ours[1] or implied)


def _name(host: str) -> str:
    parts = _parts(host)
    if parts is None or parts[1] is not None:
        raise UsageError(
            f"{host[:100]!r} is not the name of a host", hint="e.g. --allow-host assay.example.org, without a port"
        )
    return parts[0]
