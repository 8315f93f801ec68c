"""One claim's checks and verdict, tier by tier: quotes, facts, then how far words and vectors bear it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.calibration import ClaimPolicy
from assay.meter import Timing, untimed
from assay.text.language import language_of
from assay.text.tokens import terms
from assay.types import Check, Claim, ClaimEvent, FindingKind, Severity, Span, Status, Verdict
from assay.verify.absence import tells_of_absence
from assay.verify.additions import added
from assay.verify.broken_off import breaks_off
from assay.verify.cases import Case, SourceReader, Task
from assay.verify.cited import cited_checks
from assay.verify.comparison import Comparison
from assay.verify.denials import negated
from assay.verify.directions import turned
from assay.verify.entailed import Entailed
from assay.verify.facts import calendar, numbers
from assay.verify.forbidden import forbidden
from assay.verify.named import named
from assay.verify.quotes import locate_parts, quoted
from assay.verify.restated import restated
from assay.verify.roles import roles
from assay.verify.scored import support_of
from assay.verify.verdicts import NOT_OF_TRUTH, Ruled, by_support, failed_of, of_truth, standing, verdict_of

if TYPE_CHECKING:
    from assay.verify.likeness import Vector


def _denied(over: Comparison) -> list[Check]:
    """What the claim or its sources deny, and what they forbid."""
    return [*negated(over), *forbidden(over)]


FACTS: Mapping[str, Callable[[Comparison], list[Check]]] = {
    "numbers": numbers,
    "dates": calendar,
    "names": named,
    "negation": _denied,
    "comparison": turned,
    "roles": roles,
    "additions": added,
}
# What a failed check leaves of a claim's support; a name may only be written otherwise. See benchmarks/check.
LEFT_BY_FAILURE = 0.5
LEFT_BY_MISSING_NAME = 0.7

# Why a checker without a policy settles nothing, and what to do.
NOT_FITTED = "not fitted: run assay calibrate --claims CLAIMS.jsonl --checker NAME"


@dataclass(frozen=True, slots=True)
class Measures:
    """What models measured of some claims: the vectors of texts, and what a checker says of claims, by number.

    `policy` is what the checker's verdicts settle, None where there is no checker, or where they settle nothing.
    """

    vectors: Mapping[str, Vector] = field(default_factory=dict)
    entailed: Mapping[int, Entailed] = field(default_factory=dict)
    policy: ClaimPolicy | None = None

    def ruled(self, n: int, aligned: float | None) -> Ruled | None:
        """What the checker says of claim `n`; None where it was not asked, or `aligned` leaves nothing to ask."""
        said = self.entailed.get(n)
        # What a source says but for the way a value is written needs no second opinion.
        return None if said is None or self.policy is None or aligned in (None, 1.0) else Ruled(said, self.policy)

    def heard(self, n: int, aligned: float | None) -> ClaimEvent | None:
        """What the checker says of claim `n` by itself, for the claim's history; None as for `ruled`."""
        said = self.entailed.get(n)
        if said is None or aligned in (None, 1.0):
            return None
        told = said.told if self.policy is not None else f"{said.told}; that settles nothing: {NOT_FITTED}"
        return ClaimEvent(said.likelier.value, said.by, told)

    def unfitted(self, n: int, aligned: float | None) -> str:
        """Why what the checker says of claim `n` counts for nothing, "" where it counts or it says nothing."""
        said = self.heard(n, aligned)
        return "" if said is None or self.policy is not None else f"{said.by} is {NOT_FITTED}"


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
    checks += compared_checks(case, skip, timing)
    with timing("support"):
        aligned = aligned_of(case, measures.vectors, checks)
    ruled = measures.ruled(case.n, aligned)
    measured = None if aligned is None else support_after(case, aligned, checks, ruled)
    verdict, reason = verdict_of(case, measured, checks, ruled)
    unfitted = measures.unfitted(case.n, aligned)
    if verdict is Verdict.UNKNOWN and unfitted:
        reason = f"{reason}; {unfitted}"
    tiers = _tiers(case, aligned, checks, measures)
    if verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) and _tells_of_absence(case):
        verdict, reason = Verdict.UNKNOWN, "it says that the sources do not tell something, which no sentence shows"
        checks = [each for each in checks if each.name in NOT_OF_TRUTH or each.status is Status.PASSED]
    checks = standing(case, verdict, checks, ruled)
    if "passages" not in skip and not case.untested:
        with timing("passages"):
            checks += cited_checks(case, task, measured, reader, verdict, by_words=ruled is None)
    history = (
        ClaimEvent("proposed", "writer", ""),
        *tiers,
        _concluded(case, verdict, reason),
    )
    if "support" not in skip:  # no tier of its own: the history has it last
        checks.append(_support_check(case, verdict, reason, checks))
    claim, ids = case.claim, tuple(passage.passage_id for passage in case.cited)
    return Claim(case.n, claim.text, claim.start, claim.end, ids, verdict, measured, case.spans, history), checks


