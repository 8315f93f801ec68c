"""The story of a question: understand it, gather evidence, write a draft, review and repair it, and finalise.

A draft from elsewhere takes the same road from its review on. Knows types, stages and policy, nothing else. Each
own sentence is tested as it is written; a verified one is never touched again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from functools import partial

from assay.core.draft import LONGEST_RECORDED, DraftInput, DraftReport, DraftState, compose
from assay.core.finalise import Ask, assemble_answer, assemble_given, assemble_refusal
from assay.core.fix import fix_draft
from assay.core.inputs import refuse_no_question
from assay.core.policy import LAST, feasible, is_unclear, next_action
from assay.core.rendering import with_style
from assay.core.repair import repair_sentence
from assay.core.reuse import may_be_kept, serve
from assay.core.review import assess, edit_style, improve_answer, review_whole, with_masked
from assay.core.run import Deadline, Run, RunEvents, ignore_event
from assay.core.stages import SEARCHING, Emit, Retriever, Settler, Sink, Stages, Writer
from assay.errors import AssayError, DeadlinePassed, too_late, unusable
from assay.types import (
    Acted,
    Action,
    Answer,
    Event,
    Evidence,
    EvidenceFound,
    Failed,
    Finding,
    FindingMade,
    Finished,
    Gathered,
    Judged,
    Judgement,
    Limits,
    Message,
    Question,
    RepairKind,
    Scores,
    Sentence,
    SentenceProvisional,
    SentenceRevised,
    SentenceVerified,
    SentenceWithdrawn,
    StatusChanged,
    Step,
    Triage,
)

# Chosen: causes named in the warning if no sentence of a draft passed.
_CAUSES = 3
# Chosen: relevance from which a passage is worth showing although the evidence does not suffice.
_NEAR = 0.6
_TOO_LONG = f"a draft of more than {LONGEST_RECORDED:,} characters is neither assessed nor recorded"
# Ending of a stream that stops without one.
_TRUNCATED = Finished("incomplete")


async def run_question(
    text: str, history: tuple[Message, ...], run: Run, stages: Stages, emit: Emit, sinks: Sequence[Sink] = ()
) -> Answer:
    """Answer one question within its deadline; hand every event to `emit` and to each sink.

    The last event is Done, or Failed if this raises: UsageError; DeadlinePassed or BudgetSpent before there is an
    answer; what the store or a provider raises.
    """
    events = RunEvents(run, text, emit, sinks)
    try:
        with ensure_terminal_event(events):
            refuse_no_question(text)
            ask = Ask(text, history, run.id, run.profile, run.profile_reason, run.streamed)
            deadline = Deadline(run.limits.seconds, run.tape, uses_file=stages.models.use_file)
            found = await answer(ask, replace(stages, in_time=deadline.within), run.limits, events.emit)
        # Only now, when every test was made on the text with its marks.
        found = events.finish(found if run.style is None else with_style(found, run.style))
    finally:
        await events.stored()
    return events.warned(found)


async def run_draft(given: DraftInput, run: Run, stages: Stages, sinks: Sequence[Sink] = ()) -> DraftReport:
    """Review a draft from elsewhere, on request repair it, assess it, and record it like an answer.

    Its events go to the sinks alone; a draft that is too long is neither assessed nor recorded. Raises what the
    verifier, the repairer or the understanding of the question raises; the run then ends with it.
    """
    recorded = len(given.text) <= LONGEST_RECORDED
    events = RunEvents(run, given.name, ignore_event, sinks if recorded else ())
    try:
        with ensure_terminal_event(events):
            events.emit(StatusChanged(stage="verify"))
            question = Question("", "")
            if given.question.strip():
                question = await stages.understander.understand(given.question, ())
            draft = await review_whole(question, await review_given(given, stages, run.limits), stages)
            if given.fixes:
                draft = await edit_style(question, draft, stages)
            draft = replace(draft, review=with_masked(draft.review, given.evidence))
            if recorded:
                draft = await assess(question, draft, stages)
            else:
                draft = replace(draft, notes=(*draft.notes, _TOO_LONG))
            ask = Ask(given.question, (), run.id, run.profile, run.profile_reason)
            found = assemble_given(ask, draft, stages)
        found = events.finish(found)
    finally:
        await events.stored()
    found = events.warned(found)
    fixed = draft.fixed(given.text, stages.notes()) if given.fixes else None
    return DraftReport(draft.review, found, fixed, recorded and bool(sinks) and not events.warnings)


async def review_given(given: DraftInput, stages: Stages, limits: Limits) -> DraftState:
    """Test every claim of a draft from elsewhere, and on request repair what failed."""
    evidence = given.evidence.readable
    if given.fixes:
        return await fix_draft(given.text, evidence.passages, stages, limits, drop=given.drops)
    review = await stages.text_verifier.check(given.text, evidence.passages)
    return DraftState(evidence, given_text=given.text, review=review)


@contextmanager
def ensure_terminal_event(events: RunEvents) -> Iterator[None]:
    """Emit Failed and re-raise if the block raises; otherwise leave the terminal event to the caller."""
    try:
        yield
    except AssayError as error:
        events.emit(Failed(error=type(error).__name__, message=str(error), hint=error.hint))
        raise
    except (Exception, asyncio.CancelledError) as error:  # a bug or a cancelled caller: the run still ends once
        events.emit(Failed(error=type(error).__name__, message=str(error), hint="ask again"))
        raise


async def answer(ask: Ask, stages: Stages, limits: Limits, emit: Emit) -> Answer:
    """Answer a question from the evidence, or say why it cannot be answered.

    `ms` is 0 and `trace` empty in the result: `run_question`, which holds the clock, fills them in.
    """
    emit(StatusChanged(stage="understand"))
    async with stages.in_time():
        question = await stages.understander.understand(ask.text, ask.history)
        kept = None if stages.answer_cache is None else await stages.answer_cache.find(question)
        if kept is not None:
            return serve(ask, kept, stages, emit)
        gathered = await gather(question, stages, limits, emit)
    writer = stages.writer if gathered.action is Action.ANSWER else _closest_writer(gathered, stages)
    if writer is None:
        return assemble_refusal(ask, question, gathered, stages)
    # If sources disagree, the writer gives each reading.
    judgement = gathered.judgement
    uncovered = tuple(aspect.text for aspect in judgement.aspects if aspect.state == "missing")
    evidence = replace(
        _readable(gathered.evidence, stages),
        contradictions=judgement.contradictions,
        uncovered=uncovered if len(judgement.aspects) > 1 else (),
    )
    draft = await write(question, evidence, stages, writer, limits, emit)
    if draft.is_worthless and not draft.is_late and writer not in (stages.fallback_writer, stages.closest_writer):
        draft = await quote_instead(question, evidence, stages, limits, draft, emit)
    if not ask.streamed:
        draft = await drop_digressions(question, draft, stages, limits)
    if not draft.sentences:
        if draft.is_late:
            raise too_late(limits.seconds, uses_file=stages.models.use_file)
        return assemble_refusal(ask, question, gathered, stages, draft.notes)
    draft = await _review_and_improve(question, evidence, draft, writer, ask, stages, limits, emit)
    reading = None
    if stages.relevance is not None:
        text, cited = draft.draft.text, draft.draft.sources
        sources = [passage for passage in draft.evidence.passages if passage.passage_id in cited]
        reading = await stages.relevance.read(question, draft.sentences, text, sources)
    found = assemble_answer(ask, question, gathered, draft, stages, reading)
    if stages.answer_cache is not None and may_be_kept(found, gathered, draft):
        await stages.answer_cache.keep(question, gathered.evidence, found, draft.sentences)
    return found


async def _review_and_improve(
    question: Question,
    evidence: Evidence,
    written: DraftState,
    writer: Writer,
    ask: Ask,
    stages: Stages,
    limits: Limits,
    emit: Emit,
) -> DraftState:
    """Review the draft as a whole and improve it; emit what was found beyond its sentences."""
    draft = await review_whole(question, written, stages)
    if written.drafts == 1 and not draft.is_late:
        again = partial(write, question, evidence, stages, writer, limits, emit)
        # A sentence shown to a reader as verified is never touched again.
        draft = await improve_answer(question, draft, stages, limits, again, is_shown=ask.streamed)
    else:
        draft = await assess(question, draft, stages)
    for finding in draft.review.findings:
        if finding not in written.review.findings:
            emit(FindingMade(finding=finding))
    return draft


def _closest_writer(gathered: Gathered, stages: Stages) -> Writer | None:
    """The writer that shows the closest passages if the evidence may answer, but need not; None if none does."""
    judgement = gathered.judgement
    near = judgement.triage is not None and max(judgement.relevance.values(), default=0.0) >= _NEAR
    undecided = near or judgement.triage is Triage.AMBIGUOUS
    if gathered.action is Action.CLARIFY and is_unclear(judgement):
        undecided = near  # only that may settle what was meant
    return stages.closest_writer if undecided and gathered.action is not Action.ANSWER else None


async def gather(question: Question, stages: Stages, limits: Limits, emit: Emit) -> Gathered:
    """Search and judge until the policy stops searching; the judge always sees the user's own question."""
    path: tuple[Step, ...] = ()
    queries = tuple(dict.fromkeys((question.standalone, question.on_topic)))
    search, evidence, allowed_actions = stages.retriever, Evidence(), stages.allowed_actions
    first: frozenset[str] = frozenset()
    while True:
        emit(StatusChanged(stage="retrieve"))
        found = evidence.merge(await search.retrieve(queries))
        evidence = await stages.selector.select(question, found) if path else found
        emit(EvidenceFound(queries=queries, evidence=evidence))
        first = first or evidence.ids
        judged = await stages.judge.judge(question, _scored_for_the_question(_readable(evidence, stages), first))
        judgement = feasible(judged, stages.allowed_actions)
        emit(Judged(judgement=judgement))
        searched, queries = queries, ()
        while not queries:
            choice = next_action(judgement, evidence.ids, path, limits, allowed_actions, stages.search_utility)
            if choice.action in SEARCHING:
                search, queries = await _next_search(choice.action, question, evidence, judgement, path, stages)
            if choice.action not in SEARCHING or queries:
                path += (Step(choice.action, searched, evidence.ids, judgement.sufficiency),)
                emit(Acted(step=path[-1], reason=choice.reason))
            if choice.action not in SEARCHING:
                return Gathered(choice.action, evidence, judgement, path)
            allowed_actions -= frozenset() if queries else {choice.action}  # nothing is left to ask in this way


