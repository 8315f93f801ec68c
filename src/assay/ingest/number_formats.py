"""Numbers of a spreadsheet as their formats show them: dates, times, percentages, amounts of a currency.

Dates are written as in ISO 8601, and numbers with a point and without separators of thousands, whatever the format
says: these can be read only one way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum


class Kind(Enum):
    """The meaning of a number in a cell."""

    PLAIN = "plain"
    NUMBER = "number"
    DATE = "date"
    MONTH = "month"
    YEAR = "year"
    TIME = "time"
    DURATION = "duration"
    DATE_TIME = "date and time"


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """The meaning of a number; `code` says how one that is no date is shown."""

    kind: Kind = Kind.PLAIN
    code: str = ""


# The built-in formats of ECMA-376 part 1, section 18.8.30, with those of East Asian locales. Those of currencies
# are left out: they show the currency of whoever opens the file.
_DATES = frozenset((14, 15, 16, *range(27, 32), 34, 35, 36, *range(50, 59)))
_TIMES = frozenset((18, 19, 20, 21, 32, 33, 45, 47))
_BUILT_IN = {1: "0", 2: "0.00", 3: "0", 4: "0.00", 9: "0%", 10: "0.00%", 17: "mmm-yy", 22: "d h", 46: "[h]"}
# A text, a sign that stands for itself, a currency; what takes up space or colours; digits; other signs.
_PART = re.compile(
    r'"(?P<text>[^"]*)"|\\(?P<sign>.)|\[\$(?P<currency>[^\]-]{0,20})[^\]]{0,20}\]'
    r"|_.|\*.|\[[^\]]{0,255}\]|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?,*|\.[0#?]+)|(?P<other>.)",
    re.DOTALL,
)
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_CONDITION = re.compile(r"\[[<>=]")


def format_of(number: str, codes: Mapping[str | None, str]) -> NumberFormat:
    """A format, by its number and, where the file gives one, by its code.

    >>> [format_of(number, {"170": "d mmm yyyy h:mm"}).kind.value for number in ("14", "170", "9", "0")]
    ['date', 'date and time', 'number', 'plain']
    """
    identifier = int(number) if number.isdigit() else 0
    code = codes.get(number, _BUILT_IN.get(identifier, ""))
    if not code:
        is_date, is_time = identifier in _DATES, identifier in _TIMES
        return NumberFormat(Kind.DATE if is_date else Kind.TIME if is_time else Kind.PLAIN)
    first = code.split(";")[0]
    if _ELAPSED.search(first):
        return NumberFormat(Kind.DURATION)
    signs = "".join(match["other"] or "" for match in _PART.finditer(first)).lower()
    if "general" in signs or "@" in signs:
        return NumberFormat()
    day, month, year, time = "d" in signs, "m" in signs, "y" in signs, bool(re.search("[hs]", signs))
    if time:
        return NumberFormat(Kind.DATE_TIME if day or year else Kind.TIME)
    if day or month or year:
        return NumberFormat(Kind.DATE if day or not year else Kind.MONTH if month else Kind.YEAR)
    # Fractions and powers of ten are read as plain numbers.
    is_plain = "/" in signs or "e" in signs or _CONDITION.search(code) is not None
    return NumberFormat() if is_plain else NumberFormat(Kind.NUMBER, code)


def format_number(value: str, shown: NumberFormat, *, from_1904: bool = False) -> str:
    """A stored number as people read it; the value itself where it is none.

    >>> format_number("45337", NumberFormat(Kind.DATE)), format_number("0.155", NumberFormat(Kind.NUMBER, "0.0%"))
    ('2024-02-15', '15.5%')
    >>> [format_number("-1234.5", NumberFormat(Kind.NUMBER, code)) for code in ('#,##0.00\\\\ "€"', "[$EUR] 0")]
    ['-1234.50 €', '-EUR 1235']
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if shown.kind is Kind.NUMBER:
        return _number(number, shown.code)
    if shown.kind is Kind.DURATION and number >= 0:
        minutes, seconds = divmod(round(number * 86_400), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if shown.kind is Kind.PLAIN or not 0 <= number < 2_958_466:  # the last day of the year 9999
        return _plain(number) if "." in value or "e" in value.lower() else value
    # Excel believes that 1900 was a leap year, which is why its days count from 1899-12-30 (from March 1900 on).
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)
    moment = start + timedelta(seconds=round(number * 86_400))
    is_day = moment.time() == moment.min.time()
    patterns = {Kind.TIME: "%H:%M:%S", Kind.MONTH: "%Y-%m", Kind.YEAR: "%Y"}
    if shown.kind is Kind.DATE and is_day:
        return moment.strftime("%Y-%m-%d")
    return moment.strftime(patterns.get(shown.kind, "%Y-%m-%d %H:%M:%S"))


def _plain(number: float) -> str:
    """The number without the noise of binary fractions."""
    return f"{number:.15g}" if abs(number) < 1e15 else repr(number)


def _number(number: float, code: str) -> str:
    """A number as its code shows it: the section of its sign, with as many decimals as that has."""
    sections = code.split(";")[:3]
    section = sections[0]
    if number < 0 and len(sections) > 1:
        section = sections[1]
    elif number == 0 and len(sections) > 2:
        section = sections[2]
    parts = list(_parts(section))
    digits = [part for part, is_digits in parts if is_digits]
    if not digits:
        # A text in place of numbers of this sign; a dash says that there is nothing.
        return "".join(part for part, _ in parts).strip() or _plain(number)
    if len(digits) > 1 or abs(number) >= 1e15:
        return _plain(number)  # digits in groups, as in numbers of telephones
    percent = sum(part.count("%") for part, is_digits in parts if not is_digits)
    shown = _digits(abs(number) * 100**percent, digits[0])
    written = "".join(shown if is_digits else part for part, is_digits in parts)
    # In brackets, as bookkeepers write them, numbers are negative.
    written = " ".join(written.replace("(", "").replace(")", "").replace("-", "").split())
    return f"-{written}" if number < 0 and any(map(str.isdigit, shown.replace("0", ""))) else written


def _parts(section: str) -> Iterator[tuple[str, bool]]:
    """The pieces that a section of a code writes, in order, and whether each stands for the digits."""
    for match in _PART.finditer(section):
        if match["digits"] is not None:
            yield match["digits"], True
        else:
            yield match["text"] or match["sign"] or match["currency"] or match["other"] or "", False


def _digits(number: float, pattern: str) -> str:
    """A number's digits: at least as many before the point as the pattern has zeros, and as many after it.

    >>> _digits(1234.5, "#,##0.00"), _digits(7, "000"), _digits(2.5, "0.##"), _digits(1_250_000, "0.0,,")
    ('1234.50', '007', '2.5', '1.3')
    """
    whole, _, decimals = pattern.partition(".")
    scaled = len(pattern) - len(pattern.rstrip(","))
    wanted, least = len(decimals.rstrip(",")), decimals.count("0")
    # Half a unit is rounded up, as spreadsheets do; a float of 15 digits holds what they hold.
    text = f"{float(f'{number / 1000**scaled:.15g}') + 10.0 ** -(wanted + 9):.{wanted}f}"
    before, _, after = text.partition(".")
    while len(after) > least and after.endswith("0"):
        after = after[:-1]
    before = before.zfill(whole.replace(",", "").count("0"))
    return f"{before}.{after}" if after else before
