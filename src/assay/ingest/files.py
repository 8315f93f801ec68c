"""Read files one by one, from bytes to documents cut into passages."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Literal, Protocol

from assay.core.stages import Splitter
from assay.errors import DocumentError, EmptyDocument, UnreadableDocument, UnsupportedDocument
from assay.ingest.lines import Line, holds_documents, lines_of, parse_line
from assay.ingest.object_storage import is_address, open_object
from assay.ingest.walk import FoundFile, SourceOf, source_of
from assay.nlp.language import language_of
from assay.nlp.publication_date import STATED, date_in, date_in_name, date_stated
from assay.types import Document, DocumentRecord, EmbeddingModel, FileReport, Loaded, Metadata, Passage

# From a loader's result to a stored document.


# Languages in Latin script share word pieces with English, so the model reads them, if poorly. Other scripts become
# unknown tokens.
_OTHER_SCRIPTS = frozenset("ja ko zh th he ar hi el ru".split())
WORDS_ONLY = "searched by words only: the embedding model does not read its script"
_TITLE_LENGTH = 200
_SAMPLE = 4000
_SEPARATORS = re.compile(r"[_\s]+|(?<=\w)-(?=\w)")


def id_of(source: str, part: str = "") -> str:
    """The id of the document at a source, 32 hex digits; `part` distinguishes several in one file.

    >>> id_of("/notes/tea.md") == id_of("/notes/tea.md"), id_of("/notes/tea.md") == id_of("/notes/tea.md", "2")
    (True, False)
    """
    return hashlib.sha256(f"{source}\0{part}".encode(errors="surrogatepass")).hexdigest()[:32]


def title_of(given: str, name: str) -> str:
    """The given title on one line, or else the file's name without its extension, as words.

    >>> title_of("", "annual_report-2023.pdf"), title_of(" Tea  time ", "x.md")
    ('annual report 2023', 'Tea time')
    """
    stem, dot, ending = name.rpartition(".")
    bare = stem if dot and stem and len(ending) <= 5 else name
    return " ".join((given.strip() or _SEPARATORS.sub(" ", bare)).split())[:_TITLE_LENGTH].strip()


def document_of(
    loaded: Loaded,
    *,
    document_id: str,
    source: str,
    name: str,
    bytes_sha256: str,
    model: EmbeddingModel,
    metadata: Metadata | None = None,
) -> Document:
    """Make a document of a file's normalised content, under the given id.

    If the metadata lacks a date of publication, `date` is set from the text's head or the file's name.
    """
    known = dict(loaded.metadata) | dict(metadata or {})
    if date_in(known, STATED) is None and (day := date_stated(loaded.text) or date_in_name(name)):
        known.setdefault("date", day)
    return Document(
        document_id=document_id,
        text=loaded.text,
        title=title_of(loaded.title, name),
        source=source,
        format=loaded.format,
        bytes_sha256=bytes_sha256,
        regions=loaded.regions,
        metadata=known,
        warnings=loaded.warnings + script_warnings(loaded.text, model),
    )


def script_warnings(text: str, model: EmbeddingModel) -> tuple[str, ...]:
    """A warning if the embedding model does not support the text's script."""
    if text.isascii():
        return ()
    middle = len(text) // 2
    language = language_of(text[:_SAMPLE] + text[max(_SAMPLE, middle) : middle + _SAMPLE])
    return (WORDS_ONLY,) if language in _OTHER_SCRIPTS and language not in model.languages else ()


# The stored documents by source: which files are unchanged, and which are gone.


@dataclass(frozen=True, slots=True)
class StaleDocument:
    """A stored document that is no longer in its file."""

    path: str
    document_id: str
    reason: str


