"""Answers that wait for a person's decision: delivered with findings that no repair fixed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from assay.errors import UsageError
from assay.records.labels import WHOLE, answer_to_label, write_label
from assay.records.runs import SUMMARY, Decision, RunStore, RunSummary, storable
from assay.records.runs_file import REVIEWED, version_of
from assay.types import Value

_WAITING = (
    "WHERE run_id IN (SELECT run_id FROM queued) AND run_id NOT IN (SELECT run_id FROM decisions) "
    "ORDER BY started, run_id"
)


@dataclass(frozen=True, slots=True)
class Queued(Value):
    """A delivered answer that waits for a decision, and the findings left."""

    run: RunSummary
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The queue of a run record. Raises StoreError or a subclass if it cannot be read or written."""

    store: RunStore

    def waiting(self) -> tuple[Queued, ...]:
        """The answers without a decision, oldest first."""
        if not self.store.file.exists:
            return ()
        with self.store.file.reading() as file:
            if version_of(file) < REVIEWED:
                return ()
            rows = file.execute(SUMMARY + _WAITING).fetchall()
            findings = dict(file.execute("SELECT run_id, findings FROM queued").fetchall())
        return tuple(Queued(RunSummary(*row), tuple(json.loads(findings[row[0]]))) for row in rows)

    def decide(self, run_id: str, decision: Decision) -> RunSummary:
        """Add a person's decision on a run's answer; earlier decisions stay.

        It is a label of the whole answer, too, from which `assay calibrate --labelled` learns.

        `run_id` as for `RunStore.load`. UsageError for a run without an answer.
        """
        record = self.store.load(run_id)
        if record.answer is None:
            raise UsageError(
                f"run {record.run.run_id} ended with an error: there is no answer to decide on",
                hint="`assay review` lists the answers that wait",
            )
        values = (int(decision.accepted), storable(decision.note))
        with self.store.file.writing() as file:
            file.execute(
                "INSERT INTO decisions VALUES (?, ?, ?, ?, ?)",
                (record.run.run_id, decision.at, storable(decision.by), *values),
            )
            if answer_to_label(record) is not None:
                write_label(
                    file,
                    record.run.run_id,
                    WHOLE,
                    good=decision.accepted,
                    at=decision.at,
                    by=decision.by,
                    note=decision.note,
                )
        return record.run
