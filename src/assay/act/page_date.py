"""When a page was written, as far as it says so itself; where it is not sure, there is no date.

A page's own words come first: its JSON-LD, its meta tags, one single <time>. The server's Last-Modified is
taken only where it is no date of today, which generated pages carry whatever their age. A date that says when
the page was first published goes before one that says when it was changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from assay.text.html_dates import HEAD, dates_of_html
from assay.text.written import date_of

# The web is not older.
_FIRST_YEAR = 1989
_DAY = 86400.0


def page_date(data: bytes, content_type: str, last_modified: str | None, fetched: float) -> str | None:
    """When a page was written, None where it is not sure; `fetched` is when it was read, in Unix seconds."""
    found: Iterator[str] = iter(())
    if "html" in content_type:
        found = dates_of_html(data[:HEAD].decode("utf-8", errors="replace"))
    dates = (each for each in found if _plausible(each, fetched))
    return next(dates, None) or _modified(last_modified, fetched)


def _modified(last_modified: str | None, fetched: float) -> str | None:
    """The server's date, where it is at least a day old."""
    day = date_of(last_modified or "")
    return day if day is not None and _plausible(day, fetched - _DAY) else None


def _plausible(day: str, fetched: float) -> bool:
    """Whether a page that was fetched then can be of that day."""
    newest = datetime.fromtimestamp(fetched, UTC).date().isoformat()
    return int(day[:4]) >= _FIRST_YEAR and day <= newest[: len(day)]
