"""What the sandbox answers the viewer about documents that are no PDFs: a request and its reply, both as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.server.document_view.html_page import Quote, html_page, markdown_page
from assay.server.document_view.table_rows import rows_around


def read(request: str, data: bytes, name: str) -> bytes:
    """The reply to a request about a document; raises UnreadableDocument."""
    asked = json.loads(request)
    return json.dumps(_READERS[asked.pop("kind")](data, name, **asked)).encode()


def _html(data: bytes, _name: str, quote: dict[str, Any] | None) -> dict[str, Any]:
    return {"html": html_page(data, None if quote is None else Quote(**quote))}


def _markdown(data: bytes, _name: str, start: int, end: int, first: int | None) -> dict[str, Any]:
    part = markdown_page(data.decode(), start, end, first)
    return {"html": part.html, "earlier": part.earlier, "later": part.later}


def _rows(data: bytes, name: str, sheet: str | None, marked: list[int], start: int | None) -> dict[str, Any]:
    around = rows_around(data, name, sheet, frozenset(marked), start)
    rows = [[row.number, list(row.cells)] for row in around.rows]
    beside = {"earlier": around.earlier, "later": around.later}
    return {"columns": list(around.columns), "rows": rows, "first": around.first, "total": around.total, **beside}


_READERS: dict[str, Callable[..., dict[str, Any]]] = {"html": _html, "markdown": _markdown, "rows": _rows}
