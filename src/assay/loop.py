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
from assay.stages import Emit, Stages
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
    Limits,
    Question,
    Sentence,
    SentenceProvisional,
    SentenceVerified,
    SentenceWithdrawn,
    Severity,
    Span,
    StatusChanged,
    Step,
)


async def answer(ask: Ask, on: Stages, limits: Limits, emit: Emit) -> Answer:
    """Answer a question from the evidence, or say why it cannot be answered.

    The result's `ms` is 0 and its `trace` empty: the engine, which holds the clock, fills them in.
    """
    emit(StatusChanged(stage="understand"))
    question = await on.understander.understand(ask.text, ask.history)
    gathered = await gather(question, on, limits, emit)
    if gathered.action is not Action.ANSWER:
        return declined(ask, question, gathered, on)
    written = await write(question, gathered.evidence, on, emit)
    if not written.sentences:
        return declined(ask, question, gathered, on)
    review = on.verifier.conclude(question, written.draft, written.review)
    for finding in review.findings[len(written.review.findings) :]:
        emit(FindingMade(finding=finding))
    return answered(ask, question, gathered, replace(written, review=review), on)


async def gather(question: Question, on: Stages, limits: Limits, emit: Emit) -> Gathered:
    """Retrieve and judge until the policy stops asking for more."""
    path: tuple[Step, ...] = ()
    queries, evidence = (question.standalone,), Evidence()
    while True:
        emit(StatusChanged(stage="retrieve"))
        evidence = evidence.merge(await on.retriever.retrieve(queries))
        emit(EvidenceFound(queries=queries, evidence=evidence))
        judgement = await on.judge.judge(question, evidence)
        emit(Judged(judgement=judgement))
        action = next_action(judgement, path, limits, on.able)
        path += (Step(action, queries, evidence.ids, judgement.sufficiency),)
        emit(Acted(step=path[-1], reason=judgement.reason))
        match action:
            case Action.ANSWER | Action.CLARIFY | Action.ABSTAIN:
                return Gathered(action, evidence, judgement, path)
            case Action.REFINE | Action.EXTERNAL:
                raise AssertionError(f"{action} was chosen, and no stage carries it out")


async def write(
    question: Question, evidence: Evidence, on: Stages, emit: Emit, advice: tuple[Finding, ...] = ()
) -> Written:
    """One draft, each of its sentences tested as it comes.

    Raises UnusableReply where the writer ended without a whole draft: a half answer is no answer.
    """
    emit(StatusChanged(stage="write"))
    written = Written()
    async with aclosing(on.writer.write(question, evidence, advice)) as parts:
        async for part in parts:
            if isinstance(part, Sentence):
                written = await examined(part, written, question, evidence, on, emit)
            elif part.reason == "stop":
                return replace(written, notes=part.notes)
            else:
                raise unusable(part.reason)
    raise unusable("incomplete")


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
    return Written(sentences, draft, whole)


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
