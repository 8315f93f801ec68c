"""Headings: stretches of text under another heading than the one that a question names.

A document that tells the same of several things gives each a heading of its own: over a section, or run in at the
start of a paragraph or an item ("**Silver service**", "DVDs:"). What one heading covers is not said of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.nlp.blocks import BlockKind, passage_blocks
from assay.nlp.tokens import fold, terms, word_spans
from assay.types import Passage, Span

# A run-in heading: emphasised, or before a colon or a dash. Chosen: at most five words and 60 characters.
_RUN_IN = re.compile(
    r"\W{0,6}?(?:(?P<mark>\*\*|__|\*|_)(?P<emphasised>[^\n*_:]{1,60}?)[.:]?\s?(?P=mark)"
    r"|(?P<plain>\w[^\n*_:.;!?|–—]{0,59}?)(?P<stop>:|\s[–—-])(?=\s))"
)
_RUN_IN_WORDS = 5
# What follows the name of a thing in its heading: "Hall B: Signals", "Silver service – £95", "Zone C (Hospital)".
_AFTER_NAME = re.compile(r"\s?(?:[:(|]|\s[–—-]\s)")


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading and the slot it fills: headings of the same slot stand side by side."""

    slot: tuple[str, ...]
    text: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A paragraph, an item or a row with the headings over it and in it, and all their terms."""

    span: Span
    headings: tuple[_Heading, ...]
    terms: frozenset[str]


def under_another_heading(
    question: str, spans: Sequence[tuple[Passage, Span]], passages: Sequence[Passage]
) -> tuple[str, str] | None:
    r"""The heading that the question names, and the one beside it under which all of the spans stand; else None.

    Every word of the named heading stands in the question, neither the stretches around the spans nor the headings
    over them have them all, and their own heading is not named. The offsets are those of the passages' texts;
    `passages` may hold more of the same documents.

    >>> text = "**Books:** five renewals.\n\n**DVDs:** one week."
    >>> held = Passage("p", "d", "r", 0, len(text), text)
    >>> under_another_heading("How often can DVDs be renewed?", [(held, Span(11, 24))], [held])
    ('DVDs', 'Books')
    >>> under_another_heading("How often can books be renewed?", [(held, Span(11, 24))], [held]) is None
    True
    """
    asked = _terms(question)
    documents = {passage.document_id for passage, _ in spans}
    named = [
        heading
        for passage in passages
        if passage.document_id in documents
        for stretch in _stretches(passage)
        for heading in stretch.headings
        if heading.terms and heading.terms <= asked
    ]
    touched = [
        stretch
        for passage, span in spans
        for stretch in _stretches(passage)
        if named and stretch.span.start < span.end and span.start < stretch.span.end
    ]
    found = [_another(asked, stretch, named) for stretch in touched]
    return found[0] if found and None not in found else None


def _another(asked: frozenset[str], stretch: _Stretch, named: Sequence[_Heading]) -> tuple[str, str] | None:
    """The named heading that stands beside one of a stretch, and that one; None where the stretch may be on it."""
    own = {heading.slot: heading for heading in stretch.headings}
    for heading in named:
        beside = own.get(heading.slot)
        if beside is None or heading.terms <= stretch.terms or (beside.terms and beside.terms <= asked):
            continue
        return heading.text, beside.text
    return None


def _stretches(passage: Passage) -> Iterator[_Stretch]:
    """The paragraphs, items and rows of a passage."""
    found = passage_blocks(passage)
    levels = {block.title: block.level for block in reversed(found) if block.kind is BlockKind.HEADING}
    section = tuple((passage.location.section or "").split(" > ")) if passage.location.section else ()
    for number, block in enumerate(found):
        if block.kind in (BlockKind.HEADING, BlockKind.MARKUP, BlockKind.CODE):
            continue
        # A heading of the passage ends those sections of its own level and below that the passage begins in.
        over = section[: levels.get(block.path[0], 1) - 1] if block.path else section
        path = tuple(dict.fromkeys((*over, *block.path)))
        for span in block.items or (Span(block.start, block.end),):
            text = passage.text[span.start : span.end]
            headings = [_heading(("under", *path[:at]), title) for at, title in enumerate(path)]
            if run_in := _run_in(text):
                mark, title = run_in
                listed = ("item", passage.passage_id, str(number)) if block.items else (mark, *path)
                headings.append(_heading(listed, title))
            yield _Stretch(span, tuple(headings), _terms("\n".join((passage.title, *path, text))))


def _heading(slot: tuple[str, ...], text: str) -> _Heading:
    after = _AFTER_NAME.search(text, 1)
    return _Heading(slot, text, _terms(text[: after.start()] if after else text))


def _run_in(text: str) -> tuple[str, str] | None:
    """The mark that sets a heading apart at the start of a text, and its words; None without one."""
    match = _RUN_IN.match(text)
    if match is None:
        return None
    title = (match["emphasised"] or match["plain"]).strip()
    return (match["mark"] or match["stop"].strip(), title) if len(title.split()) <= _RUN_IN_WORDS else None


@lru_cache(maxsize=1 << 12)
def _terms(text: str) -> frozenset[str]:
    """The terms of a text, and the single capitals and digits behind other words: "Hall B"."""
    single = (span for span in word_spans(text) if span.start and span.end - span.start == 1)
    return frozenset(terms(text)) | {
        fold(text[span.start]) for span in single if text[span.start].isupper() or text[span.start].isdigit()
    }
