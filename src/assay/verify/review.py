"""The verifier that needs no language model: every claim with its verdict, every check with its state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.stages import Embedder
from assay.text.citation_marks import citations, invalid, without_marks
from assay.text.language import language_of
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
    Span,
    Status,
    Verdict,
)
from assay.verify.additions import added
from assay.verify.cases import Case, SourceReader, Task, cases_of, quotes_of
from assay.verify.claims import says_only_yes_or_no, stated, whole
from assay.verify.comparison import Comparison
from assay.verify.denials import negated
from assay.verify.directions import turned
from assay.verify.facts import calendar, numbers
from assay.verify.features import features
from assay.verify.likeness import likeness, texts_of
from assay.verify.named import named
from assay.verify.quotes import locate_parts, quoted
from assay.verify.roles import roles
from assay.verify.support import trees

if TYPE_CHECKING:
    from assay.verify.likeness import Vector

# At and above the first a claim is supported, below the second unsupported, between them unknown.
SUPPORTED = 0.7
UNSUPPORTED = 0.3
FACTS: Mapping[str, Callable[[Comparison], list[Check]]] = {
    "numbers": numbers,
    "dates": calendar,
    "names": named,
    "negation": negated,
    "comparison": turned,
    "roles": roles,
    "additions": added,
}
# Characters of sources, counted for each claim, that are looked through in about a millisecond.
_SOON_LOOKED_UP = 10_000
# What a failed check leaves of a claim's support; a name may only be written otherwise. See benchmarks/check.
LEFT_BY_FAILURE = 0.5
LEFT_BY_MISSING_NAME = 0.7
CHECKS = ("citations", "sources", "quotes", *FACTS, "support")
_ADVICE = {
    "citations": "cite one of the numbered sources, or drop the mark",
    "sources": "cite the passage that says this, or drop the sentence",
    "quotes": "quote the source's own words, or drop the quotation marks",
    "numbers": "use the source's number",
    "dates": "use the source's date",
    "names": "use the names that the source uses",
    "negation": "state it as the source does",
    "comparison": "state the direction that the source states",
    "roles": "say of each what the source says of it",
    "additions": "drop what no source says",
    "support": "restate it closer to the source, or drop it",
}


@dataclass(frozen=True, slots=True)
class DeterministicVerifier:
    """Tests drafts by rules, exact quotes and a fitted support score.

    `skip` names checks of `CHECKS` to leave out. Without an embedder, or in a language that it does not know,
    the support score goes by words alone.
    """

    embedder: Embedder | None = None
    skip: frozenset[str] = field(default=frozenset())
    reader: SourceReader = field(default_factory=SourceReader, repr=False, compare=False)

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Every claim of the draft against the passages that it cites, or against all where it cites none.

        Claims are told apart within each sentence as its writer gave it, so that testing sentence by sentence
        gives what testing all at once does.
        """
        held = {passage.passage_id: passage for passage in evidence.passages}
        numbered = tuple(held.get(each) for each in draft.sources)
        start = draft.spans[after].start if after else 0
        every = citations(draft.text, tuple(passage.title if passage else "" for passage in numbered))
        marks = tuple(mark for mark in every if mark.start >= start)
        claims = tuple(stated(draft.text, marks, draft.spans[after:]))
        return await self._reviewed(Task(draft.text, marks, claims, numbered, evidence.passages, True))

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """The review with what no claim's check tests: a draft without claims, a bare yes or no."""
        if "support" in self.skip:
            return review
        untested = untested_in(draft.text, review, Severity.BLOCK)
        return _with(review, untested)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """Every claim of a text against passages; a mark `[n]` in it stands for `passages[n - 1]`.

        With `one_claim` the text is judged whole, as a single claim.
        """
        marks = citations(text, tuple(passage.title for passage in passages))
        claims = tuple(whole(text, marks) if one_claim else stated(text, marks))
        review = await self._reviewed(Task(text, marks, claims, passages, passages, bool(marks)))
        return review if "support" in self.skip else _with(review, untested_in(text, review, Severity.WARN))

    async def _reviewed(self, task: Task) -> Review:
        if _soon_looked_up(task):
            quotes = quotes_of(task)
            if None not in quotes:  # there is nothing to read, nor to embed
                return _review(task, cases_of(task, quotes, self.reader), {}, self.skip)
        cases = await asyncio.to_thread(_cases, task, self.reader)
        vectors = await self._vectors(cases)
        return await asyncio.to_thread(_review, task, cases, vectors, self.skip)

    async def _vectors(self, cases: Sequence[Case]) -> dict[str, Vector]:
        """The vectors that the cases need, each text once; none for languages that the model does not know."""
        if self.embedder is None or "support" in self.skip:
            return {}
        known = self.embedder.model.languages
        readings = [each.reading for each in cases if each.reading and language_of(each.claim.text) in known]
        texts = list(dict.fromkeys(text for reading in readings for text in texts_of(reading)))
        return dict(zip(texts, await self.embedder.embed(texts), strict=True)) if texts else {}


