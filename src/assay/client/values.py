"""What the API returns besides the values of `assay.types`. Times are Unix seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.types import Answer, Metadata, Usage, Value


@dataclass(frozen=True, slots=True)
class Collection(Value):
    """A collection and how many documents it has; `version` rises with each change."""

    name: str
    documents: int
    version: int


@dataclass(frozen=True, slots=True)
class RunSummary(Value):
    """One recorded run; `outcome` is that of its answer, or `error`."""

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
class Deletion(Value):
    """How many runs were deleted; bytes of them may stay on the disk for a while if they were not `wiped`."""

    runs: int
    wiped: bool


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
class FiguresRow(Value):
    """The runs that began within one hour or day, which starts at `start`.

    `outcomes` counts runs; `verdicts`, `levels` and `repairs` count those of delivered answers. The rest are
    shares, means and percentiles, None if nothing was counted.
    """

    start: float
    runs: int
    outcomes: Mapping[str, int]
    verdicts: Mapping[str, int]
    levels: Mapping[str, int]
    repairs: Mapping[str, int]
    failed_share: float | None
    abstained_share: float | None
    reflection_rate: float | None
    rounds: float | None
    confidence: float | None
    citation_validity: float | None
    first_try_share: float | None
    ms_p50: float | None
    ms_p95: float | None
    tokens: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Spike(Value):
    """A value of a row that is unlike those before it; `usual` is their median."""

    start: float
    name: str
    kind: Literal["spike", "drop"]
    value: float
    usual: float


@dataclass(frozen=True, slots=True)
class TrustBin(Value):
    """Stated probabilities of one range: `n` of them, their mean, and the share that was labelled right."""

    n: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True)
class StatedTrust(Value):
    """Stated probabilities against labels; `ece` is the debiased error, None below two answers."""

    bins: tuple[TrustBin, ...]
    ece: float | None


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
    created: float
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
class DocumentDetails(Value):
    """What is known of a document; `pages` is None where its format has none."""

    document_id: str
    name: str
    title: str
    format: str
    passages: int
    source: str
    warnings: tuple[str, ...]
    characters: int
    metadata: Metadata
    pages: int | None


@dataclass(frozen=True, slots=True)
class Match(Value):
    """A place of a document's text where what was looked for stands, with its line and some words around it."""

    start: int
    end: int
    line: int
    context: str


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
    """A check whose results differ on one claim, on the whole answer where `claim` is empty."""

    name: str
    claim: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference(Value):
    """What differs between two ends of a run; `sentences` are all rows of the two texts side by side."""

    changed: tuple[Change, ...]
    sentences: tuple[SentenceChange, ...]
    claims: tuple[ClaimChange, ...]
    checks: tuple[CheckChange, ...]


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
