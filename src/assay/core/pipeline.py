"""The story of a question: understand it, gather evidence, write, test, and say what passed.

Knows types, stages and policy, nothing else. Each sentence is tested as it is written; a verified one is never
touched again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from functools import partial

from assay.core.finalise import Ask, assemble_answer, assemble_refusal
from assay.core.inputs import refuse_no_question
from assay.core.policy import feasible, is_unclear, next_action
from assay.core.rendering import restyle
from assay.core.repair import DraftState, compose, repair_sentence
from assay.core.review import improve_answer, review_answer
from assay.core.run import Deadline, Run, RunEvents
from assay.core.stages import SEARCHING, Emit, Retriever, Settler, Sink, Stages, Writer
from assay.errors import AssayError, DeadlinePassed, too_late, unusable
from assay.types import (
    Acted,
    Action,
    Answer,
    Done,
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
# Ending of a stream that stops without one.
_BROKEN_OFF = Finished("incomplete")


async def run_question(
    text: str, history: tuple[Message, ...], run: Run, stages: Stages, emit: Emit, sinks: Sequence[Sink] = ()
) -> Answer:
    """Answer one question within its deadline; hand every event to `emit` and to each sink.

    The last event is Done, or Failed if this raises: UsageError; DeadlinePassed or BudgetSpent before there is an
    answer; what the store or a provider raises.
    """
    events = RunEvents(run, text, emit, sinks)
    started = run.clock.monotonic()
    with ensure_terminal_event(events):
        refuse_no_question(text)
        ask = Ask(text, history, run.id, run.profile, run.profile_reason, run.streamed)
        in_time = replace(stages, in_time=Deadline(run.limits.seconds, run.tape).within)
        found = await answer(ask, in_time, run.limits, events.emit)
    found = replace(
        found,
        ms=1000 * (run.clock.monotonic() - started),
        first_verified_ms=None if events.first_verified is None else 1000 * (events.first_verified - started),
        warnings=found.warnings + events.warnings,
    )
    # Only now, when every test was made on the text with its marks.
    found = found if run.style is None else restyle(found, run.style)
    events.emit(Done(answer=found))
    return replace(found, trace=tuple(events.past), warnings=found.warnings + events.warnings_since(found))


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
        gathered = await gather(question, stages, limits, emit)
    writer = stages.writer if gathered.action is Action.ANSWER else _closest(gathered, stages)
    if writer is None:
        return assemble_refusal(ask, question, gathered, stages)
    # If sources disagree, the writer gives each reading.
    judgement = gathered.judgement
    uncovered = tuple(each.text for each in judgement.aspects if each.state == "missing")
    evidence = replace(
        _read(gathered.evidence, stages),
        contradictions=judgement.contradictions,
        uncovered=uncovered if len(judgement.aspects) > 1 else (),
    )
    written = await write(question, evidence, stages, writer, limits, emit)
    if written.is_worthless and not written.late and writer not in (stages.fallback_writer, stages.closest_writer):
        written = await quote_instead(question, evidence, stages, limits, written, emit)
    if written.late and not written.sentences:
        raise too_late(limits.seconds)
    if not written.sentences:
        return assemble_refusal(ask, question, gathered, stages, written.notes)
    whole = await review_answer(question, written, stages)
    # A sentence shown to a reader as verified is never touched again.
    if written.drafts == 1 and not ask.streamed and not whole.written.late:
        again = partial(write, question, evidence, stages, writer, limits, emit)
        whole = await improve_answer(question, whole, stages, limits, again)
    for finding in whole.review.findings:
        if finding not in written.review.findings:
            emit(FindingMade(finding=finding))
    reading = None
    if stages.relevance is not None:
        draft = whole.written.draft
        sources = [each for each in whole.written.evidence.passages if each.passage_id in draft.sources]
        reading = await stages.relevance.read(question, whole.written.sentences, draft.text, sources)
    return assemble_answer(ask, question, gathered, whole, stages, reading)


def _closest(gathered: Gathered, stages: Stages) -> Writer | None:
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
    queries: tuple[str, ...] = (question.standalone,)
    search, evidence, allowed_actions = stages.retriever, Evidence(), stages.allowed_actions
    first: frozenset[str] = frozenset()
    while True:
        emit(StatusChanged(stage="retrieve"))
        found = evidence.merge(await search.retrieve(queries))
        evidence = await stages.selector.select(question, found) if path else found
        emit(EvidenceFound(queries=queries, evidence=evidence))
        first = first or evidence.ids
        judged = await stages.judge.judge(question, _scored_for_the_question(_read(evidence, stages), first))
        judgement = feasible(judged, stages.allowed_actions)
        emit(Judged(judgement=judgement))
        asked, queries = queries, ()
        while not queries:
            choice = next_action(judgement, evidence.ids, path, limits, allowed_actions, stages.worth)
            if choice.action in SEARCHING:
                search, queries = await _next_search(choice.action, question, evidence, judgement, path, stages)
            if choice.action not in SEARCHING or queries:
                path += (Step(choice.action, asked, evidence.ids, judgement.sufficiency),)
                emit(Acted(step=path[-1], reason=choice.reason))
            if choice.action not in SEARCHING:
                return Gathered(choice.action, evidence, judgement, path)
            allowed_actions -= frozenset() if queries else {choice.action}  # nothing is left to ask in this way


def _read(evidence: Evidence, stages: Stages) -> Evidence:
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
                    part = await anext(parts, _BROKEN_OFF)
            except DeadlinePassed:
                if not (written.late and written.stated):
                    raise
                return replace(written, cut=True)
            if isinstance(part, Sentence):
                numbered = replace(part, number=first + part.number)
                emit(SentenceProvisional(sentence=numbered))
                if stages.settler is None:
                    written = await review_sentence(numbered, written, question, stages, limits, emit)
                else:
                    waiting.append(numbered)
            elif part.reason == "stop" or (part.reason == "length" and (written.seen or waiting)):
                break
            else:
                raise unusable(part.reason)
    if stages.settler is not None and waiting:
        await _settled(stages.settler, question, evidence, waiting, stages)
    for sentence in waiting:
        written = await review_sentence(sentence, written, question, stages, limits, emit)
    notes = (*part.notes, *written.notes)
    return replace(written, notes=notes, cut=part.reason == "length", prompt=part.prompt)


async def _settled(
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
    quoted = await write(question, evidence, stages, stages.fallback_writer, limits, emit, first=failed.seen)
    if not quoted.verified:
        return replace(failed, drafts=2)
    written = f"none of the {failed.seen} sentences" if failed.seen > 1 else "the one sentence"
    passed = "passed its tests" if failed.seen > 1 else "did not pass its tests"
    note = f"{written} that {stages.models.writer} wrote {passed}: the answer is quoted from the sources instead"
    made = quoted.instead_of(failed, "it did not pass: the sources are quoted instead")
    return replace(made, notes=(*failed.notes, f"{note}{_why(failed)}", *quoted.notes))


def _why(failed: DraftState) -> str:
    """The first causes that kept sentences from passing, in brackets; a test that could not run is one."""
    ended = [each for each in failed.repairs if each.kind in (RepairKind.HEDGE, RepairKind.DROP)]
    causes = tuple(dict.fromkeys(each.reason for each in ended))[:_CAUSES]
    return f" ({'; '.join(causes)})" if causes else ""


async def review_sentence(
    sentence: Sentence, before: DraftState, question: Question, stages: Stages, limits: Limits, emit: Emit
) -> DraftState:
    """Test one more sentence and repair it if it fails; emit it as verified or as withdrawn."""
    sentence = before.led(sentence)
    ended: Event = SentenceWithdrawn(sentence=sentence, reason="it could not be tested")
    try:
        after = await repair_sentence(
            sentence, before.sentences, question, before.evidence, stages, limits, before.asked, late=before.late
        )
        shown = after.sentence or sentence
        if (shown.text, shown.passage_ids) != (sentence.text, sentence.passage_ids):
            emit(SentenceRevised(sentence=shown, before=after.repairs[0].before, reason=after.repairs[-1].reason))
        verified = SentenceVerified(sentence=shown, claims=len(after.review.claims))
        ended = verified if after.blocked is None else SentenceWithdrawn(sentence=shown, reason=after.blocked)
    finally:
        emit(ended)
    written = before.followed_by(sentence, after)
    for finding in written.review.findings[len(before.review.findings) :]:
        emit(FindingMade(finding=finding))
    return written
