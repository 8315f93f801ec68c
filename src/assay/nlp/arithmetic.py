"""Values that follow from those of the sources: 3 and 4 make 7, from 1932 to 1951 are 19 years.

Each way of computing stays only while claims that it excuses are more often true than others that hold a value
which no source has (benchmarks/claims/arithmetic.py, docs/decisions/161-arithmetic.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from typing import Literal

from assay.nlp.analysis import analyse, overlaps
from assay.nlp.dates import Date, Point, days_between, ends, is_moved, months_between
from assay.nlp.quantities import Quantity, comparable
from assay.nlp.units import DAY, conversions

Kind = Literal[
    "sum", "difference", "product", "quotient", "part", "complement", "ratio", "conversion", "range end", "years",
    "days", "age", "date",
]  # fmt: skip
Nearness = Literal["exact", "about", "over", "under"]

# So many values of one measure are added and subtracted: with enough numbers anything can be summed.
MOST_VALUES, MOST_SUMMED = 8, 4
# More numbers than this near a claim are a table: the first of them are looked at.
MOST_NEAR = 24
# How far from "about 40" a value may lie, and beyond "more than 40", as a share of it; how far one that is rounded.
_ABOUT, _BEYOND, _ROUNDED = 0.05, 0.25, 0.05
# No sums of these: a place in an order, a time of day.
_NO_AMOUNTS = frozenset({"ordinal", "clock"})
_RATES = frozenset({"percent", "point", "times"})
_REACH = 32
_THE = r"\s+(?:the\s+)?[$€£¥₹]?\Z"
_NOT = r"(?<!\bno\s)(?<!\bnot\s)"
_OVER = rf"\b(?:{_NOT}more than|over|above|at least|upwards of|not? less than|exceed(?:s|ed|ing)?|beyond)"
_UNDER = (
    rf"\b(?:{_NOT}(?:less|fewer) than|under|below|at most|nearly|almost|close to|up to|not? more than|not quite"
    r"|short of)"
)
_NEARLY = r"(?:\b(?:about|around|roughly|approximately|approx\.?|some|circa|more or less)|[~≈])"
_NEARNESS: tuple[tuple[Nearness, str], ...] = (("over", _OVER), ("under", _UNDER), ("about", _NEARLY))
_BEFORE: dict[Nearness, re.Pattern[str]] = {
    nearness: re.compile(words + _THE, re.IGNORECASE) for nearness, words in _NEARNESS
}
_ABOUT_BEHIND = re.compile(r"\s*(?:or so|or thereabouts|roughly|approximately|give or take)\b", re.IGNORECASE)
# What in a claim says that it computes.
_CUES: dict[str, re.Pattern[str]] = {
    cue: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for cue, words in {
        "total": r"totals?|totall?ing|altogether|together|in all|combined|sum|sums|summed|overall|adds? up|added up"
        r"|adding|makes? up|making|comes? to|came to|amount(?:s|ed|ing)? to|works? out|all told|both|in full"
        r"|as a whole|jointly",
        "difference": r"more|less|fewer|longer|shorter|higher|lower|larger|smaller|greater|bigger|difference"
        r"|differs?|gap|rise|rose|risen|grew|grown|growth|fell|fallen|fall|drop|drops|dropped|increased?|decreased?|declined?"
        r"|gain|gained|lost|loses?|left|remain(?:s|ed|ing|der)?|rest|others?|saved?|saves|saving|ahead|behind|older"
        r"|younger|apart|between|extra|spare|another|above|below|by|cheaper|dearer|faster|slower|warmer|colder|heavier"
        r"|lighter|wider|deeper|margin|beyond"
        r"|before|after|stood|had been|until|neither|nor",
        "ratio": r"times|twice|thrice|doubled?|doubling|tripled?|quadrupled?|half|halved|halves|fold"
        r"|as (?:many|much|large|big|high)",
        "each": r"each|every|per|apiece|one of|daily|weekly|monthly|yearly|annually",
        "average": r"average[ds]?|averaging|mean",
        "age": r"aged?|old|birthday|died|when (?:he|she|they)|lived|at the time",
        "rate": r"a (?:day|week|month|year|head|piece)|an hour|for|of",
    }.items()
}
# A year before 1500 is read as a number, since it may well be one.
_EARLY_YEAR = re.compile(r"1[0-4]\d\d|[3-9]\d\d")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a source sentence; `sentence` numbers these from 0, `written` is as it stands there."""

    value: Quantity
    sentence: int
    written: str


