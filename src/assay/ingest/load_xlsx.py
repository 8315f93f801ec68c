"""Spreadsheets, read from their XML: sheets in order, a line a row, numbers as their formats show them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from assay.errors import EmptyDocument
from assay.ingest.archive import Archive
from assay.ingest.office import attribute, core_date, core_title, local, main_member, parse, relations
from assay.ingest.outline import Blocks
from assay.ingest.tables import Row, row_lines
from assay.types import Loaded, Location

# Numbers of a spreadsheet as its formats show them: dates, times, percentages.


class Format(Enum):
    """What a number stands for."""

    PLAIN = "plain"
    PERCENT = "percent"
    DATE = "date"
    TIME = "time"
    DATE_TIME = "date and time"


# The built-in formats of ECMA-376 part 1, section 18.8.30, with those of East Asian locales.
_DATES = frozenset((14, 15, 16, 17, *range(27, 32), 34, 35, 36, *range(50, 59)))
_TIMES = frozenset((18, 19, 20, 21, 32, 33, 45, 46, 47))
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]{0,255}\]|_.|\*.', re.IGNORECASE)


def format_of(number: str, codes: Mapping[str | None, str]) -> Format:
    """The kind of a format, by its number and, for those from 164 on, by its code.

    >>> format_of("14", {}), format_of("170", {"170": "d mmm yyyy h:mm"}), format_of("9", {})
    (<Format.DATE: 'date'>, <Format.DATE_TIME: 'date and time'>, <Format.PERCENT: 'percent'>)
    """
    code = _QUOTED.sub("", codes.get(number, "").split(";")[0]).lower()
    if number in codes:
        if "%" in code:
            return Format.PERCENT
        day, time = bool(re.search(r"[dy]", code)), bool(re.search(r"[hs]", code))
        month = "m" in code and not time and "general" not in code
        if (day or month) and time:
            return Format.DATE_TIME
        return Format.DATE if day or month else Format.TIME if time else Format.PLAIN
    identifier = int(number) if number.isdigit() else 0
    if identifier in (9, 10):
        return Format.PERCENT
    if identifier == 22:
        return Format.DATE_TIME
    return Format.DATE if identifier in _DATES else Format.TIME if identifier in _TIMES else Format.PLAIN


def format_number(value: str, kind: Format, *, from_1904: bool = False) -> str:
    """A stored number as people read it; the value itself where it is none.

    >>> format_number("45337", Format.DATE), format_number("0.155", Format.PERCENT)
    ('2024-02-15', '15.5%')
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if kind is Format.PERCENT:
        return f"{_plain(number * 100)}%"
    if kind is Format.PLAIN or not 0 <= number < 2_958_466:  # the last day of the year 9999
        return _plain(number) if "." in value or "e" in value.lower() else value
    # Excel believes that 1900 was a leap year, which is why its days count from 1899-12-30 (from March 1900 on).
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
    moment = start + timedelta(seconds=round(number * 86_400))
    if kind is Format.TIME:
        return moment.strftime("%H:%M:%S")
    if kind is Format.DATE and moment.time() == moment.min.time():
        return moment.strftime("%Y-%m-%d")
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _plain(number: float) -> str:
    """The number without the noise of binary fractions."""
    return f"{number:.15g}" if abs(number) < 1e15 else repr(number)


_LETTERS = re.compile(r"[A-Z]{1,3}")
_MOST_COLUMNS = 16_384  # Excel's own limit


@dataclass(frozen=True, slots=True)
class _Book:
    """What the cells of all sheets refer to."""

    strings: tuple[str, ...]
    formats: tuple[Format, ...]
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
        yield Sheet(title, list(_rows(archive, sheet, book)))


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
            blocks.add(line.text, Location(sheet=title, row=line.number), "table", gap)
            last = line.number


def side_by_side(rows: list[Row]) -> list[list[Row]]:
    """The tables of a sheet that stand beside each other, parted by empty columns and beginning at different rows.

    >>> len(side_by_side([Row(1, ("a", "b")), Row(2, ("1", "2", "", "c")), Row(3, ("", "", "", "3"))]))
    2
    """
    width = max((len(row.cells) for row in rows), default=0)
    first = [next((row.number for row in rows if _at(row, column)), None) for column in range(width)]
    bands: list[list[int]] = []
    for column, number in enumerate(first):
        if number is not None and (column == 0 or first[column - 1] is None):
            bands.append([])
        if number is not None:
            bands[-1].append(column)
    starts = {min(first[column] or 0 for column in band) for band in bands}
    if len(bands) < 2 or len(starts) < 2:
        return [rows]
    return [[Row(row.number, tuple(_at(row, column) for column in band)) for row in rows] for band in bands]


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
    """Whether days are counted from 1904, as old Macintosh files do."""
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


def _formats(archive: Archive, related: dict[str, tuple[str, str]]) -> tuple[Format, ...]:
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


def _rows(archive: Archive, member: str, book: _Book) -> Iterator[Row]:
    """The rows that the sheet holds, with the numbers that it gives them."""
    number = 0
    for element in parse(archive.read(member), member).iter():
        if local(element) == "row":
            given = element.get("r") or ""
            number = int(given) if given.isdigit() else number + 1
            yield Row(number, tuple(_cells(element, book)))


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
    """What the cell shows."""
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
                value, book.formats[int(style)] if known else Format.PLAIN, from_1904=book.from_1904
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
