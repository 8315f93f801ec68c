"""Values that follow from those of the sources: 3 and 4 make 7, from 1932 to 1951 are 19 years.

A kind of derivation stays only while the claims that it excuses are more often true than other claims with a value
that no source has (benchmarks/claims/arithmetic.py, docs/decisions/161-arithmetic.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import Literal

from assay.nlp.analysis import analyse, overlaps
from assay.nlp.dates import Date, Point, days_between, ends, is_moved, months_between
from assay.nlp.quantities import Quantity, comparable
from assay.nlp.tokens import terms
from assay.nlp.units import DAY, conversions
from assay.types import Span

Kind = Literal[
    "sum", "difference", "product", "quotient", "part", "complement", "ratio", "conversion", "range end", "years",
    "days", "age", "date", "rate", "frequency", "share", "clock",
]  # fmt: skip
# Kinds whose result is in another unit, by another time, or a percentage of what it starts from.
IN_OTHER_UNITS: frozenset[Kind] = frozenset({"conversion", "rate", "frequency", "share", "clock"})
# Kinds that a changed copy may announce in words of its own: of the differences, products and quotients of copies
# none was right (benchmarks/claims/arithmetic.py).
ANNOUNCED: frozenset[Kind] = frozenset({"sum"})
# Kinds that restate one value.
RESTATING: frozenset[Kind] = frozenset({"conversion", "rate", "frequency"})
Nearness = Literal["exact", "about", "over", "under"]

# Values of one measure that are added and subtracted, at most; chosen: from enough numbers any sum can be made.
MOST_VALUES, MOST_SUMMED = 8, 4
# Numbers near a claim that are used, at most; chosen: more are a table.
MOST_NEAR = 24
# Chosen, as shares: the most that a value may lie from "about 40", beyond "more than 40", and from a rounded one.
_ABOUT, _BEYOND, _ROUNDED = 0.05, 0.25, 0.05
# Dimensions that have no sums: a place in an order, a time of day.
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
# Words of a claim that announce a calculation.
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
# Units of time of a rate ("12 litres per minute") or a frequency ("every three months"), in seconds or months.
_TIMES = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": DAY, "week": 7 * DAY,
    "month": 1.0, "quarter": 3.0, "year": 12.0, "annum": 12.0,
}  # fmt: skip
_IN_MONTHS = frozenset({"month", "quarter", "year", "annum"})
_OFTEN = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annually": "year", "annual": "year",
}  # fmt: skip
_A_TIME = "second|minute|hour|day|week|month|quarter|year|annum"
# A few words may stand between an amount and its time: "12 litres of water pass the valve every minute".
_RATE = re.compile(
    rf"(?P<of>(?:[ -][a-z]+){{0,5}}?)(?:\s*/\s*|\s+(?:per|an?|each|every|in\s+(?:one|an?|each|every))\s+)"
    rf"(?P<noun>{_A_TIME})\b|(?:[ -][a-z]+){{0,3}}?\s+(?P<adverb>hourly|daily|weekly|monthly|quarterly|yearly"
    r"|annually)\b",
    re.IGNORECASE,
)
_RATE_BEFORE = re.compile(
    r"\b(?P<word>hourly|daily|weekly|monthly|quarterly|yearly|annual)\s(?:[^\W\d_]+\s){1,6}[$€£¥₹]?\Z"
    rf"|\b(?:each|every|per)\s(?P<noun>{_A_TIME}),?\s(?:[^\W\d_]+\s){{0,5}}[$€£¥₹]?\Z",
    re.IGNORECASE,
)
# Ratios of times that are in common use, though no calendar fixes them.
_YEARLY = {("year", "week"): 52.0, ("year", "day"): 365.0, ("month", "day"): 30.0}
_EVERY = re.compile(r"\b(?:every|each|once in)\s+\Z", re.IGNORECASE)
# Words that make one number of a source a part of another: "four of the seven", "of the 40 boats 12 were
# lost", "seven members, four of whom".
_OF = re.compile(
    r"(?:\s[^\W\d_]+){0,2}?\s(?:out\s)?of(?:\s(?:the|all|its|their|these|those|a total of|\w+’s))*\s\Z"
)
_OF_BEFORE = re.compile(r"\b[Oo](?:ut o)?f(?:\s(?:the|all|its|their|these|those|a total of))*\s\Z")
_OF_WHOM = re.compile(r"(?:\s[^\W\d_]+)?\sof\s(?:whom|which|them|these|those)\b")
# A year before 1500 is read as a number, since it may well be one.
_EARLY_YEAR = re.compile(r"1[0-4]\d\d|[3-9]\d\d")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a source sentence; `sentence` counts from 0, `written` is the source's own wording.

    `per` is the unit of time of a rate, else ""; `every` is True of a frequency.
    """

    value: Quantity
    sentence: int
    written: str
    per: str = ""
    every: bool = False