@dataclass(frozen=True, slots=True)
class Day:
    """A date of a source sentence, as Number is a number."""

    value: Date
    sentence: int
    written: str


@dataclass(frozen=True, slots=True)
class Near:
    """What the source sentences nearest to a claim have to compute with."""

    numbers: tuple[Number, ...] = ()
    days: tuple[Day, ...] = ()


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows from others: of which kind, as a reader would write it, and what it starts from."""

    kind: Kind
    told: str
    operands: tuple[Number | Day, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A claim's number, how near to it another must come, and what in the claim says that it was computed.

    `last` is the value of its last place: 0.1 of "2.5".
    """

    value: Quantity
    nearness: Nearness
    cues: frozenset[str]
    last: float


@dataclass(frozen=True, slots=True)
class _Found:
    """A value that follows; an `exact` one must be met as it is, another within its rounding."""

    kind: Kind
    value: float
    exact: bool
    told: str
    operands: tuple[Number | Day, ...]


def near_of(sentences: Sequence[str], around: Sequence[str] = ()) -> Near:
    """The values of the sentences nearest to a claim, and the dates of those `around` them.

    >>> near = near_of(["It has 3 mills.", "On 3 May 1932 it got 4 more."])
    >>> [each.written for each in near.numbers], [each.written for each in near.days]
    (['3', '4'], ['3 May 1932'])
    """
    numbers: list[Number] = []
    days: list[Day] = []
    for n, text in enumerate((*sentences, *around)):
        dated = analyse(text).dates
        days += [Day(one, n, _written(text, one)) for one in dated]
        for quantity in analyse(text).quantities if n < len(sentences) else ():
            if not quantity.apart and not any(overlaps(quantity, date) for date in dated):
                numbers.append(Number(quantity, n, _written(text, quantity)))
    return Near(tuple(numbers[:MOST_NEAR]), tuple(days[:MOST_NEAR]))


def _written(text: str, value: Quantity | Date) -> str:
    return text[value.start : value.end].strip(" ,.")


def derived(text: str, value: Quantity, near: Near) -> Derivation | None:
    """How a number of the claim `text` follows from values near it; None where it does not, or is a range.

    >>> text = "Together they have 7 mills."
    >>> derived(text, analyse(text).quantities[0], near_of(["Ulm has 3 mills, Bonn 4."])).told
    '3 + 4 = 7'
    """
    if value.low != value.high or value.apart:
        return None
    wanted = _wanted(text, value)
    for way in _WAYS:
        for found in way(wanted, near):
            if _fits(wanted, found):
                return Derivation(found.kind, f"{found.told} = {_written(text, value)}", found.operands)
    return None


def derived_date(text: str, value: Date, near: Near) -> Derivation | None:
    """How a date of the claim `text` follows from a date near it and a time; None where it does not.

    >>> text = "The loan is due in 1937."
    >>> derived_date(text, analyse(text).dates[0], near_of(["The loan of 1932 is for five years."])).told
    '1932 + five years = 1937'
    """
    for day in near.days:
        for time in near.numbers:
            for sign, mark in ((1, "+"), (-1, "−")):
                if is_moved(value, day.value, time.value, sign):
                    told = f"{day.written} {mark} {time.written} = {_written(text, value)}"
                    return Derivation("date", told, (day, time))
    return None


@lru_cache(maxsize=16)
def _cues_of(text: str) -> frozenset[str]:
    """The cues of a claim; each of its numbers asks for them."""
    return frozenset(cue for cue, words in _CUES.items() if words.search(text))


