"""Decide what to do next: values in, an action out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.stages import SEARCHING, SearchUtility
from assay.types import (
    VALUE_CHECKS,
    Action,
    Assessment,
    Check,
    FindingKind,
    Judgement,
    Limits,
    RepairKind,
    Review,
    Severity,
    Status,
    Step,
    Verdict,
)

# The ambiguity that an unresolved pronoun has by itself.
_UNCLEAR = 0.85


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, and its reason in one sentence."""

    action: Action
    reason: str


def next_action(
    judgement: Judgement,
    found: frozenset[str],
    path: Sequence[Step],
    limits: Limits,
    allowed_actions: frozenset[Action],
    search_utility: SearchUtility,
) -> Choice:
    """The action to take on a judgement of the passages `found` (their ids), after the steps already taken.

    ANSWER is taken if it is recommended and allowed, and the sufficiency reaches the answer threshold. Otherwise
    the search with the highest utility is taken, if that is above 0, a round is left, and it has not been in vain
    before. If there is none, an answer below the threshold is still given as long as no search has changed the
    evidence: each further search is one more chance to be misled. CLARIFY is taken if it is recommended, once
    nothing outside is left that could settle what is meant. ABSTAIN is always possible.

    >>> from assay.types import Triage
    >>> judgement = Judgement(0.4, Action.REFINE, "one aspect is missing", triage=Triage.AMBIGUOUS)
    >>> search_utility = SearchUtility({(Action.REFINE, Triage.AMBIGUOUS): 0.2})
    >>> allowed_actions = frozenset({Action.ANSWER, Action.REFINE})
    >>> next_action(judgement, frozenset(), (), Limits(rounds=2), allowed_actions, search_utility).action.value
    'REFINE'
    >>> next_action(judgement, frozenset(), (), Limits(rounds=1), allowed_actions, search_utility)
    Choice(action=<Action.ABSTAIN: 'ABSTAIN'>, reason='one aspect is missing; no search round is left')
    """
    recommended = judgement.recommendation if judgement.recommendation in allowed_actions else None
    if recommended is Action.ANSWER and _is_sure(judgement, search_utility):
        return Choice(Action.ANSWER, judgement.reason)
    search = _next_search(judgement, found, path, limits, allowed_actions, search_utility)
    if recommended is Action.CLARIFY and (search.action is not Action.EXTERNAL or is_unclear(judgement)):
        return Choice(Action.CLARIFY, judgement.reason)
    if search.action is Action.ABSTAIN and recommended is Action.ANSWER:
        if all(step.passage_ids == found for step in path):
            return Choice(Action.ANSWER, judgement.reason)
        return Choice(Action.ABSTAIN, f"{judgement.reason}, but not surely enough after another search")
    return search


def feasible(judgement: Judgement, allowed_actions: frozenset[Action]) -> Judgement:
    """The judgement, with ABSTAIN instead of EXTERNAL if no outside source is configured.

    >>> judgement = Judgement(0.1, Action.EXTERNAL, "the passages do not bear on it")
    >>> found = feasible(judgement, frozenset({Action.ABSTAIN}))
    >>> found.recommendation.value, found.reason
    ('ABSTAIN', 'the passages do not bear on it; no outside source is configured')
    """
    if judgement.recommendation is not Action.EXTERNAL or Action.EXTERNAL in allowed_actions:
        return judgement
    reason = f"{judgement.reason}; no outside source is configured"
    return replace(judgement, recommendation=Action.ABSTAIN, reason=reason)


def _is_sure(judgement: Judgement, search_utility: SearchUtility) -> bool:
    """True if a recommended answer needs no further search; if nothing was measured, the judge decides."""
    return judgement.sufficiency is None or judgement.sufficiency >= search_utility.answer_threshold


def is_unclear(judgement: Judgement) -> bool:
    """True if the question is so ambiguous that no search could settle what is meant."""
    return judgement.ambiguity is not None and judgement.ambiguity >= _UNCLEAR


