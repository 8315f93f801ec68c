"""Labels of people on answers and claims, and the calibrations made from them; rows are only added."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from assay.calibration.curves import LATEST
from assay.calibration.fit import Fit
from assay.errors import DamagedStore, UsageError
from assay.records.figures import searches_of
from assay.records.runs import RunRecord, RunStore, storable
from assay.records.runs_file import LABELLED, version_of
from assay.types import Value

# The claim number that stands for the whole answer.
WHOLE = 0
# The version of the calibration that ships.
SHIPPED = 0


@dataclass(frozen=True, slots=True)
class Label(Value):
    """A person's label of an answer, or of its claim number `claim`; `version` counts labels from 1.

    `at` is Unix seconds, `by` names the person. The last of several labels of one thing is current.
    """

    version: int
    run_id: str
    claim: int
    good: bool
    at: float
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Calibration(Value):
    """A calibration of a collection; version 0 is the one that ships, `at` and `by` say who made it when."""

    version: int
    at: float
    by: str
    fit: Fit


@dataclass(frozen=True, slots=True)
class CalibrationInUse:
    """The calibration that a collection uses: its fit, None for the one that ships.

    `latest` are the sufficiencies of its latest questions, the newest last.
    """

    version: int = SHIPPED
    fit: Fit | None = None
    latest: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels and calibrations of a run record. Raises StoreError if it cannot be read or written."""

    store: RunStore

    def add(self, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str = "") -> Label:
        """Add a label; `run_id` as for `RunStore.load`.

        UsageError for a run without an answer, or a claim that it does not have.
        """
        record = self.store.load(run_id)
        answer = answer_to_label(record)
        if answer is None:
            raise UsageError(
                f"run {record.run.run_id} has no answer of assay's own to label",
                hint="`assay show` lists the latest runs",
            )
        numbers = [one["n"] for one in answer["claims"]]
        if claim != WHOLE and claim not in numbers:
            raise UsageError(
                f"run {record.run.run_id} has no claim {claim}; it has {', '.join(map(str, numbers)) or 'none'}",
                hint="`assay show RUN` numbers them",
            )
        with self.store.file.writing() as file:
            return write_label(file, record.run.run_id, claim, good=good, at=at, by=by, note=note)

    def all(self) -> tuple[Label, ...]:
        """Every label, oldest first."""
        with self._reading() as file:
            if file is None:
                return ()
            rows = file.execute("SELECT version, run_id, claim, good, at, by, note FROM labels ORDER BY version")
            return tuple(Label(v, run, claim, bool(good), *rest) for v, run, claim, good, *rest in rows)

    def current(self) -> tuple[Label, ...]:
        """The last label of each answer and claim, oldest first."""
        last = {(label.run_id, label.claim): label for label in self.all()}
        return tuple(sorted(last.values(), key=lambda label: label.version))

    # --- calibrations ----------------------------------------------------------------------------

    def add_calibration(self, collection: str, fit: Fit, *, at: float, by: str) -> Calibration:
        """Add a calibration and use it for the collection from now on."""
        with self.store.file.writing() as file:
            made = file.execute(
                "INSERT INTO calibrations (collection, at, by, body) VALUES (?, ?, ?, ?)",
                (collection, at, storable(by), json.dumps(fit.to_dict())),
            )
            version = int(made.lastrowid or 0)
            _choose(file, collection, version, at, by)
        return Calibration(version, at, by, fit)

    def use(self, collection: str, version: int, *, at: float, by: str) -> None:
        """Use another calibration of the collection, 0 for the one that ships. UsageError if it is unknown."""
        known = [calibration.version for calibration in self.calibrations(collection)]
        if version not in (SHIPPED, *known):
            raise UsageError(
                f"collection {collection} has no calibration {version}; it has {', '.join(map(str, (0, *known)))}",
                hint="0 is the one that ships with assay",
            )
        with self.store.file.writing() as file:
            _choose(file, collection, version, at, by)

    def calibrations(self, collection: str) -> tuple[Calibration, ...]:
        """The collection's own calibrations, oldest first. DamagedStore if one cannot be read."""
        with self._reading() as file:
            if file is None:
                return ()
            query = "SELECT version, at, by, body FROM calibrations WHERE collection = ? ORDER BY version"
            return tuple(
                Calibration(version, at, by, _fit(body))
                for version, at, by, body in file.execute(query, (collection,))
            )

    def calibration_in_use(self, collection: str) -> CalibrationInUse:
        """The calibration that the collection uses now, and the sufficiencies of its latest questions."""
        with self._reading() as file:
            if file is None:
                return CalibrationInUse()
            query = "SELECT version FROM calibrated WHERE collection = ? ORDER BY rowid DESC LIMIT 1"
            row = file.execute(query, (collection,)).fetchone()
            version = SHIPPED if row is None else int(row[0])
            return CalibrationInUse(version, _read(file, version), _latest(file, collection, LATEST))

    def fit(self, version: int) -> Fit | None:
        """The fit of a version; None for the one that ships. DamagedStore if it is missing or cannot be read."""
        with self._reading() as file:
            return None if file is None else _read(file, version)

    def latest(self, collection: str, count: int) -> tuple[float, ...]:
        """The sufficiencies of the collection's latest questions, the newest last."""
        with self._reading() as file:
            return () if file is None else _latest(file, collection, count)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to the file; None if there is none, or one older than labels."""
        if not self.store.file.exists:
            yield None
            return
        with self.store.file.reading() as file:
            yield file if version_of(file) >= LABELLED else None


def _choose(file: sqlite3.Connection, collection: str, version: int, at: float, by: str) -> None:
    file.execute("INSERT INTO calibrated VALUES (?, ?, ?, ?)", (collection, version, at, storable(by)))


def _read(file: sqlite3.Connection, version: int) -> Fit | None:
    if version == SHIPPED:
        return None
    row = file.execute("SELECT body FROM calibrations WHERE version = ?", (version,)).fetchone()
    if row is None:
        raise DamagedStore(f"calibration {version} is gone", hint="assay calibrate --use 0")
    return _fit(row[0])


def _latest(file: sqlite3.Connection, collection: str, count: int) -> tuple[float, ...]:
    query = (
        "SELECT json_extract(figures.body, '$.sufficiency') AS value FROM runs JOIN figures USING (run_id) "
        "WHERE collection = ? AND value IS NOT NULL ORDER BY runs.run_id DESC LIMIT ?"
    )
    return tuple(float(row[0]) for row in file.execute(query, (collection, count)))[::-1]


def _fit(body: str) -> Fit:
    try:
        return Fit.read(json.loads(body))
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedStore("a calibration cannot be read", hint="assay calibrate --use 0") from error


def answer_to_label(record: RunRecord) -> Mapping[str, Any] | None:
    """The run's answer as JSON if it is one of the collection's that can be right or wrong, else None.

    A draft from elsewhere, for which nothing was searched, does not show how often assay's own answers are right.
    """
    answer = record.answer
    if answer is None or answer["outcome"] not in ("answered", "partial") or not searches_of(answer):
        return None
    return answer


def write_label(
    file: sqlite3.Connection, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str
) -> Label:
    """Add one label, in the transaction that is open."""
    made = file.execute(
        "INSERT INTO labels (run_id, claim, good, at, by, note) VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, claim, int(good), at, storable(by), storable(note)),
    )
    return Label(int(made.lastrowid or 0), run_id, claim, good, at, by, note)
