"""What the evidence says of a claim: supported, contradicted, unsupported, or unknown, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assay.calibration import ClaimPolicy, log_odds, sigmoid
from assay.core.budget import Timing, untimed
from assay.core.stages import Pair
from assay.nlp.alignment import SAME_STATEMENT
from assay.nlp.analysis import analyse
from assay.nlp.cues import is_truncated
from assay.nlp.language import language_of
from assay.nlp.tokens import estimated_tokens, terms
from assay.nlp.windows import evidence, plain
from assay.types import (
    VALUE_CHECKS,
    Check,
    Claim,
    ClaimEvent,
    FindingKind,
    Passage,
    Severity,
    Span,
    Status,
    Verdict,
)
from assay.verification.checks import FACT_CHECKS, compared_checks
from assay.verification.citations import citation_checks
from assay.verification.claims import Case, Task
from assay.verification.negation import tells_of_absence
from assay.verification.support import SUPPORTED, UNSUPPORTED, support_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.verification.support import Vector

# The checks whose failing is an input of a policy's line, beside the others.
WEIGHED = ("numbers", "dates", "names", "negation", "comparison")
INPUTS = frozenset({"checker", "trees", "overlap", "trees x overlap", "checker x overlap"}).union(
    f"failed {name}" for name in WEIGHED
)
# No failed check speaks for a claim.
NEVER_ABOVE = frozenset(f"failed {name}" for name in WEIGHED)
# A longer claim is not read whole, in tokens as estimated.
LONGEST_PREMISE = 96
# A claim of more sentences is not read; the longest labelled one has 25.
_MOST_SENTENCES = 32


@dataclass(frozen=True, slots=True)
class Entailment:
    """What a checker says of a claim: the log odds that its sources support it, the least of its sentences.

    `against` is the probability that they contradict it, the highest of its sentences.
    """

    by: str
    support: float
    against: float

    @property
    def likelier(self) -> Verdict:
        """What it says by itself: unknown where neither is likelier than not."""
        support = sigmoid(self.support)
        if max(support, self.against) <= 0.5:
            return Verdict.UNKNOWN
        return Verdict.SUPPORTED if support >= self.against else Verdict.CONTRADICTED

    @property
    def description(self) -> str:
        """How likely it finds either, in words."""
        return f"supports {sigmoid(self.support):.2f}, contradicts {self.against:.2f}"

    def inputs(self, aligned: float, overlap: float, failed: Collection[str]) -> dict[str, float]:
        """What a policy weighs, with what words and vectors say (0 to 1) and the checks that failed.

        `overlap` is the share of the claim's terms that its sources hold.
        """
        trees = log_odds(aligned)
        return {
            "checker": self.support,
            "trees": trees,
            "overlap": overlap,
            "trees x overlap": trees * overlap,
            "checker x overlap": self.support * overlap,
            **{f"failed {name}": float(name in failed) for name in WEIGHED},
        }


def pairs_of(claim: str, passages: Sequence[Passage]) -> tuple[Pair, ...]:
    """The pairs that a checker reads of a claim, one a sentence; none where one is too long to be read whole."""
    found = [part.text for part in analyse(plain(claim)).parts if part.words]
    if len(found) > _MOST_SENTENCES or any(estimated_tokens(text) > LONGEST_PREMISE for text in found):
        return ()
    return tuple(Pair(text, evidence(text, passages)) for text in found)


def entailments(by: str, pairs: Mapping[int, Sequence[Pair]], said: NDArray[np.float32]) -> dict[int, Entailment]:
    """The checker's word on each claim, from the probabilities of all claims' pairs, shape (pairs, 3)."""
    found, at = {}, 0
    for n, own in pairs.items():
        if own:
            rows = said[at : at + len(own)]
            found[n] = Entailment(by, log_odds(float(rows[:, 0].min())), float(rows[:, 1].max()))
            at += len(own)
    return found


# From what is known of a claim to its verdict.


# Checks that say something of how a claim is cited, and nothing of whether it is true.
NOT_OF_TRUTH = frozenset({"sources", "passages"})
# Characters of a source that tell its language.
_SAMPLE = 2000


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a checker says of a claim, and what that settles."""

    said: Entailment
    policy: ClaimPolicy


def of_truth(checks: Sequence[Check]) -> list[Check]:
    """The failed checks that speak against what the claim says, those with a source beside them first."""
    failed = [c for c in checks if c.status is Status.FAILED and c.name not in NOT_OF_TRUTH]
    return sorted(failed, key=lambda one: one.source_span is None)


def failed_of(checks: Sequence[Check]) -> frozenset[str]:
    """The names of those checks."""
    return frozenset(check.name for check in of_truth(checks))


def is_copy(case: Case) -> bool:
    """Whether each sentence of the claim is one of its sources with a few words changed."""
    return bool(case.parts) and all(part.copied is not None for part in case.parts)


