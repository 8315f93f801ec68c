"""One run: its id, its limits, its events and its deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from assay.calibration.fit import Fit
from assay.core.budget import Budget, Meter
from assay.core.stages import Clock, Sink
from assay.core.tape import Tape
from assay.errors import too_late
from assay.types import (
    Answer,
    AskOptions,
    CitationStyle,
    Done,
    Event,
    Evidence,
    Failed,
    Hit,
    Limits,
    Message,
    Passage,
    SentenceVerified,
)


@dataclass(frozen=True, slots=True)
class CallerPassages:
    """Passages that the caller retrieved; `searches` says whether assay may search for more."""

    evidence: Evidence
    searches: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its id, its depth, its limits and its budget.

    `profile_reason` says why the profile auto chose this depth, and is empty if the depth was set. `tape` records
    the run, or is what it is replayed from; None for a run that is not recorded. `streamed` says that somebody
    reads its sentences as they are verified. `calibration` is the collection's own, None for the one that ships;
    `doubt` says why it may not hold here, "" if nothing speaks against it. `answers` is False for a run that only
    judges, tests or repairs what comes from elsewhere. `meter` counts the costs of its checks. `passages` are the
    caller's, None if assay searches. `style` is that of the answer's text, None for numbers.
    `in_dialogue` says that messages went before the question.
    """

    id: str
    profile: str
    limits: Limits
    clock: Clock
    budget: Budget
    tape: Tape | None
    profile_reason: str = ""
    streamed: bool = False
    calibration: Fit | None = None
    doubt: str = ""
    answers: bool = True
    meter: Meter = field(default_factory=Meter)
    passages: CallerPassages | None = None
    style: CitationStyle | None = None
    in_dialogue: bool = False


def ignore_event(_event: Event) -> None:
    """Take an event and do nothing."""


@runtime_checkable
class MeteredSink(Sink, Protocol):
    """A sink that also counts what runs cost, which no event says."""

    def measure(self, run_id: str, meter: Meter) -> None:
        """Take the meter of a run that began; it is complete when the run's last event comes."""
        ...


@runtime_checkable
class WaitingSink(Sink, Protocol):
    """A sink that stores a run beside the event loop, once its last event has come."""

    async def stored(self, run_id: str) -> None:
        """Wait until the run is stored. Raises what storing it raised."""
        ...


class RunEvents:
    """Stamps a run's events and passes them on; an error of a sink becomes a warning.

    Where a sink stores beside the loop, the last event is passed on by `stored`: whoever hears it finds the run.
    """

    def __init__(self, run: Run, question: str, emit: Callable[[Event], None], sinks: Sequence[Sink]) -> None:
        self._past: list[Event] = []
        self._started = run.clock.monotonic()
        self._first_verified: float | None = None
        self._run = run
        self._emit = emit
        self._sinks = list(sinks)
        self._warnings: list[str] = []
        self._held: Event | None = None
        self._to_sinks(lambda sink: self._open(sink, question))

    @property
    def warnings(self) -> tuple[str, ...]:
        """The errors of sinks so far."""
        return tuple(self._warnings)

    def finish(self, answer: Answer) -> Answer:
        """Emit Done; the answer with its times, the warnings of sinks and the trace."""
        now, first = self._run.clock.monotonic(), self._first_verified
        answer = replace(
            answer,
            ms=1000 * (now - self._started),
            first_verified_ms=None if first is None else 1000 * (first - self._started),
            warnings=answer.warnings + self.warnings,
        )
        self.emit(Done(answer=answer))
        return replace(answer, trace=tuple(self._past))

    def warned(self, answer: Answer) -> Answer:
        """The answer with the warnings of sinks that came after it."""
        later = tuple(warning for warning in self._warnings if warning not in answer.warnings)
        return replace(answer, warnings=answer.warnings + later)

    def emit(self, event: Event) -> None:
        """Stamp the event, keep it for the trace, and pass it on."""
        if self._first_verified is None and isinstance(event, SentenceVerified):
            self._first_verified = self._run.clock.monotonic()
        stamped = replace(event, run_id=self._run.id, seq=len(self._past) + 1, at=self._run.clock.time())
        self._past.append(stamped)
        self._to_sinks(lambda sink: sink.receive(self._run.id, stamped))
        if isinstance(event, Done | Failed) and any(isinstance(sink, WaitingSink) for sink in self._sinks):
            self._held = stamped
        else:
            self._emit(stamped)

    async def stored(self) -> None:
        """Wait until every sink has stored the run, then pass its last event on."""
        for sink in tuple(self._sinks):
            if isinstance(sink, WaitingSink):
                try:
                    await sink.stored(self._run.id)
                except Exception as error:  # noqa: BLE001 - as in `_to_sinks`
                    self._drop(sink, error)
        held, self._held = self._held, None
        if held is not None:
            self._emit(held)

    def _open(self, sink: Sink, question: str) -> None:
        sink.open(self._run.id, question)
        if isinstance(sink, MeteredSink):
            sink.measure(self._run.id, self._run.meter)

    def _to_sinks(self, call: Callable[[Sink], None]) -> None:
        for sink in tuple(self._sinks):
            try:
                call(sink)
            except Exception as error:  # noqa: BLE001 - a boundary: a sink may be anyone's plug-in
                self._drop(sink, error)

    def _drop(self, sink: Sink, error: Exception) -> None:
        self._sinks.remove(sink)
        self._warnings.append(f"{type(sink).__name__} stopped recording this run: {error}")


