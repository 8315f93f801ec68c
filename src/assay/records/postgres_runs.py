"""The record of runs in Postgres: one tenant's, shared by all machines that use the database."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import psycopg

from assay.calibration.curves import LATEST
from assay.calibration.fit import Fit
from assay.core.budget import Meter
from assay.core.tape import Tape
from assay.postgres.database import Database, storable
from assay.records.kept_answers import MOST_KEPT, KeptRow, read_kept
from assay.records.recorder import (
    FinishedRun,
    Recorder,
    fit_is_gone,
    names_of_document,
    only_run,
    read_figures,
    read_fit,
    read_recording,
)
from assay.records.values import (
    SHIPPED,
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
    RecordedEvent,
    RunPage,
    RunSummary,
)

_SUMMARY = "SELECT run_id, collection, question, started, outcome FROM assay.runs "

Connection = psycopg.Connection[Any]
Found = TypeVar("Found")


class PostgresRuns:
    """The recorded runs of a tenant, as `RunRecords` says; a sink for those of one collection.

    Without `texts`, a run is recorded as an outline. `opening` opens the database when it is first needed, so that
    what needs no record goes on without it; `closing` gets it when the record is closed.
    """

    def __init__(
        self,
        opening: Callable[[], Database],
        tenant: str,
        collection: str = "",
        *,
        texts: bool = True,
        closing: Callable[[Database], None] = lambda database: None,
    ) -> None:
        self._opening, self._closing = opening, closing
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._tenant = tenant
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

        def read(connection: Connection) -> list[str]:
            asked = [("form", form), *([] if meaning is None else [("meaning", meaning)])]
            return [
                body
                for column, value in asked
                for (body,) in connection.execute(
                    "SELECT body FROM assay.kept_answers WHERE collection = %s AND key = %s"  # noqa: S608 - constants
                    f" AND md5({column}) = md5(%s) AND {column} = %s ORDER BY run_id DESC LIMIT {MOST_KEPT}",
                    (self._collection, key, storable(value), storable(value)),
                )
            ]

        found = dict.fromkeys(self._read(read))
        return tuple(kept for body in found if (kept := read_kept(body)) is not None)

    # --- as a sink -------------------------------------------------------------------------------

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self._recorder.open(run_id, question)

    def receive(self, run_id: str, event: Event) -> None:
        """Keep the event; the run's last one writes them all."""
        finished = self._recorder.receive(run_id, event)
        if finished is not None:
            self._write(lambda connection: self._write_run(connection, finished))

    def _write_run(self, connection: Connection, run: FinishedRun) -> None:
        run_id, question = run.run_id, storable(run.question)
        connection.execute(
            "INSERT INTO assay.runs (run_id, collection, question, folded, started, outcome)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            (run_id, self._collection, _as_json(run.question), question.casefold(), run.started, run.outcome),
        )
        cursor = connection.cursor()
        cursor.executemany(
            "INSERT INTO assay.events (run_id, seq, at, kind, body) VALUES (%s, %s, %s, %s, %s)",
            [(run_id, *event) for event in run.events],
        )
        if run.figures is not None:
            connection.execute(
                "INSERT INTO assay.figures (run_id, body, sufficiency) VALUES (%s, %s, %s)",
                (run_id, run.figures, json.loads(run.figures).get("sufficiency")),
            )
        if run.queued is not None:
            connection.execute("INSERT INTO assay.queued (run_id, findings) VALUES (%s, %s)", (run_id, run.queued))
        if run.kept is not None:
            connection.execute(
                "INSERT INTO assay.kept_answers (run_id, collection, key, form, meaning, body)"
                " VALUES (%s, %s, %s, %s, %s, %s)",
                (
                    *(run_id, self._collection, run.kept.key),
                    *(storable(run.kept.form), storable(run.kept.meaning), run.kept.body),
                ),
            )
        if run.about is not None:
            connection.execute("INSERT INTO assay.recordings (run_id, about) VALUES (%s, %s)", (run_id, run.about))
            cursor.executemany(
                "INSERT INTO assay.tapes (run_id, step, port, key, body) VALUES (%s, %s, %s, %s, %s)",
                [
                    (run_id, step, call.port, storable(call.key), call.body)
                    for step, call in enumerate(run.calls, 1)
                ],
            )

    # --- reading ---------------------------------------------------------------------------------

    def find(self, query: RunQuery) -> RunPage:
        """The runs that a query names, newest first."""
        conditions: list[tuple[str, tuple[float | str, ...]]] = []
        if query.collection is not None:
            conditions.append(("collection = %s", (storable(query.collection),)))
        if query.outcome:
            conditions.append(("outcome = %s", (storable(query.outcome),)))
        if query.text:
            conditions.append(("position(%s IN folded) > 0", (storable(query.text).casefold(),)))
        if query.since is not None:
            conditions.append(("started >= %s", (query.since,)))
        if query.until is not None:
            conditions.append(("started < %s", (query.until,)))
        if query.labelled:
            conditions.append(("run_id IN (SELECT run_id FROM assay.labels WHERE claim = 0)", ()))
        if query.before:
            started, run_id = query.place()
            conditions.append(("(started, run_id) < (%s, %s)", (started, storable(run_id))))
        where = f"WHERE {' AND '.join(condition for condition, _values in conditions)} " if conditions else ""
        values = [value for _condition, given in conditions for value in given]
        order = "ORDER BY started DESC, run_id DESC LIMIT %s"
        found = self._read(lambda connection: _summaries(connection, where + order, [*values, query.limit + 1]))
        runs = found[: query.limit]
        return RunPage(runs, runs[-1].place if len(found) > query.limit else None)

    def latest(self, limit: int = 20) -> tuple[RunSummary, ...]:
        """The latest runs, newest first."""
        return self.find(RunQuery(limit=limit)).runs

    def load(self, run_id: str) -> RunRecord:
        """The run of that id, of the only id that begins so, or the "last" one. UsageError for any other."""
        return self._read(lambda connection: _load(connection, run_id))

    def recording(self, run_id: str) -> Recording:
        """The parts of the run that a replay needs; `run_id` as for `load`. UsageError if they were not kept."""

        def read(connection: Connection) -> Recording:
            record = _load(connection, run_id)
            own = (record.run.run_id,)
            row = connection.execute("SELECT about FROM assay.recordings WHERE run_id = %s", own).fetchone()
            calls = connection.execute(
                "SELECT port, key, body FROM assay.tapes WHERE run_id = %s ORDER BY step", own
            ).fetchall()
            return read_recording(record, None if row is None else row[0], calls)

        return self._read(read)

    def figures(self, since: float = 0.0, collection: str | None = None) -> tuple[TimedFigures, ...]:
        """The figures of runs from `since` (Unix seconds) on, oldest first."""

        def read(connection: Connection) -> tuple[TimedFigures, ...]:
            found = connection.execute(
                "SELECT run_id, started, outcome, body FROM assay.runs"
                " LEFT JOIN assay.figures USING (tenant, run_id)"
                " WHERE started >= %s AND (%s::text IS NULL OR collection = %s) ORDER BY started, run_id",
                (since, collection, collection),
            ).fetchall()
            return tuple(
                TimedFigures(started, read_figures(outcome, body, partial(_load, connection, run_id)))
                for run_id, started, outcome, body in found
            )

        return self._read(read)

    def close(self) -> None:
        """Release connections; calling it twice is harmless."""
        with self._lock:
            database, self._database = self._database, None
        if database is not None:
            self._closing(database)

    # --- what people say -------------------------------------------------------------------------

    def add_label(self, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str = "") -> Label:
        """Add a label of a claim, or of the answer as a whole."""
        return self._write(lambda connection: _write_label(connection, run_id, claim, good, at, by, note))

    def labels(self, run_id: str | None = None) -> tuple[Label, ...]:
        """Every label, or those of one run, oldest first."""
        own = None if run_id is None else storable(run_id)

        def read(connection: Connection) -> tuple[Label, ...]:
            found = connection.execute(
                "SELECT version, run_id, claim, good, at, by, note FROM assay.labels"
                " WHERE %s::text IS NULL OR run_id = %s ORDER BY version",
                (own, own),
            )
            return tuple(Label(*row) for row in found)

        return self._read(read)

    def waiting(self) -> tuple[Queued, ...]:
        """The answers that were delivered with findings left and have no decision, oldest first."""

        def read(connection: Connection) -> tuple[Queued, ...]:
            found = connection.execute(
                "SELECT run_id, collection, question, started, outcome, findings FROM assay.runs"
                " JOIN assay.queued USING (tenant, run_id)"
                " WHERE run_id NOT IN (SELECT run_id FROM assay.decisions) ORDER BY started, run_id"
            )
            return tuple(Queued(_summary(*row[:5]), tuple(json.loads(row[5]))) for row in found)

        return self._read(read)

    def add_decision(self, run_id: str, decision: Decision, *, is_label: bool) -> None:
        """Add a decision on a run's answer, which is a label of the whole answer as well if `is_label`."""
        at, good, by, note = decision.at, decision.accepted, storable(decision.by), storable(decision.note)

        def add(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO assay.decisions (run_id, at, by, accepted, note) VALUES (%s, %s, %s, %s, %s)",
                (run_id, at, by, good, note),
            )
            if is_label:
                _write_label(connection, run_id, WHOLE, good, at, by, note)

        self._write(add)

    # --- calibrations ----------------------------------------------------------------------------

    def add_calibration(self, collection: str, fit: Fit, *, at: float, by: str) -> Calibration:
        """Add a calibration and use it for the collection from now on."""

        def add(connection: Connection) -> Calibration:
            row = connection.execute(
                "INSERT INTO assay.calibrations (collection, at, by, body) VALUES (%s, %s, %s, %s)"
                " RETURNING version",
                (collection, at, storable(by), json.dumps(fit.to_dict())),
            ).fetchone()
            version = int(row[0]) if row else SHIPPED
            _choose(connection, collection, version, at, by)
            return Calibration(version, at, by, fit)

        return self._write(add)

    def use_calibration(self, collection: str, version: int, *, at: float, by: str) -> None:
        """Use another calibration of the collection, 0 for the one that ships."""
        self._write(lambda connection: _choose(connection, collection, version, at, by))

    def calibrations(self, collection: str) -> tuple[Calibration, ...]:
        """The collection's own calibrations, oldest first. DamagedStore if one cannot be read."""

        def read(connection: Connection) -> tuple[Calibration, ...]:
            found = connection.execute(
                "SELECT version, at, by, body FROM assay.calibrations WHERE collection = %s ORDER BY version",
                (collection,),
            )
            return tuple(Calibration(version, at, by, read_fit(body)) for version, at, by, body in found)

        return self._read(read)

    def calibration_in_use(self, collection: str) -> CalibrationInUse:
        """The calibration that the collection uses now, and the sufficiencies of its latest questions."""

        def read(connection: Connection) -> CalibrationInUse:
            row = connection.execute(
                "SELECT version FROM assay.calibrated WHERE collection = %s ORDER BY choice DESC LIMIT 1",
                (collection,),
            ).fetchone()
            version = int(row[0]) if row else SHIPPED
            return CalibrationInUse(version, _fit(connection, version), _latest(connection, collection, LATEST))

        return self._read(read)

    def fit(self, version: int) -> Fit | None:
        """The fit of a version; None for the one that ships. DamagedStore if it is missing or cannot be read."""
        return self._read(lambda connection: _fit(connection, version))

    def latest_sufficiencies(self, collection: str, count: int) -> tuple[float, ...]:
        """The sufficiencies of the collection's latest questions, the newest last."""
        return self._read(lambda connection: _latest(connection, collection, count))

    # --- deletion --------------------------------------------------------------------------------

    def delete(self, run_ids: Sequence[str]) -> Deleted:
        """Delete runs with all that was recorded of them; whole ids, unknown ones are passed over."""
        ids = [storable(run_id) for run_id in run_ids]

        def remove(connection: Connection) -> Deleted:
            return _deleted(connection.execute("DELETE FROM assay.runs WHERE run_id = ANY(%s)", (ids,)).rowcount)

        return self._write(remove)

    def delete_all(self) -> Deleted:
        """Delete everything: all runs, and the calibrations made from them."""

        def remove(connection: Connection) -> Deleted:
            deleted = connection.execute("DELETE FROM assay.runs").rowcount
            connection.execute("DELETE FROM assay.calibrations")
            connection.execute("DELETE FROM assay.calibrated")
            return _deleted(deleted)

        return self._write(remove)

    def recorded(self, run_ids: Sequence[str]) -> frozenset[str]:
        """The ids, of those given in full, that belong to recorded runs."""
        ids = [storable(run_id) for run_id in run_ids]

        def read(connection: Connection) -> frozenset[str]:
            found = connection.execute("SELECT run_id FROM assay.runs WHERE run_id = ANY(%s)", (ids,))
            return frozenset(run_id for (run_id,) in found)

        return self._read(read)

    def runs_with_document(self, document_id: str) -> tuple[str, ...]:
        """The ids of the runs that found or cite the document, oldest first."""

        def read(connection: Connection) -> tuple[str, ...]:
            found = connection.execute(
                "SELECT run_id FROM assay.runs"
                " WHERE run_id IN (SELECT run_id FROM assay.events WHERE position(%s IN body) > 0)"
                " OR run_id IN (SELECT run_id FROM assay.tapes WHERE position(%s::bytea IN body) > 0)"
                " ORDER BY started, run_id",
                names_of_document(document_id),
            )
            return tuple(run_id for (run_id,) in found)

        return self._read(read)

    def _read(self, work: Callable[[Connection], Found]) -> Found:
        return self._opened().transaction(self._tenant, work, reads=True)

    def _write(self, work: Callable[[Connection], Found]) -> Found:
        return self._opened().transaction(self._tenant, work)

    def _opened(self) -> Database:
        with self._lock:
            if self._database is None:
                self._database = self._opening()
            return self._database


