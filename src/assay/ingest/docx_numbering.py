"""The numbers that Word puts before the paragraphs of lists and before headings, which no text of a file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay.ingest.office import attribute, local

_PLACE = re.compile(r"%([1-9])")
# Word has nine levels.
_LEVELS = 9
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_UNITS = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a list: its first number, how numbers are written, and what stands around them ("%1.%2.")."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    style: str = ""
    is_legal: bool = False
    restarts: bool = True


class Numbering:
    """Counts the items of all lists of a document, in the order of its paragraphs; `root` is its numbering part."""

    def __init__(self, root: Any | None = None) -> None:
        self._lists: dict[str, dict[int, _Level]] = {}
        self._list_of: dict[str, str] = {}
        self._starts: dict[str, dict[int, int]] = {}
        self._counts: dict[str, list[int | None]] = {}
        links: dict[str, str] = {}
        linked: dict[str, str] = {}
        for element in root if root is not None else ():
            name = attribute(element, "abstractNumId") or ""
            if local(element) == "abstractNum":
                self._lists[name] = dict(map(_level, _children(element, "lvl")))
                linked.update({_value(child): name for child in _children(element, "styleLink")})
                links.update({name: _value(child) for child in _children(element, "numStyleLink")})
            elif local(element) == "num":
                number = attribute(element, "numId") or ""
                self._list_of[number] = next(map(_value, _children(element, "abstractNumId")), "")
                self._starts[number] = dict(_starts(_children(element, "lvlOverride")))
        for number, name in self._list_of.items():
            self._list_of[number] = linked.get(links.get(name, ""), name)

    def level_of(self, number: str, style: str) -> int:
        """The level, from 0, to which a list ties the paragraphs of a style."""
        levels = self._lists.get(self._list_of.get(number, ""), {})
        return next((level for level, own in levels.items() if style and own.style == style), 0)

    def label(self, number: str, level: int) -> str:
        """Count one more paragraph of a list and level, and return what stands before it; "" for bullets.

        >>> from lxml.etree import fromstring
        >>> lists = '<n><abstractNum abstractNumId="0"><lvl ilvl="0"><lvlText val="%1."/></lvl></abstractNum>{}</n>'
        >>> numbering = Numbering(fromstring(lists.format('<num numId="7"><abstractNumId val="0"/></num>')))
        >>> numbering.label("7", 0), numbering.label("7", 0), numbering.label("8", 0)
        ('1.', '2.', '')
        """
        name = self._list_of.get(number, "")
        levels = self._lists.get(name, {})
        own = levels.get(level)
        if own is None or not 0 <= level < _LEVELS:
            return ""
        counts = self._counts.setdefault(name, [None] * _LEVELS)
        # A list that begins anew within another one does so where it is first met.
        for at, start in self._starts.pop(number, {}).items():
            counts[at] = start - 1
        before = counts[level]
        counts[level] = own.start if before is None else before + 1
        for deeper in range(level + 1, _LEVELS):
            counts[deeper] = None if levels.get(deeper, _Level()).restarts else counts[deeper]
        if own.form in ("bullet", "none"):
            return ""
        return _PLACE.sub(lambda match: self._written(counts, levels, int(match[1]) - 1, own), own.text).strip()

    def _written(self, counts: list[int | None], levels: dict[int, _Level], at: int, own: _Level) -> str:
        """The number of one level within a label."""
        level = levels.get(at, _Level())
        count = counts[at]
        return _number(level.start if count is None else count, "decimal" if own.is_legal else level.form)


def _level(element: Any) -> tuple[int, _Level]:
    """A level of a list with its place, from 0."""
    values = {local(child): _value(child) for child in element}
    place, start = attribute(element, "ilvl") or "", values.get("start", "")
    return int(place) if place.isdigit() else 0, _Level(
        int(start) if start.isdigit() else 1,
        values.get("numFmt", "decimal"),
        values.get("lvlText", ""),
        values.get("pStyle", ""),
        values.get("isLgl", "0") not in ("0", "false"),
        values.get("lvlRestart", "") != "0",
    )


def _starts(overrides: Iterable[Any]) -> Iterable[tuple[int, int]]:
    """The levels that a list begins anew, and their first numbers."""
    for override in overrides:
        level = attribute(override, "ilvl") or ""
        for start in map(_value, _children(override, "startOverride")):
            if level.isdigit() and int(level) < _LEVELS and start.isdigit():
                yield int(level), int(start)


def _children(element: Any, name: str) -> list[Any]:
    return [child for child in element if local(child) == name]


def _value(element: Any) -> str:
    value = attribute(element, "val")
    return "1" if value is None and local(element) == "isLgl" else value or ""


def _number(count: int, form: str) -> str:
    """A number as a list writes it; in digits if its form is another.

    >>> [_number(4, form) for form in ("decimal", "decimalZero", "lowerLetter", "upperRoman")], _number(28, "lowerLetter")
    (['4', '04', 'd', 'IV'], 'bb')
    """
    if form == "none":
        return ""
    if form == "decimalZero":
        return f"{count:02}"
    # Word repeats the letter after the 26th.
    if form in ("lowerLetter", "upperLetter") and 0 < count <= 26 * 9:
        letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        written = ""
        for value, letter in (*_ROMAN, *_ROMAN_UNITS):
            written += letter * (count // value)
            count %= value
        return written if form == "lowerRoman" else written.upper()
    return str(count)


_MARK = re.compile(r"\d{1,9}[.)]")


def mark_of(label: str) -> str:
    """The mark of a list item with this label, as Markdown has it; other labels stand after a bullet.

    >>> mark_of("3."), mark_of(""), mark_of("a)"), mark_of("1.2")
    ('3. ', '- ', '- a) ', '- 1.2 ')
    """
    if _MARK.fullmatch(label):
        return f"{label} "
    return f"- {label} " if label else "- "


class Indents:
    """How far the items of a list are indented, so that each stands below the words of the item that holds it.

    >>> indents = Indents()
    >>> [indents.enter(depth, mark) for depth, mark in ((1, "10. "), (2, "- a) "), (3, "- "), (1, "11. "))]
    ['', '    ', '      ', '']
    """

    def __init__(self) -> None:
        self._widths: list[int] = []

    def enter(self, depth: int, mark: str) -> str:
        """Begin an item at a depth, from 1; returns the white space before its mark."""
        outer = (self._widths + [2] * depth)[: depth - 1]
        # What follows a bullet is the item's text, to Markdown.
        self._widths = [*outer, 2 if mark.startswith("-") else len(mark)]
        return " " * sum(outer)

    def leave(self) -> None:
        """End all lists."""
        self._widths.clear()
