"""Labels of people on answers and claims, and the choice of calibrations: what may be labelled and chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.calibration.fit import Fit
from assay.errors import UsageError
from assay.records.figures import searches_of
from assay.records.run_records import RunRecords
from assay.records.values import SHIPPED, WHOLE, Calibration, CalibrationInUse, RunRecord
from assay.types import Label

# The values of labels are imported from here, too.
__all__ = ["SHIPPED", "WHOLE", "Calibration", "CalibrationInUse", "Label", "Labels", "answer_to_label"]


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels and calibrations of a run record. Raises StoreError if it cannot be read or written."""

    store: RunRecords

    def add(self, run_id: str, claim: int, *, good: bool, at: float, by: str, note: str = "") -> Label:
        """Add a label; `run_id` as for `RunRecords.load`.

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
        return self.store.add_label(record.run.run_id, claim, good=good, at=at, by=by, note=note)

    def all(self) -> tuple[Label, ...]:
        """Every label, oldest first."""
        return self.store.labels()

    def current(self) -> tuple[Label, ...]:
        """The last label of each answer and claim, oldest first."""
        last = {(label.run_id, label.claim): label for label in self.all()}
        return tuple(sorted(last.values(), key=lambda label: label.version))

    def add_calibration(self, collection: str, fit: Fit, *, at: float, by: str) -> Calibration:
        """Add a calibration and use it for the collection from now on."""
        return self.store.add_calibration(collection, fit, at=at, by=by)

    def use(self, collection: str, version: int, *, at: float, by: str) -> None:
        """Use another calibration of the collection, 0 for the one that ships. UsageError if it is unknown."""
        known = [calibration.version for calibration in self.calibrations(collection)]
        if version not in (SHIPPED, *known):
            raise UsageError(
                f"collection {collection} has no calibration {version}; it has {', '.join(map(str, (0, *known)))}",
                hint="0 is the one that ships with assay",
            )
        self.store.use_calibration(collection, version, at=at, by=by)

    def calibrations(self, collection: str) -> tuple[Calibration, ...]:
        """The collection's own calibrations, oldest first. DamagedStore if one cannot be read."""
        return self.store.calibrations(collection)

    def calibration_in_use(self, collection: str) -> CalibrationInUse:
        """The calibration that the collection uses now, and the sufficiencies of its latest questions."""
        return self.store.calibration_in_use(collection)

    def fit(self, version: int) -> Fit | None:
        """The fit of a version; None for the one that ships. DamagedStore if it is missing or cannot be read."""
        return self.store.fit(version)

    def latest(self, collection: str, count: int) -> tuple[float, ...]:
        """The sufficiencies of the collection's latest questions, the newest last."""
        return self.store.latest_sufficiencies(collection, count)


def answer_to_label(record: RunRecord) -> Mapping[str, Any] | None:
    """The run's answer as JSON if it is one of the collection's that can be right or wrong, else None.

    A draft from elsewhere, for which nothing was searched, does not show how often assay's own answers are right.
    """
    answer = record.answer
    if answer is None or answer["outcome"] not in ("answered", "partial") or not searches_of(answer):
        return None
    return answer
