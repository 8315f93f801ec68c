"""Review a draft as a whole: its output rules and its assessment, edits of its style, and writing it again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

from assay.core.draft import DraftState, with_history
from assay.core.policy import is_better, is_better_whole, redraft
from assay.core.rendering import apply_edits
from assay.core.repair import cause_of
from assay.core.stages import Stages, StyleEditor
from assay.errors import AssayError, BudgetSpent, DeadlinePassed, ProviderError, too_late
from assay.nlp.cited_sentences import Numbered
from assay.nlp.markup import outside_of_blocks, tags_of
from assay.nlp.segments import cut
from assay.types import (
    Check,
    ClaimEvent,
    Draft,
    Edit,
    Evidence,
    Finding,
    Hit,
    Limits,
    Question,
    Repair,
    RepairKind,
    Review,
    Sentence,
    Severity,
    SourceSpan,
    Status,
)

# Writes another draft; takes the number of sentences before it, and advice.
Write = Callable[[int, tuple[Finding, ...]], Awaitable[DraftState]]


async def review_whole(question: Question, draft: DraftState, stages: Stages) -> DraftState:
    """Add the checks that no single sentence shows; a check that could not run is unknown."""
    review = draft.review
    if not draft.is_given:
        review = stages.concluder.conclude(question, draft.draft, review)
    if stages.rules is None:
        return replace(draft, review=review)
    try:
        async with stages.in_time():
            checks, findings = await stages.rules.examine(question, draft.evidence, draft.draft.text)
        return replace(draft, review=review.with_checks(checks, findings))
    except (BudgetSpent, ProviderError) as error:
        cause = cause_of(error)
        advice = f"see yourself whether the {draft.kind} keeps the output rules"
        unknown = Check("rules", Status.UNKNOWN, Severity.BLOCK, None, cause)
        finding = Finding("rules", None, Severity.BLOCK, cause, advice)
        return _late_by(replace(draft, review=review.with_checks((unknown,), (finding,))), error)


async def assess(question: Question, draft: DraftState, stages: Stages) -> DraftState:
    """Add the assessment; none if assessing is off, past the deadline, or, with a note, if it failed."""
    if stages.assessor is None or draft.is_late:
        return replace(draft, assessment=None)
    try:
        async with stages.in_time():
            found = await stages.assessor.assess(question, draft.evidence, draft.draft, draft.review)
        return replace(draft, assessment=found)
    except (BudgetSpent, ProviderError) as error:
        return _noted(replace(draft, assessment=None), "assessed", error)


def _noted(draft: DraftState, what: str, error: AssayError) -> DraftState:
    """The draft with a note on what was not done with it."""
    return _late_by(replace(draft, notes=(*draft.notes, f"the {draft.kind} was not {what}: {error}")), error)


def _late_by(draft: DraftState, error: AssayError) -> DraftState:
    return replace(draft, is_late=draft.is_late or isinstance(error, DeadlinePassed))


async def improve_answer(
    question: Question, draft: DraftState, stages: Stages, limits: Limits, write: Write, *, is_shown: bool
) -> DraftState:
    """Edit and assess a reviewed answer, and write it again while the policy calls for it; keep the best version.

    What `is_shown` to somebody already is only assessed. If the answer should be written again and cannot be, a
    note says why.
    """
    edits = not is_shown and RepairKind.EDIT in stages.allowed_repairs
    best = await assess(question, await edit_style(question, draft, stages) if edits else draft, stages)
    while not best.is_late:
        choice = redraft(best.review, best.assessment, best.drafts, best.requests, limits, stages.allowed_repairs)
        refusal = "its sentences were shown already" if choice.is_wanted and is_shown else choice.refusal
        if refusal:
            return replace(best, notes=(*best.notes, f"the answer was not written again: {refusal}"))
        if not choice.is_wanted:
            return best
        try:
            after = await _write_again(question, best, stages, limits, write)
        except (ProviderError, BudgetSpent) as error:  # there is an answer already
            return replace(best, notes=(*best.notes, f"the answer was not written again: {error}"))
        if not is_better_whole(after.review, after.assessment, best.review, best.assessment):
            return replace(best, drafts=after.drafts, requests=after.requests)
        best = await edit_style(question, after, stages) if edits else after
        if best is not after:
            best = await assess(question, best, stages)
    return best


async def _write_again(
    question: Question, old: DraftState, stages: Stages, limits: Limits, write: Write
) -> DraftState:
    """Write, review and assess another draft with the findings on the last as advice. Raises DeadlinePassed."""
    findings = old.review.findings
    if old.assessment is not None and stages.adviser is not None:
        findings = stages.adviser.advise(old.assessment, findings)
    new = await write(old.received, findings)
    if new.is_late:  # an untested remainder cannot be compared
        raise too_late(limits.seconds, uses_file=stages.models.use_file)
    reason = findings[0].message if findings else "it was assessed as weak"
    new = replace(new, requests=new.requests + 1)  # writing again is one more model call
    return await assess(question, await review_whole(question, new.instead_of(old, reason), stages), stages)


async def edit_style(question: Question, draft: DraftState, stages: Stages) -> DraftState:
    """Apply the style edits that the rules ask for, except those that make something worse.

    The edits of all rules are tried together first; if anything is worse after that, rule by rule. A note says if
    they could not be tested.
    """
    if stages.editor is None:
        return draft
    best = draft
    try:
        best = await _edit(question, draft, _edits(question, draft, stages.editor), stages)
        if best is not draft:
            return best
        names = dict.fromkeys(check.name for check in draft.review.checks)
        editing = [name for name in names if _edits(question, draft, stages.editor, name)]
        for name in editing if len(editing) > 1 else ():  # a single rule was tried above
            best = await _edit(question, best, _edits(question, best, stages.editor, name), stages)
    except (ProviderError, BudgetSpent) as error:
        return _noted(best, "edited", error)
    return best


def _edits(question: Question, draft: DraftState, editor: StyleEditor, name: str | None = None) -> tuple[Edit, ...]:
    """The edits that the checks of the draft ask for, or only those of this name."""
    checks = tuple(check for check in draft.review.checks if name in (None, check.name))
    return editor.edits(question, draft.draft.text, checks)


async def _edit(question: Question, before: DraftState, edits: tuple[Edit, ...], stages: Stages) -> DraftState:
    """The draft with these edits, tested again; unchanged if it is no better with them."""
    edited = _with_text_edits(before, edits) if before.is_given else _with_sentence_edits(before, edits)
    if edited is before:
        return before
    async with stages.in_time():
        if edited.given_text is None:
            review = await stages.verifier.review(question, edited.evidence, edited.draft)
        else:
            review = await stages.text_verifier.check(edited.given_text, edited.evidence.passages)
    event = ClaimEvent(RepairKind.EDIT.value, "rules", edited.repairs[len(before.repairs)].reason)
    review = replace(review, claims=with_history(review.claims, before.review.claims, event))
    after = await review_whole(question, replace(edited, review=review), stages)
    return after if is_better(after.review, before.review) else before


def _with_sentence_edits(before: DraftState, edits: tuple[Edit, ...]) -> DraftState:
    """The own draft with the edits made in its sentences; the same if they change or leave nothing."""
    changed = _edited_sentences(before.sentences, before.draft, edits)
    sentences = tuple(sentence for sentence in changed if sentence.text.strip())
    if sentences == before.sentences or not sentences:
        return before
    repairs = tuple(
        Repair(RepairKind.EDIT, *_shown_pair(old.text, new.text), edits[0].reason)
        for old, new in zip(before.sentences, changed, strict=True)
        if old.text != new.text
    )
    return replace(before, sentences=sentences, repairs=before.repairs + repairs)


def _shown_pair(old: str, new: str) -> tuple[str, str]:
    """A sentence before and after its edit, trimmed unless only the breaks around it changed."""
    return (old, new) if old.strip() == new.strip() else (old.strip(), new.strip())


def _edited_sentences(
    sentences: tuple[Sentence, ...], draft: Draft, edits: tuple[Edit, ...]
) -> tuple[Sentence, ...]:
    """Apply the edits that lie inside one sentence or between two; leave those that span several.

    A sentence that an edit removes has an empty text.
    """
    edited = list(sentences)
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        for n, (sentence, span) in enumerate(zip(sentences, draft.spans, strict=True)):
            start, end = edit.start - span.start, edit.end - span.start
            if 0 <= start <= end <= len(sentence.text):
                text = edited[n].text
                edited[n] = replace(edited[n], text=text[:start] + edit.replacement + text[end:])
            elif n and draft.spans[n - 1].end <= edit.start and end == 0 and not edit.replacement.strip():
                edited[n] = replace(edited[n], text=edit.replacement + edited[n].text.lstrip())
    return tuple(edited)


def _with_text_edits(before: DraftState, edits: tuple[Edit, ...]) -> DraftState:
    """The given draft with the edits that touch no code, no markup, no quoted words and no HTML tag."""
    text = before.draft.text
    pieces = cut(text, Numbered(before.evidence.passages, by_id=True)) if edits else ()
    fixed = [(piece.start, piece.start + len(piece.written)) for piece in pieces if piece.stays]
    free = [edit for edit in edits if not any(edit.start < end and start < edit.end for start, end in fixed)]
    in_html = bool(outside_of_blocks(text)) if free else False
    safe = [edit for edit in free if not in_html or tags_of(apply_edits(text, [edit])) == tags_of(text)]
    if not safe:
        return before
    repairs = tuple(
        Repair(RepairKind.EDIT, text[edit.start : edit.end], edit.replacement, edit.reason) for edit in safe
    )
    return replace(before, given_text=apply_edits(text, safe), repairs=before.repairs + repairs)


def with_masked(review: Review, evidence: Evidence) -> Review:
    """The review with a check for each masked part of the evidence, with its place and its words as stored."""
    cause = "this part reads like an instruction to a model: it is no evidence"
    masked = (
        Check("quarantine", Status.FAILED, Severity.WARN, cause=cause, source_span=span)
        for hit in evidence.hits
        for span in _masked_spans(hit)
    )
    return replace(review, checks=(*review.checks, *masked))


def _masked_spans(hit: Hit) -> Iterator[SourceSpan]:
    for span in hit.masked:
        yield hit.passage.span_of(span.start, span.end)