def compared_checks(case: Case, skip: frozenset[str] = frozenset(), timing: Timing = untimed) -> list[Check]:
    """The checks of a claim that is compared with its sources: its quotations and its facts."""
    if case.over is None or case.reading is None:
        return []
    checks: list[Check] = []
    if "quotes" not in skip:
        with timing("quotes"):
            checks += _quote_checks(case.over)
    return checks + [check for part in case.parts for check in fact_checks(part, skip, timing)]


def _tells_of_absence(case: Case) -> bool:
    """Whether the claim only says that its sources do not tell something; it is known of English alone."""
    return language_of(case.claim.text) in ("en", "und") and tells_of_absence(case.claim.text)


def aligned_of(case: Case, vectors: Mapping[str, Vector], checks: Sequence[Check]) -> float | None:
    """How far words and vectors bear the claim out, 0 to 1; None where that cannot be measured."""
    if case.untested or breaks_off(case.claim.text):
        return None
    return 1.0 if _restated(case, checks) else support_of(case, vectors)


def _restated(case: Case, checks: Sequence[Check]) -> bool:
    """Whether a source says the claim but for the way a date or a number is written."""
    return bool(case.parts) and all(map(restated, case.parts)) and not of_truth(checks)


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
    failed = failed_of(checks)
    if failed - {"names"}:
        return LEFT_BY_FAILURE
    return LEFT_BY_MISSING_NAME if failed else 1.0


def support_after(case: Case, aligned: float, checks: Sequence[Check], ruled: Ruled | None) -> float:
    """The claim's support, 0 to 1: what words and vectors say, what its checks leave, and what a checker says."""
    if ruled is None:
        return aligned * left_by(checks)
    return ruled.policy.probability(ruled.said.inputs(aligned, overlap_of(case), failed_of(checks)))


def overlap_of(case: Case) -> float:
    """The share of the claim's terms that its sources hold, 0 to 1."""
    asked = set(terms(case.claim.text))
    held = case.over.sources.terms if case.over else frozenset()
    return len(asked & held) / max(1, len(asked))


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


def _tiers(case: Case, aligned: float | None, checks: Sequence[Check], measures: Measures) -> list[ClaimEvent]:
    """What each tier says by itself, where more than the quote was looked at."""
    if case.quote is not None or aligned is None:
        return []
    against = next(iter(of_truth(checks)), None)
    facts = [] if against is None else [ClaimEvent(_told(against), "facts", against.cause or "")]
    verdict, reason = by_support(aligned, case)
    heard = measures.heard(case.n, aligned)
    return [*facts, ClaimEvent(verdict.value, "alignment", reason), *([] if heard is None else [heard])]


def _told(against: Check) -> str:
    return (Verdict.UNSUPPORTED if against.source_span is None else Verdict.CONTRADICTED).value


def _concluded(case: Case, verdict: Verdict, reason: str) -> ClaimEvent:
    return ClaimEvent(verdict.value, "quote" if case.quote is not None else "deterministic", reason)


def _support_check(case: Case, verdict: Verdict, reason: str, checks: Sequence[Check]) -> Check:
    """The check that the claim as a whole is borne out."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(verdict, Status.FAILED)
    where = Span(case.claim.start, case.claim.end)
    cause = None if status is Status.PASSED else reason
    against = next(iter(of_truth(checks)), None)
    kind = None if status is not Status.FAILED else against.kind if against else FindingKind.UNSUPPORTED_ADDITION
    return Check("support", status, Severity.BLOCK, case.n, cause, where, next(iter(case.spans), None), kind)
