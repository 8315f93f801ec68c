"""Clients that send or take too slowly lose their connection; others do not."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from assay.server.main import TimedProtocol
from support.served import PATIENCE, wait_for

HEAD = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n"


class Impatient(TimedProtocol):
    """The protocol with limits that a test can wait for."""

    head_seconds = 0.2
    taking_seconds = 0.2


class Application:
    """Answers at once, or with more than the sockets hold; notes how requests to the latter end."""

    def __init__(self) -> None:
        self.ends: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
                   if scope["path"] != "/flood" else {"type": "http.response.start", "status": 200})  # fmt: skip
        if scope["path"] == "/flood":
            for _ in range(1000):
                await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            await receive()
            self.ends.append((await receive())["type"])
        else:
            await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def serving(app: Application, protocol: type[TimedProtocol]) -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        server = uvicorn.Server(
            uvicorn.Config(
                app,  # type: ignore[arg-type]
                http=protocol,
                ws="none",
                lifespan="off",
                log_level="critical",
                timeout_keep_alive=60,
                timeout_graceful_shutdown=1,
            )
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_for(lambda: server.started)
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


@pytest.fixture(scope="module")
def app() -> Application:
    return Application()


@pytest.fixture(scope="module")
def impatient(app: Application) -> Iterator[int]:
    with serving(app, Impatient) as port:
        yield port


def closed(connection: socket.socket) -> bool:
    """Whether the server ends the connection, whatever it sends before; waits for it."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass
    return True


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        HEAD % b"",
        HEAD % b"" + b"\r\n",
        HEAD % b"" + b"\r\n" + HEAD % b"",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345",
    ],
    ids=["nothing", "line", "head", "idle after a reply", "second head", "rest of a body after its reply"],
)
def test_who_sends_nothing_further_is_disconnected(impatient: int, sent: bytes):
    with connect(impatient) as connection:
        connection.sendall(sent)
        assert closed(connection)


def test_a_head_byte_by_byte_does_not_win_time(impatient: int):
    with connect(impatient) as connection:
        connection.sendall(HEAD % b"")
        connection.settimeout(0.01)
        wait_for(lambda: not takes_a_byte(connection))


def takes_a_byte(connection: socket.socket) -> bool:
    """Whether the connection still stands once another byte was sent; no reply may come."""
    try:
        connection.sendall(b"x")
        assert connection.recv(1) == b""
    except TimeoutError:
        return True
    except (BrokenPipeError, ConnectionResetError):
        pass
    return False


def test_who_takes_nothing_is_disconnected_and_the_application_hears_it(impatient: int, app: Application):
    with connect(impatient) as connection:
        connection.sendall(HEAD % b"flood" + b"\r\n")
        wait_for(lambda: bool(app.ends))
        assert app.ends == ["http.disconnect"]


def test_a_body_that_comes_before_the_reply_has_its_time_from_the_application():
    """The protocol leaves it to the limits of bodies, which know how long a body may take."""
    waiting = threading.Event()

    class Reading(Application):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            waiting.set()
            while (await receive())["more_body"]:
                pass
            await super().__call__(scope, receive, send)

    with serving(Reading(), Impatient) as port, connect(port) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1")
        assert waiting.wait(PATIENCE)
        threading.Event().wait(3 * Impatient.head_seconds)
        connection.sendall(b"2")
        assert connection.recv(65536).startswith(b"HTTP/1.1 200")
