"""The client against a server that refuses, breaks off, or is none of assay's."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable
from typing import Any

import pytest

from assay import errors
from assay.client import AsyncClient, Client
from assay.errors import AssayError, ProviderFailed, ProviderRefused, ProviderUnreachable, UsageError
from assay.types import Event
from support.scripted import Silence, event_stream, json_reply, problem, reply, scripted

KEY = "assay_abcdefgh_0123456789012345678901234567890123456789012"
COLLECTIONS = json_reply("200 OK", {"collections": [{"name": "default", "documents": 1, "version": 2}]})
BUSY = {"detail": "too many requests", "hint": "wait", "error": "UsageError", "Retry_After": "0"}


def event(seq: int, kind: str, **fields: Any) -> bytes:
    body = {"run_id": "R", "seq": seq, "at": 1.0, "kind": kind, **fields}
    return f"id: R:{seq}\nevent: {kind}\ndata: {json.dumps(body)}\n\n".encode()


FIRST = event(1, "status", stage="search")
LAST = event(2, "error", error="UsageError", message="it cannot be", hint="ask otherwise")


def raised(call: Callable[[Client], object], address: str, timeout: float = 5.0) -> AssayError:
    with Client(address, KEY, timeout=timeout) as client, pytest.raises(AssayError) as caught:
        call(client)
    assert KEY not in f"{caught.value} {caught.value.hint}"
    return caught.value


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        ("404 Not Found", "UnknownCollection", errors.UnknownCollection),
        ("404 Not Found", "UsageError", UsageError),
        ("422 Unprocessable Entity", "BudgetSpent", errors.BudgetSpent),
        ("401 Unauthorized", "UsageError", ProviderRefused),
        ("403 Forbidden", "EgressRefused", errors.EgressRefused),
        ("413 Content Too Large", "UploadTooLarge", errors.UploadTooLarge),
        ("500 Internal Server Error", "AssayError", ProviderFailed),
        ("502 Bad Gateway", "UnusableReply", errors.UnusableReply),
        ("504 Gateway Timeout", "DeadlinePassed", errors.DeadlinePassed),
        ("507 Insufficient Storage", "StoreFull", errors.StoreFull),
        ("409 Conflict", "ErrorOfTomorrow", UsageError),
    ],
)
def test_a_problem_is_the_error_of_the_library(status: str, error: str, kind: type[AssayError]):
    with scripted(problem(status, detail="what", hint="next", error=error, X_Request_ID="r7")) as server:
        caught = raised(lambda client: client.ask("When?"), server.address)
    assert (type(caught), str(caught), caught.hint) == (kind, "what", "next")
    assert caught.__notes__ == [f"HTTP {status[:3]}, request r7"]


def test_a_repeatable_call_is_sent_again_when_the_server_says_so():
    busy = problem("429 Too Many Requests", **BUSY)
    with (
        scripted(busy, problem("503 Service Unavailable", **BUSY), COLLECTIONS) as server,
        Client(server.address) as client,
    ):
        assert client.collections()[0].documents == 1


async def test_the_async_client_sends_it_again_as_well():
    with scripted(problem("503 Service Unavailable", **BUSY), COLLECTIONS) as server:
        async with AsyncClient(server.address) as client:
            assert (await client.collections())[0].version == 2


def test_after_four_refusals_the_error_is_raised():
    with scripted(*[problem("503 Service Unavailable", **BUSY)] * 4) as server:
        caught = raised(lambda client: client.collections(), server.address)
    assert isinstance(caught, ProviderUnreachable)
    assert (caught.retryable, caught.retry_after) == (True, 0.0)


def test_a_pause_beyond_the_deadline_is_not_waited_for():
    with scripted(problem("429 Too Many Requests", **{**BUSY, "Retry_After": "60"})) as server:
        caught = raised(lambda client: client.collections(), server.address)
    assert isinstance(caught, ProviderRefused)
    assert (caught.retryable, caught.retry_after) == (True, 60.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.ask("When?"),
        lambda client: list(client.stream("When?")),
        lambda client: client.give_feedback("R", good=True),
        lambda client: client.decide("R", accepted=True),
    ],
)
def test_what_a_second_call_would_double_is_sent_once(call: Callable[[Client], object]):
    with scripted(problem("503 Service Unavailable", **BUSY)) as server:
        assert raised(call, server.address).retryable


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (reply("502 Bad Gateway", "text/html", b"<h1>nginx</h1>"), ProviderFailed, "answered 502 with text/html"),
        (reply("503 Busy", "application/problem+json", b"{"), ProviderUnreachable, "answered 503"),
        (
            reply("200 OK", "text/html", b"<h1>Log in</h1>"),
            ProviderFailed,
            "text/html and not with application/json",
        ),
        (reply("200 OK", "application/json", b"{"), ProviderFailed, "not JSON"),
        (json_reply("200 OK", [1]), ProviderFailed, "not an object"),
        (json_reply("200 OK", {"schema": "assay/9"}), ProviderFailed, "this client reads 'assay/1'"),
        (json_reply("200 OK", {"schema": "assay/1"}), ProviderFailed, "lacks answer.run_id"),
        (reply("200 OK", "application/json", b"{}")[:-1], ProviderUnreachable, "broke: peer closed"),
        (b"220 smtp ready\r\n", ProviderUnreachable, "broke: Server disconnected"),
    ],
)
def test_what_is_no_answer_of_assay_is_said(answer: bytes, kind: type[AssayError], words: str):
    with scripted(answer) as server:
        caught = raised(lambda client: client.ask("When?"), server.address)
    assert type(caught) is kind
    assert words in str(caught)
    assert caught.hint


def test_a_redirect_is_not_followed():
    elsewhere = reply("307 Temporary Redirect", "text/plain", b"", Location="http://127.0.0.1:1/elsewhere")
    with scripted(elsewhere) as server:
        caught = raised(lambda client: client.collections(), server.address)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert str(caught) == "the server redirects to http://127.0.0.1:1/elsewhere"


def test_a_server_that_is_not_there_is_said():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        caught = raised(lambda client: client.collections(), f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert isinstance(caught, ProviderUnreachable)
    assert "cannot be reached" in str(caught)
    assert "assay serve" in caught.hint


def test_a_server_that_says_nothing_is_not_waited_for_longer_than_asked():
    with scripted(Silence(b"")) as server:
        caught = raised(lambda client: client.collections(), server.address, timeout=0.1)
    assert str(caught) == f"{server.address} did not answer within 0.1 s"


@pytest.mark.parametrize("first", [event_stream(FIRST, whole=False), event_stream(FIRST, whole=True)])
def test_a_broken_stream_is_taken_up_where_it_broke(first: bytes):
    with scripted(first, event_stream(LAST, whole=True)) as server, Client(server.address) as client:
        assert kinds(list(client.stream("When?"))) == ["status", "error"]
    assert [request.line for request in server.requests] == [
        "POST /api/v1/ask HTTP/1.1",
        "GET /api/v1/runs/R/events HTTP/1.1",
    ]
    assert server.requests[1].headers["last-event-id"] == "R:1"


def test_a_stream_that_falls_silent_is_taken_up_as_well():
    silent = Silence(event_stream(FIRST, whole=False))
    with scripted(silent, event_stream(LAST, whole=True)) as server, Client(server.address, timeout=0.2) as client:
        assert kinds(list(client.stream("When?"))) == ["status", "error"]


async def test_the_async_client_takes_a_stream_up_as_well():
    with scripted(event_stream(FIRST, whole=False), event_stream(LAST, whole=True)) as server:
        async with AsyncClient(server.address) as client:
            assert kinds([event async for event in client.stream("When?")]) == ["status", "error"]


def test_a_job_is_followed_on_after_a_break():
    job = {"job_id": "J", "collection": "c", "created": 1.0, "files_done": 0, "files_total": 1, "passages": 0,
           "seconds_left": None, "files": []}  # fmt: skip

    def snapshot(status: str) -> bytes:
        return f"event: job\ndata: {json.dumps({**job, 'status': status})}\n\n".encode()

    first, second = event_stream(snapshot("running"), whole=False), event_stream(snapshot("done"), whole=True)
    with scripted(first, second) as server, Client(server.address) as client:
        assert [found.status for found in client.follow_job("J")] == ["running", "done"]
    assert {request.line for request in server.requests} == {"GET /api/v1/jobs/J/events HTTP/1.1"}


@pytest.mark.parametrize(
    "second",
    [
        event_stream(whole=False),
        event_stream(event(2, "status", stage="write"), whole=True),
        problem("404 Not Found", detail="there is no run", hint="look", error="UsageError"),
    ],
)
def test_a_stream_is_taken_up_only_once(second: bytes):
    with scripted(event_stream(FIRST, whole=False), second) as server:
        caught = raised(lambda client: list(client.stream("When?")), server.address)
    assert isinstance(caught, ProviderUnreachable)
    assert "broke before the stream had ended" in str(caught)


def test_a_stream_that_breaks_before_the_run_began_cannot_be_taken_up():
    with scripted(event_stream(whole=False)) as server:
        assert isinstance(raised(lambda client: list(client.stream("When?")), server.address), ProviderUnreachable)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (json_reply("200 OK", {}), "application/json and not with text/event-stream"),
        (event_stream(b"id: R:1\nevent: status\ndata: {\n\n", whole=True), "'status' of the server is no JSON"),
        (event_stream(event(1, "status"), whole=True), "lacks status.stage"),
    ],
)
def test_a_stream_that_is_none_is_said(answer: bytes, words: str):
    with scripted(answer) as server:
        assert words in str(raised(lambda client: list(client.stream("When?")), server.address))


def test_events_of_tomorrow_are_passed_over():
    stream = event_stream(
        event(1, "weather"), b": ping\n\n", event(2, "error", error="E", message="m", hint="h", new=1), whole=True
    )
    with scripted(stream) as server, Client(server.address) as client:
        assert kinds(list(client.stream("When?"))) == ["error"]


def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    with scripted(COLLECTIONS) as server, Client(server.address, KEY) as client:
        client.collections()
        assert KEY not in repr(vars(client))
    assert caplog.text
    assert KEY not in caplog.text


def test_leaving_a_stream_early_closes_its_connection():
    with scripted(Silence(event_stream(FIRST, whole=False))) as server, Client(server.address) as client:
        events = client.stream("When?")
        assert next(events).kind == "status"
        events.close()


def test_leaving_an_async_stream_early_closes_its_connection():
    async def leave(address: str) -> None:
        async with AsyncClient(address) as client:
            events = client.stream("When?")
            assert (await anext(events)).kind == "status"
            await events.aclose()

    with scripted(Silence(event_stream(FIRST, whole=False))) as server:
        asyncio.run(leave(server.address))
