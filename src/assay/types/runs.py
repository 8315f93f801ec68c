"""Recorded runs as they are listed, their differences, and what people said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

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
        """The run's place in the list of runs, for `RunQuery.before`."""
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
    """Number of runs that were deleted.

    `wiped` is False where bytes of what was deleted may stay on the disk: until the next deletion where another
    process was reading, in a database until it uses their place again.
    """

    runs: int
    wiped: bool = True


@dataclass(frozen=True, slots=True)
class Change(Value):
    """A part that differs: its place in the answer object, and the JSON value there before and after."""

    path: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class SentenceChange(Value):
    """A row of two texts side by side: a sentence of each without marks, None where one has none there."""

    state: Literal["same", "changed", "added", "removed"]
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class ClaimChange(Value):
    """A claim whose verdict differs; number, verdict and support are None where there is no such claim."""

    text: str
    before: int | None
    after: int | None
    verdict_before: str | None
    verdict_after: str | None
    support_before: float | None
    support_after: float | None


@dataclass(frozen=True, slots=True)
class CheckChange(Value):
    """A check whose results differ on one claim, the whole answer where `claim` is empty; sorted statuses."""

    name: str
    claim: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference(Value):
    """The difference between two ends of runs.

    `changed` are parts of the answer objects, `actions` (the path of actions), `sources` (ids of passages) and
    `error` among them; `sentences` are all rows of the two texts side by side, in order; `claims` and `checks` are
    those that differ.
    """

    changed: tuple[Change, ...] = ()
    sentences: tuple[SentenceChange, ...] = ()
    claims: tuple[ClaimChange, ...] = ()
    checks: tuple[CheckChange, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if nothing differs."""
        return not (self.changed or self.claims or self.checks)

    def change(self, path: str) -> Change | None:
        """The change at this place, None if nothing differs there."""
        return next((change for change in self.changed if change.path == path), None)
