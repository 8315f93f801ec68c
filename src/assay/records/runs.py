"""Runs and their events in one SQLite file, append-only.

A run's events are kept in memory until its last one, then written in one transaction: recording costs a
question one commit. A run that never ends (the process was killed) leaves nothing behind.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from assay.core.budget import Meter
from assay.core.tape import Tape, TapeEntry
from assay.errors import DamagedStore, UsageError
from assay.records.figures import RunFigures, figures_of, unrepaired
from assay.records.runs_file import RECORDED, REVIEWED, RunsFile, version_of
from assay.types import Answer, Done, Event, Failed, Value

SUMMARY = "SELECT run_id, collection, question, started, outcome FROM runs "


@dataclass(frozen=True, slots=True)
class RunSummary(Value):
    """One row of the list of runs; `started` is Unix seconds, `outcome` an Outcome's value or "error"."""

    run_id: str
    collection: str
    question: str
    started: float
    outcome: str


@dataclass(frozen=True, slots=True)
class RecordedEvent(Value):
    """One event as it was recorded: `body` holds the fields of its class as JSON types."""

    seq: int
    at: float
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision(Value):
    """The decision of a person on a queued answer; `at` is Unix seconds, `by` names the person."""

    at: float
    by: str
    accepted: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunRecord(Value):
    """A run, its events in order, and the decisions on its answer, oldest first."""

    run: RunSummary
    events: tuple[RecordedEvent, ...]
    decisions: tuple[Decision, ...] = ()

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The answer object; None if the run ended with an error."""
        last = self.events[-1] if self.events else None
        answer = last.body.get("answer") if last is not None and last.kind == Done.kind else None
        return answer if isinstance(answer, dict) else None


@dataclass(frozen=True, slots=True)
class Recording(Value):
    """A run with its tape: the JSON that was kept with it, the entries, and whether its deadline cut it."""

    run: RunSummary
    about: Mapping[str, Any]
    entries: tuple[TapeEntry, ...]
    cut: bool = False


@dataclass(slots=True)
class _Unfinished:
    question: str
    started: float
    events: list[Event] = field(default_factory=list)


class RunStore:
    """The recorded runs of one data folder; as a sink it records those of one collection.

    Safe to use from several threads and processes. Raises StoreError or a subclass if the file cannot be read or
    written.

    >>> import tempfile
    >>> store = RunStore(Path(tempfile.mkdtemp()) / "runs.sqlite", "default")
    >>> store.open("01J", "How hot?")
    >>> store.receive("01J", Failed(seq=1, at=5.0, error="StoreError", message="gone", hint="add it"))
    >>> store.load("last").run.outcome
    'error'
    >>> store.close()
    """

    def __init__(self, path: Path, collection: str = "") -> None:
        self.file = RunsFile(path)
        self._collection = collection
        self._unfinished: dict[str, _Unfinished] = {}
        self._tapes: dict[str, tuple[str, Tape]] = {}
        self._meters: dict[str, Meter] = {}

    def keep_tape(self, run_id: str, about: Mapping[str, Any], tape: Tape) -> None:
        """Write the tape with the run when it ends, and `about` as JSON: all that a replay needs."""
        self._tapes[run_id] = json.dumps(about), tape

    def measure(self, run_id: str, meter: Meter) -> None:
        """Write the costs of the run's checks with its figures when it ends."""
        self._meters[run_id] = meter

    # --- as a sink -------------------------------------------------------------------------------

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._unfinished[run_id] = _Unfinished(question, time.time())

    def receive(self, run_id: str, event: Event) -> None:
        """Keep the event; the run's last one writes them all."""
        self._unfinished[run_id].events.append(event)
        if isinstance(event, Done | Failed):
            self._write(run_id, self._unfinished.pop(run_id))

    def _write(self, run_id: str, run: _Unfinished) -> None:
        rows = [(run_id, event.seq, event.at, event.kind, _json(event)) for event in run.events]
        last = run.events[-1]
        outcome = last.answer.outcome.value if isinstance(last, Done) else "error"
        summary = (run_id, self._collection, storable(run.question), run.started, outcome)
        about, tape = self._tapes.pop(run_id, (None, Tape()))
        meter = self._meters.pop(run_id, None)
        calls = [(run_id, step, entry.port, entry.key, entry.body) for step, entry in enumerate(tape.entries, 1)]
        with self.file.writing() as connection:
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", summary)
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
            if isinstance(last, Done):
                answer = json.loads(rows[-1][-1])["answer"]
                _write_figures(connection, run_id, answer, meter)
            if about is not None:
                connection.execute("INSERT INTO recordings VALUES (?, ?)", (run_id, about))
                connection.executemany("INSERT INTO tapes VALUES (?, ?, ?, ?, ?)", calls)

    # --- reading ---------------------------------------------------------------------------------

    def latest(self, limit: int = 20) -> tuple[RunSummary, ...]:
        """The latest runs, newest first."""
        return self._summaries("ORDER BY started DESC, run_id DESC LIMIT ?", (limit,))

    def load(self, run_id: str) -> RunRecord:
        """The run of that id, of the only id that begins so, or the "last" one. UsageError for any other."""
        found = self.latest(1) if run_id == "last" else self._beginning_with(run_id.upper())
        if len(found) != 1:
            raise _not_one(run_id, found)
        with self.file.reading() as connection:
            rows = connection.execute(
                "SELECT seq, at, kind, body FROM events WHERE run_id = ? ORDER BY seq", (found[0].run_id,)
            ).fetchall()
            decided = _decisions(connection, found[0].run_id) if version_of(connection) >= REVIEWED else ()
        events = tuple(RecordedEvent(seq, at, kind, json.loads(body)) for seq, at, kind, body in rows)
        return RunRecord(found[0], events, decided)

    def recording(self, run_id: str) -> Recording:
        """The parts of the run that a replay needs; `run_id` as for `load`. UsageError if they were not kept."""
        record = self.load(run_id)
        run, last = record.run, record.events[-1]
        about, rows = None, []
        with self.file.reading() as file:
            if version_of(file) >= RECORDED:
                about = file.execute("SELECT about FROM recordings WHERE run_id = ?", (run.run_id,)).fetchone()
                rows = file.execute(
                    "SELECT port, key, body FROM tapes WHERE run_id = ? ORDER BY step", (run.run_id,)
                ).fetchall()
        if about is None:
            raise UsageError(
                f"run {run.run_id} cannot be replayed: its tape was not kept",
                hint="only questions that are asked with the setting tape on can be",
            )
        cut = last.kind == Failed.kind and last.body["error"] in ("DeadlinePassed", "CancelledError")
        return Recording(run, json.loads(about[0]), tuple(TapeEntry(*row) for row in rows), cut)

    def figures(self, since: float = 0.0) -> tuple[RunFigures | None, ...]:
        """The figures of runs from `since` (Unix seconds) on, oldest first; None for one that failed."""
        summaries = self._summaries("WHERE started >= ? ORDER BY started", (since,))
        stored = self._stored_figures() if summaries else {}
        return tuple(
            None if run.outcome == "error" else stored.get(run.run_id) or self._figures_now(run.run_id)
            for run in summaries
        )

    def _stored_figures(self) -> dict[str, RunFigures]:
        with self.file.reading() as file:
            if version_of(file) < REVIEWED:
                return {}
            rows = file.execute("SELECT run_id, body FROM figures").fetchall()
        return {run_id: RunFigures.read(json.loads(body)) for run_id, body in rows}

    def _figures_now(self, run_id: str) -> RunFigures | None:
        """The figures of a run from before they were stored."""
        answer = self.load(run_id).answer
        return None if answer is None else figures_of(answer)

    def damage(self) -> tuple[str, ...]:
        """The faults that SQLite finds in the file; empty if there is no file yet."""
        if not self.file.exists:
            return ()
        try:
            with self.file.reading() as connection:
                rows = connection.execute("PRAGMA quick_check").fetchall()
        except DamagedStore as error:
            return (str(error),)
        return tuple(row[0] for row in rows if row[0] != "ok")

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        self.file.close()

    def _beginning_with(self, prefix: str) -> tuple[RunSummary, ...]:
        return self._summaries("WHERE substr(run_id, 1, ?) = ? LIMIT 3", (len(prefix), storable(prefix)))

    def _summaries(self, which: str, values: tuple[float | str, ...]) -> tuple[RunSummary, ...]:
        if not self.file.exists:
            return ()
        query = SUMMARY + which
        with self.file.reading() as connection:
            if version_of(connection) == 0:  # killed while it was made: nothing is in it yet
                return ()
            return tuple(RunSummary(*row) for row in connection.execute(query, values))


