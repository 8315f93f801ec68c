"""One file after the other, from bytes to documents cut into passages."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

from assay.errors import DocumentError, EmptyDocument, UnreadableDocument, UnsupportedDocument
from assay.ingest.document import document_of, id_of
from assay.ingest.known import Known, Stale
from assay.ingest.lines import Line, holds_documents, lines_of, parse_line
from assay.ingest.walk import Seen
from assay.stages import Splitter
from assay.types import Document, DocumentRecord, EmbeddingModel, FileReport, Loaded, Passage

# Bytes of one file that are read into memory; a file of JSON lines is streamed and may be larger.
LARGEST_FILE = 256 << 20
_HEAD = 1 << 16
_LINES_AT_ONCE = 64
_PROBLEMS_SHOWN = 5


class Reader(Protocol):
    """Turns the bytes of any format into normalised text, whatever they hold."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text of `data`; raises EmptyDocument, UnsupportedDocument, UnreadableDocument."""
        ...

    def close(self) -> None:
        """End what reads at this moment, and release it; a later `load` starts anew."""
        ...


@dataclass(frozen=True, slots=True)
class Ready:
    """A document that can be embedded and stored."""

    document: Document
    passages: tuple[Passage, ...]

    @property
    def size(self) -> int:
        """How many passages there are."""
        return len(self.passages)


Item = Ready | FileReport


@dataclass(slots=True)
class _Counts:
    """What the lines of one file have become so far."""

    ids: set[str]
    passages: int = 0
    stored: int = 0
    problems: int = 0
    unread: bool = False
    shown: tuple[str, ...] = ()

    def leave_out(self, number: int, problem: str) -> None:
        """Count a line that gives no document; the first few are told."""
        self.problems += 1
        if self.problems <= _PROBLEMS_SHOWN:
            self.shown += (f"line {number}: {problem}",)