def _readable(evidence: Evidence, stages: Stages) -> Evidence:
    """The evidence with planted instructions masked, if this run masks them."""
    return evidence.readable if stages.masking else evidence


def _scored_for_the_question(evidence: Evidence, first: frozenset[str]) -> Evidence:
    """The evidence without the cosines of later searches, which belong to other queries than the user's."""
    hits = evidence.hits
    if all(hit.passage.passage_id in first for hit in hits):
        return evidence
    unknown = (
        hit if hit.passage.passage_id in first else replace(hit, scores=Scores(None, hit.scores.sparse))
        for hit in hits
    )
    return replace(evidence, hits=tuple(unknown))


async def _next_search(
    action: Action,
    question: Question,
    evidence: Evidence,
    judgement: Judgement,
    path: tuple[Step, ...],
    stages: Stages,
) -> tuple[Retriever, tuple[str, ...]]:
    """The retriever that an action asks, and its queries."""
    if action is Action.EXTERNAL:
        return stages.outside, await stages.refiner.outside(question, judgement)
    return stages.retriever, await stages.refiner.refine(question, evidence, judgement, path)


async def write(
    question: Question,
    evidence: Evidence,
    stages: Stages,
    writer: Writer,
    limits: Limits,
    emit: Emit,
    first: int = 0,
    advice: tuple[Finding, ...] = (),
) -> DraftState:
    """Write one draft, testing and repairing each sentence as it arrives; `first` sentences came before it.

    With a settler, sentences are tested once all have arrived: it rules on all of them in one call. If the deadline
    passes during tests or repairs, sentences already received are kept and the draft is cut. A draft cut at its
    writer's length limit keeps the sentences before the cut.

    Raises DeadlinePassed if nothing passed in time or the writer itself was late, and UnusableReply if a reply
    ended unfinished with nothing to keep, or for any reason but its length: half an answer is no answer.
    """
    emit(StatusChanged(stage="write"))
    written, waiting = DraftState(evidence), list[Sentence]()
    async with aclosing(writer.write(question, evidence, advice)) as parts:
        while True:
            try:
                async with stages.in_time():
                    part = await anext(parts, _TRUNCATED)
            except DeadlinePassed:
                if not (written.is_late and written.claiming):
                    raise
                return replace(written, is_cut=True)
            if isinstance(part, Sentence):
                numbered = replace(part, number=first + part.number)
                emit(SentenceProvisional(sentence=numbered))
                if stages.settler is None:
                    written = await review_sentence(numbered, written, question, stages, limits, emit)
                else:
                    waiting.append(numbered)
            elif part.reason == "stop" or (part.reason == "length" and (written.received or waiting)):
                break
            else:
                raise unusable(part.reason)
    if stages.settler is not None and waiting:
        await _settle_open_claims(stages.settler, question, evidence, waiting, stages)
    for sentence in waiting:
        written = await review_sentence(sentence, written, question, stages, limits, emit)
    notes = (*part.notes, *written.notes)
    return replace(written, notes=notes, is_cut=part.reason == "length", prompt=part.prompt)


