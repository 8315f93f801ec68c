"""Recorded runs as they are listed, and what people said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.types.value import Value


@dataclass(frozen=True, slots=True)
class RunSummary(Value):
    """One row of the list of runs; `started` is Unix seconds, `outcome` an Outcome's value or "error"."""

    run_id: str
    collection: str
    question: str
    started: float
    outcome: str

    @property
    def place(self) -> str:
        """Where the run stands in the list of runs, for `RunQuery.before`."""
        return f"{self.started!r}:{self.run_id}"


@dataclass(frozen=True, slots=True)
class RunPage(Value):
    """Some runs, newest first; `next` is the place to go on from, None at the end."""

    runs: tuple[RunSummary, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedEvent(Value):
    """One event as it was recorded: `body` holds the fields of its class as JSON types."""

    seq: int
    at: float
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision(Value):
    """The decision of a person on a queued answer; `at` is Unix seconds, `by` names the person."""

    at: float
    by: str
    accepted: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Queued(Value):
    """A delivered answer that waits for a decision, and the findings left."""

    run: RunSummary
    findings: tuple[str, ...]


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
class Deleted(Value):
    """How many runs were deleted.

    `wiped` is False where bytes of what was deleted may stay on the disk: until the next deletion where another
    process was reading, in a database until it uses their place again.
    """

    runs: int
    wiped: bool = True
