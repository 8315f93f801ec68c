"""When a page was written, as far as it says so itself; where it is not sure, there is no date.

A page's own words come first: its JSON-LD, its meta tags, one single <time>. The server's Last-Modified is
taken only where it is no date of today, which generated pages carry whatever their age. A date that says when
the page was first published goes before one that says when it was changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any

# How much of a page is looked through; its head, and what stands before a long text.
_HEAD = 256 * 1024
_OBJECTS = 2000
_SCRIPTS = 20
_ISO = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?![\d]))?)?(?=$|[T\s])")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?=$|T)")
_META = re.compile(r"<meta\b([^<>]{1,600})>", re.IGNORECASE)
_TIME = re.compile(r"<time\b([^<>]{1,300})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w:.-]{1,40})\s{0,5}=\s{0,5}(?:\"([^\"]{0,300})\"|'([^']{0,300})'|([^\s\"'<>]{1,300}))")
_SCRIPT = re.compile(r"<script\b[^<>]{0,200}application/ld\+json[^<>]{0,200}>", re.IGNORECASE)
_PUBLISHED = frozenset(
    """article:published_time datepublished dc.date dc.date.issued dcterms.date dcterms.issued dcterms.created
    citation_publication_date citation_date citation_online_date date pubdate publishdate publish-date
    parsely-pub-date sailthru.date og:article:published_time""".split()
)
_CHANGED = frozenset(
    "article:modified_time datemodified dcterms.modified dc.date.modified last-modified og:updated_time".split()
)
# The web is not older.
_FIRST_YEAR = 1989
_DAY = 86400.0


def date_of(text: str) -> str | None:
    """The day, month or year that a text is in a machine's form, as ISO 8601; None for anything else.

    >>> date_of("2021-05-03T10:00:00Z"), date_of("2021/5"), date_of("3/5/21")
    ('2021-05-03', '2021-05', None)
    >>> date_of("Mon, 03 May 2021 10:00:00 GMT")
    '2021-05-03'
    """
    text = text.strip()[:60]
    match = _ISO.match(text) or _COMPACT.match(text)
    if match is not None:
        year, *rest = (int(part) for part in match.groups() if part is not None)
        try:
            date(year, *[*rest, 1, 1][:2])
        except ValueError:
            return None
        return "-".join([f"{year:04}", *(f"{part:02}" for part in rest)])
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, OverflowError):
        return None


def page_date(data: bytes, content_type: str, last_modified: str | None, fetched: float) -> str | None:
    """When a page was written, None where it is not sure; `fetched` is when it was read, in Unix seconds."""
    found: Iterator[str | None] = iter(())
    if "html" in content_type:
        found = _dates_of_html(data[:_HEAD].decode("utf-8", errors="replace"))
    dates = (each for each in found if each is not None and _plausible(each, fetched))
    return next(dates, None) or _modified(last_modified, fetched)


def _modified(last_modified: str | None, fetched: float) -> str | None:
    """The server's date, where it is at least a day old."""
    day = date_of(last_modified or "")
    return day if day is not None and _plausible(day, fetched - _DAY) else None


def _plausible(day: str, fetched: float) -> bool:
    """Whether a page that was fetched then can be of that day."""
    newest = datetime.fromtimestamp(fetched, UTC).date().isoformat()
    return int(day[:4]) >= _FIRST_YEAR and day <= newest[: len(day)]


def _dates_of_html(text: str) -> Iterator[str | None]:
    """The dates that a page gives for itself, the surest first."""
    published, changed = _linked_data(text)
    for name, content in _metas(text):
        if name in _PUBLISHED:
            published.append(date_of(content))
        elif name in _CHANGED:
            changed.append(date_of(content))
    yield from published
    yield from changed
    times = {date_of(_attributes(match[1]).get("datetime", "")) for match in _TIME.finditer(text)} - {None}
    # Several are those of comments or of other pages.
    if len(times) == 1:
        yield from times


def _metas(text: str) -> Iterator[tuple[str, str]]:
    for match in _META.finditer(text):
        given = _attributes(match[1])
        name = given.get("property") or given.get("name") or given.get("itemprop") or given.get("http-equiv") or ""
        yield name.lower(), given.get("content", "")


def _attributes(inner: str) -> dict[str, str]:
    return {
        match[1].lower(): unescape(match[2] or match[3] or match[4] or "") for match in _ATTRIBUTE.finditer(inner)
    }


def _linked_data(text: str) -> tuple[list[str | None], list[str | None]]:
    """The dates of publication and of change in a page's JSON-LD."""
    published: list[str | None] = []
    changed: list[str | None] = []
    for each in _objects(text):
        published.append(_said(each.get("datePublished")))
        changed.append(_said(each.get("dateModified")))
    return published, changed


def _said(value: Any) -> str | None:
    return date_of(value) if isinstance(value, str) else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects of a page's JSON-LD, outermost first, however they are nested."""
    waiting: list[Any] = []
    at = 0
    for _ in range(_SCRIPTS):
        opening = _SCRIPT.search(text, at)
        if opening is None:
            break
        at = text.find("</", opening.end())
        if at == -1:
            break
        try:
            waiting.append(json.loads(text[opening.end() : at]))
        except (ValueError, RecursionError):
            continue
    for _ in range(_OBJECTS):
        if not waiting:
            return
        value = waiting.pop(0)
        if isinstance(value, dict):
            yield value
            # A comment or a list of other pages has dates of its own.
            waiting.extend(value[name] for name in ("@graph", "mainEntity") if name in value)
        elif isinstance(value, list):
            waiting.extend(value[:_OBJECTS])
