"""The rows of the run record as values: what the SQLite store reads and writes in an open connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from assay.calibration.fit import Fit
from assay.records.kept_answers import MOST_KEPT
from assay.records.recorder import FinishedRun, fit_is_gone, names_of_document, read_fit
from assay.records.values import SHIPPED, Calibration, RunQuery
from assay.types import Decision, Label, Queued, RecordedEvent, RunSummary

SUMMARY = "SELECT run_id, collection, question, started, outcome FROM runs "
_LABEL = "SELECT version, run_id, claim, good, at, by, note FROM labels "
_WAITING = (
    "WHERE run_id IN (SELECT run_id FROM queued) AND run_id NOT IN (SELECT run_id FROM decisions) "
    "ORDER BY started, run_id"
)
# Everything that is recorded of a run; the run itself comes last.
_OF_ANSWERS = ("figures", "queued", "decisions", "labels", "kept_answers")
TABLES_OF_RUNS = ("events", "recordings", "tapes", *_OF_ANSWERS, "runs")
TABLES = (*TABLES_OF_RUNS, "calibrations", "calibrated")


def storable(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot store."""
    return text.encode(errors="replace").decode()


def summaries(file: sqlite3.Connection, which: str, values: Sequence[float | str]) -> tuple[RunSummary, ...]:
    """The runs that a condition names, in its order."""
    return tuple(RunSummary(*row) for row in file.execute(SUMMARY + which, values))


def find_runs(file: sqlite3.Connection, query: RunQuery) -> tuple[RunSummary, ...]:
    """The runs of a query, newest first, and one more where there are more."""
    conditions: list[tuple[str, tuple[float | str, ...]]] = []
    if query.collection is not None:
        conditions.append(("collection = ?", (storable(query.collection),)))
    if query.outcome:
        conditions.append(("outcome = ?", (storable(query.outcome),)))
    if query.text:
        file.create_function("folded", 1, str.casefold, deterministic=True)
        conditions.append(("instr(folded(question), ?) > 0", (storable(query.text).casefold(),)))
    if query.since is not None:
        conditions.append(("started >= ?", (query.since,)))
    if query.until is not None:
        conditions.append(("started < ?", (query.until,)))
    if query.labelled:
        conditions.append(("run_id IN (SELECT run_id FROM labels WHERE claim = 0)", ()))
    if query.before:
        conditions.append(("(started, run_id) < (?, ?)", query.place()))
    where = f"WHERE {' AND '.join(condition for condition, _values in conditions)} " if conditions else ""
    values = [value for _condition, given in conditions for value in given]
    return summaries(file, f"{where}ORDER BY started DESC, run_id DESC LIMIT ?", [*values, query.limit + 1])


def write_run(file: sqlite3.Connection, collection: str, run: FinishedRun) -> None:
    """Write a run with all that is recorded of it, in the transaction that is open."""
    run_id = run.run_id
    summary = (run_id, collection, storable(run.question), run.started, run.outcome)
    file.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", summary)
    file.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", [(run_id, *event) for event in run.events])
    if run.figures is not None:
        file.execute("INSERT INTO figures VALUES (?, ?)", (run_id, run.figures))
    if run.queued is not None:
        file.execute("INSERT INTO queued VALUES (?, ?)", (run_id, run.queued))
    if run.kept is not None:
        row = (run_id, collection, run.kept.key, storable(run.kept.form), storable(run.kept.meaning), run.kept.body)
        file.execute("INSERT INTO kept_answers VALUES (?, ?, ?, ?, ?, ?)", row)
    if run.about is not None:
        file.execute("INSERT INTO recordings VALUES (?, ?)", (run_id, run.about))
        calls = [(run_id, step, entry.port, entry.key, entry.body) for step, entry in enumerate(run.calls, 1)]
        file.executemany("INSERT INTO tapes VALUES (?, ?, ?, ?, ?)", calls)


@dataclass(frozen=True, slots=True)
class FiguresRow:
    """A run and its stored figures, None where none are stored."""

    run_id: str
    started: float
    outcome: str
    body: str | None


