"""One exchange with an ASGI application, without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("127.0.0.1", 50000)


@dataclass(frozen=True, slots=True)
class Reply:
    """What an application answered."""

    status: int
    headers: Headers
    body: bytes

    @property
    def problem(self) -> dict[str, Any]:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(slots=True)
class Recorder:
    """An application that reads the whole body, and answers 200 with what it has read."""

    scopes: list[Scope] = field(default_factory=list)
    headers: Sequence[tuple[bytes, bytes]] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        body = b""
        more = True
        while more:
            message = await receive()
            assert message["type"] == "http.request"
            body += message["body"]
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": body})


def http_scope(
    path: str = "/",
    headers: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
    client: tuple[str, int] | None = LOCAL,
    method: str = "GET",
) -> Scope:
    """The scope of a request; it has a Host unless `headers` are pairs."""
    headers = headers if headers is not None else {}
    pairs = [("host", "localhost"), *headers.items()] if isinstance(headers, Mapping) else list(headers)
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": raw,
        "client": client,
        "scheme": "http",
        "http_version": "1.1",
    }


async def exchange(app: ASGIApp, scope: Scope, body: Iterable[bytes] = (b"",), *, stalls: bool = False) -> Reply:
    """Send a request in pieces and return the reply; one that `stalls` sends no end of its body."""
    pieces = list(body)
    sent: list[Message] = []

    async def receive() -> Message:
        if pieces:
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": stalls or bool(pieces)}
        await asyncio.Event().wait()  # the client waits for the reply
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start, *rest = sent
    assert start["type"] == "http.response.start"
    assert all(message["type"] == "http.response.body" for message in rest)
    assert not rest[-1].get("more_body", False)
    return Reply(start["status"], Headers(raw=start["headers"]), b"".join(message["body"] for message in rest))
