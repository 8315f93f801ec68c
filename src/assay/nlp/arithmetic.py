"""Values that follow from those of the sources: 3 and 4 make 7, from 1932 to 1951 are 19 years.

Each way of computing stays only while claims that it excuses are more often true than others that hold a value
which no source has (benchmarks/claims/arithmetic.py, docs/decisions/161-arithmetic.md).
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
# Kinds whose result is written otherwise than what it starts from: another unit, another time, a percentage. What
# only took another's place in a copied sentence is none of them.
WRITTEN_OTHERWISE: frozenset[Kind] = frozenset({"conversion", "rate", "frequency", "share", "clock"})
# The kind that a changed copy may announce in words of its own; of differences, products and quotients of copies
# none was right in benchmarks/claims/arithmetic.py.
CUED: frozenset[Kind] = frozenset({"sum"})
# Of those written otherwise the ones that start from one value and say no more than it does.
SAYS_THE_SAME: frozenset[Kind] = frozenset({"conversion", "rate", "frequency"})
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
# A time by which an amount is given, and how often there is one: "12 litres per minute", "every three months".
_TIMES = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": DAY, "week": 7 * DAY,
    "month": 1.0, "quarter": 3.0, "year": 12.0, "annum": 12.0,
}  # fmt: skip
_IN_MONTHS = frozenset({"month", "quarter", "year", "annum"})
_OFTEN = {
    "hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year",
    "annually": "year", "annual": "year",
}  # fmt: skip
_A_TIME = "second|minute|hour|day|week|month|quarter|year|annum"
# A few words may say of what, or what becomes of it: "12 litres of water pass the valve every minute".
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
# How often one time goes into another where people count so, though no calendar does.
_YEARLY = {("year", "week"): 52.0, ("year", "day"): 365.0, ("month", "day"): 30.0}
_EVERY = re.compile(r"\b(?:every|each|once in)\s+\Z", re.IGNORECASE)
# How a source says that one of its numbers is a part of another: "four of the seven", "of the 40 boats 12 were
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
    """A number of a source sentence; `sentence` numbers these from 0, `written` is as it stands there.

    `per` is the unit of time by which it is given, `every` says that it tells how often, "" and False where not.
    """

    value: Quantity
    sentence: int
    written: str
    per: str = ""
    every: bool = False


@dataclass(frozen=True, slots=True)
class Day:
    """A date of a source sentence, as Number is a number."""

    value: Date
    sentence: int
    written: str


@dataclass(frozen=True, slots=True)
class Near:
    """What the source sentences nearest to a claim have to compute with, and these sentences."""

    numbers: tuple[Number, ...] = ()
    days: tuple[Day, ...] = ()
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a value follows from others: of which kind, as a reader would write it, and what it starts from."""

    kind: Kind
    told: str
    operands: tuple[Number | Day, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A claim's number, how near to it another must come, and what in the claim says that it was computed.

    `last` is the value of its last place: 0.1 of "2.5"; `per` and `every` are as a source number's.
    """

    value: Quantity
    nearness: Nearness
    cues: frozenset[str]
    last: float
    per: str = ""
    every: bool = False


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
        days += [Day(each, n, _written(text, each)) for each in dated]
        for each in analyse(text).quantities if n < len(sentences) else ():
            if not each.apart and not any(overlaps(each, date) for date in dated):
                per, every = rate_of(text, each)
                numbers.append(Number(each, n, _written(text, each), per, every))
    return Near(tuple(numbers[:MOST_NEAR]), tuple(days[:MOST_NEAR]), tuple(sentences))


def rate_of(text: str, value: Quantity) -> tuple[str, bool]:
    """The unit of time by which a number is given, "" where none is, and whether it says how often.

    >>> text = "Each of 3 pumps moves 12 litres of water per minute; clean it every 30 days."
    >>> [rate_of(text, each) for each in analyse(text).quantities]
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


def derived(text: str, value: Quantity, near: Near, said: str | None = None) -> Derivation | None:
    """How a number of the claim `text` follows from values near it; None where it does not, or is a range.

    `said` are the words that may say that the claim computes, all of the claim's where None.

    >>> text = "Together they have 7 mills."
    >>> derived(text, analyse(text).quantities[0], near_of(["Ulm has 3 mills, Bonn 4."])).told
    '3 + 4 = 7'
    """
    if value.low != value.high or value.apart:
        return None
    wanted = _wanted(text, value, text if said is None else said)
    for way in _WAYS:
        for found in way(wanted, near):
            if _fits(_of_bounds(wanted, found, near), found):
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


def _wanted(text: str, value: Quantity, said: str) -> _Wanted:
    before = text[max(0, value.start - _REACH) : value.start]
    nearness = next((each for each, words in _BEFORE.items() if words.search(before)), None)
    if nearness is None:
        nearness = "about" if _ABOUT_BEHIND.match(text, value.end) else "exact"
    cues = _cues_of(said)
    places = re.search(r"\d\.(\d+)", text[value.start : value.end])
    scale = value.low / value.written if value.written else 1.0
    last = abs(scale) * (10.0 ** -len(places[1]) if places else 1.0)
    return _Wanted(value, nearness, cues, last, *rate_of(text, value))


def _of_bounds(wanted: _Wanted, found: _Found, near: Near) -> _Wanted:
    """The wanted value, exactly where what it starts from is bounded as it is: "up to 48", "up to 258 in all"."""
    before = _BEFORE.get(wanted.nearness)
    if before is None or wanted.nearness == "about":
        return wanted
    for each in found.operands:
        text = near.sentences[each.sentence] if each.sentence < len(near.sentences) else ""
        if before.search(text[max(0, each.value.start - _REACH) : each.value.start]):
            return replace(wanted, nearness="exact")
    return wanted


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


def _rate(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    """So much in another time: 12 a minute are 720 an hour."""
    for each in near.numbers:
        factor = _times_in(wanted.per, each.per)
        if factor is not None and each.value.low == each.value.high and _same(wanted.value, each.value):
            told = f"{each.written} a {each.per} " + (f"× {factor:g}" if factor > 1 else f"/ {1 / factor:g}")
            yield _Found("rate", factor * each.value.low, False, told, (each,))


def _times_in(longer: str, shorter: str) -> float | None:
    """How often one unit of time goes into another one; None of the same, and where that is not fixed.

    >>> _times_in("hour", "minute"), _times_in("year", "quarter"), _times_in("month", "week")
    (60.0, 4.0, None)
    """
    if longer == shorter or not longer or not shorter:
        return None
    if (longer in _IN_MONTHS) == (shorter in _IN_MONTHS):
        return _TIMES[longer] / _TIMES[shorter]
    return _YEARLY.get((longer, shorter))


def _frequency(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    """How often: every three months is four times a year, and the other way round."""
    mine = wanted.value
    for each in near.numbers:
        theirs = each.value
        if each.every and _is_count_of(wanted.per, mine, theirs):
            yield _Found("frequency", _TIMES[wanted.per] / theirs.low, True, f"every {each.written}", (each,))
        elif wanted.every and _is_count_of(each.per, theirs, mine):
            told = f"{each.written} a {each.per}"
            yield _Found("frequency", _TIMES[each.per] / theirs.low, True, told, (each,))


def _is_count_of(per: str, count: Quantity, time: Quantity) -> bool:
    """Whether a number counts something in a unit of time that is measured as the other number, a time, is."""
    if not per or count.dimension not in ("", "times") or count.low <= 0 or time.low <= 0:
        return False
    return time.dimension == ("months" if per in _IN_MONTHS else "seconds")


def _clock(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    """From one time of day to a later one of the same sentence."""
    if wanted.value.dimension != "seconds":
        return
    times = [each for each in near.numbers if each.value.dimension == "clock" and "." not in each.written]
    for one, other in combinations(times, 2):
        if one.sentence == other.sentence and other.value.low > one.value.low:
            told = f"{one.written} to {other.written}"
            yield _Found("clock", 60 * (other.value.low - one.value.low), True, told, (one, other))
    for each in near.numbers:  # "from 8:00 to 20:00"
        if each.value.dimension == "clock" and each.value.low < each.value.high:
            yield _Found("clock", 60 * (each.value.high - each.value.low), True, each.written, (each,))


def _share(wanted: _Wanted, near: Near) -> Iterator[_Found]:
    """What share a number is of another one that the source says it is a part of."""
    scale = _scale_of_share(wanted.value)
    if not scale:
        return
    for one, other in combinations(_single(near), 2):
        part, whole = (one, other) if one.value.low < other.value.low else (other, one)
        if part.value.dimension == whole.value.dimension and _is_part(part, whole, near):
            value = scale * part.value.low / whole.value.low
            yield _Found("share", value, False, f"{part.written} of {whole.written}", (part, whole))


def _is_part(part: Number, whole: Number, near: Near) -> bool:
    """Whether the sentence of two numbers says that the less is a part of the greater."""
    if part.sentence != whole.sentence or part.sentence >= len(near.sentences):
        return False
    text = near.sentences[part.sentence]
    if part.value.end <= whole.value.start:
        return _OF.fullmatch(text, part.value.end, whole.value.start) is not None
    if _OF_BEFORE.search(text[max(0, whole.value.start - _REACH) : whole.value.start]):
        return ";" not in text[whole.value.end : part.value.start]
    return _OF_WHOM.match(text, part.value.end) is not None


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
    _range_end, _conversion, _rate, _frequency, _clock, _share, _elapsed, _sum, _difference, _complement, _ratio,
    _part, _product, _quotient,
)  # fmt: skip


def said_otherwise(claim: str, sentence: str, known: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """The places in both of numbers that say the same in another unit or time, with the time each is given by.

    Numbers of the claim in the `known` places are left out.

    >>> list(said_otherwise("It lasts 24 months.", "It lasts two years.", []))
    [(Span(start=9, end=18), Span(start=9, end=18))]
    """
    near = near_of([sentence])
    for mine in analyse(claim).quantities if near.numbers else ():
        if mine.apart or any(overlaps(mine, place) for place in known):
            continue
        found = derived(claim, mine, near)
        if found is None or found.kind not in SAYS_THE_SAME:
            continue
        theirs = found.operands[0].value
        if found.kind == "conversion":
            yield Span(mine.start, mine.end), Span(theirs.start, theirs.end)
            continue
        own, held = _RATE.match(claim, mine.end), _RATE.match(sentence, theirs.end)
        # A rate is one stretch with its time: "720 litres per hour".
        if found.kind == "rate" and own and held and _said_of(own) == _said_of(held):
            yield Span(mine.start, own.end()), Span(theirs.start, held.end())


def _said_of(rate: re.Match[str]) -> list[str]:
    """The words between an amount and its time."""
    return terms(rate["of"] or "")