def figures(
    file: sqlite3.Connection, since: float, collection: str | None, are_stored: bool
) -> tuple[FiguresRow, ...]:
    """The figures of runs from `since` on, oldest first; without `are_stored`, the file is older than figures."""
    body, joined = ("body", "LEFT JOIN figures USING (run_id) ") if are_stored else ("NULL", "")
    where, values = ("", [since]) if collection is None else ("AND collection = ? ", [since, storable(collection)])
    query = (
        f"SELECT run_id, started, outcome, {body} FROM runs {joined}"  # noqa: S608 - constants
        f"WHERE started >= ? {where}ORDER BY started, run_id"
    )
    return tuple(FiguresRow(*row) for row in file.execute(query, values))


def events(file: sqlite3.Connection, run_id: str) -> tuple[RecordedEvent, ...]:
    """The events of a run, in order."""
    rows = file.execute("SELECT seq, at, kind, body FROM events WHERE run_id = ? ORDER BY seq", (run_id,))
    return tuple(RecordedEvent(seq, at, kind, json.loads(body)) for seq, at, kind, body in rows)


def tape(file: sqlite3.Connection, run_id: str) -> tuple[str | None, list[tuple[str, str, bytes]]]:
    """The facts kept for a replay of the run, None where nothing was kept, and its calls in order."""
    row = file.execute("SELECT about FROM recordings WHERE run_id = ?", (run_id,)).fetchone()
    calls = file.execute("SELECT port, key, body FROM tapes WHERE run_id = ? ORDER BY step", (run_id,)).fetchall()
    return None if row is None else row[0], calls


def decisions(file: sqlite3.Connection, run_id: str) -> tuple[Decision, ...]:
    """The decisions on a run's answer, oldest first."""
    rows = file.execute("SELECT at, by, accepted, note FROM decisions WHERE run_id = ? ORDER BY at", (run_id,))
    return tuple(Decision(at, by, bool(accepted), note) for at, by, accepted, note in rows)


def waiting(file: sqlite3.Connection) -> tuple[Queued, ...]:
    """The queued answers without a decision, oldest first."""
    left = dict(file.execute("SELECT run_id, findings FROM queued").fetchall())
    return tuple(Queued(run, tuple(json.loads(left[run.run_id]))) for run in summaries(file, _WAITING, ()))


def labels(file: sqlite3.Connection, run_id: str | None) -> tuple[Label, ...]:
    """Every label, or those of one run, oldest first."""
    where, values = ("", ()) if run_id is None else ("WHERE run_id = ? ", (storable(run_id),))
    rows = file.execute(f"{_LABEL}{where}ORDER BY version", values)
    return tuple(Label(version, run, claim, bool(good), *rest) for version, run, claim, good, *rest in rows)


def write_label(
    file: sqlite3.Connection, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str
) -> Label:
    """Add one label, in the transaction that is open."""
    made = file.execute(
        "INSERT INTO labels (run_id, claim, good, at, by, note) VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, claim, int(good), at, storable(by), storable(note)),
    )
    return Label(int(made.lastrowid or 0), run_id, claim, good, at, by, note)


# --- calibrations --------------------------------------------------------------------------------


def write_calibration(file: sqlite3.Connection, collection: str, fit: Fit, at: float, by: str) -> Calibration:
    """Add a calibration and choose it, in the transaction that is open."""
    made = file.execute(
        "INSERT INTO calibrations (collection, at, by, body) VALUES (?, ?, ?, ?)",
        (collection, at, storable(by), json.dumps(fit.to_dict())),
    )
    version = int(made.lastrowid or 0)
    choose_calibration(file, collection, version, at, by)
    return Calibration(version, at, by, fit)


def choose_calibration(file: sqlite3.Connection, collection: str, version: int, at: float, by: str) -> None:
    """Choose a calibration, in the transaction that is open."""
    file.execute("INSERT INTO calibrated VALUES (?, ?, ?, ?)", (collection, version, at, storable(by)))


