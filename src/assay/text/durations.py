"""How long it is from one date to another, and which date so much later or earlier is."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from assay.text.dates import Date
from assay.text.quantities import Quantity
from assay.text.units import DAY

# Year, month and day; None where it is not told.
Point = tuple[int | None, int | None, int | None]


def ends(date: Date) -> Iterator[Point]:
    """The first and the last of a range of years; any other date as it is.

    >>> from assay.text.dates import dates
    >>> [list(ends(date)) for date in dates("1932-1951, 3 May 1932")]
    [[(1932, None, None), (1951, None, None)], [(1932, 5, 3)]]
    """
    yield date.year, date.month, date.day
    if date.until != date.year:
        yield date.until, None, None


def months_between(first: Point, last: Point) -> set[int]:
    """The months from one date to a later one: exactly, and as whole years, counted from dates and from years.

    >>> sorted(months_between((2001, 6, 30), (2005, 3, 1)))
    [36, 45, 48]
    """
    if (first[0] is None) != (last[0] is None):
        return set()
    years, found = (last[0] or 0) - (first[0] or 0), set[int]()
    if first[0] is not None:
        found.add(12 * years)
    if first[1] is not None and last[1] is not None:
        months = 12 * years + last[1] - first[1]
        unfinished = first[2] is not None and last[2] is not None and last[2] < first[2]
        found |= {months, 12 * ((months - unfinished) // 12)}
    return {each for each in found if each > 0}


def days_between(first: Point, last: Point) -> int:
    """The days from one date to a later one, 0 where that is unknown.

    >>> days_between((2014, 3, 11), (2014, 3, 26)), days_between((None, 12, 15), (None, 1, 10))
    (15, 26)
    """
    if None in (*first[1:], *last[1:]) or (first[0] is None) != (last[0] is None):
        return 0
    try:
        # A year without a leap day stands in for one that is not told.
        start, end = (datetime.date(y or 2001, m or 1, d or 1) for y, m, d in (first, last))
    except ValueError:  # 31 April
        return 0
    days = (end - start).days
    return days + 365 if days < 0 and first[0] is None else max(0, days)


def is_moved(wanted: Date, day: Date, time: Quantity, sign: int) -> bool:
    """Whether a date is so much later or earlier than another; it may leave open what the time does not change.

    >>> from assay.text.dates import dates
    >>> from assay.text.quantities import quantities
    >>> day, [years] = dates("3 May 1932")[0], quantities("five years")
    >>> is_moved(dates("1937")[0], day, years, 1), is_moved(dates("1938")[0], day, years, 1)
    (True, False)
    """
    found = _moved(day, time, sign)
    if found is None or wanted.until != wanted.year:
        return False
    told = (wanted.year, wanted.month, wanted.day)
    changed = 3 if time.dimension == "seconds" else 2 if time.low % 12 else 1
    return all(
        mine == theirs or (mine is None and n >= changed)
        for n, (mine, theirs) in enumerate(zip(told, found, strict=True))
    )


def _moved(day: Date, time: Quantity, sign: int) -> Point | None:
    """The date so much time later or earlier, as exact as it was; None where it is not known so exactly."""
    if day.year is None or day.until != day.year or time.low != time.high:
        return None
    if time.dimension == "months" and time.low.is_integer():
        months = sign * int(time.low)
        if day.month is None:
            return (day.year + months // 12, None, None) if months % 12 == 0 else None
        year, month = divmod(12 * day.year + day.month - 1 + months, 12)
        return year, month + 1, day.day
    if time.dimension == "seconds" and time.low % DAY == 0 and day.month and day.day:
        try:
            found = datetime.date(day.year, day.month, day.day) + datetime.timedelta(days=sign * time.low / DAY)
        except (ValueError, OverflowError):  # 31 April, or after the year 9999
            return None
        return found.year, found.month, found.day
    return None
