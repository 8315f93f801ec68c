"""The sentence: understand, gather, write, test, and say what passed.

It knows types, stages and policy, nothing else. Each sentence is tested as it is written; a verified one is never
touched again.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from itertools import accumulate

from assay.errors import unusable
from assay.policy import next_action
from assay.result import Ask, Written, answered, declined
from assay.stages import Emit, Retriever, Stages, Writer
from assay.types import (
    Acted,
    Action,
    Answer,
    Draft,
    Event,
    Evidence,
    EvidenceFound,
    Finding,
    FindingMade,
    Gathered,
    Judged,
    Judgement,
    Limits,
    Question,
    Scores,
    Sentence,
    SentenceProvisional,
    SentenceVerified,
    SentenceWithdrawn,
    Severity,
    Span,
    StatusChanged,
    Step,
)
from assay.worth import SEARCHING


async def answer(ask: Ask, on: Stages, limits: Limits, emit: Emit) -> Answer:
    """Answer a question from the evidence, or say why it cannot be answered.

    The result's `ms` is 0 and its `trace` empty: the engine, which holds the clock, fills them in.
    """
    emit(StatusChanged(stage="understand"))
    question = await on.understander.understand(ask.text, ask.history)
    gathered = await gather(question, on, limits, emit)
    if gathered.action is not Action.ANSWER:
        return declined(ask, question, gathered, on)
    # What is masked is no evidence; where sources disagree, each reading is to be told.
    evidence = replace(gathered.evidence.readable, contradictions=gathered.judgement.contradictions)
    written = await write(question, evidence, on, on.writer, emit)
    if written.is_worthless and on.quoter is not on.writer:
        written = await quote_instead(question, evidence, on, written, emit)
    if not written.sentences:
        return declined(ask, question, gathered, on)
    review = on.verifier.conclude(question, written.draft, written.review)
    for finding in review.findings[len(written.review.findings) :]:
        emit(FindingMade(finding=finding))
    return answered(ask, question, gathered, replace(written, review=review), on)


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
        judgement = await on.judge.judge(question, _scored_for_the_question(evidence.readable, first))
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
    emit: Emit,
    first: int = 0,
    advice: tuple[Finding, ...] = (),
) -> Written:
    """One draft, each of its sentences tested as it comes; `first` sentences came before it.

    Raises UnusableReply where the writer ended without a whole draft: a half answer is no answer.
    """
    emit(StatusChanged(stage="write"))
    written = Written()
    async with aclosing(writer.write(question, evidence, advice)) as parts:
        async for part in parts:
            if isinstance(part, Sentence):
                numbered = replace(part, number=first + part.number)
                written = await examined(numbered, written, question, evidence, on, emit)
            elif part.reason == "stop":
                return replace(written, notes=part.notes)
            else:
                raise unusable(part.reason)
    raise unusable("incomplete")


async def quote_instead(question: Question, evidence: Evidence, on: Stages, failed: Written, emit: Emit) -> Written:
    """The sources' own words, where nothing of what was written passed; the failed draft where they say nothing."""
    quoted = await write(question, evidence, on, on.quoter, emit, first=len(failed.sentences))
    if not quoted.verified:
        return replace(failed, drafts=2)
    count = len(failed.sentences)
    written = f"none of the {count} sentences" if count > 1 else "the one sentence"
    passed = "passed its tests" if count > 1 else "did not pass its tests"
    note = f"{written} that {on.models.writer} wrote {passed}: the answer is quoted from the sources instead"
    return replace(quoted, notes=(*failed.notes, note, *quoted.notes), drafts=2)


async def examined(
    sentence: Sentence, before: Written, question: Question, evidence: Evidence, on: Stages, emit: Emit
) -> Written:
    """The draft with one more sentence, which is verified or withdrawn: it has exactly one end."""
    emit(SentenceProvisional(sentence=sentence))
    ended: Event = SentenceWithdrawn(sentence=sentence, reason="it could not be tested")
    try:
        sentences = (*before.sentences, sentence)
        draft = compose(sentences)
        review = await on.verifier.review(question, evidence, draft, after=len(before.sentences))
        blocked = next((each.message for each in review.findings if each.severity is Severity.BLOCK), None)
        verified = SentenceVerified(sentence=sentence)
        ended = SentenceWithdrawn(sentence=sentence, reason=blocked) if blocked is not None else verified
    finally:
        emit(ended)
    whole = before.review.followed_by(review)
    for finding in whole.findings[len(before.review.findings) :]:
        emit(FindingMade(finding=finding))
    return Written(sentences, before.verified + (blocked is None), draft=draft, review=whole)


def compose(sentences: tuple[Sentence, ...]) -> Draft:
    """The draft's text with `[n]` marks; a passage's number is its place in order of first citation.

    A mark that names no passage stays as it was written: it is above every number given, and fails its check.

    >>> compose((Sentence(1, "Water boils at 100 °C.", ("p7",)), Sentence(2, "It freezes at 0 °C.", ("p7",)))).text
    'Water boils at 100 °C. [1] It freezes at 0 °C. [1]'
    """
    sources = tuple(dict.fromkeys(each for sentence in sentences for each in sentence.passage_ids))
    number = {passage_id: n for n, passage_id in enumerate(sources, 1)}
    marked = [
        " ".join([each.text, *(f"[{number[cited]}]" for cited in each.passage_ids), *each.unknown_marks])
        for each in sentences
    ]
    # A sentence that begins a line brings its line break along.
    parts = [each if n == 0 or each.startswith("\n") else f" {each}" for n, each in enumerate(marked)]
    ends = tuple(accumulate(map(len, parts)))
    spans = tuple(Span(end - len(each), end) for end, each in zip(ends, marked, strict=True))
    return Draft("".join(parts), sources, spans)
