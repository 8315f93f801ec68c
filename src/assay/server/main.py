"""Run the server: one process, or several that share a socket and the data folder; slow connections are closed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, ClassVar

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from assay.errors import UsageError
from assay.server.access import Access, refuse_open_bind
from assay.server.app import ENDING, create_app
from assay.server.metrics import FOLDER_VARIABLE, RequestCounter
from assay.server.perimeter import with_perimeter
from assay.server.service import Service
from assay.server.settings import Bounds, ServerSettings


class _Timer:
    """Cuts a connection unless it is stopped in time; starting it while it runs changes nothing."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    def start(self, seconds: float, transport: asyncio.Transport) -> None:
        if self._handle is None:
            self._handle = self._loop.call_later(seconds, transport.abort)

    def stop(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class TimedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 with limits on waiting: for a request's head, the rest of a refused body, and the client.

    Give it to uvicorn as `http`. A client has `head_seconds` to send a whole head, from when it connected or was
    answered; as long to send what is left of a body whose response has gone already; and must take something of
    what is written within `taking_seconds`.
    """

    # Chosen: a head fits into one packet, and a laptop that sleeps may reconnect.
    head_seconds: ClassVar[float] = 15.0
    taking_seconds: ClassVar[float] = 60.0

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._sending = _Timer(self.loop)
        self._taking = _Timer(self.loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first head."""
        super().connection_made(transport)
        self._watch_sending()

    def data_received(self, data: bytes) -> None:
        """Take data in, and see what is waited for next."""
        super().data_received(data)
        self._watch_sending()

    def on_response_complete(self) -> None:
        """Wait for the next head, or for the rest of a body that nobody read."""
        super().on_response_complete()
        self._watch_sending()

    def pause_writing(self) -> None:
        """Start waiting for the client to take what was written."""
        super().pause_writing()
        self._taking.start(self.taking_seconds, self.transport)

    def resume_writing(self) -> None:
        """Note that the client took something."""
        self._taking.stop()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._sending.stop()
        self._taking.stop()
        super().connection_lost(exc)

    def _watch_sending(self) -> None:
        theirs, ours = self.conn.their_state, self.conn.our_state
        before_head = theirs is h11.IDLE
        body_is_refused = theirs is h11.SEND_BODY and ours not in (h11.SEND_RESPONSE, h11.SEND_BODY)
        if not (before_head or body_is_refused) or self.transport.is_closing():
            self._sending.stop()
        else:
            self._sending.start(self.head_seconds, self.transport)


# Seconds that a process may take to start on a busy machine before it is replaced. Chosen.
_STARTING = 60
# Seconds in which connections are ended once the runs have; with `ENDING` a stop takes less than ten.
_CLOSING = 3


def run_server(settings: ServerSettings, announce: Callable[[Service, int], None]) -> None:
    """Serve until SIGINT or SIGTERM; `announce` is told the port that is listened on. Raises UsageError."""
    service = Service.over(settings)
    refuse_open_bind(settings.host, has_keys=service.keys.any(), allow_anonymous=settings.allow_anonymous)
    app = application(service)
    listening = _listen(settings.host, settings.port)
    announce(service, listening[0].getsockname()[1])
    # uvicorn raises the signal that ended it once more when it is done; after SIGTERM the exit code is to be 0.
    signal.signal(signal.SIGTERM, _exit)
    common: dict[str, Any] = {
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "date_header": True,
        "proxy_headers": False,
        "http": TimedProtocol,
        "ws": "none",
        "timeout_graceful_shutdown": int(ENDING) + _CLOSING,
        "lifespan": "on",
    }
    if settings.workers == 1:
        with suppress(KeyboardInterrupt):
            uvicorn.Server(uvicorn.Config(app, **common)).run(sockets=listening)
        return
    with TemporaryDirectory(prefix="assay-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        # Processes are spawned: what they are given is pickled, as is the application's factory.
        factory = partial(application_of_worker, settings_to_json(settings))
        config = uvicorn.Config(
            factory, factory=True, workers=settings.workers, timeout_worker_healthcheck=_STARTING, **common
        )
        Multiprocess(config, sockets=listening).run()


def _listen(host: str, port: int) -> list[socket.socket]:
    """Sockets bound to every address of the host, for this process and those that it starts."""
    listening: list[socket.socket] = []
    try:
        for family, *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
            port = listening[0].getsockname()[1] if listening else port
            listening.append(socket.create_server((str(place[0]), port), family=family))
            listening[-1].set_inheritable(True)
    except OSError as error:
        raise UsageError(
            f"{host}:{port} cannot be listened on: {str(error.strerror).partition(' (')[0]}",
            hint="give another --port, 0 for any that is free, or another --host",
        ) from error
    return listening


def _exit(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def application(service: Service) -> ASGIApp:
    """The application of a process, which ends its runs as soon as the process is to stop.

    Raises UsageError for a host, an origin or a proxy in the settings that cannot be one.
    """
    app = create_app(service, lambda: _end_runs_at_signal(service))
    settings = service.settings
    access = Access(
        service.keys,
        listening=settings.host,
        allow_anonymous=settings.allow_anonymous,
        processes=settings.workers,
    )
    # Outermost, so that what the perimeter refuses is counted as well.
    return RequestCounter(with_perimeter(app, settings, access), service.metrics, service.levels)


def application_of_worker(settings: str) -> ASGIApp:
    """The application of one of several processes; `settings` are JSON."""
    return application(Service.over(settings_from_json(settings)))


def settings_to_json(settings: ServerSettings) -> str:
    """The settings as JSON, paths as text; a log is standard output in whichever process reads them."""
    values = {name: getattr(settings, name) for name in ServerSettings.__slots__ if name != "answer_log"}
    bounds = {name: getattr(settings.bounds, name) for name in Bounds.__slots__}
    return json.dumps({**values, "bounds": bounds, "logs": settings.answer_log is not None}, default=str)


def settings_from_json(text: str) -> ServerSettings:
    """The settings that were written as JSON.

    >>> settings_from_json(settings_to_json(ServerSettings(port=80, models=("a",), engine={"k": 5}))).models
    ('a',)
    """
    values = json.loads(text)
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    engine, logs = values["engine"], values.pop("logs")
    if "data_dir" in engine:
        engine["data_dir"] = Path(engine["data_dir"])
    log = sys.stdout if logs else None
    return ServerSettings(**{**values, "bounds": Bounds(**values["bounds"]), "engine": engine, "answer_log": log})


def _end_runs_at_signal(service: Service) -> None:
    """End the runs at a signal to stop: the server waits for its connections, and so for them."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def end(received: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(lambda: loop.create_task(service.live.close(ENDING)))
            if callable(before):
                before(received, frame)

        signal.signal(number, end)
