"""The clients: `Client` waits for each reply, `AsyncClient` is for `await` and `async for`.

What is sent and how it is read is said once, by the calls of the modules beside; here they are only carried out.
"""

from __future__ import annotations

import asyncio
import inspect
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from dataclasses import dataclass, field
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx2

from assay.client import api_keys as key_calls
from assay.client import documents as document_calls
from assay.client import questions, records
from assay.client.calls import Call
from assay.client.connection import Connection
from assay.client.events import LARGEST_EVENT, StreamCall, StreamReading
from assay.client.problems import BUSY, error_of, retry_after, transport_errors
from assay.errors import UsageError

Result = TypeVar("Result")
Item = TypeVar("Item")
Params = ParamSpec("Params")

# Seconds to wait for a reply: above the 120 s that a server allows a question at most by default.
TIMEOUT = 150.0


def _signature(build: Callable[..., Any], returns: str) -> inspect.Signature:
    """The signature of a method that takes what a function takes; `returns` has braces for its result."""
    own = inspect.signature(build)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    result = returns.format(own.return_annotation.partition("[")[2].removesuffix("]"))
    return own.replace(parameters=[first, *own.parameters.values()], return_annotation=result)


def _plain(build: Callable[Params, Call[Result]]) -> Callable[Concatenate[Client, Params], Result]:
    """The method that carries a call out and waits for its result."""

    @wraps(build)
    def method(client: Client, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return client._send(build(*args, **kwargs))

    method.__signature__ = _signature(build, "{}")  # type: ignore[attr-defined]
    return method


def _plain_stream(
    build: Callable[Params, StreamCall[Item]],
) -> Callable[Concatenate[Client, Params], Generator[Item, None, None]]:
    """The method that yields the items of a stream."""

    @wraps(build)
    def method(client: Client, /, *args: Params.args, **kwargs: Params.kwargs) -> Generator[Item, None, None]:
        return client._follow(build(*args, **kwargs))

    method.__signature__ = _signature(build, "Generator[{}, None, None]")  # type: ignore[attr-defined]
    return method


def _awaited(
    build: Callable[Params, Call[Result]],
) -> Callable[Concatenate[AsyncClient, Params], Coroutine[Any, Any, Result]]:
    """The method that carries a call out, for `await`."""

    @wraps(build)
    async def method(client: AsyncClient, /, *args: Params.args, **kwargs: Params.kwargs) -> Result:
        return await client._send(build(*args, **kwargs))

    method.__signature__ = _signature(build, "{}")  # type: ignore[attr-defined]
    return method


def _async_stream(
    build: Callable[Params, StreamCall[Item]],
) -> Callable[Concatenate[AsyncClient, Params], AsyncGenerator[Item, None]]:
    """The method that yields the items of a stream, for `async for`."""

    @wraps(build)
    def method(client: AsyncClient, /, *args: Params.args, **kwargs: Params.kwargs) -> AsyncGenerator[Item, None]:
        return client._follow(build(*args, **kwargs))

    method.__signature__ = _signature(build, "AsyncGenerator[{}, None]")  # type: ignore[attr-defined]
    return method


class Client:
    """A client of `assay serve`. Close it, or use it in a `with` block.

    `url` and `api_key` default to ASSAY_URL and ASSAY_API_KEY, the address to http://127.0.0.1:8000. `timeout` is
    how many seconds one reply is waited for. In that time a call that the server refuses as one too many (429) or
    as not possible now (503) is sent four times at most; not so questions and labels, which a second one would
    double. Redirects are not followed. Methods raise the errors of the library.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None, *, timeout: float = TIMEOUT) -> None:
        self._connection = Connection.to(url, api_key, timeout)
        self._http = httpx2.Client()

    ask = _plain(questions.ask)
    answer_from = _plain(questions.answer_from)
    stream = _plain_stream(questions.stream)
    search = _plain(questions.search)
    judge = _plain(questions.judge)
    check = _plain(questions.check)
    fix = _plain(questions.fix)

    collections = _plain(document_calls.collections)
    delete_collection = _plain(document_calls.delete_collection)
    documents = _plain(document_calls.documents)
    document = _plain(document_calls.document)
    find_in_document = _plain(document_calls.find_in_document)
    delete_document = _plain(document_calls.delete_document)
    upload = _plain(document_calls.upload)
    jobs = _plain(document_calls.jobs)
    job = _plain(document_calls.job)
    follow_job = _plain_stream(document_calls.follow_job)

    runs = _plain(records.runs)
    run = _plain(records.run)
    delete_run = _plain(records.delete_run)
    follow_run = _plain_stream(records.follow_run)
    replay = _plain(records.replay)
    leave_sources_out = _plain(records.leave_sources_out)
    report = _plain(records.report)
    give_feedback = _plain(records.give_feedback)
    labels = _plain(records.labels)
    review_queue = _plain(records.review_queue)
    decide = _plain(records.decide)
    figures = _plain(records.figures)

    api_keys = _plain(key_calls.api_keys)
    create_key = _plain(key_calls.create_key)
    revoke_key = _plain(key_calls.revoke_key)

    def close(self) -> None:
        """Close the connections; calling it twice is harmless."""
        self._http.close()

    def _send(self, call: Call[Result]) -> Result:
        _refuse_closed(self._http.is_closed)
        attempts = Attempts(call, self._connection.timeout)
        while True:
            with transport_errors(self._connection.timeout):
                response = self._http.send(self._connection.request(call, self._connection.timeout))
            pause = attempts.pause_after(response)
            if pause is None:
                return call.read(response)
            time.sleep(pause)

    def _follow(self, stream: StreamCall[Item]) -> Generator[Item, None, None]:
        _refuse_closed(self._http.is_closed)
        reading = StreamReading(stream)
        while (call := reading.next_call()) is not None:
            with transport_errors(self._connection.silence), reading.connection():
                response = self._http.send(self._connection.request(call, self._connection.silence), stream=True)
                try:
                    if not response.is_success:
                        response.read()
                        raise reading.refusal(error_of(response))
                    call.read(response)
                    for event in httpx2.EventSource(response, LARGEST_EVENT):
                        yield from reading.items(event)
                        if reading.ended:
                            return
                finally:
                    response.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """As `Client`, for `await` and `async for`. Close it, or use it in an `async with` block."""

    def __init__(self, url: str | None = None, api_key: str | None = None, *, timeout: float = TIMEOUT) -> None:
        self._connection = Connection.to(url, api_key, timeout)
        self._http = httpx2.AsyncClient()

    ask = _awaited(questions.ask)
    answer_from = _awaited(questions.answer_from)
    stream = _async_stream(questions.stream)
    search = _awaited(questions.search)
    judge = _awaited(questions.judge)
    check = _awaited(questions.check)
    fix = _awaited(questions.fix)

    collections = _awaited(document_calls.collections)
    delete_collection = _awaited(document_calls.delete_collection)
    documents = _awaited(document_calls.documents)
    document = _awaited(document_calls.document)
    find_in_document = _awaited(document_calls.find_in_document)
    delete_document = _awaited(document_calls.delete_document)
    upload = _awaited(document_calls.upload)
    jobs = _awaited(document_calls.jobs)
    job = _awaited(document_calls.job)
    follow_job = _async_stream(document_calls.follow_job)

    runs = _awaited(records.runs)
    run = _awaited(records.run)
    delete_run = _awaited(records.delete_run)
    follow_run = _async_stream(records.follow_run)
    replay = _awaited(records.replay)
    leave_sources_out = _awaited(records.leave_sources_out)
    report = _awaited(records.report)
    give_feedback = _awaited(records.give_feedback)
    labels = _awaited(records.labels)
    review_queue = _awaited(records.review_queue)
    decide = _awaited(records.decide)
    figures = _awaited(records.figures)

    api_keys = _awaited(key_calls.api_keys)
    create_key = _awaited(key_calls.create_key)
    revoke_key = _awaited(key_calls.revoke_key)

    async def aclose(self) -> None:
        """Close the connections; calling it twice is harmless."""
        await self._http.aclose()

    async def _send(self, call: Call[Result]) -> Result:
        _refuse_closed(self._http.is_closed)
        attempts = Attempts(call, self._connection.timeout)
        while True:
            with transport_errors(self._connection.timeout):
                response = await self._http.send(self._connection.request(call, self._connection.timeout))
            pause = attempts.pause_after(response)
            if pause is None:
                return call.read(response)
            await asyncio.sleep(pause)

    async def _follow(self, stream: StreamCall[Item]) -> AsyncGenerator[Item, None]:
        _refuse_closed(self._http.is_closed)
        reading = StreamReading(stream)
        while (call := reading.next_call()) is not None:
            with transport_errors(self._connection.silence), reading.connection():
                response = await self._http.send(
                    self._connection.request(call, self._connection.silence), stream=True
                )
                try:
                    if not response.is_success:
                        await response.aread()
                        raise reading.refusal(error_of(response))
                    call.read(response)
                    async for event in httpx2.EventSource(response, LARGEST_EVENT):
                        for item in reading.items(event):
                            yield item
                        if reading.ended:
                            return
                finally:
                    await response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _refuse_closed(closed: bool) -> None:
    if closed:
        raise UsageError("the client is closed", hint="make another one")


# Seconds before each further attempt where the server does not say, so there are four attempts at most. Chosen.
_PAUSES = (0.5, 1.0, 2.0)
_RANDOM = secrets.SystemRandom()


@dataclass(slots=True)
class Attempts:
    """The attempts of one call, within its seconds."""

    call: Call[Any]
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _made: int = 0
    _began: float = field(default=0.0)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def pause_after(self, response: httpx2.Response) -> float | None:
        """The seconds until the call is sent again; None if it succeeded. Raises the server's error."""
        if response.is_success:
            return None
        self._made += 1
        if not self.call.repeatable or response.status_code not in BUSY or self._made > len(_PAUSES):
            raise error_of(response)
        asked = retry_after(response)
        pause = _PAUSES[self._made - 1] * _RANDOM.uniform(0.8, 1.2) if asked is None else asked
        if self.clock() - self._began + pause >= self.seconds:
            raise error_of(response)
        return pause
