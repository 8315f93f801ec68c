"""Numbers with their magnitudes and units, and when two of them say the same."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from assay.nlp.numbers import (
    CJK_NUMERALS,
    FRACTIONS,
    MAGNITUDES,
    MULTIPLES,
    ORDINALS,
    VALUES,
    cjk_value,
    counts,
    decimal,
    fraction,
    joined,
    part_behind,
    shared_magnitude,
)
from assay.nlp.units import CURRENCY_CODES, CURRENCY_SIGNS, UNITS, compound, same_measure

# One character for one character, so that places stay true.
_FLAT = str.maketrans("０１２３４５６７８９％．，：－−–—", "0123456789%.,:----")
_TOKEN = re.compile(
    rf"""(?P<clock>(?<![\d:.])\d{{1,2}}:\d\d(?::\d\d)?(?![\d:]))
      | (?P<fraction>(?<![\w/.])\d{{1,3}}/\d{{1,3}}(?![\d/]))
      | (?P<digits>\d+(?:[.,'\u00a0\u202f]\d+)*)
      | (?P<cjk>百分之[{CJK_NUMERALS}\d]+|[{CJK_NUMERALS}]{{2,}}|[万萬亿億兆])
      | (?P<vulgar>[½⅓⅔¼¾⅛])
      | (?P<sign>[%$€£¥₹]|°\s?[CFcf]\b|°)
      | (?P<word>[^\W\d_]+)
    """,
    re.VERBOSE,
)
_ROUGH = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|over|under|more than|less than"
    r"|at least|at most|up to)|[~≈約约])\s*[$€£¥₹]?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween\s+[$€£¥₹]?$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s+[$€£¥₹]?$", re.IGNORECASE)
_JOIN = re.compile(r"\s?(?:-|~|to|through|and|至|到)\s?[$€£¥₹]?", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]\d|[QH](?![A-Za-z])")
_CODE_BEFORE = re.compile(r"[A-Za-z]\d+/$")
_AGE = re.compile(r"[\s-]olds?\b", re.IGNORECASE)
# "Half an hour", "a quarter of a mile".
_OF_A_UNIT = re.compile(r"\s(?:of\s)?an?\s(?P<unit>[a-z]+)\b")
# "Once" is a number of times only where it says how often.
_OFTEN = re.compile(r"\s(?:an?|per|each|every|daily|weekly|monthly|yearly)\b", re.IGNORECASE)
# A year is no beginning of a range of amounts: "from 210 in 2020 to 260 million".
_IN = re.compile(r"\b(?:in|of|during|since)\s$", re.IGNORECASE)
_BEGINNINGS = frozenset((*VALUES, *ORDINALS, *MULTIPLES, "a", "an", "half"))
_ROUGH_SHARE = 0.05
# In minutes.
_HALF_DAY = 720


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `start` to `end` of a text; `low` equals `high` unless it is a range.

    `dimension` is "" for a bare number, "percent", "point" (percentage points), "ordinal", "clock" (minutes
    after midnight), a currency's code, or the unit's dimension; values are in the dimension's base unit.
    `slack` is how far another number may be off and still round to this one. `written` is the number before its
    unit, `spelled` marks a small number written as a word. `apart` are the groups of a number that plain spaces
    part, where they may be numbers of their own; such a one is compared with none read otherwise.
    """

    start: int
    end: int
    low: float
    high: float
    dimension: str = ""
    slack: float = 0.0
    spelled: bool = False
    written: float = 0.0
    apart: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Number:
    """A number before its unit is known; `step` is the value of its last place, 0 when exact."""

    start: int
    end: int
    value: float
    step: float
    spelled: bool = False
    ordinal: bool = False


def quantities(text: str) -> list[Quantity]:
    """The quantities of `text` in order, without overlap; linear in the length of the text.

    Numbers inside names and versions ("COVID-19", "3.1.2") are none. A comma followed by other than three
    digits is a decimal mark, a plain space before three digits parts thousands.

    >>> [(q.low, q.dimension) for q in quantities("$3.5m, a dozen eggs, 5 km and 12 percentage points")]
    [(3500000.0, 'USD'), (12.0, ''), (5000.0, 'length'), (12.0, 'point')]
    """
    flat, doubtful = joined(text.translate(_FLAT))
    tokens = list(_TOKEN.finditer(flat))
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        begins = tokens[at].lastgroup != "word" or tokens[at].group().lower() in _BEGINNINGS
        number, after = _number(flat, tokens, at) if begins else (None, at)
        if number is None:
            at += 1
            continue
        apart = doubtful.get(tokens[at].start(), ())
        quantity, at = _with_unit(flat, tokens, number, at, after, found[-1].end if found else 0)
        found.append(replace(quantity, apart=apart) if apart else quantity)
    return _ranges(flat, found)


def agree(claim: Quantity, source: Quantity) -> bool:
    """True if the source's quantity supports the claim's: same dimension, equal within rounding.

    A bare share below 1 is compared with a percentage as one.

    >>> first, second = quantities("3.5 million"), quantities("3,512,000")
    >>> agree(first[0], second[0]), agree(second[0], first[0])
    (True, True)
    """
    if {claim.dimension, source.dimension} == {"", "percent"}:
        claim, source = _as_percent(claim), _as_percent(source)
    if not comparable(claim, source):
        return False
    slack = max(claim.slack, source.slack) + 1e-9 * max(abs(claim.low), abs(claim.high), 1e-9)
    return abs(claim.low - source.low) <= slack and abs(claim.high - source.high) <= slack


def comparable(first: Quantity, second: Quantity) -> bool:
    """True if both measure the same, and neither may be several numbers where the other is one.

    >>> comparable(quantities("5 %")[0], quantities("5 points")[0])
    False
    >>> comparable(quantities("30 cents")[0], quantities("0.30 euros")[0])
    True
    """
    return same_measure(first.dimension, second.dimension) and not may_agree(first, second)


def may_agree(first: Quantity, second: Quantity) -> bool:
    """True if only one of two ways to read the spaces in one of them makes them the same number.

    >>> races, claimed = quantities("5 100 m races"), quantities("5 races")
    >>> may_agree(races[0], claimed[0]), may_agree(races[0], races[0])
    (True, False)
    """
    if first.apart == second.apart:
        return False
    readings = ({quantity.written, *quantity.apart} for quantity in (first, second))
    return bool(set.intersection(*readings))


def _as_percent(quantity: Quantity) -> Quantity:
    """A bare share as a percentage: "one fifth" is 20 %. Others stay as they are."""
    if quantity.dimension or not 0.0 < quantity.low <= quantity.high < 1.0:
        return quantity
    low, high, slack = (100 * value for value in (quantity.low, quantity.high, quantity.slack))
    return replace(quantity, low=low, high=high, slack=slack, dimension="percent")


def _number(flat: str, tokens: list[re.Match[str]], at: int) -> tuple[_Number | None, int]:
    """The number that begins at token `at`, and the token after it."""
    match = tokens[at]
    kind, word = match.lastgroup, match.group()
    if kind == "clock":
        hours, minutes = word.split(":")[:2]
        return _Number(match.start(), match.end(), int(hours) * 60 + int(minutes), 0.0), at + 1
    if kind in ("fraction", "vulgar"):
        value = fraction(word)
        return (None if value is None else _Number(match.start(), match.end(), value, 0.0)), at + 1
    if kind == "digits":
        return _digits(flat, tokens, at)
    if kind == "cjk":
        return _cjk(match), at + 1
    if kind == "word":
        return _words(flat, tokens, at)
    return None, at + 1


def _digits(flat: str, tokens: list[re.Match[str]], at: int) -> tuple[_Number | None, int]:
    """A number in digits, with a magnitude word or a vulgar fraction behind it."""
    match = tokens[at]
    start, end, word = match.start(), match.end(), match.group()
    before = flat[start - 1] if start else " "
    if before.isalpha() and before.isascii():
        return None, at + 1  # part of a name: "covid19", "Q4"
    if _CODE.match(flat, end) or _CODE_BEFORE.search(flat, max(0, start - 8), start):
        return None, at + 1  # part of a name: "3T3", "4Q", "OCT3/4"
    if before == "-" and start >= 2 and flat[start - 2].isalnum() and not flat[start - 2].isdigit():
        if flat[start - 2].isupper():
            return None, at + 1  # part of a name: "COVID-19"
        before = " "
    parsed = decimal(word)
    if parsed is None:
        return None, at + 1
    value, step = parsed
    if before == "-" and (start == 1 or not (flat[start - 2].isalnum() or flat[start - 2] in ")%$€£¥₹°")):
        value, start = -value, start - 1
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following is None or following.start() - end > 1 or "\n" in flat[end : following.start()]:
        return _Number(start, end, value, step), at + 1
    part = fraction(following.group()) if following.lastgroup in ("fraction", "vulgar") else None
    if part is not None and part < 1 and not step:
        return _Number(start, following.end(), value + part, 0.0), at + 2
    suffix = following.group()
    if suffix in ("st", "nd", "rd", "th") and following.start() == end:
        return _Number(start, following.end(), value, 0.0, ordinal=True), at + 2
    if suffix[0] in "万萬亿億兆千百" and following.lastgroup in ("cjk", "word"):
        factor = cjk_value(suffix[0])
        return _Number(start, following.start() + 1, value * factor, (step or 1.0) * factor), at + 2
    return _magnified(flat, tokens, _Number(start, end, value, step), at + 1)


def _magnified(flat: str, tokens: list[re.Match[str]], number: _Number, at: int) -> tuple[_Number, int]:
    """The number times the magnitude words that follow it at once."""
    while at < len(tokens) and tokens[at].lastgroup == "word":
        gap, word = flat[number.end : tokens[at].start()], tokens[at].group()
        factor = MAGNITUDES.get(word if len(word) == 1 else word.lower())
        if factor is None or gap not in ("", " ", "-", "\u00a0") or (len(word) == 1 and gap):
            break
        number = replace(
            number, end=tokens[at].end(), value=number.value * factor, step=(number.step or 1.0) * factor
        )
        at += 1
    return number, at


def _cjk(match: re.Match[str]) -> _Number | None:
    """A number in CJK numerals; a lone magnitude is none."""
    word, is_percent = match.group(), match.group().startswith("百分之")
    value = math.nan if len(word) == 1 else cjk_value(word[3:] if is_percent else word)
    return None if math.isnan(value) else _Number(match.start(), match.end(), value, -1.0 if is_percent else 0.0)


def _words(flat: str, tokens: list[re.Match[str]], at: int) -> tuple[_Number | None, int]:
    """A number in English words: "twenty-three", "one hundred and five", "a dozen", "two thirds"."""
    first = tokens[at].group().lower()
    if first in ("a", "an", "half") and at + 1 < len(tokens):
        return _article(flat, tokens, at)
    if first in MULTIPLES and (first != "once" or _OFTEN.match(flat, tokens[at].end())):
        return _Number(tokens[at].start(), tokens[at].end(), MULTIPLES[first], 0.0, True), at + 1
    if first in ORDINALS:
        return _Number(tokens[at].start(), tokens[at].end(), ORDINALS[first], 0.0, True, True), at + 1
    if first not in VALUES:
        return None, at + 1
    number, end = _counted(flat, tokens, at, VALUES[first])
    if end < len(tokens) and tokens[end].group().lower() in FRACTIONS and end == at + 1:
        value = number.value * FRACTIONS[tokens[end].group().lower()]
        return replace(number, end=tokens[end].end(), value=value), end + 1
    return _with_part(flat, tokens, number, end)


def _counted(flat: str, tokens: list[re.Match[str]], at: int, first: float) -> tuple[_Number, int]:
    """The number whose first word, of the value `first`, is token `at`, and the token after it."""
    total, group, end, last = 0.0, first, at + 1, first
    while end < len(tokens) and tokens[end].lastgroup == "word":
        word = tokens[end].group().lower()
        if flat[tokens[end - 1].end() : tokens[end].start()] not in (" ", "-", "- "):
            break
        if word in VALUES and _continues(last, VALUES[word]):
            group, last = group + VALUES[word], VALUES[word]
        elif word == "hundred":
            group, last = group * 100, 100
        elif len(word) > 2 and word in MAGNITUDES:
            total, group, last = total + group * MAGNITUDES[word], 0.0, 1000
        elif not (word == "and" and last >= 100 and _value_follows(tokens, end)):
            break
        end += 1
    return _Number(tokens[at].start(), tokens[end - 1].end(), total + group, 0.0, True), end


def _with_part(flat: str, tokens: list[re.Match[str]], number: _Number, at: int) -> tuple[_Number, int]:
    part = part_behind(flat, number.end)
    if part is None:
        return number, at
    whole = replace(number, value=number.value + part[0], end=part[1])
    return _magnified(flat, tokens, whole, _token_behind(tokens, at, part[1]))


def _continues(last: float, value: float) -> bool:
    """True if a number word may follow the one before: "twenty three", "hundred five", not "five six"."""
    return (20 <= last <= 90 and value < 10) or (last >= 100 and value < 100)


def _value_follows(tokens: list[re.Match[str]], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].group().lower() in VALUES


def _article(flat: str, tokens: list[re.Match[str]], at: int) -> tuple[_Number | None, int]:
    """ "a dozen", "a hundred and eighty", "a million", "half a million", "a third", "half"."""
    first, start = tokens[at].group().lower(), tokens[at].start()
    second = tokens[at + 1].group().lower()
    if first == "half":
        if second in ("a", "of") and at + 2 < len(tokens) and len(tokens[at + 2].group()) > 2:
            factor = MAGNITUDES.get(tokens[at + 2].group().lower())
            if second == "a" and factor:
                return _Number(start, tokens[at + 2].end(), factor / 2, factor / 10, True), at + 3
        return _Number(start, tokens[at].end(), 0.5, 0.0, True), at + 1
    if len(second) > 2 and (second in MAGNITUDES or second == "hundred"):
        return _counted(flat, tokens, at, 1.0)
    if counts(second, flat, tokens[at + 1].end()):
        return _Number(start, tokens[at + 1].end(), ORDINALS[second], 0.0, True, True), at + 2
    if second in FRACTIONS and not second.endswith("s") and second != "second":
        return _Number(start, tokens[at + 1].end(), FRACTIONS[second], 0.0, True), at + 2
    return None, at + 1


def _with_unit(
    flat: str, tokens: list[re.Match[str]], number: _Number, first: int, at: int, taken: int
) -> tuple[Quantity, int]:
    """The number with the unit before or behind it, and the token after both; up to `taken` all is taken."""
    rough = bool(_ROUGH.search(flat, max(0, number.start - 24), number.start))
    slack = max(number.step / 2 if number.step > 0 else 0.0, abs(number.value) * _ROUGH_SHARE if rough else 0.0)
    bare = Quantity(number.start, number.end, number.value, number.value, "", slack, number.spelled, number.value)
    if number.ordinal:
        return replace(bare, dimension="ordinal"), at
    if tokens[first].lastgroup == "clock":
        return _clock(flat, tokens, bare, at)
    if number.step < 0:
        return replace(bare, dimension="percent"), at
    sign = tokens[first - 1] if first and tokens[first - 1].start() >= taken else None
    if sign and number.start - sign.end() <= 1:
        if sign.group() in CURRENCY_SIGNS:
            return replace(bare, start=sign.start(), dimension=CURRENCY_SIGNS[sign.group()]), at
        if sign.group() in CURRENCY_CODES:
            return replace(bare, start=sign.start(), dimension=sign.group()), at
    if tokens[first].group().lower() in MULTIPLES:
        return replace(bare, dimension="times"), at
    return _unit_behind(flat, tokens, bare, at)


def _unit_behind(flat: str, tokens: list[re.Match[str]], bare: Quantity, at: int) -> tuple[Quantity, int]:
    """The quantity with the unit that follows it, if one does."""
    pair = compound(flat, bare.end)
    if pair is not None:
        return _scaled(bare, pair.end, pair.dimension, pair.size), _token_behind(tokens, at, pair.end)
    part = _OF_A_UNIT.match(flat, bare.end) if bare.spelled and 0 < bare.low < 1 else None
    if part is not None and part["unit"] in UNITS:
        return _scaled(bare, part.end(), *UNITS[part["unit"]]), _token_behind(tokens, at, part.end())
    if at >= len(tokens) or flat[bare.end : tokens[at].start()] not in ("", " ", "-", "\u00a0", "\u202f"):
        return bare, at
    word = tokens[at].group()
    if word in CURRENCY_SIGNS and flat[tokens[at].end() : tokens[at].end() + 2].lstrip()[:1].isdigit():
        return bare, at  # it is of the number behind it
    second = tokens[at + 1].group().lower() if at + 1 < len(tokens) else ""
    if word.lower() in ("percentage", "percent", "per") and second in ("point", "points", "cent"):
        return replace(bare, end=tokens[at + 1].end(), dimension="percent" if second == "cent" else "point"), at + 2
    if word.lower() in ("am", "pm", "a", "p") and bare.high <= 12 and (len(word) == 2 or second == "m"):
        return _clock(flat, tokens, replace(bare, low=bare.low * 60, high=bare.high * 60), at)
    unit = UNITS.get(word.replace(" ", "")) or UNITS.get(word.replace(" ", "").lower())
    if unit is None:
        return bare, at
    dimension, factor = unit
    if dimension == "months" and _AGE.match(flat, tokens[at].end()):
        return replace(bare, end=tokens[at].end()), at + 1  # "33-year-old" is what "aged 33" says
    return _scaled(bare, tokens[at].end(), dimension, factor), at + 1


def _scaled(bare: Quantity, end: int, dimension: str, size: float) -> Quantity:
    """A bare number with its unit."""
    low, high, slack = (value * size for value in (bare.low, bare.high, bare.slack))
    return replace(bare, end=end, low=low, high=high, dimension=dimension, slack=slack)


def _token_behind(tokens: list[re.Match[str]], at: int, end: int) -> int:
    """The first token from `at` on that begins at or behind `end`."""
    return next((n for n in range(at, len(tokens)) if tokens[n].start() >= end), len(tokens))


def _clock(flat: str, tokens: list[re.Match[str]], bare: Quantity, at: int) -> tuple[Quantity, int]:
    """A time of day in minutes; "pm" adds twelve hours."""
    half = re.match(r"\s?([ap])\.?\s?m\b\.?", flat[bare.end : bare.end + 6], re.IGNORECASE)
    if half is None:
        return replace(bare, dimension="clock"), at
    shift = (720.0 if half.group(1) in "pP" else 0.0) - (720.0 if bare.low >= 720 else 0.0)
    end = bare.end + half.end()
    timed = replace(bare, end=end, low=bare.low + shift, high=bare.high + shift, dimension="clock")
    return timed, _token_behind(tokens, at, end)


def _ranges(flat: str, found: list[Quantity]) -> list[Quantity]:
    """Neighbours joined by a dash or "to" become one range; "from a to b" stays a change of two values.

    What stands once is of both: the unit and the thousands of "3-5 million years", the sign of "€10-20".
    """
    merged: list[Quantity] = []
    for quantity in found:
        last = merged[-1] if merged else None
        span = None if last is None else _range(flat, last, quantity)
        if span is None:
            merged.append(quantity)
        else:
            merged[-1] = span
    return merged


def _range(flat: str, first: Quantity, second: Quantity) -> Quantity | None:
    """The range of two neighbours, None where they are none."""
    low = first.low
    if first.dimension and not second.dimension and flat[first.start] in CURRENCY_SIGNS:
        second = replace(second, dimension=first.dimension)
        low *= shared_magnitude(low, second.low)
    if not _is_joined(flat, first, second):
        return None
    if not first.dimension:
        low = _in_unit(low, second)
    return replace(second, start=first.start, low=low) if low < second.high else None


def _in_unit(number: float, other: Quantity) -> float:
    """A bare number in the unit, the thousands and the half of the day of another quantity."""
    if other.dimension != "clock":
        unit = other.high / other.written if other.written else 1.0
        return number * unit * shared_magnitude(number, other.written)
    is_in_minutes = other.high - other.written in (0, _HALF_DAY)  # "9:30", not "9 pm"
    minutes = 60 * number + other.high - other.written * (1 if is_in_minutes else 60)
    return minutes - _HALF_DAY if minutes >= other.high else minutes


def _is_joined(flat: str, first: Quantity, second: Quantity) -> bool:
    between = flat[first.end : second.start]
    joined = _JOIN.fullmatch(between)
    if joined is None or first.low != first.high or first.spelled != second.spelled:
        return False
    if _FROM.search(flat, max(0, first.start - 8), first.start) or first.dimension not in ("", second.dimension):
        return False
    if _IN.search(flat, max(0, first.start - 8), first.start) and second.high >= 100 * first.high:
        return False
    return "and" not in between or _BETWEEN.search(flat, max(0, first.start - 12), first.start) is not None
