"""Rows of a table as lines that can be read and found one by one: "Header: value; Header: value"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from assay.types import Region

# In how many rows a table's header is looked for: chosen.
_HEAD_ROWS = 20
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")


@dataclass(frozen=True, slots=True)
class Row:
    """One row's cells as text; `number` counts from 1, the header included."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowLine:
    """A row as a line of text."""

    number: int
    text: str


def row_lines(rows: Iterable[Row]) -> Iterator[RowLine]:
    """A line for each row that is not empty; a header is told from the cells, and begins anew behind a gap.

    The header's own line lists its names, so that a table of headers alone is not lost.

    >>> [line.text for line in row_lines([Row(1, ("City", "People")), Row(2, ("Ulm", "126000"))])]
    ['City | People', 'City: Ulm; People: 126000']
    """
    header: Sequence[str] | None = None
    begins = True
    remaining = iter(rows)
    head = list(islice(remaining, _HEAD_ROWS))
    first = _first_of_table(head)
    for row, below in pairwise(chain(head, remaining, (Row(0, ()),))):
        cells = _cells_of(row)
        if not any(cells):
            begins, header = True, None
            continue
        if row.number < first:
            yield RowLine(row.number, ": ".join(cell.rstrip(":") for cell in cells if cell))
            continue
        if begins and is_header(cells, below.cells):
            header = unique_names(cells)
            yield RowLine(row.number, " | ".join(cell for cell in cells if cell))
        else:
            yield RowLine(row.number, _line(header, cells))
        begins = False


def _first_of_table(head: Sequence[Row]) -> int:
    """The number of the row that names a table's columns, where rows of one or two cells stand above it; else 0.

    Above an export stands what it is of: its title, whose account it is, which period it covers.
    """
    filled = [[cell for cell in _cells_of(row) if cell] for row in head]
    for at, (row, below) in enumerate(pairwise(head)):
        if len(filled[at]) > 2:
            above = [cells for cells in filled[:at] if cells]
            named = is_header(_cells_of(row), below.cells) and len(filled[at + 1]) > 2
            return row.number if above and named else 0
    return 0


def _cells_of(row: Row) -> tuple[str, ...]:
    """The row's cells, each in one line."""
    return tuple(" ".join(cell.split()) for cell in row.cells)


def plain_row(cells: Sequence[str]) -> str:
    """A row without the names of its columns; an empty cell keeps its place beside others.

    >>> plain_row(["Ulm", "", "126 000", ""]), plain_row(["", "Rain"]), plain_row(["", ""])
    ('Ulm |  | 126 000', 'Rain', '')
    """
    filled = [place for place, cell in enumerate(cells) if cell]
    if len(filled) < 2:
        return "".join(cells)
    return " | ".join(cells[: filled[-1] + 1])


def is_header(cells: Sequence[str], below: Sequence[str] = ()) -> bool:
    """Whether cells look like names: at least two filled ones, none long, none a number but a year.

    A year names a column where a word stands beside it and the row below has none in its place.

    >>> is_header(["City", "2019"], ["Ulm", "126000"]), is_header(["Ulm", "2019"], ["Bonn", "2020"])
    (True, False)
    """
    filled = [cell for cell in cells if cell]
    if len(filled) < 2 or any(len(cell) > 80 for cell in filled):
        return False
    numbers = [place for place, cell in enumerate(cells) if _is_number(cell)]
    years = [place for place in numbers if _YEAR.fullmatch(cells[place].strip()) and place < len(below)]
    return len(numbers) < len(filled) and all(
        place in years and not _YEAR.fullmatch(below[place].strip()) for place in numbers
    )


def unique_names(cells: Sequence[str]) -> list[str]:
    """The names of columns: an empty one is called by its place, a repeated one gets a number.

    >>> unique_names(["id", "id", "", "text"])
    ['id', 'id (2)', 'column 3', 'text']
    """
    seen: dict[str, int] = {}
    names = []
    for place, cell in enumerate(cells, 1):
        name = cell or f"column {place}"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _line(header: Sequence[str] | None, cells: Sequence[str]) -> str:
    """One row; cells without a value are left out, cells beyond the header stand for themselves."""
    if header is None:
        return plain_row(cells)
    named = [f"{name}: {cell}" for name, cell in zip(header, cells, strict=False) if cell]
    return "; ".join([*named, *(cell for cell in cells[len(header) :] if cell)])


def _is_number(cell: str) -> bool:
    plain = cell.strip("%€$£ ").replace(",", "").replace(".", "").replace("-", "").replace("/", "").replace(":", "")
    return plain.isdigit()


# The tables of a document's text: where each begins and ends, its header and its first row.


# The rule under a Markdown table's header.
_RULE = frozenset("|:- \t")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a region without its neighbours; `header` is its first line, empty where that names no columns."""

    start: int
    end: int
    header: str
    first_row: int


def tables_of(text: str, regions: tuple[Region, ...]) -> Iterator[Table]:
    """The tables of the regions; an empty line parts two of them."""
    for region in regions:
        start = region.start
        while region.kind == "table" and start < region.end:
            gap = text.find("\n\n", start, region.end)
            end = region.end if gap == -1 else gap
            first = _first_row(text, start, end)
            header = text[start : text.find("\n", start, end)].rstrip() if first > start else ""
            yield Table(start, end, header, first)
            start = first_word(text, end, region.end)


def names_columns(text: str, table: Table) -> bool:
    """Whether the table is one line that looks like a header."""
    return is_header(_cells(text[table.start : table.end]))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| \t").split("|")]


def _first_row(text: str, start: int, end: int) -> int:
    """Where the first row under the header of the table that begins at `start` begins; `start` without a header.

    >>> _first_row("| a | b |\\n|---|---|\\n| 1 | 2 |", 0, 29), _first_row("1 | 2\\n3 | 4", 0, 11)
    (20, 0)
    """
    header_end = text.find("\n", start, end)
    if header_end == -1:
        return start
    second_end = text.find("\n", header_end + 1, end)
    second = text[header_end + 1 : end if second_end == -1 else second_end]
    if "-" in second and _RULE.issuperset(second):
        return end if second_end == -1 else second_end + 1
    return header_end + 1 if is_header(_cells(text[start:header_end]), _cells(second)) else start


def first_word(text: str, start: int, end: int) -> int:
    """The first place from `start` on that is not white space; `end` where there is none."""
    while start < end and text[start].isspace():
        start += 1
    return start
