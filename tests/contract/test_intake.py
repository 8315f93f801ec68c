"""Every loader, the splitter and the ingestion keep the contract of taking documents in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email.message import EmailMessage
from typing import Any

import assay_models
import openpyxl
import pptx
import pytest

from assay.core.stages import Index, Ingester, Loader, Splitter
from assay.ingest.detect import AnyLoader
from assay.ingest.loaders import LOADERS
from assay.ingest.pipeline import Ingestion
from assay.ingest.sandbox import Sandbox
from assay.ingest.split import PassageSplitter
from assay.models.embed_local import LocalEmbedder
from assay.retrieval.index.memory import MemoryIndex
from assay.testing.contracts import IngesterContract, LoaderContract, SplitterContract
from assay.testing.contracts.given import TEXTS
from assay.testing.fakes import WordEmbedder

from ..unit.ingest.test_loaders import book, pdf, saved, word_document


def _slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = TEXTS[0]
    return saved(deck)


def _sheet() -> bytes:
    workbook = openpyxl.Workbook()
    for row in (["Bridge", "Opened"], ["Harbour", 1932], ["Forth", 1890]):
        workbook.active.append(row)
    return saved(workbook)


def _mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"] = "The bridge", "a@example.com"
    message.set_content(TEXTS[0])
    return message.as_bytes()


FILES: dict[str, Callable[[], bytes]] = {
    "csv": lambda: b"Bridge,Opened\nHarbour,1932\nForth,1890\n",
    "docx": lambda: saved(word_document()),
    "epub": book,
    "html": lambda: f"<html><body><h1>Bridges</h1><p>{TEXTS[0]}</p><p>{TEXTS[1]}</p></body></html>".encode(),
    "json": lambda: b'{"bridge": "Harbour", "opened": [1932, {"month": "May"}]}',
    "mail": _mail,
    "markdown": lambda: f"# Bridges\n\n{TEXTS[0]}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".encode(),
    "pdf": lambda: pdf(TEXTS[0], TEXTS[1]),
    "pptx": _slides,
    "text": lambda: "\n\n".join(TEXTS).encode(),
    "xlsx": _sheet,
}


# Files of Outlook and of the old PowerPoint cannot be written here; benchmarks/documents reads real ones.
@pytest.mark.parametrize("kind", FILES)
class TestLoaders(LoaderContract):
    @pytest.fixture
    def loader(self, kind: str) -> Loader:
        return LOADERS[kind]

    @pytest.fixture
    def data(self, kind: str) -> bytes:
        return FILES[kind]()


class TestSplitterByWords(SplitterContract):
    @pytest.fixture
    def splitter(self) -> Splitter:
        return PassageSplitter(lambda text: len(text.split()), 40, 60)


class TestSplitterByTheBundledModel(SplitterContract):
    @pytest.fixture
    def splitter(self) -> Splitter:
        return PassageSplitter(LocalEmbedder.load(assay_models.folder(), threads=1).count_tokens)


class TestIngestion(IngesterContract):
    @pytest.fixture
    def index(self) -> Index:
        return MemoryIndex(WordEmbedder().model)

    @pytest.fixture(params=["in this process", "in the sandbox"])
    def ingester(self, request: pytest.FixtureRequest, index: Index) -> Iterator[Ingester]:
        reader: Any = Sandbox() if request.param == "in the sandbox" else AnyLoader(LOADERS)
        yield Ingestion(index, WordEmbedder(), PassageSplitter(lambda text: len(text.split())), reader)
        reader.close()