def _deleted(runs: int) -> Deleted:
    """So many were deleted; Postgres keeps their bytes until it needs the place."""
    return Deleted(runs, wiped=not runs)


def _summaries(connection: Connection, which: str, values: Sequence[float | str]) -> tuple[RunSummary, ...]:
    return tuple(_summary(*row) for row in connection.execute((_SUMMARY + which).encode(), values))


def _summary(run_id: str, collection: str, question: str, started: float, outcome: str) -> RunSummary:
    return RunSummary(run_id, collection, json.loads(question), started, outcome)


def _as_json(question: str) -> str:
    """The question in JSON, which can write NUL characters; surrogates become question marks, as in SQLite."""
    return json.dumps(question.encode(errors="replace").decode())


def _load(connection: Connection, run_id: str) -> RunRecord:
    """The run of an id, of its beginning, or the last one, with its events and decisions. Raises UsageError."""
    if run_id == "last":
        found = _summaries(connection, "ORDER BY started DESC, run_id DESC LIMIT 1", ())
    else:
        prefix = storable(run_id.upper())
        found = _summaries(connection, "WHERE starts_with(run_id, %s) LIMIT 3", (prefix,))
    run = only_run(run_id, found)
    events = connection.execute(
        "SELECT seq, at, kind, body FROM assay.events WHERE run_id = %s ORDER BY seq", (run.run_id,)
    ).fetchall()
    decisions = connection.execute(
        "SELECT at, by, accepted, note FROM assay.decisions WHERE run_id = %s ORDER BY at, version", (run.run_id,)
    ).fetchall()
    return RunRecord(
        run,
        tuple(RecordedEvent(seq, at, kind, json.loads(body)) for seq, at, kind, body in events),
        tuple(Decision(*row) for row in decisions),
    )