_PORT = "deadline"


def lateness(seconds: float, clock: Clock) -> Callable[[], Callable[[], bool]]:
    """A function to call at the start of a review; the function that it returns says whether the review is late.

    The deadline is `seconds` from this call on. A review that starts past it, as of a repaired draft, has as long
    again.
    """
    ends = clock.monotonic() + seconds

    def start() -> Callable[[], bool]:
        now = clock.monotonic()
        end = ends if now < ends else now + seconds
        return lambda: clock.monotonic() >= end

    return start


class Deadline:
    """The deadline of one question, from now on; create it on the event loop that it is used on.

    The `tape` records which steps were cut, so that a replay, which takes no time, cuts the same. A replay under
    other settings has the whole time for the calls that it makes. `uses_file` says that a model in a file is used.
    """

    def __init__(self, seconds: float, tape: Tape | None = None, *, uses_file: bool = False) -> None:
        self._seconds = seconds
        self._uses_file = uses_file
        self._tape = tape
        self._steps = 0
        timeless = tape is not None and tape.replaying and not tape.forks
        self._ends = None if timeless else asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def within(self) -> AsyncIterator[None]:
        """Raise DeadlinePassed if the block is not done in time.

        Past the deadline, work that waits for nothing is still done, and other work is cut at once.
        """
        self._steps += 1
        step, tape = str(self._steps), self._tape
        was_cut = tape is not None and tape.replaying and tape.ends_at(_PORT, step)
        limit = asyncio.timeout_at(self._ends)
        try:
            async with limit:
                yield
            if was_cut:
                raise TimeoutError
        except TimeoutError as error:
            if not was_cut and not limit.expired():
                raise  # from inside, and not for this deadline
            if tape is not None and not tape.replaying:
                tape.record(_PORT, step, b"")
            raise too_late(self._seconds, uses_file=self._uses_file) from error


# The beginning of a run, and answers of another process.


class BeginRun(Protocol):
    """Begin a run."""

    def __call__(
        self,
        text: str,
        history: tuple[Message, ...] | None,
        running: int,
        streamed: bool,
        passages: CallerPassages | None = None,
    ) -> Run:
        """A run for a question after a dialogue, while `running` others run; `history` None is not recorded."""
        ...


class AnswerElsewhere(Protocol):
    """Answer a question in another process."""

    def __call__(
        self,
        text: str,
        history: tuple[Message, ...],
        options: AskOptions | None,
        passages: Sequence[Passage | Hit] | None,
    ) -> Coroutine[Any, Any, Answer]:
        """The answer, as `Engine.aask` or with passages `Engine.aanswer_from` gives it, and raising as these."""
        ...
