"""Spans on the pages of a PDF: the text under the boxes is the quote, however the page is turned or cropped."""

from __future__ import annotations

import base64
import json
import struct
import zlib

import pytest
from pypdfium2 import PdfDocument

from assay.errors import UnreadableDocument
from assay.ingest.lines import normalise
from assay.ingest.load_pdf import PdfLoader
from assay.server.document_view.pdf_pages import read
from assay.types import Loaded
from support.small_pdf import HEIGHT, LEADING, MARGIN, SIZE, WIDTH, Page, pdf_of

LINES = [
    "Water boils at one hundred degrees at sea level, and lower on a mountain, be-",
    "cause the air is thinner there. The café on the summit (2,962 m) knows that.",
    "Eggs take longer. Tea is weaker. Nobody likes that much, but the view is good.",
]


def loaded_of(data: bytes) -> Loaded:
    return normalise(PdfLoader().load(data, "x.pdf"))


def boxes_of(data: bytes, quote: str, *, last: bool = False) -> list[list[float]]:
    """[page, x, y, width, height] of each box of a quote of the stored text, where it stands first or last."""
    loaded = loaded_of(data)
    at = loaded.text.rindex(quote) if last else loaded.text.index(quote)
    spans = []
    for region in loaded.regions:
        start, end = max(at, region.start), min(at + len(quote), region.end)
        if start < end:
            text = loaded.text[region.start : region.end]
            spans.append([region.location.page, text, start - region.start, end - region.start])
    boxes: list[list[float]] = json.loads(read(json.dumps({"spans": spans}), data, "x.pdf"))["boxes"]
    return boxes


def text_under(data: bytes, box: list[float]) -> str:
    """The text under a box of a page that is neither turned nor cropped."""
    number, x, y, width, height = box
    text_page = PdfDocument(data)[int(number) - 1].get_textpage()
    text: str = text_page.get_text_bounded(
        left=x * WIDTH, right=(x + width) * WIDTH, top=(1 - y) * HEIGHT, bottom=(1 - y - height) * HEIGHT
    )
    return text.replace("\r\n", "").replace("\ufffe", "-").strip()


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("Eggs take longer.", ["Eggs take longer."]),
        ("because the air is thinner there.", ["be", "cause the air is thinner there."]),
        ("(2,962 m) knows that. Eggs", ["(2,962 m) knows that.", "Eggs"]),
        ("The café", ["The café"]),
        ("mountain", ["mountain"]),
    ],
)
def test_the_text_under_the_boxes_is_the_quote_line_by_line(quote: str, lines: list[str]) -> None:
    data = pdf_of(Page(LINES))
    assert [text_under(data, box) for box in boxes_of(data, quote)] == lines


def test_a_box_is_a_line_high_and_stands_at_its_line() -> None:
    [[page, x, y, width, height]] = boxes_of(pdf_of(Page(LINES)), "Eggs take longer.")
    assert page == 1
    assert x == pytest.approx(MARGIN / WIDTH, abs=0.01)
    assert y < (MARGIN + 2 * LEADING) / HEIGHT < y + height  # the base line
    assert SIZE <= height * HEIGHT <= 1.5 * SIZE
    assert 0.1 < width < 0.2


def test_a_quote_that_stands_twice_is_boxed_where_it_is_meant() -> None:
    data = pdf_of(Page(["Here it says tea.", "", "There it says tea."]))
    [first], [second] = boxes_of(data, "says tea."), boxes_of(data, "says tea.", last=True)
    assert text_under(data, first) == text_under(data, second) == "says tea."
    assert second[2] - first[2] == pytest.approx(2 * LEADING / HEIGHT, abs=0.001)


def test_a_quote_over_two_pages_is_boxed_on_both() -> None:
    data = pdf_of(Page(["Ships are told of a storm, wherever they are,"]), Page(["six hours before it comes."]))
    boxes = boxes_of(data, "they are, six hours")
    assert [(int(box[0]), text_under(data, box)) for box in boxes] == [(1, "they are,"), (2, "six hours")]


@pytest.mark.parametrize(
    ("turned", "across", "down"),
    [(0, 0.1176, 0.095), (90, 0.905, 0.1176), (180, 0.8824, 0.905), (270, 0.095, 0.8824)],
)
def test_boxes_turn_with_the_page(turned: int, across: float, down: float) -> None:
    """`across` and `down` are where the first letter stands on the page as it is shown."""
    data = pdf_of(Page(["Water boils here."], extra=f"/Rotate {turned}"))
    reply = json.loads(read(json.dumps({"spans": []}), data, "x.pdf"))
    assert reply["sizes"] == [[WIDTH, HEIGHT] if turned in (0, 180) else [HEIGHT, WIDTH]]
    boxes = boxes_of(data, "W")
    [[_, x, y, width, height]] = boxes
    assert x - 0.02 <= across <= x + width + 0.02
    assert y - 0.02 <= down <= y + height + 0.02