def _wanted(text: str, value: Quantity) -> _Wanted:
    before = text[max(0, value.start - _REACH) : value.start]
    nearness = next((each for each, words in _BEFORE.items() if words.search(before)), None)
    if nearness is None:
        nearness = "about" if _ABOUT_BEHIND.match(text, value.end) else "exact"
    cues = _cues_of(text)
    places = re.search(r"\d\.(\d+)", text[value.start : value.end])
    scale = value.low / value.written if value.written else 1.0
    return _Wanted(value, nearness, cues, abs(scale) * (10.0 ** -len(places[1]) if places else 1.0))


def _fits(wanted: _Wanted, found: _Found) -> bool:
    aim = wanted.value.low
    exactly = 1e-9 * max(abs(aim), 1e-9)
    near = exactly if found.exact else max(exactly, min(wanted.last / 2, _ROUNDED * abs(aim)))
    off = found.value - aim
    if wanted.nearness == "about":
        return abs(off) <= max(near, _ABOUT * abs(aim))
    if wanted.nearness == "over":
        return -near <= off <= max(near, _BEYOND * abs(aim))
    if wanted.nearness == "under":
        return -max(near, _BEYOND * abs(aim)) <= off <= near
    return abs(off) <= near


def _same(one: Quantity, other: Quantity) -> bool:
    """Whether both measure the same; how many times is a number."""
    return {one.dimension, other.dimension} == {"", "times"} or comparable(one, other)


def _single(near: Near) -> Iterator[Number]:
    """The numbers above zero that are no ranges, times of day or places in an order."""
    for number in near.numbers:
        if number.value.low == number.value.high > 0 and number.value.dimension not in _NO_AMOUNTS:
            yield number


def _alike(wanted: _Wanted, near: Near) -> list[Number]:
    """Those of the wanted measure, each value once; percentages and percentage points go together."""
    found: dict[float, Number] = {}
    points = {"percent", "point"}
    for number in _single(near):
        both = {wanted.value.dimension, number.value.dimension}
        if both <= points or _same(wanted.value, number.value):
            found.setdefault(number.value.low, number)
    return list(found.values())[:MOST_VALUES]


def _pairs(near: Near) -> Iterator[tuple[Number, Number]]:
    """Two numbers of one measure, both ways round."""
    for one, other in permutations(_single(near), 2):
        if comparable(one.value, other.value):
            yield one, other