@dataclass(frozen=True, slots=True)
class Day:
    """A date of a source sentence, with the fields of `Number`."""

    value: Date
    sentence: int
    written: str


@dataclass(frozen=True, slots=True)
class Near:
    """The source sentences nearest to a claim, and their numbers and dates."""

    numbers: tuple[Number, ...] = ()
    days: tuple[Day, ...] = ()
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Derivation:
    """The derivation of a value from its operands; `formula` is written for readers."""

    kind: Kind
    formula: str
    operands: tuple[Number | Day, ...]


@dataclass(frozen=True, slots=True)
class _Target:
    """A claim's number, how near a result must come to it, and the claim's cues of a calculation.

    `last` is the value of its last place: 0.1 of "2.5"; `per` and `every` are as in `Number`.
    """

    value: Quantity
    nearness: Nearness
    cues: frozenset[str]
    last: float
    per: str = ""
    every: bool = False


@dataclass(frozen=True, slots=True)
class _Result:
    """A value that follows from operands; the target must equal an `exact` one, others within rounding."""

    kind: Kind
    value: float
    exact: bool
    formula: str
    operands: tuple[Number | Day, ...]


def near_of(sentences: Sequence[str], around: Sequence[str] = ()) -> Near:
    """The values of the sentences nearest to a claim, and the dates of those `around` them.

    >>> near = near_of(["It has 3 mills.", "On 3 May 1932 it got 4 more."])
    >>> [number.written for number in near.numbers], [day.written for day in near.days]
    (['3', '4'], ['3 May 1932'])
    """
    numbers: list[Number] = []
    days: list[Day] = []
    for n, text in enumerate((*sentences, *around)):
        dated = analyse(text).dates
        days += [Day(date, n, _written(text, date)) for date in dated]
        for value in analyse(text).quantities if n < len(sentences) else ():
            if not value.apart and not any(overlaps(value, date) for date in dated):
                per, every = rate_of(text, value)
                numbers.append(Number(value, n, _written(text, value), per, every))
    return Near(tuple(numbers[:MOST_NEAR]), tuple(days[:MOST_NEAR]), tuple(sentences))


def rate_of(text: str, value: Quantity) -> tuple[str, bool]:
    """The unit of time of a rate, "" where the number is none, and whether it is a frequency.

    >>> text = "Each of 3 pumps moves 12 litres of water per minute; clean it every 30 days."
    >>> [rate_of(text, value) for value in analyse(text).quantities]
    [('', False), ('minute', False), ('', True)]
    """
    before = text[max(0, value.start - _REACH) : value.start]
    if value.dimension in ("months", "seconds") and _EVERY.search(before):
        return "", True
    behind = _RATE.match(text, value.end)
    if behind is not None:
        return behind["noun"].lower() if behind["noun"] else _OFTEN[behind["adverb"].lower()], False
    spoken = _RATE_BEFORE.search(text[max(0, value.start - 2 * _REACH) : value.start])
    if spoken is None:
        return "", False
    return spoken["noun"].lower() if spoken["noun"] else _OFTEN[spoken["word"].lower()], False


def _written(text: str, value: Quantity | Date) -> str:
    return text[value.start : value.end].strip(" ,.")


