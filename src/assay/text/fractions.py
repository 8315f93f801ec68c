"""Halves, thirds and quarters: their values, and whether "a third" is one or counts what stands behind it."""

from __future__ import annotations

import re

from assay.text.number_words import FRACTIONS
from assay.text.tokens import STOP_WORDS
from assay.text.units import UNITS

_VULGAR = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅛": 1 / 8}
_AND_A_PART = re.compile(r"\sand\sa\s(?P<part>half|quarter)\b(?!\sof\b)", re.IGNORECASE)
_COUNTING = frozenset("third fourth fifth tenth".split())
_COUNTED = re.compile(r"\s(?P<noun>[^\W\d_]{3,})")
_BEHIND_A_SHARE = frozenset("more less fewer last next now each every than".split())


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
    """Whether "third" or its like, behind "a" and ending at `end`, gives a place in an order to a noun behind it.

    >>> counts("third", "A third call fails", 7), counts("third", "a third of it", 7)
    (True, False)
    """
    match = _COUNTED.match(text, end) if word in _COUNTING else None
    if match is None:
        return False
    noun = match["noun"].lower()
    return not (noun in STOP_WORDS or noun in UNITS or noun in _BEHIND_A_SHARE or noun.endswith("er"))
