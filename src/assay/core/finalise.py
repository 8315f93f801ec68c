"""Assemble the answer object that everyone is shown. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.draft import DraftState
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
    Judgement,
    Message,
    Outcome,
    Passage,
    Question,
    Review,
    Severity,
    Source,
    SourceMapEntry,
    Status,
)

# The fault of an answer that scores low in a criterion.
_FAULTS = {
    Criterion.ACCURACY: "inaccurate",
    Criterion.COMPLETENESS: "incomplete",
    Criterion.COHERENCE: "hard to follow",
    Criterion.RELEVANCE: "off the point",
    Criterion.CITATION_QUALITY: "poorly cited",
    Criterion.USER_ALIGNMENT: "unsuited to the reader",
}
_NOT_JUDGED = Judgement(None, Action.ANSWER, "nothing was searched: the sources were given", mode_used="given")


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
    written: DraftState,
    stages: Stages,
    reading: AnswerReading | None = None,
) -> Answer:
    """The answer object of a reviewed own draft; `reading` is what a reader makes of it, if there is one.

    Quotes that do not answer the question are no answer: it is declined, unless somebody has read them already.
    """
    review = written.review
    confidence = stages.confidence_estimator.rate(gathered.judgement, review, reading)
    only_quotes = all(sentence.quotes for sentence in written.sentences)
    if confidence.answers == "no" and only_quotes and not ask.streamed:
        return assemble_refusal(ask, question, gathered, stages, written.notes)
    if _is_by_model(written, stages) and confidence.answers == "unsure":
        # The thresholds were fitted on quotes: of a model's own words only a plain yes or no means something.
        confidence = replace(confidence, answers=None)
    answer = _answer(ask, written, stages, _as_typed(gathered.judgement, question), confidence)
    is_partial = _is_partial(question, gathered) or written.is_cut
    sources = _numbered_sources(written.draft, written.evidence, review.claims)
    return replace(
        answer,
        outcome=Outcome.PARTIAL if is_partial else Outcome.ANSWERED,
        sources=sources,
        checks=gathered.judgement.checks + review.checks + _relevance_check(confidence, gathered.judgement),
        searches=len(gathered.path),
        warnings=(
            *(*_unclear(gathered), *_search_warnings(question, gathered, stages)),
            *(*written.notes, *_late(written)),
            *(*_not_made(gathered.judgement.checks + review.checks), *disagreements(review)),
            *_weak(written.assessment, only_quotes=only_quotes),
        ),
        explanation=Explanation(written.prompt, source_map(review.claims, sources)) if stages.explains else None,
    )


def assemble_refusal(
    ask: Ask, question: Question, gathered: Gathered, stages: Stages, notes: tuple[str, ...] = ()
) -> Answer:
    """The answer object of a question that is not answered: what is missing and what was tried.

    `notes` are those of a draft without sentences.
    """
    gathered = replace(gathered, judgement=_after_refusal(gathered))
    judgement, nothing = gathered.judgement, DraftState(Evidence(), drafts=0)
    unclear = () if gathered.action is Action.CLARIFY else _unclear(gathered)
    confidence = stages.confidence_estimator.rate(judgement, nothing.review)
    refusal = stages.abstainer.decline(question, gathered)
    return replace(
        _answer(ask, nothing, stages, _as_typed(judgement, question), confidence),
        outcome=Outcome.CLARIFY if gathered.action is Action.CLARIFY else Outcome.ABSTAINED,
        text=refusal.text,
        choices=refusal.choices,
        checks=judgement.checks,
        searches=len(gathered.path),
        warnings=(
            *(*unclear, *_search_warnings(question, gathered, stages)),
            *(*notes, *_not_made(judgement.checks)),
        ),
    )


def _after_refusal(gathered: Gathered) -> Judgement:
    """The judgement of a refused question, with a reason that fits where its evidence had seemed to suffice."""
    judgement = gathered.judgement
    if gathered.action is not Action.ANSWER:
        return judgement
    return replace(judgement, reason="the passages seemed to cover the question, but none of them answers it")


def assemble_given(ask: Ask, draft: DraftState, stages: Stages) -> Answer:
    """The answer object of a reviewed draft from elsewhere: nothing was searched for it."""
    answer = _answer(ask, draft, stages, _NOT_JUDGED, stages.confidence_estimator.rate(_NOT_JUDGED, draft.review))
    return replace(
        answer,
        sources=_used_sources(draft.evidence, draft.review),
        models=replace(stages.models, writer="elsewhere", judge="none"),
        warnings=(*stages.notes(), *draft.notes, *_late(draft), *disagreements(draft.review)),
    )


def _as_typed(judgement: Judgement, question: Question) -> Judgement:
    """The judgement with what is missing in the user's spelling."""
    return replace(judgement, missing=tuple(question.as_typed(thing) for thing in judgement.missing))


