"""Documents opened at a span, pictures of their pages, and words looked for in them."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from assay.errors import DocumentError, UnreadableDocument, UsageError
from assay.ingest.files import file_at
from assay.ingest.frames import SandboxLimits
from assay.ingest.sandbox import SandboxProcess
from assay.server.document_view import text_lines
from assay.server.document_view.views import (
    Box,
    DocumentView,
    HtmlPage,
    PageSize,
    PdfPages,
    Position,
    TableRow,
    TableRows,
    TextLines,
)
from assay.server.threads import in_thread
from assay.types import Document, Match, Span

Result = TypeVar("Result")
# Gives the bytes of the file of a source. Raises OSError, DocumentError, ValueError.
ReadFile = Callable[[str], bytes]
Content = PdfPages | HtmlPage | TableRows | TextLines

# For one request: address space, processor and wall seconds, and bytes of a reply. Chosen: somebody waits for it,
# and the stored text can be shown instead.
_LIMITS = SandboxLimits(memory=1 << 30, cpu_seconds=5, wall_seconds=8.0, text=32 << 20)
# Functions of the helper processes; this one imports neither them nor the libraries that parse documents.
_PDF_READER = "assay.server.document_view.pdf_pages:read"
_PAGE_READER = "assay.server.document_view.page_reader:read"
# Helper processes that read PDFs, for pages are drawn while others scroll, and those that read the rest. Chosen.
_PDF_PROCESSES, _PAGE_PROCESSES = 2, 1
# Files in memory at once. Chosen: each may have 256 MiB.
_MOST_FILES = 2
# Pages on which boxes are drawn, of a span that goes over more. Chosen.
_MOST_MARKED_PAGES = 20
# Pixels across a picture of a page; widths between are rounded up, so that few pictures serve many windows. Chosen.
_NARROWEST, _WIDEST, _STEP = 100, 2000, 100


@dataclass(frozen=True, slots=True)
class _PictureKey:
    """The key of a picture of a page; tenants share none, so that none can tell what another looked at."""

    tenant: str
    bytes_sha256: str
    page: int
    width: int


class _Readers:
    """Helper processes with the same reader; each answers one request at a time."""

    def __init__(self, reader: str, processes: int) -> None:
        self.processes = [SandboxProcess(reader, _LIMITS) for _ in range(processes)]
        self._free = list(self.processes)
        self._places = asyncio.Semaphore(processes)

    async def ask(
        self,
        data: bytes,
        document: Document,
        asked: dict[str, Any],
        decode: Callable[[dict[str, Any]], Result],
    ) -> Result:
        """The decoded reply to a request about a document. Raises DocumentError."""
        async with self._places:
            process = self._free.pop()
            try:
                return await in_thread(process.ask, data, document.title, json.dumps(asked), decode)
            finally:
                self._free.append(process)


class DocumentViewer:
    """Shows documents. Their bytes are read by helper processes within limits, which start when first needed.

    Pictures of pages are kept, up to `kept_bytes`.
    """

    def __init__(self, kept_bytes: int = 32 << 20) -> None:
        self._pdfs = _Readers(_PDF_READER, _PDF_PROCESSES)
        self._pages = _Readers(_PAGE_READER, _PAGE_PROCESSES)
        self._files = asyncio.Semaphore(_MOST_FILES)
        self._pictures: OrderedDict[_PictureKey, bytes] = OrderedDict()
        self._kept_bytes = kept_bytes

    async def prepare(self) -> None:
        """Start a helper process of either kind, unless it runs, so that no document has to wait for it."""
        for readers in (self._pdfs, self._pages):
            await in_thread(readers.processes[-1].start)

    async def view(
        self,
        document: Document,
        span: Span | None = None,
        position: Position | None = None,
        *,
        read: ReadFile = file_at,
    ) -> DocumentView:
        """The document with the span marked, or its beginning.

        Of long text, tables and Markdown a part around the span; with a `position`, the part that begins there.
        PDFs and HTML are shown whole. Where the document cannot be shown as it looks, its stored text is shown.
        Raises UsageError for a span that is not in the text.
        """
        marked = _within(document, span)
        async with self._original(document, read) as original:
            shown = await self._content(document, original, marked, position)
        content: Content
        if shown is None:
            first = _line_at(position, document.text)
            content = await in_thread(text_lines.lines_around, document.text, marked, first)
        else:
            content = shown
        around = text_lines.text_around(document.text, marked)
        return DocumentView(content, around, original.exact, await in_thread(lambda: document.revision))

    async def page_picture(
        self, tenant: str, document: Document, page: int, width: int, *, read: ReadFile = file_at
    ) -> bytes:
        """A page of a PDF as PNG, about `width` pixels wide.

        Raises UnreadableDocument where there is no such page, or the file has changed since it was read.
        """
        wide = -(-min(_WIDEST, max(_NARROWEST, width)) // _STEP) * _STEP
        key = _PictureKey(tenant, document.bytes_sha256, page, wide)
        if key in self._pictures:
            self._pictures.move_to_end(key)
            return self._pictures[key]
        if document.format != "pdf":
            raise UnreadableDocument("only a PDF has pages to draw", hint="ask for its view")
        async with self._original(document, read) as original:
            if original.data is None:
                raise UnreadableDocument("the PDF has changed since it was read", hint="upload it again")
            asked = {"page": page, "width": wide}
            picture = await self._pdfs.ask(
                original.data, document, asked, lambda reply: base64.b64decode(reply["png"])
            )
        self._keep(key, picture)
        return picture

    async def find(self, document: Document, query: str) -> tuple[Match, ...]:
        """The places of a query's words in the stored text. Raises UsageError for an empty or too long query."""
        return await in_thread(text_lines.find, document.text, query)

    async def close(self) -> None:
        """End the helper processes."""
        for process in (*self._pdfs.processes, *self._pages.processes):
            await in_thread(process.close)

    async def _content(
        self, document: Document, original: Original, span: Span, position: Position | None
    ) -> PdfPages | HtmlPage | TableRows | None:
        """The document as it looks; None where only its stored text can be shown, or lines of it were asked for."""
        if position is not None and position.unit == "line":
            return None
        try:
            match document.format:
                case "markdown":
                    return await self._markdown(document, span, position)
                case "pdf" if original.data is not None:
                    return await self._pdf(original.data, document, span)
                case "html" if original.data is not None:
                    return await self._html(original.data, document, span)
                case "csv" | "xlsx" if original.data is not None:
                    return await self._rows(original.data, document, span, position)
        except DocumentError:  # the quote is not found in it, or it is beyond the limits
            return None
        return None

    async def _pdf(self, data: bytes, document: Document, span: Span) -> PdfPages | None:
        """The pages with the boxes of a span; None where it has none, since then a reader would not find it."""
        spans = [
            [
                region.location.page,
                document.text[region.start : region.end],
                start - region.start,
                end - region.start,
            ]
            for region in document.regions
            if region.location.page is not None
            and (start := max(span.start, region.start)) < (end := min(span.end, region.end))
        ]
        shown = await self._pdfs.ask(data, document, {"spans": spans[:_MOST_MARKED_PAGES]}, _pdf_pages)
        return shown if shown.boxes or span.start == span.end else None

    async def _markdown(self, document: Document, span: Span, position: Position | None) -> HtmlPage:
        asked = {"kind": "markdown", "start": span.start, "end": span.end, "first": _number(position, "character")}
        return await self._pages.ask(document.text.encode(), document, asked, _html_page)

    async def _html(self, data: bytes, document: Document, span: Span) -> HtmlPage:
        around = text_lines.text_around(document.text, span)
        quote = {
            "words": document.text[span.start : span.end],
            "before": around.before,
            "after": around.after,
            "share": span.start / len(document.text),
        }
        asked = {"kind": "html", "quote": quote if span.start < span.end else None}
        return await self._pages.ask(data, document, asked, _html_page)

    async def _rows(
        self, data: bytes, document: Document, span: Span, position: Position | None
    ) -> TableRows | None:
        """The rows around those of a span; None where it has none, since then a reader would not find it."""
        places = [region.location for region in document.regions]
        marked = [
            region.location
            for region in document.regions
            if max(region.start, span.start) < min(region.end, span.end) and region.location.row is not None
        ]
        sheet = next((place.sheet for place in (*marked, *places)), None)
        numbers = {place.row for place in marked if place.sheet == sheet}
        if not numbers and span.start < span.end:
            return None
        asked = {"kind": "rows", "sheet": sheet, "marked": list(numbers), "start": _number(position, "row")}
        return await self._pages.ask(data, document, asked, lambda reply: _table_rows(reply, numbers))

    @asynccontextmanager
    async def _original(self, document: Document, read: ReadFile) -> AsyncIterator[Original]:
        """The document's file; only a few of them are in memory at once."""
        async with self._files:
            yield await in_thread(read_original, document, read)

    def _keep(self, key: _PictureKey, picture: bytes) -> None:
        self._pictures[key] = picture
        while sum(map(len, self._pictures.values())) > self._kept_bytes:
            self._pictures.popitem(last=False)


