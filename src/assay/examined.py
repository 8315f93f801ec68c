"""Anyone's draft as a run: tested, on wish mended, assessed as a whole, and recorded like an answer.

Nothing is searched and nothing is written: the draft and its sources are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.conduct import one_end
from assay.errors import BudgetSpent, ProviderError
from assay.fix import fixed
from assay.result import source
from assay.ruled import ruled
from assay.run import Run, RunEvents
from assay.stages import Sink, Stages
from assay.types import (
    Action,
    Answer,
    Assessment,
    Check,
    Done,
    Draft,
    Event,
    Evidence,
    Fixed,
    Hit,
    Judgement,
    Outcome,
    Question,
    Review,
    Severity,
    Source,
    SourceSpan,
    Status,
    StatusChanged,
)

# A longer draft is tested, and neither assessed nor recorded: nobody reads its record, of a hundred megabytes.
LONGEST_RECORDED = 100_000
_NOT_RECORDED = f"a draft of more than {LONGEST_RECORDED:,} characters is neither assessed nor recorded"
# How much of a draft names its run where it answers no question.
_NAME = 80
_NOT_JUDGED = Judgement(None, Action.ANSWER, "nothing was searched: the sources were given", mode_used="given")


@dataclass(frozen=True, slots=True)
class Given:
    """A draft from elsewhere, `evidence` to hold it to, and the `question` that it answers, "" for none.

    It is mended where `mends`, and what no repair mends taken out where `drops`.
    """

    text: str
    evidence: Evidence
    question: str = ""
    mends: bool = False
    drops: bool = False

    @property
    def name(self) -> str:
        """What its run is called."""
        beginning = " ".join(self.text[: 4 * _NAME].split())[:_NAME]
        return self.question or f"draft: {beginning}"


@dataclass(frozen=True, slots=True)
class Examined:
    """A draft after its examination: its review, what mending made of it, and the answer object that is recorded.

    `fixed` is None where nothing was to be mended; `recorded` says whether the run was. `assessment` of the answer
    is None where that is off, the draft is too long for it, or it could not be made; then its warnings say so.
    """

    review: Review
    answer: Answer
    fixed: Fixed | None = None
    recorded: bool = False


async def examined(given: Given, run: Run, on: Stages, sinks: Sequence[Sink] = ()) -> Examined:
    """The draft tested, mended and assessed; each sink hears of it, unless it is too long to record.

    Raises what the verifier, the repairer or the understanding of the question raises; the run then ends with it.
    """
    recorded = len(given.text) <= LONGEST_RECORDED
    events = RunEvents(run, given.name, _unheard, sinks if recorded else ())
    started = run.clock.monotonic()
    with one_end(events):
        events.emit(StatusChanged(stage="verify"))
        evidence, question = given.evidence.readable, Question("", "")
        if given.question.strip():
            question = await on.understander.understand(given.question, ())
        review, mended = await _tested(given, question, run, on)
        text = mended.text if mended else given.text
        draft = Draft(text, tuple(each.passage_id for each in evidence.passages))
        made = (None, (_NOT_RECORDED,)) if not recorded else await _assessed(question, evidence, draft, review, on)
        answer = _answer(given, run, on, draft, review, mended)
        answer = replace(
            answer,
            assessment=made[0],
            warnings=(*(mended.warnings if mended else on.notes()), *made[1], *events.warnings),
            usage=on.spent(),
            ms=1000 * (run.clock.monotonic() - started),
        )
    events.emit(Done(answer=answer))
    warnings = answer.warnings + events.warnings_since(answer)
    answer = replace(answer, trace=tuple(events.past), warnings=warnings)
    return Examined(review, answer, mended, recorded and bool(sinks) and not events.warnings)


async def _tested(given: Given, question: Question, run: Run, on: Stages) -> tuple[Review, Fixed | None]:
    """The review of the draft, or of what mending made of it, its output rules included."""
    evidence = given.evidence.readable
    if not given.mends:
        review = await on.verifier.check(given.text, evidence.passages)
        kept = await ruled(given.text, review, question, evidence, on, edits=False)
        return with_masked(kept.review, given.evidence), None
    mended = await fixed(given.text, evidence.passages, on, run.limits, drop=given.drops)
    kept = await ruled(mended.text, mended.review, question, evidence, on, edits=True)
    review = with_masked(kept.review, given.evidence)
    repairs = mended.repairs + kept.repairs
    return review, replace(mended, text=kept.text, repairs=repairs, verdict=review.verdict, review=review)


async def _assessed(
    question: Question, evidence: Evidence, draft: Draft, review: Review, on: Stages
) -> tuple[Assessment | None, tuple[str, ...]]:
    """The assessment of the whole, None where it is off or could not be made, and the warning that says why."""
    if on.assessor is None:
        return None, ()
    try:
        async with on.in_time():
            return await on.assessor.assess(question, evidence, draft, review), ()
    except (BudgetSpent, ProviderError) as error:
        return None, (f"the draft was not assessed: {error}",)


def _answer(given: Given, run: Run, on: Stages, draft: Draft, review: Review, mended: Fixed | None) -> Answer:
    """The answer object of a draft: nothing was searched for it, and its writer is somebody else."""
    return Answer(
        run_id=run.id,
        question=given.question,
        outcome=Outcome.ANSWERED,
        text=draft.text,
        verdict=review.verdict,
        claims=review.claims,
        sources=tuple(_sources(given.evidence.readable, review)),
        citations=review.citations,
        invalid_citations=review.invalid_citations,
        judgement=_NOT_JUDGED,
        checks=review.checks,
        findings=review.findings,
        repairs=mended.repairs if mended else (),
        drafts=1,
        iterations=0,
        confidence=on.rater.rate(_NOT_JUDGED, review),
        warnings=(),
        models=replace(on.models, writer="elsewhere", judge="none"),
        usage=on.spent(),
        profile=run.profile,
        mode_used=_NOT_JUDGED.mode_used,
        ms=0.0,
        profile_reason=run.profile_reason,
        dropped=mended.dropped if mended else (),
    )


def _sources(evidence: Evidence, review: Review) -> Iterator[Source]:
    """The passages that the claims cite or stand on, by their numbers in the draft."""
    used = {each for claim in review.claims for each in claim.citations}
    used |= {span.passage_id for claim in review.claims for span in claim.spans}
    for number, passage in enumerate(evidence.passages, 1):
        if passage.passage_id in used:
            yield source(number, passage, review.claims)


def with_masked(review: Review, evidence: Evidence) -> Review:
    """The review with a check for each masked part of the evidence, with its place and its words as stored."""
    cause = "this part reads like an instruction to a model: it is no evidence"
    masked = (
        Check("quarantine", Status.FAILED, Severity.WARN, cause=cause, source_span=each)
        for hit in evidence.hits
        for each in _masked_of(hit)
    )
    return replace(review, checks=(*review.checks, *masked))


def _masked_of(hit: Hit) -> Iterator[SourceSpan]:
    passage = hit.passage
    for span in hit.masked:
        yield passage.span_of(span.start, span.end)


def _unheard(_event: Event) -> None:
    """A draft's events go to the sinks alone."""
