"""From what a run found to the answer object that everyone is shown. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.repair import DraftState
from assay.core.review import ReviewedAnswer
from assay.core.stages import Stages
from assay.nlp.blocks import is_header
from assay.types import (
    Action,
    Answer,
    AnswerReading,
    Assessment,
    Check,
    Claim,
    Confidence,
    Criterion,
    Draft,
    Evidence,
    Explanation,
    Gathered,
    Message,
    Outcome,
    Passage,
    Question,
    Review,
    Severity,
    Source,
    SourceMapEntry,
    Status,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as it was put: its text, the dialogue before it, and what names the run.

    `streamed` says that somebody reads the sentences as they are verified.
    """

    text: str
    history: tuple[Message, ...]
    run_id: str
    profile: str
    profile_reason: str = ""
    streamed: bool = False


def assemble_answer(
    ask: Ask,
    question: Question,
    gathered: Gathered,
    whole: ReviewedAnswer,
    stages: Stages,
    reading: AnswerReading | None = None,
) -> Answer:
    """The answer object of a reviewed draft; `reading` is what a reader makes of it, where there is one.

    Quotes that do not answer the question are no answer: it is declined, unless somebody has read them already.
    """
    written = whole.written
    review, draft = written.review, written.draft
    confidence = stages.confidence_estimator.rate(gathered.judgement, review, reading)
    only_quotes = all(each.quotes for each in written.sentences)
    if confidence.answers == "no" and only_quotes and not ask.streamed:
        return assemble_refusal(ask, question, gathered, stages, written.notes)
    if _is_written(written, stages) and confidence.answers == "unsure":
        # The bars were fitted on quotes: of a model's own words only a plain yes or no means something.
        confidence = replace(confidence, answers=None)
    relevant = _relevant(confidence)
    checks = gathered.judgement.checks + review.checks + relevant
    sources = numbered(draft, written.evidence, review.claims)
    return Answer(
        run_id=ask.run_id,
        question=ask.text,
        outcome=Outcome.PARTIAL if _is_partial(question, gathered) or written.cut else Outcome.ANSWERED,
        text=draft.text,
        verdict=review.verdict,
        claims=review.claims,
        sources=sources,
        citations=review.citations,
        invalid_citations=review.invalid_citations,
        judgement=gathered.judgement,
        checks=checks,
        findings=review.findings,
        repairs=written.repairs,
        drafts=written.drafts,
        iterations=len(gathered.path),
        confidence=confidence,
        warnings=(
            *(*_unclear(gathered), *_told(question, gathered, stages), *written.notes, *_late(written)),
            *(*_not_made(gathered.judgement.checks + review.checks), *told_apart(review), *_weak(whole.assessment)),
        ),
        models=stages.models,
        usage=stages.spent(),
        profile=ask.profile,
        mode_used=gathered.judgement.mode_used,
        ms=0.0,
        profile_reason=ask.profile_reason,
        dropped=written.dropped,
        assessment=whole.assessment,
        explanation=Explanation(written.prompt, source_map(review.claims, sources)) if stages.explains else None,
    )


def source_map(claims: Sequence[Claim], sources: Sequence[Source]) -> tuple[SourceMapEntry, ...]:
    """What each claim of an answer stands on: the sources that it cites or quotes, by their numbers."""
    numbers = {source.passage_id: source.number for source in sources}
    entries = []
    for claim in claims:
        used = dict.fromkeys((*claim.citations, *(span.passage_id for span in claim.spans)))
        known = tuple(numbers[each] for each in used if each in numbers)
        entries.append(SourceMapEntry(claim.start, claim.end, claim.text, known, claim.spans))
    return tuple(entries)


def _told(question: Question, gathered: Gathered, stages: Stages) -> tuple[str, ...]:
    """What understanding and searching had to tell, each once."""
    return tuple(dict.fromkeys((*question.notes, *gathered.evidence.notes, *stages.notes())))


def _unclear(gathered: Gathered) -> tuple[str, ...]:
    """Why the question is unclear, for an answer or a refusal that does not ask back."""
    return (gathered.judgement.reason,) if gathered.judgement.recommendation is Action.CLARIFY else ()


def _is_written(written: DraftState, stages: Stages) -> bool:
    """Whether a model wrote the answer, in words of its own."""
    return stages.models.writer != "extractive" and not any(each.quotes for each in written.sentences)


def _is_partial(question: Question, gathered: Gathered) -> bool:
    """Whether an answer leaves something out: a part of the question, or what a model named as missing."""
    judgement = gathered.judgement
    if len(question.aspects) > 1:
        return any(each.state == "missing" for each in judgement.aspects)
    return gathered.action is Action.ANSWER and bool(judgement.missing)


def _relevant(confidence: Confidence) -> tuple[Check, ...]:
    """The check that the answer answers the question; none where no reader read it."""
    if confidence.answers is None:
        return ()
    if confidence.answers == "yes":
        return (Check("answers", Status.PASSED, Severity.BLOCK),)
    verb = "may" if confidence.answers == "unsure" else "does"
    return (Check("answers", Status.UNKNOWN, Severity.BLOCK, None, f"it {verb} not answer the question"),)


def _not_made(checks: tuple[Check, ...]) -> tuple[str, ...]:
    """The warning that counts the checks that could not be made."""
    count = sum(check.status is Status.UNKNOWN for check in checks)
    return (f"{count} check{'s' * (count > 1)} could not be made",) if count else ()


