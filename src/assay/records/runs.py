"""Runs and their events in one SQLite file, append-only.

A run's events are kept in memory until its last one, then written in one transaction: recording costs a
question one commit. A run that never ends (the process was killed) leaves nothing behind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from assay.calibration.curves import LATEST
from assay.calibration.fit import Fit
from assay.core.budget import Meter
from assay.core.tape import Tape
from assay.errors import DamagedStore
from assay.records import rows
from assay.records.kept_answers import KeptRow, read_kept
from assay.records.recorder import Recorder, only_run, read_figures, read_recording
from assay.records.rows import storable
from assay.records.sqlite_file import SqliteFile, version_of
from assay.records.values import (
    WHOLE,
    Calibration,
    CalibrationInUse,
    Recording,
    RunQuery,
    RunRecord,
    TimedFigures,
)
from assay.types import (
    Decision,
    Deleted,
    Event,
    KeptAnswer,
    Label,
    Queued,
    RunPage,
    RunSummary,
)

__all__ = ["SCRIPTS", "RunRecord", "RunStore"]

Found = TypeVar("Found")

# The tables of the record, version by version. A version is never changed, only followed by another.
_RUNS = """
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
# Version 3 added each run's figures, the queue for a human's eye, and what was decided there.
_REVIEWS = """
CREATE TABLE figures (run_id TEXT PRIMARY KEY REFERENCES runs, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE queued (run_id TEXT PRIMARY KEY REFERENCES runs, findings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE decisions (
  run_id TEXT NOT NULL REFERENCES runs, at REAL NOT NULL, by TEXT NOT NULL, accepted INTEGER NOT NULL,
  note TEXT NOT NULL
);
CREATE INDEX decisions_of ON decisions (run_id, at);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
"""
# Version 4 added labels of answers and claims, calibrations fitted on them, and which one a collection uses.
_LABELS = """
CREATE TABLE labels (
  version INTEGER PRIMARY KEY, run_id TEXT NOT NULL REFERENCES runs, claim INTEGER NOT NULL, good INTEGER NOT NULL,
  at REAL NOT NULL, by TEXT NOT NULL, note TEXT NOT NULL
);
CREATE INDEX labels_of ON labels (run_id, claim, version);
CREATE TABLE calibrations (
  version INTEGER PRIMARY KEY, collection TEXT NOT NULL, at REAL NOT NULL, by TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE calibrated (collection TEXT NOT NULL, version INTEGER NOT NULL, at REAL NOT NULL, by TEXT NOT NULL);
CREATE TRIGGER labels_stay BEFORE UPDATE ON labels BEGIN SELECT RAISE(ABORT, 'labels are append-only'); END;
CREATE TRIGGER calibrations_stay BEFORE UPDATE ON calibrations
  BEGIN SELECT RAISE(ABORT, 'calibrations are append-only'); END;
CREATE TRIGGER calibrated_stays BEFORE UPDATE ON calibrated
  BEGIN SELECT RAISE(ABORT, 'choices are append-only'); END;
"""
# Version 5 added the order in which runs are listed.
_LISTED = "CREATE INDEX runs_by_start ON runs (started, run_id);\n"
# Version 6 added the answers that may be given again; they go with their runs.
_KEPT = """
CREATE TABLE kept_answers (
  run_id TEXT PRIMARY KEY REFERENCES runs, collection TEXT NOT NULL, key TEXT NOT NULL, form TEXT NOT NULL,
  meaning TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX kept_by_form ON kept_answers (collection, key, form);
CREATE INDEX kept_by_meaning ON kept_answers (collection, key, meaning);
CREATE TRIGGER kept_answers_stay BEFORE UPDATE ON kept_answers
  BEGIN SELECT RAISE(ABORT, 'kept answers are append-only'); END;
"""
SCRIPTS = (_RUNS, _RECORDINGS, _REVIEWS, _LABELS, _LISTED, _KEPT)
# From which version on there are tapes, figures and reviews, labels, and kept answers.
RECORDED, REVIEWED, LABELLED, KEPT = 2, 3, 4, 6


