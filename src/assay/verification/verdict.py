"""The verdict on a claim: supported, contradicted, unsupported or unknown, with its reason."""

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
from assay.verification.negation import reports_absence
from assay.verification.support import SUPPORTED, UNSUPPORTED, support_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.verification.support import Vector

# Checks whose failure is an input of a policy.
WEIGHED = ("numbers", "dates", "names", "negation", "comparison")
INPUTS = frozenset({"checker", "trees", "overlap", "trees x overlap", "checker x overlap"}).union(
    f"failed {name}" for name in WEIGHED
)
# Inputs that may not raise the probability of support.
NEVER_ABOVE = frozenset(f"failed {name}" for name in WEIGHED)
# Estimated tokens of a sentence; a checker reads no claim with a longer one.
LONGEST_PREMISE = 96
# Sentences of a claim that a checker reads; the longest labelled claim has 25.
_MOST_SENTENCES = 32


@dataclass(frozen=True, slots=True)
class Entailment:
    """A checker's reading of a claim: the log odds of support, the minimum over its sentences.

    `against` is the probability of a contradiction, the maximum over its sentences; `by` is the checker's name.
    """

    by: str
    support: float
    against: float

    @property
    def likelier(self) -> Verdict:
        """The checker's own verdict: unknown where neither is likelier than not."""
        support = sigmoid(self.support)
        if max(support, self.against) <= 0.5:
            return Verdict.UNKNOWN
        return Verdict.SUPPORTED if support >= self.against else Verdict.CONTRADICTED

    @property
    def description(self) -> str:
        """Both probabilities, in words."""
        return f"supports {sigmoid(self.support):.2f}, contradicts {self.against:.2f}"

    def inputs(self, aligned: float, overlap: float, failed: Collection[str]) -> dict[str, float]:
        """The inputs of a policy.

        `aligned` is the support by words and vectors, `overlap` the share of the claim's terms that its sources
        hold, both 0 to 1, and `failed` the names of the failed checks.
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
    """The pairs that a checker reads of a claim, one per sentence; none where a sentence is too long."""
    found = [part.text for part in analyse(plain(claim)).parts if part.words]
    if len(found) > _MOST_SENTENCES or any(estimated_tokens(text) > LONGEST_PREMISE for text in found):
        return ()
    return tuple(Pair(text, evidence(text, passages)) for text in found)


def entailments(
    by: str, pairs: Mapping[int, Sequence[Pair]], probabilities: NDArray[np.float32]
) -> dict[int, Entailment]:
    """The checker's reading of each claim, from the probabilities of all claims' pairs, shape (pairs, 3)."""
    found, at = {}, 0
    for n, of_claim in pairs.items():
        if of_claim:
            rows = probabilities[at : at + len(of_claim)]
            found[n] = Entailment(by, log_odds(float(rows[:, 0].min())), float(rows[:, 1].max()))
            at += len(of_claim)
    return found


# The verdict from all that is known of a claim.

# Checks of how a claim is cited, not of whether it is true.
CITATION_CHECKS = frozenset({"sources", "passages"})
# Characters of a source by which its language is identified; chosen.
_SAMPLE = 2000


@dataclass(frozen=True, slots=True)
class CheckerOpinion:
    """A checker's reading of a claim, and the policy that turns it into a verdict."""

    entailment: Entailment
    policy: ClaimPolicy


def truth_failures(checks: Sequence[Check]) -> list[Check]:
    """The failed checks of what the claim says, those with a source first."""
    failed = [c for c in checks if c.status is Status.FAILED and c.name not in CITATION_CHECKS]
    return sorted(failed, key=lambda check: check.source_span is None)


def failed_names(checks: Sequence[Check]) -> frozenset[str]:
    """The names of the failed checks of what the claim says."""
    return frozenset(check.name for check in truth_failures(checks))


def is_copy(case: Case) -> bool:
    """Tell whether each sentence of the claim is a source sentence with a few words changed."""
    return bool(case.parts) and all(part.copied is not None for part in case.parts)