def _next_search(
    judgement: Judgement,
    found: frozenset[str],
    path: Sequence[Step],
    limits: Limits,
    allowed_actions: frozenset[Action],
    search_utility: SearchUtility,
) -> Choice:
    """The search with the highest utility; ABSTAIN, with the reason, if there is none."""
    if len(path) + 1 >= limits.rounds:
        return Choice(Action.ABSTAIN, f"{judgement.reason}; no search round is left")
    left = allowed_actions - _exhausted(found, path)
    searches = [action for action in SEARCHING if action in left]
    if not searches:
        return Choice(Action.ABSTAIN, f"{judgement.reason}; no search is left that could bring more")
    values = {action: search_utility.of(action, judgement.triage, _count(action, path)) for action in searches}
    best = max(searches, key=lambda action: values[action])
    if values[best] > 0:
        return Choice(best, f"{judgement.reason}; searching again is worth {values[best]:.2f}")
    return Choice(Action.ABSTAIN, f"{judgement.reason}; no search is worth its cost")


def _exhausted(found: frozenset[str], path: Sequence[Step]) -> frozenset[Action]:
    """The searches that can bring nothing new.

    These are the ones after which the passages were the same as before, and EXTERNAL once it was made: its queries
    follow from the question alone, so they would be the same.
    """
    after = (*(step.passage_ids for step in path), found)[1:]
    in_vain = {step.action for step, ids in zip(path, after, strict=True) if ids == step.passage_ids}
    return frozenset(in_vain | ({Action.EXTERNAL} & {step.action for step in path}))


def _count(action: Action, path: Sequence[Step]) -> int:
    return sum(step.action is action for step in path)


# Repairs that call a search or a model, and so are counted; and all repairs of one sentence, smallest first.
REQUESTING = (RepairKind.FETCH, RepairKind.REWRITE)
# The repairs that are left at the limit: to mark what is not supported, or to leave it out.
LAST = (RepairKind.HEDGE, RepairKind.DROP)
LADDER = (RepairKind.RE_CITE, RepairKind.CORRECT, *REQUESTING, *LAST)


def next_repair(
    review: Review,
    tried: Sequence[RepairKind],
    requests: int,
    limits: Limits,
    allowed_repairs: frozenset[RepairKind],
) -> RepairKind | None:
    """The smallest repair that may fix a reviewed sentence; None if nothing is wrong or nothing is left.

    `tried` are the repairs that did not improve this very sentence, `requests` counts those of `REQUESTING` that
    were made for the whole answer, which `limits.repairs` bounds.

    >>> from assay.types import Claim, Check, Finding, Severity, Verdict
    >>> claim = Claim(1, "It opened in 1931.", 0, 18, ("p7",), Verdict.CONTRADICTED, 0.4)
    >>> wrong = Check("dates", Status.FAILED, Severity.BLOCK, 1, "the source says 1932", expected="1932")
    >>> finding = Finding("dates", 1, Severity.BLOCK, "the source says 1932", "use the source's date")
    >>> review, allowed_repairs = Review((claim,), (wrong,), (finding,)), frozenset(LADDER)
    >>> past = [[], LADDER[:1], LADDER[:2], LADDER[:4]]
    >>> [next_repair(review, tried, 0, Limits(), allowed_repairs).value for tried in past]
    ['re-cited', 'corrected', 'rewritten', 'dropped']
    """
    if not any(finding.severity in (Severity.BLOCK, Severity.REPAIR) for finding in review.findings):
        return None
    left = [kind for kind in LADDER if kind in allowed_repairs and kind not in tried]
    if requests >= limits.repairs:
        left = [kind for kind in left if kind not in REQUESTING]
    return next((kind for kind in left if _may_help(kind, review, allowed_repairs)), None)


def _may_help(kind: RepairKind, review: Review, allowed_repairs: frozenset[RepairKind]) -> bool:
    verdicts = {claim.verdict for claim in review.claims}
    blocked = any(finding.severity is Severity.BLOCK for finding in review.findings)
    failed = bool(verdicts & {Verdict.UNSUPPORTED, Verdict.CONTRADICTED})
    match kind:
        case RepairKind.CORRECT:  # the value of an unsupported claim may be wrong although no check says so
            unsettled = bool(verdicts - {Verdict.SUPPORTED})
            return unsettled or any(_says_otherwise(check) for check in review.checks)
        case RepairKind.FETCH:  # what the evidence contradicts needs no more evidence
            return bool(verdicts & {Verdict.UNSUPPORTED, Verdict.UNKNOWN})
        case RepairKind.HEDGE:  # what plainly failed is dropped, if it may be
            return blocked and not (failed and RepairKind.DROP in allowed_repairs)
        case RepairKind.DROP:  # what is only unsupported is marked, if it may be
            return blocked and (failed or RepairKind.HEDGE not in allowed_repairs)
        case _:
            return True