def _soon_looked_up(task: Task) -> bool:
    """Whether looking for the claims in their sources takes less than changing the thread for it is worth."""
    return sum(len(passage.text) for claim in task.claims for passage in task.scope(claim)) <= _SOON_LOOKED_UP


def _cases(task: Task, reader: SourceReader) -> tuple[Case, ...]:
    return cases_of(task, quotes_of(task), reader)


def least_support(review: Review) -> float | None:
    """The support of the weakest claim, 0 to 1; None where no claim's was measured."""
    return min((claim.support for claim in review.claims if claim.support is not None), default=None)


def worst_verdict(review: Review) -> Verdict:
    """The verdict on the worst claim; unknown without claims."""
    order = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)
    found = {claim.verdict for claim in review.claims}
    return next((verdict for verdict in order if verdict in found), Verdict.UNKNOWN)


def _review(task: Task, cases: Sequence[Case], vectors: Mapping[str, Vector], skip: frozenset[str]) -> Review:
    """The whole review, on the calling thread."""
    wrong = [*invalid(task.text, task.marks, len(task.numbered))]
    wrong += [m for m in task.marks if m not in wrong and any(task.numbered[n - 1] is None for n in m.numbers)]
    checks = [Check(name, Status.SKIPPED, Severity.BLOCK, None, "switched off") for name in CHECKS if name in skip]
    if "citations" not in skip:
        checks += _citation_checks(task, wrong)
    claims = []
    for case in cases:
        claim, made = _judged(case, task, vectors, skip)
        claims.append(claim)
        checks += made
    findings = tuple(_finding(check) for check in checks if check.status in (Status.FAILED, Status.UNKNOWN))
    unknown = tuple(task.text[mark.start : mark.end] for mark in wrong)
    return Review(tuple(claims), tuple(checks), findings, task.marks, unknown)


def _citation_checks(task: Task, wrong: Sequence[Citation]) -> list[Check]:
    """One check a mark: it stands for sources that exist."""
    checks = []
    for mark in task.marks:
        cause = f"{task.text[mark.start : mark.end]} stands for no source" if mark in wrong else None
        status = Status.FAILED if cause else Status.PASSED
        checks.append(Check("citations", status, Severity.BLOCK, None, cause, Span(mark.start, mark.end)))
    return checks


def _with(review: Review, checks: tuple[Check, ...]) -> Review:
    findings = tuple(_finding(check) for check in checks)
    return replace(review, checks=(*review.checks, *checks), findings=(*review.findings, *findings))


def untested_in(text: str, review: Review, without_claims: Severity) -> tuple[Check, ...]:
    """What a text says that no check tests: nothing at all, or a bare yes or no.

    An answer `without_claims` must not count as verified; anyone's text may well claim nothing.
    """
    if not review.claims:
        return (
            Check("support", Status.UNKNOWN, without_claims, None, "the text claims nothing that can be tested"),
        )
    opening = without_marks(text, review.citations).split(".")[0]
    if says_only_yes_or_no(opening):
        cause = "a bare yes or no is not tested, only the ground given for it"
        return (Check("support", Status.UNKNOWN, Severity.WARN, None, cause, Span(0, len(opening))),)
    return ()