class StoredDocuments:
    """The documents of a collection by source; `name` gives that of a path, as in the walk."""

    def __init__(self, records: Sequence[DocumentRecord], name: SourceOf = source_of) -> None:
        self._name = name
        self._by_source: dict[str, dict[str, DocumentRecord]] = defaultdict(dict)
        for record in records:
            self._by_source[record.source][record.document_id] = record

    def of(self, source: str) -> Mapping[str, DocumentRecord]:
        """The documents from a source, by id."""
        return self._by_source.get(source, {})

    def missing(self, paths: Sequence[Path | str], found: Sequence[FoundFile]) -> Iterator[StaleDocument]:
        """The documents at or under the paths whose file is gone.

        A missing or unreadable folder removes nothing: its disk may not be mounted.
        """
        present = {seen.source for seen in found if seen.problem is None}
        unreadable = tuple(_folder_prefix(seen.source) for seen in found if seen.problem is not None)
        named = {self._name(path) for path in paths}
        folders = tuple(
            _folder_prefix(self._name(path))
            for path in paths
            if (isinstance(path, str) and is_address(path)) or os.path.isdir(path)
        )
        for source, records in sorted(self._by_source.items()):
            looked_for = source in named or source.startswith(folders)
            if looked_for and source not in present and not source.startswith(unreadable or ("\0",)):
                for record in records.values():
                    yield StaleDocument(source, record.document_id, "its file is gone")


