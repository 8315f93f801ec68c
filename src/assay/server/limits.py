"""Limits of one request: bytes and seconds of its body, a share of the minute, and a place among the answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.server.hosts import client_of
from assay.server.problems import problem_response
from assay.server.rates import Rate

MIB = 1024 * 1024
# Paths that answer however busy the server is.
HEALTH = ("/healthz", "/readyz")
# The paths behind which models and networks work.
ANSWERING = (
    "/api/v1/ask",
    "/api/v1/answer-from",
    "/api/v1/search",
    "/api/v1/judge",
    "/api/v1/check",
    "/api/v1/fix",
    "/v1/chat/completions",
    "/mcp",
)
# Seconds after which a place may be free again. Chosen.
RETRY_AFTER = "1"
# More digits than any number of bytes that is allowed has.
_DIGITS = 15


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most bytes that a body may have at `path` and below, and the seconds that may be spent waiting for it."""

    path: str
    size: int
    seconds: float


def body_limits(largest_upload: int) -> tuple[BodyLimit, ...]:
    """The limits of the server's paths. Chosen: a line of 4 Mbit/s is fast enough for each."""
    texts = ("/api/v1/answer-from", "/api/v1/judge", "/api/v1/check", "/api/v1/fix", "/v1", "/mcp")
    return (
        BodyLimit("", 2 * MIB, 30.0),
        *(BodyLimit(path, 16 * MIB, 60.0) for path in texts),
        BodyLimit("/api/v1/documents", largest_upload, 600.0),
    )


class BodyLimits:
    """Refuse bodies that are too large (413) or come too slowly (408), before anything parses them.

    Of `limits` the one with the longest path that fits counts; "" fits every path and must be among them. What was
    read of a body that is refused later has gone to the application. That is told that the client has left, and
    its own reply is dropped.
    """

    def __init__(self, app: ASGIApp, limits: Iterable[BodyLimit]) -> None:
        self._app = app
        self._limits = sorted(limits, key=lambda limit: len(limit.path), reverse=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body watched, or answer the refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = next(limit for limit in self._limits if is_below(scope["path"], limit.path))
        length = Headers(scope=scope).get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            refusal = problem_response(400, "the header Content-Length is not a number", "leave it out", scope)
            await refusal(scope, receive, send)
        elif len(length) > _DIGITS or int(length) > limit.size:
            await _refuse("large", limit, scope, receive, send)
        else:
            await self._watched(limit, scope, receive, send)

    async def _watched(self, limit: BodyLimit, scope: Scope, receive: Receive, send: Send) -> None:
        body = _Body(receive, limit)
        started = False

        async def forward(message: Message) -> None:
            nonlocal started
            if body.fault is None or started:
                started = True
                await send(message)

        try:
            await self._app(scope, body.receive, forward)
        except ClientDisconnect:
            if body.fault is None:
                raise
        if body.fault is not None and not started:
            await _refuse(body.fault, limit, scope, receive, send)


class _Body:
    """The body of a request as the application receives it, which ends where it breaks its limit (`fault`)."""

    def __init__(self, receive: Receive, limit: BodyLimit) -> None:
        self._receive = receive
        self._bytes_left = limit.size
        self._seconds_left = limit.seconds
        self._complete = False
        self.fault: Literal["large", "slow"] | None = None

    async def receive(self) -> Message:
        """The next message; that the client has left once the body broke its limit."""
        if self._complete:
            return await self._receive()
        if self.fault is not None:
            return {"type": "http.disconnect"}
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with asyncio.timeout(self._seconds_left):
                message = await self._receive()
        except TimeoutError:
            self.fault = "slow"
            return {"type": "http.disconnect"}
        self._seconds_left -= loop.time() - begun
        if message["type"] == "http.request":
            self._bytes_left -= len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._bytes_left < 0:
                self._complete, self.fault = False, "large"
                return {"type": "http.disconnect"}
        return message


async def _refuse(
    fault: Literal["large", "slow"], limit: BodyLimit, scope: Scope, receive: Receive, send: Send
) -> None:
    if fault == "large":
        size = f"{limit.size / MIB:,.0f} MiB" if limit.size >= MIB else f"{limit.size:,} bytes"
        response = problem_response(413, f"the body is larger than {size}", "send less at a time", scope)
    else:
        response = problem_response(
            408,
            f"the body did not arrive within {limit.seconds:g} s",
            "send less at a time, or over a faster line",
            scope,
            headers={"Connection": "close"},
        )
    await response(scope, receive, send)


class RequestRate:
    """Refuse what comes more often than `per_minute` (429): of a key, or without one of an address.

    Each of several processes of one server counts for itself, up to its share. Paths of `HEALTH` are not counted.
    """

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        self._rate = Rate(per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer the refusal."""
        if scope["type"] == "http" and scope["path"] not in HEALTH:
            name = _counted_as(scope)
            if not self._rate.hit(name):
                response = problem_response(
                    429,
                    f"more than {self._rate.per_minute} requests came within a minute",
                    "send fewer, or ask whoever runs the server for more",
                    scope,
                    headers={"Retry-After": self._rate.retry_after(name)},
                )
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)


class AnsweringLimit:
    """Refuse at once what would be answered beside `total` others (503), or `per_caller` of the same caller (429).

    A caller is a key, or an address without one. Paths of `ANSWERING` and what is below them count; a stream counts
    until it ends.
    """

    def __init__(self, app: ASGIApp, total: int, per_caller: int) -> None:
        self._app = app
        self._total = total
        self._per_caller = per_caller
        self._answering: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and hold its place until it is answered, or answer the refusal."""
        if scope["type"] != "http" or not any(is_below(scope["path"], path) for path in ANSWERING):
            await self._app(scope, receive, send)
            return
        name = _counted_as(scope)
        refusal = self._refusal(name)
        if refusal is not None:
            status, detail = refusal
            hint = "try again when an answer has come"
            response = problem_response(status, detail, hint, scope, headers={"Retry-After": RETRY_AFTER})
            await response(scope, receive, send)
            return
        self._answering[name] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._answering[name] -= 1
            if not self._answering[name]:
                del self._answering[name]

    def _refusal(self, name: str) -> tuple[int, str] | None:
        if self._answering[name] >= self._per_caller:
            return 429, f"{self._per_caller} requests of yours are being answered already"
        if self._answering.total() >= self._total:
            return 503, f"the server is answering {self._total} requests already"
        return None


def is_below(path: str, place: str) -> bool:
    """True if a path is the place or below it; "" has every path below it.

    >>> [is_below(path, "/v1") for path in ("/v1", "/v1/models", "/v10")]
    [True, True, False]
    """
    return not place or path == place or path.startswith(f"{place}/")


def _counted_as(scope: Scope) -> str:
    """The name under which a request is counted."""
    caller = scope.get("state", {}).get("caller")
    return f"key {caller.key_id}" if caller is not None and caller.key_id else f"address {client_of(scope)}"
