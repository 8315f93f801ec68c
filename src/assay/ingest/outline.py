"""Assemble a document's text and regions from blocks, below the headings that they stand under."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from assay.types import Location, Region

Kind = Literal["text", "heading", "table"]


@dataclass(slots=True)
class Blocks:
    """Collects blocks; neighbours of one kind and location share a region.

    >>> blocks = Blocks()
    >>> blocks.add("Tea", Location(page=1), "heading")
    >>> blocks.add("Boil water.", Location(page=1))
    >>> blocks.text, len(blocks.regions)
    ('Tea\\n\\nBoil water.', 2)
    """

    _parts: list[str] = field(default_factory=list)
    _regions: list[Region] = field(default_factory=list)
    _length: int = 0

    def add(self, text: str, location: Location, kind: Kind = "text", gap: str = "\n\n") -> None:
        """Append a block after `gap`; blocks of only white space are ignored."""
        text = text.strip()
        if not text:
            return
        if self._parts:
            self._append(gap)
        start = self._length
        self._append(text)
        last = self._regions[-1] if self._regions else None
        if last is not None and last.kind == kind != "heading" and last.location == location:
            self._regions[-1] = replace(last, end=self._length)
        else:
            self._regions.append(Region(start, self._length, location, kind))

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions so far, in order."""
        return tuple(self._regions)


@dataclass(slots=True)
class Outline:
    """The headings above the current position.

    >>> outline = Outline()
    >>> outline.enter(1, "Tea"), outline.enter(2, "Water"), outline.enter(2, "Milk")
    ('Tea', 'Tea > Water', 'Tea > Milk')
    """

    _path: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, level: int, title: str) -> str:
        """Begin a heading's section (level 1 is the highest); return its path."""
        self._path = [
            *(heading for heading in self._path if heading[0] < level),
            (level, " ".join(title.split())[:120]),
        ]
        return self.section or ""

    def leave(self, level: int) -> None:
        """End the sections of this level and deeper."""
        self._path = [heading for heading in self._path if heading[0] < level]

    @property
    def section(self) -> str | None:
        """The path of headings, or None before the first."""
        return " > ".join(title for _, title in self._path) or None
