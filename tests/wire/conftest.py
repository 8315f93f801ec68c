"""A server on localhost that sends the bytes it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Told:
    """What to answer, and what was asked. The last answer is given again and again."""

    host: str
    answers: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def json(self, body: Any, status: int = 200, **headers: str) -> None:
        """Answer with JSON."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, json.dumps(body).encode(), {"Content-Type": "application/json"} | named))

    def events(self, *events: Any) -> None:
        """Answer with server-sent events: JSON, or bytes as they are."""
        parts = [each if isinstance(each, bytes) else b"data: " + json.dumps(each).encode() for each in events]
        body = b"".join(part + b"\n\n" for part in parts)
        self.answers.append((200, body, {"Content-Type": "text/event-stream"}))

    def text(self, body: bytes, status: int = 200, kind: str = "text/plain") -> None:
        """Answer with bytes of any kind."""
        self.answers.append((status, body, {"Content-Type": kind}))


@pytest.fixture
def told() -> Iterator[Told]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(request)
            server.paths.append(self.path)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, body, headers = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: tests are quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Nothing: a client that left is part of a test."""

    listening = Server(("127.0.0.1", 0), Handler)
    server = Told(f"http://127.0.0.1:{listening.server_port}")
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    listening.shutdown()
    listening.server_close()
    thread.join()