async def _settle_open_claims(
    settler: Settler, question: Question, evidence: Evidence, sentences: Sequence[Sentence], stages: Stages
) -> None:
    """Let the settler rule on all open claims in one call; past the deadline each test reports that itself."""
    with suppress(DeadlinePassed):
        async with stages.in_time():
            await settler.settle(question, evidence, compose(tuple(sentences)))


async def quote_instead(
    question: Question, evidence: Evidence, stages: Stages, limits: Limits, failed: DraftState, emit: Emit
) -> DraftState:
    """Quote the sources if nothing that was written passed; return the failed draft if they say nothing either."""
    quoted = await write(question, evidence, stages, stages.fallback_writer, limits, emit, first=failed.received)
    if not quoted.verified:
        return replace(failed, drafts=2)
    sentences = f"none of the {failed.received} sentences" if failed.received > 1 else "the one sentence"
    passed = "passed its tests" if failed.received > 1 else "did not pass its tests"
    note = f"{sentences} that {stages.models.writer} wrote {passed}: the answer is quoted from the sources instead"
    replacement = quoted.instead_of(failed, "it did not pass: the sources are quoted instead")
    return replace(replacement, notes=(*failed.notes, f"{note}{_first_causes(failed)}", *quoted.notes))


async def drop_digressions(question: Question, written: DraftState, stages: Stages, limits: Limits) -> DraftState:
    """Drop the quoted blocks that are not on what the question names, where others are; one question at a time.

    The others are tested again, for the first of an answer has checks of its own: none may lose by it. Not for an
    answer that is streamed, of which the numbers of sources were shown.
    """
    if len(question.aspects) > 1 or RepairKind.DROP not in stages.allowed_repairs or written.is_late:
        return written
    off = written.digressions
    if not off or len(off) == len(written.sentences):
        return written
    kept = DraftState(written.evidence, requests=written.requests)
    for sentence in written.sentences:
        if sentence not in off:
            text = sentence.text if kept.sentences else sentence.text.lstrip("\n")
            kept = await review_sentence(
                replace(sentence, text=text), kept, question, stages, limits, lambda _: None
            )
    return kept.without(off, written) if kept.verified == written.verified else written


