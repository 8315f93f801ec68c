"""Pages kept on disk: each with its hash and the time it was read, one file a page.

A file is written beside its place and then moved there, so that any number of processes may read and write at
once. What does not match its own hash counts as absent. The rules are asked before a kept page is shown: one
that was fetched before its domain was denied stays hidden.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay.core.stages import Clock, Splitter
from assay.nlp.publication_date import HEAD, date_in, date_of, dates_of_html
from assay.types import Document, Loaded, Location, Origin, Passage
from assay.web.guard import SsrfGuard
from assay.web.sources import Page, PageReader, Pages, SearchResult

_DAY = 86400.0
_ENDING = ".page"
# Pages are looked through for what is too old once in so many that are kept.
_SWEEP_EVERY = 64
_LARGEST_HEAD = 1 << 16


class PageCache:
    """Pages as another source fetches them, kept in a folder for `max_age` seconds.

    The folder takes at most `largest` bytes, give or take the pages of a minute; the oldest go first.
    """

    def __init__(
        self,
        pages: Pages,
        guard: SsrfGuard,
        folder: Path,
        clock: Clock,
        *,
        max_age: float = _DAY,
        largest: int = 512 * 1024 * 1024,
    ) -> None:
        self._pages = pages
        self._guard = guard
        self._folder = folder
        self._clock = clock
        self._max_age = max_age
        self._largest = largest
        self._written = 0

    async def fetch(self, link: str) -> Page:
        """The kept page where it is young enough, else a new one. Raises EgressRefused, ProviderError.

        A folder that cannot be read or written costs the keeping, not the page.
        """
        asked = str(self._guard.link(link))
        kept = await asyncio.to_thread(self._read, asked)
        if kept is not None:
            self._guard.link(kept.link)
            return kept
        page = await self._pages.fetch(link)
        await asyncio.to_thread(self._write, page)
        return page

    def _path(self, link: str) -> Path:
        return self._folder / (hashlib.sha256(link.encode()).hexdigest() + _ENDING)

    def _read(self, asked: str) -> Page | None:
        """The page kept for a link; None where there is none, it is too old, or it is damaged."""
        try:
            with self._path(asked).open("rb") as file:
                head = json.loads(file.readline(_LARGEST_HEAD))
                page = Page(data=file.read(), **head)
                age = self._clock.time() - page.fetched
                whole = page.asked == asked and hashlib.sha256(page.data).hexdigest() == page.sha256
        except (OSError, ValueError, TypeError):
            return None
        return page if whole and 0 <= age <= self._max_age else None

    def _write(self, page: Page) -> None:
        head = asdict(replace(page, data=b""))
        del head["data"]
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # mkstemp's files are readable by their owner only.
            handle, name = tempfile.mkstemp(dir=self._folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(json.dumps(head).encode() + b"\n" + page.data)
                Path(name).replace(self._path(page.asked))
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
            self._written += 1
            if self._written % _SWEEP_EVERY == 1:
                self._sweep()

    def _sweep(self) -> None:
        """Remove what is too old, and the oldest of what is too much."""
        now = self._clock.time()
        total = 0
        for file in sorted(self._folder.iterdir(), key=_modified, reverse=True):
            with suppress(OSError):
                size = file.stat().st_size
                total += size
                if total > self._largest or now - _modified(file) > self._max_age:
                    file.unlink()
                    total -= size


def _modified(file: Path) -> float:
    """The time of a file's writing; 0 where another process has removed it meanwhile."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


# The date of a page, as far as it says so itself; where it is not sure, there is none.


# The web is not older.
_FIRST_YEAR = 1989


def page_date(data: bytes, content_type: str, last_modified: str | None, fetched: float) -> str | None:
    """The date of a page, None where it is not sure; `fetched` is when it was read, in Unix seconds."""
    found: Iterator[str] = iter(())
    if "html" in content_type:
        found = dates_of_html(data[:HEAD].decode("utf-8", errors="replace"))
    dates = (date for date in found if _plausible(date, fetched))
    return next(dates, None) or _modified_date(last_modified, fetched)


