"""Pages of a PDF: their sizes, where a span of the stored text stands on them, and pictures of them.

Runs in the sandbox. The stored text of a page was made of pdfium's text of it: lines were joined, hyphens at their
ends taken out, characters composed. But for white space and hyphens the two are the same characters in the same
order, so a span of one is a run of the other.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from ctypes import c_int
from dataclasses import dataclass
from typing import Any

from pypdfium2 import PdfDocument, PdfiumError
from pypdfium2 import raw as pdfium

from assay.errors import UnreadableDocument
from assay.ingest.pdf_accents import CORK

# Hyphens as they stand in pdfium's text, and as the loader takes them out at the ends of lines; bullets, for which
# it writes hyphens; accents of their own width that are letters or signs to Unicode.
_LEFT_OUT = frozenset("-\u00ad\ufffe\x02•●○▪‣◦■ˆˇ")
# Letters that accents stand over.
_DOTLESS = {"ı": "i", "ȷ": "j"}
# Device units to a side, which pdfium's integers are measured in; fractions of a page are exact to this.
_UNITS = 1_000_000
# Boxes of neighbouring characters are one if they share so much of their height and stand no further apart than so
# many heights. Chosen: words in a justified line are one box, two columns are not.
_SAME_LINE, _WIDEST_GAP = 0.5, 3.0
# Chosen: what a person may want to see marked at once, and what a picture may hold.
_MOST_BOXES, _MOST_PIXELS = 1000, 8_000_000
_HINT = "save it again with the program that made it, or print it to a new PDF"


def read(request: str, data: bytes, name: str) -> bytes:
    """The reply to a request of the viewer about a PDF, both in JSON: a page as picture, or sizes and boxes.

    Raises UnreadableDocument.
    """
    asked, document = json.loads(request), _open(data, name)
    if "width" in asked:
        drawn = picture(document, asked["page"], asked["width"], name)
        return json.dumps({"png": base64.b64encode(drawn).decode("ascii")}).encode()
    boxes = [(span[0], *box) for span in asked["spans"] for box in boxes_of(document, PageSpan(*span))]
    return json.dumps({"sizes": page_sizes(document), "boxes": boxes}).encode()


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A span on one page: the stored `text` of the page, and the offsets in it."""

    page: int
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _Box:
    """A rectangle in fractions of the page, from the top left."""

    left: float
    top: float
    right: float
    bottom: float

    def continues(self, other: _Box) -> bool:
        """True if the other box goes on in this one's line."""
        height = min(self.bottom - self.top, other.bottom - other.top)
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        gap = max(other.left - self.right, self.left - other.right)
        return shared >= _SAME_LINE * height and gap <= _WIDEST_GAP * height

    def extend(self, other: _Box) -> None:
        """Take the other box in."""
        self.left, self.right = min(self.left, other.left), max(self.right, other.right)
        self.top, self.bottom = min(self.top, other.top), max(self.bottom, other.bottom)


class _Letters:
    """The characters of a text but for white space, hyphens, bullets and accents, each with its place in the text.

    The stored text has accents on their letters, where a page may hold them beside those, and "-" for bullets.
    """

    def __init__(self, characters: Iterable[tuple[int, str]]) -> None:
        letters: list[str] = []
        self.places: list[int] = []
        for place, drawn in characters:
            character = CORK.get(drawn, drawn)
            if character.isspace() or character in _LEFT_OUT:
                continue
            for letter in unicodedata.normalize("NFD", _DOTLESS.get(character, character)):
                if unicodedata.category(letter) not in ("Cc", "Co", "Cs", "Mn", "Sk"):
                    letters.append(letter)
                    self.places.append(place)
        self.text = "".join(letters)


def _open(data: bytes, name: str) -> Any:
    """The document; raises UnreadableDocument."""
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        raise UnreadableDocument(f"{name}: cannot be opened ({error})", hint=_HINT) from error


def page_sizes(document: Any) -> list[tuple[float, float]]:
    """The width and height of each page in points, turned as it is shown; those of A4 where a page is broken."""
    sizes = []
    for index in range(len(document)):
        size = pdfium.FS_SIZEF()
        read = pdfium.FPDF_GetPageSizeByIndexF(document, index, size)
        shown = read and 0 < size.width < math.inf and 0 < size.height < math.inf
        sizes.append((size.width, size.height) if shown else (595.0, 842.0))
    return sizes