def _write_label(
    connection: Connection, run_id: str, claim: int, good: bool, at: float, by: str, note: str
) -> Label:
    row = connection.execute(
        "INSERT INTO assay.labels (run_id, claim, good, at, by, note) VALUES (%s, %s, %s, %s, %s, %s)"
        " RETURNING version",
        (run_id, claim, good, at, storable(by), storable(note)),
    ).fetchone()
    return Label(int(row[0]) if row else 0, run_id, claim, good, at, by, note)


def _choose(connection: Connection, collection: str, version: int, at: float, by: str) -> None:
    connection.execute(
        "INSERT INTO assay.calibrated (collection, version, at, by) VALUES (%s, %s, %s, %s)",
        (collection, version, at, storable(by)),
    )


def _fit(connection: Connection, version: int) -> Fit | None:
    if version == SHIPPED:
        return None
    row = connection.execute("SELECT body FROM assay.calibrations WHERE version = %s", (version,)).fetchone()
    if row is None:
        raise fit_is_gone(version)
    return read_fit(row[0])


def _latest(connection: Connection, collection: str, count: int) -> tuple[float, ...]:
    found = connection.execute(
        "SELECT sufficiency FROM assay.runs JOIN assay.figures USING (tenant, run_id)"
        " WHERE collection = %s AND sufficiency IS NOT NULL ORDER BY run_id DESC LIMIT %s",
        (collection, count),
    ).fetchall()
    return tuple(float(value) for (value,) in found)[::-1]
