"""What a framework is told: passages with their metadata, reviews and fixes as JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.types import Fixed, Hit, Review, Severity, Status, Verdict, plain
from assay.verify.review import least_support

Json = dict[str, Any]
_WRONG = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)


def metadata_of(hit: Hit) -> Json:
    """What is known of a passage beside its text.

    `passage_id`, `document_id`, `title`, `start`, `end` (code points of the document) and `score` are always there,
    `location`, `link` and `date` where they are known, and `masked`, how many parts of the text are blank because
    they read like instructions to a model, where there are any.
    """
    passage = hit.passage
    known: Json = {"location": str(passage.location), "link": passage.origin.link, "date": passage.origin.date}
    known["masked"] = len(hit.masked)
    return {
        "passage_id": passage.passage_id,
        "document_id": passage.document_id,
        "title": passage.title,
        "start": passage.start,
        "end": passage.end,
        "score": hit.score,
        **{name: value for name, value in known.items() if value},
    }


def status_of(review: Review) -> Status:
    """Whether a text passed: every claim is supported, and no check that matters failed or could not be made.

    A text that claims nothing is unknown, for nothing of it was tested.

    >>> status_of(Review((), (), ())).value
    'unknown'
    """
    states = {check.status for check in review.checks if check.severity is not Severity.WARN}
    worst = review.verdict
    if Status.FAILED in states or worst in _WRONG:
        return Status.FAILED
    if Status.UNKNOWN in states or worst is Verdict.UNKNOWN:
        return Status.UNKNOWN
    return Status.PASSED


def passing_of(review: Review) -> bool | None:
    """The status as frameworks have it: True, False, or None where it could not be tested."""
    return {Status.PASSED: True, Status.FAILED: False}.get(status_of(review))


def reasons_of(review: Review) -> str:
    """What did not pass, each once; mere warnings only where there is nothing else."""
    heavy = [each for each in review.findings if each.severity is not Severity.WARN]
    told = dict.fromkeys(each.message for each in heavy or review.findings)
    return "; ".join(told) or "every claim is supported"


def reviewed(review: Review) -> Json:
    """The review, with `status` (passed, failed or unknown), the worst `verdict` and the least `support` before it.

    `support` lies in 0 to 1, None where no claim's was measured.
    """
    return {
        "status": status_of(review).value,
        "verdict": review.verdict.value,
        "support": least_support(review),
        **review.to_dict(),
    }


def mended(fixed: Fixed) -> Json:
    """A draft after its repair: `text` and `before`, what was changed, what was taken out, and the new review."""
    return {
        "text": fixed.text,
        "before": fixed.before,
        "changes": plain(fixed.repairs),
        "dropped": plain(fixed.dropped),
        "review": reviewed(fixed.review),
    }


def excused(metadata: Mapping[str, Any]) -> list[str]:
    """The names in such metadata that are of no use in a prompt.

    >>> excused({"title": "Rain", "passage_id": "a", "score": 0.5})
    ['passage_id', 'score']
    """
    return [name for name in metadata if name not in ("title", "location", "date")]