def _answer(ask: Ask, written: DraftState, stages: Stages, judgement: Judgement, confidence: Confidence) -> Answer:
    """The part of every answer object that comes from its draft; `ms` and the trace are the run's."""
    draft, review = written.draft, written.review
    return Answer(
        run_id=ask.run_id,
        question=ask.text,
        outcome=Outcome.ANSWERED,
        text=draft.text,
        verdict=review.verdict,
        claims=review.claims,
        sources=(),
        citations=review.citations,
        invalid_citations=review.invalid_citations,
        judgement=judgement,
        checks=review.checks,
        findings=review.findings,
        repairs=written.repairs,
        drafts=written.drafts,
        iterations=written.drafts,
        searches=0,
        confidence=confidence,
        warnings=(),
        models=stages.models,
        usage=stages.spent(),
        profile=ask.profile,
        mode_used=judgement.mode_used,
        ms=0.0,
        profile_reason=ask.profile_reason,
        dropped=written.dropped,
        assessment=written.assessment,
    )


def source_map(claims: Sequence[Claim], sources: Sequence[Source]) -> tuple[SourceMapEntry, ...]:
    """The sources that each claim of an answer cites or quotes, by their numbers."""
    numbers = {source.passage_id: source.number for source in sources}
    entries = []
    for claim in claims:
        used = dict.fromkeys((*claim.citations, *(span.passage_id for span in claim.spans)))
        known = tuple(numbers[passage_id] for passage_id in used if passage_id in numbers)
        entries.append(SourceMapEntry(claim.start, claim.end, claim.text, known, claim.spans))
    return tuple(entries)


def _search_warnings(question: Question, gathered: Gathered, stages: Stages) -> tuple[str, ...]:
    """The warnings of understanding and searching, each once."""
    return tuple(dict.fromkeys((*question.notes, *gathered.evidence.notes, *stages.notes())))


def _unclear(gathered: Gathered) -> tuple[str, ...]:
    """The reasons why the question is unclear, for an answer or a refusal that does not ask back."""
    return (gathered.judgement.reason,) if gathered.judgement.recommendation is Action.CLARIFY else ()


def _is_by_model(written: DraftState, stages: Stages) -> bool:
    """True if a model wrote the answer, in words of its own."""
    has_quotes = any(sentence.quotes for sentence in written.sentences)
    return stages.models.writer != "extractive" and not has_quotes


def _is_partial(question: Question, gathered: Gathered) -> bool:
    """True if an answer leaves something out: a part of the question, or what a model named as missing."""
    judgement = gathered.judgement
    if len(question.aspects) > 1:
        return any(aspect.state == "missing" for aspect in judgement.aspects)
    return gathered.action is Action.ANSWER and bool(judgement.missing)


def _relevance_check(confidence: Confidence, judgement: Judgement) -> tuple[Check, ...]:
    """The check that the answer answers the question; none if no reading network checked it."""
    if confidence.answers is None:
        return ()
    if confidence.answers == "yes":
        return (Check("answers", Status.PASSED, Severity.BLOCK),)
    verb = "may" if confidence.answers == "unsure" else "does"
    cause = "the sources disagree" if judgement.contradictions else f"it {verb} not answer the question"
    return (Check("answers", Status.UNKNOWN, Severity.BLOCK, None, cause),)


def _not_made(checks: tuple[Check, ...]) -> tuple[str, ...]:
    """The warning that counts the checks that could not be run."""
    count = sum(check.status is Status.UNKNOWN for check in checks)
    return (f"{count} check{'s' * (count > 1)} could not be run",) if count else ()


