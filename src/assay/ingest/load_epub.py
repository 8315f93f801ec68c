"""Electronic books: a zip of pages, read in the order of the spine."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.archive import Archive, resolve_member
from assay.ingest.load_html import content_blocks, flat_blocks, html_text, parse_page, title_of_page
from assay.ingest.office import local, parse
from assay.ingest.outline import Blocks
from assay.nlp.publication_date import date_of
from assay.types import Loaded, Location, Metadata

_CONTAINER = "META-INF/container.xml"
_HINT = "open it in a reader and save it again"


class EpubLoader:
    """Reads a book's pages with their headings."""

    def load(self, data: bytes, name: str) -> Loaded:
        """Read the book's text; raises EmptyDocument, UnreadableDocument."""
        archive = Archive(data, name)
        package = _package(archive, name)
        root = parse(archive.read(package), name)
        blocks = Blocks()
        missing = 0
        contents = _contents(archive, root, package)
        for member in _spine(root, package):
            if member in archive.names:
                _add_page(blocks, archive.read(member), contents.get(member, ""))
            else:
                missing += 1
        if not blocks.text:
            raise EmptyDocument(f"{name}: no text on its pages", hint="a book of pictures? run OCR over them first")
        pages = "1 page named in the book is" if missing == 1 else f"{missing} pages named in the book are"
        warnings = (f"{pages} missing",) if missing else ()
        return Loaded(blocks.text, "epub", _title(root), blocks.regions, _date(root), warnings)


def _package(archive: Archive, name: str) -> str:
    """The member that lists the book's parts."""
    if _CONTAINER not in archive.names:
        raise UnreadableDocument(f"{name}: no EPUB, it has no {_CONTAINER}", hint=_HINT)
    for element in parse(archive.read(_CONTAINER), name).iter():
        if local(element) == "rootfile" and element.get("full-path"):
            return str(element.get("full-path"))
    raise UnreadableDocument(f"{name}: names no list of its parts", hint=_HINT)


def _spine(root: Any, package: str) -> list[str]:
    """The members of the pages in reading order."""
    members: dict[str, str] = {}
    order: list[str] = []
    for element in root.iter():
        if local(element) == "item":
            members[element.get("id") or ""] = resolve_member(package, unquote(element.get("href") or ""))
        elif local(element) == "itemref":
            order.append(element.get("idref") or "")
    return [members[member_id] for member_id in order if member_id in members]


def _title(root: Any) -> str:
    return _said(root, "title")


def _date(root: Any) -> Metadata:
    """The date of publication."""
    day = date_of(_said(root, "date"))
    return {} if day is None else {"published": day}


def _said(root: Any, name: str) -> str:
    return next(((element.text or "").strip() for element in root.iter() if local(element) == name), "")


def _contents(archive: Archive, root: Any, package: str) -> dict[str, str]:
    """The title of each page in the table of contents (toc.ncx, EPUB 2), if any."""
    titles: dict[str, str] = {}
    for item in root.iter():
        member = resolve_member(package, unquote(item.get("href") or "")) if local(item) == "item" else ""
        if item.get("media-type") != "application/x-dtbncx+xml" or member not in archive.names:
            continue
        for point in parse(archive.read(member), member).iter():
            if local(point) == "navPoint":
                page, label = _point(point)
                titles.setdefault(resolve_member(member, page), label)
    return titles


def _point(point: Any) -> tuple[str, str]:
    """The page and the label of one entry of the table of contents."""
    page = label = ""
    for child in point:
        if local(child) == "content":
            page = unquote((child.get("src") or "").partition("#")[0])
        elif local(child) == "navLabel":
            label = " ".join("".join(child.itertext()).split())
    return page, label


def _add_page(blocks: Blocks, data: bytes, label: str) -> None:
    """Add a page; without headings, its section is its entry in the table of contents, or its title."""
    text = html_text(data).text
    root = parse_page(text)
    page = flat_blocks(text) if root is None else content_blocks(root)
    title = label or ("" if root is None else title_of_page(root))
    for region in page.regions:
        location = region.location if region.location.section else Location(section=title[:120] or None)
        blocks.add(page.text[region.start : region.end], location, region.kind)
