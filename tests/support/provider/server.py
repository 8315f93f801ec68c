"""The server: connections, requests, and what it notes of both."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np

from assay.testing.fakes import WordEmbedder
from support.provider.exchange import Exchange, Line
from support.provider.faults import FAULTS, Fault
from support.provider.rules import (
    AnswerRule,
    Asked,
    Connections,
    Disconnect,
    Reply,
    Request,
    Wire,
    counted,
    plain_answer,
)
from support.provider.wire import Anthropic, Gemini, OpenAI, WireFormat

# Reading HTTP/1.1 requests from a stream.


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


# What the provider serves beside replies: the list of models, and vectors.


async def catalogue(incoming: Incoming, models: Sequence[str]) -> dict[str, Any] | None:
    """The response to a request for models or vectors; None where nothing of that name is served."""
    path = incoming.path.partition("?")[0].rstrip("/")
    if incoming.method == "POST" and path.endswith("/embeddings"):
        return await _vectors(incoming.body() or {})
    if incoming.method != "GET" or not path.endswith("/models"):
        return None
    if "anthropic-version" in incoming.headers:
        data = [{"type": "model", "id": each, "display_name": each, "created_at": _CREATED} for each in models]
        return {"data": data, "has_more": False, "first_id": models[0], "last_id": models[-1]}
    if "x-goog-api-key" in incoming.headers:
        served = ["generateContent", "streamGenerateContent"]
        return {"models": [{"name": f"models/{each}", "supportedGenerationMethods": served} for each in models]}
    listed = [{"id": each, "object": "model", "created": 1_700_000_000, "owned_by": "assay"} for each in models]
    return {"object": "list", "data": listed}


_CREATED = "2026-01-01T00:00:00Z"


async def _vectors(body: dict[str, Any]) -> dict[str, Any]:
    """Vectors by words, so that texts which share words are near each other."""
    asked = body.get("input") or []
    texts = [asked] if isinstance(asked, str) else list(asked)
    rows = await WordEmbedder().embed(texts)
    data = [
        {"object": "embedding", "index": n, "embedding": _row(row, body.get("encoding_format"))}
        for n, row in enumerate(rows)
    ]
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": str(body.get("model")), "usage": usage}


def _row(row: Any, form: Any) -> Any:
    return base64.b64encode(row.astype(np.float32).tobytes()).decode() if form == "base64" else row.tolist()


WIRES: tuple[WireFormat, ...] = (OpenAI(), Gemini(), Anthropic())
# A top-level domain that no resolver knows (RFC 6761).
_NOWHERE = "assay-provider.invalid"


@dataclass(slots=True)
class _Misbehaviour:
    """A fault in force: for which requests, and how many more of them (None for all)."""

    fault: Fault
    where: Callable[[Asked], bool] | None
    left: int | None

    def strikes(self, asked: Asked) -> bool:
        """Whether it befalls this request, which counts as one of its times."""
        if self.left == 0 or asked.wire not in self.fault.wires or not self.fault.fits(asked):
            return False
        if self.where is not None and not self.where(asked):
            return False
        if self.left is not None:
            self.left -= 1
        return True


class LocalProvider:
    """A model service on this machine that speaks OpenAI, Gemini and Anthropic, and misbehaves on command.

    It runs in a thread of its own while it is entered. `answer` says what it answers; `time_scale` multiplies
    every delay, of replies and of faults.

    >>> from urllib.request import urlopen
    >>> with LocalProvider() as provider, urlopen(provider.url + "/models") as response:
    ...     json.load(response)["data"][0]["id"]
    'fake'
    """

    def __init__(
        self,
        answer: AnswerRule = plain_answer,
        *,
        time_scale: float = 1 / 50,
        models: Sequence[str] = ("fake",),
    ) -> None:
        self._answer = answer
        self._scale = time_scale
        self._models = tuple(models)
        self._misbehaviour: _Misbehaviour | None = None
        self._requests: list[Request] = []
        self._disconnects: list[Disconnect] = []
        self._failures: list[Exception] = []
        self._now = self._peak = self._opened = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop
        self._server: asyncio.Server | None = None
        self._port = 0

    def __enter__(self) -> Self:
        """Begin to serve."""
        self._closing = asyncio.Event()
        # Bound and never listening: while the port is closed it stays ours, and connections are refused.
        self._keeper = socket.socket()
        self._keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._keeper.bind(("127.0.0.1", 0))
        self._port = self._keeper.getsockname()[1]
        serving = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(serving)), name="assay-provider", daemon=True
        )
        self._thread.start()
        serving.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop every connection and stop; raises what the rule of answers raised first."""
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()
        self._keeper.close()
        if error is None and self._failures:
            raise self._failures[0]

    @property
    def url(self) -> str:
        """The base URL for OpenAI's client."""
        return self.address("openai")

    def address(self, wire: Wire, fault: str | None = None) -> str:
        """The base URL for a vendor's client; `fault` is one of those that lie in the address itself."""
        host = {
            None: f"http://127.0.0.1:{self._port}",
            "dns-fail": f"http://{_NOWHERE}:{self._port}",
            "tls-bad": f"https://127.0.0.1:{self._port}",
        }[fault]
        return f"{host}/v1" if wire == "openai" else host

    def misbehave(
        self, fault_id: str, where: Callable[[Asked], bool] | None = None, times: int | None = None
    ) -> None:
        """From now on, commit this fault on the requests that it fits, at most `times` times.

        `where` picks among them; of a closed port nobody can pick or count what is refused. The faults of the
        address are no matter of behaviour: see `address`.
        """
        self.behave()
        fault = FAULTS[fault_id]
        if fault.place == "address":
            raise ValueError(f"{fault_id} is no behaviour: give address(wire, {fault_id!r}) to the client")
        if fault.place == "reply":
            self._misbehaviour = _Misbehaviour(fault, where, times)
        elif where is None and times is None:
            self._run(self._close_port())
        else:
            raise ValueError("a closed port refuses every connection, and cannot count them")

    def behave(self) -> None:
        """From now on, answer honestly."""
        self._misbehaviour = None
        self._run(self._open_port())

    @property
    def requests(self) -> tuple[Request, ...]:
        """Every request that came, in order."""
        return tuple(self._requests)

    @property
    def disconnects(self) -> tuple[Disconnect, ...]:
        """The clients that left while they were being answered, in order."""
        return tuple(self._disconnects)

    @property
    def connections(self) -> Connections:
        """How many connections there are and were."""
        return Connections(self._now, self._peak, self._opened)

    def forget(self) -> None:
        """Forget the requests and disconnects noted so far."""
        self._requests.clear()
        self._disconnects.clear()

    async def _serve(self, serving: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        await self._open_port()
        serving.set()
        await self._closing.wait()
        await self._close_port()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Have the provider's own thread do it."""
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _open_port(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(
                self._connected, "127.0.0.1", self._port, backlog=1024, reuse_port=True
            )

    async def _close_port(self) -> None:
        """Stop listening, and drop every connection."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._now += 1
        self._opened += 1
        self._peak = max(self._peak, self._now)
        try:
            # Only the closing of the provider cancels; asyncio would log it as an error of this callback.
            with suppress(asyncio.CancelledError):
                await self._converse(Inbox(reader), Line(writer, self._scale))
        finally:
            self._tasks.discard(task)
            self._now -= 1
            writer.transport.abort() if self._server is None else writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _converse(self, inbox: Inbox, line: Line) -> None:
        """Serve one request after another until one of the two leaves."""
        while not line.closing:
            try:
                incoming = await inbox.request()
            except SpeaksTls:
                return await line.write(TLS_ALERT)
            if incoming is None:
                return None
            request = self._noted(incoming)
            if not await _while_there(inbox, self._respond(request, incoming, line)):
                self._disconnects.append(Disconnect(time.monotonic(), request))
                return None
        return None

    def _noted(self, incoming: Incoming) -> Request:
        body, at = incoming.body(), time.monotonic()
        asked = _asked(incoming.path, body) if incoming.method == "POST" else None
        request = Request(incoming.method, incoming.path, incoming.headers, body, at, asked)
        self._requests.append(request)
        return request

    async def _respond(self, request: Request, incoming: Incoming, line: Line) -> None:
        asked = request.asked
        if asked is None:
            return await _serve_catalogue(incoming, self._models, line)
        wire = next(each for each in WIRES if each.name == asked.wire)
        try:
            reply = self._reply(asked)
        except Exception as error:
            self._failures.append(error)
            return await line.whole(400, json.dumps(wire.error(400, repr(error), "unscripted")).encode())
        exchange = Exchange(asked, wire, reply, line)
        misbehaviour = self._misbehaviour
        if misbehaviour is not None and misbehaviour.strikes(asked):
            assert misbehaviour.fault.commit is not None
            return await misbehaviour.fault.commit(exchange)
        return await exchange.answer()

    def _reply(self, asked: Asked) -> Reply:
        said = self._answer(asked)
        return counted(asked, said) if isinstance(said, str) else said


async def _while_there(inbox: Inbox, work: Coroutine[Any, Any, None]) -> bool:
    """Whether the client stayed until the work was done; the work of one that left is cancelled."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(inbox.left())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            return False
        with suppress(ConnectionError):
            working.result()
            return True
        return False
    finally:
        for each in (working, leaving):
            each.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


def _asked(path: str, body: Any) -> Asked | None:
    """What a request asks, in whichever wire format; None where it is no request for a reply."""
    if not isinstance(body, dict):
        return None
    try:
        return next((found for wire in WIRES if (found := wire.asked(path, body))), None)
    except (KeyError, TypeError, AttributeError):
        return None


async def _serve_catalogue(incoming: Incoming, models: Sequence[str], line: Line) -> None:
    served = await catalogue(incoming, models)
    if served is not None:
        return await line.whole(200, json.dumps(served).encode())
    message = f"nothing here answers {incoming.method} {incoming.path} with such a body"
    return await line.whole(404, json.dumps(WIRES[0].error(404, message, "not_found")).encode())
