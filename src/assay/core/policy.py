"""What to do next, decided purely: values in, an action out, nothing read and nothing changed."""

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

# The ambiguity that a pronoun which stands for nothing has by itself.
_UNCLEAR = 0.85


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, and why in one sentence."""

    action: Action
    reason: str


def next_action(
    judgement: Judgement,
    found: frozenset[str],
    path: Sequence[Step],
    limits: Limits,
    allowed_actions: frozenset[Action],
    worth: SearchUtility,
) -> Choice:
    """The action to take on a judgement of the passages `found` (their ids), after the steps already taken.

    ANSWER holds where it is recommended, can be carried out, and the evidence is sure enough (`Worth.sure`).
    Otherwise the search that is worth most is taken, if any is worth more than it costs, a round is left, and it
    did not bring nothing before. Where no search is, an answer that is not sure holds as long as no search has
    changed the evidence, for each further search is one more chance to be taken in. CLARIFY holds where it is
    recommended, once nothing outside is left that could settle what is meant. ABSTAIN is always possible.

    >>> from assay.types import Triage
    >>> judgement = Judgement(0.4, Action.REFINE, "one aspect is missing", triage=Triage.AMBIGUOUS)
    >>> worth = SearchUtility({(Action.REFINE, Triage.AMBIGUOUS): 0.2})
    >>> allowed_actions = frozenset({Action.ANSWER, Action.REFINE})
    >>> next_action(judgement, frozenset(), (), Limits(rounds=2), allowed_actions, worth).action.value
    'REFINE'
    >>> next_action(judgement, frozenset(), (), Limits(rounds=1), allowed_actions, worth)
    Choice(action=<Action.ABSTAIN: 'ABSTAIN'>, reason='one aspect is missing; no search round is left')
    """
    recommended = judgement.recommendation if judgement.recommendation in allowed_actions else None
    if recommended is Action.ANSWER and _is_sure(judgement, worth):
        return Choice(Action.ANSWER, judgement.reason)
    search = _next_search(judgement, found, path, limits, allowed_actions, worth)
    if recommended is Action.CLARIFY and (search.action is not Action.EXTERNAL or is_unclear(judgement)):
        return Choice(Action.CLARIFY, judgement.reason)
    if search.action is Action.ABSTAIN and recommended is Action.ANSWER:
        if all(step.passage_ids == found for step in path):
            return Choice(Action.ANSWER, judgement.reason)
        return Choice(Action.ABSTAIN, f"{judgement.reason}, but not surely enough after another search")
    return search


def feasible(judgement: Judgement, allowed_actions: frozenset[Action]) -> Judgement:
    """The judgement, which recommends to search outside only where an outside source is configured.

    >>> judgement = Judgement(0.1, Action.EXTERNAL, "the passages do not bear on it")
    >>> found = feasible(judgement, frozenset({Action.ABSTAIN}))
    >>> found.recommendation.value, found.reason
    ('ABSTAIN', 'the passages do not bear on it; no outside source is configured')
    """
    if judgement.recommendation is not Action.EXTERNAL or Action.EXTERNAL in allowed_actions:
        return judgement
    reason = f"{judgement.reason}; no outside source is configured"
    return replace(judgement, recommendation=Action.ABSTAIN, reason=reason)


def _is_sure(judgement: Judgement, worth: SearchUtility) -> bool:
    """Whether a recommended answer needs no further search; where nothing was measured the judge's word holds."""
    return judgement.sufficiency is None or judgement.sufficiency >= worth.sure


def is_unclear(judgement: Judgement) -> bool:
    """Whether it is so plain that the question must be asked back that no search could settle what is meant."""
    return judgement.ambiguity is not None and judgement.ambiguity >= _UNCLEAR


