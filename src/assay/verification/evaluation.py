"""One claim's checks and verdict, tier by tier: quotes, facts, then how far words and vectors bear it out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.calibration import ClaimPolicy
from assay.core.budget import Timing, untimed
from assay.nlp.language import language_of
from assay.nlp.tokens import terms
from assay.types import Check, Claim, ClaimEvent, FindingKind, Passage, Severity, SourceSpan, Span, Status, Verdict
from assay.verification.additions import added
from assay.verification.alignment import Comparison, read
from assay.verification.argument_order import roles
from assay.verification.arithmetic import restated
from assay.verification.cases import Case, SourceReader, Task
from assay.verification.checker import Entailed
from assay.verification.claims import breaks_off
from assay.verification.comparatives import turned
from assay.verification.facts import calendar, numbers
from assay.verification.names import named
from assay.verification.negation import forbidden, negated, tells_of_absence
from assay.verification.quotes import locate_parts, quoted, said_whole
from assay.verification.sources import aligned, words_of
from assay.verification.support import SUPPORTED, UNSUPPORTED, support_by_words, support_of
from assay.verification.verdict import (
    NOT_OF_TRUTH,
    Ruled,
    by_support,
    decides,
    failed_of,
    of_truth,
    standing,
    verdict_of,
    withholds,
)

if TYPE_CHECKING:
    from assay.verification.support import Vector

# Whether a claim cites the passages that bear it out: another one that does, and marks that it stands without.


# Another passage is the right one only where it bears the claim so much better than those cited.
BETTER = 0.3
# A passage is read closely where one of its sentences holds this much of the claim, by rarity.
WORTH_READING = 0.5
# Stems differ from their words at the end.
_BEGINNING = 5
# Support that a citation takes along when it is left out, below which it bore nothing.
NOTHING = 0.05


def cited_checks(
    case: Case, task: Task, measured: float | None, reader: SourceReader, verdict: Verdict, *, by_words: bool
) -> list[Check]:
    """Of a claim that cites: the passage that bears it better than those cited, or its marks that bear nothing.

    A passage that bears it better in other words is told only `by_words`, where no checker read the claim: of
    what a checker left unknown, that fails as many right citations as wrong ones (benchmarks/replies).
    """
    if not case.cited:
        return []
    if verdict is not Verdict.SUPPORTED:
        right = _right_passage(case, task, measured or 0.0, reader, by_words=by_words)
        return [] if right is None else [_wrong_passage(case, right)]
    return [_decorative(case, task, each) for each in _bears_nothing(case, reader)]


def _wrong_passage(case: Case, right: SourceSpan) -> Check:
    where = Span(case.claim.start, case.claim.end)
    cause = "the cited passages do not bear this out, another passage does"
    kind = FindingKind.WRONG_PASSAGE
    return Check("passages", Status.FAILED, Severity.BLOCK, case.n, cause, where, right, kind)


def _right_passage(
    case: Case, task: Task, measured: float, reader: SourceReader, *, by_words: bool
) -> SourceSpan | None:
    """Where a passage that is not cited bears the claim out, word for word or much better than those cited."""
    cited = {passage.passage_id for passage in case.cited}
    wanted = set(terms(case.claim.text))
    others = [each for each in task.passages if each.passage_id not in cited and _may_bear(each, wanted)]
    quote = said_whole(case.claim.text, others)
    if quote is not None or not by_words:
        return quote
    found = [(borne, span) for each in others if (span := _nearest(case, each, reader)) is not None
             and (borne := _support(case, (each,), reader)) >= max(SUPPORTED, measured + BETTER)]  # fmt: skip
    return max(found, key=lambda each: each[0])[1] if found else None


def _may_bear(passage: Passage, wanted: set[str]) -> bool:
    """Whether a passage holds the beginnings of enough of the claim's words to be worth taking apart."""
    text = passage.text.casefold()
    return sum(term[:_BEGINNING] in text for term in wanted) >= WORTH_READING * len(wanted)


