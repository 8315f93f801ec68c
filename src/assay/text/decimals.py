"""Numbers in digits: what their marks are worth, and which plain spaces part thousands."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from assay.text.number_words import VALUES
from assay.text.tokens import STOP_WORDS
from assay.text.units import CURRENCY_CODES, UNITS

_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?")
_GROUPED_OTHER = re.compile(r"\d{1,3}(?:[.'\u00a0\u202f]\d{3}){2,}(?:,\d+)?|\d{1,3}(?:[.'\u00a0\u202f]\d{3})+,\d+")
_SPACED = re.compile(r"\d{1,3}(?:['\u00a0\u202f]\d{3})+(?:[.,]\d+)?")
# No part of a name ("A4", "B-52") or of a row of numbers; a year may stand before.
_PLAIN_SPACED = re.compile(
    r"(?:(?<![\d,;:] )|(?<=(?<!\d)[12]\d{3} ))(?<![\w#§/:.,'\u00a0\u202f])(?<!\w-)"
    r"[1-9]\d{0,2}(?: \d{3}){1,4}(?!\d| ?/?\d|[.,:'\u00a0\u202f/]\d{3})(?![.,:/-]\d+[.,:/-]\d)"
)
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\.?\s\Z")
_NUMBER_BEFORE = re.compile(r"\d \Z")
_LABELS = frozenset(
    """page pages chapter section figure table no nos nr number numbers line version type model level day week year
    grade part step room gate class phase group route track lane article paragraph note item question season episode
    volume issue flight platform aged age january february march april may june july august september october
    november december jan feb mar apr jun jul aug sep sept oct nov dec""".split()
)
_OPENINGS = frozenset("about around approximately roughly nearly almost circa within another".split())
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
    """Whether the groups may be numbers of their own: "Brewlet 3 350 W", "5 100 m races"; none begins with 0."""
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
    """Whether a number right behind a word may number what the word names: "page 4", "Route 66"."""
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
