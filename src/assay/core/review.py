"""Review a whole text by its output rules and criteria, and make the style edits that the rules ask for.

An own answer is improved while a policy calls for it; anyone's draft is only held to the rules and assessed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from assay.core.policy import is_better, is_better_whole, next_whole_repair
from assay.core.repair import DraftState, cause_of, compose, with_history
from assay.core.stages import Rules, Stages
from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError, too_late
from assay.nlp.cited_sentences import Numbered
from assay.nlp.markup import outside_of_blocks, tags_of
from assay.nlp.segments import cut
from assay.types import (
    Assessment,
    Check,
    ClaimEvent,
    Draft,
    Edit,
    Evidence,
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
# Writes another draft; takes the number of sentences before it, and advice.
Write = Callable[[int, tuple[Finding, ...]], Awaitable[DraftState]]


@dataclass(frozen=True, slots=True)
class ReviewedAnswer:
    """A draft tested sentence by sentence and as a whole.

    `assessment` is None if assessing is off or failed.
    """

    written: DraftState
    assessment: Assessment | None = None

    @property
    def review(self) -> Review:
        """The review of the draft, the checks of the whole included."""
        return self.written.review


async def review_answer(question: Question, written: DraftState, stages: Stages) -> ReviewedAnswer:
    """Add the checks that no single sentence shows; a check that could not run is unknown."""
    review = stages.verifier.conclude(question, written.draft, written.review)
    review, error = await check_rules(written.draft.text, review, question, written.evidence, stages, "answer")
    return await _with_assessment(question, _late_by(replace(written, review=review), error), stages)


async def _with_assessment(question: Question, written: DraftState, stages: Stages) -> ReviewedAnswer:
    """Assess the draft; without an assessment if none could be made, or if it is late."""
    if written.late:
        return ReviewedAnswer(written)
    assessment, error = await assess(question, written.evidence, written.draft, written.review, stages)
    if error is None:
        return ReviewedAnswer(written, assessment)
    note = f"the answer was not assessed: {error}"
    return ReviewedAnswer(_late_by(replace(written, notes=(*written.notes, note)), error))


def _late_by(written: DraftState, error: AssayError | None) -> DraftState:
    return replace(written, late=written.late or isinstance(error, DeadlinePassed))


async def assess(
    question: Question, evidence: Evidence, draft: Draft, review: Review, stages: Stages
) -> tuple[Assessment | None, AssayError | None]:
    """The assessment of a whole draft, None if that is off; or the error for which none could be made."""
    if stages.assessor is None:
        return None, None
    try:
        async with stages.in_time():
            return await stages.assessor.assess(question, evidence, draft, review), None
    except (BudgetSpent, ProviderError) as error:
        return None, error


async def check_rules(
    text: str, review: Review, question: Question, evidence: Evidence, stages: Stages, text_is: str
) -> tuple[Review, AssayError | None]:
    """The review with the checks of the output rules; with one unknown check and the error if none could be made.

    `text_is` names the text in the advice: "answer" or "draft".
    """
    if stages.rules is None:
        return review, None
    try:
        async with stages.in_time():
            checks = await stages.rules.examine(question, evidence, text)
        return review.with_checks(checks, stages.rules.findings(question, checks)), None
    except (BudgetSpent, ProviderError) as error:
        cause = cause_of(error)
        advice = f"see yourself whether the {text_is} keeps the output rules"
        unknown = Check("rules", Status.UNKNOWN, Severity.BLOCK, None, cause)
        finding = Finding("rules", None, Severity.BLOCK, cause, advice)
        return review.with_checks((unknown,), (finding,)), error


async def improve_answer(
    question: Question, best: ReviewedAnswer, stages: Stages, limits: Limits, write: Write
) -> ReviewedAnswer:
    """Edit or rewrite the answer while the policy calls for it; keep the best version, not the last."""
    tried: tuple[RepairKind, ...] = ()
    while kind := next_whole_repair(
        best.review, best.assessment, tried, best.written.asked, limits, stages.allowed_repairs
    ):
        tried = (*tried, kind)
        try:
            if kind is RepairKind.EDIT:
                best = await apply_style_edits(question, best, stages)
                continue
            after = await _written_again(question, best, stages, limits, write)
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


async def _written_again(
    question: Question, before: ReviewedAnswer, stages: Stages, limits: Limits, write: Write
) -> ReviewedAnswer:
    """Write another draft with the findings on the last one as advice. Raises DeadlinePassed."""
    findings = before.review.findings
    if before.assessment is not None and stages.assessor is not None:
        findings = stages.assessor.advise(before.assessment, findings)
    old = before.written
    draft = await write(old.seen, findings)
    if draft.late:  # an untested remainder cannot be compared
        raise too_late(limits.seconds)
    reason = findings[0].message if findings else "it was assessed as weak"
    asked = replace(draft, asked=draft.asked + 1)  # writing again is one more model call
    return await review_answer(question, asked.instead_of(old, reason), stages)


async def apply_style_edits(question: Question, before: ReviewedAnswer, stages: Stages) -> ReviewedAnswer:
    """Apply the style edits that the rules ask for, except those that make something worse.

    The edits of all rules are tried together first; if anything is worse after that, rule by rule.
    """
    if stages.rules is None:
        return before
    together = stages.rules.edits(question, before.written.draft.text, before.review.checks)
    after = await _with_better(question, before, together, stages)
    if after is not before:
        return after
    found = {name: _edits_by(name, question, before, stages.rules) for name in _names(before.review.checks)}
    editing = [name for name, edits in found.items() if edits]
    best = before
    for name in editing if len(editing) > 1 else ():  # a single rule was tried above
        best = await _with_better(question, best, _edits_by(name, question, best, stages.rules), stages)
    return best


def _names(checks: tuple[Check, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(check.name for check in checks))


def _edits_by(name: str, question: Question, whole: ReviewedAnswer, rules: Rules) -> tuple[Edit, ...]:
    """The edits that the rule with checks of this name asks for; empty if no rule has it."""
    checks = tuple(check for check in whole.review.checks if check.name == name)
    return rules.edits(question, whole.written.draft.text, checks)


async def _with_better(
    question: Question, before: ReviewedAnswer, edits: tuple[Edit, ...], stages: Stages
) -> ReviewedAnswer:
    """The answer with these edits, or unchanged if it is no better with them."""
    written = before.written
    draft = written.draft
    changed = _with_edits(written.sentences, draft, edits)
    sentences = tuple(each for each in changed if each.text.strip())
    if sentences == written.sentences or not sentences:
        return before
    async with stages.in_time():
        review = await stages.verifier.review(question, written.evidence, compose(sentences))
    made = tuple(
        Repair(RepairKind.EDIT, *_told(old.text, new.text), edits[0].reason)
        for old, new in zip(written.sentences, changed, strict=True)
        if old.text != new.text
    )
    event = ClaimEvent(RepairKind.EDIT.value, "rules", edits[0].reason)
    review = replace(review, claims=with_history(review.claims, written.review.claims, event))
    after = await review_answer(
        question, replace(written, sentences=sentences, review=review, repairs=written.repairs + made), stages
    )
    return after if is_better(after.review, before.review) else before


def _told(old: str, new: str) -> tuple[str, str]:
    """A sentence before and after its edit, trimmed unless only the breaks around it changed."""
    return (old, new) if old.strip() == new.strip() else (old.strip(), new.strip())


def _with_edits(sentences: tuple[Sentence, ...], draft: Draft, edits: tuple[Edit, ...]) -> tuple[Sentence, ...]:
    """Apply the edits that lie inside one sentence or between two; leave those that span several.

    A sentence that an edit removes has an empty text.
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


