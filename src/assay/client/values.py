"""What the API returns besides the values of `assay.types`. Times are Unix seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.types import Usage, Value


@dataclass(frozen=True, slots=True)
class Collection(Value):
    """A collection and how many documents it has; `version` rises with each change."""

    name: str
    documents: int
    version: int


@dataclass(frozen=True, slots=True)
class RunSummary(Value):
    """One recorded run; `outcome` is that of its answer, or `failed`."""

    run_id: str
    collection: str
    question: str
    started: float
    outcome: str


@dataclass(frozen=True, slots=True)
class RunPage(Value):
    """Recorded runs, newest first; `next` is what continues the list, None at its end."""

    runs: tuple[RunSummary, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class RecordedEvent(Value):
    """One event as it was recorded: `body` holds the fields of its class as JSON types."""

    seq: int
    at: float
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision(Value):
    """A person's decision on an answer."""

    at: float
    by: str
    accepted: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Label(Value):
    """A person's label of an answer, or of its claim number `claim`; 0 is the whole answer."""

    version: int
    run_id: str
    claim: int
    good: bool
    at: float
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunRecord(Value):
    """A recorded run with everything that happened in it, and what people said of it."""

    run: RunSummary
    events: tuple[RecordedEvent, ...]
    decisions: tuple[Decision, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class QueuedAnswer(Value):
    """A delivered answer that waits for a person's decision, and the findings left."""

    run: RunSummary
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckCounts(Value):
    """The counts of a check's results."""

    passed: int
    failed: int
    unknown: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Mean(Value):
    """A mean over `count` values, None for none; `unjudged` values had no number."""

    count: int
    mean: float | None
    squares: float
    unjudged: int


@dataclass(frozen=True, slots=True)
class CheckCost(Value):
    """The cost of a check in milliseconds and model calls; `kept` verdicts were known from an earlier run."""

    ms: float
    usage: Usage
    kept: int


@dataclass(frozen=True, slots=True)
class Tries(Value):
    """The attempts that replies of models took; `first` counts the replies at the first attempt."""

    replies: int
    first: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Figures(Value):
    """Many runs in numbers, as `assay figures` prints them; a share or a mean is None if nothing was counted."""

    runs: int
    failed: int
    delivered: int
    reflected: int
    reflections: int
    improved: int
    regressed: int
    reflection_rate: float | None
    iterations: float | None
    net_improvement: int
    repairs: Mapping[str, int]
    quality: Mean
    citations: int
    invalid_citations: int
    citation_validity: float | None
    checks: Mapping[str, CheckCounts]
    costs: Mean
    ms: Mean
    measured: int
    check_costs: Mapping[str, CheckCost]
    tries: Tries
    first_try_share: float | None
    mean_tries: float | None


@dataclass(frozen=True, slots=True)
class JobFile(Value):
    """One uploaded file: what became of it, why, and what to do about it."""

    name: str
    status: Literal["waiting", "added", "unchanged", "skipped", "failed"]
    reason: str | None = None
    hint: str | None = None
    document_id: str | None = None
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Job(Value):
    """Uploaded files on their way into a collection; `seconds_left` is an estimate."""

    job_id: str
    collection: str
    status: Literal["queued", "running", "done", "failed"]
    files_done: int
    files_total: int
    passages: int
    seconds_left: float | None
    files: tuple[JobFile, ...]
    reason: str | None = None
    hint: str | None = None

    @property
    def ended(self) -> bool:
        """Whether it is done or failed."""
        return self.status in ("done", "failed")
