"""A real server on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import uvicorn
from starlette.types import ASGIApp

from assay.server.main import TimedProtocol, application
from assay.server.service import Service
from assay.server.settings import ServerSettings

# Seconds that a test waits for what always comes.
PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running server: its address and its service."""

    address: str
    service: Service

    def client(self, **more: Any) -> httpx2.Client:
        """A client of the server."""
        return httpx2.Client(base_url=self.address, timeout=PATIENCE, **more)


@contextmanager
def serving(settings: ServerSettings, wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app) -> Iterator[Served]:
    """Serve as `assay serve` does, until the block ends; `wrap` puts something before the application."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        port = listener.getsockname()[1]
        service = Service.over(settings)
        config = uvicorn.Config(
            wrap(application(service)),  # type: ignore[arg-type]
            http=TimedProtocol,
            ws="none",
            proxy_headers=False,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=5,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_for(lambda: server.started)
        try:
            yield Served(f"http://127.0.0.1:{port}", service)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def events_of(text: str) -> list[dict[str, Any]]:
    """The bodies of the events of a stream, in order; each names its `kind`."""
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds; an AssertionError if it does not within `PATIENCE`."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)
