"""The messages between workers and the driver, as JSON: documents, reports and errors. Nothing is pickled.

Ray has its own serialisation, which calls what the bytes name. These rows are read here as data.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from assay import errors
from assay.errors import AssayError, ProviderFailed
from assay.ingest.files import ReadyDocument, StaleDocument, StoredDocuments
from assay.ingest.walk import FoundFile
from assay.retrieval.index.rows import document_in, document_values, passage_in, passage_values
from assay.types import DocumentRecord, FileReport


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A file to read, with what is stored of it."""

    seen: FoundFile
    known: tuple[DocumentRecord, ...]

    def stored(self) -> StoredDocuments:
        """The stored documents of the file."""
        return StoredDocuments(self.known)


def write_request(seen: FoundFile, known: StoredDocuments) -> bytes:
    """A file to read, and of what is stored of it what tells whether it has changed."""
    records = [
        [record.document_id, record.bytes_sha256, record.passages] for record in known.of(seen.source).values()
    ]
    return json.dumps([str(seen.file), seen.path, seen.source, records]).encode()


def read_request(data: bytes) -> FileRequest:
    """The request that `write_request` wrote."""
    from pathlib import Path

    file, path, source, records = json.loads(data)
    known = tuple(
        DocumentRecord(document_id, source, "", "", "", sha256, passages)
        for document_id, sha256, passages in records
    )
    return FileRequest(FoundFile(Path(file), path, source), known)


def write_document(ready: ReadyDocument) -> bytes:
    """A document with its passages. A passage's text is left out where it is that of its place, as it should be."""
    document = ready.document
    passages = []
    for passage in ready.passages:
        row = list(passage_values(passage, passage.document_id))
        if document.text[passage.start : passage.end] == passage.text:
            row[5] = None
        passages.append([*row, passage.source])
    row = list(document_values(document))
    row[1] = document.source
    return json.dumps([row, passages]).encode()


def _document(row: list[Any], passages: list[list[Any]]) -> ReadyDocument:
    document_id, source, title, kind, _revision, sha256, text, regions, metadata, warnings = row
    document = document_in([document_id, text, title, _bytes(source), kind, sha256, regions, metadata, warnings])
    read = []
    for values in passages:
        *first, line, places, header, source = values
        if first[5] is None:
            first[5] = document.text[first[3] : first[4]]
        read.append(passage_in([*first, _bytes(source), line, places, header]))
    return ReadyDocument(document, tuple(read))


def _bytes(source: str) -> bytes:
    return source.encode(errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The outcome of a file: its report, and the stored documents that are no longer in it."""

    report: FileReport
    stale: tuple[StaleDocument, ...] = ()


def write_outcome(outcome: FileOutcome) -> bytes:
    """Write the outcome of a file."""
    stale = [[each.path, each.document_id, each.reason] for each in outcome.stale]
    return json.dumps({"report": outcome.report.to_dict(), "stale": stale}).encode()


def read_item(data: bytes) -> ReadyDocument | FileOutcome:
    """Read what `write_document` or `write_outcome` wrote."""
    fields = json.loads(data)
    if isinstance(fields, list):
        return _document(*fields)
    return FileOutcome(FileReport(**fields["report"]), tuple(StaleDocument(*each) for each in fields["stale"]))


def write_error(error: AssayError) -> bytes:
    """An error that ends all the work, such as that of a service which embeds."""
    return json.dumps([type(error).__name__, str(error), error.hint]).encode()


def read_error(data: bytes) -> AssayError:
    """The error that `write_error` wrote.

    >>> type(read_error(write_error(errors.ProviderRefused("the key is wrong", hint="set another")))).__name__
    'ProviderRefused'
    """
    name, message, hint = json.loads(data)
    kind: Any = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, AssayError):
        return kind(message, hint=hint)
    return ProviderFailed(message, hint=hint)
