"""Test a sentence and repair it if it fails: smallest repair first, kept only if nothing gets worse."""

from __future__ import annotations

from dataclasses import replace

from assay.core.draft import RepairedSentence, compose, is_row, with_event, with_history
from assay.core.policy import LAST, REQUESTING, is_better, next_repair, stands, supported_claims
from assay.core.stages import Stages
from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError
from assay.nlp.citations import HEDGE_MARK, citations, invalid
from assay.types import (
    Candidate,
    Check,
    Claim,
    ClaimEvent,
    Evidence,
    Finding,
    Limits,
    Question,
    Repair,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)

# Repairs that must leave the sentence supported: one wrong value for another repairs nothing.
_SETTLING = (RepairKind.CORRECT, RepairKind.REWRITE)
# Repairs that may leave as much wrong as before: tried once, or repairing might never end.
_ONCE = (RepairKind.CORRECT,)
_ENDS = " .,;!?…"


async def repair_sentence(
    sentence: Sentence,
    before: tuple[Sentence, ...],
    question: Question,
    evidence: Evidence,
    stages: Stages,
    limits: Limits,
    requests: int = 0,
    *,
    is_late: bool = False,
) -> RepairedSentence:
    """Repair a sentence as the policy asks; `requests` repairs of this answer called a search or a model before.

    Each candidate is tested like a new sentence, and the best is kept. A kept repair leaves less wrong than before
    or is made once, and one that improved nothing is not tried again on the same sentence, so this ends. Past the
    deadline, or if `is_late` already, what was not tested is unknown, and marked or dropped.
    """
    best = await _review_or_unknown(sentence, before, question, evidence, stages, is_late=is_late)
    allowed_repairs = stages.allowed_repairs
    tried: tuple[RepairKind, ...] = ()
    while best.sentence is not None:
        allowed_repairs &= frozenset(LAST) if best.is_late else allowed_repairs
        kind = next_repair(best.review, tried, requests + best.requests, limits, allowed_repairs)
        if kind is None:
            break
        best = replace(best, requests=best.requests + (kind in REQUESTING))
        try:
            after = await _try_repair(kind, best, before, question, stages)
        except (BudgetSpent, ProviderError) as error:
            best, allowed_repairs = _note_failure(kind, error, best), allowed_repairs - {kind}
            continue
        accepted = after is not None and kind is not RepairKind.HEDGE
        tried = (() if kind not in _ONCE else (kind,)) if accepted else (*tried, kind)
        best = after or best
    return best


def _note_failure(kind: RepairKind, error: AssayError, best: RepairedSentence) -> RepairedSentence:
    """Keep the sentence and note why a repair could not be made; cheaper repairs stay possible."""
    note = f"an unsupported sentence was not {kind.value}: {error}"
    notes = best.notes if isinstance(error, BudgetSpent) else (*best.notes, note)
    return replace(best, notes=notes, is_late=best.is_late or isinstance(error, DeadlinePassed))


async def _review_or_unknown(
    sentence: Sentence,
    before: tuple[Sentence, ...],
    question: Question,
    evidence: Evidence,
    stages: Stages,
    *,
    is_late: bool,
) -> RepairedSentence:
    """Test the sentence; if no test could run, its review holds one unknown claim."""
    cause = "deadline"
    if not is_late:
        try:
            review = await _review(sentence, before, question, evidence, stages)
            return RepairedSentence(sentence, evidence, review)
        except (BudgetSpent, ProviderError) as error:
            is_late, cause = isinstance(error, DeadlinePassed), cause_of(error)
    return RepairedSentence(sentence, evidence, _unknown_review(sentence, before, cause), is_late=is_late)


def cause_of(error: BudgetSpent | ProviderError) -> str:
    """Name the cause for which a test could not run."""
    if isinstance(error, DeadlinePassed):
        return f"deadline: {error}"
    return f"budget: {error}" if isinstance(error, BudgetSpent) else str(error)


def _unknown_review(sentence: Sentence, before: tuple[Sentence, ...], cause: str) -> Review:
    """The review of a sentence that could not be tested: one claim, unknown."""
    draft = compose((*before, sentence))
    text, span = draft.text, draft.spans[-1]
    words = sentence.text.strip()
    start = text.index(words, span.start)
    history = (ClaimEvent("proposed", "writer", ""), ClaimEvent(Verdict.UNKNOWN.value, "nobody", cause))
    claim = Claim(1, words, start, start + len(words), sentence.passage_ids, Verdict.UNKNOWN, None, history=history)
    check = Check("support", Status.UNKNOWN, Severity.BLOCK, 1, cause, Span(claim.start, claim.end))
    advice = "test it when there is time, or see its sources yourself"
    finding = Finding("support", 1, Severity.BLOCK, cause, advice)
    marks = tuple(mark for mark in citations(text) if mark.start >= span.start)
    wrong = tuple(text[mark.start : mark.end] for mark in invalid(marks, len(draft.sources)))
    return Review((claim,), (check,), (finding,), marks, wrong)


