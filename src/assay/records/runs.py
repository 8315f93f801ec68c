"""Runs and their events in one SQLite file, append-only.

A run's events are kept in memory until its last one, then written in one transaction: recording costs a
question one commit. A run that never ends (the process was killed) leaves nothing behind.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from assay.calibration.curves import LATEST
from assay.calibration.fit import Fit
from assay.core.budget import Meter
from assay.core.tape import Tape, TapeEntry
from assay.errors import DamagedStore, UsageError
from assay.records import rows
from assay.records.figures import RunFigures, figures_of, unrepaired
from assay.records.kept_answers import KeptRow, read_kept
from assay.records.rows import storable
from assay.records.runs_file import KEPT, LABELLED, RECORDED, REVIEWED, runs_file
from assay.records.sqlite_file import version_of
from assay.records.values import (
    ERROR,
    WHOLE,
    Calibration,
    CalibrationInUse,
    Recording,
    RunQuery,
    RunRecord,
    TimedFigures,
)
from assay.types import (
    Answer,
    Decision,
    Deleted,
    Done,
    Event,
    Failed,
    KeptAnswer,
    Label,
    Queued,
    RecordedEvent,
    RunPage,
    RunSummary,
)

# Words that say what was asked, what was decided and by what, and never what a document or an answer says. Any
# other text is left out of an outline, so that a field that is new cannot leak.
_KEPT = frozenset(
    {
        *("schema", "run_id", "outcome", "verdict", "profile", "mode_used", "level", "answers", "answers_question"),
        *("document_id", "passage_id", "revision", "sha256", "passage_ids", "stage", "kind", "state", "by", "name"),
        *("status", "severity", "check", "action", "recommendation", "quality", "triage", "code", "criterion"),
        *("writer", "judge", "verifier", "error", "question", "reused_from"),
    }
)
# Names and values of a document's own.
_LEFT_OUT = frozenset({"metadata"})


def event_json(event: Event) -> str:
    """The event as `to_dict` gives it, an answer with its schema, but not copied value by value first."""
    return json.dumps(event, default=_as_json_types)


def outline(body: Any, kept: bool = False) -> Any:
    """JSON without its texts: numbers stay, and words that name a decision, a check or an id.

    >>> outline({"outcome": "answered", "text": "It rained.", "claims": [{"n": 1, "verdict": "supported"}]})
    {'outcome': 'answered', 'text': '', 'claims': [{'n': 1, 'verdict': 'supported'}]}
    """
    if isinstance(body, Mapping):
        return {name: outline(value, name in _KEPT) for name, value in body.items() if name not in _LEFT_OUT}
    if isinstance(body, list):
        return [outline(value, kept) for value in body if kept or not isinstance(value, str)]
    return "" if isinstance(body, str) and not kept else body


def _as_json_types(value: Any) -> Any:
    """The value as JSON types, one level deep."""
    if isinstance(value, Answer):
        body = _by_name(value, without="trace")
        for name in value.left_out:
            del body[name]
        return {"schema": value.schema, **body, **value.derived}
    if is_dataclass(value):
        return _by_name(value)
    return dict(value) if isinstance(value, Mapping) else list(value)


def _by_name(value: Any, without: str = "") -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name != without}


# The values of the record are imported from here, too.
__all__ = ["Decision", "RecordedEvent", "Recording", "RunRecord", "RunStore", "RunSummary"]

Found = TypeVar("Found")


@dataclass(slots=True)
class _Unfinished:
    question: str
    started: float
    events: list[Event] = field(default_factory=list)


class RunStore:
    """The recorded runs of one data folder in SQLite, as `RunRecords` says; a sink for those of one collection.

    Without `texts`, a run is recorded as an outline: its question, what was decided and measured, and no text of a
    document or an answer.

    >>> import tempfile
    >>> store = RunStore(Path(tempfile.mkdtemp()) / "runs.sqlite", "default")
    >>> store.open("01J", "How hot?")
    >>> store.receive("01J", Failed(seq=1, at=5.0, error="StoreError", message="gone", hint="add it"))
    >>> store.load("last").run.outcome
    'error'
    >>> store.close()
    """

    def __init__(self, path: Path, collection: str = "", *, texts: bool = True) -> None:
        self.file = runs_file(path)
        self._collection = collection
        self._texts = texts
        self._unfinished: dict[str, _Unfinished] = {}
        self._tapes: dict[str, tuple[str, Tape]] = {}
        self._meters: dict[str, Meter] = {}
        self._kept: dict[str, KeptRow] = {}

    def keep_tape(self, run_id: str, about: Mapping[str, Any], tape: Tape) -> None:
        """Write the tape with the run when it ends, and `about` as JSON: all that a replay needs."""
        if self._texts:
            self._tapes[run_id] = json.dumps(about), tape

    def measure(self, run_id: str, meter: Meter) -> None:
        """Write the costs of the run's checks with its figures when it ends."""
        self._meters[run_id] = meter

    def keep_answer(self, run_id: str, row: KeptRow) -> None:
        """Write the answer of the run, to be given again, with the run when it ends; nothing without texts."""
        if self._texts:
            self._kept[run_id] = row

    def kept_answers(self, key: str, form: str, meaning: str | None = None) -> tuple[KeptAnswer, ...]:
        """The kept answers under a key to a question of this form, or of this meaning; the newest first."""
        found = self._read(lambda file: rows.kept_answers(file, self._collection, key, form, meaning), KEPT)
        return tuple(kept for body in found if (kept := read_kept(body)) is not None)

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
        bodies = [event_json(event) for event in run.events]
        last = run.events[-1]
        outcome = last.answer.outcome.value if isinstance(last, Done) else ERROR
        answer = json.loads(bodies[-1])["answer"] if isinstance(last, Done) else None
        if not self._texts:
            bodies = [json.dumps(outline(json.loads(body))) for body in bodies]
        about, tape = self._tapes.pop(run_id, (None, Tape()))
        meter = self._meters.pop(run_id, None)
        kept = self._kept.pop(run_id, None)
        events = [
            (run_id, event.seq, event.at, event.kind, body) for event, body in zip(run.events, bodies, strict=True)
        ]
        calls = [(run_id, step, entry.port, entry.key, entry.body) for step, entry in enumerate(tape.entries, 1)]
        with self.file.writing() as connection:
            summary = (run_id, self._collection, storable(run.question), run.started, outcome)
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", summary)
            connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", events)
            if answer is not None:
                self._write_figures(connection, run_id, answer, meter)
            if kept is not None and answer is not None:
                row = (run_id, self._collection, kept.key, storable(kept.form), storable(kept.meaning), kept.body)
                connection.execute("INSERT INTO kept_answers VALUES (?, ?, ?, ?, ?, ?)", row)
            if about is not None:
                connection.execute("INSERT INTO recordings VALUES (?, ?)", (run_id, about))
                connection.executemany("INSERT INTO tapes VALUES (?, ?, ?, ?, ?)", calls)

    def _write_figures(
        self, connection: sqlite3.Connection, run_id: str, answer: Mapping[str, Any], meter: Meter | None
    ) -> None:
        """Write the figures of an answer, and queue it if it was delivered with findings left."""
        measured = (None, None, None) if meter is None else (meter.costs, meter.tries, meter.lookup)
        figures = figures_of(answer, *measured).to_dict()
        connection.execute("INSERT INTO figures VALUES (?, ?)", (run_id, json.dumps(figures)))
        left = unrepaired(answer)
        if left:
            findings = left if self._texts else [finding.partition(":")[0] for finding in left]
            connection.execute("INSERT INTO queued VALUES (?, ?)", (run_id, json.dumps(findings)))

    # --- reading ---------------------------------------------------------------------------------

    def find(self, query: RunQuery) -> RunPage:
        """The runs that a query names, newest first."""
        with self.file.reading(LABELLED if query.labelled else 1) as file:
            found = () if file is None else rows.find_runs(file, query)
        runs = found[: query.limit]
        return RunPage(runs, runs[-1].place if len(found) > query.limit else None)

    def latest(self, limit: int = 20) -> tuple[RunSummary, ...]:
        """The latest runs, newest first."""
        return self.find(RunQuery(limit=limit)).runs

    def load(self, run_id: str) -> RunRecord:
        """The run of that id, of the only id that begins so, or the "last" one. UsageError for any other."""
        run = self._named(run_id)
        with self.file.reading() as file:
            if file is None:  # it was deleted since
                raise _not_one(run_id, ())
            decided = rows.decisions(file, run.run_id) if version_of(file) >= REVIEWED else ()
            return RunRecord(run, rows.events(file, run.run_id), decided)

    def _named(self, run_id: str) -> RunSummary:
        if run_id == "last":
            found = self.latest(1)
        else:
            prefix = storable(run_id.upper())
            values = (len(prefix), prefix)
            found = self._read(lambda file: rows.summaries(file, "WHERE substr(run_id, 1, ?) = ? LIMIT 3", values))
        if len(found) != 1:
            raise _not_one(run_id, found)
        return found[0]

    def recording(self, run_id: str) -> Recording:
        """The parts of the run that a replay needs; `run_id` as for `load`. UsageError if they were not kept."""
        record = self.load(run_id)
        run, last = record.run, record.events[-1]
        about, calls = None, []
        with self.file.reading(RECORDED) as file:
            if file is not None:
                about = file.execute("SELECT about FROM recordings WHERE run_id = ?", (run.run_id,)).fetchone()
                query = "SELECT port, key, body FROM tapes WHERE run_id = ? ORDER BY step"
                calls = file.execute(query, (run.run_id,)).fetchall()
        if about is None:
            raise UsageError(
                f"run {run.run_id} cannot be replayed: its tape was not kept",
                hint="only questions that are asked with the setting tape on can be",
            )
        cut = last.kind == Failed.kind and last.body["error"] in ("DeadlinePassed", "CancelledError")
        return Recording(run, json.loads(about[0]), tuple(TapeEntry(*call) for call in calls), cut)

    def figures(self, since: float = 0.0, collection: str | None = None) -> tuple[TimedFigures, ...]:
        """The figures of runs from `since` (Unix seconds) on, oldest first."""
        with self.file.reading(1) as file:
            stored = () if file is None else rows.figures(file, since, collection, version_of(file) >= REVIEWED)
        return tuple(TimedFigures(row.started, self._figures_of(row)) for row in stored)

    def _figures_of(self, row: rows.FiguresRow) -> RunFigures | None:
        """The figures of a run; of one that an earlier version recorded, what its answer says besides."""
        if row.outcome == ERROR:
            return None
        found = None if row.body is None else RunFigures.read(json.loads(row.body))
        if found is not None and found.outcome:
            return found
        answer = self.load(row.run_id).answer
        if answer is None:
            return found
        return figures_of(answer) if found is None else figures_of(answer, found.costs, found.tries, found.lookup)

    def damage(self) -> tuple[str, ...]:
        """The faults that SQLite finds in the file; empty if there is no file yet."""
        try:
            with self.file.reading() as connection:
                faults = [] if connection is None else connection.execute("PRAGMA quick_check").fetchall()
        except DamagedStore as error:
            return (str(error),)
        return tuple(fault[0] for fault in faults if fault[0] != "ok")

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        self.file.close()

    # --- what people say -------------------------------------------------------------------------

    def add_label(self, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str = "") -> Label:
        """Add a label of a claim, or of the answer as a whole."""
        with self.file.writing() as file:
            return rows.write_label(file, run_id, claim, good=good, at=at, by=by, note=note)

    def labels(self, run_id: str | None = None) -> tuple[Label, ...]:
        """Every label, or those of one run, oldest first."""
        return self._read(lambda file: rows.labels(file, run_id), LABELLED)

    def waiting(self) -> tuple[Queued, ...]:
        """The answers that were delivered with findings left and have no decision, oldest first."""
        return self._read(rows.waiting, REVIEWED)

    def add_decision(self, run_id: str, decision: Decision, *, is_label: bool) -> None:
        """Add a decision on a run's answer, which is a label of the whole answer as well if `is_label`."""
        by, note = storable(decision.by), storable(decision.note)
        with self.file.writing() as file:
            values = (run_id, decision.at, by, int(decision.accepted), note)
            file.execute("INSERT INTO decisions VALUES (?, ?, ?, ?, ?)", values)
            if is_label:
                rows.write_label(file, run_id, WHOLE, good=decision.accepted, at=decision.at, by=by, note=note)

    # --- calibrations ----------------------------------------------------------------------------

    def add_calibration(self, collection: str, fit: Fit, *, at: float, by: str) -> Calibration:
        """Add a calibration and use it for the collection from now on."""
        with self.file.writing() as file:
            return rows.write_calibration(file, collection, fit, at, by)

    def use_calibration(self, collection: str, version: int, *, at: float, by: str) -> None:
        """Use another calibration of the collection, 0 for the one that ships."""
        with self.file.writing() as file:
            rows.choose_calibration(file, collection, version, at, by)

    def calibrations(self, collection: str) -> tuple[Calibration, ...]:
        """The collection's own calibrations, oldest first. DamagedStore if one cannot be read."""
        return self._read(lambda file: rows.calibrations(file, collection), LABELLED)

    def calibration_in_use(self, collection: str) -> CalibrationInUse:
        """The calibration that the collection uses now, and the sufficiencies of its latest questions."""
        with self.file.reading(LABELLED) as file:
            if file is None:
                return CalibrationInUse()
            version = rows.chosen_calibration(file, collection)
            latest = rows.latest_sufficiencies(file, collection, LATEST)
            return CalibrationInUse(version, rows.fit(file, version), latest)

    def fit(self, version: int) -> Fit | None:
        """The fit of a version; None for the one that ships. DamagedStore if it is missing or cannot be read."""
        with self.file.reading(LABELLED) as file:
            return None if file is None else rows.fit(file, version)

    def latest_sufficiencies(self, collection: str, count: int) -> tuple[float, ...]:
        """The sufficiencies of the collection's latest questions, the newest last."""
        return self._read(lambda file: rows.latest_sufficiencies(file, collection, count), REVIEWED)

    # --- deletion --------------------------------------------------------------------------------

    def delete(self, run_ids: Sequence[str]) -> Deleted:
        """Delete runs with all that was recorded of them; whole ids, unknown ones are passed over."""
        return self._delete(lambda file: rows.delete(file, run_ids))

    def delete_all(self) -> Deleted:
        """Delete everything: all runs, and the calibrations made from them."""
        return self._delete(rows.delete_all)

    def recorded(self, run_ids: Sequence[str]) -> frozenset[str]:
        """The given whole ids that are those of recorded runs."""
        return frozenset(self._read(lambda file: rows.recorded(file, run_ids)))

    def runs_with_document(self, document_id: str) -> tuple[str, ...]:
        """The ids of the runs that found or cite the document, oldest first."""
        return self._read(lambda file: rows.runs_with_document(file, document_id), RECORDED)

    def _delete(self, delete: Callable[[sqlite3.Connection], int]) -> Deleted:
        if not self.file.exists:
            return Deleted(0)
        with self.file.writing() as file:
            deleted = delete(file)
        return Deleted(deleted, self.file.wipe_log())

    # --- opening ---------------------------------------------------------------------------------

    def _read(self, read: Callable[[sqlite3.Connection], tuple[Found, ...]], version: int = 1) -> tuple[Found, ...]:
        """Read a file; nothing of a missing one, or of one older than what is asked."""
        with self.file.reading(version) as file:
            return () if file is None else read(file)


def _not_one(run_id: str, found: Sequence[RunSummary]) -> UsageError:
    if found:
        return UsageError(f"several runs begin with {run_id!r}", hint=f"give more of it, e.g. {found[0].run_id}")
    if run_id == "last":
        return UsageError("no run is recorded yet", hint="ask something first: assay ask 'What is …?'")
    return UsageError(f"there is no run {run_id!r}", hint="`assay show` lists the latest runs")