def verdict_of(
    case: Case, measured: float | None, checks: Sequence[Check], opinion: CheckerOpinion | None
) -> tuple[Verdict, str]:
    """The verdict and its reason; `measured` is the claim's support, None where it has none."""
    if case.untested:
        return Verdict.UNKNOWN, case.untested
    is_broken = is_truncated(case.claim.text)
    if case.quote is not None and not is_broken:
        return Verdict.SUPPORTED, "the source says it word for word"
    failed = truth_failures(checks)
    decisive = next((one for one in failed if opinion is None or decides(one, case)), None)
    if decisive is not None:
        return _verdict_against(decisive), decisive.cause or ""
    if is_broken:  # its beginning may stand in a source
        return Verdict.UNKNOWN, "the sentence breaks off before it says anything"
    if measured is None:
        return Verdict.UNKNOWN, _nothing_to_compare(case)
    if opinion is None:
        verdict, reason = verdict_by_support(measured, case)
    else:
        verdict, reason = _by_policy(measured, failed, opinion)
    if verdict is Verdict.UNSUPPORTED and _in_another_language(case):
        return Verdict.UNKNOWN, "its sources are in another language, and no model compared them"
    withheld = next((check for check in checks if withholds(check, case, is_read=opinion is not None)), None)
    if verdict is Verdict.SUPPORTED and withheld is not None:
        return Verdict.UNKNOWN, withheld.cause or ""
    return verdict, reason


def verdict_by_support(measured: float, case: Case) -> tuple[Verdict, str]:
    """The verdict of the support score alone, by which no freely worded claim is supported."""
    if measured >= SUPPORTED and (is_copy(case) or measured == 1.0):  # 1: only a value is written otherwise
        return Verdict.SUPPORTED, f"support {measured:.2f}"
    if measured < UNSUPPORTED:
        return Verdict.UNSUPPORTED, f"support {measured:.2f} is below {UNSUPPORTED}"
    return Verdict.UNKNOWN, f"support {measured:.2f}: inconclusive"


def remaining_checks(
    case: Case, verdict: Verdict, checks: Sequence[Check], opinion: CheckerOpinion | None
) -> list[Check]:
    """The checks without those that a checker overrules, which do not decide by themselves.

    Where the claim stays unknown, the checks of its values and quotations stay open.
    """
    if opinion is None or verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED):
        return list(checks)
    overruled = [check for check in truth_failures(checks) if not decides(check, case)]
    if not is_copy(case):
        overruled += [check for check in checks if check.status is Status.UNKNOWN]
    kept_open = [one for one in overruled if one.name in (*VALUE_CHECKS, "quotes") and verdict is Verdict.UNKNOWN]
    opened = [replace(one, status=Status.UNKNOWN) for one in kept_open]
    return [*(check for check in checks if check not in overruled), *opened]


def decides(check: Check, case: Case) -> bool:
    """Tell whether a failed check decides the verdict whatever a checker says.

    An addition before a copied sentence is a lead-in ("According to the guide,"), which a checker reads. In a free
    wording a check decides where it knows the source's own value in a sentence that says nearly the same, or the
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
    """Tell whether a check keeps a claim from being called supported: a blocking one that stayed open.

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


def _by_policy(measured: float, failed: Sequence[Check], opinion: CheckerOpinion) -> tuple[Verdict, str]:
    """The verdict on a claim that a checker read; the failed checks do not decide it."""
    policy, description = opinion.policy, f"support {measured:.2f}, {opinion.entailment.description}"
    if measured >= policy.supported:
        return Verdict.SUPPORTED, description
    if measured >= policy.unsupported:
        return Verdict.UNKNOWN, f"{description}: inconclusive"
    verdict = Verdict.CONTRADICTED if policy.contradicts(opinion.entailment.against) else Verdict.UNSUPPORTED
    return verdict, failed[0].cause or description if failed else f"{description}: not supported"


def _in_another_language(case: Case) -> bool:
    """Tell whether no source is in the claim's language, so that words and vectors cannot be compared."""
    language = language_of(case.claim.text)
    return all(language_of(passage.text[:_SAMPLE]) not in (language, "und") for passage in case.scope)


def _nothing_to_compare(case: Case) -> str:
    """The reason why a claim was not compared: it, or its sources, have no words, or there is no source."""
    if not case.scope:
        return "there are no passages to compare"
    if not analyse(case.claim.text).words:
        return "the claim has no words to compare"
    named = dict.fromkeys(passage.title or f"[{passage.passage_id}]" for passage in case.scope)
    return f"there are no words to compare in {', '.join(named)}"


# The checks and the verdict of one claim, tier by tier: quotes, facts, words and vectors, the checker.

# The share of a claim's support after a failed check; a missing name may only be written otherwise
# (benchmarks/check).
SHARE_AFTER_FAILURE = 0.5
SHARE_AFTER_MISSING_NAME = 0.7

