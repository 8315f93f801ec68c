"""What workers and the driver tell one another arrives as it was sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import AssayError, ProviderRefused, StoreFull
from assay.ingest.detect import AnyLoader
from assay.ingest.files import ReadyDocument, StaleDocument, StoredDocuments, document_of
from assay.ingest.loaders import LOADERS
from assay.ingest.split import PassageSplitter
from assay.ingest.walk import FoundFile
from assay.testing.fakes import WordEmbedder
from assay.types import DocumentRecord, FileReport
from assay.wiring.cluster import rows
from assay.wiring.cluster.rows import FileOutcome

TEXT = "# Tée\n\nWater boils at 100 °C.\n\n## Rates\n\n| Name | Days |\n|---|---|\n| Bob | 9 |\n| 😀 | 3 |\n" * 9


def ready(source: str = "/notes/tea.md") -> ReadyDocument:
    loaded = AnyLoader(LOADERS).load(TEXT.encode(), "tea.md")
    document = document_of(
        loaded,
        document_id="ab12",
        source=source,
        name="2024-03-01 tea.md",
        bytes_sha256="0" * 64,
        model=WordEmbedder().model,
        metadata={"author": "Ann", "pages": 3, "draft": True},
    )
    passages = PassageSplitter(lambda text: len(text.split()), 20, 30).split(document)
    assert len(passages) > 3
    return ReadyDocument(document, passages)


@pytest.mark.parametrize("source", ["/notes/tea.md", "s3://bucket/tea.md", "/notes/tea\udcff.md"])
def test_a_document_arrives_with_its_passages(source: str) -> None:
    sent = ready(source)
    arrived = rows.read_item(rows.write_document(sent))
    assert isinstance(arrived, ReadyDocument)
    assert arrived.document == sent.document
    assert [(each.text, each.searched, each.location, each.places) for each in arrived.passages] == [
        (each.text, each.searched, each.location, each.places) for each in sent.passages
    ]
    assert [each.passage_id for each in arrived.passages] == [each.passage_id for each in sent.passages]


def test_a_document_is_sent_without_its_text_twice() -> None:
    assert rows.write_document(ready()).count(b"Water boils") == TEXT.count("Water boils")


def test_a_request_says_what_is_stored() -> None:
    known = StoredDocuments([DocumentRecord("ab12", "/notes/tea.md", "Tea", "markdown", "r", "0f", 4)])
    seen = FoundFile(Path("notes/tea.md"), "notes/tea.md", "/notes/tea.md")
    asked = rows.read_request(rows.write_request(seen, known))
    assert asked.seen == seen
    (record,) = asked.stored().of("/notes/tea.md").values()
    assert (record.document_id, record.bytes_sha256, record.passages) == ("ab12", "0f", 4)


def test_an_outcome_arrives() -> None:
    report = FileReport("a.md", "failed", "damaged", hint="save it again")
    outcome = FileOutcome(report, (StaleDocument("a.md", "ab12", "its file no longer holds it"),))
    assert rows.read_item(rows.write_outcome(outcome)) == outcome


@pytest.mark.parametrize("error", [ProviderRefused("no", hint="yes"), StoreFull("full", hint="free some")])
def test_an_error_keeps_its_class_and_hint(error: AssayError) -> None:
    arrived = rows.read_error(rows.write_error(error))
    assert (type(arrived), str(arrived), arrived.hint) == (type(error), str(error), error.hint)


@pytest.mark.parametrize("name", ["KeyError", "causes_of", "os", "Iterator"])
def test_an_error_of_another_kind_names_nothing_else(name: str) -> None:
    arrived = rows.read_error(f'["{name}", "what", "next"]'.encode())
    assert type(arrived).__name__ == "ProviderFailed"
