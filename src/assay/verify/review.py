"""The verifier that needs no language model: every claim with its verdict, every check with its state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.stages import Embedder
from assay.text.negation import comparisons
from assay.text.tokens import fold, stem, terms
from assay.types import (
    Check,
    Citation,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    Finding,
    Passage,
    Question,
    Review,
    Severity,
    SourceSpan,
    Span,
    Status,
    Verdict,
)
from assay.verify import facts
from assay.verify.citations import citations, invalid
from assay.verify.claims import Stated, stated
from assay.verify.facts import Comparison
from assay.verify.quotes import locate, locate_parts, quoted
from assay.verify.sources import Aligned, Sources, aligned, sources_of
from assay.verify.support import support

# At and above the first a claim is supported, below the second unsupported, between them unknown.
SUPPORTED = 0.7
UNSUPPORTED = 0.4
NEAREST = 4
FACTS: Mapping[str, Callable[[Comparison], list[Check]]] = {
    "numbers": facts.numbers,
    "dates": facts.calendar,
    "names": facts.named,
    "negation": facts.negated,
    "comparison": facts.turned,
}
CHECKS = ("citations", "sources", "quotes", *FACTS, "support")
_SEVERITY = {"citations": Severity.BLOCK, "sources": Severity.REPAIR, "support": Severity.BLOCK}
_ADVICE = {
    "citations": "cite one of the numbered sources, or drop the mark",
    "sources": "cite the passage that says this, or drop the sentence",
    "quotes": "quote the source's own words, or drop the quotation marks",
    "numbers": "use the source's number",
    "dates": "use the source's date",
    "names": "use the names that the source uses",
    "negation": "state it as the source does",
    "comparison": "state the direction that the source states",
    "support": "restate it closer to the source, or drop it",
}


@dataclass(frozen=True, slots=True)
class DeterministicVerifier:
    """Tests drafts by rules, exact quotes and a fitted support score; `skip` names checks of `CHECKS` to leave out.

    Without an embedder the support score goes by words alone.
    """

    embedder: Embedder | None = None
    skip: frozenset[str] = field(default=frozenset())

    async def review(self, question: Question, evidence: Evidence, draft: Draft) -> Review:
        """Every claim of the draft against the passages that it cites, or against all where it cites none."""
        held = {passage.passage_id: passage for passage in evidence.passages}
        numbered = tuple(held.get(each) for each in draft.sources)
        names = tuple(passage.title if passage else "" for passage in numbered)
        marks = citations(draft.text, names)
        task = _Task(
            draft.text, marks, tuple(stated(draft.text, marks, draft.spans)), numbered, evidence.passages, True
        )
        return await asyncio.to_thread(_reviewed, task, self.skip)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """Every claim of a text against passages; a mark `[n]` in it stands for `passages[n - 1]`.

        With `one_claim` the text is judged whole, as a single claim.
        """
        marks = citations(text, tuple(passage.title for passage in passages))
        claims = tuple(stated(text, marks))
        if one_claim:
            numbers = tuple(dict.fromkeys(number for mark in marks for number in mark.numbers))
            claims = (Stated(text, 0, len(text), numbers, marks),) if text.strip() else ()
        task = _Task(text, marks, claims, passages, passages, bool(marks))
        return await asyncio.to_thread(_reviewed, task, self.skip)


def least_support(review: Review) -> float | None:
    """The support of the weakest claim, 0 to 1; None where no claim's was measured."""
    return min((claim.support for claim in review.claims if claim.support is not None), default=None)


def worst_verdict(review: Review) -> Verdict:
    """The verdict on the worst claim; unknown without claims."""
    order = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)
    found = {claim.verdict for claim in review.claims}
    return next((verdict for verdict in order if verdict in found), Verdict.UNKNOWN)


@dataclass(frozen=True, slots=True)
class _Task:
    """A text to review: source n is `numbered[n - 1]`, None where that passage is gone."""

    text: str
    marks: tuple[Citation, ...]
    claims: tuple[Stated, ...]
    numbered: tuple[Passage | None, ...]
    passages: tuple[Passage, ...]
    cites: bool

    def cited(self, claim: Stated) -> tuple[Passage, ...]:
        """The passages that a claim cites and that exist."""
        found = [self.numbered[number - 1] for number in claim.numbers if 1 <= number <= len(self.numbered)]
        return tuple(passage for passage in found if passage is not None)


def _reviewed(task: _Task, skip: frozenset[str]) -> Review:
    """The whole review, on the calling thread."""
    wrong = [*invalid(task.text, task.marks, len(task.numbered))]
    wrong += [m for m in task.marks if m not in wrong and any(task.numbered[n - 1] is None for n in m.numbers)]
    checks = [Check(name, Status.SKIPPED, _severity(name), None, "switched off") for name in CHECKS if name in skip]
    if "citations" not in skip:
        checks += _citation_checks(task, wrong)
    if not task.claims:
        checks.append(Check("support", Status.UNKNOWN, Severity.WARN, None, "the text claims nothing"))
    cache: dict[tuple[str, ...], Sources] = {}
    claims = []
    for n, claim in enumerate(task.claims, 1):
        cited = task.cited(claim)
        scope = cited or task.passages
        key = tuple(passage.passage_id for passage in scope)
        if key not in cache:
            cache[key] = sources_of(scope)
        judged, made = _judged(Comparison(n, claim, cache[key], _nearest(claim, cache[key])), task, cited, skip)
        claims.append(judged)
        checks += made
    findings = tuple(_finding(check) for check in checks if check.status in (Status.FAILED, Status.UNKNOWN))
    unknown = tuple(task.text[mark.start : mark.end] for mark in wrong)
    return Review(tuple(claims), tuple(checks), findings, task.marks, unknown)