@dataclass(frozen=True, slots=True)
class RuledDraft:
    """A draft, its review with the checks of the output rules, and the edits made."""

    text: str
    review: Review
    repairs: tuple[Repair, ...] = ()


async def apply_output_rules(
    text: str, review: Review, question: Question, evidence: Evidence, stages: Stages, *, edits: bool
) -> RuledDraft:
    """Check the draft by the output rules and, if `edits`, apply their edits and test it again.

    The edits are dropped if the draft is no better with them. Without rules the draft is returned unchanged.
    """
    if stages.rules is None:
        return RuledDraft(text, review)
    checked, _ = await check_rules(text, review, question, evidence, stages, "draft")
    before = RuledDraft(text, checked)
    wanted = stages.rules.edits(question, text, before.review.checks) if edits else ()
    made = _safe(text, wanted, evidence)
    if not made:
        return before
    changed = _with_rule_edits(text, made)
    tested = await stages.verifier.check(changed, evidence.passages)
    event = ClaimEvent(RepairKind.EDIT.value, "rules", made[0].reason)
    tested = replace(tested, claims=with_history(tested.claims, review.claims, event))
    checked, _ = await check_rules(changed, tested, question, evidence, stages, "draft")
    repairs = tuple(Repair(RepairKind.EDIT, text[e.start : e.end], e.replacement, e.reason) for e in made)
    after = RuledDraft(changed, checked, repairs)
    return after if is_better(after.review, before.review) else before


def _safe(text: str, edits: tuple[Edit, ...], evidence: Evidence) -> tuple[Edit, ...]:
    """The edits that touch no code, no markup, no quoted words and no HTML tag."""
    kept = [piece for piece in cut(text, Numbered(evidence.passages, by_id=True)) if piece.stays]
    stays = [(piece.start, piece.start + len(piece.written)) for piece in kept]
    free = tuple(each for each in edits if not any(each.start < end and start < each.end for start, end in stays))
    in_html = bool(outside_of_blocks(text))
    return tuple(each for each in free if not in_html or tags_of(_with_rule_edits(text, (each,))) == tags_of(text))


def _with_rule_edits(text: str, edits: tuple[Edit, ...]) -> str:
    """Apply edits that are sorted by place and do not overlap."""
    for each in reversed(edits):
        text = text[: each.start] + each.replacement + text[each.end :]
    return text
