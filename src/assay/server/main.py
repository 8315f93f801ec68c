"""Run the server: one process, or several that share a socket and the data folder."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from assay.server.access import Access, refuse_open_bind
from assay.server.app import ENDING, create_app
from assay.server.connections import TimedProtocol
from assay.server.metrics import FOLDER_VARIABLE, RequestCounter
from assay.server.perimeter import with_perimeter
from assay.server.service import Service
from assay.server.settings import Bounds, ServerSettings

# Seconds that a process may take to start on a busy machine before it is replaced. Chosen.
_STARTING = 60
# Seconds in which connections are ended once the runs have; with `ENDING` a stop takes less than ten.
_CLOSING = 3


def run_server(settings: ServerSettings, announce: Callable[[Service], None]) -> None:
    """Serve until SIGINT or SIGTERM; `announce` is called once the settings are found to fit. Raises UsageError."""
    service = Service.over(settings)
    refuse_open_bind(settings.host, has_keys=service.keys.any(), allow_anonymous=settings.allow_anonymous)
    announce(service)
    # uvicorn raises the signal that ended it again when it is done: told to stop, the program ends well.
    signal.signal(signal.SIGTERM, _exit)
    common: dict[str, Any] = {
        "host": settings.host,
        "port": settings.port,
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
        uvicorn.run(application(service), **common)
        return
    with TemporaryDirectory(prefix="assay-metrics-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        # Processes are spawned: what they are given is pickled, as is the application's factory.
        factory = partial(application_of_worker, settings_to_json(settings))
        config = uvicorn.Config(
            factory, factory=True, workers=settings.workers, timeout_worker_healthcheck=_STARTING, **common
        )
        Multiprocess(config, sockets=[config.bind_socket()]).run()


def _exit(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def application(service: Service) -> ASGIApp:
    """The application of a process, which ends its runs as soon as the process is told to stop.

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
