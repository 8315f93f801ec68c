"""What differs between two ends of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from assay.types.value import Value


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
    """What differs between two ends of runs.

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
