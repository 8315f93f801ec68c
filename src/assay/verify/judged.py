"""One claim's checks and verdict, tier by tier: quotes, facts, then how far words and vectors bear it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.calibration import Joining, sigmoid
from assay.meter import Timing, untimed
from assay.text.language import language_of
from assay.types import Check, Claim, ClaimEvent, FindingKind, Severity, Span, Status, Verdict
from assay.verify.additions import added
from assay.verify.amounts import amounted
from assay.verify.bound import bound
from assay.verify.broken_off import breaks_off
from assay.verify.cases import Case, SourceReader, Task
from assay.verify.certainty import certain
from assay.verify.cited import cited_checks
from assay.verify.comparison import Comparison
from assay.verify.denials import negated
from assay.verify.directions import turned
from assay.verify.facts import calendar, numbers
from assay.verify.forbidden import forbidden
from assay.verify.generic import generic
from assay.verify.graded import Graded
from assay.verify.named import named
from assay.verify.quotes import locate_parts, quoted
from assay.verify.references import referred
from assay.verify.restated import restated
from assay.verify.roles import roles
from assay.verify.scored import SUPPORTED, UNSUPPORTED, support_of
from assay.verify.wording import replaced
from assay.verify.words import words_of

if TYPE_CHECKING:
    from assay.verify.likeness import Vector


def _denied(over: Comparison) -> list[Check]:
    """What the claim or its sources deny, and what they forbid."""
    return [*negated(over), *forbidden(over)]


FACTS: Mapping[str, Callable[[Comparison], list[Check]]] = {
    "numbers": numbers,
    "belonging": bound,
    "dates": calendar,
    "names": named,
    "negation": _denied,
    "certainty": certain,
    "amounts": amounted,
    "comparison": turned,
    "roles": roles,
    "additions": added,
    "wording": replaced,
    "references": referred,
}
# What a failed check leaves of a claim's support; a name may only be written otherwise. See benchmarks/check.
LEFT_BY_FAILURE = 0.5
LEFT_BY_MISSING_NAME = 0.7
# Characters of a source that tell its language.
_SAMPLE = 2000
# Checks that say something of how a claim is cited or put, and nothing of whether it is true.
NOT_OF_TRUTH = frozenset({"sources", "passages", "generic"})


@dataclass(frozen=True, slots=True)
class Measures:
    """What models measured of some claims: the vectors of texts, and what a grader says of claims, by number.

    `joining` is how the grader's log odds join the rest, None where there is no grader.
    """

    vectors: Mapping[str, Vector] = field(default_factory=dict)
    graded: Mapping[int, Graded] = field(default_factory=dict)
    joining: Joining | None = None

    def said(self, n: int, aligned: float | None) -> Graded | None:
        """What the grader says of claim `n`; None where it was not asked, or `aligned` leaves nothing to ask."""
        # What a source says but for the way a value is written needs no second opinion.
        return None if aligned == 1.0 else self.graded.get(n)

    def support(self, n: int, aligned: float, left: float) -> float:
        """The support of claim `n`, 0 to 1: what words and vectors say, what its checks leave, and the grader."""
        found = self.said(n, aligned)
        if found is None or self.joining is None:
            return aligned * left
        return found.joined(self.joining, aligned, left)


def judged(
    case: Case,
    task: Task,
    measures: Measures,
    skip: frozenset[str],
    reader: SourceReader,
    timing: Timing = untimed,
) -> tuple[Claim, list[Check]]:
    """One claim with its verdict, and its checks, each of them timed."""
    checks: list[Check] = []
    if "sources" not in skip and task.cites:
        checks.append(_sourced(case))
    if case.over is not None and case.reading is not None:
        if "quotes" not in skip:
            with timing("quotes"):
                checks += _quote_checks(case.over)
        checks += [check for part in case.parts for check in fact_checks(part, skip, timing)]
        if "generic" not in skip:
            with timing("generic"):
                checks += generic(case.over)
    with timing("support"):
        aligned = _aligned(case, measures.vectors, checks)
    measured = None if aligned is None else measures.support(case.n, aligned, left_by(checks))
    verdict, reason = _verdict(case, measured, checks)
    if "passages" not in skip and not case.untested:
        with timing("passages"):
            checks += cited_checks(case, task, measured, reader)
    history = (
        ClaimEvent("proposed", "writer", ""),
        *_tiers(case, aligned, checks, measures.said(case.n, aligned)),
        _concluded(case, verdict, reason),
    )
    if "support" not in skip:  # no tier of its own: the history has it last
        checks.append(_support_check(case, verdict, reason, checks))
    claim, ids = case.claim, tuple(passage.passage_id for passage in case.cited)
    return Claim(case.n, claim.text, claim.start, claim.end, ids, verdict, measured, case.spans, history), checks


def _aligned(case: Case, vectors: Mapping[str, Vector], checks: Sequence[Check]) -> float | None:
    """How far words and vectors bear the claim out, 0 to 1; None where that cannot be measured."""
    if case.untested or breaks_off(case.claim.text):
        return None
    return 1.0 if _restated(case, checks) else support_of(case, vectors)


def _restated(case: Case, checks: Sequence[Check]) -> bool:
    """Whether a source says the claim but for the way a date or a number is written."""
    return bool(case.parts) and all(map(restated, case.parts)) and not _of_truth(checks)


def fact_checks(over: Comparison, skip: frozenset[str] = frozenset(), timing: Timing = untimed) -> list[Check]:
    """The claim's fact checks, those in `skip` left out."""
    checks: list[Check] = []
    for name, compare in FACTS.items():
        if name not in skip:
            with timing(name):
                checks += compare(over)
    return checks