def _pdf_pages(reply: dict[str, Any]) -> PdfPages:
    pages = (
        PageSize(number, float(across), float(down)) for number, (across, down) in enumerate(reply["sizes"], 1)
    )
    return PdfPages(tuple(pages), tuple(Box(int(page), *map(float, place)) for page, *place in reply["boxes"]))


def _html_page(reply: dict[str, Any]) -> HtmlPage:
    return HtmlPage(str(reply["html"]), *_beside(reply, "character"))


def _table_rows(reply: dict[str, Any], marked: set[int | None]) -> TableRows:
    rows = (TableRow(int(number), tuple(map(str, cells)), number in marked) for number, cells in reply["rows"])
    first, total = int(reply["first"]), int(reply["total"])
    columns = tuple(map(str, reply["columns"]))
    return TableRows(columns, tuple(rows), first, total, *_beside(reply, "row"))


def _beside(reply: dict[str, Any], unit: Literal["row", "character"]) -> tuple[str | None, str | None]:
    """The positions of the parts before and after; a reply about HTML has none."""
    earlier, later = reply.get("earlier"), reply.get("later")
    return (
        None if earlier is None else str(Position(unit, int(earlier))),
        None if later is None else str(Position(unit, int(later))),
    )


def _number(position: Position | None, unit: Literal["row", "character"]) -> int | None:
    """The number of a position of this unit; None for any other."""
    return position.number if position is not None and position.unit == unit else None