# Why a checker without a policy decides nothing, and the remedy.
NOT_FITTED = "not fitted: run assay calibrate --claims CLAIMS.jsonl --checker NAME"


@dataclass(frozen=True, slots=True)
class Measures:
    """The vectors of some claims' texts, and a checker's readings of claims, by number.

    `policy` turns a reading into a verdict; None without a checker, or with one that was not fitted.
    """

    vectors: Mapping[str, Vector] = field(default_factory=dict)
    entailed: Mapping[int, Entailment] = field(default_factory=dict)
    policy: ClaimPolicy | None = None

    def opinion(self, n: int, aligned: float | None) -> CheckerOpinion | None:
        """The checker's opinion on claim `n`; None where it was not asked, or `aligned` is already certain."""
        entailment = self.entailed.get(n)
        if entailment is None or self.policy is None or aligned in (None, 1.0):
            return None
        return CheckerOpinion(entailment, self.policy)

    def checker_event(self, n: int, aligned: float | None) -> ClaimEvent | None:
        """The checker's own reading of claim `n`, for its history; None as for `opinion`, but for a policy."""
        entailment = self.entailed.get(n)
        if entailment is None or aligned in (None, 1.0):
            return None
        remark = "" if self.policy is not None else f"; that settles nothing: {NOT_FITTED}"
        return ClaimEvent(entailment.likelier.value, entailment.by, f"{entailment.description}{remark}")

    def unfitted_cause(self, n: int, aligned: float | None) -> str:
        """The reason why the checker's reading of claim `n` is not used; "" where it is, or there is none."""
        event = self.checker_event(n, aligned)
        return "" if event is None or self.policy is not None else f"{event.by} is {NOT_FITTED}"


def evaluate_claim(
    case: Case,
    task: Task,
    measures: Measures,
    skip: frozenset[str],
    timing: Timing = untimed,
) -> tuple[Claim, list[Check]]:
    """The claim with its verdict, and its checks, each timed."""
    checks: list[Check] = []
    if "sources" not in skip and task.cites:
        checks.append(_citation_check(case))
    checks += compared_checks(case, skip, timing)
    with timing("support"):
        aligned = alignment_support(case, measures.vectors, checks)
    opinion = measures.opinion(case.n, aligned)
    measured = None if aligned is None else final_support(case, aligned, checks, opinion)
    verdict, reason = verdict_of(case, measured, checks, opinion)
    unfitted_cause = measures.unfitted_cause(case.n, aligned)
    if verdict is Verdict.UNKNOWN and unfitted_cause:
        reason = f"{reason}; {unfitted_cause}"
    tiers = _tiers(case, aligned, checks, measures)
    if verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED) and _reports_absence(case):
        verdict, reason = Verdict.UNKNOWN, "it says that the sources do not tell something, which no sentence shows"
        checks = [check for check in checks if check.name in CITATION_CHECKS or check.status is Status.PASSED]
    checks = remaining_checks(case, verdict, checks, opinion)
    if "passages" not in skip and not case.untested:
        with timing("passages"):
            checks += citation_checks(case, task, measured, verdict, by_words=opinion is None)
    history = (
        ClaimEvent("proposed", "writer", ""),
        *tiers,
        ClaimEvent(verdict.value, "quote" if case.quote is not None else "deterministic", reason),
    )
    if "support" not in skip:  # no tier of its own: the history has it last
        checks.append(_support_check(case, verdict, reason, checks))
    claim, ids = case.claim, tuple(passage.passage_id for passage in case.cited)
    return Claim(case.n, claim.text, claim.start, claim.end, ids, verdict, measured, case.spans, history), checks


def _reports_absence(case: Case) -> bool:
    """Tell whether the claim only says that its sources do not tell something; recognised in English only."""
    return language_of(case.claim.text) in ("en", "und") and reports_absence(case.claim.text)


def alignment_support(case: Case, vectors: Mapping[str, Vector], checks: Sequence[Check]) -> float | None:
    """The support by words and vectors, 0 to 1; None where it cannot be measured."""
    if case.untested or is_truncated(case.claim.text):
        return None
    if case.quote is not None or _is_restated(case, checks):
        return 1.0
    return None if case.compared is None else support_of(case.compared, vectors)


def _is_restated(case: Case, checks: Sequence[Check]) -> bool:
    """Tell whether a source says the claim, with at most a date or a number written otherwise."""
    return bool(case.parts) and all(part.is_restated for part in case.parts) and not truth_failures(checks)


