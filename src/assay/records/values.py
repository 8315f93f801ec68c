"""The values that the record of runs gives and takes: runs, events, tapes, and what people said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.calibration.fit import Fit
from assay.core.tape import TapeEntry
from assay.errors import UsageError
from assay.records.figures import RunFigures
from assay.types import Decision, Done, RecordedEvent, RunSummary, Value

# The outcome of a run that ended with an error.
ERROR = "error"
# The claim number that stands for the whole answer.
WHOLE = 0
# The version of the calibration that ships.
SHIPPED = 0
# The most runs that a page of them has (chosen).
MOST_LISTED = 1000


@dataclass(frozen=True, slots=True)
class RunQuery:
    """A query for recorded runs, newest first; None and empty words restrict nothing.

    `text` is looked for in the question, in any case. `since` and `until` are Unix seconds, `until` excluded.
    `before` is the `place` of a run: only runs listed after it are given. `labelled` runs have a label of the whole
    answer. Raises UsageError for a limit out of bounds, or for a `before` that is no place.
    """

    collection: str | None = None
    outcome: str = ""
    text: str = ""
    since: float | None = None
    until: float | None = None
    labelled: bool = False
    before: str = ""
    limit: int = 50

    def __post_init__(self) -> None:
        if not 1 <= self.limit <= MOST_LISTED:
            raise UsageError(
                f"{self.limit} is not a possible length of the list", hint=f"give a limit of 1 to {MOST_LISTED}"
            )
        if self.before:
            self.place()

    def place(self) -> tuple[float, str]:
        """The start and the id of the run that `before` names."""
        started, _, run_id = self.before.partition(":")
        try:
            return float(started), run_id
        except ValueError:
            raise UsageError(
                f"{self.before[:100]!r} is not a place in the list of runs", hint="give the `next` of the last page"
            ) from None


@dataclass(frozen=True, slots=True)
class RunRecord(Value):
    """A run, its events in order, and the decisions on its answer, oldest first."""

    run: RunSummary
    events: tuple[RecordedEvent, ...]
    decisions: tuple[Decision, ...] = ()

    @property
    def answer(self) -> Mapping[str, Any] | None:
        """The answer object; None if the run ended with an error."""
        last = self.events[-1] if self.events else None
        answer = last.body.get("answer") if last is not None and last.kind == Done.kind else None
        return answer if isinstance(answer, dict) else None


@dataclass(frozen=True, slots=True)
class Recording(Value):
    """A run with its tape: the JSON that was kept with it, the entries, and whether its deadline cut it."""

    run: RunSummary
    about: Mapping[str, Any]
    entries: tuple[TapeEntry, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class TimedFigures(Value):
    """The figures of a run that started then, in Unix seconds; None for one that ended with an error."""

    started: float
    figures: RunFigures | None


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
