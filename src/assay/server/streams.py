"""Runs in progress as streams of server-sent events that a client may leave and take up again."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from assay.errors import AssayError
from assay.types import Done, Event, Failed, RecordedEvent

# Seconds after which a run without a listener is cancelled: time to reconnect, without paying a model for
# long for nobody. Chosen.
GRACE = 0.5
# Seconds between comments that keep an idle connection open; proxies cut one after 30 to 60.
HEARTBEAT = 10.0
# Ended runs whose events stay in memory, for a client whose connection broke at the end. Chosen.
KEPT = 256


@dataclass(frozen=True, slots=True)
class EventId:
    """The id of an event on the wire: `RUN:SEQ`."""

    run_id: str
    seq: int

    @classmethod
    def read(cls, text: str) -> EventId | None:
        """The id that a client sent back; None for anything else.

        >>> EventId.read("01K9:4")
        EventId(run_id='01K9', seq=4)
        >>> EventId.read("last") is None
        True
        """
        run_id, colon, seq = text.rpartition(":")
        return cls(run_id, int(seq)) if colon and run_id and seq.isascii() and seq.isdigit() else None


def event_frame(event: Event) -> bytes:
    """An event on the wire."""
    body = {"kind": event.kind, **event.to_dict()}
    if isinstance(event, Done):
        body["answer"] = event.answer.to_dict()
    return _frame(event.run_id, event.seq, event.kind, body)


def recorded_frame(run_id: str, event: RecordedEvent) -> bytes:
    """A recorded event on the wire, as it was sent when it happened."""
    return _frame(run_id, event.seq, event.kind, {"kind": event.kind, "run_id": run_id, **event.body})


def _frame(run_id: str, seq: int, kind: str, body: dict[str, object]) -> bytes:
    data = json.dumps(body, ensure_ascii=False).encode(errors="replace").decode()
    return format_sse_event(data_str=data, event=kind, id=f"{run_id}:{seq}")


@dataclass(slots=True, eq=False)
class LiveRun:
    """A run and its events so far; it is cancelled when nobody has listened for `GRACE` seconds."""

    owner: tuple[str, str]
    events: list[Event] = field(default_factory=list)
    error: AssayError | Exception | None = None
    ended: bool = False
    _listeners: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _task: asyncio.Task[None] | None = None
    _leaving: asyncio.TimerHandle | None = None

    @property
    def run_id(self) -> str:
        """The id of the run, "" before its first event."""
        return self.events[0].run_id if self.events else ""

    def start(self, source: AsyncGenerator[Event, None]) -> None:
        """Collect the events of the run in a task of its own."""
        self._task = asyncio.create_task(self._collect(source))

    async def first(self) -> None:
        """Wait for the first event. Raises what kept the run from beginning."""
        while not self.events and not self.ended:
            await self._wait()
        if not self.events and self.error is not None:
            raise self.error

    async def after(self, seq: int) -> AsyncIterator[Event | None]:
        """The events after number `seq`, as they happen; None where nothing happened for `HEARTBEAT` seconds."""
        self._listeners += 1
        if self._leaving is not None:
            self._leaving.cancel()
        position = 0
        try:
            while True:
                while position < len(self.events):
                    event = self.events[position]
                    position += 1
                    if event.seq > seq:
                        yield event
                if self.ended:
                    return
                if not await self._wait(HEARTBEAT):
                    yield None
        finally:
            self._listeners -= 1
            if not self._listeners and not self.ended:
                self._leaving = asyncio.get_running_loop().call_later(GRACE, self.cancel)

    def cancel(self) -> None:
        """End the run; its last event says so."""
        if self._task is not None:
            self._task.cancel()

    async def wait_ended(self) -> None:
        """Wait until the run has ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _wait(self, seconds: float | None = None) -> bool:
        """Wait for the next change; False if none came in time."""
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
                return True
        return False

    async def _collect(self, source: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(source):
                async for event in source:
                    self._append(event)
        except asyncio.CancelledError:
            self._append_end("CancelledError", "the run was stopped", "ask again")
            raise
        except AssayError as error:
            self.error = error
            self._append_end(type(error).__name__, str(error), error.hint)
        except Exception as error:
            self.error = error
            self._append_end(type(error).__name__, "a bug in assay: the run ended early", "see the server's log")
            raise
        finally:
            self.ended = True
            self._changed.set()

    def _append(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()

    def _append_end(self, error: str, message: str, hint: str) -> None:
        """Add the terminal event where the run began and has none."""
        if self.events and not isinstance(self.events[-1], Done | Failed):
            last = self.events[-1]
            self._append(
                Failed(run_id=last.run_id, seq=last.seq + 1, at=last.at, error=error, message=message, hint=hint)
            )


@dataclass(slots=True)
class LiveRuns:
    """The runs of this process that are in progress or ended a moment ago, by id."""

    _running: set[LiveRun] = field(default_factory=set)
    _known: OrderedDict[str, LiveRun] = field(default_factory=OrderedDict)

    async def begin(self, source: AsyncGenerator[Event, None], tenant: str, collection: str) -> LiveRun:
        """Begin a run; returns it after its first event. Raises what kept it from beginning."""
        run = LiveRun((tenant, collection))
        self._running.add(run)
        run.start(source)
        try:
            await run.first()
        except BaseException:
            run.cancel()
            self._running.discard(run)
            raise
        self._known[run.run_id] = run
        while len(self._known) > KEPT and next(iter(self._known.values())).ended:
            self._known.popitem(last=False)
        return run

    def find(self, run_id: str, tenant: str) -> LiveRun | None:
        """The tenant's run of that id; None if this process does not know it."""
        run = self._known.get(run_id)
        return run if run is not None and run.owner[0] == tenant else None

    @property
    def count(self) -> int:
        """Number of runs in progress."""
        self._running = {run for run in self._running if not run.ended}
        return len(self._running)

    async def close(self, seconds: float) -> None:
        """End every run: wait `seconds` for those in progress, then cancel the rest."""
        running = [run for run in self._running if not run.ended]
        if not running:
            return
        waiting = [asyncio.ensure_future(run.wait_ended()) for run in running]
        await asyncio.wait(waiting, timeout=seconds)
        for run in running:
            run.cancel()
        await asyncio.wait(waiting)


async def frames(run: LiveRun, after: int = 0) -> AsyncIterator[bytes]:
    """The run's events on the wire, after number `after`."""
    async with aclosing(run.after(after)) as events:  # type: ignore[type-var]
        async for event in events:
            yield KEEPALIVE_COMMENT if event is None else event_frame(event)
