"""Test an answer as a whole: its output rules and its criteria, and the edits of style that the rules ask for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from assay.errors import BudgetSpent, ProviderError
from assay.mend import Written, compose, with_history
from assay.policy import is_better, is_better_whole, next_whole_repair
from assay.stages import Stages
from assay.types import (
    Assessment,
    ClaimEvent,
    Draft,
    Edit,
    Finding,
    Limits,
    Question,
    Repair,
    RepairKind,
    Review,
    Sentence,
)

# Writes another draft, whose sentences are numbered behind so many, by this advice.
Write = Callable[[int, tuple[Finding, ...]], Awaitable[Written]]


@dataclass(frozen=True, slots=True)
class Whole:
    """A draft that was tested sentence by sentence and as a whole; `assessment` is None where that is off."""

    written: Written
    assessment: Assessment | None = None

    @property
    def review(self) -> Review:
        """All that testing it gave."""
        return self.written.review


async def tested(question: Question, written: Written, on: Stages) -> Whole:
    """The draft with the checks of the whole: what no single sentence shows."""
    draft, evidence = written.draft, written.evidence
    review = on.verifier.conclude(question, draft, written.review)
    if on.rules is not None:
        checks = await on.rules.examine(question, evidence, draft.text)
        review = review.with_checks(checks, on.rules.findings(question, checks))
    assessment = None
    if on.assessor is not None:
        assessment = await on.assessor.assess(question, evidence, draft, review)
    return Whole(replace(written, review=review), assessment)


async def bettered(question: Question, best: Whole, on: Stages, limits: Limits, write: Write) -> Whole:
    """The answer edited, or written again with advice, while that is called for; the best is kept, not the last."""
    tried: tuple[RepairKind, ...] = ()
    while kind := next_whole_repair(best.review, best.assessment, tried, best.written.asked, limits, on.mends):
        tried = (*tried, kind)
        if kind is RepairKind.EDIT:
            best = await edited(question, best, on)
            continue
        try:
            after = await _written_again(question, best, on, write)
        except (ProviderError, BudgetSpent) as error:  # there is an answer already
            note = f"the answer was not written again: {error}"
            return replace(best, written=replace(best.written, notes=(*best.written.notes, note)))
        if is_better_whole(after.review, after.assessment, best.review, best.assessment):
            best, tried = after, ()
        else:
            best = replace(
                best, written=replace(best.written, drafts=after.written.drafts, asked=after.written.asked)
            )
    return best


async def _written_again(question: Question, before: Whole, on: Stages, write: Write) -> Whole:
    """Another draft, whose writer was told what was wrong with the one before."""
    findings = before.review.findings
    if before.assessment is not None and on.assessor is not None:
        findings = on.assessor.advise(before.assessment, findings)
    old = before.written
    draft = await write(old.seen, findings)
    reason = findings[0].message if findings else "it was assessed as weak"
    made = Repair(RepairKind.REGENERATE, old.draft.text, draft.draft.text, reason)
    return await tested(
        question,
        replace(
            draft,
            seen=old.seen + draft.seen,
            drafts=old.drafts + 1,
            asked=old.asked + draft.asked + 1,
            repairs=(*old.repairs, made, *draft.repairs),
        ),
        on,
    )


async def edited(question: Question, before: Whole, on: Stages) -> Whole:
    """The answer with its style edited as the rules ask; as it was where an edit would make anything worse."""
    written = before.written
    draft = written.draft
    edits = () if on.rules is None else on.rules.edits(question, draft.text, before.review.checks)
    changed = _with_edits(written.sentences, draft, edits)
    sentences = tuple(each for each in changed if each.text.strip())
    if sentences == written.sentences or not sentences:
        return before
    review = await on.verifier.review(question, written.evidence, compose(sentences))
    made = tuple(
        Repair(RepairKind.EDIT, old.text.strip(), new.text.strip(), edits[0].reason)
        for old, new in zip(written.sentences, changed, strict=True)
        if old.text.strip() != new.text.strip()
    )
    event = ClaimEvent(RepairKind.EDIT.value, "rules", edits[0].reason)
    review = replace(review, claims=with_history(review.claims, written.review.claims, event))
    after = await tested(
        question, replace(written, sentences=sentences, review=review, repairs=written.repairs + made), on
    )
    return after if is_better(after.review, before.review) else before


def _with_edits(sentences: tuple[Sentence, ...], draft: Draft, edits: tuple[Edit, ...]) -> tuple[Sentence, ...]:
    """The sentences with the edits that lie inside one of them, or between two: what lies across is left.

    A sentence that an edit takes out has no text left.
    """
    found = list(sentences)
    for edit in sorted(edits, key=lambda each: each.start, reverse=True):
        for n, (sentence, span) in enumerate(zip(sentences, draft.spans, strict=True)):
            start, end = edit.start - span.start, edit.end - span.start
            if 0 <= start <= end <= len(sentence.text):
                text = found[n].text
                found[n] = replace(found[n], text=text[:start] + edit.replacement + text[end:])
            elif n and draft.spans[n - 1].end <= edit.start and end == 0 and not edit.replacement.strip():
                found[n] = replace(found[n], text=edit.replacement + found[n].text.lstrip())
    return tuple(found)