async def _review(
    sentence: Sentence, before: tuple[Sentence, ...], question: Question, evidence: Evidence, stages: Stages
) -> Review:
    """Review the sentence. Raises DeadlinePassed, BudgetSpent and what a provider raises."""
    async with stages.in_time():
        return await stages.verifier.review(question, evidence, compose((*before, sentence)), after=len(before))


async def _try_repair(
    kind: RepairKind, best: RepairedSentence, before: tuple[Sentence, ...], question: Question, stages: Stages
) -> RepairedSentence | None:
    """Try one kind of repair on the sentence; None if it gives nothing, or nothing better."""
    assert best.sentence is not None  # noqa: S101 - a dropped sentence is not repaired
    begins = compose((*before, best.sentence)).spans[-1].start
    async with stages.in_time():
        candidate = await stages.repairer.repair(kind, question, best.evidence, best.sentence, best.review, begins)
    if candidate is None or candidate.sentence == best.sentence:
        return None
    if candidate.sentence is None:
        return _accept(kind, candidate, best, Review((), (), ()), before)
    if kind is RepairKind.HEDGE:  # a mark behind a sentence claims nothing
        return _accept(kind, candidate, best, _review_with_hedge(best), before)
    review = await _review(candidate.sentence, before, question, candidate.evidence, stages)
    settles = kind not in _SETTLING or supported_claims(review) > supported_claims(best.review)
    better = stands(review, best.review) if candidate.weighed else is_better(review, best.review) and settles
    return _accept(kind, candidate, best, review, before) if kind in LAST or better else None


def _review_with_hedge(best: RepairedSentence) -> Review:
    """The review of a marked sentence; a table row has the mark in its last cell, so its claims end later."""
    assert best.sentence is not None  # noqa: S101 - a dropped sentence is not marked
    if not is_row(best.sentence):
        return best.review
    longer, ends = len(HEDGE_MARK) + 1, {claim.end for claim in best.review.claims}
    claims = tuple(replace(claim, end=claim.end + longer) for claim in best.review.claims)
    checks = tuple(
        replace(check, answer_span=Span(check.answer_span.start, check.answer_span.end + longer))
        if check.answer_span and check.answer_span.end in ends
        else check
        for check in best.review.checks
    )
    return replace(best.review, claims=claims, checks=checks)


def _accept(
    kind: RepairKind, candidate: Candidate, best: RepairedSentence, review: Review, before: tuple[Sentence, ...]
) -> RepairedSentence:
    """The candidate as the new best, with the change on record."""
    repair = Repair(kind, _text(best.sentence, before), _text(candidate.sentence, before), candidate.reason)
    event = ClaimEvent(kind.value, candidate.by, candidate.reason)
    claims = with_history(review.claims, best.review.claims, event)
    is_drop = kind is RepairKind.DROP
    removed = [claim for claim in best.review.claims if is_drop and not _is_left(claim, review)]
    return replace(
        best,
        sentence=candidate.sentence,
        evidence=candidate.evidence,
        review=replace(review, claims=_hedged(claims, event) if kind is RepairKind.HEDGE else claims),
        repairs=(*best.repairs, repair),
        versions=(*best.versions, candidate.sentence),
        dropped=best.dropped + tuple(with_event(claim, event) for claim in removed),
    )


def _is_left(claim: Claim, review: Review) -> bool:
    """True if a claim is still made, as it was or as a sentence of its own with a capital and a full stop."""
    words = claim.text.casefold().rstrip(_ENDS)
    return any(words.endswith(other.text.casefold().rstrip(_ENDS)) for other in review.claims)


def _hedged(claims: tuple[Claim, ...], event: ClaimEvent) -> tuple[Claim, ...]:
    return tuple(claim if claim.verdict is Verdict.SUPPORTED else with_event(claim, event) for claim in claims)


def _text(sentence: Sentence | None, before: tuple[Sentence, ...]) -> str:
    """The sentence with its marks, numbered as they follow on those before it."""
    if sentence is None:
        return ""
    draft = compose((*before, sentence))
    return draft.text[draft.spans[-1].start :].strip()
