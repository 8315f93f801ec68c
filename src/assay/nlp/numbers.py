"""Numbers in digits: what their marks are worth, and which plain spaces part thousands."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from assay.nlp.lexicon import word_class
from assay.nlp.tokens import STOP_WORDS
from assay.nlp.units import CURRENCY_CODES, UNITS

# The values of number words and numerals.


_SMALL = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
VALUES: dict[str, float] = {"zero": 0.0}
VALUES |= {word: float(n) for n, word in enumerate(_SMALL.split(), 1)}
VALUES |= {word: float(10 * n) for n, word in enumerate(_TENS.split(), 2)}
_ORDINAL_WORDS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
ORDINALS = {word: float(n) for n, word in enumerate(_ORDINAL_WORDS.split(), 1)}
MULTIPLES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
# Single letters count in exactly this case and only right behind the digits ("3.5m"), "b" for billion.
MAGNITUDES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0,
    "thousands": 1e3, "millions": 1e6, "billions": 1e9, "score": 20.0, "lakh": 1e5, "crore": 1e7,
    "mn": 1e6, "mln": 1e6, "mio": 1e6, "bn": 1e9, "bln": 1e9, "tn": 1e12, "trn": 1e12,
    "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "b": 1e9, "B": 1e9,
}  # fmt: skip
FRACTIONS = {
    "half": 1 / 2, "halves": 1 / 2, "third": 1 / 3, "thirds": 1 / 3, "quarter": 1 / 4, "quarters": 1 / 4,
    "fourth": 1 / 4, "fourths": 1 / 4, "fifth": 1 / 5, "fifths": 1 / 5, "tenth": 1 / 10, "tenths": 1 / 10,
}  # fmt: skip
_CJK_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
}
_CJK_SMALL = {"十": 10, "百": 100, "千": 1000}
_CJK_LARGE = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "兆": 1e12}
CJK_NUMERALS = "".join([*_CJK_DIGITS, *_CJK_SMALL, *_CJK_LARGE])


def cjk_value(numerals: str) -> float:
    """The value of CJK numerals, positional ("二〇二一") or with magnitudes ("三百五十万"); NaN when neither.

    >>> cjk_value("三百五十万"), cjk_value("二〇二一"), cjk_value("十二")
    (3500000.0, 2021.0, 12.0)
    """
    if numerals.isascii() and numerals.isdigit():
        return float(numerals)
    if len(numerals) > 24:
        return float("nan")
    if all(character in _CJK_DIGITS for character in numerals):
        return float("".join(str(_CJK_DIGITS[character]) for character in numerals))
    total, group, digit = 0.0, 0.0, 0.0
    for character in numerals:
        if character in _CJK_DIGITS:
            digit = float(_CJK_DIGITS[character])
        elif character in _CJK_SMALL:
            group, digit = group + (digit or 1.0) * _CJK_SMALL[character], 0.0
        elif character in _CJK_LARGE:
            total, group, digit = (total + (group + digit or 1.0)) * _CJK_LARGE[character], 0.0, 0.0
        else:
            return float("nan")
    return total + group + digit


_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?")
_GROUPED_OTHER = re.compile(r"\d{1,3}(?:[.'\u00a0\u202f]\d{3}){2,}(?:,\d+)?|\d{1,3}(?:[.'\u00a0\u202f]\d{3})+,\d+")
_SPACED = re.compile(r"\d{1,3}(?:['\u00a0\u202f]\d{3})+(?:[.,]\d+)?")
# No part of a name ("A4", "B-52") or of a row of numbers; a year may stand before.
_PLAIN_SPACED = re.compile(
    r"(?:(?<![\d,;:] )|(?<=(?<!\d)[12]\d{3} ))(?<![\w#§/:.,'\u00a0\u202f])(?<!\w-)"
    r"[1-9]\d{0,2}(?: \d{3}){1,4}(?!\d| ?/?\d|[.,:'\u00a0\u202f/]\d{3})(?![.,:/-]\d+[.,:/-]\d)"
)
_WORD_BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]++)\.?\s\Z")
_NUMBER_BEFORE = re.compile(r"\d \Z")
_LABELS = word_class("numbers.labels")
_OPENINGS = word_class("numbers.approximations")
_COUNTED_BEHIND = re.compile(r"[ \u00a0]?([^\W\d_]{1,12})[ -]([^\W\d_]{2,20})\b|-[^\W\d_]")
_SOMETHING_BEHIND = re.compile(r"[.,]?\d*[ \u00a0]?[^\W\d_%$€£¥₹]")


def decimal(word: str) -> tuple[float, float] | None:
    """The value of a number in digits and the value of its last decimal place (0 for an integer).

    >>> decimal("1,234.5"), decimal("3,5"), decimal("3.1.2")
    ((1234.5, 0.1), (3.5, 0.1), None)
    """
    if len(word) > 40:
        return None
    if _GROUPED.fullmatch(word):
        plain = word.replace(",", "")
    elif _GROUPED_OTHER.fullmatch(word) or _SPACED.fullmatch(word):
        marks = word.translate(str.maketrans("", "", "'\u00a0\u202f"))
        plain = marks.replace(".", "").replace(",", ".") if "," in marks or marks.count(".") > 1 else marks
    elif word.count(".") + word.count(",") <= 1 and not any(mark in word for mark in "'\u00a0\u202f"):
        plain = word.replace(",", ".")
    else:
        return None
    places = len(plain.partition(".")[2])
    return float(plain), 10.0**-places if places else 0.0


def joined(text: str) -> tuple[str, Mapping[int, tuple[float, ...]]]:
    """The text with no-break spaces for the plain ones between thousands, and the groups of numbers in doubt.

    Those are given by the number's start: where the groups may be numbers of their own as well.

    >>> joined("48 300 inhabitants")
    ('48\\xa0300 inhabitants', {})
    >>> joined("in 2020 300 people ran"), joined("five 5 100 m races")[1]
    (('in 2020 300 people ran', {}), {5: (5.0, 100.0)})
    """
    doubtful: dict[int, tuple[float, ...]] = {}

    def with_no_break_spaces(match: re.Match[str]) -> str:
        groups = match.group().split(" ")
        if _in_doubt(text, match, groups):
            doubtful[match.start()] = tuple(float(group) for group in groups)
        return "\u00a0".join(groups)

    return _PLAIN_SPACED.sub(with_no_break_spaces, text), doubtful


def _in_doubt(text: str, match: re.Match[str], groups: list[str]) -> bool:
    """True if the groups may be numbers of their own: "Brewlet 3 350 W", "5 100 m races"; none begins with 0."""
    if any(group[0] == "0" for group in groups):
        return False
    start = match.start()
    before = _WORD_BEFORE.search(text, max(0, start - 24), start)
    if _NUMBER_BEFORE.search(text, max(0, start - 2), start) or (before and _numbers_something(before[1])):
        return True
    if len(groups) > 2 and _SOMETHING_BEHIND.match(text, match.end()) is None:
        return True
    behind = _COUNTED_BEHIND.match(text, match.end())
    if behind is None or behind[1] is None:
        return behind is not None
    noun = behind[2].lower()
    return (behind[1] in UNITS or behind[1].lower() in UNITS) and noun.endswith("s") and noun not in STOP_WORDS


def _numbers_something(word: str) -> bool:
    """True if a number right behind a word may number what the word names: "page 4", "Route 66"."""
    lower = word.lower()
    if lower in _LABELS or lower in VALUES:
        return True
    names = word[0].isupper() and word not in CURRENCY_CODES
    return names and lower not in STOP_WORDS and lower not in _OPENINGS


def shared_magnitude(low: float, high: float) -> float:
    """The thousands that the "3" of "3-5 million" shares with what stands behind it.

    >>> shared_magnitude(3, 5e6), shared_magnitude(3, 5)
    (1000000.0, 1.0)
    """
    if low == 0 or high == 0 or abs(high) < 100 * abs(low):
        return 1.0
    return float(10 ** (3 * math.floor(math.log10(abs(high / low)) / 3)))


# Halves, thirds and quarters: their values, and whether "a third" is one or counts what stands behind it.


_VULGAR = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅛": 1 / 8}
_AND_A_PART = re.compile(r"\sand\sa\s(?P<part>half|quarter)\b(?!\sof\b)", re.IGNORECASE)
_COUNTING = word_class("numbers.counting_ordinals")
_COUNTED = re.compile(r"\s(?P<noun>[^\W\d_]{3,})")
_BEHIND_A_SHARE = word_class("numbers.behind_a_share")


def fraction(written: str) -> float | None:
    """The value of "½" or "1/2"; None where it divides by zero.

    >>> fraction("¾"), fraction("1/8"), fraction("1/0")
    (0.75, 0.125, None)
    """
    if written in _VULGAR:
        return _VULGAR[written]
    top, bottom = (int(part) for part in written.split("/"))
    return top / bottom if bottom else None


def part_behind(text: str, end: int) -> tuple[float, int] | None:
    """The part that goes with a number in words that ends at `end`, and where it ends; None where there is none.

    >>> part_behind("two and a half hours", 3), part_behind("two and a half of them", 3)
    ((0.5, 14), None)
    """
    match = _AND_A_PART.match(text, end)
    return None if match is None else (FRACTIONS[match["part"].lower()], match.end())


def counts(word: str, text: str, end: int) -> bool:
    """True if "third" or its like, behind "a" and ending at `end`, gives a place in an order to a noun behind it.

    >>> counts("third", "A third call fails", 7), counts("third", "a third of it", 7)
    (True, False)
    """
    match = _COUNTED.match(text, end) if word in _COUNTING else None
    if match is None:
        return False
    noun = match["noun"].lower()
    return not (noun in STOP_WORDS or noun in UNITS or noun in _BEHIND_A_SHARE or noun.endswith("er"))
