"""Word documents, read from their XML: paragraphs and tables in order, headers, footers and notes.

The XML contains what python-docx leaves out: content controls, text boxes, footnotes, the strict variant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeVar

from assay.errors import EmptyDocument
from assay.ingest.archive import Archive
from assay.ingest.docx_numbering import Numbering
from assay.ingest.list_marks import Indents, mark_of
from assay.ingest.office import attribute, core_date, core_title, local, main_member, parse, relations
from assay.ingest.office_drawings import add_drawing, drawing_lines, is_drawing
from assay.ingest.outline import Blocks, Outline
from assay.ingest.tables import grouped_names, is_header, plain_row
from assay.types import Loaded, Location

# Rejected changes, and the fallback rendering of drawings for older programs.
_LEFT_OUT = frozenset(("del", "moveFrom", "Fallback", "pPr", "rPr", "sectPr", "tblPr", "tcPr", "trPr", "sdtPr"))
# The beginning of a page when the file was saved.
_PAGE = "\f"
_BREAKS = {"lastRenderedPageBreak": _PAGE, "tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# A bullet typed by hand.
_BULLET = re.compile(r"[-–—•●▪◦·*][ \t\xa0]+(?=\S)")
# The longest bold line taken for a heading, as for plain text in nlp/blocks.py: chosen.
_LONGEST_BOLD = 80
_ENDS = (".", "!", "?", ";", ",", "…")
# If a larger share of the paragraphs is bold, bold marks no headings: chosen.
_MOST_BOLD = 0.7
# Most columns that a cell spans, and its greatest length to be repeated in the rows that it spans: chosen.
_MOST_SPANNED, _LONGEST_REPEATED = 50, 200


_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class _Styles:
    """The heading level (1 is the highest) of each heading style, by style id.

    `lists`: styles of list items, with the number of their list, "" if that is not known, and their level in it.
    `bold`: styles with bold text.
    """

    levels: dict[str, int]
    lists: dict[str, tuple[str, int]]
    bold: frozenset[str] = frozenset()


class DocxLoader:
    """Reads .docx (and .docm, .dotx) files."""

    def load(self, data: bytes, name: str) -> Loaded:
        """Read the text with headings as sections; raises EmptyDocument, UnreadableDocument."""
        archive = Archive(data, name)
        member = main_member(archive, name)
        related = relations(archive, member)
        numbering = [member for member in _of_kind(related, "numbering") if member in archive.names][:1]
        lists = Numbering(*(parse(archive.read(member), member) for member in numbering))
        reader = _Reader(_styles(archive, related), lists)
        reader.part(archive, _of_kind(related, "header"), "Header")
        root = parse(archive.read(member), name)
        reader.body(
            root, lambda element: drawing_lines(archive, element, related), has_pages=_has_pages(archive, root)
        )
        reader.part(archive, _of_kind(related, "footnotes"), "Footnotes")
        reader.part(archive, _of_kind(related, "endnotes"), "Endnotes")
        reader.part(archive, _of_kind(related, "footer"), "Footer")
        if not reader.blocks.text:
            raise EmptyDocument(f"{name}: no text in it", hint="only pictures? run OCR over them first")
        title = core_title(archive) or reader.title
        return Loaded(reader.blocks.text, "docx", title, reader.blocks.regions, core_date(archive))


def _has_pages(archive: Archive, root: Any) -> bool:
    """Tell whether the file says where each of its pages began when it was saved.

    Word leaves some out, as within frames; with all of them there are as many as its properties count.
    """
    breaks = sum(local(element) == "lastRenderedPageBreak" for element in root.iter())
    for member in _of_kind(relations(archive, ""), "extended-properties") if breaks else ():
        if member in archive.names:
            counted = (element.text for element in parse(archive.read(member), member) if local(element) == "Pages")
            return next(counted, None) == str(breaks + 1)
    return False


def _of_kind(related: dict[str, tuple[str, str]], kind: str) -> list[str]:
    return sorted({member for member_kind, member in related.values() if member_kind == kind})


def _styles(archive: Archive, related: dict[str, tuple[str, str]]) -> _Styles:
    """Find heading styles by name ("heading 2", "Title") or outline level, own or inherited."""
    levels: dict[str, int] = {}
    listed: dict[str, tuple[str, int] | None] = {}
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
        levels.setdefault(style_id, _inherited_value(style_id, levels, based_on, 0))
        listed.setdefault(style_id, _inherited_value(style_id, listed, based_on, None))
        bold.setdefault(style_id, _inherited_value(style_id, bold, based_on, 0))
    return _Styles(
        {style_id: level for style_id, level in levels.items() if level},
        {style_id: own for style_id, own in listed.items() if own is not None},
        frozenset(style_id for style_id, is_bold in bold.items() if is_bold),
    )


def _note_list(style: Any, style_id: str, listed: dict[str, tuple[str, int] | None]) -> None:
    """Record the list whose item a style makes of its paragraphs, by its properties or its name."""
    values = {local(element): attribute(element, "val") or "" for element in style.iter()}
    level = values.get("ilvl", "")
    if values.get("numId", "0") != "0":
        listed[style_id] = (values["numId"], int(level) if level.isdigit() else -1)
    elif values.get("name", "").lower().startswith(("list bullet", "list number")):
        listed[style_id] = ("", 0)


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


def _inherited_value(
    style_id: str, levels: Mapping[str, _Value], based_on: dict[str, str], default: _Value
) -> _Value:
    """The value of the nearest ancestor that has one, or the default."""
    seen: set[str] = set()
    while style_id in based_on and style_id not in seen:
        seen.add(style_id)
        style_id = based_on[style_id]
        if value := levels.get(style_id):
            return value
    return default


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """A paragraph: its text, depth in a list (0: none), the label before it, outline level (0: none, 1: highest).

    `size`: of its first words, in half points, if all its words are bold; otherwise 0.
    """

    text: str
    depth: int = 0
    label: str = ""
    level: int = 0
    size: int = 0


class _Reader:
    """Collects the blocks of a document's parts."""

    def __init__(self, styles: _Styles, lists: Numbering) -> None:
        self._styles = styles
        self._lists = lists
        # What stands before each numbered paragraph.
        self._labels: dict[Any, str] = {}
        self._indents = Indents()
        self._page: int | None = None
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
                text = text_of(paragraph).replace(_PAGE, "").strip()
                if text not in seen:
                    seen.add(text)
                    self.blocks.add(text, Location(section=section), gap="\n\n" if "notes" in section else "\n")

    def body(self, root: Any, drawn: Callable[[Any], list[str]], *, has_pages: bool) -> None:
        """Read the paragraphs and tables of the body, including those in content controls.

        `drawn` gives the lines of a chart or diagram. `has_pages`: the beginning of each page is marked.
        """
        self._count(root)
        found: list[tuple[Any | _Paragraph | list[str], int | None]] = []
        page = 1
        for element in _body_elements(root):
            own = (
                element if local(element) == "tbl" else _paragraph(element, self._styles, self._labels.get(element))
            )
            text = text_of(element) if has_pages else ""
            before = text[: len(text) - len(text.lstrip())].count(_PAGE)
            if not isinstance(own, _Paragraph) or own.text:
                found.append((own, page + before if has_pages else None))
            page += text.count(_PAGE)
            found += [
                (lines, page if has_pages else None) for lines in map(drawn, filter(is_drawing, element.iter()))
            ]
        paragraphs = [own for own, _ in found if isinstance(own, _Paragraph)]
        all_bold = sum(own.size > 0 for own in paragraphs) > _MOST_BOLD * len(paragraphs)
        for (own, self._page), (following, _) in pairwise([*found, (None, None)]):
            if isinstance(own, list):
                add_drawing(self.blocks, own, self._location())
                continue
            if not isinstance(own, _Paragraph):
                self._table(own)
                continue
            under = isinstance(following, _Paragraph) and own.depth and following.depth
            is_heading = not (all_bold or under or following is None) and _is_bold_heading(own)
            self._paragraph(own, is_heading=is_heading)

    def _count(self, root: Any) -> None:
        """Number the paragraphs of all lists, those in tables too."""
        for element in _paragraphs(root):
            number, level = _list_of(element, self._styles)
            if number:
                level = self._lists.level_of(number, _style_of(element)) if level < 0 else level
                self._labels[element] = self._lists.label(number, level)

    def _paragraph(self, own: _Paragraph, *, is_heading: bool) -> None:
        text, level = own.text, own.level
        if level and len(text) <= 300:
            self._level, self._sizes = level, []
        elif is_heading:
            level = self._bold_level(own.size)
        else:
            level = 0
        if level or not own.depth:
            self._indents.leave()
        if level:
            text = f"{own.label} {text}".replace(_PAGE, "").strip()
            self.title = self.title or " ".join(text.split())
            self._outline.enter(level, text)
            self.blocks.add(text, self._location(), "heading")
        elif own.depth:
            mark = mark_of(own.label)
            # Markdown takes no other number for the beginning of a list right below a paragraph.
            gap = "\n" if self._indents.is_open or mark.startswith(("-", "1.", "1)")) else "\n\n"
            indent = self._indents.enter(own.depth, mark)
            self._text(f"{mark}{text}", f"{gap}{indent}")
        else:
            self._text(text, "\n\n")

    def _text(self, text: str, gap: str) -> None:
        """Write a paragraph, on several pages if it goes over their ends."""
        first, *rest = text.split(_PAGE)
        self.blocks.add(first, self._location(), gap=gap)
        for before, part in pairwise((first, *rest)):
            self._page = None if self._page is None else self._page + 1
            gap = " " if before[-1:].isspace() or part[:1].isspace() else ""
            self.blocks.add(part, self._location(), gap=gap)

    def _bold_level(self, size: int) -> int:
        """The heading level of a bold line: below the last styled heading, smaller sizes below larger ones."""
        self._sizes = sorted({*self._sizes, size}, reverse=True)
        return self._level + 1 + self._sizes.index(size)

    def _table(self, table: Any) -> None:
        """Write one line per row; a nested table becomes part of its cell."""
        gap = "\n\n"
        self._indents.leave()
        rows = [self._cells(row) for row in rows_of(table)]
        for cells in _with_merged(rows):
            line = plain_row(cells)
            self.blocks.add(line, self._location(), "table", gap)
            gap = "\n" if line else gap

    def _cells(self, row: list[Any]) -> list[_Cell]:
        """The cells of a row, on one line each."""
        cells = []
        for cell in row:
            text = " ".join(text_of(cell, self._labels).replace(_PAGE, "").split())
            values = {local(part): attribute(part, "val") for part in _properties(cell, "tcPr")}
            columns = values.get("gridSpan") or ""
            merges = "vMerge" in values and values["vMerge"] != "restart"
            cells.append(_Cell(text, min(int(columns), _MOST_SPANNED) if columns.isdigit() else 1, merges))
        return cells

    def _location(self) -> Location:
        return Location(page=self._page, section=self._outline.section)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of a table: its text, the columns that it spans, and whether it goes on with the cell above."""

    text: str
    columns: int = 1
    merges: bool = False


def _with_merged(rows: list[list[_Cell]]) -> Iterator[list[str]]:
    """The rows with the text of merged cells in each row; two rows of names, the first in groups, become one.

    >>> rows = [[_Cell("Class"), _Cell("Fee", 2)], [_Cell("", 1, True), _Cell("Member"), _Cell("Guest")]]
    >>> list(_with_merged(rows))
    [['Class', 'Fee Member', 'Fee Guest']]
    """
    written: list[list[str]] = []
    for row in rows:
        cells: list[str] = []
        for cell in row:
            above = written[-1][len(cells) :][:1] if cell.merges and written else []
            is_short = bool(above) and len(above[0]) <= _LONGEST_REPEATED
            cells += [above[0] if is_short else cell.text, *[""] * (cell.columns - 1)]
        written.append(cells)
    is_group = len(rows) > 1 and 1 < len(rows[0]) < len(written[0]) and is_header(written[1])
    if is_group:
        group = [cell.text for cell in rows[0] for _ in range(cell.columns)]
        written[:2] = [grouped_names(group, written[1])]
    yield from written


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
    """Tell whether a paragraph looks like a heading: a short bold line that ends no sentence."""
    text = own.text
    if not own.size or len(text) > _LONGEST_BOLD or "\n" in text or text.endswith(_ENDS):
        return False
    return any(map(str.isalpha, text))


def _paragraph(element: Any, styles: _Styles, label: str | None) -> _Paragraph:
    """Read a paragraph with its own properties and those of its style and runs; `label`: None outside of lists."""
    text = text_of(element).strip()
    style, level = _style_of(element), 0
    for part in _properties(element):
        value = attribute(part, "val") or ""
        if local(part) == "outlineLvl" and value.isdigit() and int(value) < 9:
            level = int(value) + 1
    depth = _list_depth(element, styles)
    bullet = _BULLET.match(text)
    if bullet and not depth:
        text, depth = text[bullet.end() :], 1
    size = _bold_size(element, style, styles)
    return _Paragraph(text, depth, label or "", level or styles.levels.get(style, 0), size)


def _properties(element: Any, name: str = "pPr") -> Iterator[Any]:
    """The properties of a paragraph, or of another element by the name of theirs."""
    return chain.from_iterable(part for part in element if local(part) == name)


def _style_of(paragraph: Any) -> str:
    return next((attribute(part, "val") or "" for part in _properties(paragraph) if local(part) == "pStyle"), "")


def _list_of(paragraph: Any, styles: _Styles) -> tuple[str, int]:
    """The number of a paragraph's list, "" without one, and its level there, -1 if only the list tells that."""
    number, level = styles.lists.get(_style_of(paragraph), ("", 0))
    for part in _properties(paragraph):
        if local(part) == "numPr":
            values = {local(element): attribute(element, "val") or "" for element in part}
            given = values.get("ilvl", "")
            number, level = values.get("numId", number), int(given) if given.isdigit() else max(0, level)
    return ("", 0) if number == "0" else (number, level)


def _list_depth(paragraph: Any, styles: _Styles) -> int:
    """A paragraph's depth in a list, from 1; 0 if it has none, or turns off that of its style."""
    for part in _properties(paragraph):
        if local(part) == "numPr":
            values = {local(element): attribute(element, "val") or "" for element in part}
            level = values.get("ilvl", "0")
            return 0 if values.get("numId") == "0" else 1 + (int(level) if level.isdigit() else 0)
    style = _style_of(paragraph)
    return 1 + max(0, styles.lists[style][1]) if style in styles.lists else 0


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
    """Tell whether text is bold by its own properties, or else by its style."""
    return properties["b"] not in ("0", "false", "off") if "b" in properties else of_style


def _paragraphs(root: Any) -> list[Any]:
    return [element for element in root.iter() if local(element) == "p"]


def text_of(element: Any, labels: Mapping[Any, str] | None = None) -> str:
    """The visible text below an element, without deletions; nested paragraphs begin with labels and end lines."""
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
            waiting.extend([f"{labels[current]} "] if labels and labels.get(current) else [])
    return "".join(parts)
