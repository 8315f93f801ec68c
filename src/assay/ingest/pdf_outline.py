"""The outline of a PDF: its headings among the lines of its pages, and tables of contents, which repeat them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

# Of a longer outline the rest is not read, and of longer titles: chosen.
_MOST_ENTRIES, _LONGEST_TITLE = 5000, 300
# A heading is broken over at most so many lines: chosen.
_MOST_LINES = 3
# "1.2 Tea", "Chapter 3: Tea", "IV. Tea": what stands before a title that its entry in the outline may lack.
_NUMBER = re.compile(
    r"\A\W*(?:(?:[^\W\d_]{1,12}\s)?(?:\d{1,3}|[A-Z]|[IVXLC]{1,6})(?:\.\d{1,3}){0,5}[.):]*)\s+(?=\S)"
)
# What leads from the title of an entry of a table of contents to its page, and the signs of pages.
_LEADERS, _PAGES = " \t.…·", "0123456789ivxlc"
_LEAST_DOTS = 3
# The fewest entries of a table of contents on a page, their least share of its lines, and the shares of them that
# lead on and that stand elsewhere, of which so many are looked up: chosen. Dotted prices stand nowhere else.
_LEAST_ENTRIES, _LEAST_SHARE, _ORDERED, _REPEATED, _LOOKED_UP = 3, 0.4, 0.9, 0.5, 12


@dataclass(frozen=True, slots=True)
class Entry:
    """A title of the outline, its level from 1, and its page, from 1."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class _Listed:
    """A line that may be an entry of a table of contents; `is_led`: dots lead from the title to the page."""

    title: str
    page: str
    is_led: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of a page: a heading with its level, or text, of level 0."""

    lines: tuple[str, ...]
    level: int = 0


def outline_of(document: Any) -> tuple[Entry, ...]:
    """The entries of a document's outline; empty without one, or if it is damaged."""
    from pypdfium2 import PdfiumError

    found: list[Entry] = []
    try:
        for mark in document.get_toc():
            title, place = " ".join(mark.get_title().split()), mark.get_dest()
            index = place.get_index() if place is not None else None
            if title and index is not None:
                found.append(Entry(mark.level + 1, title[:_LONGEST_TITLE], index + 1))
            if len(found) == _MOST_ENTRIES:
                break
    except PdfiumError:
        return ()
    return tuple(found)


def without_contents(pages: Mapping[int, Sequence[str]], outline: Sequence[Entry]) -> dict[int, list[str]]:
    """The lines of each page without those of tables of contents, which repeat the headings of other pages.

    >>> contents = ["Contents", "1 Tea . . . . 2", "2 Milk . . . . 3", "3 Cups . . . . 4"]
    >>> without_contents({1: contents, 2: ["1 Tea"], 3: ["2 Milk"], 4: ["3 Cups"]}, ())[1]
    ['Contents']
    """
    titles = {_letters(entry.title) for entry in outline}
    everything = "\n".join(_letters("".join(lines)) for lines in pages.values())
    return {number: list(_without_contents(lines, titles, everything)) for number, lines in pages.items()}


def _without_contents(lines: Sequence[str], titles: set[str], everything: str) -> Iterator[str]:
    found = {at: _entry(line) for at, line in enumerate(lines)}
    numbered = [at for at, entry in found.items() if entry is not None]
    entries = {
        at: entry
        for at, entry in found.items()
        if entry is not None and (entry.is_led or not titles.isdisjoint(_forms(entry.title)))
    }
    if not _is_contents(list(entries.values()), everything):
        yield from lines
        return
    first, last = min(entries), max(entries)
    inside = sum(bool(line.strip()) for line in lines[first : last + 1])
    if len(entries) < _LEAST_SHARE * inside:
        yield from lines
        return
    # The chapters have no dots in some tables, and a long title begins on a line before.
    while first and (first - 1 in numbered or _is_repeated(lines[first - 1], everything)):
        first -= 1
    yield from lines[:first]
    yield from lines[last + 1 :]


def _entry(line: str) -> _Listed | None:
    """A line that ends in a page, after dots or white space; None for any other."""
    line = line.strip()
    before = line.rstrip(_PAGES)
    title = before.rstrip(_LEADERS)
    page, between = line[len(before) :], before[len(title) :]
    if not title or not page or not between:
        return None
    dots = sum(not sign.isspace() for sign in between)
    return None if 0 < dots < _LEAST_DOTS else _Listed(title, page, dots > 0)


def _is_contents(entries: Sequence[_Listed], everything: str) -> bool:
    """Tell whether entries lead on from page to page, and repeat what stands elsewhere."""
    pages = [int(entry.page) for entry in entries if entry.page.isdecimal()]
    ordered = sum(before <= after for before, after in pairwise(pages))
    if len(entries) < _LEAST_ENTRIES or ordered < _ORDERED * (len(pages) - 1):
        return False
    asked = entries[:_LOOKED_UP]
    return sum(_is_repeated(entry.title, everything) for entry in asked) >= _REPEATED * len(asked)


def _is_repeated(line: str, everything: str) -> bool:
    """Tell whether a line's letters stand twice in all letters of a document."""
    letters = _letters(line)
    first = everything.find(letters) if letters else -1
    return first >= 0 and everything.find(letters, first + 1) >= 0


def stretches(lines: Sequence[str], entries: Sequence[Entry]) -> Iterator[Stretch]:
    """The lines of a page, parted at the headings among them; `entries` are those of the outline on this page.

    >>> [(part.lines, part.level) for part in stretches(["it.", "2 Milk", "Cold."], [Entry(1, "Milk", 3)])]
    [(('it.',), 0), (('2 Milk',), 1), (('Cold.',), 0)]
    """
    wanted = {_letters(entry.title): entry.level for entry in reversed(entries)}
    start = at = 0
    while at < len(lines):
        end, level = _heading(lines, at, wanted)
        if not level:
            at += 1
            continue
        if start < at:
            yield Stretch(tuple(lines[start:at]))
        yield Stretch(tuple(line.strip() for line in lines[at:end]), level)
        start = at = end
    if start < len(lines):
        yield Stretch(tuple(lines[start:]))


def _heading(lines: Sequence[str], at: int, wanted: dict[str, int]) -> tuple[int, int]:
    """The end and the level of the heading that begins on a line, taken from `wanted`; level 0 if none does."""
    for end in range(at + 1, min(at + _MOST_LINES, len(lines)) + 1) if wanted else ():
        if not lines[end - 1].strip():
            break
        for form in _forms(" ".join(lines[at:end])):
            if form in wanted:
                return end, wanted.pop(form)
    return at, 0


def _forms(line: str) -> tuple[str, str]:
    """A line's letters and digits, with the number before its words and without it."""
    return _letters(line), _letters(_NUMBER.sub("", line))


def _letters(text: str) -> str:
    """The letters and digits of a text in lower case.

    Signs and white space are written otherwise in an outline than on a page.
    """
    return "".join(filter(str.isalnum, text)).casefold()
