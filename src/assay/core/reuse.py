"""Answers that may be kept, and the events and the answer object of one that is given again."""

from __future__ import annotations

from dataclasses import replace

from assay.core.draft import DraftState, compose, with_event
from assay.core.finalise import Ask
from assay.core.stages import Emit, Stages
from assay.types import (
    Answer,
    ClaimEvent,
    Gathered,
    KeptAnswer,
    Outcome,
    SentenceProvisional,
    SentenceVerified,
    Severity,
    StatusChanged,
    Verdict,
)

# The author of the event of a claim that was compared with the present documents.
_BY = "reuse"


def may_be_kept(answer: Answer, gathered: Gathered, draft: DraftState) -> bool:
    """True if an answer may be given again: a whole one, supported in every claim, after one search.

    What it cites was found by that search, and no planted instruction was masked in it: only then does the same
    search tell whether the answer still holds.
    """
    found = {passage.passage_id for passage in gathered.evidence.passages}
    wanted = (finding for finding in answer.findings if finding.severity in (Severity.BLOCK, Severity.REPAIR))
    return (
        answer.outcome is Outcome.ANSWERED
        and answer.verdict is Verdict.SUPPORTED
        and answer.validate()
        and bool(answer.claims)
        and not any(wanted)
        and not draft.is_late
        and len(gathered.path) == 1
        and cited_ids(answer) <= found
        and not any(hit.masked for hit in gathered.evidence.hits)
    )


def cited_ids(answer: Answer) -> set[str]:
    """The ids of the passages that an answer cites or quotes."""
    quoted = {span.passage_id for claim in answer.claims for span in claim.spans}
    return quoted | {source.passage_id for source in answer.sources}


def serve(ask: Ask, kept: KeptAnswer, stages: Stages, emit: Emit) -> Answer:
    """Emit the sentences of a kept answer, and give the answer object of this run.

    Nothing was written, so there are no drafts; what was used is what this run used.
    """
    emit(StatusChanged(stage="reuse"))
    source = kept.answer
    spans = compose(kept.sentences).spans
    for sentence, span in zip(kept.sentences, spans, strict=True):
        emit(SentenceProvisional(sentence=sentence))
        stated = sum(span.start <= claim.start < span.end for claim in source.claims)
        emit(SentenceVerified(sentence=sentence, claims=stated))
    reason = f"as in run {source.run_id}: its sources still say so"
    claims = tuple(with_event(claim, ClaimEvent(claim.verdict.value, _BY, reason)) for claim in source.claims)
    return replace(
        source,
        run_id=ask.run_id,
        question=ask.text,
        claims=claims,
        drafts=0,
        iterations=0,
        searches=1,
        usage=stages.spent(),
        profile=ask.profile,
        profile_reason=ask.profile_reason,
        ms=0.0,
        first_verified_ms=None,
        reused_from=source.run_id,
    )
