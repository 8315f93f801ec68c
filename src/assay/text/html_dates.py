"""The dates that a page gives for itself in HTML: its JSON-LD, its meta tags, one single <time>.

A date that says when the page was first published goes before one that says when it was changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from assay.text.written import date_of

# How much of a page is looked through; its head, and what stands before a long text.
HEAD = 256 * 1024
_OBJECTS = 2000
_SCRIPTS = 20
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


def dates_of_html(text: str) -> Iterator[str]:
    """The dates that the head of a page gives for itself, the surest first.

    >>> list(dates_of_html("<meta name=date content='2021-05-03'><p>In 1932 it opened."))
    ['2021-05-03']
    """
    return (each for each in _dates_of_head(text[:HEAD]) if each is not None)


def _dates_of_head(text: str) -> Iterator[str | None]:
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
