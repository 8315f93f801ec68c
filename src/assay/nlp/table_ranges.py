"""The row, or the column, of a table whose range holds a number: "4 years" is in "3–5" under "Years of service"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from assay.nlp.bounds import bound_of
from assay.nlp.quantities import Quantity, quantities
from assay.nlp.tokens import STOP_WORDS

# A range open at one side, by what stands before its number or behind it.
_FROM = re.compile(r"\s*(?:from|since)\b|\s*(?:>=?|≥)", re.IGNORECASE)
_TO = re.compile(r"\s*(?:<=?|≤)|\s*(?:until|to)\b", re.IGNORECASE)
_UPWARDS = re.compile(
    r"\s*\+|\s+(?:[a-z]+\s+)?(?:and|or)\s+(?:more|over|above|older|up|longer|later)\b", re.IGNORECASE
)
_DOWNWARDS = re.compile(
    r"\s+(?:[a-z]+\s+)?(?:and|or)\s+(?:less|fewer|under|below|younger|shorter|earlier)\b", re.IGNORECASE
)
# Signs and words that leave the number itself out.
_WITHOUT = re.compile(
    r"(?:[<>](?!=)|\b(?:more|less|fewer|longer|greater|higher) than|\b(?:over|above|under|below))", re.IGNORECASE
)
_AT_MOST = re.compile(r"\b(?:no|not|never)\s", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][^\W_]*|°[CF]?|[%€$£]")
# Chosen: a cell of more words is prose.
_MOST_WORDS = 8
_NO_MEASURES = frozenset(("ordinal", "times"))
_DEGREES = ("celsius", "fahrenheit")
# Minutes of a day; seconds of a month, a twelfth of the Gregorian calendar's mean year of 365.2425 days.
_DAY, _MONTH = 1440, 2_629_746


@dataclass(frozen=True, slots=True)
class _Range:
    """The numbers from `low` to `high`, in the base unit of the dimension; a bare number is of `unit` base units.

    The numbers at `open` sides are left out.
    """

    low: float
    high: float
    dimension: str
    unit: float = 1.0
    is_low_open: bool = False
    is_high_open: bool = False

    def holds(self, number: Quantity) -> bool:
        """Tell whether a number lies in it, in its own unit or as a bare one."""
        value = self._value(number)
        values = (value, value + _DAY) if self.dimension == "clock" else (value,)
        return any(self._holds(one) for one in values)

    def measures(self, number: Quantity) -> bool:
        """Tell whether a number has a unit of the same dimension."""
        return bool(self.dimension) and self._in_dimension(number) is not None

    def _holds(self, value: float) -> bool:
        above = value > self.low or (value == self.low and not self.is_low_open)
        below = value < self.high or (value == self.high and not self.is_high_open)
        return above and below

    def _value(self, number: Quantity) -> float:
        """The number in base units; not a number where both measure something, and not the same."""
        if (value := self._in_dimension(number)) is not None:
            return value
        if (
            self.dimension
            and number.dimension
            and not (number.dimension == "degree" and self.dimension in _DEGREES)
        ):
            return math.nan
        return math.nan if self.dimension == "clock" else number.written * self.unit

    def _in_dimension(self, number: Quantity) -> float | None:
        if number.dimension == self.dimension:
            return number.low
        if (self.dimension, number.dimension) == ("months", "seconds"):
            return number.low / _MONTH
        if (self.dimension, number.dimension) == ("seconds", "months"):
            return number.low * _MONTH
        return None


@dataclass(frozen=True, slots=True)
class AskedRange:
    """The range of a table that holds a number of a question, in a cell, or in a column's name where `row` is None.

    `said` is the number as the question has it, with its unit.
    """

    said: str
    column: int
    row: int | None


def asked_range(question: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> AskedRange | None:
    """The one range that holds a number of the question, in a table with the columns `names`.

    Ranges are the cells of a column, or the names of columns, of which no two overlap. None where the number lies
    in none of them, or may be meant in several columns.

    >>> rows = [["0–2", "25 days"], ["3–5", "28 days"], ["from 6", "30 days"]]
    >>> asked_range("How much leave after four years?", ["Years of service", "Leave"], rows)
    AskedRange(said='four years', column=0, row=1)
    >>> asked_range("How much leave after 18 months?", ["Years of service", "Leave"], rows).row
    0

    With it, of 85 such questions the cell is shown for 67 in place of 10: `benchmarks/cells/pairs.py --set ranges`.
    """
    asked = [one for one in quantities(question) if one.low == one.high and _is_amount(one)]
    if not asked:
        return None
    columns = [[row[at] for row in rows] for at in range(len(names))]
    held: list[tuple[Quantity, int, int | None]] = [
        (number, column, row)
        for column, cells in enumerate(columns)
        if _is_of_ranges(cells, _unit(names[column]))
        for number, row in _holding(asked, cells, _unit(names[column]))
    ]
    held += [(number, column, None) for number, column in _holding(asked, names, _unit(names[0]))]
    measured = [one for one in held if one[0].dimension]
    chosen = measured or held
    if len(chosen) != 1:
        return None
    ((number, column, row),) = chosen
    return AskedRange(question[number.start : number.end], column, row)


def _is_amount(number: Quantity) -> bool:
    """Tell whether a range may hold a number; the word "one" counts only with a unit."""
    if number.dimension in _NO_MEASURES:
        return False
    return bool(number.dimension) or not (number.spelled and number.low <= 1)


def _holding(asked: Sequence[Quantity], cells: Sequence[str], unit: str) -> list[tuple[Quantity, int]]:
    """Each number with the one of the cells whose range holds it; none where they are no ranges.

    Where a number has a unit of the ranges' dimension, those without one count something else.
    """
    ranges = [(at, found) for at, cell in enumerate(cells) if (found := _range(cell, unit)) is not None]
    if not _are_apart([found for _, found in ranges]):
        return []
    measured = [number for number in asked if any(found.measures(number) for _, found in ranges)]
    pairs = []
    for number in measured or asked:
        holding = [at for at, found in ranges if found.holds(number)]
        if len(holding) == 1:
            pairs.append((number, holding[0]))
    return pairs


def _is_of_ranges(cells: Sequence[str], unit: str) -> bool:
    """Tell whether most cells of a column are ranges, and not all of these points: prices are points, too."""
    ranges = [found for cell in cells if (found := _range(cell, unit)) is not None]
    filled = sum(bool(cell.strip()) for cell in cells)
    return 3 * len(ranges) >= 2 * filled and any(one.low < one.high for one in ranges)


def _are_apart(ranges: Sequence[_Range]) -> bool:
    """Tell whether there are two or more, one of them with a unit or more than a point, and no two overlap."""
    ordered = sorted(ranges, key=lambda one: (one.low, one.high))
    if len(ordered) < 2 or all(one.low == one.high and not one.dimension for one in ordered):
        return False
    return all(first.high <= second.low for first, second in pairwise(ordered))


def _unit(name: str) -> str:
    """The last unit in a column's name: "kg" of "Weight in kg", "" without one."""
    words = [word for word in _WORD.findall(name) if word.casefold() not in STOP_WORDS]
    return next((word for word in reversed(words) if _dimension(f"1 {word}")), "")