def derive_number(text: str, value: Quantity, near: Near, announcing: str | None = None) -> Derivation | None:
    """The derivation of a number of the claim `text` from values near it; None where there is none, or a range.

    `announcing` is the text that may hold cues of a calculation, by default all of the claim.

    >>> text = "Together they have 7 mills."
    >>> derive_number(text, analyse(text).quantities[0], near_of(["Ulm has 3 mills, Bonn 4."])).formula
    '3 + 4 = 7'
    """
    if value.low != value.high or value.apart:
        return None
    target = _target(text, value, text if announcing is None else announcing)
    for calculate in _CALCULATIONS:
        for result in calculate(target, near):
            if _fits(_with_bound(target, result, near), result):
                return Derivation(result.kind, f"{result.formula} = {_written(text, value)}", result.operands)
    return None


def derive_date(text: str, value: Date, near: Near) -> Derivation | None:
    """The derivation of a date of the claim `text` from a date near it and a time; None where there is none.

    >>> text = "The loan is due in 1937."
    >>> derive_date(text, analyse(text).dates[0], near_of(["The loan of 1932 is for five years."])).formula
    '1932 + five years = 1937'
    """
    for day in near.days:
        for time in near.numbers:
            for sign, mark in ((1, "+"), (-1, "−")):
                if is_moved(value, day.value, time.value, sign):
                    formula = f"{day.written} {mark} {time.written} = {_written(text, value)}"
                    return Derivation("date", formula, (day, time))
    return None


@lru_cache(maxsize=16)
def _cues_of(text: str) -> frozenset[str]:
    """The cues of a claim, cached since each of its numbers asks for them."""
    return frozenset(cue for cue, words in _CUES.items() if words.search(text))


def _target(text: str, value: Quantity, announcing: str) -> _Target:
    before = text[max(0, value.start - _REACH) : value.start]
    nearness = next((nearness for nearness, words in _BEFORE.items() if words.search(before)), None)
    if nearness is None:
        nearness = "about" if _ABOUT_BEHIND.match(text, value.end) else "exact"
    cues = _cues_of(announcing)
    places = re.search(r"\d\.(\d+)", text[value.start : value.end])
    scale = value.low / value.written if value.written else 1.0
    last = abs(scale) * (10.0 ** -len(places[1]) if places else 1.0)
    return _Target(value, nearness, cues, last, *rate_of(text, value))


def _with_bound(target: _Target, result: _Result, near: Near) -> _Target:
    """The target, exact where an operand has the same bound: "up to 48" gives "up to 258 in all"."""
    before = _BEFORE.get(target.nearness)
    if before is None or target.nearness == "about":
        return target
    for operand in result.operands:
        text = near.sentences[operand.sentence] if operand.sentence < len(near.sentences) else ""
        if before.search(text[max(0, operand.value.start - _REACH) : operand.value.start]):
            return replace(target, nearness="exact")
    return target


def _fits(target: _Target, result: _Result) -> bool:
    aim = target.value.low
    precision = 1e-9 * max(abs(aim), 1e-9)
    tolerance = precision if result.exact else max(precision, min(target.last / 2, _ROUNDED * abs(aim)))
    error = result.value - aim
    beyond = max(tolerance, _BEYOND * abs(aim))
    if target.nearness == "about":
        return abs(error) <= max(tolerance, _ABOUT * abs(aim))
    below = beyond if target.nearness == "under" else tolerance
    return -below <= error <= (beyond if target.nearness == "over" else tolerance)


def _measures_same(one: Quantity, other: Quantity) -> bool:
    """True if both are of one dimension; "times" counts as a plain number."""
    return {one.dimension, other.dimension} == {"", "times"} or comparable(one, other)


def _amounts(near: Near) -> Iterator[Number]:
    """The positive numbers that are no ranges, times of day or ordinals."""
    for number in near.numbers:
        if number.value.low == number.value.high > 0 and number.value.dimension not in _NO_AMOUNTS:
            yield number


def _of_target_measure(target: _Target, near: Near) -> list[Number]:
    """The amounts of the target's dimension, each value once; percentages and percentage points go together."""
    found: dict[float, Number] = {}
    points = {"percent", "point"}
    for number in _amounts(near):
        both = {target.value.dimension, number.value.dimension}
        if both <= points or _measures_same(target.value, number.value):
            found.setdefault(number.value.low, number)
    return list(found.values())[:MOST_VALUES]


