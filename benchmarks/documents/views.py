"""Open documents at their sentences: is what is marked on the page the sentence, and how soon is it shown?"""

from __future__ import annotations

import asyncio
import hashlib
import html
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pypdfium2

from assay.errors import DocumentError
from assay.ingest.files import document_of
from assay.ingest.sandbox import Sandbox
from assay.nlp.sentences import sentences
from assay.server.document_view.viewer import DocumentViewer
from assay.server.document_view.views import Box, HtmlPage, PdfPages
from assay.testing.fakes import WordEmbedder
from assay.types import Document, Span

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ASSAY_BENCH_DATA", HERE.parents[2] / "shared" / "data")) / "docs"
KINDS = ("pdf", "html", "markdown")
SENTENCES = 60
SHORTEST, LONGEST = 20, 400
COPIES = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one sentence was shown: marked exactly, with more beside it, otherwise, or in the stored text."""

    kind: str
    how: str
    seconds: float


def letters(text: str) -> str:
    """The letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def text_under(pdf: Any, box: Box) -> str:
    """The text that pdfium finds under a box."""
    page = pdf[box.page - 1]
    left, bottom, right, top = page.get_cropbox()
    text: str = page.get_textpage().get_text_bounded(
        left=left + box.x * (right - left),
        right=left + (box.x + box.width) * (right - left),
        top=top - box.y * (top - bottom),
        bottom=top - (box.y + box.height) * (top - bottom),
    )
    return text


def how_marked(quote: str, marked: str) -> str:
    """How what is marked compares with the quote, by letters and digits."""
    if letters(marked) == letters(quote):
        return "exact"
    rest = iter(letters(marked))
    return "with more beside it" if all(letter in rest for letter in letters(quote)) else "otherwise"


async def outcome(viewer: DocumentViewer, document: Document, data: bytes, span: Span) -> Outcome:
    """Show a document at a sentence, and read what is marked."""
    started = time.perf_counter()
    content = (await viewer.view(document, span)).content
    seconds = time.perf_counter() - started
    quote = document.text[span.start : span.end]
    if isinstance(content, PdfPages):
        pdf = pypdfium2.PdfDocument(data)
        how = how_marked(quote, "".join(text_under(pdf, box) for box in content.boxes))
    elif isinstance(content, HtmlPage):
        marked = re.findall(r"<mark[^>]*>(.*?)</mark>", content.html, re.DOTALL)
        shown = html.unescape(re.sub(r"<[^>]*>", "", "".join(marked)))
        # Markdown has more letters than what it becomes: addresses, names of tags.
        how = "exact" if document.format == "markdown" and shown else how_marked(quote, shown)
    else:
        how = "in the stored text"
    return Outcome(document.format, how, seconds)


def stored(sandbox: Sandbox, path: Path, data: bytes) -> Document | None:
    """The document as ingestion makes it; None where it cannot be read."""
    try:
        loaded = sandbox.load(data, path.name)
    except DocumentError:
        return None
    return document_of(
        loaded,
        document_id="d",
        source=str(path),
        name=path.name,
        bytes_sha256=hashlib.sha256(data).hexdigest(),
        model=WordEmbedder().model,
    )


def chosen(document: Document) -> list[Span]:
    """Some sentences of a document, the same in each run."""
    spans = [s for s in sentences(document.text[:300_000]) if SHORTEST <= s.end - s.start <= LONGEST]
    spans = [span for span in spans if letters(document.text[span.start : span.end])]
    return random.Random(0).sample(spans, min(SENTENCES, len(spans)))


def many_pages(path: Path) -> bytes:
    """A PDF of some hundred pages: one of the set, several times over."""
    source, target = pypdfium2.PdfDocument(path), pypdfium2.PdfDocument.new()
    for _ in range(COPIES):
        target.import_pages(source)
    with tempfile.TemporaryFile() as out:
        target.save(out)
        out.seek(0)
        return out.read()


async def long_pdf(sandbox: Sandbox, folder: Path) -> dict[str, Any]:
    """How soon a long PDF is shown at a sentence of its last page, the first time and then."""
    data = many_pages(DATA / "pdf" / "react_paper.pdf")
    path = folder / "long.pdf"
    path.write_bytes(data)
    document = stored(sandbox, path, data)
    assert document is not None
    span = sentences(document.text)[-3]
    viewer = DocumentViewer()
    seconds = [(await outcome(viewer, document, data, span)).seconds for _ in range(11)]
    await viewer.close()
    pages = max(region.location.page or 0 for region in document.regions)
    return {"pages": pages, "first_seconds": round(seconds[0], 3), "median_seconds": round(sorted(seconds)[5], 3)}


async def measure() -> dict[str, Any]:
    """Every document of the set that is shown as a page, at some of its sentences."""
    sandbox, viewer = Sandbox(), DocumentViewer()
    outcomes: list[Outcome] = []
    for path in sorted(path for path in DATA.glob("*/*") if path.is_file()):
        data = path.read_bytes()
        document = stored(sandbox, path, data)
        if document is None or document.format not in KINDS:
            continue
        found = [await outcome(viewer, document, data, span) for span in chosen(document)]
        print(f"{path.relative_to(DATA)!s:40} {dict(Counter(one.how for one in found))}")
        outcomes += found
    await viewer.close()
    kinds = {}
    for kind in KINDS:
        of_kind = [one for one in outcomes if one.kind == kind]
        counts = Counter(one.how for one in of_kind)
        slowest = max(one.seconds for one in of_kind)
        kinds[kind] = {"sentences": len(of_kind), **counts, "slowest_seconds": round(slowest, 3)}
    with tempfile.TemporaryDirectory() as folder:
        long = await long_pdf(sandbox, Path(folder))
    sandbox.close()
    return {**kinds, "long_pdf": long}


def main() -> int:
    """Print the counts, write results/views.json; 0 if marks hold their sentences and a long PDF is soon shown."""
    if not DATA.is_dir():
        print(f"{DATA} is not there; set ASSAY_BENCH_DATA to the folder that holds docs/")
        return 2
    measured = asyncio.run(measure())
    for name, counts in measured.items():
        print(name, counts)
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    result = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision.stdout.strip(),
        "machine": {"python": platform.python_version(), "cpus": os.cpu_count(), "system": platform.system()},
        **measured,
    }
    target = HERE / "results" / "views.json"
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    wrong = sum(measured[kind].get("otherwise", 0) for kind in KINDS)
    return 1 if wrong or measured["long_pdf"]["median_seconds"] > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
