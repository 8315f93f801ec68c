"""Rows of a table as lines that can be read and found one by one: "Header: value; Header: value"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

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
    for row, below in pairwise(chain(rows, (Row(0, ()),))):
        cells = tuple(" ".join(cell.split()) for cell in row.cells)
        if not any(cells):
            begins, header = True, None
            continue
        if begins and is_header(cells, below.cells):
            header = unique_names(cells)
            yield RowLine(row.number, " | ".join(cell for cell in cells if cell))
        else:
            yield RowLine(row.number, _line(header, cells))
        begins = False


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
