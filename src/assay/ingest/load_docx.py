"""Word documents, read from their XML: paragraphs and tables in order, headers, footers and notes.

The XML contains what python-docx leaves out: content controls, text boxes, footnotes, the strict variant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from assay.errors import EmptyDocument
from assay.ingest.archive import Archive
from assay.ingest.office import attribute, core_date, core_title, local, main_member, parse, relations
from assay.ingest.outline import Blocks, Outline
from assay.ingest.tables import plain_row
from assay.types import Loaded, Location

# Rejected changes, and the fallback rendering of drawings for older programs.
_LEFT_OUT = frozenset(("del", "moveFrom", "Fallback", "pPr", "rPr", "sectPr", "tblPr", "tcPr", "trPr", "sdtPr"))
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# A bullet typed by hand.
_BULLET = re.compile(r"[-–—•●▪◦·*][ \t\xa0]+(?=\S)")
# The longest bold line taken for a heading, as for plain text in nlp/blocks.py: chosen.
_LONGEST_BOLD = 80
_ENDS = (".", "!", "?", ";", ",", "…")
# If a larger share of the paragraphs is bold, bold marks no headings: chosen.
_MOST_BOLD = 0.7


@dataclass(frozen=True, slots=True)
class _Styles:
    """The heading level (1 is the highest) of each heading style, by style id.

    `lists`: styles of list items. `bold`: styles with bold text.
    """

    levels: dict[str, int]
    lists: frozenset[str] = frozenset()
    bold: frozenset[str] = frozenset()


class DocxLoader:
    """Reads .docx (and .docm, .dotx) files."""

    def load(self, data: bytes, name: str) -> Loaded:
        """Read the text with headings as sections; raises EmptyDocument, UnreadableDocument."""
        archive = Archive(data, name)
        member = main_member(archive, name)
        related = relations(archive, member)
        reader = _Reader(_styles(archive, related))
        reader.part(archive, _of_kind(related, "header"), "Header")
        reader.body(parse(archive.read(member), name))
        reader.part(archive, _of_kind(related, "footnotes"), "Footnotes")
        reader.part(archive, _of_kind(related, "endnotes"), "Endnotes")
        reader.part(archive, _of_kind(related, "footer"), "Footer")
        if not reader.blocks.text:
            raise EmptyDocument(f"{name}: no text in it", hint="only pictures? run OCR over them first")
        title = core_title(archive) or reader.title
        return Loaded(reader.blocks.text, "docx", title, reader.blocks.regions, core_date(archive))


def _of_kind(related: dict[str, tuple[str, str]], kind: str) -> list[str]:
    return sorted({member for member_kind, member in related.values() if member_kind == kind})


def _styles(archive: Archive, related: dict[str, tuple[str, str]]) -> _Styles:
    """Find heading styles by name ("heading 2", "Title") or outline level, own or inherited."""
    levels: dict[str, int] = {}
    listed: dict[str, int] = {}
    bold: dict[str, int] = {}
    based_on: dict[str, str] = {}
    for member in _of_kind(related, "styles"):
        if member not in archive.names:
            continue
        for style in parse(archive.read(member), member):
            style_id = attribute(style, "styleId")
            if local(style) == "style" and style_id:
                _note_style(style, style_id, levels, based_on)
                _note_list(style, style_id, listed)
                bold.update({style_id: 1} if _is_bold(_run_properties(style)) else {})
    for style_id in based_on:
        levels.setdefault(style_id, _inherited_value(style_id, levels, based_on))
        listed.setdefault(style_id, _inherited_value(style_id, listed, based_on))
        bold.setdefault(style_id, _inherited_value(style_id, bold, based_on))
    return _Styles(
        {style_id: level for style_id, level in levels.items() if level},
        frozenset(style_id for style_id, is_list in listed.items() if is_list),
        frozenset(style_id for style_id, is_bold in bold.items() if is_bold),
    )


def _note_list(style: Any, style_id: str, listed: dict[str, int]) -> None:
    """Record whether a style numbers or bullets its paragraphs, by its properties or its name."""
    for element in style.iter():
        value = (attribute(element, "val") or "").lower()
        numbered = local(element) == "numId" and value != "0"
        if numbered or (local(element) == "name" and value.startswith(("list bullet", "list number"))):
            listed[style_id] = 1


def _note_style(style: Any, style_id: str, levels: dict[str, int], based_on: dict[str, str]) -> None:
    for element in style.iter():
        value = attribute(element, "val") or ""
        match local(element):
            case "name" if value.lower().startswith("heading ") and value[8:].isdigit():
                levels[style_id] = int(value[8:])
            case "name" if value.lower() == "title":
                levels[style_id] = 1
            case "outlineLvl" if value.isdigit() and int(value) < 9:
                levels.setdefault(style_id, int(value) + 1)
            case "basedOn":
                based_on[style_id] = value


def _inherited_value(style_id: str, levels: dict[str, int], based_on: dict[str, str]) -> int:
    """The value of the nearest ancestor that has one, or 0."""
    seen: set[str] = set()
    while style_id in based_on and style_id not in seen:
        seen.add(style_id)
        style_id = based_on[style_id]
        if levels.get(style_id):
            return levels[style_id]
    return 0


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph: its text, depth in a list (0: none) and outline level (0: none, 1: highest).

    `size`: of its first words, in half points, if all its words are bold; otherwise 0.
    """

    text: str
    depth: int = 0
    level: int = 0
    size: int = 0


