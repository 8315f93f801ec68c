"""Rows of a table as lines that can be read and found one by one: "Header: value; Header: value"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


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
    for row in rows:
        cells = tuple(" ".join(cell.split()) for cell in row.cells)
        if not any(cells):
            begins, header = True, None
            continue
        if begins and is_header(cells):
            header = unique_names(cells)
            yield RowLine(row.number, " | ".join(cell for cell in cells if cell))
        else:
            yield RowLine(row.number, _line(header, cells))
        begins = False


def is_header(cells: Sequence[str]) -> bool:
    """Whether cells look like names: at least two filled ones, none a number, none long."""
    filled = [cell for cell in cells if cell]
    return len(filled) >= 2 and not any(_is_number(cell) or len(cell) > 80 for cell in filled)


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
        return " | ".join(cell for cell in cells if cell)
    named = [f"{name}: {cell}" for name, cell in zip(header, cells, strict=False) if cell]
    return "; ".join([*named, *(cell for cell in cells[len(header) :] if cell)])


def _is_number(cell: str) -> bool:
    plain = cell.strip("%€$£ ").replace(",", "").replace(".", "").replace("-", "").replace("/", "").replace(":", "")
    return plain.isdigit()
