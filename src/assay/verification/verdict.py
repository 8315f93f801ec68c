"""What the evidence says of a claim: supported, contradicted, unsupported, or unknown, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.calibration import ClaimPolicy
from assay.nlp.language import language_of
from assay.types import VALUE_CHECKS, Check, Severity, Status, Verdict
from assay.verification.alignment import SAME_STATEMENT
from assay.verification.cases import Case
from assay.verification.checker import WEIGHED, Entailed
from assay.verification.claims import breaks_off
from assay.verification.sources import words_of
from assay.verification.support import SUPPORTED, UNSUPPORTED

# Checks that say something of how a claim is cited, and nothing of whether it is true.
NOT_OF_TRUTH = frozenset({"sources", "passages"})
# Characters of a source that tell its language.
_SAMPLE = 2000
# Checks that settle a claim whatever a checker says: of every wording, since what stands between quotation marks is
# meant to be copied, and of a source sentence with a few words changed. Of names in each other's places a checker
# sees nothing (benchmarks/planted).
_OF_EVERY_WORDING = frozenset({"quotes"})
_OF_COPIES = frozenset({*WEIGHED, "roles", "additions"})
_KNOWN = frozenset({"dates", "names"})


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a checker says of a claim, and what that settles."""

    said: Entailed
    policy: ClaimPolicy


def of_truth(checks: Sequence[Check]) -> list[Check]:
    """The failed checks that speak against what the claim says, those with a source beside them first."""
    failed = [c for c in checks if c.status is Status.FAILED and c.name not in NOT_OF_TRUTH]
    return sorted(failed, key=lambda each: each.source_span is None)


def failed_of(checks: Sequence[Check]) -> frozenset[str]:
    """The names of those checks."""
    return frozenset(each.name for each in of_truth(checks))


def is_copy(case: Case) -> bool:
    """Whether each sentence of the claim is one of its sources with a few words changed."""
    return bool(case.parts) and all(part.copied is not None for part in case.parts)


def verdict_of(
    case: Case, measured: float | None, checks: Sequence[Check], ruled: Ruled | None
) -> tuple[Verdict, str]:
    """What the evidence says of the claim, and why; `measured` is its support, None where there is none."""
    if case.untested:
        return Verdict.UNKNOWN, case.untested
    broken = breaks_off(case.claim.text)
    if case.quote is not None and not broken:
        return Verdict.SUPPORTED, "the source says it word for word"
    failed = of_truth(checks)
    decisive = next((each for each in failed if ruled is None or decides(each, case)), None)
    if decisive is not None:
        return _by_check(decisive)
    if broken:  # its beginning may well stand in a source
        return Verdict.UNKNOWN, "the sentence breaks off before it says anything"
    if measured is None:
        return Verdict.UNKNOWN, _nothing_to_compare(case)
    verdict, reason = by_support(measured, case) if ruled is None else _by_policy(measured, failed, ruled)
    if verdict is Verdict.UNSUPPORTED and _in_another_language(case):
        return Verdict.UNKNOWN, "its sources are in another language, and no model compared them"
    withheld = next((each for each in checks if withholds(each, case, is_read=ruled is not None)), None)
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


def standing(case: Case, verdict: Verdict, checks: Sequence[Check], ruled: Ruled | None) -> list[Check]:
    """The checks that a checker leaves standing: it overrules those that settle nothing by themselves.

    Of claims in words of their own that a check of numbers or of denials fails, as many are true as of all; so of
    changed copies where one of the rarer checks fails (benchmarks/claims). Where the claim stays unknown, so do the
    checks of its values.
    """
    if ruled is None or verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED):
        return list(checks)
    overruled = [each for each in of_truth(checks) if not decides(each, case)]
    if not is_copy(case):
        overruled += [each for each in checks if each.status is Status.UNKNOWN]
    known = [each for each in overruled if each.name in VALUE_CHECKS and verdict is Verdict.UNKNOWN]
    doubted = [replace(each, status=Status.UNKNOWN) for each in known]
    return [*(each for each in checks if each not in overruled), *doubted]


def decides(check: Check, case: Case) -> bool:
    """Whether a failed check settles the claim whatever a checker says.

    What is put before a copied sentence, "According to the guide,", is a lead-in: a checker reads it. Beside a free
    wording, a check decides that knows the source's own value in a sentence which says nearly the same, or the
    source's date or name: of 24 such claims 20 were false.
    """
    if check.name == "additions" and check.answer_span and check.answer_span.start == case.claim.start:
        return False
    if is_copy(case):
        return check.name in _OF_COPIES or check.name in _OF_EVERY_WORDING
    if check.expected is not None and any(part.near(SAME_STATEMENT) for part in case.parts):
        return True
    return check.name in _OF_EVERY_WORDING or (check.name in _KNOWN and check.source_span is not None)


def withholds(check: Check, case: Case, *, is_read: bool) -> bool:
    """Whether a check keeps a claim from being called supported: one that must be made and could not be.

    Of a free wording that a checker read only the checks of values do, and those that failed, too: a checker takes
    1933 for 1932, and many such claims are true all the same.
    """
    unmade = check.status is Status.UNKNOWN and check.severity is Severity.BLOCK
    if not is_read or is_copy(case):
        return unmade
    return check.name in VALUE_CHECKS and (unmade or check.status is Status.FAILED)


def _by_policy(measured: float, failed: Sequence[Check], ruled: Ruled) -> tuple[Verdict, str]:
    """The verdict on a claim that a checker read, beside checks that failed and do not settle it."""
    policy, said = ruled.policy, f"support {measured:.2f}, {ruled.said.told}"
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
    return all(language_of(each.text[:_SAMPLE]) not in (mine, "und") for each in case.scope)


def _nothing_to_compare(case: Case) -> str:
    """Why a claim was not compared: it has no words, or there is no source, or those named have no words."""
    if not case.scope:
        return "there are no passages to compare"
    if not words_of(case.claim.text):
        return "the claim has no words to compare"
    named = dict.fromkeys(each.title or f"[{each.passage_id}]" for each in case.scope)
    return f"there are no words to compare in {', '.join(named)}"