def _next_search(
    judgement: Judgement,
    found: frozenset[str],
    path: Sequence[Step],
    limits: Limits,
    allowed_actions: frozenset[Action],
    worth: SearchUtility,
) -> Choice:
    """The search that is worth most; ABSTAIN, and why, where none is to be made."""
    if len(path) + 1 >= limits.rounds:
        return Choice(Action.ABSTAIN, f"{judgement.reason}; no search round is left")
    open_to = [each for each in SEARCHING if each in allowed_actions and each not in _exhausted(found, path)]
    if not open_to:
        return Choice(Action.ABSTAIN, f"{judgement.reason}; no search is left that could bring more")
    values = {each: worth.of(each, judgement.triage, _taken(each, path)) for each in open_to}
    best = max(open_to, key=lambda each: values[each])
    if values[best] > 0:
        return Choice(best, f"{judgement.reason}; searching again is worth {values[best]:.2f}")
    return Choice(Action.ABSTAIN, f"{judgement.reason}; no search is worth its cost")


def _exhausted(found: frozenset[str], path: Sequence[Step]) -> frozenset[Action]:
    """The searches that can bring no more.

    Those after which the passages were the same as before: the loop was in that state already. And EXTERNAL once it
    was made: its queries follow from the question alone, so they would be the same.
    """
    after = (*(step.passage_ids for step in path), found)[1:]
    in_vain = {step.action for step, ids in zip(path, after, strict=True) if ids == step.passage_ids}
    return frozenset(in_vain | ({Action.EXTERNAL} & {step.action for step in path}))


def _taken(action: Action, path: Sequence[Step]) -> int:
    return sum(step.action is action for step in path)


# Repairs that ask a search or a model, and so are counted; and all repairs of one sentence, smallest first.
ASKING = (RepairKind.FETCH, RepairKind.REWRITE)
# What is left at the limit: to say that something is not borne out, or to leave it out.
LAST = (RepairKind.HEDGE, RepairKind.DROP)
LADDER = (RepairKind.RE_CITE, RepairKind.CORRECT, *ASKING, *LAST)


def next_repair(
    review: Review, tried: Sequence[RepairKind], asked: int, limits: Limits, allowed_actions: frozenset[RepairKind]
) -> RepairKind | None:
    """The smallest repair that may mend a reviewed sentence; None where nothing is wrong or nothing is left.

    `tried` are the repairs that did not better this very sentence, `asked` counts those of `ASKING` that were made
    for the whole answer, which `limits.repairs` bounds.

    >>> from assay.types import Claim, Check, Finding, Severity, Verdict
    >>> claim = Claim(1, "It opened in 1931.", 0, 18, ("p7",), Verdict.CONTRADICTED, 0.4)
    >>> wrong = Check("dates", Status.FAILED, Severity.BLOCK, 1, "the source says 1932", expected="1932")
    >>> finding = Finding("dates", 1, Severity.BLOCK, "the source says 1932", "use the source's date")
    >>> review, allowed_actions = Review((claim,), (wrong,), (finding,)), frozenset(LADDER)
    >>> past = [[], LADDER[:1], LADDER[:2], LADDER[:4]]
    >>> [next_repair(review, tried, 0, Limits(), allowed_actions).value for tried in past]
    ['re-cited', 'corrected', 'rewritten', 'dropped']
    """
    if not any(each.severity in (Severity.BLOCK, Severity.REPAIR) for each in review.findings):
        return None
    left = [kind for kind in LADDER if kind in allowed_actions and kind not in tried]
    if asked >= limits.repairs:
        left = [kind for kind in left if kind not in ASKING]
    return next((kind for kind in left if _may_help(kind, review, allowed_actions)), None)


def _may_help(kind: RepairKind, review: Review, allowed_actions: frozenset[RepairKind]) -> bool:
    verdicts = {claim.verdict for claim in review.claims}
    blocked = any(each.severity is Severity.BLOCK for each in review.findings)
    failed = bool(verdicts & {Verdict.UNSUPPORTED, Verdict.CONTRADICTED})
    match kind:
        case RepairKind.CORRECT:  # the value of a claim that is not borne out may be wrong and no check tell of it
            unsettled = bool(verdicts - {Verdict.SUPPORTED})
            return unsettled or any(_says_otherwise(check) for check in review.checks)
        case RepairKind.FETCH:  # what the evidence contradicts needs no more evidence
            return bool(verdicts & {Verdict.UNSUPPORTED, Verdict.UNKNOWN})
        case RepairKind.HEDGE:  # what plainly failed is dropped, where it may be
            return blocked and not (failed and RepairKind.DROP in allowed_actions)
        case RepairKind.DROP:  # what only could not be borne out is marked, where it may be
            return blocked and (failed or RepairKind.HEDGE not in allowed_actions)
        case _:
            return True


