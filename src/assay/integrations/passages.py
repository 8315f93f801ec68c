"""Documents of LangChain, LlamaIndex and Haystack as passages, and results as their JSON types."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.engine import Engine
from assay.errors import UsageError
from assay.nlp.publication_date import date_in
from assay.retrieval.quarantine import quarantine_evidence
from assay.types import (
    Evidence,
    Fixed,
    Hit,
    Origin,
    Passage,
    Review,
    SearchSettings,
    Severity,
    Status,
    Verdict,
    plain,
)
from assay.verification.verifier import least_support


@dataclass(frozen=True, slots=True)
class FrameworkDocument:
    """A framework's document; one without text, such as an image, keeps its number but is no evidence."""

    text: str | None
    id: str | None
    metadata: Mapping[str, Any]


def passages_of(documents: Iterable[FrameworkDocument]) -> tuple[Passage, ...]:
    """One passage per document, in order: `[n]` in an answer cites the n-th.

    A document without an id is named by its number, and one whose id was there before gets another, since the same
    document found twice is still cited under both numbers. What assay's own retrievers found has its place in its
    document again, unless the text was shortened since.

    >>> titled = FrameworkDocument("It rains.", "a", {"title": "Rain"})
    >>> first, again = passages_of([titled, FrameworkDocument("It rains.", "a", {})])
    >>> first.passage_id, first.title, again.passage_id
    ('a', 'Rain', 'a#2')
    """
    seen: set[str] = set()
    return tuple(
        _passage(document, _own_id(document.id, number, seen)) for number, document in enumerate(documents, 1)
    )


def required_field(given: Mapping[str, Any], name: str) -> Any:
    """The field of that name. Raises UsageError if it is missing or None.

    >>> required_field({"answer": ""}, "answer")
    ''
    """
    if given.get(name) is None:
        raise UsageError(f"the input has no {name!r}", hint=f"give it under {name!r}")
    return given[name]


def text_of(value: object) -> str:
    """A text, or the text of a chat model's message. Raises UsageError for anything else.

    >>> text_of("It rains.")
    'It rains.'
    """
    text = value if isinstance(value, str) else getattr(value, "text", None)
    if not isinstance(text, str):
        raise UsageError(
            f"there is no text in a {type(value).__name__}", hint="give text, or a chat model's message"
        )
    return str(text)


def _own_id(wished: str | None, number: int, seen: set[str]) -> str:
    own = wished or str(number)
    while own in seen:
        own = f"{own}#{number}"
    seen.add(own)
    return own


def _passage(document: FrameworkDocument, own_id: str) -> Passage:
    text, metadata = document.text or "", document.metadata
    start = _start(text, metadata)
    return Passage(
        own_id,
        _metadata_text(metadata, "document_id") or own_id,
        "",
        start,
        start + len(text),
        text,
        _metadata_text(metadata, "title"),
        origin=Origin(date=date_in(metadata)),
    )


def _start(text: str, metadata: Mapping[str, Any]) -> int:
    """The offset of the text in its document; 0 if the metadata do not give it for this text."""
    start, end = metadata.get("start"), metadata.get("end")
    if isinstance(start, int) and isinstance(end, int) and start >= 0 and end - start == len(text):
        return start
    return 0


def _metadata_text(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


# --- passages for other programs' prompts: what reads like an instruction to a model is blanked out -------


def search_masked(engine: Engine, query: str, settings: SearchSettings | None) -> Evidence:
    """The hits of `Engine.search` with masked parts blanked out; offsets are unchanged."""
    return quarantine_evidence(engine.search(query, settings)).readable


async def asearch_masked(engine: Engine, query: str, settings: SearchSettings | None) -> Evidence:
    """As `found`."""
    evidence = await engine.asearch(query, settings)
    return (await asyncio.to_thread(quarantine_evidence, evidence)).readable


# --- metadata, reviews and fixes as JSON types ------------------------------------------------------------


Json = dict[str, Any]
_WRONG = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)


def metadata_of(hit: Hit) -> Json:
    """The metadata of a passage for a framework.

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
    """PASSED if every claim is supported and no blocking or repairable check failed or is unknown.

    A text without claims is UNKNOWN, since nothing was tested.

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
    """The status as True, False or None for unknown."""
    return {Status.PASSED: True, Status.FAILED: False}.get(status_of(review))


def reasons_of(review: Review) -> str:
    """The messages of findings without repeats; warnings only if there is nothing else."""
    heavy = [finding for finding in review.findings if finding.severity is not Severity.WARN]
    told = dict.fromkeys(finding.message for finding in heavy or review.findings)
    return "; ".join(told) or "every claim is supported"


def review_object(review: Review) -> Json:
    """The review with `status` (passed, failed, unknown), worst `verdict` and least `support` first.

    `support` lies in 0 to 1, None where no claim's was measured.
    """
    return {
        "status": status_of(review).value,
        "verdict": review.verdict.value,
        "support": least_support(review),
        **review.to_dict(),
    }


def fix_object(fixed: Fixed) -> Json:
    """A fixed draft: `text`, `before`, the changes, the dropped claims and the new review."""
    return {
        "text": fixed.text,
        "before": fixed.before,
        "changes": plain(fixed.repairs),
        "dropped": plain(fixed.dropped),
        "review": review_object(fixed.review),
    }


def hidden_metadata(metadata: Mapping[str, Any]) -> list[str]:
    """Names in the metadata that a prompt has no use for.

    >>> hidden_metadata({"title": "Rain", "passage_id": "a", "score": 0.5})
    ['passage_id', 'score']
    """
    return [name for name in metadata if name not in ("title", "location", "date")]
