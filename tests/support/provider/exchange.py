"""One request being answered, byte by byte: what faults play with."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from support.provider.rules import Asked, Reply, ServerEvent
from support.provider.wire import WireFormat, encoded

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"
# So that a close sends RST at once, and not FIN after what is still to be sent.
_LINGER_NEVER = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class Line:
    """The connection to one client; `closing` is set where it shall not serve another request."""

    writer: asyncio.StreamWriter = field(repr=False)
    scale: float
    closing: bool = False

    async def wait(self, seconds: float) -> None:
        """Let `seconds` pass, times the time scale."""
        if seconds:
            await asyncio.sleep(seconds * self.scale)

    async def hang(self) -> None:
        """Say nothing more until the client leaves or the provider closes."""
        await asyncio.Event().wait()

    async def write(self, *parts: bytes) -> None:
        """Send bytes as they are."""
        self.writer.write(b"".join(parts))
        await self.writer.drain()

    async def head(
        self,
        status: int = 200,
        kind: str = JSON,
        *,
        length: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send the status and the headers; without `length` the body follows in HTTP chunks."""
        size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
        more = [f"{name}: {value}" for name, value in (headers or {}).items()]
        lines = [f"HTTP/1.1 {status} {_phrase(status)}", f"Content-Type: {kind}", size, *more, "", ""]
        await self.write("\r\n".join(lines).encode())

    async def chunk(self, *parts: bytes) -> None:
        """Send HTTP chunks, one a part, with a single write."""
        await self.write(*(b"%x\r\n%b\r\n" % (len(part), part) for part in parts if part))

    async def end(self) -> None:
        """End a body of chunks; the connection can serve the next request."""
        await self.write(b"0\r\n\r\n")

    async def whole(
        self, status: int, body: bytes, kind: str = JSON, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole response."""
        await self.head(status, kind, length=len(body), headers=headers)
        await self.write(body)

    async def reset(self) -> None:
        """Cut the connection with RST, as a machine does that died."""
        # What was written has reached the kernel by now, not yet the client, who would lose it to the RST.
        await asyncio.sleep(0.002)
        link: socket.socket = self.writer.get_extra_info("socket")
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NEVER)
        self.closing = True
        self.writer.transport.abort()


@dataclass(slots=True)
class Exchange:
    """A request for a reply, the reply that the rules gave, and the line to say it on."""

    asked: Asked
    wire: WireFormat
    reply: Reply
    line: Line

    async def answer(self, reply: Reply | None = None) -> None:
        """Answer honestly, with `reply` in the place of the rules' own."""
        reply = reply or self.reply
        await self.line.wait(reply.wait)
        if self.asked.stream:
            await self.stream(self.wire.events(self.asked, reply), pace=reply.pace)
        else:
            await self.line.whole(200, self.body(reply))

    def body(self, reply: Reply | None = None) -> bytes:
        """A whole reply's bytes."""
        return json.dumps(self.wire.body(self.asked, reply or self.reply), ensure_ascii=False).encode()

    def events(self) -> list[ServerEvent]:
        """The events of the honest reply as a stream."""
        return self.wire.events(self.asked, self.reply)

    async def stream(self, events: Sequence[ServerEvent], *, pace: float = 0.0, end: bool = True) -> None:
        """Send events as a stream, `pace` seconds before each piece of text; without `end` it is left open."""
        await self.line.head(200, EVENTS)
        await self.send(events, pace=pace)
        if end:
            await self.line.end()

    async def send(self, events: Iterable[ServerEvent], *, pace: float = 0.0) -> None:
        """Send events within an open stream."""
        if not pace:
            await self.line.chunk(*map(encoded, events))
            return
        for event in events:
            if event.text:
                await self.line.wait(pace)
            await self.line.chunk(encoded(event))

    async def refuse(
        self, status: int, message: str, code: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer with an error in the vendor's words."""
        error: dict[str, Any] = self.wire.error(status, message, code)
        await self.line.whole(status, json.dumps(error).encode(), headers=headers)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # vendors' own, such as 529
        return "Overloaded"
