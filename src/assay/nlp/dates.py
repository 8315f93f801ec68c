"""Dates, whole or partial, and when one bears another out."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.nlp.lexicon import entries
from assay.nlp.numbers import ORDINALS
from assay.nlp.quantities import Quantity
from assay.nlp.units import DAY

_FLAT = str.maketrans("０１２３４５６７８９－−–—／", "0123456789----/")
_MONTH_NAMES = entries("time.months")
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES, 1)}
_MONTHS |= {name[:3]: n for n, name in enumerate(_MONTH_NAMES, 1)} | {"sept": 9}
# "may" and "march" are words too: in lower case they need a day or a year beside them.
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d\d)"
_WHICH = r"(?:(?P<century>1\d|2[01]|[5-9])(?:th|st)|(?P<ordinal>[a-z]+(?:th|-first)))"
_CENTURIES_BEHIND = r"(?:\s?-\s?|\s)centur(?:y|ies)\b"
# "The 18th and 19th centuries": what stands behind the former.
_ANOTHER_CENTURY = rf"(?:the\s)?(?:\d\d?|[a-z]+)(?:th|st|-first){_CENTURIES_BEHIND}"
# Forms of a date, each with a cheap test of the text: most texts hold neither a month nor a century.
_NAMED = re.compile(rf"(?<![a-z])(?:{'|'.join(_MONTHS)})(?![a-z])", re.IGNORECASE)
_DIGITS, _CJK, _CENTURY = re.compile(r"\d"), re.compile("[年月]"), re.compile("centur(?:y|ies)", re.IGNORECASE)
_FORMS = tuple(
    (required, re.compile(form, re.IGNORECASE))
    for required, form in (
        (_DIGITS, rf"(?<![\d-]){_YEAR}-(?P<month>\d\d?)-(?P<day>\d\d?)(?![\d-])"),
        (_DIGITS, rf"(?<!\d){_YEAR}/(?P<month>\d\d?)/(?P<day>\d\d?)(?!\d)"),
        (_DIGITS, rf"(?<![\d.]){_YEAR}\.(?P<month>\d\d?)\.(?P<day>\d\d?)(?!\d|\.\d)"),
        (_DIGITS, rf"(?<![\d.])(?P<day>\d\d?)\.\s?(?P<month>\d\d?)\.\s?{_YEAR}(?!\d|\.\d)"),
        (_CJK, r"(?<!\d)(?P<year>\d{4})\s?年(?:\s?(?P<month>\d{1,2})\s?月(?:\s?(?P<day>\d{1,2})\s?[日号號])?)?"),
        (_CJK, r"(?<!\d)(?P<month>\d{1,2})\s?月\s?(?P<day>\d{1,2})\s?[日号號]"),
        (_NAMED, rf"\b{_DAY}\s(?:of\s)?{_MONTH}\s?,?\s{_YEAR}\b"),
        (_NAMED, rf"\b{_MONTH}\s{_DAY}\s?,?\s{_YEAR}\b"),
        (_NAMED, rf"\b{_MONTH}\s?,?\s(?:of\s)?{_YEAR}\b"),
        (_NAMED, rf"\b{_DAY}\s(?:of\s)?{_MONTH}(?=\W|$)"),
        (_NAMED, rf"\b{_MONTH}\s{_DAY}\b(?![\d%:.,]\d)"),
        (_DIGITS, r"(?<![\w.,$€£-])(?P<year>1\d{3}|20\d\d)\s?-\s?(?P<until>1\d{3}|20\d\d|\d\d)(?![\w,.-]\d|\w|-)"),
        (_DIGITS, r"\b(?:(?P<part>early|mid|late)[ -])?(?P<decade>1[5-9]\d0|20[0-9]0)['’]?s\b"),
        (_CENTURY, rf"\b{_WHICH}{_CENTURIES_BEHIND}"),
        (_CENTURY, rf"\b{_WHICH}(?=\s?-?\s(?:and|or|to)\s{_ANOTHER_CENTURY})"),
        (_DIGITS, r"(?<![\w.,$€£/:-])(?P<year>1[5-9]\d\d|20\d\d)(?![\w,.:/]\d|\w|\s?[%°]|-\d)"),
        (_NAMED, r"\b(?P<month>January|February|April|June|July|August|September|October|November|December)\b"),
    )
)
_CENTURIES = {word: int(n) for word, n in ORDINALS.items() if n >= 5} | {"twenty-first": 21}
Relation = Literal["same", "within", "contains", "different", "unknown"]


@dataclass(frozen=True, slots=True)
class Date:
    """A date at `start` to `end` of a text. What the text leaves open is None.

    `until` is the last year of a range of years, a decade or a century; otherwise it equals `year`.
    """

    start: int
    end: int
    year: int | None
    month: int | None = None
    day: int | None = None
    until: int | None = None


def dates(text: str) -> list[Date]:
    """The dates of `text` in order, without overlap; the fullest reading of a place is taken.

    >>> [(d.year, d.month, d.day, d.until) for d in dates("On 3 May 2021 and in the 1990s; 2021年5月")]
    [(2021, 5, 3, 2021), (1990, None, None, 1999), (2021, 5, None, 2021)]
    """
    flat = text.translate(_FLAT)
    covered = bytearray(len(flat))
    found: list[Date] = []
    held = {required for required in (_DIGITS, _CJK, _NAMED, _CENTURY) if required.search(flat)}
    for form in (form for required, form in _FORMS if required in held):
        for match in form.finditer(flat):
            date = _date(match)
            if date is not None and not any(covered[date.start : date.end]):
                covered[date.start : date.end] = b"\1" * (date.end - date.start)
                found.append(date)
    return sorted(found, key=lambda date: date.start)


def relation(claim: Date, source: Date) -> Relation:
    """The relation of the claim's date to the source's: "contains" when the source's lies within the claim's.

    "unknown" where they share no part that both give.

    >>> year, day = dates("in 2021")[0], dates("3 May 2021")[0]
    >>> relation(year, day), relation(day, year), relation(day, dates("4 May 2021")[0])
    ('contains', 'within', 'different')
    """
    if claim.year is not None and source.year is not None:
        return _with_years(claim, source)
    parts = [(claim.month, source.month), (claim.day, source.day)]
    shared = [pair for pair in parts if None not in pair]
    if not shared:
        return "unknown"
    if any(in_claim != in_source for in_claim, in_source in shared):
        return "different"
    if claim.year is None and source.year is None and claim.day == source.day:
        return "same"
    return "contains" if source.year is not None or claim.day is None else "within"


def agree(claim: Date, source: Date) -> bool:
    """True if the source's date supports the claim's: it is the same, or lies within it.

    >>> agree(dates("2021")[0], dates("May 2021")[0]), agree(dates("May 2021")[0], dates("2021")[0])
    (True, False)
    """
    return relation(claim, source) in ("same", "contains")


def _with_years(claim: Date, source: Date) -> Relation:
    claimed, stored = _bounds(claim), _bounds(source)
    if claimed == stored or _same_century(claim, source):
        return "same"
    if _runs(claim) and _runs(source):
        return "different"
    if claimed[0] <= stored[0] and stored[1] <= claimed[1]:
        return "contains"
    if stored[0] <= claimed[0] and claimed[1] <= stored[1]:
        return "within"
    return "different"


def _same_century(first: Date, second: Date) -> bool:
    """True if both are one century: the 1700s are the 18th, though that runs from 1701 to 1800."""
    if first.year is None or second.year is None or abs(first.year - second.year) > 1:
        return False
    return (first.until or 0) - first.year == (second.until or 0) - second.year == 99


def _runs(date: Date) -> bool:
    """True if a date runs from one year to another, as written, and is no decade or century: "2000-2018"."""
    if date.year is None or date.until is None or date.until == date.year:
        return False
    return date.until - date.year not in (9, 99) or date.year % 10 > 1


def _bounds(date: Date) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The first and the last day, as (year, month, day); a month's last day is written 31."""
    year = date.year or 0
    first = (year, date.month or 1, date.day or 1)
    return first, (date.until or year, date.month or 12, date.day or 31)


