"""The numbers that Word puts before the paragraphs of lists and before headings, which no text of a file holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay.ingest.list_marks import count_in
from assay.ingest.office import attribute, local

_PLACE = re.compile(r"%([1-9])")
# Word has nine levels.
_LEVELS = 9


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
        self._overrides: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, list[int | None]] = {}
        links: dict[str, str] = {}
        linked: dict[str, str] = {}
        for element in root if root is not None else ():
            name = attribute(element, "abstractNumId") or ""
            if local(element) == "abstractNum":
                self._lists[name] = dict(map(_level, _children(element, "lvl")))
                linked.update({_value(child): name for child in _children(element, "styleLink")})
                links[name] = next(map(_value, _children(element, "numStyleLink")), "")
            elif local(element) == "num":
                number = attribute(element, "numId") or ""
                self._list_of[number] = next(map(_value, _children(element, "abstractNumId")), "")
                overrides = _children(element, "lvlOverride")
                self._starts[number] = dict(_starts(overrides))
                self._overrides[number] = dict(_level(own) for part in overrides for own in _children(part, "lvl"))
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
        levels = {**self._lists.get(name, {}), **self._overrides.get(number, {})}
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
        if level.form == "none":
            return ""
        return count_in("decimal" if own.is_legal else level.form, level.start if count is None else count)


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
