"""Numbers of a spreadsheet as its formats show them: dates, times, percentages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum


class Format(Enum):
    """What a number stands for."""

    PLAIN = "plain"
    PERCENT = "percent"
    DATE = "date"
    TIME = "time"
    DATE_TIME = "date and time"


# The built-in formats of ECMA-376 part 1, section 18.8.30, with those of East Asian locales.
_DATES = frozenset((14, 15, 16, 17, *range(27, 32), 34, 35, 36, *range(50, 59)))
_TIMES = frozenset((18, 19, 20, 21, 32, 33, 45, 46, 47))
_QUOTED = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_.|\*.', re.IGNORECASE)


def format_of(number: str, codes: Mapping[str | None, str]) -> Format:
    """The kind of a format, by its number and, for those from 164 on, by its code.

    >>> format_of("14", {}), format_of("170", {"170": "d mmm yyyy h:mm"}), format_of("9", {})
    (<Format.DATE: 'date'>, <Format.DATE_TIME: 'date and time'>, <Format.PERCENT: 'percent'>)
    """
    code = _QUOTED.sub("", codes.get(number, "").split(";")[0]).lower()
    if number in codes:
        if "%" in code:
            return Format.PERCENT
        day, time = bool(re.search(r"[dy]", code)), bool(re.search(r"[hs]", code))
        month = "m" in code and not time and "general" not in code
        if (day or month) and time:
            return Format.DATE_TIME
        return Format.DATE if day or month else Format.TIME if time else Format.PLAIN
    identifier = int(number) if number.isdigit() else 0
    if identifier in (9, 10):
        return Format.PERCENT
    if identifier == 22:
        return Format.DATE_TIME
    return Format.DATE if identifier in _DATES else Format.TIME if identifier in _TIMES else Format.PLAIN


def shown(value: str, kind: Format, *, from_1904: bool = False) -> str:
    """A stored number as people read it; the value itself where it is none.

    >>> shown("45337", Format.DATE), shown("0.155", Format.PERCENT), shown("3.0", Format.PLAIN)
    ('2024-02-15', '15.5%', '3')
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if kind is Format.PERCENT:
        return f"{_plain(number * 100)}%"
    if kind is Format.PLAIN or not 0 <= number < 2_958_466:  # the last day of the year 9999
        return _plain(number) if "." in value or "e" in value.lower() else value
    # Excel believes that 1900 was a leap year, which is why its days count from 1899-12-30 (from March 1900 on).
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
    moment = start + timedelta(seconds=round(number * 86_400))
    if kind is Format.TIME:
        return moment.strftime("%H:%M:%S")
    if kind is Format.DATE and moment.time() == moment.min.time():
        return moment.strftime("%Y-%m-%d")
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _plain(number: float) -> str:
    """The number without the noise of binary fractions."""
    return f"{number:.15g}" if abs(number) < 1e15 else repr(number)