def _pairs(near: Near) -> Iterator[tuple[Number, Number]]:
    """Ordered pairs of amounts of one dimension."""
    for one, other in permutations(_amounts(near), 2):
        if comparable(one.value, other.value):
            yield one, other


def _range_end(target: _Target, near: Near) -> Iterator[_Result]:
    for number in near.numbers:
        if number.value.low != number.value.high and comparable(target.value, number.value):
            for end in (number.value.low, number.value.high):
                yield _Result("range end", end, True, f"an end of {number.written}", (number,))
    for day in near.days:
        year, until = day.value.year, day.value.until
        if not target.value.dimension and year is not None and until is not None and until != year:
            for end in (year, until):
                yield _Result("range end", end, True, f"an end of {day.written}", (day,))


def _conversion(target: _Target, near: Near) -> Iterator[_Result]:
    aim = target.value
    for number in near.numbers:
        held = number.value
        if held.low != held.high:
            continue
        if held.dimension == aim.dimension and not _same_unit(aim, held):
            yield _Result("conversion", held.low, False, number.written, (number,))
        for value, exact in conversions(held.low, held.dimension, aim.dimension):
            yield _Result("conversion", value, exact, number.written, (number,))


def _rate(target: _Target, near: Near) -> Iterator[_Result]:
    """A rate by another time: 12 a minute are 720 an hour."""
    for number in near.numbers:
        factor = _time_ratio(target.per, number.per)
        if (
            factor is not None
            and number.value.low == number.value.high
            and _measures_same(target.value, number.value)
        ):
            formula = f"{number.written} a {number.per} " + (f"× {factor:g}" if factor > 1 else f"/ {1 / factor:g}")
            yield _Result("rate", factor * number.value.low, False, formula, (number,))


def _time_ratio(longer: str, shorter: str) -> float | None:
    """The ratio of two units of time; None of equal ones, and where it is not fixed.

    >>> _time_ratio("hour", "minute"), _time_ratio("year", "quarter"), _time_ratio("month", "week")
    (60.0, 4.0, None)
    """
    if longer == shorter or not longer or not shorter:
        return None
    if (longer in _IN_MONTHS) == (shorter in _IN_MONTHS):
        return _TIMES[longer] / _TIMES[shorter]
    return _YEARLY.get((longer, shorter))


def _frequency(target: _Target, near: Near) -> Iterator[_Result]:
    """A frequency as a rate, and a rate as a frequency: every three months is four times a year."""
    for number in near.numbers:
        value = number.value
        if number.every and _is_count_of(target.per, target.value, value):
            yield _Result("frequency", _TIMES[target.per] / value.low, True, f"every {number.written}", (number,))
        elif target.every and _is_count_of(number.per, value, target.value):
            formula = f"{number.written} a {number.per}"
            yield _Result("frequency", _TIMES[number.per] / value.low, True, formula, (number,))


def _is_count_of(per: str, count: Quantity, time: Quantity) -> bool:
    """True if `count` is a count by the unit of time `per`, and `time` has the dimension of that unit."""
    if not per or count.dimension not in ("", "times") or count.low <= 0 or time.low <= 0:
        return False
    return time.dimension == ("months" if per in _IN_MONTHS else "seconds")


def _clock(target: _Target, near: Near) -> Iterator[_Result]:
    """The time from one time of day to a later one of the same sentence."""
    if target.value.dimension != "seconds":
        return
    times = [one for one in near.numbers if one.value.dimension == "clock" and "." not in one.written]
    for one, other in combinations(times, 2):
        if one.sentence == other.sentence and other.value.low > one.value.low:
            formula = f"{one.written} to {other.written}"
            yield _Result("clock", 60 * (other.value.low - one.value.low), True, formula, (one, other))
    for number in near.numbers:  # "from 8:00 to 20:00"
        value = number.value
        if value.dimension == "clock" and value.low < value.high:
            yield _Result("clock", 60 * (value.high - value.low), True, number.written, (number,))


