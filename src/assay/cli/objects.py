"""The JSON objects that the command line prints."""

from __future__ import annotations

from typing import Any

from assay.cli.terminal import with_paths_from_here
from assay.types import Answer, Contradiction, Evidence, Fixed, Judgement, Review, plain


def answer_object(answer: Answer) -> dict[str, Any]:
    """The answer object; a refusal names the nearest file relative to the working folder."""
    body = answer.to_dict()
    declined = answer.outcome in ("abstained", "clarify")
    return {**body, "text": with_paths_from_here(answer.text)} if declined else body


def hit_objects(evidence: Evidence) -> list[dict[str, Any]]:
    """The passages of a search, best first."""
    return [
        {
            "document_id": hit.passage.document_id,
            "passage_id": hit.passage.passage_id,
            "score": hit.score,
            "scores": plain(hit.scores),
            "text": hit.passage.text,
            "start": hit.passage.start,
            "end": hit.passage.end,
        }
        for hit in evidence.hits
    ]


def judgement_object(judgement: Judgement) -> dict[str, Any]:
    """The judgement of a question and its passages."""
    names = ("sufficiency", "recommendation", "quality", "coverage", "relevance", "aspects", "missing", "issues")
    body = judgement.to_dict()
    disagreements = [contradiction_object(contradiction) for contradiction in judgement.contradictions]
    return {
        **{name: body[name] for name in names},
        "contradictions": disagreements,
        "ambiguity": judgement.ambiguity,
        "mode_used": judgement.mode_used,
    }


def contradiction_object(contradiction: Contradiction) -> dict[str, Any]:
    """A disagreement: its readings with the ids of their passages."""
    readings = [
        {"value": reading.value, "passages": list(reading.passage_ids), "date": reading.date}
        for reading in contradiction.readings
    ]
    return {"aspect": contradiction.aspect, "readings": readings}


def review_object(review: Review) -> dict[str, Any]:
    """The review of a text: least support, worst verdict, claims and checks."""
    from assay.verification.verifier import least_support  # here, since listing runs needs no verifier

    return {
        "support": least_support(review),
        "verdict": review.verdict.value,
        "claims": plain(review.claims),
        "checks": plain(review.checks),
    }


def run_object(answer: Answer) -> dict[str, Any]:
    """The run of a single draft: its id, assessment and warnings."""
    return {"run_id": answer.run_id, "assessment": plain(answer.assessment), "warnings": list(answer.warnings)}


def fix_object(fixed: Fixed) -> dict[str, Any]:
    """The fixed draft with its changes."""
    return {
        "answer": fixed.text,
        "changes": plain(fixed.repairs),
        "claims": plain(fixed.review.claims),
        "verdict": fixed.verdict.value,
    }