def _line_at(position: Position | None, text: str) -> int | None:
    """The line of a position in the stored text; None for a row, which it does not count."""
    if position is None or position.unit == "row":
        return None
    return position.number if position.unit == "line" else text.count("\n", 0, max(0, position.number)) + 1


def _within(document: Document, span: Span | None) -> Span:
    """The span, or an empty one at the beginning; raises UsageError for one that is not in the text."""
    if span is None:
        return Span(0, 0)
    if not 0 <= span.start <= span.end <= len(document.text):
        raise UsageError(
            f"the document has no span from {span.start} to {span.end}",
            hint=f"its text has {len(document.text)} characters; it may have been replaced since",
        )
    return span


@dataclass(frozen=True, slots=True)
class Original:
    """The bytes that were read; None where they are gone. `exact` says whether they are there, None if unknown."""

    data: bytes | None
    exact: bool | None


def read_original(document: Document, read: ReadFile = file_at) -> Original:
    """The bytes of a document's file, if they are those that it was made of."""
    if document.format == "jsonl":  # one line of many, which is not looked for
        return Original(None, None)
    try:
        data = read(document.source)
    except (OSError, DocumentError, ValueError):  # gone, unreadable, no file any more, or no path at all
        return Original(None, False)
    same = hashlib.sha256(data).hexdigest() == document.bytes_sha256
    return Original(data if same else None, same)