def _share(target: _Target, near: Near) -> Iterator[_Result]:
    """The share of a number in another one of which the source says it is a part."""
    scale = _scale_of_share(target.value)
    if not scale:
        return
    for one, other in combinations(_amounts(near), 2):
        part, whole = (one, other) if one.value.low < other.value.low else (other, one)
        if part.value.dimension == whole.value.dimension and _is_part(part, whole, near):
            value = scale * part.value.low / whole.value.low
            yield _Result("share", value, False, f"{part.written} of {whole.written}", (part, whole))


def _is_part(part: Number, whole: Number, near: Near) -> bool:
    """True if the sentence of both numbers says that one is a part of the other."""
    if part.sentence != whole.sentence or part.sentence >= len(near.sentences):
        return False
    text = near.sentences[part.sentence]
    if part.value.end <= whole.value.start:
        return _OF.fullmatch(text, part.value.end, whole.value.start) is not None
    if _OF_BEFORE.search(text[max(0, whole.value.start - _REACH) : whole.value.start]):
        return ";" not in text[whole.value.end : part.value.start]
    return _OF_WHOM.match(text, part.value.end) is not None


def _same_unit(one: Quantity, other: Quantity) -> bool:
    """True if two numbers of one dimension are written in one unit; True where either has no digits."""
    if not one.written or not other.written:
        return True
    return math.isclose(one.low / one.written, other.low / other.written, rel_tol=1e-6)


