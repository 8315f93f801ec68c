"""Anyone's draft as a run: tested, on wish mended, assessed as a whole, and recorded like an answer.

Nothing is searched and nothing is written: the draft and its sources are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.finalise import source, told_apart
from assay.core.fix import fix_draft
from assay.core.pipeline import ensure_terminal_event
from assay.core.review import apply_output_rules, assess
from assay.core.run import Run, RunEvents
from assay.core.stages import Sink, Stages
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
_UNRECORDED: tuple[None, tuple[str, ...]] = (None, (_NOT_RECORDED,))
# How much of a draft names its run where it answers no question.
_NAME = 80
_NOT_JUDGED = Judgement(None, Action.ANSWER, "nothing was searched: the sources were given", mode_used="given")


@dataclass(frozen=True, slots=True)
class DraftInput:
    """A draft from elsewhere, `evidence` to hold it to, and the `question` that it answers, "" for none.

    `fixes` asks for repairs, and `drops` to take out what no repair mends.
    """

    text: str
    evidence: Evidence
    question: str = ""
    fixes: bool = False
    drops: bool = False

    @property
    def name(self) -> str:
        """What its run is called."""
        beginning = " ".join(self.text[: 4 * _NAME].split())[:_NAME]
        return self.question or f"draft: {beginning}"


@dataclass(frozen=True, slots=True)
class DraftReport:
    """A draft after its examination: its review, what mending made of it, and the answer object that is recorded.

    `fixed` is None where nothing was to be mended; `recorded` says whether the run was. `assessment` of the answer
    is None where that is off, the draft is too long for it, or it could not be made; then its warnings say so.
    """

    review: Review
    answer: Answer
    fixed: Fixed | None = None
    recorded: bool = False


async def review_draft(given: DraftInput, run: Run, stages: Stages, sinks: Sequence[Sink] = ()) -> DraftReport:
    """The draft tested, mended and assessed; each sink hears of it, unless it is too long to record.

    Raises what the verifier, the repairer or the understanding of the question raises; the run then ends with it.
    """
    recorded = len(given.text) <= LONGEST_RECORDED
    events = RunEvents(run, given.name, _unheard, sinks if recorded else ())
    started = run.clock.monotonic()
    with ensure_terminal_event(events):
        events.emit(StatusChanged(stage="verify"))
        evidence, question = given.evidence.readable, Question("", "")
        if given.question.strip():
            question = await stages.understander.understand(given.question, ())
        review, fixed = await _tested(given, question, run, stages)
        text = fixed.text if fixed else given.text
        draft = Draft(text, tuple(each.passage_id for each in evidence.passages))
        assessment, notes = await _assessed(question, evidence, draft, review, stages) if recorded else _UNRECORDED
        answer = _answer(given, run, stages, draft, review, fixed)
        answer = replace(
            answer,
            assessment=assessment,
            warnings=(
                *(fixed.warnings if fixed else stages.notes()),
                *notes,
                *told_apart(review),
                *events.warnings,
            ),
            usage=stages.spent(),
            ms=1000 * (run.clock.monotonic() - started),
        )
    events.emit(Done(answer=answer))
    warnings = answer.warnings + events.warnings_since(answer)
    answer = replace(answer, trace=tuple(events.past), warnings=warnings)
    return DraftReport(review, answer, fixed, recorded and bool(sinks) and not events.warnings)


async def _tested(given: DraftInput, question: Question, run: Run, stages: Stages) -> tuple[Review, Fixed | None]:
    """The review of the draft, or of what mending made of it, its output rules included."""
    evidence = given.evidence.readable
    if not given.fixes:
        review = await stages.verifier.check(given.text, evidence.passages)
        kept = await apply_output_rules(given.text, review, question, evidence, stages, edits=False)
        return with_masked(kept.review, given.evidence), None
    fixed = await fix_draft(given.text, evidence.passages, stages, run.limits, drop=given.drops)
    kept = await apply_output_rules(fixed.text, fixed.review, question, evidence, stages, edits=True)
    review = with_masked(kept.review, given.evidence)
    repairs = fixed.repairs + kept.repairs
    return review, replace(fixed, text=kept.text, repairs=repairs, verdict=review.verdict, review=review)


async def _assessed(
    question: Question, evidence: Evidence, draft: Draft, review: Review, stages: Stages
) -> tuple[Assessment | None, tuple[str, ...]]:
    """The assessment of the draft, and the warning that says why there is none."""
    assessment, error = await assess(question, evidence, draft, review, stages)
    return assessment, () if error is None else (f"the draft was not assessed: {error}",)


def _answer(
    given: DraftInput, run: Run, stages: Stages, draft: Draft, review: Review, fixed: Fixed | None
) -> Answer:
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
        repairs=fixed.repairs if fixed else (),
        drafts=1,
        iterations=0,
        confidence=stages.confidence_estimator.rate(_NOT_JUDGED, review),
        warnings=(),
        models=replace(stages.models, writer="elsewhere", judge="none"),
        usage=stages.spent(),
        profile=run.profile,
        mode_used=_NOT_JUDGED.mode_used,
        ms=0.0,
        profile_reason=run.profile_reason,
        dropped=fixed.dropped if fixed else (),
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
