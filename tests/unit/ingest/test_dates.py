"""The date of a document: what its properties, its head, its line and its name say, in that form's own file."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest

from assay.core.stages import Index
from assay.ingest.detect import AnyLoader
from assay.ingest.loaders import LOADERS
from assay.ingest.pipeline import Ingestion
from assay.ingest.split import PassageSplitter
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.sqlite import open_sqlite
from assay.testing.fakes import WordEmbedder


def word_file(changed: datetime | None) -> bytes:
    """A Word document with these properties; the library's template has dates of its own."""
    document = docx.Document()
    document.add_paragraph("The fee is 40 euros.")
    if changed is not None:
        document.core_properties.modified = changed
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pdf_file(information: str) -> bytes:
    """A PDF of one line with an information dictionary."""
    stream = "BT /F1 11 Tf 50 780 Td (The fee is 40 euros.) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R "
        "/Resources << /Font << /F1 3 0 R >> >> >>",
        f"<< /Length {len(stream)} >> stream\n{stream}\nendstream",
        f"<< {information} >>",
    ]
    body = "".join(f"{number} 0 obj\n{each}\nendobj\n" for number, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R /Info 6 0 R >>\n%%EOF".encode("latin-1")


def book(date: str) -> bytes:
    """An EPUB of one page."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml", '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'
        )
        archive.writestr(
            "b.opf",
            f'<package xmlns:dc="d"><metadata><dc:date>{date}</dc:date></metadata><manifest>'
            '<item id="p" href="p.html"/></manifest><spine><itemref idref="p"/></spine></package>',
        )
        archive.writestr("p.html", "<p>The fee is 40 euros.</p>")
    return out.getvalue()


async def dates_of(folder: Path, index: Index) -> list[str | None]:
    """The dates that the passages of the folder's files carry, as they come out of the index."""
    splitter = PassageSplitter(lambda text: len(text.split()))
    async for _ in Ingestion(index, WordEmbedder(), splitter, AnyLoader(LOADERS)).add([folder]):
        pass
    found = await index.sparse("fee", 20, {})
    passages = await index.passages([each.passage_id for each in found])
    return sorted((passage.origin.date for passage in passages), key=str)


HTML = (
    "<!doctype html><html><head><title>Fees</title>"
    '<meta property="article:published_time" content="2018-02-03T10:00:00Z"></head>'
    "<body><p>The fee is 40 euros.</p></body></html>"
)
MAIL = "From: a@b.example\nDate: Mon, 03 May 2021 10:00:00 +0200\nSubject: Fees\n\nThe fee is 40 euros.\n"


@pytest.mark.parametrize(
    ("name", "data", "day"),
    [
        ("a.docx", word_file(datetime(2020, 3, 4, tzinfo=UTC)), "2020-03-04"),
        ("a.docx", word_file(None), None),
        ("a.pdf", pdf_file("/CreationDate (D:20190506101112+02'00') /ModDate (D:20220101)"), "2019-05-06"),
        ("a.pdf", pdf_file("/ModDate (D:20220101)"), "2022-01-01"),
        ("a.pdf", pdf_file("/CreationDate (yesterday)"), None),
        ("a.epub", book("2016-07-08"), "2016-07-08"),
        ("a.html", HTML.encode(), "2018-02-03"),
        ("a.eml", MAIL.encode(), "2021-05-03"),
        ("a.md", b"# Fees\n\nLast updated: 3 May 2021\n\nThe fee is 40 euros.\n", "2021-05-03"),
        ("2021-05-03 fees.txt", b"The fee is 40 euros.", "2021-05-03"),
        # What the text says of itself goes before what a program noted.
        ("2017-01-02.pdf", pdf_file("/CreationDate (D:20190506)"), "2017-01-02"),
        ("a.txt", b"The fee was 40 euros on 3 May 1932.", None),
    ],
)
async def test_a_document_has_the_date_that_it_gives(tmp_path: Path, name: str, data: bytes, day: str | None):
    (tmp_path / name).write_bytes(data)
    assert await dates_of(tmp_path, MemoryIndex(WordEmbedder().model)) == [day]


async def test_lines_give_dates_as_metadata_and_the_store_keeps_them(tmp_path: Path):
    lines = [{"text": "The fee is 40 euros.", "date": "May 2021"}, {"text": "The fee is 45 euros.", "year": 2022}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    store = open_sqlite(tmp_path / "store", WordEmbedder().model)
    try:
        assert await dates_of(tmp_path / "a.jsonl", store) == ["2021-05", "2022"]
    finally:
        await store.close()
