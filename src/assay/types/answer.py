"""The answer, its limits, its sources, its repairs, and what each source carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Literal

from assay.types.assessment import Assessment
from assay.types.claims import (
    Check,
    Citation,
    Claim,
    Finding,
    Review,
    Sentence,
    Severity,
    Status,
    Verdict,
    WriterPrompt,
)
from assay.types.documents import Location, Origin, SourceSpan
from assay.types.judgement import Judgement
from assay.types.models import AnswerReading, Usage
from assay.types.search import Evidence
from assay.types.value import Value, plain


@dataclass(frozen=True, slots=True)
class Limits(Value):
    """The limits of one question: search rounds, repairs, model calls, seconds, tokens, US dollars.

    `tokens` and `cost` None are without limit.
    """

    rounds: int = 1
    repairs: int = 2
    calls: int = 1
    seconds: float = 10.0
    tokens: int | None = None
    cost: float | None = None


class Outcome(StrEnum):
    """The end of a question; failures are errors instead."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    CLARIFY = "clarify"
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class Source(Value):
    """A cited passage under its number in this answer; `quote` is the stored text, `sha256` its hash.

    `location` and `line` are those of the first words that the answer's claims quote from it, else its beginning.
    `path` is the file or address of the document, `origin` says where it comes from and when it was written.
    """

    number: int
    passage_id: str
    document_id: str
    title: str
    location: Location
    start: int
    end: int
    quote: str
    sha256: str
    origin: Origin = Origin()
    path: str = ""
    line: int | None = None


Level = Literal["very_low", "low", "medium", "high", "very_high"]


@dataclass(frozen=True, slots=True)
class Confidence(Value):
    """The trust in an answer: `score`, 0 to 1, and `level` are the rules' own.

    `value` is the probability that the answer is right, None where no calibration applies; then `cause` says why.
    `ece`, `brier` and `n` are the calibration's measured error (debiased ECE, Brier score) and on how many answers;
    `elsewhere` is its debiased ECE on sets that it saw nothing of, None where that was not measured. `answers` says
    whether the answer answers the question, by what a reader makes of it, the `reading`; both are None where no
    reader read it. `level` follows `value`, and is None where an estimator that gives one has none.
    """

    value: float | None
    score: float
    level: Level | None
    calibrated: bool = False
    ece: float | None = None
    brier: float | None = None
    n: int | None = None
    elsewhere: float | None = None
    cause: str = ""
    answers: Literal["yes", "unsure", "no"] | None = None
    reading: AnswerReading | None = None


class RepairKind(StrEnum):
    """The repairs of an answer, smallest first; as a claim's state it says what was done to it.

    Re-citing points a citation elsewhere, correcting puts the source's own value in the place of a wrong one,
    fetching searches evidence for the claim, rewriting asks a model for the sentence, hedging marks it with ⚠.
    Editing changes the style alone; regenerating writes the whole answer again.
    """

    RE_CITE = "re-cited"
    CORRECT = "corrected"
    FETCH = "fetched"
    REWRITE = "rewritten"
    HEDGE = "hedged"
    DROP = "dropped"
    EDIT = "edited"
    REGENERATE = "regenerated"


@dataclass(frozen=True, slots=True)
class Repair(Value):
    """One change that was kept; `before` and `after` are the text with its marks, empty where there is none."""

    kind: RepairKind
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Candidate(Value):
    """A sentence as a repair would have it, None to drop it, on this evidence; `reason` says what was changed.

    `by` names who repaired it: rules, the search, or a model. It is `weighed` where it was found the likeliest of
    all that the sources offer, the sentence as it was among them: it need not be supported to be better.
    """

    sentence: Sentence | None
    evidence: Evidence
    reason: str
    by: str
    weighed: bool = False


