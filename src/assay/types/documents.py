"""Documents, where their text stands, their passages, and uploaded files on their way in."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from assay.types.value import Metadata, Value

# Formats whose stored text has the lines of the file.
_WITH_LINES = frozenset(("markdown", "text"))


@dataclass(frozen=True, slots=True)
class Location(Value):
    """The location of a stretch of text in a document; pages, slides and rows count from 1."""

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    row: int | None = None
    section: str | None = None

    def __str__(self) -> str:
        """The location as a reader would say it.

        >>> str(Location(page=3, section="Rates"))
        'page 3, Rates'
        """
        parts = [f"page {self.page}" if self.page is not None else ""]
        parts.append(f"slide {self.slide}" if self.slide is not None else "")
        parts.append(f"sheet {self.sheet}" if self.sheet is not None else "")
        parts.append(f"row {self.row}" if self.row is not None else "")
        parts.append(self.section or "")
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Region(Value):
    """A stretch of a document's text that shares one location; regions are in order and do not overlap."""

    start: int
    end: int
    location: Location
    kind: Literal["text", "heading", "table"] = "text"


@dataclass(frozen=True, slots=True)
class Place(Value):
    """The start of a location: from the offset `start` of the document's text on, up to the next place."""

    start: int
    location: Location


@dataclass(frozen=True, slots=True)
class Document(Value):
    """One document as stored: its normalised text and what is known of it.

    `source` is the path or address it came from, `bytes_sha256` the hash of the bytes read there.
    """

    document_id: str
    text: str
    title: str
    source: str
    format: str
    bytes_sha256: str
    regions: tuple[Region, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def revision(self) -> str:
        """The SHA-256 of the stored text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def has_lines(self) -> bool:
        """True if the format has lines of its own, so that a line number means something."""
        return self.format in _WITH_LINES

    def location_at(self, offset: int) -> Location:
        """The location of an offset in the text; an empty one where none is known.

        >>> rates = Region(0, 9, Location(page=2))
        >>> document = Document("d", "3 percent", "", "", "pdf", "", (rates,))
        >>> document.location_at(4).page, document.location_at(9).page
        (2, None)
        """
        at = bisect_right(self.regions, offset, key=lambda region: region.start)
        region = self.regions[at - 1] if at else None
        return region.location if region is not None and offset < region.end else Location()

    def line_at(self, offset: int) -> int | None:
        r"""The line, counted from 1, of an offset in the text; None where the format has no lines.

        >>> Document("d", "Rain.\nSnow.", "", "", "text", "").line_at(6)
        2
        """
        return self.text.count("\n", 0, offset) + 1 if self.has_lines else None


@dataclass(frozen=True, slots=True)
class Loaded(Value):
    """A file as a loader read it; `text` is not normalised yet, regions refer to it as it is."""

    text: str
    format: str
    title: str = ""
    regions: tuple[Region, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentRecord(Value):
    """One row of a collection's list of documents; `passages` counts them."""

    document_id: str
    source: str
    title: str
    format: str
    revision: str
    bytes_sha256: str
    passages: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectionSummary(Value):
    """A collection by name; `documents` counts them. Both numbers are None where its file cannot be read."""

    name: str
    documents: int | None
    version: int | None


@dataclass(frozen=True, slots=True)
class FileReport(Value):
    """The report on one file: `reason` says why it was skipped or failed, or what was repaired.

    `hint` says what to do about a file that was skipped or failed. A file of many documents (JSON lines) has no
    `document_id`; `pruned` is a document whose file vanished.
    """

    path: str
    status: Literal["added", "unchanged", "skipped", "failed", "pruned"]
    reason: str | None = None
    passages: int = 0
    document_id: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Origin(Value):
    """The origin of a passage: the collection, or outside of it.

    `link` is the address of an outside page, `fetched` when it was read (Unix seconds), `date` when it was
    written (ISO 8601, as far as it is known). `trust` is own for the collection's documents, named for places
    that the user allowed by name, open for any other.
    """

    kind: Literal["collection", "web", "mcp"] = "collection"
    link: str | None = None
    fetched: float | None = None
    date: str | None = None
    trust: Literal["own", "named", "open"] = "own"


@dataclass(frozen=True, slots=True)
class Passage(Value):
    """A stretch of one revision of a document; `text` is the stored text from `start` to `end`.

    `location` is that of the whole; `places`, in order and the first at or before `start`, are set where the
    location changes within. `source` is the path or address of the document. `line` counts from 1 and is the line
    of the stored text that holds `start`, None where the format has no lines of its own. `header` names the
    columns of a table whose rows the passage begins with and whose first row stands in an earlier passage.
    """

    passage_id: str
    document_id: str
    revision: str
    start: int
    end: int
    text: str
    title: str = ""
    location: Location = Location()
    metadata: Metadata = field(default_factory=dict)
    origin: Origin = Origin()
    source: str = ""
    line: int | None = None
    places: tuple[Place, ...] = ()
    header: str = ""

    @property
    def searched(self) -> str:
        r"""The text to embed and to search by words, under the header of its table.

        >>> Passage("p", "d", "r", 0, 7, "Bob | 9", header="Name | Days").searched
        'Name | Days\nBob | 9'
        """
        return f"{self.header}\n{self.text}" if self.header else self.text

    def location_at(self, offset: int) -> Location:
        """The location of an offset in the document's text; the passage's own where no places are known.

        >>> places = (Place(0, Location(page=1)), Place(12, Location(page=2)))
        >>> passage = Passage("p", "d", "r", 5, 20, "It rained. Snow", places=places)
        >>> passage.location_at(11).page, passage.location_at(16).page
        (1, 2)
        """
        after = bisect_right(self.places, offset, key=lambda place: place.start)
        return self.places[after - 1].location if after else self.location

    def line_at(self, offset: int) -> int | None:
        r"""The line, counted from 1, of an offset in the document's text; None where lines are unknown.

        >>> Passage("p", "d", "r", 40, 51, "Rain.\nSnow.", line=3).line_at(46)
        4
        """
        return None if self.line is None else self.line + self.text.count("\n", 0, max(0, offset - self.start))

    def span_of(self, start: int, end: int) -> SourceSpan:
        """The quote `text[start:end]` with its place in the document.

        >>> Passage("p", "d", "r", 100, 109, "It rained").span_of(3, 9)
        SourceSpan(passage_id='p', start=103, end=109, quote='rained')
        """
        at = self.start + start
        return SourceSpan(
            self.passage_id, at, self.start + end, self.text[start:end], self.location_at(at), self.line_at(at)
        )

    @staticmethod
    def id_for(document_id: str, revision: str, start: int, end: int) -> str:
        """The passage's id: 32 hex digits of a SHA-256 over what identifies it.

        >>> len(Passage.id_for("a.md", "0" * 64, 0, 10))
        32
        """
        key = f"{document_id}\0{revision}\0{start}\0{end}"
        return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class SourceSpan(Value):
    """A quote, identical to the stored text of its document from `start` to `end`.

    `location` and `line` say where `start` stands, and make no two spans different; of several rows of a table file
    the location is that of the row with the answer.
    """

    passage_id: str
    start: int
    end: int
    quote: str
    location: Location = field(default=Location(), compare=False, repr=False)
    line: int | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Match(Value):
    """A place of the stored text where what was looked for stands, with its line and some words around it."""

    start: int
    end: int
    line: int
    context: str


JobStatus = Literal["queued", "running", "done", "failed"]
FileStatus = Literal["waiting", "added", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class JobFile(Value):
    """One file of a job: what became of it, why, and what to do about it; `name` is as the caller gave it."""

    name: str
    status: FileStatus
    reason: str | None = None
    hint: str | None = None
    document_id: str | None = None
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Job(Value):
    """A job as it is now. `reason` and `hint` say why it failed as a whole; `seconds_left` is an estimate."""

    job_id: str
    collection: str
    status: JobStatus
    created: float
    files_done: int
    files_total: int
    passages: int
    seconds_left: float | None
    files: tuple[JobFile, ...]
    reason: str | None = None
    hint: str | None = None

    @property
    def ended(self) -> bool:
        """True if it is done or failed."""
        return self.status in ("done", "failed")