def _judged(
    case: Case, task: Task, vectors: Mapping[str, Vector], skip: frozenset[str]
) -> tuple[Claim, list[Check]]:
    """One claim with its verdict, and its checks."""
    checks: list[Check] = []
    if "sources" not in skip and task.cites:
        checks.append(_sourced(case))
    if case.over is not None and case.reading is not None:
        if "quotes" not in skip:
            checks += _quote_checks(case.over)
        checks += fact_checks(case.over, skip)
    measured = support_of(case, vectors)
    if measured is not None:
        measured *= left_by(checks)
    verdict, reason = _verdict(case, measured, checks)
    if "support" not in skip:
        checks.append(_support_check(case, verdict, reason))
    claim, ids = case.claim, tuple(passage.passage_id for passage in case.cited)
    judge = "quote" if case.quote is not None else "deterministic"
    history = (ClaimEvent("proposed", "writer", ""), ClaimEvent(verdict.value, judge, reason))
    spans = (
        (case.quote,) if case.quote else tuple(a.sentence.span for a in case.over.nearest[:2]) if case.over else ()
    )
    return Claim(case.n, claim.text, claim.start, claim.end, ids, verdict, measured, spans, history), checks


def fact_checks(over: Comparison, skip: frozenset[str] = frozenset()) -> list[Check]:
    """The claim's fact checks, those in `skip` left out."""
    return [check for name, compare in FACTS.items() if name not in skip for check in compare(over)]


def left_by(checks: Sequence[Check]) -> float:
    """The share of a claim's support that its failed checks leave: 1 when none failed."""
    failed = {check.name for check in checks if check.status is Status.FAILED} - {"sources"}
    if failed - {"names"}:
        return LEFT_BY_FAILURE
    return LEFT_BY_MISSING_NAME if failed else 1.0


def support_of(case: Case, vectors: Mapping[str, Vector]) -> float | None:
    """The claim's support before its checks: 1 where it is quoted, else by the trees, None with nothing to read."""
    if case.quote is not None:
        return 1.0
    if case.reading is None:
        return None
    found = features(case.reading)
    if any(text not in vectors for text in texts_of(case.reading)):
        return trees("words").probability(found)
    return trees("vectors").probability(found | likeness(case.reading, vectors))


def _sourced(case: Case) -> Check:
    where = Span(case.claim.start, case.claim.end)
    if case.cited:
        return Check("sources", Status.PASSED, Severity.REPAIR, case.n, None, where)
    return Check("sources", Status.FAILED, Severity.REPAIR, case.n, "this sentence cites no source", where)


def _quote_checks(over: Comparison) -> list[Check]:
    """Each quotation of the claim stands in its sources, word for word."""
    checks = []
    for span in quoted(over.claim.plain):
        place = locate_parts(over.claim.plain[span.start : span.end], over.sources.passages)
        cause = None if place else "these quoted words do not stand in the sources of this claim"
        status = Status.PASSED if place else Status.FAILED
        checks.append(over.check("quotes", status, Severity.BLOCK, cause, span, place))
    return checks


def _verdict(case: Case, measured: float | None, checks: Sequence[Check]) -> tuple[Verdict, str]:
    """What the evidence says of the claim, and why."""
    if case.quote is not None:
        return Verdict.SUPPORTED, "the source says it word for word"
    if measured is None:
        missing = "words in it" if case.scope else "passages"
        return Verdict.UNKNOWN, f"there are no {missing} to compare"
    failed = [check for check in checks if check.status is Status.FAILED and check.name != "sources"]
    against = next((check for check in failed if check.source_span is not None), None)
    if against is not None:
        return Verdict.CONTRADICTED, against.cause or ""
    if failed:
        return Verdict.UNSUPPORTED, failed[0].cause or ""
    if measured >= SUPPORTED:
        return Verdict.SUPPORTED, f"support {measured:.2f}"
    if measured < UNSUPPORTED:
        return Verdict.UNSUPPORTED, f"support {measured:.2f} is below {UNSUPPORTED}"
    return Verdict.UNKNOWN, f"support {measured:.2f} settles nothing"


def _support_check(case: Case, verdict: Verdict, reason: str) -> Check:
    """The check that the claim as a whole is borne out."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(verdict, Status.FAILED)
    where = Span(case.claim.start, case.claim.end)
    cause = None if status is Status.PASSED else reason
    return Check("support", status, Severity.BLOCK, case.n, cause, where, next(iter(case.spans), None))


def _finding(check: Check) -> Finding:
    return Finding(check.name, check.claim, check.severity, check.cause or "", _ADVICE[check.name], check.kind)
