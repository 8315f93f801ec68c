"""Labels and decisions of people on answers, and the choice of calibrations: which of them a record may take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError
from assay.records.figures import searches_of
from assay.records.run_records import RunRecords
from assay.records.values import SHIPPED, WHOLE, RunRecord
from assay.types import Decision, Label, RunSummary

__all__ = ["WHOLE", "Labels", "answer_to_label"]


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels, decisions and calibrations of a run record. Raises StoreError if it cannot be read or written."""

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

    def current(self) -> tuple[Label, ...]:
        """The last label of each answer and claim, oldest first."""
        last = {(label.run_id, label.claim): label for label in self.store.labels()}
        return tuple(sorted(last.values(), key=lambda label: label.version))

    def use(self, collection: str, version: int, *, at: float, by: str) -> None:
        """Use another calibration of the collection, 0 for the one that ships. UsageError if it is unknown."""
        known = [calibration.version for calibration in self.store.calibrations(collection)]
        if version not in (SHIPPED, *known):
            raise UsageError(
                f"collection {collection} has no calibration {version}; it has {', '.join(map(str, (0, *known)))}",
                hint="0 is the one that ships with assay",
            )
        self.store.use_calibration(collection, version, at=at, by=by)

    def decide(self, run_id: str, decision: Decision) -> RunSummary:
        """Add a person's decision on a run's answer; earlier decisions stay.

        It is a label of the whole answer, too, from which `assay calibrate --labelled` learns.

        `run_id` as for `RunRecords.load`. UsageError for a run without an answer.
        """
        record = self.store.load(run_id)
        if record.answer is None:
            raise UsageError(
                f"run {record.run.run_id} ended with an error: there is no answer to decide on",
                hint="`assay review` lists the waiting answers",
            )
        is_label = answer_to_label(record) is not None
        self.store.add_decision(record.run.run_id, decision, is_label=is_label)
        return record.run


def answer_to_label(record: RunRecord) -> Mapping[str, Any] | None:
    """The run's answer as JSON if it is one of the collection's that can be right or wrong, else None.

    A draft from elsewhere, for which nothing was searched, does not show how often assay's own answers are right.
    """
    answer = record.answer
    if answer is None or answer["outcome"] not in ("answered", "partial") or not searches_of(answer):
        return None
    return answer