def disagreements(review: Review) -> tuple[str, ...]:
    """A warning for each claim on which a model and the tests without one disagree.

    >>> apart = Check("agreement", Status.FAILED, Severity.WARN, 2, "the tests: unsupported; m: supported")
    >>> disagreements(Review((), (apart,), ()))
    ('the model and the tests disagree about claim 2 (the tests: unsupported; m: supported): read its source',)
    """
    return tuple(
        f"the model and the tests disagree about claim {check.claim} ({check.cause}): read its source"
        for check in review.checks
        if check.name == "agreement" and check.status is Status.FAILED
    )


def _weak(assessment: Assessment | None, *, only_quotes: bool = False) -> tuple[str, ...]:
    """The warning that an answer is weak by its own assessment: criteria under their floor, or the weakest one.

    The form of quotes is their source's: that they suit the user badly is no fault of the answer.

    >>> from assay.types import CriterionScore
    >>> scores = CriterionScore(Criterion.ACCURACY, 1.0), CriterionScore(Criterion.RELEVANCE, 0.45)
    >>> _weak(Assessment(scores, 0.725, False, "", Criterion.RELEVANCE, 0.7, 0.5))
    ('the answer may be off the point, by its own assessment',)
    >>> scores = CriterionScore(Criterion.ACCURACY, 1.0), CriterionScore(Criterion.USER_ALIGNMENT, 0.45)
    >>> _weak(Assessment(scores, 0.725, False, "", Criterion.USER_ALIGNMENT, 0.7, 0.5), only_quotes=True)
    ()
    """
    if assessment is None or assessment.passed is not False or assessment.overall is None:
        return ()
    threshold, floor = assessment.bar, assessment.floor
    weak = [] if assessment.weakest is None else [assessment.weakest]
    if threshold is not None and floor is not None and assessment.overall >= threshold:
        weak = [
            score.criterion
            for score in assessment.scores
            if score.score is not None
            and score.score < floor
            and not (only_quotes and score.criterion is Criterion.USER_ALIGNMENT)
        ]
        if not weak:
            return ()
    faults = " or ".join(_FAULTS[criterion] for criterion in weak) or "weak"
    return (f"the answer may be {faults}, by its own assessment",)


def _late(written: DraftState) -> tuple[str, ...]:
    """The warning that the question's seconds were used up before the answer was finished."""
    if not written.is_late:
        return ()
    what = "written" if written.is_cut else "tested and repaired"
    return (f"the deadline passed before the {written.kind} was fully {what}; untested parts count as unknown",)


def _numbered_sources(draft: Draft, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Source, ...]:
    """The draft's sources with their numbers and full texts, each placed where the claims first quote it."""
    passages = {passage.passage_id: passage for passage in evidence.passages}
    known = ((n, passages[cited]) for n, cited in enumerate(draft.sources, 1) if cited in passages)
    return tuple(source(n, passage, claims) for n, passage in known)


def _used_sources(evidence: Evidence, review: Review) -> tuple[Source, ...]:
    """The passages that the claims cite or stand on, by their numbers in the evidence."""
    used = {passage_id for claim in review.claims for passage_id in claim.citations}
    used |= {span.passage_id for claim in review.claims for span in claim.spans}
    known = ((n, passage) for n, passage in enumerate(evidence.passages, 1) if passage.passage_id in used)
    return tuple(source(n, passage, review.claims) for n, passage in known)


def source(number: int, passage: Passage, claims: Sequence[Claim]) -> Source:
    """The passage as source `number` of an answer with these claims.

    >>> from assay.types import Location, Place, Verdict
    >>> places = (Place(0, Location(page=1)), Place(11, Location(page=2)))
    >>> passage = Passage("p", "d", "r", 0, 19, "It rained. It snowed", places=places, location=Location(page=1))
    >>> claim = Claim(1, "It snowed", 0, 9, ("p",), Verdict.SUPPORTED, 1.0, (passage.span_of(11, 19),))
    >>> source(1, passage, [claim]).location.page, source(1, passage, []).location.page
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
