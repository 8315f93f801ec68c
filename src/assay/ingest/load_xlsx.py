"""Spreadsheets, read from their XML: sheets in order, a line a row, numbers as their formats show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

from assay.errors import EmptyDocument
from assay.ingest.archive import Archive
from assay.ingest.number_formats import NumberFormat, format_number, format_of
from assay.ingest.office import attribute, core_date, core_title, local, main_member, parse, relations
from assay.ingest.outline import Blocks
from assay.ingest.tables import Row, is_header, row_lines
from assay.types import Loaded, Location

_LETTERS = re.compile(r"[A-Z]{1,3}")
_MOST_COLUMNS = 16_384  # Excel's own limit
_RANGE = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
# Most merged cells that are read, most rows over which the text of one is repeated, and columns, and its greatest
# length: chosen.
_MOST_MERGED, _MOST_SPANNED, _LONGEST_REPEATED = 10_000, 1000, 200


@dataclass(frozen=True, slots=True)
class _Book:
    """The strings and formats that cells of all sheets refer to."""

    strings: tuple[str, ...]
    formats: tuple[NumberFormat, ...]
    from_1904: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet: its name, and the rows that it holds, with the numbers that it gives them."""

    title: str
    rows: list[Row]


class XlsxLoader:
    """Reads .xlsx files; formulas give the value that was saved with them."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The rows of every sheet as lines; raises EmptyDocument, UnreadableDocument."""
        archive = Archive(data, name)
        blocks = Blocks()
        for sheet in sheets(archive, name):
            _add_sheet(blocks, sheet)
        if not blocks.text:
            raise EmptyDocument(f"{name}: no cell holds anything", hint="nothing to do; the sheets are empty")
        return Loaded(blocks.text, "xlsx", core_title(archive), blocks.regions, core_date(archive))


def sheets(archive: Archive, name: str) -> Iterator[Sheet]:
    """The worksheets in order, each read when it is reached; raises UnreadableDocument."""
    member = main_member(archive, name)
    related = relations(archive, member)
    workbook = parse(archive.read(member), name)
    book = _Book(_strings(archive, related), _formats(archive, related), _is_from_1904(workbook))
    for title, sheet in _sheets(archive, workbook, related):
        root = parse(archive.read(sheet), sheet)
        yield Sheet(title, with_merged(list(_rows(root, book)), _merged(root)))


def _add_sheet(blocks: Blocks, sheet: Sheet) -> None:
    """The sheet's name as heading, then its rows; nothing where no cell holds anything."""
    named, title = False, sheet.title
    for table in side_by_side(sheet.rows):
        last = 0
        for line in row_lines(with_gaps(table)):
            if not named:
                blocks.add(title, Location(sheet=title), "heading")
                named = True
            gap = "\n" if last and line.number == last + 1 else "\n\n"
            blocks.add(line.text, Location(sheet=title, row=line.number, section=line.title), "table", gap)
            last = line.number


def side_by_side(rows: list[Row]) -> list[list[Row]]:
    """The tables of a sheet that stand beside each other: parted by empty columns, with other first or last rows.

    >>> len(side_by_side([Row(1, ("a", "b")), Row(2, ("1", "2", "", "c")), Row(3, ("", "", "", "3"))]))
    2
    """
    used: list[list[int]] = [[] for _ in range(max((len(row.cells) for row in rows), default=0))]
    for row in rows:
        for column, cell in enumerate(row.cells):
            if cell:
                used[column].append(row.number)
    if all(used):
        return [rows]
    bands: list[list[int]] = []
    for column, numbers in enumerate(used):
        if numbers and (column == 0 or not used[column - 1]):
            bands.append([])
        if numbers:
            bands[-1].append(column)
    filled = [[number for column in band for number in used[column]] for band in bands]
    # One column alone before the others holds the names of their rows.
    are_names = len(bands) > 1 and len(bands[0]) == 1 and not set(filled[0]).isdisjoint(filled[1])
    if are_names or len({(min(band), max(band)) for band in filled}) < 2:
        return [rows]
    return [[replace(row, cells=tuple(_at(row, column) for column in band)) for row in rows] for band in bands]


def _at(row: Row, column: int) -> str:
    return row.cells[column] if column < len(row.cells) else ""


