"""The viewer over real files and helper processes: each kind of document, changed files, limits, pictures kept."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import UnreadableDocument, UsageError
from assay.ingest.detect import AnyLoader
from assay.ingest.files import document_of
from assay.ingest.loaders import LOADERS
from assay.server.document_view.viewer import DocumentViewer
from assay.server.document_view.views import Position
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Span
from support.small_pdf import Page, pdf_of

CSV = b"city,people\nUlm,126000\nBonn,330000\n"
HTML = b"<html><body><h1>Tea</h1><p>Boil the water.</p><p>Drink it.</p></body></html>"
WORDS = "Words. " * 20
PDF = pdf_of(Page(["Boil the water. Drink it."]), Page(["The next page says more."]))


@pytest.fixture
async def viewer() -> AsyncIterator[DocumentViewer]:
    viewer = DocumentViewer(kept_bytes=100_000)
    yield viewer
    await viewer.close()


def stored(folder: Path, name: str, data: bytes) -> Document:
    """The document of a file in the folder, as ingestion makes it."""
    path = folder / name
    path.write_bytes(data)
    return document_of(
        AnyLoader(LOADERS).load(data, name),
        document_id="d",
        source=str(path),
        name=name,
        bytes_sha256=hashlib.sha256(data).hexdigest(),
        model=WordEmbedder().model,
    )


def span_of(document: Document, words: str) -> Span:
    at = document.text.index(words)
    return Span(at, at + len(words))


async def shown(viewer: DocumentViewer, document: Document, words: str) -> dict[str, Any]:
    return (await viewer.view(document, span_of(document, words))).to_dict()


async def test_a_pdf_is_shown_as_pages_with_boxes(viewer: DocumentViewer, tmp_path: Path) -> None:
    document = stored(tmp_path, "tea.pdf", PDF)
    view = await shown(viewer, document, "page says")
    assert view["kind"] == "pdf"
    assert view["pages"] == [{"number": n, "width": 612.0, "height": 792.0} for n in (1, 2)]
    [box] = view["boxes"]
    assert box["page"] == 2
    assert set(box) == {"page", "x", "y", "width", "height"}
    assert view["text_around"]["quote"] == "page says"
    assert view["text_around"]["before"].endswith("The next ")
    assert (view["exact"], view["revision"]) == (True, document.revision)
    assert (await viewer.view(document)).to_dict()["boxes"] == []


@pytest.mark.parametrize(
    ("name", "data"), [("tea.html", HTML), ("tea.md", b"# Tea\n\nBoil the water.\n\nDrink it.")]
)
async def test_html_and_markdown_are_shown_as_a_page(
    viewer: DocumentViewer, tmp_path: Path, name: str, data: bytes
) -> None:
    document = stored(tmp_path, name, data)
    view = await shown(viewer, document, "Boil the water.")
    assert view["kind"] == "html"
    assert '<p><mark id="quote">Boil the water.</mark></p>' in view["html"]
    assert "<mark" not in (await viewer.view(document)).to_dict()["html"]


async def test_a_table_is_shown_as_rows(viewer: DocumentViewer, tmp_path: Path) -> None:
    view = await shown(viewer, stored(tmp_path, "cities.csv", CSV), "people: 330000")
    assert view["kind"] == "table"
    assert view["columns"] == ["city", "people"]
    assert view["rows"] == [
        {"number": 2, "cells": ["Ulm", "126000"], "marked": False},
        {"number": 3, "cells": ["Bonn", "330000"], "marked": True},
    ]
    assert (view["first"], view["total"]) == (1, 3)


async def test_text_is_shown_as_lines(viewer: DocumentViewer, tmp_path: Path) -> None:
    view = await shown(viewer, stored(tmp_path, "tea.txt", b"Tea\nBoil the water.\nDrink."), "water.\nDr")
    assert view["kind"] == "text"
    assert view["lines"] == [
        {"number": 1, "text": "Tea", "marks": []},
        {"number": 2, "text": "Boil the water.", "marks": [[9, 15]]},
        {"number": 3, "text": "Drink.", "marks": [[0, 2]]},
    ]
    assert (view["first"], view["total"], view["exact"]) == (1, 3, True)


@pytest.mark.parametrize(("name", "data"), [("a.pdf", PDF), ("a.html", HTML), ("a.csv", CSV)])
async def test_of_a_file_that_changed_the_stored_text_is_shown(
    viewer: DocumentViewer, tmp_path: Path, name: str, data: bytes
) -> None:
    document = stored(tmp_path, name, data)
    (tmp_path / name).write_bytes(data + b" ")
    view = await viewer.view(document, Span(0, 4))
    assert (view.to_dict()["kind"], view.exact) == ("text", False)
    (tmp_path / name).unlink()
    assert (await viewer.view(document)).exact is False
    os.mkfifo(tmp_path / name)
    assert (await viewer.view(document)).exact is False


async def test_markdown_is_shown_from_the_stored_text_whatever_became_of_the_file(
    viewer: DocumentViewer, tmp_path: Path
) -> None:
    document = stored(tmp_path, "tea.md", b"# Tea\n\nBoil.")
    (tmp_path / "tea.md").write_bytes(b"# Coffee")
    view = await viewer.view(document)
    assert "Boil" in view.to_dict()["html"]
    assert view.exact is False


async def test_a_quote_that_is_not_found_in_the_page_is_shown_in_the_stored_text(
    viewer: DocumentViewer, tmp_path: Path
) -> None:
    document = stored(tmp_path, "tea.html", HTML)
    other = replace(document, text="Boil the milk.")
    assert (await shown(viewer, other, "the milk"))["kind"] == "text"
    heading = stored(tmp_path, "a.pdf", PDF)
    assert (await shown(viewer, replace(heading, text="Tea " * 30), "Tea Tea"))["kind"] == "text"


async def test_a_line_of_json_lines_is_text_of_an_unknown_file(viewer: DocumentViewer, tmp_path: Path) -> None:
    document = replace(stored(tmp_path, "a.txt", b"Tea."), format="jsonl")
    assert (await viewer.view(document)).exact is None


@pytest.mark.parametrize("span", [Span(-1, 2), Span(3, 2), Span(0, 99)])
async def test_a_span_outside_the_text_is_refused(viewer: DocumentViewer, tmp_path: Path, span: Span) -> None:
    with pytest.raises(UsageError, match="has no span") as caught:
        await viewer.view(stored(tmp_path, "a.txt", b"Tea."), span)
    assert "4 characters" in caught.value.hint


async def test_pictures_are_kept_for_their_tenant_within_a_bound(viewer: DocumentViewer, tmp_path: Path) -> None:
    document = stored(tmp_path, "tea.pdf", PDF)
    first = await viewer.page_picture("a", document, 1, 220)
    assert first.startswith(b"\x89PNG")
    (tmp_path / "tea.pdf").unlink()
    assert await viewer.page_picture("a", document, 1, 201) == first  # drawn for 300 either way
    for tenant, page in (("b", 1), ("a", 2)):
        with pytest.raises(UnreadableDocument, match="has changed since"):
            await viewer.page_picture(tenant, document, page, 220)


async def test_the_least_recently_shown_picture_goes_first(viewer: DocumentViewer, tmp_path: Path) -> None:
    document = stored(tmp_path, "tea.pdf", PDF)
    sizes = [len(await viewer.page_picture("a", document, page, 2000)) for page in (1, 2, 1)]
    assert sizes[0] + sizes[1] > 100_000 > max(sizes)
    (tmp_path / "tea.pdf").unlink()
    assert await viewer.page_picture("a", document, 1, 2000)
    with pytest.raises(UnreadableDocument):
        await viewer.page_picture("a", document, 2, 2000)


async def test_only_pages_of_a_pdf_are_drawn(viewer: DocumentViewer, tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument, match="has no page 3"):
        await viewer.page_picture("a", stored(tmp_path, "a.pdf", PDF), 3, 200)
    with pytest.raises(UnreadableDocument, match="only a PDF"):
        await viewer.page_picture("a", stored(tmp_path, "a.csv", CSV), 1, 200)


async def test_many_views_at_once_wait_for_their_turn(viewer: DocumentViewer, tmp_path: Path) -> None:
    document = stored(tmp_path, "tea.pdf", PDF)
    await viewer.prepare()
    views = await asyncio.gather(*(viewer.view(document, Span(0, 4)) for _ in range(12)))
    assert len({str(view.to_dict()) for view in views}) == 1


async def test_words_are_found_in_the_stored_text(viewer: DocumentViewer, tmp_path: Path) -> None:
    document = stored(tmp_path, "tea.pdf", PDF)
    [match] = await viewer.find(document, "DRINK it")
    assert document.text[match.start : match.end] == "Drink it"


async def test_a_span_of_a_pdf_of_300_pages_is_found_on_its_page(viewer: DocumentViewer, tmp_path: Path) -> None:
    pages = [
        Page([f"Line {line} of page {page} says nothing new." for line in range(40)]) for page in range(1, 301)
    ]
    document = stored(tmp_path, "long.pdf", pdf_of(*pages))
    view = await shown(viewer, document, "Line 7 of page 287 says nothing new.")
    assert len(view["pages"]) == 300
    assert [box["page"] for box in view["boxes"]] == [287]


@pytest.mark.parametrize(
    ("name", "data", "kind", "part"),
    [
        ("long.txt", "".join(f"Line {n}.\n" for n in range(1, 2001)).encode(), "text", "lines"),
        ("long.csv", b"n,square\n" + b"".join(b"%d,%d\n" % (n, n * n) for n in range(2, 2001)), "table", "rows"),
        (
            "long.md",
            "".join(f"## Part {n}\n\n{WORDS}\n\n" for n in range(1, 2001)).encode(),
            "html",
            "html",
        ),
    ],
)
async def test_a_long_document_is_shown_in_parts(
    viewer: DocumentViewer, tmp_path: Path, name: str, data: bytes, kind: str, part: str
) -> None:
    document = stored(tmp_path, name, data)
    first = (await viewer.view(document)).to_dict()
    assert (first["kind"], first["earlier"]) == (kind, None)
    later = (await viewer.view(document, None, Position.read(first["later"]))).to_dict()
    assert later["kind"] == kind
    assert later[part] != first[part]
    back = (await viewer.view(document, None, Position.read(later["earlier"]))).to_dict()
    assert back == first


async def test_a_position_of_lines_shows_the_stored_text_and_one_of_rows_only_a_table(
    viewer: DocumentViewer, tmp_path: Path
) -> None:
    document = stored(tmp_path, "tea.md", b"# Tea\n\nBoil the water.\n\nDrink it.")
    lines = (await viewer.view(document, None, Position("line", 3))).to_dict()
    assert (lines["kind"], lines["first"]) == ("text", 3)
    rows = (await viewer.view(document, None, Position("row", 3))).to_dict()
    assert (rows["kind"], rows["earlier"], rows["later"]) == ("html", None, None)


async def test_where_a_part_of_markdown_cannot_be_rendered_its_lines_are_shown(
    viewer: DocumentViewer, tmp_path: Path
) -> None:
    text = "# Tea\n\n" + "Short.\n\n" * 10_000 + "word " * 60_000 + "\n\nThe end.\n"
    document = stored(tmp_path, "tea.md", text.encode())
    begin = (await viewer.view(document)).to_dict()
    assert begin["kind"] == "html"
    at = Position("character", text.index("word word"))
    view = (await viewer.view(document, None, at)).to_dict()
    assert (view["kind"], view["lines"][0]["text"][:9]) == ("text", "word word")
    assert view["earlier"].startswith("line:")


@pytest.mark.parametrize("text", ["", "5", "line:", "line:x", "page:3", "line:1 ", "line:1\n", "row:9999999999999"])
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a position"):
        Position.read(text)