class _Reader:
    """Collects the blocks of a document's parts."""

    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._outline = Outline()
        # The level of the last styled heading, and the sizes of bold lines below it, largest first.
        self._level = 0
        self._sizes: list[int] = []
        self.blocks = Blocks()
        self.title = ""

    def part(self, archive: Archive, members: list[str], section: str) -> None:
        """Read headers, footers or notes; repeated paragraphs once."""
        seen: set[str] = set()
        for member in members:
            if member not in archive.names:
                continue
            for paragraph in _paragraphs(parse(archive.read(member), member)):
                text = text_of(paragraph).strip()
                if text not in seen:
                    seen.add(text)
                    self.blocks.add(text, Location(section=section), gap="\n\n" if "notes" in section else "\n")

    def body(self, root: Any) -> None:
        """Read the paragraphs and tables of the body, including those in content controls."""
        found: list[Any | _Paragraph] = [
            element if local(element) == "tbl" else _paragraph(element, self._styles)
            for element in _body_elements(root)
        ]
        found = [element for element in found if not isinstance(element, _Paragraph) or element.text]
        paragraphs = [element for element in found if isinstance(element, _Paragraph)]
        all_bold = sum(own.size > 0 for own in paragraphs) > _MOST_BOLD * len(paragraphs)
        for element, following in pairwise([*found, None]):
            if not isinstance(element, _Paragraph):
                self._table(element)
                continue
            under = isinstance(following, _Paragraph) and element.depth and following.depth
            is_heading = not (all_bold or under or following is None) and _is_bold_heading(element)
            self._paragraph(element, is_heading=is_heading)

    def _paragraph(self, own: _Paragraph, *, is_heading: bool) -> None:
        text, level = own.text, own.level
        if level and len(text) <= 300:
            self._level, self._sizes = level, []
        elif is_heading:
            level = self._bold_level(own.size)
        else:
            level = 0
        if level:
            self.title = self.title or " ".join(text.split())
            self._outline.enter(level, text)
            self.blocks.add(text, self._location(), "heading")
        elif own.depth:
            indent = "  " * (own.depth - 1)
            self.blocks.add(f"- {text}", self._location(), gap=f"\n{indent}")
        else:
            self.blocks.add(text, self._location())

    def _bold_level(self, size: int) -> int:
        """The heading level of a bold line: below the last styled heading, smaller sizes below larger ones."""
        self._sizes = sorted({*self._sizes, size}, reverse=True)
        return self._level + 1 + self._sizes.index(size)

    def _table(self, table: Any) -> None:
        """Write one line per row; a nested table becomes part of its cell."""
        gap = "\n\n"
        for row in rows_of(table):
            cells = [" ".join(text_of(cell).split()) for cell in row]
            line = plain_row(cells)
            self.blocks.add(line, self._location(), "table", gap)
            gap = "\n" if line else gap

    def _location(self) -> Location:
        return Location(section=self._outline.section)


