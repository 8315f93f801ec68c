"""The lessons of a collection, and those taken back: one append-only file for each collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from assay.errors import DamagedStore, UsageError
from assay.records.append_only import AppendOnlyFile
from assay.types import Value

_SCHEMA = "assay-learned/1"
# The parts that can be learned.
CONFIDENCE, THRESHOLD, CHECKER, SEARCH = "confidence", "threshold", "checker", "searching again"
# Gains and seconds of searching again, by judge, action and triage: the setting `search_utility`.
SearchTable = Mapping[str, Mapping[str, Mapping[str, float]]]


@dataclass(frozen=True, slots=True)
class Change(Value):
    """One part before and after: versions of a calibration or policy, a threshold from 0 to 1, or a table.

    `before` is None where nothing was learned before. `labels` is the version of the latest label that taught it,
    of searching again the number of questions; `checker` is the hash of the checker that the policy is for, "" for
    other parts.
    """

    part: str
    before: float | SearchTable | None
    after: float | SearchTable
    labels: int
    checker: str = ""


@dataclass(frozen=True, slots=True)
class Learning(Value):
    """Lessons learned at once; `version` counts from 1, `at` is Unix seconds, `by` names who asked for it."""

    version: int
    at: float
    by: str
    changes: tuple[Change, ...]
    is_undone: bool = False

    @classmethod
    def read(cls, version: int, body: Mapping[str, Any]) -> Self:
        """The learning as a line has it; raises KeyError, TypeError or ValueError for another form."""
        if body["schema"] != _SCHEMA:
            raise ValueError(f"its schema is not {_SCHEMA}")
        changes = tuple(Change(**change) for change in body["changes"])
        return cls(version, float(body["at"]), str(body["by"]), changes)


@dataclass(frozen=True, slots=True)
class LearningLog:
    """The lessons of one collection of the data folder.

    Raises StoreError if the file cannot be read or written, DamagedStore if it has another form.
    """

    data_dir: Path
    collection: str

    @property
    def path(self) -> Path:
        """The file; it does not exist before something is learned."""
        return self.data_dir / "learned" / f"{self.collection}.jsonl"

    def all(self) -> tuple[Learning, ...]:
        """Everything that was learned, oldest first."""
        learned: list[Learning] = []
        try:
            for body in AppendOnlyFile(self.path).lines():
                if "undo" not in body:
                    learned.append(Learning.read(len(learned) + 1, body))
                    continue
                at = int(body["undo"]) - 1
                if at < 0:
                    raise ValueError(f"it undoes learning {at + 1}")
                learned[at] = replace(learned[at], is_undone=True)
        except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError) as error:
            raise DamagedStore(
                f"{self.path} cannot be used: {error}", hint="move it away; nothing learned counts then"
            ) from error
        return tuple(learned)

    def latest(self, part: str) -> Change | None:
        """The last change of a part that was not undone."""
        changes = (change for one in self.all() if not one.is_undone for change in one.changes)
        return next((change for change in reversed(tuple(changes)) if change.part == part), None)

    def threshold(self) -> float | None:
        """The signal from which an answer answers, 0 to 1; None where none was learned."""
        found = self.latest(THRESHOLD)
        return found.after if found is not None and isinstance(found.after, float | int) else None

    def search_utility(self) -> SearchTable:
        """The worth of searching again; empty where nothing was learned."""
        found = self.latest(SEARCH)
        return found.after if found is not None and isinstance(found.after, Mapping) else {}

    def add(self, changes: Sequence[Change], *, at: float, by: str) -> Learning:
        """Write down what was learned."""
        body = {"schema": _SCHEMA, "at": at, "by": by, "changes": [change.to_dict() for change in changes]}
        made = Learning(len(self.all()) + 1, at, by, tuple(changes))
        AppendOnlyFile(self.path).add(body)
        return made

    def undo(self, *, at: float, by: str) -> Learning:
        """Mark the last learning as undone, and return it; UsageError where there is none."""
        standing = [one for one in self.all() if not one.is_undone]
        if not standing:
            raise UsageError(
                f"nothing is learned for collection {self.collection}", hint="`assay learn --list` shows what was"
            )
        AppendOnlyFile(self.path).add({"at": at, "by": by, "undo": standing[-1].version})
        return standing[-1]