class RunStore:
    """The recorded runs of one data folder in SQLite, as `RunRecords` says; a sink for those of one collection.

    Without `texts`, a run is recorded as an outline: its question, what was decided and measured, and no text of a
    document or an answer.

    >>> import tempfile
    >>> from assay.types import Failed
    >>> store = RunStore(Path(tempfile.mkdtemp()) / "runs.sqlite", "default")
    >>> store.open("01J", "How hot?")
    >>> store.receive("01J", Failed(seq=1, at=5.0, error="StoreError", message="gone", hint="add it"))
    >>> store.load("last").run.outcome
    'error'
    >>> store.close()
    """

    def __init__(self, path: Path, collection: str = "", *, texts: bool = True) -> None:
        # Written at the end of each run, so its connection is kept until it is closed.
        self.file = SqliteFile(path, SCRIPTS, f"the record of runs in {path.name}", durable=False, stays_open=True)
        self._collection = collection
        self._recorder = Recorder(texts=texts)

    def keep_tape(self, run_id: str, about: Mapping[str, Any], tape: Tape) -> None:
        """Write the tape with the run when it ends, and `about` as JSON: all that a replay needs."""
        self._recorder.keep_tape(run_id, about, tape)

    def measure(self, run_id: str, meter: Meter) -> None:
        """Write the costs of the run's checks with its figures when it ends."""
        self._recorder.measure(run_id, meter)

    def keep_answer(self, run_id: str, row: KeptRow) -> None:
        """Write the answer of the run, to be given again, with the run when it ends; nothing without texts."""
        self._recorder.keep_answer(run_id, row)

    def kept_answers(self, key: str, form: str, meaning: str | None = None) -> tuple[KeptAnswer, ...]:
        """The kept answers under a key to a question of this form, or of this meaning; the newest first."""
        found = self._read(lambda file: rows.kept_answers(file, self._collection, key, form, meaning), KEPT)
        return tuple(kept for body in found if (kept := read_kept(body)) is not None)

    # --- as a sink -------------------------------------------------------------------------------

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._recorder.open(run_id, question)

    def receive(self, run_id: str, event: Event) -> None:
        """Keep the event; the run's last one writes them all."""
        finished = self._recorder.receive(run_id, event)
        if finished is not None:
            with self.file.writing() as connection:
                rows.write_run(connection, self._collection, finished)

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
            if file is None:
                return RunRecord(only_run(run_id, ()), ())  # it was deleted since: this raises
            decided = rows.decisions(file, run.run_id) if version_of(file) >= REVIEWED else ()
            return RunRecord(run, rows.events(file, run.run_id), decided)

    def _named(self, run_id: str) -> RunSummary:
        if run_id == "last":
            found = self.latest(1)
        else:
            prefix = storable(run_id.upper())
            values = (len(prefix), prefix)
            found = self._read(lambda file: rows.summaries(file, "WHERE substr(run_id, 1, ?) = ? LIMIT 3", values))
        return only_run(run_id, found)

    def recording(self, run_id: str) -> Recording:
        """The parts of the run that a replay needs; `run_id` as for `load`. UsageError if they were not kept."""
        record = self.load(run_id)
        about, calls = None, list[tuple[str, str, bytes]]()
        with self.file.reading(RECORDED) as file:
            if file is not None:
                about, calls = rows.tape(file, record.run.run_id)
        return read_recording(record, about, calls)

    def figures(self, since: float = 0.0, collection: str | None = None) -> tuple[TimedFigures, ...]:
        """The figures of runs from `since` (Unix seconds) on, oldest first."""
        with self.file.reading(1) as file:
            stored = () if file is None else rows.figures(file, since, collection, version_of(file) >= REVIEWED)
        return tuple(
            TimedFigures(row.started, read_figures(row.outcome, row.body, partial(self.load, row.run_id)))
            for row in stored
        )

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
