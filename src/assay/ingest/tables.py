"""Rows of tables as lines that can be read and found separately: "Header: value; Header: value"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice, pairwise, takewhile, zip_longest
from typing import Literal

from assay.types import Region

# Rows in which a table's header is searched: chosen.
_HEAD_ROWS = 20
# Titles above a table are joined as the headings of a section are, and cut to their length (ingest/split.py).
_TITLE_JOINT, _LONGEST_TITLE = " > ", 120
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells as text; `number` counts from 1, including the header.

    `heads`: it names groups of the columns that the row below names.
    """

    number: int
    cells: tuple[str, ...]
    heads: bool = False


@dataclass(frozen=True, slots=True)
class RowLine:
    """A row as a line of text, and what stands above its table."""

    number: int
    text: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class HeadedRow:
    """A row with its cells on one line each, under the names of its columns, None where they have none.

    `kind` says whether it names the columns, stands above the table, as a title does, or holds values.
    """

    number: int
    cells: tuple[str, ...]
    header: tuple[str, ...] | None
    kind: Literal["header", "above", "values"]


def headed_rows(rows: Iterable[Row]) -> Iterator[HeadedRow]:
    """The non-empty rows; a header is recognised by its cells, and again after each empty row.

    >>> [row.kind for row in headed_rows([Row(1, ("City", "People")), Row(2, ("Ulm", "126000"))])]
    ['header', 'values']
    """
    remaining = iter(rows)
    beginning = list(islice(remaining, _HEAD_ROWS))
    first_of_all = _first_of_table(beginning)
    header: tuple[str, ...] | None = None
    for block in _blocks(chain(beginning, remaining)):
        head = list(islice(block, _HEAD_ROWS))
        first = max(first_of_all, _first_of_table(head))
        group: tuple[str, ...] = ()
        # A header may have an empty row below it.
        header = header if header and _goes_on(header, head) else None
        begins = header is None
        ends_in_header = False
        for row, below in pairwise(chain(head, block, (Row(0, ()),))):
            cells = _cells_of(row)
            if row.number < first:
                yield HeadedRow(row.number, cells, None, "above")
            elif begins and row.heads and is_header(below.cells):
                group = cells
                yield HeadedRow(row.number, cells, None, "header")
            elif begins and (group or is_header(cells, below.cells)):
                header = tuple(unique_names(grouped_names(group, cells)))
                ends_in_header = not below.cells
                yield HeadedRow(row.number, cells, header, "header")
                begins = False
            else:
                yield HeadedRow(row.number, cells, header, "values")
                begins = False
        header = header if ends_in_header else None


def _goes_on(header: Sequence[str], head: Sequence[Row]) -> bool:
    """Tell whether rows that an empty row parts from a header belong to it: as wide, and no header themselves."""
    cells = _cells_of(head[0])
    is_filled = sum(map(bool, cells)) > len(header) / 2 and len(cells) <= len(header)
    return is_filled and not is_header(cells, head[1].cells if len(head) > 1 else ())


def _blocks(rows: Iterable[Row]) -> Iterator[Iterator[Row]]:
    """The runs of rows that hold something."""
    return (block for is_filled, block in groupby(rows, lambda row: any(map(str.strip, row.cells))) if is_filled)


def grouped_names(group: Sequence[str], cells: Sequence[str]) -> list[str]:
    """The names of columns under those of their groups.

    >>> grouped_names(("City", "Price", "Price"), ("City", "May", "June"))
    ['City', 'Price May', 'Price June']
    """
    columns = zip_longest(group[: len(cells)], cells, fillvalue="")
    return [" ".join(word for word in dict.fromkeys(column) if word) for column in columns]


