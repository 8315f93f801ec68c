"""Everything that a request passes before the application, in its order: CORS and headers of responses too."""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from ulid import ULID

from assay.server.access import Access, Authentication
from assay.server.hosts import HostAndOrigin, behind_proxies, origin_name
from assay.server.limits import AnsweringLimit, BodyLimits, RequestRate, body_limits
from assay.server.problems import request_id_of
from assay.server.settings import ServerSettings
from assay.telemetry.request import Request, within_request


def with_perimeter(app: ASGIApp, settings: ServerSettings, access: Access) -> ASGIApp:
    """The application behind its id and headers, names and origins, keys, rates, and limits.

    Raises UsageError for a host, an origin or a proxy in the settings that cannot be one.
    """
    app = RequestContext(app)
    app = AnsweringLimit(app, settings.share(settings.answering), settings.share(settings.answering_per_key))
    app = BodyLimits(app, body_limits(settings.largest_upload))
    app = RequestRate(app, settings.share(settings.requests_per_minute))
    app = Authentication(app, access)
    app = readable_by(app, map(origin_name, settings.allowed_origins))
    app = HostAndOrigin(
        app,
        listening=settings.host,
        allowed_hosts=settings.allowed_hosts,
        allowed_origins=settings.allowed_origins,
    )
    app = behind_proxies(app, settings.trusted_proxies)
    return ResponseHeaders(app)


class RequestContext:
    """Answer each request in a context that the log and the traces of its run know it by."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        caller = scope.get("state", {}).get("caller")
        with within_request(Request(request_id_of(scope), "" if caller is None else caller.tenant)):
            await self._app(scope, receive, send)


_METHODS = ("GET", "HEAD", "POST", "DELETE")
# Headers that the API, agents over MCP, and OpenAI's package in a browser send.
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
# Seconds for which a browser may remember the answer to a preflight. Chosen.
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
        allow_private_network=True,  # a public page with a server in the local network: allowed is allowed
        max_age=_REMEMBERED,
    )


REQUEST_ID = "X-Request-ID"
# An id that a client may choose: it cannot break a line of a log, and means nothing to a shell.
_CHOSEN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
# A response may set a stricter or longer-lived one itself.
_USUAL = {"Content-Security-Policy": CONTENT_SECURITY_POLICY, "Cache-Control": "no-store"}
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class ResponseHeaders:
    """Give every request an id, in `scope["state"]["request_id"]`, and every response it and the strict headers.

    The id is the client's `X-Request-ID` if it is at most 64 letters, digits, dots, dashes and underscores, else a
    new one. A response may have a Content-Security-Policy and a Cache-Control of its own; without one the page's
    policy holds, and nothing may be stored.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its id, and the response with its headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        chosen = Headers(scope=scope).get(REQUEST_ID, "")
        request_id = chosen if _CHOSEN_ID.fullmatch(chosen) else str(ULID())
        scope.setdefault("state", {})["request_id"] = request_id

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _USUAL.items():
                    headers.setdefault(name, value)
                for name, value in _ALWAYS.items():
                    headers[name] = value
                headers[REQUEST_ID] = request_id
            await send(message)

        await self._app(scope, receive, with_headers)
