"""Drafts, their claims, the checks of these, and the review that they make."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from assay.types.documents import SourceSpan
from assay.types.models import Finish, PromptMessage
from assay.types.value import Span, Value


@dataclass(frozen=True, slots=True)
class Quote(Value):
    """Words of an answer that are quoted: `text` as it stands in the answer, and where it is from.

    The source's words may have marks of its format that the text lacks.
    """

    text: str
    source: SourceSpan


@dataclass(frozen=True, slots=True)
class Sentence(Value):
    """One sentence of a draft, without citation marks; `passage_ids` are the passages it cites.

    `unknown_marks` are the citations, as written, that name none of the passages given. A `hedged` sentence is
    shown with ⚠ behind it: no source supports it. `quotes` are set where a writer quotes: all that the sentence
    claims is in them. `apart` are the log odds that this quote, the likeliest, shows the answer rather than the
    other places found; None where the writer weighed nothing. `row` are the log odds that the table row quoted
    answers; None where no row was asked for or none is quoted.
    """

    number: int
    text: str
    passage_ids: tuple[str, ...] = ()
    unknown_marks: tuple[str, ...] = ()
    hedged: bool = False
    quotes: tuple[Quote, ...] = ()
    apart: float | None = None
    row: float | None = None


@dataclass(frozen=True, slots=True)
class WriterPrompt(Value):
    """The prompt of a writing model: its messages, and the ids of the passages in the order of their numbers."""

    messages: tuple[PromptMessage, ...]
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished(Value):
    """The end of a draft: why the writer stopped. Only "stop" ends a whole draft.

    `notes` are what the reader should know of how it was written, such as passages that did not fit; `prompt` is
    what a model wrote from, None where none did.
    """

    reason: Finish
    notes: tuple[str, ...] = ()
    prompt: WriterPrompt | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Draft(Value):
    """An answer as written: its text with `[n]` marks, and the passages those numbers stand for.

    Number n is `sources[n - 1]`. `spans` are the places of the sentences as they were written, each with its
    marks; none where the text came from elsewhere. `quotes` are those of each sentence.
    """

    text: str
    sources: tuple[str, ...]
    spans: tuple[Span, ...] = ()
    quotes: tuple[tuple[Quote, ...], ...] = ()


class Verdict(StrEnum):
    """The verdict of the evidence on a claim."""

    SUPPORTED = "supported"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class ClaimEvent(Value):
    """One step in a claim's life: proposed, a verdict, or what a repair made of it."""

    state: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Claim(Value):
    """One claim of an answer; `start, end` are offsets in the answer's text, `citations` passage ids."""

    n: int
    text: str
    start: int
    end: int
    citations: tuple[str, ...]
    verdict: Verdict
    support: float | None
    spans: tuple[SourceSpan, ...] = ()
    history: tuple[ClaimEvent, ...] = ()


class Status(StrEnum):
    """The end of a check. Unknown means that it could not be run, skipped that it was switched off."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


class Severity(StrEnum):
    """The weight of a failed check: the answer may not be shown as verified, should be repaired, or is noted."""

    BLOCK = "block"
    REPAIR = "repair"
    WARN = "warn"


class FindingKind(StrEnum):
    """The fault of a claim, where a check can tell: a repair goes by it."""

    CONTRADICTED = "contradicted"
    UNSUPPORTED_ADDITION = "unsupported-addition"
    WRONG_NUMBER = "wrong-number"
    WRONG_DATE = "wrong-date"
    WRONG_NAME = "wrong-name"
    NEGATION = "negation"
    FABRICATED_REFERENCE = "fabricated-reference"
    WRONG_PASSAGE = "wrong-passage"
    DECORATIVE_CITATION = "decorative-citation"
    OFF_SUBJECT = "off-subject"


# Checks of values, for which a source may have another.
VALUE_CHECKS = frozenset({"numbers", "dates", "names"})


@dataclass(frozen=True, slots=True)
class Check(Value):
    """One test's result, with the two spans it compared; `claim` is the claim's n, None for the whole answer.

    `cause` is set whenever the status is not passed. `expected` is what the source has in place of what stands at
    `answer_span`, in its own words; None where it has nothing for it.
    """

    name: str
    status: Status
    severity: Severity
    claim: int | None = None
    cause: str | None = None
    answer_span: Span | None = None
    source_span: SourceSpan | None = None
    kind: FindingKind | None = None
    expected: str | None = None


@dataclass(frozen=True, slots=True)
class Finding(Value):
    """A check that did not pass, with advice on how to repair it."""

    check: str
    claim: int | None
    severity: Severity
    message: str
    advice: str
    kind: FindingKind | None = None


class CitationStyle(StrEnum):
    """The style in which an answer's text names its sources; with none, only the answer object has them."""

    NUMBERED = "numbered"
    NAMED = "named"
    FOOTNOTE = "footnote"
    AUTHOR_PAGE = "author-page"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Citation(Value):
    """One mark in an answer's text and the source numbers it stands for."""

    start: int
    end: int
    numbers: tuple[int, ...]


# A text's verdict is that of its worst claim.
_WORST_FIRST = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)


@dataclass(frozen=True, slots=True)
class Review(Value):
    """The result of testing a draft."""

    claims: tuple[Claim, ...]
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    citations: tuple[Citation, ...] = ()
    invalid_citations: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the worst claim; unknown without claims."""
        found = {claim.verdict for claim in self.claims}
        return next((verdict for verdict in _WORST_FIRST if verdict in found), Verdict.UNKNOWN)

    def with_checks(self, checks: tuple[Check, ...], findings: tuple[Finding, ...]) -> Review:
        """The review with further checks of the whole text, and what they found."""
        return replace(self, checks=self.checks + checks, findings=self.findings + findings)

    def followed_by(self, later: Review) -> Review:
        """Both reviews of one text together; the claims of the later one are numbered on."""
        first = len(self.claims)
        return Review(
            self.claims + tuple(replace(claim, n=claim.n + first) for claim in later.claims),
            self.checks + tuple(replace(check, claim=_later(check.claim, first)) for check in later.checks),
            self.findings
            + tuple(replace(finding, claim=_later(finding.claim, first)) for finding in later.findings),
            self.citations + later.citations,
            self.invalid_citations + later.invalid_citations,
        )


def _later(claim: int | None, first: int) -> int | None:
    """A claim's number after `first` others; None, the whole answer, stays."""
    return None if claim is None else claim + first