class FileReader:
    """Reads the files that have changed; `stale` collects what they no longer hold."""

    def __init__(
        self, reader: Reader, splitter: Splitter, model: EmbeddingModel, known: Known, *, dry_run: bool
    ) -> None:
        self._reader = reader
        self._splitter = splitter
        self._model = model
        self._known = known
        self._dry_run = dry_run
        self.stale: list[Stale] = []

    def items(self, seen: Seen) -> Iterator[tuple[Item, ...]]:
        """The file's documents, a few at a time, then its report; never raises for what a file holds."""
        if seen.problem is not None:
            yield (FileReport(seen.path, "failed", seen.problem),)
            return
        try:
            with _opened(seen.file) as file:
                head = file.read(_HEAD)
                file.seek(0)
                if holds_documents(head, seen.file.name):
                    yield from self._lines(seen, file)
                else:
                    yield self._whole(seen, file)
        except DocumentError as error:
            yield (FileReport(seen.path, "failed", _reason(error, seen)),)
        except OSError as error:
            yield (FileReport(seen.path, "failed", error.strerror or str(error)),)

    def _whole(self, seen: Seen, file: IO[bytes]) -> tuple[Item, ...]:
        """The file as one document."""
        data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            return (FileReport(seen.path, "failed", f"larger than {LARGEST_FILE >> 20} MiB"),)
        sha256 = hashlib.sha256(data).hexdigest()
        document_id = id_of(seen.source)
        stored = self._known.of(seen.source)
        record = stored.get(document_id)
        if record is not None and record.bytes_sha256 == sha256:
            self._drop(seen, stored, {document_id})
            return (FileReport(seen.path, "unchanged", None, record.passages, document_id),)
        return self._loaded(seen, data, sha256, stored)

    def _loaded(
        self, seen: Seen, data: bytes, sha256: str, stored: Mapping[str, DocumentRecord]
    ) -> tuple[Item, ...]:
        document_id = id_of(seen.source)
        try:
            loaded = self._reader.load(data, seen.file.name)
        except (EmptyDocument, UnsupportedDocument) as error:
            if isinstance(error, EmptyDocument):
                self._drop(seen, stored, set())
            return (FileReport(seen.path, "skipped", _reason(error, seen)),)
        except UnreadableDocument as error:
            kept = "; the version stored before stays" if stored else ""
            return (FileReport(seen.path, "failed", _reason(error, seen) + kept),)
        document = document_of(
            loaded,
            document_id=document_id,
            source=seen.source,
            name=seen.file.name,
            bytes_sha256=sha256,
            model=self._model,
        )
        self._drop(seen, stored, {document_id})
        ready = Ready(document, self._splitter.split(document))
        replaces = ("replaces the stored version",) if self._dry_run and document_id in stored else ()
        reason = "; ".join((*replaces, *document.warnings)) or None
        report = FileReport(seen.path, "added", reason, ready.size, document_id)
        return (report,) if self._dry_run else (ready, report)

    def _lines(self, seen: Seen, file: IO[bytes]) -> Iterator[tuple[Item, ...]]:
        """A document a line, some lines at a time; then the report of the whole file."""
        counts = _Counts(set())
        stored = self._known.of(seen.source)
        lines = map(parse_line, lines_of(file))
        while chunk := list(islice(lines, _LINES_AT_ONCE)):
            yield tuple(self._line_documents(seen, chunk, stored, counts))
        if not counts.unread:  # a line that cannot be read may be one that is stored
            self._drop(seen, stored, counts.ids)
        yield (_line_report(seen, counts),)

    def _line_documents(
        self, seen: Seen, lines: list[Line], stored: Mapping[str, DocumentRecord], counts: _Counts
    ) -> Iterator[Ready]:
        """The documents of the lines that are not stored yet as they are; counts go up."""
        for line in lines:
            document_id = line.document_id or id_of(seen.source, str(line.number))
            if line.loaded is None or document_id in counts.ids:
                counts.unread |= line.loaded is None
                counts.leave_out(line.number, line.problem or f"the id {document_id!r} again")
                continue
            sha256 = hashlib.sha256(line.raw).hexdigest()
            counts.ids.add(document_id)
            record = stored.get(document_id)
            if record is not None and record.bytes_sha256 == sha256:
                counts.passages += record.passages
                continue
            counts.stored += 1
            ready = self._line_document(seen, line.loaded, document_id, sha256)
            counts.passages += ready.size
            if not self._dry_run:
                yield ready

    def _line_document(self, seen: Seen, loaded: Loaded, document_id: str, sha256: str) -> Ready:
        # A line without a title has none: the name of a file of thousands of documents tells nothing of one.
        document = document_of(
            loaded, document_id=document_id, source=seen.source, name="", bytes_sha256=sha256, model=self._model
        )
        return Ready(document, self._splitter.split(document))

    def _drop(self, seen: Seen, stored: Mapping[str, DocumentRecord], held: set[str]) -> None:
        """Note the stored documents of a file that it no longer holds."""
        gone = (document_id for document_id in stored if document_id not in held)
        self.stale.extend(Stale(seen.path, each, "its file no longer holds it") for each in gone)


def _line_report(seen: Seen, counts: _Counts) -> FileReport:
    """One report for a file of documents."""
    more = counts.problems - len(counts.shown)
    lines = "1 line" if counts.problems == 1 else f"{counts.problems} lines"
    left_out = f"{lines} left out: {'; '.join(counts.shown)}" + (f"; {more} more" if more else "")
    reason = left_out if counts.problems else None
    if not counts.ids:
        return FileReport(seen.path, "failed" if counts.problems else "skipped", reason or "no documents")
    return FileReport(seen.path, "added" if counts.stored else "unchanged", reason, counts.passages)


def _reason(error: DocumentError, seen: Seen) -> str:
    """What is wrong, without the file's name, which the report has anyway."""
    return str(error).removeprefix(f"{seen.file.name}: ")


def _opened(path: Path) -> IO[bytes]:
    """The file, open for reading; a pipe or device that has taken its place is refused, not waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableDocument(f"{path.name}: not a regular file", hint="name a file or a folder")
    return os.fdopen(descriptor, "rb")
