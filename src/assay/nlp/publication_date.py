"""The date of a text, as far as it or what is known of it says so; where it is not sure, there is none.

Dates are ISO 8601: a day, a month or a year.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any

from assay.nlp.dates import dates

# Names of metadata that tell when something was written, the most reliable first; marks and case are left aside.
STATED = "date published publicationdate publishedat publisheddate publishedon datepublished pubdate issued".split()
_CHANGED = "modified modifiedat lastmodified datemodified updated updatedat lastupdated".split()
_MADE = "created createdat datecreated creationdate year".split()
NAMES = (*STATED, *_CHANGED, *_MADE)

_ISO = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?![\d]))?)?(?=$|[T\s])")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?=$|T)")
_MARKS = re.compile(r"[\W_]+")
# Only the head of a text is read; a date further down is one that it tells of.
_HEAD_LINES, _HEAD = 25, 3000
_LONGEST_LINE = 120
_LABEL = re.compile(
    r"[\W_]{0,6}(?:date|dated|created|published|posted|issued|updated|revised|modified|last[ -]?mod|written"
    r"|(?:last|date|publication|release|document)[ -](?:updated|revised|modified|changed|reviewed|published|date"
    r"|of publication|of issue))\b[\s*_]{0,4}(?:(?:date|on|at)\b)?[\s*_:]{0,6}",
    re.IGNORECASE,
)
# The rest of a line behind a date: a time, a mark, nothing.
_REST = re.compile(
    r"[\s.,;*_\"')\]]{0,6}(?:[T ,at]{0,4}\d{1,2}:\d{2}\S{0,12}(?:\s[A-Z]{2,4})?)?[\s.*_\"')\]]{0,4}\Z"
)
_DAY_IN_NAME = re.compile(r"(?<!\d)(19[5-9]\d|20\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_MONTH_IN_NAME = re.compile(r"(?<!\d)(19[5-9]\d|20\d\d)[-_.](0[1-9]|1[0-2])(?![\d])")


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
        return _iso(*(int(part) for part in match.groups() if part is not None))
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, OverflowError):
        return None


def date_in(metadata: Mapping[str, object], names: tuple[str, ...] | list[str] = NAMES) -> str | None:
    """The date that metadata gives under the first of the names that holds one.

    >>> date_in({"created": "2019-01-02", "Date": "3 May 2021"}), date_in({"year": 2020}), date_in({"date": "soon"})
    ('2021-05-03', '2020', None)
    """
    given = {_MARKS.sub("", key).lower(): value for key, value in metadata.items()}
    return next((day for name in names if (day := _read(given.get(name)))), None)


def date_stated(text: str) -> str | None:
    """The date that the head of a text gives as its own: on a line for it, or alone on a line.

    >>> date_stated("Minutes\\n\\nLast updated: 3 May 2021, 10:15\\n")
    '2021-05-03'
    >>> date_stated("The bridge was opened in 1932.") is None
    True
    """
    lines = [line.strip() for line in text[:_HEAD].split("\n")[:_HEAD_LINES]]
    short = [line for line in lines if 4 <= len(line) <= _LONGEST_LINE]
    return next(_labelled(short), None) or next(_alone(short), None)


def date_in_name(name: str) -> str | None:
    """The day or month that a file's name holds.

    >>> date_in_name("minutes_2021-05-03.docx"), date_in_name("IMG20210503.txt"), date_in_name("report 2021.pdf")
    ('2021-05-03', '2021-05-03', None)
    """
    if match := _DAY_IN_NAME.search(name):
        return _iso(int(match[1]), int(match[3]), int(match[4]))
    match = _MONTH_IN_NAME.search(name)
    return None if match is None else _iso(int(match[1]), int(match[2]))


def _labelled(lines: list[str]) -> Iterator[str]:
    for line in lines:
        label = _LABEL.match(line)
        if label is not None and (day := _whole(line[label.end() :])):
            yield day


def _alone(lines: list[str]) -> Iterator[str]:
    """Lines that are nothing but a full date, perhaps behind a place: "Alton, 3 May 2021"."""
    for line in lines:
        day = _whole(re.sub(r"^[^\W\d][\w .-]{1,30}, ", "", line)) or _whole(line)
        if day is not None and len(day) > 7:
            yield day


def _read(value: object) -> str | None:
    """A value of metadata as a date; a number is one where it is a year."""
    if isinstance(value, str):
        return date_of(value) or _whole(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if whole and 1000 <= int(str(value)) <= 2100 else None


def _whole(text: str) -> str | None:
    """The one date that a text is, however people write it; None where it says more."""
    text = text.strip()[:_LONGEST_LINE].lstrip("\"'*_( ")
    found = dates(text)
    if not found or found[0].start > 0 or found[0].year is None or not _REST.match(text, found[0].end):
        return None
    first = found[0]
    if first.until not in (None, first.year):
        return None
    return _iso(*(part for part in (first.year, first.month, first.day) if part is not None))


def _iso(year: int, *rest: int) -> str | None:
    """A date as ISO 8601; None where there is no such day."""
    try:
        date(year, *[*rest, 1, 1][:2])
    except ValueError:
        return None
    return "-".join([f"{year:04}", *(f"{part:02}" for part in rest)])


# The dates that a page gives for itself in HTML: its JSON-LD, its meta tags, one single <time>.


# The most of a page that is looked through: its head, and the part before a long text.
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
_META_CHANGED = frozenset(
    "article:modified_time datemodified dcterms.modified dc.date.modified last-modified og:updated_time".split()
)


def dates_of_html(text: str) -> Iterator[str]:
    """The dates that the head of a page gives for itself, the most reliable first.

    >>> list(dates_of_html("<meta name=date content='2021-05-03'><p>In 1932 it opened."))
    ['2021-05-03']
    """
    return (date for date in _dates_of_head(text[:HEAD]) if date is not None)


def _dates_of_head(text: str) -> Iterator[str | None]:
    published, changed = _linked_data(text)
    for name, content in _metas(text):
        if name in _PUBLISHED:
            published.append(date_of(content))
        elif name in _META_CHANGED:
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
    for entry in _objects(text):
        published.append(_as_date(entry.get("datePublished")))
        changed.append(_as_date(entry.get("dateModified")))
    return published, changed


def _as_date(value: Any) -> str | None:
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
