"""Markdown, kept as it is written; headings become sections and tables stay whole."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from assay.ingest.load_text import TextLoader
from assay.types import Loaded, Location, Region

_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(?=\S)")
_UNDERLINE = re.compile(r"[ ]{0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_FRONT_TITLE = re.compile(r"title:[ \t]*(.+)")
_MARKS = re.compile(r"[*_`]+|!?\[([^\]\[]{0,200})\]\([^()\s]{0,500}\)")

Kind = Literal["text", "heading", "table"]


@dataclass(frozen=True, slots=True)
class _Line:
    """One line, line end included; `level` is 1 to 6 for a heading."""

    start: int
    end: int
    kind: Kind
    level: int = 0
    title: str = ""


class MarkdownLoader:
    """Reads Markdown; its title is that of the front matter, else the first heading."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text as written, with regions by heading; raises EmptyDocument.

        >>> loaded = MarkdownLoader().load(b"# Tea\\n\\n## Water\\nBoil it.\\n", "tea.md")
        >>> loaded.title, str(loaded.regions[-1].location)
        ('Tea', 'Tea > Water')
        """
        loaded = TextLoader().load(data, name)
        body = _front_matter_end(loaded.text)
        lines = list(_lines(loaded.text, body))
        headings = [line.title for line in lines if line.kind == "heading"]
        front = _FRONT_TITLE.search(loaded.text, 0, body)
        title = front.group(1).strip(" \"'") if front else next(iter(headings), "")
        return replace(loaded, format="markdown", title=title, regions=tuple(_regions(lines, body)))


def _front_matter_end(text: str) -> int:
    """Where the YAML front matter ends; 0 where there is none."""
    if not text.startswith("---\n"):
        return 0
    end = text.find("\n---", 3)
    line_end = text.find("\n", end + 4)
    return line_end + 1 if end != -1 and line_end != -1 else 0


def _lines(text: str, start: int) -> list[_Line]:
    """The lines of `text` from `start` on with what each is."""
    found: list[_Line] = []
    fence = ""
    for raw in text[start:].splitlines(keepends=True):
        # str.splitlines also cuts at rarer line ends; that only makes more lines, never loses a character.
        end = start + len(raw)
        line = raw.rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence or mark:
            found.append(_Line(start, end, "text"))
            fence = _fence_after(fence, mark)
        else:
            _append(found, _classified(line, start, end), line)
        start = end
    return found


def _fence_after(fence: str, mark: re.Match[str] | None) -> str:
    """The fence that is open behind a line: code ends with at least as many of the same marks."""
    if not fence:
        return mark.group(1) if mark else ""
    closes = mark is not None and mark.group(1).startswith(fence)
    return "" if closes else fence


def _classified(line: str, start: int, end: int) -> _Line:
    heading = _HEADING.match(line)
    if heading:
        words = line[heading.end() :].rstrip(" \t#")
        return _Line(start, end, "heading", len(heading.group(1)), plain_heading(words))
    if line.lstrip().startswith("|"):
        return _Line(start, end, "table")
    return _Line(start, end, "text", title=line.strip()[:200])


def _append(found: list[_Line], line: _Line, raw: str) -> None:
    """Append the line; an underline makes the line above it a heading."""
    under = _UNDERLINE.match(raw)
    above = found[-1] if found else None
    if under and above is not None and above.kind == "text" and above.title and line.start == above.end:
        level = 1 if under.group(1)[0] == "=" else 2
        found[-1] = _Line(above.start, line.end, "heading", level, plain_heading(above.title))
        return
    found.append(line)


def plain_heading(text: str) -> str:
    """A heading's words without Markdown's marks.

    >>> plain_heading("**Use** [the map](map.md)")
    'Use the map'
    """
    return _MARKS.sub(lambda match: match.group(1) or "", text).strip()


def _regions(lines: list[_Line], start: int) -> list[Region]:
    """Neighbouring lines of one kind under one heading, joined; front matter before `start` is a region too."""
    regions = [Region(0, start, Location())] if start else []
    path: list[tuple[int, str]] = []
    for line in lines:
        if line.kind == "heading":
            path = [*(each for each in path if each[0] < line.level), (line.level, line.title)]
        location = Location(section=" > ".join(title for _, title in path) or None)
        last = regions[-1] if regions else None
        if last is not None and last.kind == line.kind != "heading" and last.location == location:
            regions[-1] = replace(last, end=line.end)
        else:
            regions.append(Region(line.start, line.end, location, line.kind))
    return regions