def _dimension(text: str) -> str:
    found = quantities(text)
    return found[0].dimension if len(found) == 1 else ""


# A question reads the same tables for the judgement, the answer and its checks.
@lru_cache(maxsize=1 << 12)
def _range(cell: str, unit: str) -> _Range | None:
    """The range that a cell names, a point where it is one number; None where it names neither."""
    if len(_WORD.findall(cell)) > _MOST_WORDS:
        return None
    opened, closed = _FROM.match(cell), _TO.match(cell)
    text = cell[max((match.end() for match in (opened, closed) if match is not None), default=0) :]
    found = quantities(text)
    if unit and found and not any(one.dimension for one in found):
        with_unit = f"{text[: found[-1].end]} {unit}{text[found[-1].end :]}"
        measured = quantities(with_unit)
        found = measured if any(one.dimension for one in measured) else found
    if not 1 <= len(found) <= 2 or any(one.dimension in _NO_MEASURES for one in found):
        return None
    number = found[-1]
    scale = number.high / number.written if number.written and number.dimension != "clock" else 1.0
    made = _Range(number.low, number.high, number.dimension, scale)
    if len(found) == 2:
        start = len(cell) - len(text) + found[0].start
        is_open = _is_without(cell[:start]), _is_without(text[found[0].end : number.start])
        return _between(found[0], replace(made, is_low_open=is_open[0], is_high_open=is_open[1]))
    if number.low != number.high:
        return made
    bound, behind = bound_of(text, number), text[number.end :]
    if bound == "from" or opened is not None or _UPWARDS.match(behind):
        return replace(made, high=math.inf, is_low_open=_is_without(cell))
    if bound == "to" or closed is not None or _DOWNWARDS.match(behind):
        return replace(made, low=-math.inf, is_high_open=_is_without(cell))
    return made


def _is_without(bound: str) -> bool:
    """Tell whether what bounds a range leaves its number out: "over 10", not "at least 10"."""
    return _WITHOUT.search(bound) is not None and _AT_MOST.search(bound) is None


def _between(first: Quantity, last: _Range) -> _Range | None:
    """The range from one number to another: "over 20 min to 1 h", "5 to below 8 kg", "22:00 to 7:00"."""
    if first.dimension not in ("", last.dimension) or first.low != first.high or last.low != last.high:
        return None
    low = first.low if first.dimension else first.low * last.unit
    high = last.high + _DAY if last.dimension == "clock" and last.high < low else last.high
    return replace(last, low=low, high=high) if low < high else None