def calibrations(file: sqlite3.Connection, collection: str) -> tuple[Calibration, ...]:
    """The collection's own calibrations, oldest first. Raises DamagedStore."""
    query = "SELECT version, at, by, body FROM calibrations WHERE collection = ? ORDER BY version"
    rows = file.execute(query, (collection,))
    return tuple(Calibration(version, at, by, read_fit(body)) for version, at, by, body in rows)


def chosen_calibration(file: sqlite3.Connection, collection: str) -> int:
    """The version of the calibration that was chosen last."""
    query = "SELECT version FROM calibrated WHERE collection = ? ORDER BY rowid DESC LIMIT 1"
    row = file.execute(query, (collection,)).fetchone()
    return SHIPPED if row is None else int(row[0])


def fit(file: sqlite3.Connection, version: int) -> Fit | None:
    """The fit of a version, None for the one that ships. Raises DamagedStore."""
    if version == SHIPPED:
        return None
    row = file.execute("SELECT body FROM calibrations WHERE version = ?", (version,)).fetchone()
    if row is None:
        raise fit_is_gone(version)
    return read_fit(row[0])


def latest_sufficiencies(file: sqlite3.Connection, collection: str, count: int) -> tuple[float, ...]:
    """The sufficiencies of the collection's latest questions, the newest last."""
    query = (
        "SELECT json_extract(figures.body, '$.sufficiency') AS value FROM runs JOIN figures USING (run_id) "
        "WHERE collection = ? AND value IS NOT NULL ORDER BY runs.run_id DESC LIMIT ?"
    )
    return tuple(float(row[0]) for row in file.execute(query, (collection, count)))[::-1]


# --- kept answers --------------------------------------------------------------------------------

_KEPT = "SELECT body FROM kept_answers WHERE collection = ? AND key = ? AND {} = ? ORDER BY run_id DESC LIMIT {}"


def kept_answers(
    file: sqlite3.Connection, collection: str, key: str, form: str, meaning: str | None
) -> tuple[str, ...]:
    """The bodies of the kept answers of a collection under a key and a form or meaning, the newest first.

    Those of the same form come before those that have only the meaning in common.
    """
    asked = [("form", form), *([] if meaning is None else [("meaning", meaning)])]
    found = [
        row[0]
        for column, value in asked
        for row in file.execute(_KEPT.format(column, MOST_KEPT), (collection, key, storable(value)))
    ]
    return tuple(dict.fromkeys(found))


# --- deletion ------------------------------------------------------------------------------------


def delete(file: sqlite3.Connection, run_ids: Sequence[str]) -> int:
    """Delete runs with all that is recorded of them, in the transaction that is open; how many there were."""
    rows = [(storable(run_id),) for run_id in dict.fromkeys(run_ids)]
    for table in TABLES_OF_RUNS:
        deleted = file.executemany(f"DELETE FROM {table} WHERE run_id = ?", rows).rowcount  # noqa: S608 - constants
    return deleted


def delete_all(file: sqlite3.Connection) -> int:
    """Delete every row, in the transaction that is open; how many runs there were."""
    (runs,) = file.execute("SELECT COUNT(*) FROM runs").fetchone()
    for table in TABLES:
        file.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
    return int(runs)


def recorded(file: sqlite3.Connection, run_ids: Sequence[str]) -> tuple[str, ...]:
    """The given ids that runs have."""
    query = "SELECT run_id FROM runs WHERE run_id = ?"
    found = (file.execute(query, (storable(run_id),)).fetchone() for run_id in run_ids)
    return tuple(str(row[0]) for row in found if row is not None)


def runs_with_document(file: sqlite3.Connection, document_id: str) -> tuple[str, ...]:
    """The ids of runs of which an event or a call on the tape names the document, oldest first."""
    query = (
        "SELECT run_id FROM runs WHERE run_id IN (SELECT run_id FROM events WHERE instr(body, ?) > 0) "
        "OR run_id IN (SELECT run_id FROM tapes WHERE instr(body, ?) > 0) ORDER BY started, run_id"
    )
    return tuple(row[0] for row in file.execute(query, names_of_document(document_id)))