def boxes_of(document: Any, span: PageSpan) -> list[tuple[float, float, float, float]]:
    """The boxes of a span on its page: (x, y, width, height) of each line; none where that is unknown."""
    try:
        page = document[span.page - 1]
        text_page = page.get_textpage()
        found = _characters_of(span, _Letters(_characters(text_page)))
        lines: list[_Box] = []
        for index in found:
            box = _box(page, text_page, index)
            if box is None:
                continue
            if lines and lines[-1].continues(box):
                lines[-1].extend(box)
            elif len(lines) == _MOST_BOXES:
                break
            else:
                lines.append(box)
    except (PdfiumError, IndexError):  # a broken page, which is drawn without boxes
        return []
    return [
        (line.left, line.top, round(line.right - line.left, 6), round(line.bottom - line.top, 6)) for line in lines
    ]


def picture(document: Any, number: int, width: int, name: str) -> bytes:
    """A page as PNG, so many pixels wide, less where the page is very long; raises UnreadableDocument."""
    if not 1 <= number <= len(document):
        raise UnreadableDocument(f"{name}: has no page {number}", hint=f"it has pages 1 to {len(document)}")
    try:
        page = document[number - 1]
        across, down = page.get_size()
        scale = min(width / across, math.sqrt(_MOST_PIXELS / (across * down)))
        bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    except (PdfiumError, ZeroDivisionError, OverflowError, ValueError) as error:
        raise UnreadableDocument(f"{name}: page {number} cannot be drawn", hint=_HINT) from error
    return _png(bitmap.width, bitmap.height, bitmap.n_channels, bitmap.stride, bytes(bitmap.buffer))


def _characters(text_page: Any) -> Iterable[tuple[int, str]]:
    """The characters of a page, each with its index; two halves of one beyond U+FFFF come as one."""
    high = 0
    for index in range(text_page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000 and high:
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
        high = 0
        if 0 < code <= 0x10FFFF:
            yield index, chr(code)


def _characters_of(span: PageSpan, page: _Letters) -> Sequence[int]:
    """The indices of the page's characters that the span is made of."""
    stored = _Letters(enumerate(span.text))
    inside = [at for at, place in enumerate(stored.places) if span.start <= place < span.end]
    if not inside:
        return ()
    first, last = inside[0], inside[-1]
    if stored.text != page.text:
        moved = _nearest(page.text, stored.text[first : last + 1], first) - first
        if moved < -first:
            return ()
        first, last = first + moved, last + moved
    return sorted(set(page.places[first : last + 1]))


def _nearest(text: str, words: str, near: int) -> int:
    """The place of the words in the text, of several the nearest; -1 if nowhere."""
    before = text.rfind(words, 0, near + len(words))
    after = text.find(words, near)
    if before < 0 or after < 0:
        return max(before, after)
    return before if near - before <= after - near else after


def _box(page: Any, text_page: Any, index: int) -> _Box | None:
    """The box of a character as high as its font, cut to the page; None if it is not on the page."""
    area = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page, index, area):
        return None
    corners = [_fraction(page, x, y) for x, y in ((area.left, area.top), (area.right, area.bottom))]
    left, right = sorted(min(1.0, max(0.0, across)) for across, _ in corners)
    top, bottom = sorted(min(1.0, max(0.0, down)) for _, down in corners)
    return _Box(left, top, right, bottom) if right > left and bottom > top else None


def _fraction(page: Any, x: float, y: float) -> tuple[float, float]:
    """A point of the page as fractions of its shown width and height, from the top left."""
    across, down = c_int(), c_int()
    pdfium.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, x, y, across, down)
    return across.value / _UNITS, down.value / _UNITS


def _png(width: int, height: int, channels: int, stride: int, pixels: bytes) -> bytes:
    """A PNG file (W3C Recommendation, 3rd edition) of grey or RGB pixels of 8 bits."""
    colour_type = {1: 0, 3: 2}[channels]
    lines = b"".join(b"\0" + pixels[row * stride : row * stride + width * channels] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
