"""Documents that are no PDFs, read in the sandbox for the viewer: a request and its reply, both as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from assay.errors import UnreadableDocument
from assay.ingest.archive import Archive
from assay.ingest.detect import decode
from assay.ingest.load_text import csv_rows
from assay.ingest.load_xlsx import sheets, with_gaps
from assay.ingest.tables import HeadedRow, Row, headed_rows
from assay.server.document_view.html_page import Quote, html_page, markdown_page
from assay.server.document_view.text_lines import neighbours, window

# Rows shown before the first marked one and in all, columns, and characters of a cell. Chosen.
_BEFORE, _MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 100, 300, 100, 500


@dataclass(frozen=True, slots=True)
class RowsAround:
    """Rows of a table of `total` filled rows; `first` is the place of the first one among them, from 1.

    `earlier` and `later` are the places of the rows before and after, None where there are none.
    """

    columns: tuple[str, ...]
    rows: tuple[HeadedRow, ...]
    first: int
    total: int
    earlier: int | None = None
    later: int | None = None


def rows_around(
    data: bytes, name: str, sheet: str | None, marked: frozenset[int], start: int | None = None
) -> RowsAround:
    """The rows around the marked ones, of the sheet of that name, or of a CSV file where it is None.

    With a `start`, 300 rows from that place on instead; one below 1 leaves out as many of them.

    `columns` are the names above the first marked row, else those of the first row shown that has any, else letters
    as in a spreadsheet. Raises UnreadableDocument for a sheet that is not there and a file that cannot be read.
    """
    rows = list(headed_rows(_rows(data, name, sheet)))
    place = next((at for at, row in enumerate(rows) if row.number in marked), 0)
    first, stop = window(max(1, place + 1 - _BEFORE) if start is None else start, _MOST_ROWS, len(rows))
    shown = rows[first - 1 : stop - 1]
    header = next((row.header for row in rows[place : place + 1] if row.header and first <= place + 1 < stop), None)
    header = header or next((row.header for row in shown if row.header), None)
    width = min(_MOST_COLUMNS, max((len(row.cells) for row in shown), default=0))
    names = (*(header or ())[:width], *(_letters(column) for column in range(len(header or ()), width)))
    kept = tuple(
        HeadedRow(row.number, tuple(map(_cut, row.cells[:width])), None, row.kind)
        for row in shown
        if row.kind != "header" or row.header != header or row.number in marked
    )
    beside = neighbours(first, stop, _MOST_ROWS, len(rows))
    return RowsAround(tuple(map(_cut, names)), kept, first, len(rows), *beside)


def _rows(data: bytes, name: str, sheet: str | None) -> Iterable[Row]:
    if sheet is None:
        return csv_rows(decode(data).text, name)
    found = next((one for one in sheets(Archive(data, name), name) if one.title == sheet), None)
    if found is None:
        raise UnreadableDocument(f"{name}: has no sheet {sheet!r}", hint="read it in the stored text")
    return with_gaps(found.rows)


def _letters(column: int) -> str:
    """The name of a column as spreadsheets have it.

    >>> _letters(0), _letters(25), _letters(26), _letters(701)
    ('A', 'Z', 'AA', 'ZZ')
    """
    name = ""
    while column >= 0:
        column, letter = divmod(column, 26)
        name, column = chr(ord("A") + letter) + name, column - 1
    return name


def _cut(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[:_LONGEST_CELL]}…"


def read(request: str, data: bytes, name: str) -> bytes:
    """The reply to a request about a document; raises UnreadableDocument."""
    asked = json.loads(request)
    return json.dumps(_READERS[asked.pop("kind")](data, name, **asked)).encode()


def _html(data: bytes, _name: str, quote: dict[str, Any] | None) -> dict[str, Any]:
    return {"html": html_page(data, None if quote is None else Quote(**quote))}


def _markdown(data: bytes, _name: str, start: int, end: int, first: int | None) -> dict[str, Any]:
    part = markdown_page(data.decode(), start, end, first)
    return {"html": part.html, "earlier": part.earlier, "later": part.later}


def _table(data: bytes, name: str, sheet: str | None, marked: list[int], start: int | None) -> dict[str, Any]:
    around = rows_around(data, name, sheet, frozenset(marked), start)
    rows = [[row.number, list(row.cells)] for row in around.rows]
    beside = {"earlier": around.earlier, "later": around.later}
    return {"columns": list(around.columns), "rows": rows, "first": around.first, "total": around.total, **beside}


_READERS: dict[str, Callable[..., dict[str, Any]]] = {"html": _html, "markdown": _markdown, "rows": _table}