def _date(match: re.Match[str]) -> Date | None:
    """The date of a match, None where its parts make none ("31 13 2021")."""
    parts = match.groupdict()
    if parts.get("decade"):
        first = int(parts["decade"])
        last = first + (99 if first % 100 == 0 and first < 2000 else 9)
        return Date(match.start(), match.end(), first, until=last)
    if parts.get("ordinal") and parts["ordinal"].lower() not in _CENTURIES:
        return None
    if parts.get("century") or parts.get("ordinal"):
        last = 100 * int(parts["century"] or _CENTURIES[parts["ordinal"].lower()])
        return Date(match.start(), match.end(), last - 99, until=last)
    month = _month(parts.get("month"), match.group())
    day = int(parts["day"]) if parts.get("day") else None
    year = int(parts["year"]) if parts.get("year") else None
    if (parts.get("month") and month is None) or (day is not None and not 1 <= day <= 31):
        return None
    until = _until(year, parts.get("until"))
    if parts.get("until") and until is None:
        return None
    return Date(match.start(), match.end(), year, month, day, until)


def _month(word: str | None, whole: str) -> int | None:
    if word is None:
        return None
    if word.isdigit():
        return int(word) if 1 <= int(word) <= 12 else None
    if word.islower() and word in ("may", "march", "mar") and not re.search(r"[12]\d{3}", whole):
        return None
    return _MONTHS[word.lower()]