def rows_of(table: Any) -> list[list[Any]]:
    """The cells of a table's rows, without those of nested tables."""
    rows = []
    for row in _children(table, "tr"):
        rows.append(_children(row, "tc"))
    return rows


def _children(element: Any, name: str) -> list[Any]:
    """The nearest descendants of that name, including those in content controls but not in nested tables."""
    found: list[Any] = []
    waiting = list(reversed(element))
    while waiting:
        child = waiting.pop()
        if local(child) == name:
            found.append(child)
        elif local(child) in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            waiting.extend(reversed(child))
    return found


def _body_elements(root: Any) -> Iterator[Any]:
    """The paragraphs and tables below an element, in order, without those in nested tables."""
    waiting = list(reversed(root))
    while waiting:
        element = waiting.pop()
        if local(element) in ("p", "tbl"):
            yield element
        elif local(element) not in _LEFT_OUT:
            waiting.extend(reversed(element))


def _is_bold_heading(own: _Paragraph) -> bool:
    """Whether a paragraph looks like a heading: a short bold line that ends no sentence."""
    text = own.text
    if not own.size or len(text) > _LONGEST_BOLD or "\n" in text or text.endswith(_ENDS):
        return False
    return any(map(str.isalpha, text))


def _paragraph(element: Any, styles: _Styles) -> _Paragraph:
    """Read a paragraph with its own properties and those of its style and runs."""
    text = text_of(element).strip()
    style, depth, level = "", 0, 0
    for part in chain.from_iterable(part for part in element if local(part) == "pPr"):
        value = attribute(part, "val") or ""
        match local(part):
            case "pStyle":
                style = value
            case "numPr":
                depth = _list_depth(part)
            case "outlineLvl" if value.isdigit() and int(value) < 9:
                level = int(value) + 1
    depth = depth or int(style in styles.lists)
    bullet = _BULLET.match(text)
    if bullet and not depth:
        text, depth = text[bullet.end() :], 1
    return _Paragraph(text, depth, level or styles.levels.get(style, 0), _bold_size(element, style, styles))


def _list_depth(numbering: Any) -> int:
    """A paragraph's depth in a list, from 1; 0 if numbering is turned off."""
    values = {local(element): attribute(element, "val") or "" for element in numbering}
    level = values.get("ilvl", "0")
    return 0 if values.get("numId") == "0" else 1 + (int(level) if level.isdigit() else 0)


def _bold_size(paragraph: Any, style: str, styles: _Styles) -> int:
    """The size of a paragraph's first words in half points (1 if not given); 0 if some words are not bold."""
    sizes = []
    for run in (element for element in paragraph.iter() if local(element) == "r" and text_of(element).strip()):
        given = _run_properties(run)
        if not _is_bold(given, of_style=not styles.bold.isdisjoint((style, given.get("rStyle", "")))):
            return 0
        size = given.get("sz", "")
        sizes.append(int(size) if size.isdigit() else 1)
    return sizes[0] if sizes else 0


def _run_properties(element: Any) -> dict[str, str]:
    """The run properties of a run or a style, by name."""
    parts = chain.from_iterable(part for part in element if local(part) == "rPr")
    return {local(part): attribute(part, "val") or "" for part in parts}


def _is_bold(properties: dict[str, str], *, of_style: bool = False) -> bool:
    """Whether text is bold by its own properties, or else by its style."""
    return properties["b"] not in ("0", "false", "off") if "b" in properties else of_style


def _paragraphs(root: Any) -> list[Any]:
    return [element for element in root.iter() if local(element) == "p"]


def text_of(element: Any) -> str:
    """The visible text below an element, without deletions; nested paragraphs end lines."""
    parts: list[str] = []
    waiting = list(reversed(element))
    while waiting:
        current = waiting.pop()
        if isinstance(current, str):
            parts.append(current)
            continue
        name = local(current)
        if name == "t":
            parts.append(current.text or "")
        elif name in _BREAKS:
            parts.append(_BREAKS[name])
        elif name not in _LEFT_OUT:
            waiting.extend(["\n"] if name in ("p", "tr") else [" "] if name == "tc" else [])
            waiting.extend(reversed(current))
    return "".join(parts)
