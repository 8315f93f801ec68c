"""The tables of a document's text: where each begins and ends, its header and its first row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.ingest.table import is_header
from assay.types import Region

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
