"""A source's date written as the answer writes its own."""

from __future__ import annotations

from assay.text.dates import Date, dates

_MONTHS = "January February March April May June July August September October November December".split()
# How a date may be written, from its parts: the first form that makes the answer's own date is the answer's.
_FORMS = (
    "{year}-{month:02d}-{day:02d}",
    "{year}/{month:02d}/{day:02d}",
    "{day} {name} {year}",
    "{day:02d} {name} {year}",
    "{day} of {name} {year}",
    "{nth} {name} {year}",
    "{nth} of {name} {year}",
    "{name} {day}, {year}",
    "{name} {nth}, {year}",
    "{name} {day} {year}",
    "{day} {short} {year}",
    "{short} {day}, {year}",
    "{short}. {day}, {year}",
    "{day} {name}",
    "{nth} {name}",
    "{name} {day}",
    "{name} {nth}",
    "{name} {year}",
    "{name}, {year}",
    "{short} {year}",
    "{name}",
    "{year}",
)


def as_written(said: str, expected: str) -> str | None:
    """The source's date in the form of the answer's; None where it lacks a part of that form, or either is no date.

    >>> as_written("3 May 1931", "1932-05-04"), as_written("1931", "4 May 1932"), as_written("3 May 1931", "1932")
    ('4 May 1932', '1932', None)
    """
    mine, theirs = _only(said), _only(expected)
    if mine is None or theirs is None:
        return None
    form = next((form for form in _FORMS if _written(form, mine) == said), None)
    return None if form is None else _written(form, theirs)


def _only(text: str) -> Date | None:
    """The date that the text is, None where it is not one and nothing else; a span of years has no form."""
    found = dates(text)
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
    return found[0] if whole and found[0].until == found[0].year else None


def _written(form: str, date: Date) -> str | None:
    """The date in a form; None where the form shows a part that the date leaves open."""
    shows = {
        "year": "{year}" in form,
        "month": "{name}" in form or "{short}" in form or "{month" in form,
        "day": "{day" in form or "{nth}" in form,
    }
    if any(shown and getattr(date, part) is None for part, shown in shows.items()):
        return None
    name = _MONTHS[date.month - 1] if date.month else ""
    day = date.day or 0
    return form.format(year=date.year, month=date.month or 0, day=day, name=name, short=name[:3], nth=_nth(day))


def _nth(day: int) -> str:
    """A day as an ordinal.

    >>> [_nth(n) for n in (1, 2, 3, 11, 12, 13, 22)]
    ['1st', '2nd', '3rd', '11th', '12th', '13th', '22nd']
    """
    ending = "th" if 11 <= day % 100 <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