def _says_otherwise(check: Check) -> bool:
    """True if a check that did not pass gives the value of the source, or finds a value that it lacks."""
    if check.status is Status.FAILED and check.kind is FindingKind.NEGATION:
        return True
    missed = check.expected is not None or check.name in VALUE_CHECKS
    return check.status in (Status.FAILED, Status.UNKNOWN) and missed


@dataclass(frozen=True, slots=True)
class Redraft:
    """The decision on another draft; `refusal` says why a wanted draft cannot be written."""

    is_wanted: bool
    refusal: str = ""


def redraft(
    review: Review,
    assessment: Assessment | None,
    drafts: int,
    requests: int,
    limits: Limits,
    allowed_repairs: frozenset[RepairKind],
) -> Redraft:
    """Decide whether an answer is to be written again.

    It is if its structure fails, which is what a finding of no single claim means, or if a model assessed it below
    the quality threshold. For its structure as many drafts are written again as `limits.repairs` allows, whatever
    the repairs of sentences took; a weak answer shares their allowance, of which `requests` are used. A refusal is
    given only for a failed structure that a model wrote.

    >>> from assay.types import Finding
    >>> review = Review((), (), (Finding("rule:short", None, Severity.REPAIR, "too long", "say less"),))
    >>> by_model = frozenset({RepairKind.EDIT, RepairKind.REGENERATE})
    >>> redraft(review, None, 1, 9, Limits(repairs=1), by_model)
    Redraft(is_wanted=True, refusal='')
    >>> redraft(review, None, 2, 0, Limits(repairs=1), by_model).refusal
    'the limit of 2 drafts is reached'
    """
    structural = any(
        finding.claim is None and finding.severity in (Severity.BLOCK, Severity.REPAIR)
        for finding in review.findings
    )
    weak = assessment is not None and assessment.judged and assessment.passed is False
    if RepairKind.REGENERATE not in allowed_repairs:
        by_model = RepairKind.EDIT in allowed_repairs
        return Redraft(False, "this profile writes one draft" if structural and by_model else "")
    if structural and drafts > limits.repairs:
        most = limits.repairs + 1
        return Redraft(False, f"the limit of {most} draft{'s' * (most > 1)} is reached")
    return Redraft(structural or (weak and requests < limits.repairs))


def is_better_whole(
    after: Review, assessed_after: Assessment | None, before: Review, assessed_before: Assessment | None
) -> bool:
    """True if an answer written again is better: less is wrong, or as much and it is assessed higher."""
    if after.claims and _wrong(after)[:3] != _wrong(before)[:3]:
        return _wrong(after)[:3] < _wrong(before)[:3]
    return bool(after.claims) and _overall(assessed_after) > _overall(assessed_before)


def _overall(assessment: Assessment | None) -> float:
    return 0.0 if assessment is None or assessment.overall is None else assessment.overall


def is_better(after: Review, before: Review) -> bool:
    """True if a repair is to be kept: nothing that passed fails now, and less is wrong.

    Blocking failures count first, then unsupported claims, then warnings; of two equal reviews the one with more
    supported claims is better.
    """
    return not _breaks(after, before) and _wrong(after) < _wrong(before)


def stands(after: Review, before: Review) -> bool:
    """True if a weighed repair is to be kept: nothing that passed fails now, and no claim fails."""
    failed = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
    return not _breaks(after, before) and not any(claim.verdict in failed for claim in after.claims)


def _breaks(after: Review, before: Review) -> bool:
    passed = {claim.text for claim in before.claims if claim.verdict is Verdict.SUPPORTED}
    failing = {claim.text for claim in after.claims if claim.verdict is not Verdict.SUPPORTED}
    return bool(passed & failing) or supported_claims(after) < supported_claims(before)


def _wrong(review: Review) -> tuple[int, int, int, int]:
    open_checks = [check for check in review.checks if check.status in (Status.FAILED, Status.UNKNOWN)]
    blocking = sum(check.severity is Severity.BLOCK for check in open_checks)
    unsupported = len(review.claims) - supported_claims(review)
    return (blocking, unsupported, len(open_checks) - blocking, -supported_claims(review))


def supported_claims(review: Review) -> int:
    """The number of claims that the evidence supports."""
    return sum(claim.verdict is Verdict.SUPPORTED for claim in review.claims)
