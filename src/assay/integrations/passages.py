"""What a framework hands over, its documents or nodes, as passages to judge and check by."""

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
class Given:
    """One document of a framework; without a text, such as an image, it keeps its number and is no evidence."""

    text: str | None
    id: str | None
    metadata: Mapping[str, Any]


def passages_of(documents: Iterable[Given]) -> tuple[Passage, ...]:
    """A passage a document, in their order: `[n]` in an answer stands for the n-th.

    A document without an id is named by its number, and one whose id was there before gets another, since the same
    document found twice is still cited under both numbers. What assay's own retrievers found has its place in its
    document again, unless the text was shortened since.

    >>> first, again = passages_of([Given("It rains.", "a", {"title": "Rain"}), Given("It rains.", "a", {})])
    >>> first.passage_id, first.title, again.passage_id
    ('a', 'Rain', 'a#2')
    """
    seen: set[str] = set()
    return tuple(_passage(each, _own_id(each.id, number, seen)) for number, each in enumerate(documents, 1))


def wanted(given: Mapping[str, Any], name: str) -> Any:
    """The field of that name; raises UsageError where it is missing or None.

    >>> wanted({"answer": ""}, "answer")
    ''
    """
    if given.get(name) is None:
        raise UsageError(f"the input has no {name!r}", hint=f"give it under {name!r}")
    return given[name]


def written(value: object) -> str:
    """A text, or the text of a message as chat models return it; raises UsageError for anything else.

    >>> written("It rains.")
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


def _passage(document: Given, own_id: str) -> Passage:
    text, metadata = document.text or "", document.metadata
    start = _start(text, metadata)
    return Passage(
        own_id,
        _named(metadata, "document_id") or own_id,
        "",
        start,
        start + len(text),
        text,
        _named(metadata, "title"),
        origin=Origin(date=date_in(metadata)),
    )


def _start(text: str, metadata: Mapping[str, Any]) -> int:
    """Where the text starts in its document; 0 where the metadata do not say, or say it of another text."""
    start, end = metadata.get("start"), metadata.get("end")
    if isinstance(start, int) and isinstance(end, int) and start >= 0 and end - start == len(text):
        return start
    return 0


def _named(metadata: Mapping[str, Any], name: str) -> str:
    value = metadata.get(name)
    return value if isinstance(value, str) else ""


# Passages for a prompt that is not assay's own: what reads like an instruction to a model is blank in them.


def found(engine: Engine, query: str, settings: SearchSettings | None) -> Evidence:
    """The best passages for a query, as `Engine.search` finds them; blanks keep every place true."""
    return quarantine_evidence(engine.search(query, settings)).readable


async def afound(engine: Engine, query: str, settings: SearchSettings | None) -> Evidence:
    """As `found`."""
    evidence = await engine.asearch(query, settings)
    return (await asyncio.to_thread(quarantine_evidence, evidence)).readable


# What a framework is told: passages with their metadata, reviews and fixes as JSON types.


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