def verdict_of(
    case: Case, measured: float | None, checks: Sequence[Check], ruled: Ruled | None
) -> tuple[Verdict, str]:
    """What the evidence says of the claim, and why; `measured` is its support, None where there is none."""
    if case.untested:
        return Verdict.UNKNOWN, case.untested
    broken = is_truncated(case.claim.text)
    if case.quote is not None and not broken:
        return Verdict.SUPPORTED, "the source says it word for word"
    failed = of_truth(checks)
    decisive = next((one for one in failed if ruled is None or decides(one, case)), None)
    if decisive is not None:
        return _by_check(decisive)
    if broken:  # its beginning may well stand in a source
        return Verdict.UNKNOWN, "the sentence breaks off before it says anything"
    if measured is None:
        return Verdict.UNKNOWN, _nothing_to_compare(case)
    verdict, reason = by_support(measured, case) if ruled is None else _by_policy(measured, failed, ruled)
    if verdict is Verdict.UNSUPPORTED and _in_another_language(case):
        return Verdict.UNKNOWN, "its sources are in another language, and no model compared them"
    withheld = next((check for check in checks if withholds(check, case, is_read=ruled is not None)), None)
    if verdict is Verdict.SUPPORTED and withheld is not None:
        return Verdict.UNKNOWN, withheld.cause or ""
    return verdict, reason


def by_support(measured: float, case: Case) -> tuple[Verdict, str]:
    """The verdict of the support score alone: in words of its own nothing is supported by it."""
    if measured >= SUPPORTED and (is_copy(case) or measured == 1.0):  # 1: but for how a value is written
        return Verdict.SUPPORTED, f"support {measured:.2f}"
    if measured < UNSUPPORTED:
        return Verdict.UNSUPPORTED, f"support {measured:.2f} is below {UNSUPPORTED}"
    return Verdict.UNKNOWN, f"support {measured:.2f} settles nothing"


def standing_checks(case: Case, verdict: Verdict, checks: Sequence[Check], ruled: Ruled | None) -> list[Check]:
    """The checks that a checker leaves standing: it overrules those that settle nothing by themselves.

    Of claims in words of their own that a check of numbers or of denials fails, as many are true as of all; so of
    changed copies where one of the rarer checks fails (benchmarks/claims). Where the claim stays unknown, so do the
    checks of its values.
    """
    if ruled is None or verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED):
        return list(checks)
    overruled = [check for check in of_truth(checks) if not decides(check, case)]
    if not is_copy(case):
        overruled += [check for check in checks if check.status is Status.UNKNOWN]
    kept_open = [one for one in overruled if one.name in (*VALUE_CHECKS, "quotes") and verdict is Verdict.UNKNOWN]
    opened = [replace(one, status=Status.UNKNOWN) for one in kept_open]
    return [*(check for check in checks if check not in overruled), *opened]


def decides(check: Check, case: Case) -> bool:
    """Whether a failed check settles the claim whatever a checker says.

    What is put before a copied sentence, "According to the guide,", is a lead-in: a checker reads it. Beside a free
    wording, a check decides that knows the source's own value in a sentence which says nearly the same, or the
    source's date or name: of 24 such claims 20 were false.
    """
    if check.name == "additions" and check.answer_span and check.answer_span.start == case.claim.start:
        return False
    row = FACT_CHECKS.get(check.name)
    if is_copy(case):
        return row is not None and row.in_copy.effect == "decides"
    if check.expected is not None and any(part.near(SAME_STATEMENT) for part in case.parts):
        return True
    return row is not None and row.elsewhere.effect == "decides with a source" and check.source_span is not None


def withholds(check: Check, case: Case, *, is_read: bool) -> bool:
    """Whether a check keeps a claim from being called supported: a blocking one that stayed open.

    Of a free wording that a checker read only the checks of values do, and those that failed, too: a checker takes
    1933 for 1932, and many such claims are true all the same. So does a quotation that no source holds: about as
    many of those claims are true as false, but their wording is not the source's.
    """
    is_open = check.status is Status.UNKNOWN and check.severity is Severity.BLOCK
    if is_read and check.name == "quotes":
        return check.status is Status.FAILED
    if not is_read or is_copy(case):
        return is_open
    return check.name in VALUE_CHECKS and (is_open or check.status is Status.FAILED)


def _by_policy(measured: float, failed: Sequence[Check], ruled: Ruled) -> tuple[Verdict, str]:
    """The verdict on a claim that a checker read, beside checks that failed and do not settle it."""
    policy, said = ruled.policy, f"support {measured:.2f}, {ruled.said.description}"
    if measured >= policy.supported:
        return Verdict.SUPPORTED, said
    if measured >= policy.unsupported:
        return Verdict.UNKNOWN, f"{said}: that settles nothing"
    found = Verdict.CONTRADICTED if policy.contradicts(ruled.said.against) else Verdict.UNSUPPORTED
    return found, failed[0].cause or said if failed else f"{said}: it is not borne out"


