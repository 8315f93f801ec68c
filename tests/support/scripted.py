"""A server that answers each connection with the bytes that a test wrote for it, whatever HTTP says of them."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from support.served import PATIENCE


@dataclass(slots=True)
class Scripted:
    """The address of the server, and the requests that came; each reply closes its connection."""

    address: str
    requests: list[Request] = field(default_factory=list)
    unscripted: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One request: its first line, its headers by lower-case name, its body."""

    line: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Silence:
    """What is sent before the server falls silent; it waits for the client to leave."""

    sent: bytes


def reply(status: str, media_type: str, body: bytes, **headers: str) -> bytes:
    """A whole response."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {media_type}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def json_reply(status: str, body: Any, **headers: str) -> bytes:
    """A whole response with JSON."""
    return reply(status, "application/json", json.dumps(body).encode(), **headers)


def problem(status: str, **fields: Any) -> bytes:
    """A whole response with problem details; upper-case names are headers."""
    headers = {name: str(value) for name, value in fields.items() if name[0].isupper()}
    body = {name: value for name, value in fields.items() if not name[0].isupper()}
    return reply(status, "application/problem+json", json.dumps(body).encode(), **headers)


def event_stream(*events: bytes, whole: bool) -> bytes:
    """A response of events that ends as HTTP says, or breaks off."""
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\n"
    )
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in events)
    return head + chunks + (b"0\r\n\r\n" if whole else b"")


@contextmanager
def scripted(*replies: bytes | Silence) -> Iterator[Scripted]:
    """Answer the n-th connection with the n-th reply; AssertionError at the end if more or fewer came."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Scripted(f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread = threading.Thread(target=_serve, args=(listener, replies, server), daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE)
    assert (len(server.requests), server.unscripted) == (len(replies), 0)


def _serve(listener: socket.socket, replies: Sequence[bytes | Silence], server: Scripted) -> None:
    waiting = list(replies)
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(PATIENCE)
            if not waiting:
                server.unscripted += 1
                continue
            server.requests.append(_request(connection))
            now = waiting.pop(0)
            connection.sendall(now.sent if isinstance(now, Silence) else now)
            if isinstance(now, Silence):
                connection.recv(1)


def _request(connection: socket.socket) -> Request:
    with connection.makefile("rb") as file:
        line = file.readline().decode().strip()
        headers: dict[str, str] = {}
        while text := file.readline().decode().strip():
            name, _, value = text.partition(": ")
            headers[name.lower()] = value
        return Request(line, headers, file.read(int(headers.get("content-length", "0"))))
