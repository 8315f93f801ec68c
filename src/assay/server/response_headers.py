"""The headers that every response has: an id to find it by, and what a browser must not do with it."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from ulid import ULID

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