def _by_check(against: Check) -> tuple[Verdict, str]:
    """The verdict of a check that failed: contradicted where a source stands against the claim."""
    return Verdict.UNSUPPORTED if against.source_span is None else Verdict.CONTRADICTED, against.cause or ""


def _in_another_language(case: Case) -> bool:
    """Whether none of the claim's sources is in its language: words and vectors then compare nothing."""
    mine = language_of(case.claim.text)
    return all(language_of(passage.text[:_SAMPLE]) not in (mine, "und") for passage in case.scope)


def _nothing_to_compare(case: Case) -> str:
    """Why a claim was not compared: it has no words, or there is no source, or those named have no words."""
    if not case.scope:
        return "there are no passages to compare"
    if not analyse(case.claim.text).words:
        return "the claim has no words to compare"
    named = dict.fromkeys(passage.title or f"[{passage.passage_id}]" for passage in case.scope)
    return f"there are no words to compare in {', '.join(named)}"


# One claim's checks and verdict, tier by tier: quotes, facts, words and vectors, the checker.


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
    entailed: Mapping[int, Entailment] = field(default_factory=dict)
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
        told = (
            said.description
            if self.policy is not None
            else f"{said.description}; that settles nothing: {NOT_FITTED}"
        )
        return ClaimEvent(said.likelier.value, said.by, told)

    def unfitted(self, n: int, aligned: float | None) -> str:
        """Why what the checker says of claim `n` counts for nothing, "" where it counts or it says nothing."""
        said = self.heard(n, aligned)
        return "" if said is None or self.policy is not None else f"{said.by} is {NOT_FITTED}"


def evaluate_claim(
    case: Case,
    task: Task,
    measures: Measures,
    skip: frozenset[str],
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
        checks = [check for check in checks if check.name in NOT_OF_TRUTH or check.status is Status.PASSED]
    checks = standing_checks(case, verdict, checks, ruled)
    if "passages" not in skip and not case.untested:
        with timing("passages"):
            checks += citation_checks(case, task, measured, verdict, by_words=ruled is None)
    history = (
        ClaimEvent("proposed", "writer", ""),
        *tiers,
        _concluded(case, verdict, reason),
    )
    if "support" not in skip:  # no tier of its own: the history has it last
        checks.append(_support_check(case, verdict, reason, checks))
    claim, ids = case.claim, tuple(passage.passage_id for passage in case.cited)
    return Claim(case.n, claim.text, claim.start, claim.end, ids, verdict, measured, case.spans, history), checks


def _tells_of_absence(case: Case) -> bool:
    """Whether the claim only says that its sources do not tell something; it is known of English alone."""
    return language_of(case.claim.text) in ("en", "und") and tells_of_absence(case.claim.text)


def aligned_of(case: Case, vectors: Mapping[str, Vector], checks: Sequence[Check]) -> float | None:
    """How far words and vectors bear the claim out, 0 to 1; None where that cannot be measured."""
    if case.untested or is_truncated(case.claim.text):
        return None
    if case.quote is not None or _is_restated(case, checks):
        return 1.0
    return None if case.compared is None else support_of(case.compared, vectors)


def _is_restated(case: Case, checks: Sequence[Check]) -> bool:
    """Whether a source says the claim but for the way a date or a number is written."""
    return bool(case.parts) and all(part.is_restated for part in case.parts) and not of_truth(checks)


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
    held = case.alignment.sources.terms if case.alignment else frozenset()
    return len(asked & held) / max(1, len(asked))


def _sourced(case: Case) -> Check:
    where = Span(case.claim.start, case.claim.end)
    if case.cited:
        return Check("sources", Status.PASSED, Severity.REPAIR, case.n, None, where)
    return Check("sources", Status.FAILED, Severity.REPAIR, case.n, "this sentence cites no source", where)


def _tiers(case: Case, aligned: float | None, checks: Sequence[Check], measures: Measures) -> list[ClaimEvent]:
    """What each tier says by itself, where more than the quote was looked at."""
    if case.quote is not None or aligned is None:
        return []
    against = next(iter(of_truth(checks)), None)
    facts = [] if against is None else [ClaimEvent(_verdict_of(against), "facts", against.cause or "")]
    verdict, reason = by_support(aligned, case)
    heard = measures.heard(case.n, aligned)
    return [*facts, ClaimEvent(verdict.value, "alignment", reason), *([] if heard is None else [heard])]


def _verdict_of(against: Check) -> str:
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
    said: Entailment | None

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
        return tuple(check for check in of_truth(self.checks) if decides(check, self.case))

    @property
    def withheld(self) -> tuple[Check, ...]:
        """The checks that keep the claim from being called supported."""
        return tuple(check for check in self.checks if withholds(check, self.case, is_read=True))
