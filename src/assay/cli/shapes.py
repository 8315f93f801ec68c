"""The objects that the machine formats print, apart from the answer object, which makes itself."""

from __future__ import annotations

from typing import Any

from assay.types import Evidence, Judgement, Review, Verdict, plain

# From the worst to the best: what is said of a text is what is said of its worst claim.
_WORST_FIRST = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED, Verdict.UNKNOWN, Verdict.SUPPORTED)


def hits(evidence: Evidence) -> list[dict[str, Any]]:
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


def judged(judgement: Judgement) -> dict[str, Any]:
    """What a pipe says of a question and its passages."""
    names = ("sufficiency", "recommendation", "quality", "coverage", "relevance", "aspects", "missing", "issues")
    body = judgement.to_dict()
    return {**{name: body[name] for name in names}, "mode_used": judgement.mode_used}


def reviewed(review: Review) -> dict[str, Any]:
    """What a pipe says of a text: the least support and the worst verdict among its claims."""
    return {
        "support": support(review),
        "verdict": verdict(review).value,
        "claims": plain(review.claims),
        "checks": plain(review.checks),
    }


def support(review: Review) -> float | None:
    """The least support of any claim, or None where none was measured.

    >>> support(Review((), (), ())) is None
    True
    """
    return min((claim.support for claim in review.claims if claim.support is not None), default=None)


def verdict(review: Review) -> Verdict:
    """The worst verdict of any claim; unknown where there is none."""
    given = {claim.verdict for claim in review.claims}
    return next((each for each in _WORST_FIRST if each in given), Verdict.UNKNOWN)
