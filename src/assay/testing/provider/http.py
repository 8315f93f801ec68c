"""Reading HTTP/1.1 requests from a stream."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

# What a TLS client says first, and the answer "fatal: handshake failure" (RFC 8446, section 6).
TLS_HELLO = b"\x16"
TLS_ALERT = b"\x15\x03\x03\x00\x02\x02\x28"


class SpeaksTls(Exception):
    """The client began a TLS handshake."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request's parts as they came; headers by lower-case name."""

    method: str
    path: str
    headers: dict[str, str]
    content: bytes

    def body(self) -> Any:
        """The content as JSON, None where it is none."""
        try:
            return json.loads(self.content)
        except ValueError:
            return None


class Inbox:
    """A client's bytes: request after request, and whether the client is still there."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._early = b""

    async def request(self) -> Incoming | None:
        """The next request, None where the client has left. Raises SpeaksTls."""
        try:
            first = self._early or await self._reader.read(1)
            self._early = b""
            if first == TLS_HELLO:
                raise SpeaksTls
            if not first:
                return None
            head = first + await self._reader.readuntil(b"\r\n\r\n")
            start, *lines = head.decode("latin-1").strip().split("\r\n")
            headers = {
                name.strip().lower(): value.strip() for name, _, value in (each.partition(":") for each in lines)
            }
            method, path, _ = start.split(" ", 2)
            return Incoming(method, path, headers, await self._content(headers))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            return None

    async def left(self) -> None:
        """Return when the client leaves; what it sends before is kept for `request`."""
        while True:
            try:
                byte = await self._reader.read(1)
            except ConnectionError:
                return
            if not byte:
                return
            self._early += byte
            # The next request came early: its client is there, and waits.
            await asyncio.Event().wait()

    async def _content(self, headers: dict[str, str]) -> bytes:
        if "chunked" not in headers.get("transfer-encoding", ""):
            return await self._reader.readexactly(int(headers.get("content-length", "0")))
        parts = []
        while size := int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16):
            parts.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readuntil(b"\r\n")
        return b"".join(parts)