def _modified_date(last_modified: str | None, fetched: float) -> str | None:
    """The server's date, where it is at least a day old."""
    day = date_of(last_modified or "")
    return day if day is not None and _plausible(day, fetched - _DAY) else None


def _plausible(day: str, fetched: float) -> bool:
    """True if a page that was fetched then can be of that day."""
    newest = datetime.fromtimestamp(fetched, UTC).date().isoformat()
    return int(day[:4]) >= _FIRST_YEAR and day <= newest[: len(day)]


# From a page's bytes, or a search result's own text, to passages that can be quoted.


# The most of one page; the rest is left out, since splitting and ranking it would take seconds.
LONGEST_TEXT = 200_000
SNIPPET = "snippet"
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "text/plain": ".txt",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads pages with the reader of files, and cuts them as files are cut."""

    reader: PageReader
    splitter: Splitter

    def passages(self, page: Page, title: str, origin: Origin) -> tuple[Passage, ...]:
        """The page's passages, each with where it comes from. It blocks. Raises DocumentError.

        Where the origin has no date, that of the page's own properties stands (a PDF's).
        """
        loaded = self.reader.load(page.data, name_of(page))
        document = document_of(page, loaded, title)
        dated = replace(origin, date=origin.date or date_in(document.metadata))
        return tuple(replace(passage, origin=dated) for passage in self.splitter.split(document))


def document_of(page: Page, loaded: Loaded, title: str) -> Document:
    """The document that a page's text becomes; of a very long one, its beginning."""
    kept = tuple(
        replace(region, end=min(region.end, LONGEST_TEXT))
        for region in loaded.regions
        if region.start < LONGEST_TEXT
    )
    longer = (f"only the first {LONGEST_TEXT} characters were read",) if len(loaded.text) > LONGEST_TEXT else ()
    return Document(
        document_id=id_of(page.link),
        text=loaded.text[:LONGEST_TEXT],
        title=" ".join((loaded.title or title or page.link).split())[:200],
        source=page.link,
        format=loaded.format,
        bytes_sha256=page.sha256,
        regions=kept,
        metadata=loaded.metadata,
        warnings=loaded.warnings + longer,
    )


def snippet(result: SearchResult, origin: Origin) -> Passage | None:
    """The search result's own text as a passage, marked as such; None where it has none.

    >>> snippet(SearchResult("Tea", "", "Tea is hot."), Origin("mcp")).location
    Location(page=None, slide=None, sheet=None, row=None, section='snippet')
    """
    text = unicodedata.normalize("NFC", result.snippet.encode(errors="replace").decode())
    if not text.strip():
        return None
    document_id = id_of(f"{SNIPPET} {result.link} {result.title}")
    revision = hashlib.sha256(text.encode()).hexdigest()
    return Passage(
        Passage.id_for(document_id, revision, 0, len(text)),
        document_id,
        revision,
        0,
        len(text),
        text,
        result.title or result.link,
        Location(section=SNIPPET),
        origin=origin,
    )


def id_of(link: str) -> str:
    """The id of the document at a link: 32 hex digits."""
    return hashlib.sha256(f"outside\0{link}".encode()).hexdigest()[:32]


def name_of(page: Page) -> str:
    """A file's name for a page, whose ending tells kinds of text apart.

    >>> name_of(Page("https://t.example/a/b?x=1", "", b"", "text/html", 0.0, ""))
    'b.html'
    """
    last = re.sub(r"[^\w.-]+", "_", unquote(urlsplit(page.link).path).rpartition("/")[2])[-80:].lstrip(".")
    ending = _ENDINGS.get(page.content_type, "")
    return (last or "page") + ("" if last.lower().endswith(ending) else ending)
