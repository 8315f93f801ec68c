"""The sentence: understand, gather, write, test, and say what passed.

It knows types, stages and policy, nothing else.
"""

from __future__ import annotations

from itertools import accumulate

from assay.policy import next_action
from assay.result import Ask, answered, declined
from assay.stages import Emit, Stages
from assay.types import (
    Acted,
    Action,
    Answer,
    Draft,
    Evidence,
    EvidenceFound,
    Finding,
    FindingMade,
    Finished,
    Gathered,
    Judged,
    Limits,
    Question,
    Review,
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
    sentences = await write(question, gathered.evidence, on, emit)
    if not sentences:
        return declined(ask, question, gathered, on)
    draft = compose(sentences)
    emit(StatusChanged(stage="verify"))
    review = await on.verifier.review(question, gathered.evidence, draft)
    announce(sentences, draft, review, emit)
    return answered(ask, gathered, draft, review, on)


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
) -> tuple[Sentence, ...]:
    """The sentences of one draft; none, all withdrawn, where the writer ended without a complete answer."""
    emit(StatusChanged(stage="write"))
    sentences: list[Sentence] = []
    ending = "no ending"
    async for part in on.writer.write(question, evidence, advice):
        if isinstance(part, Finished):
            ending = part.reason
        else:
            sentences.append(part)
            emit(SentenceProvisional(sentence=part))
    if ending == "stop":
        return tuple(sentences)
    for sentence in sentences:
        emit(SentenceWithdrawn(sentence=sentence, reason=f"the draft is not complete: {ending}"))
    return ()


def compose(sentences: tuple[Sentence, ...]) -> Draft:
    """The draft's text with `[n]` marks; a passage's number is its place in order of first citation.

    >>> compose((Sentence(1, "Water boils at 100 °C.", ("p7",)), Sentence(2, "It freezes at 0 °C.", ("p7",)))).text
    'Water boils at 100 °C. [1] It freezes at 0 °C. [1]'
    """
    sources = tuple(dict.fromkeys(each for sentence in sentences for each in sentence.passage_ids))
    number = {passage_id: n for n, passage_id in enumerate(sources, 1)}
    marked = [
        " ".join([sentence.text, *(f"[{number[each]}]" for each in sentence.passage_ids)]) for sentence in sentences
    ]
    ends = tuple(accumulate((len(each) + 1 for each in marked), initial=0))
    spans = tuple(Span(start, start + len(each)) for start, each in zip(ends, marked, strict=False))
    return Draft(" ".join(marked), sources, spans)


def announce(sentences: tuple[Sentence, ...], draft: Draft, review: Review, emit: Emit) -> None:
    """Tell each sentence's one end, and each finding."""
    for finding in review.findings:
        emit(FindingMade(finding=finding))
    blocked = {each.claim: each.message for each in review.findings if each.severity is Severity.BLOCK}
    for sentence, span in zip(sentences, draft.spans, strict=True):
        claims = [claim.n for claim in review.claims if span.start <= claim.start < span.end]
        reason = next((blocked[n] for n in (*claims, None) if n in blocked), None)
        if reason is None:
            emit(SentenceVerified(sentence=sentence))
        else:
            emit(SentenceWithdrawn(sentence=sentence, reason=reason))