def _nearest(case: Case, passage: Passage, reader: SourceReader) -> SourceSpan | None:
    """The passage's sentence nearest to the claim; None where the passage is about something else."""
    sources, _ = reader.read((passage,))
    near = aligned(terms(case.claim.text), sources, 1)
    return near[0].sentence.span if near and near[0].coverage >= WORTH_READING else None


def _support(case: Case, passages: tuple[Passage, ...], reader: SourceReader) -> float:
    """The claim's support by some passages alone, by words; 0 where there are none to read."""
    if said_whole(case.claim.text, passages) is not None:
        return 1.0
    _, ground = reader.read(passages)
    if not ground.stems or not words_of(case.claim.text):
        return 0.0
    return support_by_words(read(case.claim.text, ground))


def _bears_nothing(case: Case, reader: SourceReader) -> list[Passage]:
    """The cited passages without which the claim stands as it stood, and which bear nothing of it by themselves."""
    if len(case.cited) < 2:
        return []
    whole = _support(case, case.cited, reader)
    found = []
    for passage in case.cited:
        rest = tuple(each for each in case.cited if each is not passage)
        if _support(case, rest, reader) >= whole - NOTHING and _support(case, (passage,), reader) < UNSUPPORTED:
            found.append(passage)
    return found if len(found) < len(case.cited) else []


def _decorative(case: Case, task: Task, passage: Passage) -> Check:
    cause = f"the claim stands without its citation of {passage.title or passage.passage_id!r}, which bears nothing"
    where, nowhere = _mark_of(case, task, passage), passage.span_of(0, 0)
    kind = FindingKind.DECORATIVE_CITATION
    return Check("passages", Status.FAILED, Severity.WARN, case.n, cause, where, nowhere, kind)


def _mark_of(case: Case, task: Task, passage: Passage) -> Span:
    """The claim's mark for a passage: the first at or behind the claim that stands for it."""
    first = bisect_left(task.marks, case.claim.start, key=lambda mark: mark.start)
    behind = (task.marks[at] for at in range(first, len(task.marks)))
    held = (mark for mark in behind if any(task.numbered[n - 1] is passage for n in mark.numbers if task.has(n)))
    mark = next(held, None)
    return Span(mark.start, mark.end) if mark else Span(case.claim.start, case.claim.end)


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


# What a claim's verdict comes from, measured and not yet ruled on: what a checker's policy is fitted on.


@dataclass(frozen=True, slots=True)
class MeasuredClaim:
    """A claim that was compared with its sources, whole, with the checks of its quotations and facts.

    `aligned` is how far words and vectors bear it out, 0 to 1, None where that cannot be measured; `said` is what
    the checker says, None where it was not asked: of a quote, of what is too long, in a language it does not read.
    """

    case: Case
    checks: tuple[Check, ...]
    aligned: float | None
    said: Entailed | None

    @classmethod
    def of(cls, case: Case, measures: Measures) -> MeasuredClaim:
        """The claim, from what models measured of it."""
        checks = compared_checks(case)
        aligned = None if case.quote is not None else aligned_of(case, measures.vectors, checks)
        return cls(case, tuple(checks), aligned, measures.entailed.get(case.n))

    @property
    def is_weighed(self) -> bool:
        """Whether a policy rules on the claim: it was compared and read, and no source says it but for a value."""
        return self.said is not None and self.aligned not in (None, 1.0)

    @property
    def inputs(self) -> dict[str, float]:
        """What a policy weighs; raises ValueError where it does not rule on the claim."""
        if self.said is None or self.aligned is None:
            raise ValueError("the claim was not compared")
        return self.said.inputs(self.aligned, overlap_of(self.case), failed_of(self.checks))

    @property
    def decisive(self) -> tuple[Check, ...]:
        """The failed checks that settle the claim whatever a checker says."""
        return tuple(each for each in of_truth(self.checks) if decides(each, self.case))

    @property
    def withheld(self) -> tuple[Check, ...]:
        """The checks that keep the claim from being called supported."""
        return tuple(each for each in self.checks if withholds(each, self.case, is_read=True))