def _sheets(archive: Archive, workbook: Any, related: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The name and the member of each worksheet, in order."""
    for element in workbook.iter():
        if local(element) == "sheet":
            relation = next((value for key, value in element.attrib.items() if key.endswith("}id")), "")
            kind, member = related.get(str(relation), ("", ""))
            if kind == "worksheet" and member in archive.names:
                yield element.get("name") or "", member


def _is_from_1904(workbook: Any) -> bool:
    """Tell whether days are counted from 1904, as old Macintosh files do."""
    return any(
        element.get("date1904") in ("1", "true") for element in workbook.iter() if local(element) == "workbookPr"
    )


def _strings(archive: Archive, related: dict[str, tuple[str, str]]) -> tuple[str, ...]:
    """The strings that cells refer to by number."""
    for kind, member in related.values():
        if kind == "sharedStrings" and member in archive.names:
            root = parse(archive.read(member), member)
            return tuple(_text_of(element) for element in root if local(element) == "si")
    return ()


def _text_of(element: Any) -> str:
    """The text of a string, without the pronunciation that Japanese files add."""
    parts: list[str] = []
    waiting = list(reversed(element))
    while waiting:
        current = waiting.pop()
        if local(current) == "t":
            parts.append(current.text or "")
        elif local(current) != "rPh":
            waiting.extend(reversed(current))
    return "".join(parts)


def _formats(archive: Archive, related: dict[str, tuple[str, str]]) -> tuple[NumberFormat, ...]:
    """The number format of each cell style."""
    for kind, member in related.values():
        if kind == "styles" and member in archive.names:
            root = parse(archive.read(member), member)
            codes = {
                element.get("numFmtId"): element.get("formatCode") or ""
                for element in root.iter()
                if local(element) == "numFmt"
            }
            styles = next((element for element in root if local(element) == "cellXfs"), ())
            return tuple(format_of(style.get("numFmtId") or "0", codes) for style in styles)
    return ()


def _rows(root: Any, book: _Book) -> Iterator[Row]:
    """The rows that the sheet holds, with the numbers that it gives them."""
    number = 0
    for element in root.iter():
        if local(element) == "row":
            given = element.get("r") or ""
            number = int(given) if given.isdigit() else number + 1
            yield Row(number, tuple(_cells(element, book)))


@dataclass(frozen=True, slots=True)
class _Merged:
    """Cells that are merged into one: the first and the last row, from 1, and column, from 0."""

    top: int
    left: int
    bottom: int
    right: int


def _merged(root: Any) -> list[_Merged]:
    """The merged cells of a sheet."""
    merged = chain.from_iterable(part for part in root if local(part) == "mergeCells")
    references = (element.get("ref") or "" for element in merged)
    ranges = (_RANGE.fullmatch(reference) for reference in islice(references, _MOST_MERGED))
    return [
        _Merged(int(match[2]), _column(match[1], 0), int(match[4]), _column(match[3], 0))
        for match in ranges
        if match is not None
    ]


def with_merged(rows: list[Row], merged: list[_Merged]) -> list[Row]:
    """The rows with the text of each merged cell in all rows that it spans and in columns whose names it heads.

    >>> rows = [Row(1, ("", "Price", "")), Row(2, ("Tea", "May", "June"))]
    >>> with_merged(rows, [_Merged(1, 1, 1, 2)])[0]
    Row(number=1, cells=('', 'Price', 'Price'), heads=True)
    """
    if not merged:
        return rows
    filled = {row.number: list(row.cells) for row in rows}
    # Rows that hold more than what goes on from above.
    own = {row.number for row in rows if any(map(str.strip, row.cells))}
    heads: set[int] = set()
    for cell in merged:
        text = "".join(filled.get(cell.top, [])[cell.left : cell.left + 1])
        if not text or len(text) > _LONGEST_REPEATED or cell.right >= _MOST_SPANNED:
            continue
        below = filled.get(cell.bottom + 1, [])
        names = _run(below, cell.left)
        is_group = cell.left < cell.right and is_header(below[names.start : names.stop])
        # A cell over all columns is a title.
        is_group = is_group and (names.start < cell.left or cell.right + 1 < names.stop)
        right = min(cell.right, len(below) - 1) if is_group else cell.left
        heads |= {cell.top} if is_group else set()
        for number in range(cell.top, min(cell.bottom, cell.top + _MOST_SPANNED) + 1):
            cells = filled.get(number, [])
            if number > cell.top and number not in own:
                continue
            cells.extend([""] * (right + 1 - len(cells)))
            cells[cell.left : right + 1] = [text] * (right + 1 - cell.left)
    return [Row(number, tuple(cells), number in heads) for number, cells in sorted(filled.items())]


def _run(cells: list[str], column: int) -> range:
    """The columns of the filled cells that stand without a gap around one."""
    start = stop = column
    while start and any(cells[start - 1 : start]):
        start -= 1
    while any(cells[stop : stop + 1]):
        stop += 1
    return range(start, stop)


def _cells(row: Any, book: _Book) -> list[str]:
    cells: list[str] = []
    for element in row:
        if local(element) == "c":
            column = _column(element.get("r") or "", len(cells))
            cells.extend([""] * (min(column, _MOST_COLUMNS) - len(cells)))
            cells.append(_cell(element, book))
    return cells


def _column(reference: str, following: int) -> int:
    """The column of a reference such as "C7", counted from 0; `following` where there is no reference."""
    letters = _LETTERS.match(reference)
    if letters is None:
        return following
    column = 0
    for letter in letters.group():
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1


def _cell(element: Any, book: _Book) -> str:
    """The text that the cell shows."""
    kind = element.get("t") or "n"
    if kind == "inlineStr":
        return _text_of(element)
    value = next((child.text or "" for child in element if local(child) == "v"), "")
    match kind:
        case "s":
            return book.strings[int(value)] if value.isdigit() and int(value) < len(book.strings) else ""
        case "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        case "n":
            style = attribute(element, "s") or ""
            known = style.isdigit() and int(style) < len(book.formats)
            return format_number(
                value, book.formats[int(style)] if known else NumberFormat(), from_1904=book.from_1904
            )
        case _:
            return value


def with_gaps(rows: list[Row]) -> Iterator[Row]:
    """The rows, with an empty one wherever numbers are left out, since that parts two tables."""
    last = 0
    for row in rows:
        if row.number > last + 1:
            yield Row(row.number - 1, ())
        last = row.number
        yield row