def _until(year: int | None, word: str | None) -> int | None:
    """The last year of "1998-2003" or "2011-12"; None when it does not lie behind the first."""
    if year is None or word is None:
        return year
    last = int(word) if len(word) == 4 else year // 100 * 100 + int(word)
    return last if last > year else None


# Times between dates, and dates moved by a time.

# Year, month and day; None where unknown.
Point = tuple[int | None, int | None, int | None]


def ends(date: Date) -> Iterator[Point]:
    """The first and the last of a range of years; any other date as it is.

    >>> from assay.nlp.dates import dates
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
    return {months for months in found if months > 0}


def days_between(first: Point, last: Point) -> int:
    """The days from one date to a later one, 0 where that is unknown.

    >>> days_between((2014, 3, 11), (2014, 3, 26)), days_between((None, 12, 15), (None, 1, 10))
    (15, 26)
    """
    if None in (*first[1:], *last[1:]) or (first[0] is None) != (last[0] is None):
        return 0
    try:
        # A year without a leap day stands in for an unknown one.
        start, end = (datetime.date(y or 2001, m or 1, d or 1) for y, m, d in (first, last))
    except ValueError:  # 31 April
        return 0
    days = (end - start).days
    return days + 365 if days < 0 and first[0] is None else max(0, days)


def is_moved(wanted: Date, day: Date, time: Quantity, sign: int) -> bool:
    """True if a date is another one moved by a time; it may lack the parts that the time does not change.

    >>> from assay.nlp.dates import dates
    >>> from assay.nlp.quantities import quantities
    >>> day, [years] = dates("3 May 1932")[0], quantities("five years")
    >>> is_moved(dates("1937")[0], day, years, 1), is_moved(dates("1938")[0], day, years, 1)
    (True, False)
    """
    found = _moved(day, time, sign)
    if found is None or wanted.until != wanted.year:
        return False
    parts = (wanted.year, wanted.month, wanted.day)
    changed = 3 if time.dimension == "seconds" else 2 if time.low % 12 else 1
    return all(
        part == moved or (part is None and n >= changed)
        for n, (part, moved) in enumerate(zip(parts, found, strict=True))
    )


def _moved(day: Date, time: Quantity, sign: int) -> Point | None:
    """The date moved by a time, as exact as it was; None where that is unknown."""
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