def _folder_prefix(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep


# Most bytes of one file read into memory; JSON lines are streamed and may be larger: chosen.
LARGEST_FILE = 256 << 20
_HEAD = 1 << 16
_LINES_AT_ONCE = 64
_CHECK = "check the path and the rights to read it"
_FIX_LINES = 'write one JSON object with a "text" on each line'
_PROBLEMS_SHOWN = 5


class Reader(Protocol):
    """Reads the bytes of any format as normalised text."""

    def load(self, data: bytes, name: str) -> Loaded:
        """Read `data`; raises EmptyDocument, UnsupportedDocument, UnreadableDocument."""
        ...

    def close(self) -> None:
        """Stop reading and release resources; a later `load` starts again."""
        ...


@dataclass(frozen=True, slots=True)
class ReadyDocument:
    """A document ready to be embedded and stored."""

    document: Document
    passages: tuple[Passage, ...]

    @property
    def size(self) -> int:
        """The number of passages."""
        return len(self.passages)


Item = ReadyDocument | FileReport


@dataclass(slots=True)
class _Counts:
    """The running counts for the lines of one file."""

    ids: set[str]
    passages: int = 0
    stored: int = 0
    problems: int = 0
    unread: bool = False
    shown: tuple[str, ...] = ()

    def leave_out(self, number: int, problem: str) -> None:
        """Count a line without a document; the first few are reported."""
        self.problems += 1
        if self.problems <= _PROBLEMS_SHOWN:
            self.shown += (f"line {number}: {problem}",)


class FileReader:
    """Reads changed files; `stale` collects documents that are no longer in them."""

    def __init__(
        self, reader: Reader, splitter: Splitter, model: EmbeddingModel, known: StoredDocuments, *, dry_run: bool
    ) -> None:
        self._reader = reader
        self._splitter = splitter
        self._model = model
        self._known = known
        self._dry_run = dry_run
        self.stale: list[StaleDocument] = []

    def items(self, seen: FoundFile) -> Iterator[tuple[Item, ...]]:
        """The file's documents, a few at a time, then its report; no content of a file raises."""
        if seen.problem is not None:
            yield (FileReport(seen.path, "failed", seen.problem, hint=_CHECK),)
            return
        try:
            with open_object(seen.source) if is_address(seen.source) else open_file(seen.file) as file:
                head = file.read(_HEAD)
                file.seek(0)
                if holds_documents(head, seen.file.name):
                    yield from self._lines(seen, file)
                else:
                    yield self._single_document(seen, file)
        except DocumentError as error:
            yield (FileReport(seen.path, "failed", _reason(error, seen), hint=error.hint),)
        except OSError as error:
            yield (FileReport(seen.path, "failed", error.strerror or str(error), hint=_CHECK),)

    def _single_document(self, seen: FoundFile, file: IO[bytes]) -> tuple[Item, ...]:
        """The file as one document."""
        data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            reason = f"larger than {LARGEST_FILE >> 20} MiB"
            return (FileReport(seen.path, "failed", reason, hint="split the file"),)
        sha256 = hashlib.sha256(data).hexdigest()
        document_id = id_of(seen.source)
        stored = self._known.of(seen.source)
        record = stored.get(document_id)
        if record is not None and record.bytes_sha256 == sha256:
            self._drop(seen, stored, {document_id})
            return (FileReport(seen.path, "unchanged", None, record.passages, document_id),)
        return self._load(seen, data, sha256, stored)

    def _load(
        self, seen: FoundFile, data: bytes, sha256: str, stored: Mapping[str, DocumentRecord]
    ) -> tuple[Item, ...]:
        document_id = id_of(seen.source)
        try:
            loaded = self._reader.load(data, seen.file.name)
        except (EmptyDocument, UnsupportedDocument) as error:
            if isinstance(error, EmptyDocument):
                self._drop(seen, stored, set())
            return (FileReport(seen.path, "skipped", _reason(error, seen), hint=error.hint),)
        except UnreadableDocument as error:
            note = "; the version stored before stays" if stored else ""
            return (FileReport(seen.path, "failed", _reason(error, seen) + note, hint=error.hint),)
        document = document_of(
            loaded,
            document_id=document_id,
            source=seen.source,
            name=seen.file.name,
            bytes_sha256=sha256,
            model=self._model,
        )
        self._drop(seen, stored, {document_id})
        ready = ReadyDocument(document, self._splitter.split(document))
        replaces = ("replaces the stored version",) if self._dry_run and document_id in stored else ()
        reason = "; ".join((*replaces, *document.warnings)) or None
        report = FileReport(seen.path, "added", reason, ready.size, document_id)
        return (report,) if self._dry_run else (ready, report)

    def _lines(self, seen: FoundFile, file: IO[bytes]) -> Iterator[tuple[Item, ...]]:
        """One document per line, some lines at a time, then the report of the file."""
        counts = _Counts(set())
        stored = self._known.of(seen.source)
        lines = map(parse_line, lines_of(file))
        while chunk := list(islice(lines, _LINES_AT_ONCE)):
            yield tuple(self._line_documents(seen, chunk, stored, counts))
        if not counts.unread:  # an unreadable line may be a stored document
            self._drop(seen, stored, counts.ids)
        yield (_line_report(seen, counts),)

    def _line_documents(
        self, seen: FoundFile, lines: list[Line], stored: Mapping[str, DocumentRecord], counts: _Counts
    ) -> Iterator[ReadyDocument]:
        """The new or changed documents of some lines; updates the counts."""
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

    def _line_document(self, seen: FoundFile, loaded: Loaded, document_id: str, sha256: str) -> ReadyDocument:
        # No title from the file's name: it says nothing about one of thousands of documents.
        document = document_of(
            loaded, document_id=document_id, source=seen.source, name="", bytes_sha256=sha256, model=self._model
        )
        return ReadyDocument(document, self._splitter.split(document))

    def _drop(self, seen: FoundFile, stored: Mapping[str, DocumentRecord], held: set[str]) -> None:
        """Record stored documents that are no longer in the file."""
        missing = (document_id for document_id in stored if document_id not in held)
        self.stale.extend(
            StaleDocument(seen.path, document_id, "its file no longer holds it") for document_id in missing
        )


def _line_report(seen: FoundFile, counts: _Counts) -> FileReport:
    """The report of a file of JSON lines."""
    more = counts.problems - len(counts.shown)
    lines = "1 line" if counts.problems == 1 else f"{counts.problems} lines"
    left_out = f"{lines} left out: {'; '.join(counts.shown)}" + (f"; {more} more" if more else "")
    reason = left_out if counts.problems else None
    if not counts.ids:
        status: Literal["failed", "skipped"] = "failed" if counts.problems else "skipped"
        return FileReport(seen.path, status, reason or "no documents", hint=_FIX_LINES)
    return FileReport(seen.path, "added" if counts.stored else "unchanged", reason, counts.passages)


def _reason(error: DocumentError, seen: FoundFile) -> str:
    """The problem without the file's name, which the report contains anyway."""
    return str(error).removeprefix(f"{seen.file.name}: ")


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading; for a pipe or device in its place raises UnreadableDocument rather than wait.

    Raises OSError.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableDocument(f"{path.name}: not a regular file", hint="name a file or a folder")
    return os.fdopen(descriptor, "rb")


def file_at(source: str) -> bytes:
    """The bytes of the file at a source, cut behind `LARGEST_FILE`.

    Raises OSError, UnreadableDocument, ValueError.
    """
    with open_file(Path(source)) as file:
        return file.read(LARGEST_FILE + 1)
