"""Let pages of allowed web origins read the replies: CORS (https://fetch.spec.whatwg.org/#http-cors-protocol)."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

_METHODS = ("GET", "HEAD", "POST", "DELETE")
# What the API, agents over MCP, and OpenAI's package in a browser send.
_REQUEST_HEADERS = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Last-Event-ID",
    "X-API-Key",
    "X-Request-ID",
    "Mcp-Method",
    "Mcp-Name",
    "Mcp-Protocol-Version",
    "Mcp-Session-Id",
    "OpenAI-Organization",
    "OpenAI-Project",
    *(
        f"X-Stainless-{name}"
        for name in (
            *("Arch", "Lang", "OS", "Package-Version", "Runtime", "Runtime-Version"),
            *("Retry-Count", "Timeout", "Read-Timeout", "Helper-Method"),
        )
    ),
)
_RESPONSE_HEADERS = ("X-Request-ID", "Retry-After", "Location", "WWW-Authenticate", "Mcp-Session-Id")
# Seconds for which a browser may remember what a preflight was told. Chosen.
_REMEMBERED = 600


def readable_by(app: ASGIApp, origins: Iterable[str]) -> ASGIApp:
    """The application with CORS headers for these origins, streams and errors included; as it is without any.

    Each origin is named, never `*`, and none may send cookies: a key comes in a header. A preflight is answered
    before a key is asked for, as a browser sends none with it. `HostAndOrigin` must stand before this: it refuses
    other origins.
    """
    allowed = tuple(origins)
    if not allowed:
        return app
    return CORSMiddleware(
        app,
        allow_origins=allowed,
        allow_methods=_METHODS,
        allow_headers=_REQUEST_HEADERS,
        expose_headers=_RESPONSE_HEADERS,
        allow_private_network=True,  # a public page and a server in the local network: whoever allows it means it
        max_age=_REMEMBERED,
    )
