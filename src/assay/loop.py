"""The sentence: understand, gather, write, test, and say what passed.

It knows types, stages and policy, nothing else. Each sentence is tested as it is written; a verified one is never
touched again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial

from assay.errors import DeadlinePassed, too_late, unusable
from assay.mend import Written, compose, mended
from assay.policy import feasible, is_unclear, next_action
from assay.result import Ask, answered, declined
from assay.stages import Emit, Retriever, Settler, Stages, Writer
from assay.types import (
    Acted,
    Action,
    Answer,
    Event,
    Evidence,
    EvidenceFound,
    Finding,
    FindingMade,
    Finished,
    Gathered,
    Judged,
    Judgement,
    Limits,
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
from assay.whole import bettered, tested
from assay.worth import SEARCHING

# As many causes are named where no sentence of a draft passed.
_CAUSES = 3
# A passage of this relevance is worth showing, though all of them together do not suffice.
_NEAR = 0.6
# What a stream without an ending ends with.
_BROKEN_OFF = Finished("incomplete")


async def answer(ask: Ask, on: Stages, limits: Limits, emit: Emit) -> Answer:
    """Answer a question from the evidence, or say why it cannot be answered.

    The result's `ms` is 0 and its `trace` empty: the engine, which holds the clock, fills them in.
    """
    emit(StatusChanged(stage="understand"))
    async with on.in_time():
        question = await on.understander.understand(ask.text, ask.history)
        gathered = await gather(question, on, limits, emit)
    writer = on.writer if gathered.action is Action.ANSWER else _closest(gathered, on)
    if writer is None:
        return declined(ask, question, gathered, on)
    # Where sources disagree, each reading is to be told.
    judgement = gathered.judgement
    uncovered = tuple(each.text for each in judgement.aspects if each.state == "missing")
    evidence = replace(
        _read(gathered.evidence, on),
        contradictions=judgement.contradictions,
        uncovered=uncovered if len(judgement.aspects) > 1 else (),
    )
    written = await write(question, evidence, on, writer, limits, emit)
    if written.is_worthless and not written.late and writer not in (on.quoter, on.closest):
        written = await quote_instead(question, evidence, on, limits, written, emit)
    if written.late and not written.sentences:
        raise too_late(limits.seconds)
    if not written.sentences:
        return declined(ask, question, gathered, on, written.notes)
    whole = await tested(question, written, on)
    # What a reader was shown as verified is never touched again.
    if written.drafts == 1 and not ask.streamed and not whole.written.late:
        again = partial(write, question, evidence, on, writer, limits, emit)
        whole = await bettered(question, whole, on, limits, again)
    for finding in whole.review.findings:
        if finding not in written.review.findings:
            emit(FindingMade(finding=finding))
    reading = None
    if on.relevance is not None:
        draft = whole.written.draft
        sources = [each for each in whole.written.evidence.passages if each.passage_id in draft.sources]
        reading = await on.relevance.read(question, whole.written.sentences, draft.text, sources)
    return answered(ask, question, gathered, whole, on, reading)


def _closest(gathered: Gathered, on: Stages) -> Writer | None:
    """Who shows the closest passages where the evidence may answer and is not known to; None where nobody does."""
    judgement = gathered.judgement
    near = judgement.triage is not None and max(judgement.relevance.values(), default=0.0) >= _NEAR
    undecided = near or judgement.triage is Triage.AMBIGUOUS
    if gathered.action is Action.CLARIFY and is_unclear(judgement):
        undecided = near  # only that may settle what was meant
    return on.closest if undecided and gathered.action is not Action.ANSWER else None


async def gather(question: Question, on: Stages, limits: Limits, emit: Emit) -> Gathered:
    """Search and judge until the policy stops asking for more; the judge always hears the user's own question."""
    path: tuple[Step, ...] = ()
    queries: tuple[str, ...] = (question.standalone,)
    search, evidence, able = on.retriever, Evidence(), on.able
    first: frozenset[str] = frozenset()
    while True:
        emit(StatusChanged(stage="retrieve"))
        found = evidence.merge(await search.retrieve(queries))
        evidence = await on.selector.select(question, found) if path else found
        emit(EvidenceFound(queries=queries, evidence=evidence))
        first = first or evidence.ids
        judged = await on.judge.judge(question, _scored_for_the_question(_read(evidence, on), first))
        judgement = feasible(judged, on.able)
        emit(Judged(judgement=judgement))
        asked, queries = queries, ()
        while not queries:
            choice = next_action(judgement, evidence.ids, path, limits, able, on.worth)
            if choice.action in SEARCHING:
                search, queries = await _next_search(choice.action, question, evidence, judgement, path, on)
            if choice.action not in SEARCHING or queries:
                path += (Step(choice.action, asked, evidence.ids, judgement.sufficiency),)
                emit(Acted(step=path[-1], reason=choice.reason))
            if choice.action not in SEARCHING:
                return Gathered(choice.action, evidence, judgement, path)
            able -= frozenset() if queries else {choice.action}  # nothing is left to ask in this way


