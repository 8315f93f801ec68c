"""Headings: stretches of text under another heading than the one that a question names.

A document that tells the same of several things gives each a heading of its own: over a section, or run in at the
start of a paragraph or an item ("**Silver service**", "DVDs:"). So do paragraphs that begin with a name each
("Skerry Point was lit in 1844.") or with a time or place ("In summer"). What one heading covers is not said of
another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.nlp.blocks import BlockKind, passage_blocks, without_section_number
from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.spelling import is_english
from assay.nlp.tokens import STOP_WORDS, fold, terms, word_spans, words
from assay.types import Passage, Span

# A run-in heading: emphasised, or before a colon or a dash. Chosen: at most five words and 60 characters.
_RUN_IN = re.compile(
    r"\W{0,6}?(?:(?P<mark>\*\*|__|\*|_)(?P<emphasised>[^\n*_:]{1,60}?)[.:]?\s?(?P=mark)"
    r"|(?P<plain>\w[^\n*_:.;!?|–—]{0,59}?)(?P<stop>:|\s[–—-])(?=\s))"
)
_RUN_IN_WORDS = 5
_PREPOSITIONS = word_class("statements.prepositions")
_PHRASE = re.compile(r"(?P<of>[A-Z][a-z]+) (?P<word>[^\W\d_]{3,30})(?=[ ,])")
# A name at the start of a text is looked for in so many characters (chosen).
_LONGEST_NAME = 80
# The text behind a thing's name in its heading: "Hall B: Signals", "Silver service – £95", "Zone C (Hospital)".
_AFTER_NAME = re.compile(r"\s?(?:[:(|]|\s[–—-]\s)")


# Between the things that one heading is of: "FreeBSD and ElectroBSD".
_BETWEEN = re.compile(r"[,/&]| (?:and|or) ")


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading and the slot it fills: headings of the same slot stand side by side.

    `things` are the terms of each thing that it is of, most often one.
    """

    slot: tuple[str, ...]
    text: str
    things: tuple[frozenset[str], ...]

    def is_named(self, held: frozenset[str]) -> bool:
        """Tell whether one of its things has all of its terms among those held."""
        return any(thing <= held for thing in self.things)


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
        if heading.is_named(asked)
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
        if beside is None or heading.is_named(stretch.terms) or beside.is_named(asked):
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
            elif (name := _first_name(text)) or (name := _first_phrase(text)):
                mark = name.split()[0].lower()
                headings.append(_heading((mark if mark in _PREPOSITIONS else "name", *path), name))
            yield _Stretch(span, tuple(headings), _terms("\n".join((passage.title, *path, text))))


def _heading(slot: tuple[str, ...], text: str) -> _Heading:
    title = without_section_number(text).strip()
    after = _AFTER_NAME.search(title, 1)
    return _Heading(slot, text, _things(title[: after.start()] if after else title))


@lru_cache(maxsize=1 << 12)
def _things(title: str) -> tuple[frozenset[str], ...]:
    """The terms of each thing that a heading names; the parts of plain words are one: "Terms and Conditions"."""
    parts = [part.strip() for part in _BETWEEN.split(title)]
    are_names = all(not part.islower() and part for part in parts) and not all(map(is_english, words(title)))
    return tuple(held for part in (parts if are_names else [title]) if (held := _terms(part)))


def _first_name(text: str) -> str:
    """The name of several words that a text begins with, where not all are plain words; "" without one.

    >>> _first_name("Skerry Point was lit in 1844."), _first_name("Press Enter to go on.")
    ('Skerry Point', '')
    """
    first = next(iter(names(text[:_LONGEST_NAME])), None)
    if first is None or first.start or len(first.words) < 2 or all(map(is_english, first.words)):
        return ""
    return text[: first.end]


def _first_phrase(text: str) -> str:
    """The time or place in two words that a text begins with; "" without one.

    >>> _first_phrase("In summer there are concerts."), _first_phrase("In the hall there are.")
    ('In summer', '')
    """
    match = _PHRASE.match(text)
    if match is None or match["of"].lower() not in _PREPOSITIONS or fold(match["word"]) in STOP_WORDS:
        return ""
    return match.group().rstrip(",")


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