def share_left(checks: Sequence[Check]) -> float:
    """The share of a claim's support that remains after its failed checks, 1 where none failed."""
    failed = failed_names(checks)
    if failed - {"names"}:
        return SHARE_AFTER_FAILURE
    return SHARE_AFTER_MISSING_NAME if failed else 1.0


def final_support(case: Case, aligned: float, checks: Sequence[Check], opinion: CheckerOpinion | None) -> float:
    """The claim's support, 0 to 1, by words and vectors, failed checks, and a checker's opinion."""
    if opinion is None:
        return aligned * share_left(checks)
    inputs = opinion.entailment.inputs(aligned, overlap_with_sources(case), failed_names(checks))
    return opinion.policy.probability(inputs)


def overlap_with_sources(case: Case) -> float:
    """The share of the claim's terms that its sources hold, 0 to 1."""
    asked = set(terms(case.claim.text))
    held = case.alignment.sources.terms if case.alignment else frozenset()
    return len(asked & held) / max(1, len(asked))


def _citation_check(case: Case) -> Check:
    where = Span(case.claim.start, case.claim.end)
    if case.cited:
        return Check("sources", Status.PASSED, Severity.REPAIR, case.n, None, where)
    return Check("sources", Status.FAILED, Severity.REPAIR, case.n, "this sentence cites no source", where)


def _tiers(case: Case, aligned: float | None, checks: Sequence[Check], measures: Measures) -> list[ClaimEvent]:
    """The verdict of each tier by itself, where more than a quote was looked for."""
    if case.quote is not None or aligned is None:
        return []
    against = next(iter(truth_failures(checks)), None)
    facts = [] if against is None else [ClaimEvent(_verdict_against(against).value, "facts", against.cause or "")]
    verdict, reason = verdict_by_support(aligned, case)
    event = measures.checker_event(case.n, aligned)
    return [*facts, ClaimEvent(verdict.value, "alignment", reason), *([] if event is None else [event])]


def _verdict_against(check: Check) -> Verdict:
    """The verdict of a failed check: contradicted where it names a source against the claim."""
    return Verdict.UNSUPPORTED if check.source_span is None else Verdict.CONTRADICTED


def _support_check(case: Case, verdict: Verdict, reason: str, checks: Sequence[Check]) -> Check:
    """The check that the claim as a whole is supported."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(verdict, Status.FAILED)
    where = Span(case.claim.start, case.claim.end)
    cause = None if status is Status.PASSED else reason
    against = next(iter(truth_failures(checks)), None)
    kind = None if status is not Status.FAILED else against.kind if against else FindingKind.UNSUPPORTED_ADDITION
    return Check("support", status, Severity.BLOCK, case.n, cause, where, next(iter(case.spans), None), kind)


# Measurements of a claim without a verdict, on which a checker's policy is fitted.


@dataclass(frozen=True, slots=True)
class MeasuredClaim:
    """A claim compared with its sources as a whole, with the checks of its quotations and facts.

    `aligned` is the support by words and vectors, 0 to 1, None where it cannot be measured; `entailment` is the
    checker's reading, None where it was not asked: of a quote, a text too long, a language that it does not read.
    """

    case: Case
    checks: tuple[Check, ...]
    aligned: float | None
    entailment: Entailment | None

    @classmethod
    def of(cls, case: Case, measures: Measures) -> MeasuredClaim:
        """The claim, from the models' measurements."""
        checks = compared_checks(case)
        aligned = None if case.quote is not None else alignment_support(case, measures.vectors, checks)
        return cls(case, tuple(checks), aligned, measures.entailed.get(case.n))

    @property
    def is_weighed(self) -> bool:
        """Tell whether a policy decides the claim: it was compared and read, and is no restatement of a source."""
        return self.entailment is not None and self.aligned not in (None, 1.0)

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs of a policy; raises ValueError where the claim was not compared or read."""
        if self.entailment is None or self.aligned is None:
            raise ValueError("the claim was not compared")
        return self.entailment.inputs(self.aligned, overlap_with_sources(self.case), failed_names(self.checks))

    @property
    def decisive(self) -> tuple[Check, ...]:
        """The failed checks that decide the verdict whatever a checker says."""
        return tuple(check for check in truth_failures(self.checks) if decides(check, self.case))

    @property
    def withheld(self) -> tuple[Check, ...]:
        """The checks that keep the claim from being called supported."""
        return tuple(check for check in self.checks if withholds(check, self.case, is_read=True))
