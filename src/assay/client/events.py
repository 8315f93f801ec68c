"""Streams of server-sent events, and how reading goes on when a connection breaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx2

from assay.client.calls import Call
from assay.client.problems import refuse_other_type
from assay.client.reader import read
from assay.errors import AssayError, ProviderFailed, ProviderUnreachable
from assay.types import (
    Acted,
    Done,
    Event,
    EvidenceFound,
    Failed,
    FindingMade,
    Judged,
    SentenceProvisional,
    SentenceRevised,
    SentenceVerified,
    SentenceWithdrawn,
    StatusChanged,
)

Item = TypeVar("Item")

EVENT_STREAM = "text/event-stream"
# Bytes of one event: the last holds the whole answer. Chosen, far above any.
LARGEST_EVENT = 64 * 1024 * 1024
_KINDS: Mapping[str, type[Event]] = {
    kind.kind: kind
    for kind in (
        Acted, Done, EvidenceFound, Failed, FindingMade, Judged, SentenceProvisional, SentenceRevised,
        SentenceVerified, SentenceWithdrawn, StatusChanged,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StreamCall(Generic[Item]):
    """A call that is answered by a stream of events.

    `read` gives the item of an event, None for one to pass over; `is_last` says whether it ends the stream.
    `resume` gives the call that goes on behind the event of that id, None where nothing can.
    """

    call: Call[None]
    read: Callable[[httpx2.ServerSentEvent], Item | None]
    is_last: Callable[[Item], bool]
    resume: Callable[[str], Call[None] | None]


class StreamReading(Generic[Item]):
    """The state of reading a stream; `ended` when it is over; a connection that breaks is taken up again once."""

    def __init__(self, stream: StreamCall[Item]) -> None:
        self._stream = stream
        self._begun, self._last_id = False, ""
        self._connections = 0
        self.ended = False
        self._broken: httpx2.TransportError | None = None

    def next_call(self) -> Call[None] | None:
        """The call that the stream goes on with, None at its end. Raises ProviderUnreachable if nothing can."""
        if self.ended:
            return None
        self._connections += 1
        if self._connections == 1:
            return self._stream.call
        call = self._stream.resume(self._last_id)
        if self._connections > 2 or call is None:
            raise _broken_off() from self._broken
        return call

    @contextmanager
    def connection(self) -> Iterator[None]:
        """Note a connection that breaks after the stream began; other errors are raised."""
        try:
            yield
        except httpx2.TransportError as error:
            if not self._begun:
                raise
            self._broken = error

    def refusal(self, error: AssayError) -> AssayError:
        """The error to raise where the server refused a call: the caller knows nothing of one that only resumes."""
        if self._connections == 1:
            return error
        broken = _broken_off()
        broken.__cause__ = error
        return broken

    def items(self, event: httpx2.ServerSentEvent) -> Iterator[Item]:
        """The item of an event, if it brings one. Raises ProviderFailed."""
        self._begun, self._last_id = True, event.id or self._last_id
        item = self._stream.read(event)
        if item is not None:
            self.ended = self._stream.is_last(item)
            yield item


def _broken_off() -> ProviderUnreachable:
    return ProviderUnreachable(
        "the connection to the server broke before the stream had ended",
        hint="ask again; if it breaks again, look at the server's log and at proxies on the way",
        retryable=True,
    )


def run_stream(call: Call[None]) -> StreamCall[Event]:
    """The events of a run that the call begins or follows."""
    return StreamCall(call, _event, lambda event: isinstance(event, Done | Failed), _rest_of_run)


def run_events(run_id: str, last_id: str = "") -> Call[None]:
    """The call for the events of a run, after the one of that id."""
    headers = {"Last-Event-ID": last_id} if last_id else {}
    return Call(
        method="GET",
        path="/runs/{run_id}/events",
        places={"run_id": run_id},
        read=refuse_no_stream,
        headers=headers,
        accept=EVENT_STREAM,
    )


def refuse_no_stream(response: httpx2.Response) -> None:
    """Raise ProviderFailed where a response is no stream of events."""
    refuse_other_type(response, EVENT_STREAM)


def json_of(event: httpx2.ServerSentEvent) -> Any:
    """The JSON of an event. Raises ProviderFailed."""
    try:
        return json.loads(event.data)
    except ValueError as error:
        raise ProviderFailed(
            f"an event {event.event!r} of the server is no JSON",
            hint="use the client and the server of the same version of assay",
        ) from error


def _event(event: httpx2.ServerSentEvent) -> Event | None:
    kind = _KINDS.get(event.event)
    return None if kind is None else read(kind, json_of(event), event.event)


def _rest_of_run(last_id: str) -> Call[None] | None:
    run_id = last_id.rpartition(":")[0]
    return run_events(run_id, last_id) if run_id else None