def _elapsed(target: _Target, near: Near) -> Iterator[_Result]:
    """The years, months or days from one date to another, or an age."""
    aim = target.value
    aged = not aim.dimension and "age" in target.cues and 1 <= aim.low <= 120
    if not aged and aim.dimension not in ("months", "seconds"):
        return
    points: list[tuple[Number | Day, Point]] = [(day, end) for day in near.days for end in ends(day.value)]
    points += [(n, (round(n.value.low), None, None)) for n in near.numbers if _EARLY_YEAR.fullmatch(n.written)]
    for (one, first), (other, last) in permutations(points[:MOST_NEAR], 2):
        operands = (one,) if one is other else (one, other)
        formula = f"{one.written} to {other.written}"
        if aim.dimension == "seconds":
            days = days_between(first, last)
            if days:
                yield _Result("days", days * DAY, True, formula, operands)
            continue
        for months in months_between(first, last):
            if aged and months % 12 == 0:
                yield _Result("age", months // 12, True, formula, operands)
            elif not aged:
                yield _Result("years", months, True, formula, operands)


def _sum(target: _Target, near: Near) -> Iterator[_Result]:
    if "total" not in target.cues or target.value.dimension in _NO_AMOUNTS:
        return
    pool = [number for number in _amounts(near) if _measures_same(target.value, number.value)][:MOST_VALUES]
    for many in range(2, MOST_SUMMED + 1):
        for summands in combinations(pool, many):
            if len({number.sentence for number in summands}) <= 2:
                value = sum(number.value.low for number in summands)
                formula = " + ".join(number.written for number in summands)
                yield _Result("sum", value, True, formula, summands)


def _difference(target: _Target, near: Near) -> Iterator[_Result]:
    if "difference" not in target.cues or target.value.dimension in _NO_AMOUNTS:
        return
    for one, other in combinations(_of_target_measure(target, near), 2):
        more, less = (one, other) if one.value.low > other.value.low else (other, one)
        value = more.value.low - less.value.low
        yield _Result("difference", value, True, f"{more.written} − {less.written}", (more, less))
        if {one.value.dimension, other.value.dimension} == {"percent", "point"}:
            value = more.value.low + less.value.low
            yield _Result("difference", value, True, f"{more.written} + {less.written}", (more, less))


def _complement(target: _Target, near: Near) -> Iterator[_Result]:
    scale = _scale_of_share(target.value)
    for number in _amounts(near):
        if scale and number.value.dimension == "percent" and number.value.low < 100:
            value = scale * (100 - number.value.low) / 100
            yield _Result("complement", value, True, f"100 − {number.written}", (number,))


def _scale_of_share(value: Quantity) -> float:
    """The whole of a share: 100 of a percentage, 1 of a fraction, 0 of other numbers."""
    if value.dimension == "percent":
        return 100.0
    return 1.0 if not value.dimension and 0 < value.low < 1 else 0.0


def _ratio(target: _Target, near: Near) -> Iterator[_Result]:
    aim = target.value
    if aim.dimension == "times" or (not aim.dimension and aim.low >= 2 and "ratio" in target.cues):
        for one, other in _pairs(near):
            if one.value.low > other.value.low:
                value = one.value.low / other.value.low
                yield _Result("ratio", value, False, f"{one.written} / {other.written}", (one, other))


def _part(target: _Target, near: Near) -> Iterator[_Result]:
    """A percentage of a number, and the rest."""
    if target.value.dimension in _NO_AMOUNTS | _RATES:
        return
    pool = _of_target_measure(target, near)
    for number in _amounts(near):
        scale = _scale_of_share(number.value)
        if not scale or number.value.low >= scale:
            continue
        rate = number.value.low / scale
        for whole in pool:
            if whole is not number:
                value, operands = whole.value.low, (number, whole)
                yield _Result("part", rate * value, False, f"{number.written} of {whole.written}", operands)
                yield _Result("part", (1 - rate) * value, False, f"{whole.written} − {number.written}", operands)


def _factors(target: _Target, near: Near) -> Iterator[tuple[Number, Number]]:
    """A count, or a time, and an amount of the target's dimension for each."""
    times = frozenset({"months", "seconds"})
    counts = {"", "times"} if target.value.dimension in times else {"", "times", *times}
    pool = _of_target_measure(target, near)
    for many in _amounts(near):
        if many.value.dimension in counts and many.value.written >= 2 and many.value.written.is_integer():
            for one in pool:
                if one is not many:
                    yield many, one


def _product(target: _Target, near: Near) -> Iterator[_Result]:
    if target.value.dimension in _NO_AMOUNTS | _RATES or not target.cues & {"total", "each", "rate"}:
        return
    for many, one in _factors(target, near):
        if one.value.written != 1:
            value = many.value.written * one.value.low
            yield _Result("product", value, True, f"{many.written} × {one.written}", (many, one))


def _quotient(target: _Target, near: Near) -> Iterator[_Result]:
    if target.value.dimension in _NO_AMOUNTS | _RATES or not target.cues & {"each", "average"}:
        return
    for many, one in _factors(target, near):
        if one.value.written > many.value.written:
            value = one.value.low / many.value.written
            yield _Result("quotient", value, False, f"{one.written} / {many.written}", (one, many))


_CALCULATIONS: tuple[Callable[[_Target, Near], Iterator[_Result]], ...] = (
    _range_end, _conversion, _rate, _frequency, _clock, _share, _elapsed, _sum, _difference, _complement, _ratio,
    _part, _product, _quotient,
)  # fmt: skip


def restated_numbers(claim: str, sentence: str, known: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """The places, in claim and sentence, of equal numbers in other units; that of a rate includes its time.

    Numbers of the claim in the `known` places are left out.

    >>> list(restated_numbers("It lasts 24 months.", "It lasts two years.", []))
    [(Span(start=9, end=18), Span(start=9, end=18))]
    """
    near = near_of([sentence])
    for claimed in analyse(claim).quantities if near.numbers else ():
        if claimed.apart or any(overlaps(claimed, place) for place in known):
            continue
        found = derive_number(claim, claimed, near)
        if found is None or found.kind not in RESTATING:
            continue
        stored = found.operands[0].value
        if found.kind == "conversion":
            yield Span(claimed.start, claimed.end), Span(stored.start, stored.end)
            continue
        own, held = _RATE.match(claim, claimed.end), _RATE.match(sentence, stored.end)
        # A rate is one stretch with its time: "720 litres per hour".
        if found.kind == "rate" and own and held and _words_between(own) == _words_between(held):
            yield Span(claimed.start, own.end()), Span(stored.start, held.end())


def _words_between(rate: re.Match[str]) -> list[str]:
    """The terms between an amount and its time."""
    return terms(rate["of"] or "")