def _write_figures(
    connection: sqlite3.Connection, run_id: str, answer: Mapping[str, Any], meter: Meter | None
) -> None:
    """Write the figures of an answer, and queue it if it was delivered with findings left."""
    measured = (None, None) if meter is None else (meter.costs, meter.tries)
    figures = figures_of(answer, *measured).to_dict()
    connection.execute("INSERT INTO figures VALUES (?, ?)", (run_id, json.dumps(figures)))
    left = unrepaired(answer)
    if left:
        connection.execute("INSERT INTO queued VALUES (?, ?)", (run_id, json.dumps(left)))


def _decisions(connection: sqlite3.Connection, run_id: str) -> tuple[Decision, ...]:
    rows = connection.execute(
        "SELECT at, by, accepted, note FROM decisions WHERE run_id = ? ORDER BY at", (run_id,)
    )
    return tuple(Decision(at, by, bool(accepted), note) for at, by, accepted, note in rows)


def _json(event: Event) -> str:
    """The event as `to_dict` gives it, an answer with its schema, but not copied value by value first."""
    return json.dumps(event, default=_as_json_types)


def _as_json_types(value: Any) -> Any:
    """The value as JSON types, one level deep."""
    if isinstance(value, Answer):
        body = _by_name(value, without="trace")
        if value.explanation is None:
            del body["explanation"]
        return {"schema": value.schema, **body, **value.derived}
    if is_dataclass(value):
        return _by_name(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def _by_name(value: Any, without: str = "") -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name != without}


def storable(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot store."""
    return text.encode(errors="replace").decode()


def _not_one(run_id: str, found: tuple[RunSummary, ...]) -> UsageError:
    if found:
        return UsageError(f"several runs begin with {run_id!r}", hint=f"give more of it, e.g. {found[0].run_id}")
    if run_id == "last":
        return UsageError("no run is recorded yet", hint="ask something first: assay ask 'What is …?'")
    return UsageError(f"there is no run {run_id!r}", hint="`assay show` lists the latest runs")
