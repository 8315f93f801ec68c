"""Word documents, read from their XML: paragraphs and tables in document order, headers, footers and notes.

Reading the XML keeps what python-docx passes over: content controls, text boxes, footnotes, the strict variant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.errors import EmptyDocument
from assay.ingest.archive import Archive
from assay.ingest.office import attribute, core_date, core_title, local, main_member, parse, relations
from assay.ingest.split import Blocks, Outline
from assay.ingest.tables import plain_row
from assay.types import Loaded, Location

# A change that was not accepted, and the second rendering of a drawing for older programs.
_LEFT_OUT = frozenset(("del", "moveFrom", "Fallback", "pPr", "rPr", "sectPr", "tblPr", "tcPr", "trPr", "sdtPr"))
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


@dataclass(frozen=True, slots=True)
class _Styles:
    """The heading level of each paragraph style that is a heading's (1 is the highest), by the style's id.

    `lists` are the styles whose paragraphs are items of a list.
    """

    levels: dict[str, int]
    lists: frozenset[str] = frozenset()


class DocxLoader:
    """Reads .docx (and .docm, .dotx) files."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The document's text with its headings as sections; raises EmptyDocument, UnreadableDocument."""
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
    return sorted({member for each, member in related.values() if each == kind})


def _styles(archive: Archive, related: dict[str, tuple[str, str]]) -> _Styles:
    """Which styles are headings: by their name ("heading 2", "Title") or outline level, their own or inherited."""
    levels: dict[str, int] = {}
    listed: dict[str, int] = {}
    based_on: dict[str, str] = {}
    for member in _of_kind(related, "styles"):
        if member not in archive.names:
            continue
        for style in parse(archive.read(member), member):
            style_id = attribute(style, "styleId")
            if local(style) == "style" and style_id:
                _note_style(style, style_id, levels, based_on)
                _note_list(style, style_id, listed)
    for style_id in based_on:
        levels.setdefault(style_id, _inherited(style_id, levels, based_on))
        listed.setdefault(style_id, _inherited(style_id, listed, based_on))
    lists = frozenset(style_id for style_id, is_list in listed.items() if is_list)
    return _Styles({style_id: level for style_id, level in levels.items() if level}, lists)


def _note_list(style: Any, style_id: str, listed: dict[str, int]) -> None:
    """Note whether a style numbers its paragraphs or sets bullets before them, or is called so."""
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


def _inherited(style_id: str, levels: dict[str, int], based_on: dict[str, str]) -> int:
    """What the nearest ancestor has that has any; 0 where none has."""
    seen: set[str] = set()
    while style_id in based_on and style_id not in seen:
        seen.add(style_id)
        style_id = based_on[style_id]
        if levels.get(style_id):
            return levels[style_id]
    return 0


class _Reader:
    """Collects the blocks of a document's parts."""

    def __init__(self, styles: _Styles) -> None:
        self._styles = styles
        self._outline = Outline()
        self.blocks = Blocks()
        self.title = ""

    def part(self, archive: Archive, members: list[str], section: str) -> None:
        """Headers, footers or notes: each different paragraph once."""
        seen: set[str] = set()
        for member in members:
            if member not in archive.names:
                continue
            for paragraph in _paragraphs(parse(archive.read(member), member)):
                text = text_of(paragraph).strip()
                if text not in seen:
                    seen.add(text)
                    self.blocks.add(text, Location(section=section), gap="\n")

    def body(self, root: Any) -> None:
        """The paragraphs and tables of the body, also those inside of content controls."""
        waiting = list(reversed(root))
        while waiting:
            element = waiting.pop()
            match local(element):
                case "p":
                    self._paragraph(element)
                case "tbl":
                    self._table(element)
                case each if each not in _LEFT_OUT:
                    waiting.extend(reversed(element))

    def _paragraph(self, element: Any) -> None:
        text = text_of(element).strip()
        if not text:
            return
        style, listed, level = _properties(element)
        level = level or self._styles.levels.get(style, 0)
        listed = listed or style in self._styles.lists
        if level and len(text) <= 300:
            self.title = self.title or " ".join(text.split())
            self._outline.enter(level, text)
            self.blocks.add(text, self._location(), "heading")
        else:
            self.blocks.add(("- " if listed else "") + text, self._location(), gap="\n" if listed else "\n\n")

    def _table(self, table: Any) -> None:
        """A line a row; a table within a cell becomes part of that cell."""
        gap = "\n\n"
        for row in rows_of(table):
            cells = [" ".join(text_of(cell).split()) for cell in row]
            line = plain_row(cells)
            self.blocks.add(line, self._location(), "table", gap)
            gap = "\n" if line else gap

    def _location(self) -> Location:
        return Location(section=self._outline.section)


def rows_of(table: Any) -> list[list[Any]]:
    """The cells of a table's rows, rows of tables within left out."""
    rows = []
    for row in _children(table, "tr"):
        rows.append(_children(row, "tc"))
    return rows


def _children(element: Any, name: str) -> list[Any]:
    """The nearest descendants of that name, looking through content controls but not into tables."""
    found: list[Any] = []
    waiting = list(reversed(element))
    while waiting:
        child = waiting.pop()
        if local(child) == name:
            found.append(child)
        elif local(child) in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
            waiting.extend(reversed(child))
    return found


def _properties(paragraph: Any) -> tuple[str, bool, int]:
    """A paragraph's style id, whether it is a list's, and its own outline level (0 for none)."""
    style, listed, level = "", False, 0
    for properties in paragraph:
        if local(properties) != "pPr":
            continue
        for element in properties:
            value = attribute(element, "val") or ""
            match local(element):
                case "pStyle":
                    style = value
                case "numPr":
                    listed = True
                case "outlineLvl" if value.isdigit() and int(value) < 9:
                    level = int(value) + 1
    return style, listed, level


def _paragraphs(root: Any) -> list[Any]:
    return [element for element in root.iter() if local(element) == "p"]


def text_of(element: Any) -> str:
    """The text below an element as a reader sees it: without deletions; a paragraph within ends a line."""
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