def _range_end(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    for number in near.numbers:
        if number.value.low != number.value.high and comparable(wanted.value, number.value):
            for end in (number.value.low, number.value.high):
                yield _Found("range end", end, True, f"an end of {number.written}", (number,))
    for day in near.days:
        year, until = day.value.year, day.value.until
        if not wanted.value.dimension and year is not None and until is not None and until != year:
            for end in (year, until):
                yield _Found("range end", end, True, f"an end of {day.written}", (day,))


def _conversion(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    aim = wanted.value
    for number in near.numbers:
        held = number.value
        if held.low != held.high:
            continue
        if held.dimension == aim.dimension and not _same_unit(aim, held):
            yield _Found("conversion", held.low, False, number.written, (number,))
        for value, exact in conversions(held.low, held.dimension, aim.dimension):
            yield _Found("conversion", value, exact, number.written, (number,))


def _same_unit(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers of one measure are written in one unit; nobody can tell of none at all."""
    if not one.written or not other.written:
        return True
    return math.isclose(one.low / one.written, other.low / other.written, rel_tol=1e-6)


def _elapsed(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    """From one date to another: years, months, days, or an age."""
    aim = wanted.value
    aged = not aim.dimension and "age" in wanted.cues and 1 <= aim.low <= 120
    if not aged and aim.dimension not in ("months", "seconds"):
        return
    points: list[tuple[Number | Day, Point]] = [(day, end) for day in near.days for end in ends(day.value)]
    points += [(n, (round(n.value.low), None, None)) for n in near.numbers if _EARLY_YEAR.fullmatch(n.written)]
    for (one, first), (other, last) in permutations(points[:MOST_NEAR], 2):
        operands = (one,) if one is other else (one, other)
        told = f"{one.written} to {other.written}"
        if aim.dimension == "seconds":
            days = days_between(first, last)
            if days:
                yield _Found("days", days * DAY, True, told, operands)
            continue
        for months in months_between(first, last):
            if aged and months % 12 == 0:
                yield _Found("age", months // 12, True, told, operands)
            elif not aged:
                yield _Found("years", months, True, told, operands)


def _sum(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    if "total" not in wanted.cues or wanted.value.dimension in _NO_AMOUNTS:
        return
    pool = [number for number in _single(near) if _same(wanted.value, number.value)][:MOST_VALUES]
    for many in range(2, MOST_SUMMED + 1):
        for some in combinations(pool, many):
            if len({number.sentence for number in some}) <= 2:
                value = sum(number.value.low for number in some)
                yield _Found("sum", value, True, " + ".join(number.written for number in some), some)


def _difference(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    if "difference" not in wanted.cues or wanted.value.dimension in _NO_AMOUNTS:
        return
    for one, other in combinations(_alike(wanted, near), 2):
        more, less = (one, other) if one.value.low > other.value.low else (other, one)
        value = more.value.low - less.value.low
        yield _Found("difference", value, True, f"{more.written} − {less.written}", (more, less))
        if {one.value.dimension, other.value.dimension} == {"percent", "point"}:
            value = more.value.low + less.value.low
            yield _Found("difference", value, True, f"{more.written} + {less.written}", (more, less))


def _complement(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    scale = _scale_of_share(wanted.value)
    for number in _single(near):
        if scale and number.value.dimension == "percent" and number.value.low < 100:
            value = scale * (100 - number.value.low) / 100
            yield _Found("complement", value, True, f"100 − {number.written}", (number,))


def _scale_of_share(value: Quantity) -> float:
    """What the whole is where a number says a share of it: 100 of a percentage, 1 of a fraction, else 0."""
    if value.dimension == "percent":
        return 100.0
    return 1.0 if not value.dimension and 0 < value.low < 1 else 0.0


def _ratio(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    aim = wanted.value
    if aim.dimension == "times" or (not aim.dimension and aim.low >= 2 and "ratio" in wanted.cues):
        for one, other in _pairs(near):
            if one.value.low > other.value.low:
                value = one.value.low / other.value.low
                yield _Found("ratio", value, False, f"{one.written} / {other.written}", (one, other))


def _part(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    """So much per cent of a number, and what is left without it."""
    if wanted.value.dimension in _NO_AMOUNTS | _RATES:
        return
    pool = _alike(wanted, near)
    for number in _single(near):
        scale = _scale_of_share(number.value)
        if not scale or number.value.low >= scale:
            continue
        rate = number.value.low / scale
        for whole in pool:
            if whole is not number:
                value, operands = whole.value.low, (number, whole)
                yield _Found("part", rate * value, False, f"{number.written} of {whole.written}", operands)
                yield _Found("part", (1 - rate) * value, False, f"{whole.written} − {number.written}", operands)


def _factors(wanted: _Wanted, near: Near) -> Iterator[tuple[Number, Number]]:
    """How many, and of how much: a count and a number of the wanted measure, or a time and a number for each."""
    times = frozenset({"months", "seconds"})
    counts = {"", "times"} if wanted.value.dimension in times else {"", "times", *times}
    pool = _alike(wanted, near)
    for many in _single(near):
        if many.value.dimension in counts and many.value.written >= 2 and many.value.written.is_integer():
            for one in pool:
                if one is not many:
                    yield many, one


def _product(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    if wanted.value.dimension in _NO_AMOUNTS | _RATES or not wanted.cues & {"total", "each", "rate"}:
        return
    for many, one in _factors(wanted, near):
        if one.value.written != 1:
            value = many.value.written * one.value.low
            yield _Found("product", value, True, f"{many.written} × {one.written}", (many, one))


def _quotient(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    if wanted.value.dimension in _NO_AMOUNTS | _RATES or not wanted.cues & {"each", "average"}:
        return
    for many, one in _factors(wanted, near):
        if one.value.written > many.value.written:
            value = one.value.low / many.value.written
            yield _Found("quotient", value, False, f"{one.written} / {many.written}", (one, many))


_WAYS: tuple[Callable[[_Wanted, Near], Iterator[_Found]], ...] = (
    _range_end, _conversion, _elapsed, _sum, _difference, _complement, _ratio, _part, _product, _quotient,
)  # fmt: skip