def _first_causes(failed: DraftState) -> str:
    """The first causes that kept sentences from passing, in brackets; a test that could not run is one."""
    last = (repair for repair in failed.repairs if repair.kind in LAST)
    causes = tuple(dict.fromkeys(repair.reason for repair in last))[:_CAUSES]
    return f" ({'; '.join(causes)})" if causes else ""


async def review_sentence(
    sentence: Sentence, before: DraftState, question: Question, stages: Stages, limits: Limits, emit: Emit
) -> DraftState:
    """Test one more sentence and repair it if it fails; emit it as verified or as withdrawn."""
    sentence = before.with_pending_breaks(sentence)
    outcome: Event = SentenceWithdrawn(sentence=sentence, reason="it could not be tested")
    try:
        after = await repair_sentence(
            sentence,
            before.sentences,
            question,
            before.evidence,
            stages,
            limits,
            before.requests,
            is_late=before.is_late,
        )
        shown = after.sentence or sentence
        if (shown.text, shown.passage_ids) != (sentence.text, sentence.passage_ids):
            emit(SentenceRevised(sentence=shown, before=after.repairs[0].before, reason=after.repairs[-1].reason))
        verified = SentenceVerified(sentence=shown, claims=len(after.review.claims))
        reason = after.blocking_reason
        outcome = verified if reason is None else SentenceWithdrawn(sentence=shown, reason=reason)
    finally:
        emit(outcome)
    written = before.followed_by(sentence, after)
    for finding in written.review.findings[len(before.review.findings) :]:
        emit(FindingMade(finding=finding))
    return written