def test_boxes_are_those_of_the_cropped_page() -> None:
    data = pdf_of(Page(["Water boils here."], extra=f"/CropBox [{MARGIN} {HEIGHT - 2 * MARGIN} 300 {HEIGHT}]"))
    [[_, x, y, _, height]] = boxes_of(data, "Water")
    assert x == pytest.approx(0, abs=0.01)
    assert y < 0.5 < y + height


def test_text_outside_the_page_has_no_box() -> None:
    assert boxes_of(pdf_of(Page(["Water boils here."], left=2000)), "Water") == []


def test_columns_are_boxed_apart() -> None:
    content = Page([*LINES], extra="/CropBox [0 0 612 792]")
    data = pdf_of(content)
    boxes = boxes_of(data, "Tea is weaker. Nobody")
    assert len(boxes) == 1
    two_columns = data.replace(b"(Eggs take longer. Tea", b"(Eggs take longer." + b" " * 40 + b"Tea")
    assert len(boxes_of(two_columns, "longer. Tea is")) == 2


def test_a_span_that_is_not_the_text_of_the_page_has_no_box() -> None:
    data = pdf_of(Page(LINES))
    spans = [[1, "Something else altogether.", 0, 9]]
    assert json.loads(read(json.dumps({"spans": spans}), data, "x.pdf"))["boxes"] == []
    assert json.loads(read(json.dumps({"spans": [[7, "Water", 0, 5]]}), data, "x.pdf"))["boxes"] == []


def test_words_of_a_text_that_differs_elsewhere_are_boxed_where_they_are_nearest() -> None:
    data = pdf_of(Page(["Tea here.", "", "Tea there."]))
    stored = "Tea here.\n\nTea there. And a note that the page lacks."
    spans = [[1, stored, 11, 14]]
    [box] = json.loads(read(json.dumps({"spans": spans}), data, "x.pdf"))["boxes"]
    assert box[2] > (MARGIN + LEADING) / HEIGHT


def picture_of(data: bytes, page: int, width: int) -> bytes:
    reply = json.loads(read(json.dumps({"page": page, "width": width}), data, "x.pdf"))
    return base64.b64decode(reply["png"])


def pixels_of(png: bytes) -> tuple[int, int, list[bytes]]:
    """The width, the height and the lines of a picture of 8-bit RGB."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    parts, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += 12 + length
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert (depth, colour) == (8, 2)
    lines = zlib.decompress(parts[b"IDAT"])
    return width, height, [lines[row * (3 * width + 1) + 1 : (row + 1) * (3 * width + 1)] for row in range(height)]


def test_a_picture_shows_the_page_with_its_words_under_the_boxes() -> None:
    data = pdf_of(Page([]), Page(LINES))
    width, height, lines = pixels_of(picture_of(data, 2, 306))
    assert (width, height) == (306, 396)
    [[_, x, y, across, down]] = boxes_of(data, "Eggs take longer.")
    left, right = round(x * width) * 3, round((x + across) * width) * 3
    under = [line[left:right] for line in lines[round(y * height) : round((y + down) * height)]]
    assert min(map(min, under)) < 100
    assert set(b"".join(lines[:20])) == {255}


def test_a_very_long_page_is_drawn_smaller() -> None:
    data = pdf_of(Page(["Water"])).replace(b"[0 0 612 792]", b"[0 0 12 7e4]")
    width, height, _ = pixels_of(picture_of(data, 1, 2000))
    assert width * height < 9_000_000


@pytest.mark.parametrize("page", [0, -1, 3])
def test_a_page_that_is_not_there_is_said_so(page: int) -> None:
    with pytest.raises(UnreadableDocument, match=f"has no page {page}") as caught:
        picture_of(pdf_of(Page([]), Page([])), page, 100)
    assert caught.value.hint == "it has pages 1 to 2"


def test_no_pdf_is_an_error() -> None:
    with pytest.raises(UnreadableDocument, match="cannot be opened"):
        read(json.dumps({"spans": []}), b"%PDF-1.4 cut off", "x.pdf")
