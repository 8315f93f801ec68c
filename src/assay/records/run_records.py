"""The record of runs as one protocol: SQLite implements it in `runs.py`, another database may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from assay.calibration.fit import Fit
from assay.core.run import MeteredSink
from assay.core.tape import Tape
from assay.records.kept_answers import KeptRow
from assay.records.values import Calibration, CalibrationInUse, Recording, RunQuery, RunRecord, TimedFigures
from assay.types import Decision, Deleted, KeptAnswer, Label, Queued, RunPage


class RunRecords(MeteredSink, Protocol):
    """The recorded runs of one tenant; as a sink it records those of one collection.

    What is recorded can be deleted and never be changed. A run is recorded as a whole when it ends. Safe to use
    from several threads and processes. Raises StoreError or a subclass if the record cannot be read or written.
    """

    def keep_tape(self, run_id: str, about: Mapping[str, Any], tape: Tape) -> None:
        """Write the tape with the run when it ends, and `about` as JSON: all that a replay needs."""
        ...

    def keep_answer(self, run_id: str, row: KeptRow) -> None:
        """Write the answer of the run, to be given again, with the run when it ends."""
        ...

    def kept_answers(self, key: str, form: str, meaning: str | None = None) -> tuple[KeptAnswer, ...]:
        """The collection's kept answers under a key to a question of this form, or of this meaning.

        The newest first, at most three of each; one in a form of another version is left out.
        """
        ...

    def find(self, query: RunQuery) -> RunPage:
        """The runs that a query names, newest first."""
        ...

    def load(self, run_id: str) -> RunRecord:
        """The run of that id, of the only id that begins so, or the "last" one. UsageError for any other."""
        ...

    def recording(self, run_id: str) -> Recording:
        """The parts of the run that a replay needs; `run_id` as for `load`. UsageError if they were not kept."""
        ...

    def figures(self, since: float = 0.0, collection: str | None = None) -> tuple[TimedFigures, ...]:
        """The figures of runs from `since` (Unix seconds) on, oldest first."""
        ...

    # --- what people say -------------------------------------------------------------------------

    def add_label(self, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str = "") -> Label:
        """Add a label of a claim, or of the answer as a whole; `assay.records.labels` says what may be labelled."""
        ...

    def labels(self, run_id: str | None = None) -> tuple[Label, ...]:
        """Every label, or those of one run, oldest first."""
        ...

    def waiting(self) -> tuple[Queued, ...]:
        """The answers that were delivered with findings left and have no decision, oldest first."""
        ...

    def add_decision(self, run_id: str, decision: Decision, *, is_label: bool) -> None:
        """Add a decision on a run's answer, which is a label of the whole answer as well if `is_label`."""
        ...

    # --- calibrations ----------------------------------------------------------------------------

    def add_calibration(self, collection: str, fit: Fit, *, at: float, by: str) -> Calibration:
        """Add a calibration and use it for the collection from now on."""
        ...

    def use_calibration(self, collection: str, version: int, *, at: float, by: str) -> None:
        """Use another calibration of the collection, 0 for the one that ships."""
        ...

    def calibrations(self, collection: str) -> tuple[Calibration, ...]:
        """The collection's own calibrations, oldest first. DamagedStore if one cannot be read."""
        ...

    def calibration_in_use(self, collection: str) -> CalibrationInUse:
        """The calibration that the collection uses now, and the sufficiencies of its latest questions."""
        ...

    def fit(self, version: int) -> Fit | None:
        """The fit of a version; None for the one that ships. DamagedStore if it is missing or cannot be read."""
        ...

    def latest_sufficiencies(self, collection: str, count: int) -> tuple[float, ...]:
        """The sufficiencies of the collection's latest questions, the newest last."""
        ...

    # --- deletion --------------------------------------------------------------------------------

    def delete(self, run_ids: Sequence[str]) -> Deleted:
        """Delete runs with all that was recorded of them: events, tapes, figures, labels, decisions, kept answers.

        Ids are whole ones; unknown ones are passed over. What is deleted is overwritten on the disk, or the result
        says that it was not.
        """
        ...

    def delete_all(self) -> Deleted:
        """Delete everything: all runs, and the calibrations made from them."""
        ...

    def recorded(self, run_ids: Sequence[str]) -> frozenset[str]:
        """The given whole ids that are those of recorded runs."""
        ...

    def runs_with_document(self, document_id: str) -> tuple[str, ...]:
        """The ids of the runs that found or cite the document, oldest first."""
        ...
