"""Test an answer as a whole: its output rules and its criteria, and the edits of style that the rules ask for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError, too_late
from assay.mend import Written, cause_of, compose, with_history
from assay.policy import is_better, is_better_whole, next_whole_repair
from assay.stages import Rules, Stages
from assay.types import (
    Assessment,
    Check,
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
    Severity,
    Status,
)

_DONE = {RepairKind.EDIT: "edited", RepairKind.REGENERATE: "written again"}
# Writes another draft, whose sentences are numbered behind so many, by this advice.
Write = Callable[[int, tuple[Finding, ...]], Awaitable[Written]]


@dataclass(frozen=True, slots=True)
class Whole:
    """A draft that was tested sentence by sentence and as a whole.

    `assessment` is None where that is off, or could not be made.
    """

    written: Written
    assessment: Assessment | None = None

    @property
    def review(self) -> Review:
        """All that testing it gave."""
        return self.written.review


async def tested(question: Question, written: Written, on: Stages) -> Whole:
    """The draft with the checks of the whole: what no single sentence shows; what could not be made is unknown."""
    review = on.verifier.conclude(question, written.draft, written.review)
    written = await _examined(question, replace(written, review=review), on)
    return await _assessed(question, written, on)


async def _examined(question: Question, written: Written, on: Stages) -> Written:
    """The draft with the checks of the output rules; where they could not be made, with one that is unknown."""
    if on.rules is None:
        return written
    try:
        async with on.in_time():
            checks = await on.rules.examine(question, written.evidence, written.draft.text)
        findings = on.rules.findings(question, checks)
    except (BudgetSpent, ProviderError) as error:
        checks = (Check("rules", Status.UNKNOWN, Severity.BLOCK, None, cause_of(error)),)
        advice = "see yourself whether the answer keeps the output rules"
        findings = (Finding("rules", None, Severity.BLOCK, cause_of(error), advice),)
        written = _ended(written, error)
    return replace(written, review=written.review.with_checks(checks, findings))


async def _assessed(question: Question, written: Written, on: Stages) -> Whole:
    """The draft with its assessment, without one where that could not be made; nobody is asked when it is late."""
    if on.assessor is None or written.late:
        return Whole(written)
    try:
        async with on.in_time():
            assessed = await on.assessor.assess(question, written.evidence, written.draft, written.review)
    except (BudgetSpent, ProviderError) as error:
        note = f"the answer was not assessed: {error}"
        return Whole(_ended(replace(written, notes=(*written.notes, note)), error))
    return Whole(written, assessed)


def _ended(written: Written, error: AssayError) -> Written:
    return replace(written, late=written.late or isinstance(error, DeadlinePassed))


async def bettered(question: Question, best: Whole, on: Stages, limits: Limits, write: Write) -> Whole:
    """The answer edited, or written again with advice, while that is called for; the best is kept, not the last."""
    tried: tuple[RepairKind, ...] = ()
    while kind := next_whole_repair(best.review, best.assessment, tried, best.written.asked, limits, on.mends):
        tried = (*tried, kind)
        try:
            if kind is RepairKind.EDIT:
                best = await edited(question, best, on)
                continue
            after = await _written_again(question, best, on, limits, write)
        except (ProviderError, BudgetSpent) as error:  # there is an answer already
            note = f"the answer was not {_DONE[kind]}: {error}"
            return replace(best, written=replace(best.written, notes=(*best.written.notes, note)))
        if is_better_whole(after.review, after.assessment, best.review, best.assessment):
            best, tried = after, ()
        else:
            best = replace(
                best, written=replace(best.written, drafts=after.written.drafts, asked=after.written.asked)
            )
    return best


async def _written_again(question: Question, before: Whole, on: Stages, limits: Limits, write: Write) -> Whole:
    """Another draft, whose writer was told what was wrong with the one before. Raises DeadlinePassed."""
    findings = before.review.findings
    if before.assessment is not None and on.assessor is not None:
        findings = on.assessor.advise(before.assessment, findings)
    old = before.written
    draft = await write(old.seen, findings)
    if draft.late:  # what was not tested to its end is not compared
        raise too_late(limits.seconds)
    reason = findings[0].message if findings else "it was assessed as weak"
    asked = replace(draft, asked=draft.asked + 1)  # writing again asks a model
    return await tested(question, asked.instead_of(old, reason), on)


async def edited(question: Question, before: Whole, on: Stages) -> Whole:
    """The answer with its style edited as the rules ask, without the edits of rules that would make anything worse.

    The edits of all rules are made together; only where something is worse then, those of one rule after the other.
    """
    if on.rules is None:
        return before
    together = on.rules.edits(question, before.written.draft.text, before.review.checks)
    after = await _with_better(question, before, together, on)
    if after is not before:
        return after
    found = {name: _edits_by(name, question, before, on.rules) for name in _names(before.review.checks)}
    editing = [name for name, edits in found.items() if edits]
    best = before
    for name in editing if len(editing) > 1 else ():  # those of a single rule were tried above
        best = await _with_better(question, best, _edits_by(name, question, best, on.rules), on)
    return best


def _names(checks: tuple[Check, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check.name for check in checks))


def _edits_by(name: str, question: Question, whole: Whole, rules: Rules) -> tuple[Edit, ...]:
    """The edits that one rule asks for, by the name of its checks; none where no rule has it."""
    checks = tuple(check for check in whole.review.checks if check.name == name)
    return rules.edits(question, whole.written.draft.text, checks)


async def _with_better(question: Question, before: Whole, edits: tuple[Edit, ...], on: Stages) -> Whole:
    """The answer with these edits; as it was where it is not better by them."""
    written = before.written
    draft = written.draft
    changed = _with_edits(written.sentences, draft, edits)
    sentences = tuple(each for each in changed if each.text.strip())
    if sentences == written.sentences or not sentences:
        return before
    async with on.in_time():
        review = await on.verifier.review(question, written.evidence, compose(sentences))
    made = tuple(
        Repair(RepairKind.EDIT, *_told(old.text, new.text), edits[0].reason)
        for old, new in zip(written.sentences, changed, strict=True)
        if old.text != new.text
    )
    event = ClaimEvent(RepairKind.EDIT.value, "rules", edits[0].reason)
    review = replace(review, claims=with_history(review.claims, written.review.claims, event))
    after = await tested(
        question, replace(written, sentences=sentences, review=review, repairs=written.repairs + made), on
    )
    return after if is_better(after.review, before.review) else before


def _told(old: str, new: str) -> tuple[str, str]:
    """A sentence before and after its edit, trimmed; with the breaks around it where only they were changed."""
    return (old, new) if old.strip() == new.strip() else (old.strip(), new.strip())


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