@dataclass(frozen=True, slots=True)
class Edit(Value):
    """A change of the answer's text from `start` to `end`; `reason` names the rule and what it wants."""

    start: int
    end: int
    replacement: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fixed(Value):
    """A draft from anywhere after its repair; `dropped` are the claims of what was taken out.

    `warnings` say what could not be done, such as a model that failed.
    """

    before: str
    text: str
    repairs: tuple[Repair, ...]
    dropped: tuple[Claim, ...]
    verdict: Verdict
    review: Review
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal(Value):
    """The text in the place of an answer; for a question back, also the `choices` that it offers, if any."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelsUsed(Value):
    """The implementation of each part."""

    writer: str
    judge: str
    verifier: str

    @property
    def use_file(self) -> bool:
        """True if one of them is a model in a file on this machine.

        >>> ModelsUsed("local:a.gguf", "fitted", "deterministic").use_file
        True
        """
        return any("local:" in name for name in (self.writer, self.judge, self.verifier))


@dataclass(frozen=True, slots=True)
class SourceMapEntry(Value):
    """A statement of the answer, its place, the numbers of its sources, and the words that bear it out."""

    start: int
    end: int
    text: str
    sources: tuple[int, ...]
    spans: tuple[SourceSpan, ...]


@dataclass(frozen=True, slots=True)
class Explanation(Value):
    """The making of an answer, where asked for: what its model was given, and what stands on what.

    `prompt` is None where no model wrote the answer as it is.
    """

    prompt: WriterPrompt | None
    source_map: tuple[SourceMapEntry, ...]


class WarningCode(StrEnum):
    """The name of a warning that programs act on."""

    NO_CITATIONS = "no_citations"
    INVALID_CITATIONS = "invalid_citations"
    LOW_CONFIDENCE = "low_confidence"
    POSSIBLE_HALLUCINATION = "possible_hallucination"


@dataclass(frozen=True, slots=True)
class NamedWarning(Value):
    """A warning under a stable code, with its text for people."""

    code: WarningCode
    message: str


@dataclass(frozen=True, slots=True)
class Answer(Value):
    """The one result that the library, the command line and every other surface show.

    `drafts` and `iterations` count the drafts that were written, `searches` the rounds of searching. `choices` are
    the things that a question back offers, in its order. `reused_from` is the run that this answer was kept from;
    its claims, checks and repairs are then those of that run, held against the present documents. It is None for an
    answer of its own.
    """

    schema: ClassVar[str] = "assay/1"

    run_id: str
    question: str
    outcome: Outcome
    text: str
    verdict: Verdict
    claims: tuple[Claim, ...]
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    invalid_citations: tuple[str, ...]
    judgement: Judgement
    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    drafts: int
    iterations: int
    confidence: Confidence
    warnings: tuple[str, ...]
    models: ModelsUsed
    usage: Usage
    profile: str
    mode_used: str
    ms: float
    first_verified_ms: float | None = None
    profile_reason: str = ""
    dropped: tuple[Claim, ...] = ()
    assessment: Assessment | None = None
    trace: tuple[Event, ...] = ()
    searches: int = 0
    explanation: Explanation | None = None
    choices: tuple[str, ...] = ()
    reused_from: str | None = None

    def validate(self) -> bool:
        """True when no blocking check failed or is unknown: the answer may be shown as verified."""
        return not any(
            check.severity is Severity.BLOCK and check.status in (Status.FAILED, Status.UNKNOWN)
            for check in self.checks
        )

    @property
    def answers_question(self) -> Literal["yes", "unsure", "no"] | None:
        """Tell whether the answer answers the question; None where no reader read it."""
        return self.confidence.answers

    @property
    def named_warnings(self) -> tuple[NamedWarning, ...]:
        """The warnings with a stable code, of an answer that was given.

        They say that no claim cites a source, that marks name no source, that the confidence is low or very low,
        and that the evidence does not support a claim or contradicts it.
        """
        if self.outcome not in (Outcome.ANSWERED, Outcome.PARTIAL):
            return ()
        failed = sum(claim.verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) for claim in self.claims)
        is_cited = any(claim.citations for claim in self.claims)
        level, is_low = str(self.confidence.level), self.confidence.level in ("very_low", "low")
        marks = ", ".join(self.invalid_citations)
        found = (
            (bool(self.claims) and not is_cited, WarningCode.NO_CITATIONS, "no claim cites a source"),
            (bool(marks), WarningCode.INVALID_CITATIONS, f"marks that name no source: {marks}"),
            (
                is_low,
                WarningCode.LOW_CONFIDENCE,
                f"the confidence is {level.replace('_', ' ')}",
            ),
            (failed > 0, WarningCode.POSSIBLE_HALLUCINATION, f"claims that the sources do not support: {failed}"),
        )
        return tuple(NamedWarning(code, message) for applies, code, message in found if applies)

    def to_dict(self) -> dict[str, Any]:
        """The answer object, `schema` first; the trace stays with the run record."""
        body = {**plain(self), **self.derived}
        body.pop("trace")
        for name in self.left_out:
            body.pop(name)
        return {"schema": self.schema, **body}

    @property
    def left_out(self) -> tuple[str, ...]:
        """The fields that the answer object has only where they are set, and are not."""
        return tuple(name for name in ("explanation", "reused_from") if getattr(self, name) is None)

    @property
    def derived(self) -> dict[str, Any]:
        """The fields of the answer object that follow from others, as JSON types."""
        return {"answers_question": self.answers_question, "named_warnings": plain(self.named_warnings)}


@dataclass(frozen=True, slots=True)
class KeptAnswer(Value):
    """An answer that may be given again, with what says whether it still holds.

    `question` is the one it answers, as understood. `evidence` are the digests of the passages that its searches
    found, `cited` those of the passages that it cites or quotes, by their ids; `version` is the collection's when
    the question came. `sentences` are those of its text.
    """

    question: str
    version: int
    evidence: tuple[str, ...]
    cited: Mapping[str, str]
    sentences: tuple[Sentence, ...]
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Value):
    """Something that happened while a question was answered; `seq` counts from 1, `at` is Unix seconds.

    Both, and the id of the run, are stamped by the run that emits the event.
    """

    kind: ClassVar[str] = ""
    run_id: str = ""
    seq: int = 0
    at: float = 0.0


class CitationRole(StrEnum):
    """The effect of a citation on the claims of its sentence.

    A claim falls without a carrying one, stands by another source as well without a shared one, and does not rest
    on a decorative one at all. An unsure one may support a claim that stands without it. An untested one belongs to
    a claim that its sources do not support, so that nothing can fall.
    """

    CARRYING = "carrying"
    SHARED = "shared"
    UNSURE = "unsure"
    UNTESTED = "untested"
    DECORATIVE = "decorative"


@dataclass(frozen=True, slots=True)
class CitationAblation(Value):
    """A sentence's citation of one source, its role and the reason; `claims` and `source` are the answer's numbers.

    `support` is that of the claim by this source only, 0 to 1, of several claims the highest; None where nothing
    could be compared.
    """

    claims: tuple[int, ...]
    source: int
    role: CitationRole
    reason: str
    support: float | None = None


@dataclass(frozen=True, slots=True)
class SourceAblation(Value):
    """One source of the answer; `falls` numbers the claims that no other source of the answer supports."""

    number: int
    passage_id: str
    title: str
    falls: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ablation(Value):
    """An answer with each of its sources left out once.

    `citations` are in the order of the claims, `sources` in that of their numbers. `untested` numbers the claims
    that today's tests support by none of their sources.
    """

    citations: tuple[CitationAblation, ...]
    sources: tuple[SourceAblation, ...]
    untested: tuple[int, ...]

    @property
    def decorative(self) -> tuple[CitationAblation, ...]:
        """The decorative citations."""
        return tuple(one for one in self.citations if one.role is CitationRole.DECORATIVE)