def _nearest(claim: Stated, sources: Sources) -> tuple[Aligned, ...]:
    """The source sentences on the same matter; what the checks compare, numbers and directions, is left out."""
    turns = {stem(fold(claim.text[each.start : each.end])) for each in comparisons(claim.text)}
    matter = [term for term in terms(claim.text) if not term[0].isdigit() and term not in turns]
    return tuple(aligned(matter or terms(claim.text), sources, NEAREST))


def _citation_checks(task: _Task, wrong: Sequence[Citation]) -> list[Check]:
    """One check a mark: it stands for sources that exist."""
    checks = []
    for mark in task.marks:
        cause = f"{task.text[mark.start : mark.end]} stands for no source" if mark in wrong else None
        status = Status.FAILED if cause else Status.PASSED
        checks.append(Check("citations", status, Severity.BLOCK, None, cause, Span(mark.start, mark.end)))
    return checks


def _judged(
    over: Comparison, task: _Task, cited: tuple[Passage, ...], skip: frozenset[str]
) -> tuple[Claim, list[Check]]:
    """One claim with its verdict, and its checks."""
    verbatim = locate(over.claim.text, over.sources.passages)
    checks: list[Check] = []
    if "sources" not in skip and task.cites:
        checks.append(_sourced(over, cited))
    if "quotes" not in skip and over.sources.sentences:
        checks += _quote_checks(over)
    if verbatim is None and over.sources.sentences:
        checks += [check for name, compare in FACTS.items() if name not in skip for check in compare(over)]
    measured = 1.0 if verbatim is not None else support(over.claim.text, over.sources)
    verdict, reason = _verdict(measured, checks, verbatim)
    if not over.sources.sentences:
        reason = "there are no passages to compare it with"
    if "support" not in skip:
        checks.append(_support_check(over, verdict, measured, reason))
    spans = (verbatim,) if verbatim is not None else tuple(each.sentence.span for each in over.nearest[:2])
    history = (ClaimEvent("proposed", "writer", ""), ClaimEvent(verdict.value, _judge_name(verbatim), reason))
    claim, ids = over.claim, tuple(passage.passage_id for passage in cited)
    return Claim(over.n, claim.text, claim.start, claim.end, ids, verdict, measured, spans, history), checks


def _judge_name(verbatim: SourceSpan | None) -> str:
    return "quote" if verbatim is not None else "deterministic"


def _sourced(over: Comparison, cited: tuple[Passage, ...]) -> Check:
    where = Span(over.claim.start, over.claim.end)
    if cited:
        return Check("sources", Status.PASSED, Severity.REPAIR, over.n, None, where)
    return Check("sources", Status.FAILED, Severity.REPAIR, over.n, "this sentence cites no source", where)


def _quote_checks(over: Comparison) -> list[Check]:
    """Each quotation of the claim stands in its sources, word for word."""
    checks = []
    for span in quoted(over.claim.text):
        place = locate_parts(over.claim.text[span.start : span.end], over.sources.passages)
        cause = None if place else "these quoted words do not stand in the sources of this claim"
        status = Status.PASSED if place else Status.FAILED
        checks.append(over.check("quotes", status, Severity.BLOCK, cause, span, place))
    return checks


def _verdict(measured: float | None, checks: Sequence[Check], verbatim: SourceSpan | None) -> tuple[Verdict, str]:
    """What the evidence says of the claim, and why."""
    failed = [check for check in checks if check.status is Status.FAILED and check.name != "sources"]
    if verbatim is not None and not failed:
        return Verdict.SUPPORTED, "the source says it word for word"
    against = next((check for check in failed if check.source_span is not None), None)
    if against is not None:
        return Verdict.CONTRADICTED, against.cause or ""
    if failed:
        return Verdict.UNSUPPORTED, failed[0].cause or ""
    if measured is None:
        return Verdict.UNKNOWN, "there are no words to compare it with"
    if measured >= SUPPORTED:
        return Verdict.SUPPORTED, f"support {measured:.2f}"
    if measured < UNSUPPORTED:
        return Verdict.UNSUPPORTED, f"support {measured:.2f} is below {UNSUPPORTED}"
    return Verdict.UNKNOWN, f"support {measured:.2f} settles nothing"


def _support_check(over: Comparison, verdict: Verdict, measured: float | None, reason: str) -> Check:
    """The check that the claim as a whole is borne out."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(verdict, Status.FAILED)
    where = Span(over.claim.start, over.claim.end)
    nearest = over.nearest[0].sentence.span if over.nearest else None
    return Check(
        "support", status, Severity.BLOCK, over.n, None if status is Status.PASSED else reason, where, nearest
    )


def _severity(name: str) -> Severity:
    return _SEVERITY.get(name, Severity.BLOCK)


def _finding(check: Check) -> Finding:
    return Finding(check.name, check.claim, check.severity, check.cause or "", _ADVICE[check.name])