def told_apart(review: Review) -> tuple[str, ...]:
    """A warning for each claim of which a model says otherwise than the tests without one.

    >>> apart = Check("agreement", Status.FAILED, Severity.WARN, 2, "the tests: unsupported; m: supported")
    >>> told_apart(Review((), (apart,), ()))
    ('the model and the tests disagree on claim 2 (the tests: unsupported; m: supported): read its source',)
    """
    apart = (each for each in review.checks if each.name == "agreement" and each.status is Status.FAILED)
    return tuple(
        f"the model and the tests disagree on claim {each.claim} ({each.cause}): read its source" for each in apart
    )


def _weak(assessment: Assessment | None) -> tuple[str, ...]:
    """The warning that an answer is weak by its own assessment: the criteria under their floor, or the whole.

    >>> from assay.types import Criterion, CriterionScore
    >>> scores = CriterionScore(Criterion.ACCURACY, 1.0), CriterionScore(Criterion.RELEVANCE, 0.45)
    >>> _weak(Assessment(scores, 0.725, False, "", Criterion.RELEVANCE, 0.7, 0.5))
    ('the answer is weak by its own assessment (the verdict stays): relevance 0.450, each criterion needs 0.500',)
    >>> _weak(Assessment(scores, 0.725, False, "", Criterion.RELEVANCE, 0.8, 0.5))[0].partition(": ")[2]
    '0.725 overall, 0.800 needed; weakest: relevance 0.450'
    """
    if assessment is None or assessment.passed is not False or assessment.overall is None:
        return ()
    weak = "the answer is weak by its own assessment (the verdict stays): "
    bar, floor = assessment.bar, assessment.floor
    known = [(each.criterion, each.score) for each in assessment.scores if each.score is not None]
    if bar is not None and floor is not None and assessment.overall >= bar:
        low = ", ".join(_scored(*each) for each in known if each[1] < floor)
        return (f"{weak}{low}, each criterion needs {floor:.3f}",)
    needed = "" if bar is None else f", {bar:.3f} needed"
    weakest = "".join(f"; weakest: {_scored(*each)}" for each in known if each[0] is assessment.weakest)
    return (f"{weak}{assessment.overall:.3f} overall{needed}{weakest}",)


def _scored(criterion: Criterion, score: float) -> str:
    return f"{criterion.replace('_', ' ')} {score:.3f}"


def _late(written: DraftState) -> tuple[str, ...]:
    """The warning that the question's seconds were used up before the answer was finished."""
    if not written.late:
        return ()
    what = "written to its end" if written.cut else "tested and mended to its end"
    return (f"the deadline passed before the answer was {what}: what was not tested is unknown",)


def assemble_refusal(
    ask: Ask, question: Question, gathered: Gathered, stages: Stages, notes: tuple[str, ...] = ()
) -> Answer:
    """The answer object of a question that is not answered: what is missing and what was tried.

    `notes` are those of a draft without sentences.
    """
    clarifies = gathered.action is Action.CLARIFY
    return Answer(
        run_id=ask.run_id,
        question=ask.text,
        outcome=Outcome.CLARIFY if clarifies else Outcome.ABSTAINED,
        text=stages.abstainer.decline(question, gathered),
        verdict=Verdict.UNKNOWN,
        claims=(),
        sources=(),
        citations=(),
        invalid_citations=(),
        judgement=gathered.judgement,
        checks=gathered.judgement.checks,
        findings=(),
        repairs=(),
        drafts=0,
        iterations=len(gathered.path),
        confidence=stages.confidence_estimator.rate(gathered.judgement, Review((), (), ())),
        warnings=(
            *(() if clarifies else _unclear(gathered)),
            *(*_told(question, gathered, stages), *notes, *_not_made(gathered.judgement.checks)),
        ),
        models=stages.models,
        usage=stages.spent(),
        profile=ask.profile,
        mode_used=gathered.judgement.mode_used,
        ms=0.0,
        profile_reason=ask.profile_reason,
    )


def numbered(draft: Draft, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Source, ...]:
    """The draft's sources with their numbers, quoted whole, each placed where the claims first quote it."""
    passages = {passage.passage_id: passage for passage in evidence.passages}
    return tuple(source(n, passages[each], claims) for n, each in enumerate(draft.sources, 1) if each in passages)


def source(number: int, passage: Passage, claims: Sequence[Claim]) -> Source:
    """The passage as source `number` of an answer with these claims.

    >>> from assay.types import Location, Place
    >>> places = (Place(0, Location(page=1)), Place(11, Location(page=2)))
    >>> passage = Passage("p", "d", "r", 0, 19, "It rained. It snowed", places=places, location=Location(page=1))
    >>> said = Claim(1, "It snowed", 0, 9, ("p",), Verdict.SUPPORTED, 1.0, (passage.span_of(11, 19),))
    >>> source(1, passage, [said]).location.page, source(1, passage, []).location.page
    (2, 1)
    """
    quoted = [span for claim in claims for span in claim.spans if span.passage_id == passage.passage_id]
    # A table's header is quoted for its rows, which are what a reader looks for.
    rows = [span for span in quoted if not is_header(passage, span.start, span.end)]
    first = min(rows or quoted, key=lambda span: span.start, default=None)
    return Source(
        number=number,
        passage_id=passage.passage_id,
        document_id=passage.document_id,
        title=passage.title,
        location=passage.location if first is None else first.location,
        start=passage.start,
        end=passage.end,
        quote=passage.text,
        sha256=hashlib.sha256(passage.text.encode()).hexdigest(),
        origin=passage.origin,
        path=passage.source,
        line=passage.line_at(passage.start if first is None else first.start),
    )
