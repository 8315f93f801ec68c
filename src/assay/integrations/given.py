"""What a framework hands over, its documents or nodes, as passages to judge and check by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import UsageError
from assay.text.written import date_in
from assay.types import Origin, Passage


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