def _read(evidence: Evidence, on: Stages) -> Evidence:
    """The evidence as this run may read it: no model is shown what reads like an instruction to one."""
    return evidence.readable if on.masking else evidence


def _scored_for_the_question(evidence: Evidence, first: frozenset[str]) -> Evidence:
    """The evidence without the cosines of later searches: they are to another query than the user's."""
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
    on: Stages,
) -> tuple[Retriever, tuple[str, ...]]:
    """Where an action searches, and for what."""
    if action is Action.EXTERNAL:
        return on.outside, await on.refiner.outside(question, judgement)
    return on.retriever, await on.refiner.refine(question, evidence, judgement, path)


async def write(
    question: Question,
    evidence: Evidence,
    on: Stages,
    writer: Writer,
    limits: Limits,
    emit: Emit,
    first: int = 0,
    advice: tuple[Finding, ...] = (),
) -> Written:
    """One draft, each of its sentences tested and mended as it comes; `first` sentences came before it.

    With a settler they are tested when all have come: it is asked about all of them in one call.
    Where the question's seconds are used up while it is tested or mended, what the writer has sent is still taken,
    and the draft is cut; raises DeadlinePassed where nothing of it passed, or the writer itself was waited for. A
    draft that its writer cut off at its limit keeps the sentences before that; raises UnusableReply where there are
    none, and where it ended otherwise without being whole: a half answer is no answer.
    """
    emit(StatusChanged(stage="write"))
    written, waiting = Written(evidence), list[Sentence]()
    async with aclosing(writer.write(question, evidence, advice)) as parts:
        while True:
            try:
                async with on.in_time():
                    part = await anext(parts, _BROKEN_OFF)
            except DeadlinePassed:
                if not (written.late and written.stated):
                    raise
                return replace(written, cut=True)
            if isinstance(part, Sentence):
                numbered = replace(part, number=first + part.number)
                emit(SentenceProvisional(sentence=numbered))
                if on.settler is None:
                    written = await examined(numbered, written, question, on, limits, emit)
                else:
                    waiting.append(numbered)
            elif part.reason == "stop" or (part.reason == "length" and (written.seen or waiting)):
                break
            else:
                raise unusable(part.reason)
    if on.settler is not None and waiting:
        await _settled(on.settler, question, evidence, waiting, on)
    for sentence in waiting:
        written = await examined(sentence, written, question, on, limits, emit)
    return replace(written, notes=(*part.notes, *written.notes), cut=part.reason == "length")


async def _settled(
    settler: Settler, question: Question, evidence: Evidence, sentences: Sequence[Sentence], on: Stages
) -> None:
    """Have all that the sentences leave open ruled on; where it is too late, each test will say so itself."""
    with suppress(DeadlinePassed):
        async with on.in_time():
            await settler.settle(question, evidence, compose(tuple(sentences)))


async def quote_instead(
    question: Question, evidence: Evidence, on: Stages, limits: Limits, failed: Written, emit: Emit
) -> Written:
    """The sources' own words, where nothing of what was written passed; the failed draft where they say nothing."""
    quoted = await write(question, evidence, on, on.quoter, limits, emit, first=failed.seen)
    if not quoted.verified:
        return replace(failed, drafts=2)
    written = f"none of the {failed.seen} sentences" if failed.seen > 1 else "the one sentence"
    passed = "passed its tests" if failed.seen > 1 else "did not pass its tests"
    note = f"{written} that {on.models.writer} wrote {passed}: the answer is quoted from the sources instead"
    made = quoted.instead_of(failed, "it did not pass: the sources are quoted instead")
    return replace(made, notes=(*failed.notes, f"{note}{_why(failed)}", *quoted.notes))


def _why(failed: Written) -> str:
    """What kept sentences from passing, in brackets, the first causes of them: a test that cannot be made, too."""
    ended = [each for each in failed.repairs if each.kind in (RepairKind.HEDGE, RepairKind.DROP)]
    causes = tuple(dict.fromkeys(each.reason for each in ended))[:_CAUSES]
    return f" ({'; '.join(causes)})" if causes else ""


async def examined(
    sentence: Sentence, before: Written, question: Question, on: Stages, limits: Limits, emit: Emit
) -> Written:
    """The draft with one more sentence, mended where it failed: it is verified or withdrawn, one of them."""
    sentence = before.led(sentence)
    ended: Event = SentenceWithdrawn(sentence=sentence, reason="it could not be tested")
    try:
        after = await mended(
            sentence, before.sentences, question, before.evidence, on, limits, before.asked, late=before.late
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