def left_by(checks: Sequence[Check]) -> float:
    """The share of a claim's support that its failed checks leave: 1 when none failed."""
    failed = {check.name for check in checks if check.status is Status.FAILED} - NOT_OF_TRUTH
    if failed - {"names"}:
        return LEFT_BY_FAILURE
    return LEFT_BY_MISSING_NAME if failed else 1.0


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


def _of_truth(checks: Sequence[Check]) -> list[Check]:
    """The failed checks that speak against what the claim says, those with a source beside them first."""
    failed = [c for c in checks if c.status is Status.FAILED and c.name not in NOT_OF_TRUTH]
    return sorted(failed, key=lambda each: each.source_span is None)


def _verdict(case: Case, measured: float | None, checks: Sequence[Check]) -> tuple[Verdict, str]:
    """What the evidence says of the claim, and why."""
    if case.untested:
        return Verdict.UNKNOWN, case.untested
    broken = breaks_off(case.claim.text)
    if case.quote is not None and not broken:
        return Verdict.SUPPORTED, "the source says it word for word"
    against = next(iter(_of_truth(checks)), None)
    if against is not None:
        found = Verdict.UNSUPPORTED if against.source_span is None else Verdict.CONTRADICTED
        return found, against.cause or ""
    if broken:  # its beginning may well stand in a source
        return Verdict.UNKNOWN, "the sentence breaks off before it says anything"
    if measured is None:
        return Verdict.UNKNOWN, _nothing_to_compare(case)
    verdict, reason = by_support(measured)
    if verdict is Verdict.UNSUPPORTED and _in_another_language(case):
        return Verdict.UNKNOWN, "its sources are in another language, and no model compared them"
    unsure = next((c for c in checks if c.status is Status.UNKNOWN and c.severity is Severity.BLOCK), None)
    if verdict is Verdict.SUPPORTED and unsure is not None:
        return Verdict.UNKNOWN, unsure.cause or ""
    return verdict, reason


def _in_another_language(case: Case) -> bool:
    """Whether none of the claim's sources is in its language: words and vectors then compare nothing."""
    mine = language_of(case.claim.text)
    return all(language_of(each.text[:_SAMPLE]) not in (mine, "und") for each in case.scope)


def _nothing_to_compare(case: Case) -> str:
    """Why a claim was not compared: it has no words, or there is no source, or those named have no words."""
    if not case.scope:
        return "there are no passages to compare"
    if not words_of(case.claim.text):
        return "the claim has no words to compare"
    named = dict.fromkeys(each.title or f"[{each.passage_id}]" for each in case.scope)
    return f"there are no words to compare in {', '.join(named)}"


def by_support(measured: float) -> tuple[Verdict, str]:
    """The verdict of the support score alone."""
    if measured >= SUPPORTED:
        return Verdict.SUPPORTED, f"support {measured:.2f}"
    if measured < UNSUPPORTED:
        return Verdict.UNSUPPORTED, f"support {measured:.2f} is below {UNSUPPORTED}"
    return Verdict.UNKNOWN, f"support {measured:.2f} settles nothing"


def _tiers(case: Case, aligned: float | None, checks: Sequence[Check], said: Graded | None) -> list[ClaimEvent]:
    """What each tier says by itself, where more than the quote was looked at."""
    if case.quote is not None or aligned is None:
        return []
    against = next(iter(_of_truth(checks)), None)
    facts = [] if against is None else [ClaimEvent(_told(against), "facts", against.cause or "")]
    measured = {"alignment": aligned} | ({} if said is None else {said.by: sigmoid(said.whole)})
    ruled = [(by, *by_support(support)) for by, support in measured.items()]
    return [*facts, *(ClaimEvent(verdict.value, by, reason) for by, verdict, reason in ruled)]


def _told(against: Check) -> str:
    return (Verdict.UNSUPPORTED if against.source_span is None else Verdict.CONTRADICTED).value


def _concluded(case: Case, verdict: Verdict, reason: str) -> ClaimEvent:
    return ClaimEvent(verdict.value, "quote" if case.quote is not None else "deterministic", reason)


def _support_check(case: Case, verdict: Verdict, reason: str, checks: Sequence[Check]) -> Check:
    """The check that the claim as a whole is borne out."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(verdict, Status.FAILED)
    where = Span(case.claim.start, case.claim.end)
    cause = None if status is Status.PASSED else reason
    against = next(iter(_of_truth(checks)), None)
    kind = None if status is not Status.FAILED else against.kind if against else FindingKind.UNSUPPORTED_ADDITION
    return Check("support", status, Severity.BLOCK, case.n, cause, where, next(iter(case.spans), None), kind)
