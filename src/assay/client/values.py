"""Values that the API returns besides those of `assay.types`. Times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from assay.types import (
    Answer,
    Change,
    Decision,
    Difference,
    Figures,
    FiguresRow,
    Label,
    Metadata,
    RecordedEvent,
    RunSummary,
    Spike,
    StatedTrust,
    Value,
)


@dataclass(frozen=True, slots=True)
class RunRecord(Value):
    """A recorded run with everything that happened in it, and what people said of it."""

    run: RunSummary
    events: tuple[RecordedEvent, ...]
    decisions: tuple[Decision, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class FiguresOverTime(Value):
    """The figures of the runs in all and row by row over time, where a row jumps, and stated trust against labels.

    `calibration` is None where no answer has both a stated probability and a label.
    """

    total: Figures
    series: tuple[FiguresRow, ...]
    spikes: tuple[Spike, ...]
    calibration: StatedTrust | None


@dataclass(frozen=True, slots=True)
class DocumentRow(Value):
    """A document of a list; `source` is its path or address, its name where it was uploaded."""

    document_id: str
    name: str
    title: str
    format: str
    passages: int
    source: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentPage(Value):
    """Documents by name, and how many fit in all."""

    documents: tuple[DocumentRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class DocumentDetails(DocumentRow):
    """The details of a document; `pages` is None where its format has none."""

    characters: int
    metadata: Metadata
    pages: int | None


@dataclass(frozen=True, slots=True)
class ReplayedRun(Value):
    """A recorded run under other settings: the answer that it would have had, and the difference to its own.

    `calls` are those that were made for real. If `drifted`, the server's version of assay answers the run otherwise
    even under its own settings.
    """

    run_id: str
    settings: tuple[Change, ...]
    answer: Answer
    difference: Difference
    calls: tuple[str, ...]
    drifted: bool


@dataclass(frozen=True, slots=True)
class ApiKey(Value):
    """An API key without its text."""

    key_id: str
    name: str
    tenant: str
    scope: Literal["read", "write", "admin"]
    created: float
    expires: float | None
    revoked: float | None
    used: float | None
    state: Literal["active", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class NewApiKey(ApiKey):
    """An API key that was just made; its text `key` cannot be had again."""

    key: str = field(repr=False)
