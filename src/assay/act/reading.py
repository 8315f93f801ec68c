"""From a page's bytes, or a search result's own text, to passages that can be quoted."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from assay.act.sources import Page, PageReader, SearchResult
from assay.stages import Splitter
from assay.text.written import date_in
from assay.types import Document, Loaded, Location, Origin, Passage

# Of one page; the rest is left out, since splitting and ranking it would take seconds.
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
        return tuple(replace(each, origin=dated) for each in self.splitter.split(document))


def document_of(page: Page, loaded: Loaded, title: str) -> Document:
    """The document that a page's text becomes; of a very long one, its beginning."""
    kept = tuple(
        replace(each, end=min(each.end, LONGEST_TEXT)) for each in loaded.regions if each.start < LONGEST_TEXT
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