def row_lines(rows: Iterable[Row]) -> Iterator[RowLine]:
    """One line per non-empty row, with the names of its columns, under what stands above its table.

    The header's own line lists the names, so that a table with only a header is not lost.

    >>> [line.text for line in row_lines([Row(1, ("City", "People")), Row(2, ("Ulm", "126000"))])]
    ['City | People', 'City: Ulm; People: 126000']
    """
    above: list[str] = []
    last, number = "", 0
    for row in headed_rows(rows):
        if row.number > number + 1 and last != "above":
            above = []
        title = _TITLE_JOINT.join(above)[:_LONGEST_TITLE] or None
        match row.kind:
            case "above":
                text = ": ".join(cell.rstrip(":") for cell in row.cells if cell)
                above = [*above, text] if last == "above" else [text]
                title = None
            case "header":
                filled = [cell for cell in row.cells if cell]
                text = " | ".join(filled if row.header else dict.fromkeys(filled))
            case _:
                text = _line(row.header, row.cells)
        last, number = row.kind, row.number
        yield RowLine(row.number, text, title)


def _first_of_table(head: Sequence[Row]) -> int:
    """The number of the header row if rows of fewer cells precede it, otherwise 0.

    Tables often have a title above them, an account or a period.
    """
    filled = [[cell for cell in _cells_of(row) if cell] for row in head]
    filled.append([])
    for at, (row, below) in enumerate(pairwise((*head, Row(0, ())))):
        # An empty row may part a header from its table.
        is_named = is_header(_cells_of(row), below.cells) and len(filled[at + 1]) != 1
        is_above = any(filled[:at])
        if len(filled[at]) > 2:
            return row.number if is_above and is_named and len(filled[at + 1]) != 2 else 0
        if len(filled[at]) == 2 and any(len(cells) > 1 for cells in filled[:at]):
            return 0
        if len(filled[at]) == 2 and is_above and is_named and _are_numbers(filled[at + 1 :]):
            return row.number
    return 0


def _are_numbers(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the rows up to an empty one, two or more, each hold a number behind their first cell.

    A name with a value beside it is no header of such names and values.
    """
    run = list(takewhile(bool, rows))
    return len(run) > 1 and all(len(cells) == 2 and _is_number(cells[1]) for cells in run)


def _cells_of(row: Row) -> tuple[str, ...]:
    """The row's cells, each on one line."""
    return tuple(" ".join(cell.split()) for cell in row.cells)


def plain_row(cells: Sequence[str]) -> str:
    """A row without column names; empty cells keep their positions.

    >>> plain_row(["Ulm", "", "126 000", ""]), plain_row(["", "Rain"]), plain_row(["", ""])
    ('Ulm |  | 126 000', 'Rain', '')
    """
    filled = [place for place, cell in enumerate(cells) if cell]
    if len(filled) < 2:
        return "".join(cells)
    return " | ".join(cells[: filled[-1] + 1])


def is_header(cells: Sequence[str], below: Sequence[str] = ()) -> bool:
    """Tell whether cells look like column names: at least two filled, none long, no numbers except years.

    A year is a name if a word is beside it and no year is below it.

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
    """Unique column names: empty ones are named by position, repeated ones numbered.

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
    """One row as a line: empty cells are left out, cells beyond the header have no name."""
    if header is None:
        return plain_row(cells)
    named = [f"{name}: {cell}" for name, cell in zip(header, cells, strict=False) if cell]
    return "; ".join([*named, *(cell for cell in cells[len(header) :] if cell)])


def _is_number(cell: str) -> bool:
    plain = cell.strip("%€$£ ").replace(",", "").replace(".", "").replace("-", "").replace("/", "").replace(":", "")
    return plain.isdigit()


# The tables of a document's text.


# Characters of the rule below a Markdown table's header.
_RULE = frozenset("|:- \t")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a region; `header` is its first line, or empty if that does not name columns."""

    start: int
    end: int
    header: str
    first_row: int


def tables_of(text: str, regions: tuple[Region, ...]) -> Iterator[Table]:
    """The tables of the regions; an empty line separates two."""
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
    """Tell whether the table is a single line that looks like a header."""
    return is_header(_cells(text[table.start : table.end]))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("| \t").split("|")]


def _first_row(text: str, start: int, end: int) -> int:
    """The offset of the first row below the header; `start` if there is no header.

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
    """The first non-space offset from `start` on, or `end`."""
    while start < end and text[start].isspace():
        start += 1
    return start
