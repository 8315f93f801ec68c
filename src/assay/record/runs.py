"""Runs and their events in one SQLite file, append-only.

A run's events are kept in memory until its last one, then written in one transaction: recording costs a
question one commit. A run that never ends (the process was killed) leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from assay.errors import DamagedStore, StoreError, StoreFull, UsageError
from assay.tape import Tape, TapeEntry
from assay.types import Answer, Done, Event, Failed, Value

SCHEMA_VERSION = 2
# Seconds to wait for another process that is writing.
PATIENCE = 5.0

_SCHEMA = """
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, collection TEXT NOT NULL, question TEXT NOT NULL, started REAL NOT NULL,
  outcome TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
  run_id TEXT NOT NULL REFERENCES runs, seq INTEGER NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;
CREATE TRIGGER runs_stay BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'runs are append-only'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
"""
# Version 2 added what a replay needs: the settings and the dialogue, and every call out of the run in order.
_RECORDINGS = """
CREATE TABLE recordings (run_id TEXT PRIMARY KEY REFERENCES runs, about TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tapes (
  run_id TEXT NOT NULL REFERENCES runs, step INTEGER NOT NULL, port TEXT NOT NULL, key TEXT NOT NULL,
  body BLOB NOT NULL, PRIMARY KEY (run_id, step)
);
"""
_SUMMARY = "SELECT run_id, collection, question, started, outcome FROM runs "


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
    """One event as it was: `body` holds the fields of its class as JSON types."""

    seq: int
    at: float
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunRecord(Value):
    """A run and all its events, in order."""

    run: RunSummary
    events: tuple[RecordedEvent, ...]

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The answer object, or None where the run ended with an error."""
        last = self.events[-1] if self.events else None
        answer = last.body.get("answer") if last is not None and last.kind == Done.kind else None
        return answer if isinstance(answer, dict) else None


@dataclass(frozen=True, slots=True)
class Recording(Value):
    """What a replay needs: the run, the JSON that was kept with it, its tape, and whether its deadline cut it."""

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

    Safe to use from several threads and processes. What cannot be read or written raises StoreError or a
    subclass.

    >>> import tempfile
    >>> store = RunStore(Path(tempfile.mkdtemp()) / "runs.sqlite", "default")
    >>> store.open("01J", "How hot?")
    >>> store.receive("01J", Failed(seq=1, at=5.0, error="StoreError", message="gone", hint="add it"))
    >>> store.load("last").run.outcome
    'error'
    >>> store.close()
    """

    def __init__(self, path: Path, collection: str = "") -> None:
        self._path = path
        self._collection = collection
        self._unfinished: dict[str, _Unfinished] = {}
        self._kept: dict[str, tuple[str, Tape]] = {}
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def keep(self, run_id: str, about: Mapping[str, Any], tape: Tape) -> None:
        """Write the tape with the run when it ends, and `about`, as JSON: all that a replay needs."""
        self._kept[run_id] = json.dumps(about), tape

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
        summary = (run_id, self._collection, _storable(run.question), run.started, outcome)
        about, tape = self._kept.pop(run_id, (None, Tape()))
        calls = [(run_id, step, each.port, each.key, each.body) for step, each in enumerate(tape.entries, 1)]
        with self._lock, self._mapped(), self._writable() as connection:
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", summary)
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
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
        with self._lock, self._mapped(), self._readable() as connection:
            rows = connection.execute(
                "SELECT seq, at, kind, body FROM events WHERE run_id = ? ORDER BY seq", (found[0].run_id,)
            ).fetchall()
        return RunRecord(
            found[0], tuple(RecordedEvent(seq, at, kind, json.loads(body)) for seq, at, kind, body in rows)
        )

    def recording(self, run_id: str) -> Recording:
        """What a replay of the run needs; `run_id` as for `load`. UsageError where it was not kept."""
        record = self.load(run_id)
        run, last = record.run, record.events[-1]
        about, rows = None, []
        with self._lock, self._mapped(), self._readable() as file:
            if self._refuse_newer(file) >= SCHEMA_VERSION:
                about = file.execute("SELECT about FROM recordings WHERE run_id = ?", (run.run_id,)).fetchone()
                rows = file.execute(
                    "SELECT port, key, body FROM tapes WHERE run_id = ? ORDER BY step", (run.run_id,)
                ).fetchall()
        if about is None:
            raise UsageError(
                f"run {run.run_id} cannot be replayed: its tape was not kept",
                hint="ask again with the setting tape on",
            )
        cut = last.kind == Failed.kind and last.body["error"] in ("DeadlinePassed", "CancelledError")
        return Recording(run, json.loads(about[0]), tuple(TapeEntry(*row) for row in rows), cut)

    def damage(self) -> tuple[str, ...]:
        """What SQLite finds wrong with the file; nothing where there is no file yet."""
        if not self._path.exists():
            return ()
        try:
            with self._lock, self._mapped(), self._readable() as connection:
                rows = connection.execute("PRAGMA quick_check").fetchall()
        except DamagedStore as error:
            return (str(error),)
        return tuple(row[0] for row in rows if row[0] != "ok")

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _beginning_with(self, prefix: str) -> tuple[RunSummary, ...]:
        return self._summaries("WHERE substr(run_id, 1, ?) = ? LIMIT 3", (len(prefix), _storable(prefix)))

    def _summaries(self, which: str, values: tuple[int | str, ...]) -> tuple[RunSummary, ...]:
        if not self._path.exists():
            return ()
        query = _SUMMARY + which
        with self._lock, self._mapped(), self._readable() as connection:
            if self._refuse_newer(connection) == 0:  # killed while it was made: nothing is in it yet
                return ()
            return tuple(RunSummary(*row) for row in connection.execute(query, values))

    # --- the file --------------------------------------------------------------------------------

    @contextmanager
    def _readable(self) -> Iterator[sqlite3.Connection]:
        with closing(
            sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
        ) as file:
            self._refuse_newer(file)
            yield file

    @contextmanager
    def _writable(self) -> Iterator[sqlite3.Connection]:
        if self._connection is None:
            self._connection = self._opened()
        with self._connection:
            yield self._connection

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its -wal the same mode
        connection = sqlite3.connect(self._path, timeout=PATIENCE, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if self._refuse_newer(connection) < SCHEMA_VERSION:
            self._raise_version(connection)
        return connection

    def _raise_version(self, connection: sqlite3.Connection) -> None:
        """Make what this version needs and the file has not."""
        connection.execute("BEGIN IMMEDIATE")
        there = self._refuse_newer(connection)  # another process may have been faster
        for script in (_SCHEMA, _RECORDINGS)[there:]:
            for statement in script.strip().split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.commit()

    def _refuse_newer(self, connection: sqlite3.Connection) -> int:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self._path} was written by a newer assay (record version {version}, this one knows "
                f"{SCHEMA_VERSION})",
                hint="upgrade assay, or use another --data-dir",
            )
        return version

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error | OSError) -> StoreError:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            return StoreFull(f"no room left to write {self._path}", hint="free some disk space")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return DamagedStore(
                f"{self._path} is damaged: {error}", hint=f"move {self._path} away; runs start anew"
            )
        return StoreError(f"{self._path} cannot be used: {error}", hint="check the rights of the data folder")


def _json(event: Event) -> str:
    """The event as `to_dict` gives it, an answer with its schema; without copying it value by value first."""
    return json.dumps(event, default=_opened)


def _opened(value: Any) -> Any:
    """What JSON has no type for, one level deep, as JSON types."""
    if isinstance(value, Answer):
        return {"schema": value.schema, **_by_name(value, without="trace")}
    if is_dataclass(value):
        return _by_name(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def _by_name(value: Any, without: str = "") -> dict[str, Any]:
    return {each.name: getattr(value, each.name) for each in fields(value) if each.name != without}


def _storable(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot store."""
    return text.encode(errors="replace").decode()


def _not_one(run_id: str, found: tuple[RunSummary, ...]) -> UsageError:
    if found:
        return UsageError(f"several runs begin with {run_id!r}", hint=f"give more of it, e.g. {found[0].run_id}")
    if run_id == "last":
        return UsageError("no run is recorded yet", hint="ask something first: assay ask 'What is …?'")
    return UsageError(f"there is no run {run_id!r}", hint="`assay show` lists the latest runs")