def _says_otherwise(check: Check) -> bool:
    """Whether a check that did not pass tells what the source has instead, or finds a value that it has not."""
    if check.status is Status.FAILED and check.kind is FindingKind.NEGATION:
        return True
    missed = check.expected is not None or check.name in VALUE_CHECKS
    return check.status in (Status.FAILED, Status.UNKNOWN) and missed


def next_whole_repair(
    review: Review,
    assessment: Assessment | None,
    tried: Sequence[RepairKind],
    asked: int,
    limits: Limits,
    allowed_actions: frozenset[RepairKind],
) -> RepairKind | None:
    """What may better an answer as a whole: edits of its style, then writing it again; None where nothing is left.

    It is written again only where its structure fails, which is what a finding of no single claim is, or where a
    model assessed it below the bar. That counts as one of `ASKING`.
    """
    structural = any(
        each.claim is None and each.severity in (Severity.BLOCK, Severity.REPAIR) for each in review.findings
    )
    weak = assessment is not None and assessment.judged and assessment.passed is False
    if structural and RepairKind.EDIT in allowed_actions and RepairKind.EDIT not in tried:
        return RepairKind.EDIT
    again = (
        RepairKind.REGENERATE in allowed_actions and RepairKind.REGENERATE not in tried and asked < limits.repairs
    )
    return RepairKind.REGENERATE if (structural or weak) and again else None


def is_better_whole(
    after: Review, assessed_after: Assessment | None, before: Review, assessed_before: Assessment | None
) -> bool:
    """Whether an answer written again is better: less is wrong, and where nothing is, it is assessed higher."""
    if after.claims and _wrong(after)[:3] != _wrong(before)[:3]:
        return _wrong(after)[:3] < _wrong(before)[:3]
    return bool(after.claims) and _overall(assessed_after) > _overall(assessed_before)


def _overall(assessment: Assessment | None) -> float:
    return 0.0 if assessment is None or assessment.overall is None else assessment.overall


def is_better(after: Review, before: Review) -> bool:
    """Whether a repair is to be kept: nothing that passed fails now, and less is wrong.

    What is wrong is ordered by blocking failures, then claims that are not borne out, then warnings; of two that
    are alike there, the one with more claims borne out is better.
    """
    return not _breaks(after, before) and _wrong(after) < _wrong(before)


def stands(after: Review, before: Review) -> bool:
    """Whether a repair that was weighed is to be kept: nothing that passed fails now, and no claim fails."""
    failed = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
    return not _breaks(after, before) and not any(claim.verdict in failed for claim in after.claims)


def _breaks(after: Review, before: Review) -> bool:
    passed = {claim.text for claim in before.claims if claim.verdict is Verdict.SUPPORTED}
    failing = {claim.text for claim in after.claims if claim.verdict is not Verdict.SUPPORTED}
    return bool(passed & failing) or borne_out(after) < borne_out(before)


def _wrong(review: Review) -> tuple[int, int, int, int]:
    open_checks = [each for each in review.checks if each.status in (Status.FAILED, Status.UNKNOWN)]
    blocking = sum(each.severity is Severity.BLOCK for each in open_checks)
    not_borne_out = len(review.claims) - borne_out(review)
    return (blocking, not_borne_out, len(open_checks) - blocking, -borne_out(review))


def borne_out(review: Review) -> int:
    """How many claims the evidence bears out."""
    return sum(claim.verdict is Verdict.SUPPORTED for claim in review.claims)
