"""Answers that wait for a person's decision: delivered with findings that no repair fixed."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UsageError
from assay.records.labels import answer_to_label
from assay.records.run_records import RunRecords
from assay.types import Decision, Queued, RunSummary

__all__ = ["Queued", "ReviewQueue"]


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The queue of a run record. Raises StoreError or a subclass if it cannot be read or written."""

    store: RunRecords

    def waiting(self) -> tuple[Queued, ...]:
        """The answers without a decision, oldest first."""
        return self.store.waiting()

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
