"""Words that change a number's meaning: at least, at most, per month, a list's mark, a unit left out."""

from __future__ import annotations

import math
import re
from typing import Literal

from assay.nlp.analysis import analyse, overlaps
from assay.nlp.quantities import Quantity, comparable
from assay.nlp.units import UNITS

Side = Literal["from", "to"]

_MOST = (
    r"(?:at most|up to|(?:no|not|never) (?:more|longer|greater|higher) than|a maximum of|less than|fewer than"
    r"|under|below)"
)
_LEAST = r"(?:at least|(?:no|not|never) (?:less|fewer|lower) than|a minimum of|more than|over|above)"
BOUND = re.compile(rf"{_MOST}|{_LEAST}", re.IGNORECASE)
_BEFORE = re.compile(rf"\b(?:(?P<to>{_MOST})|(?P<from>{_LEAST}))\s+(?:the\s+)?[$€£¥₹]?\Z", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s+(?:[a-z]+\s+)?or\s+(?:(?P<from>more|longer|above)|(?P<to>less|fewer|below))\b", re.IGNORECASE
)
# The characters before a number in which its bound is looked for.
_REACH = 40
PERIODS = {
    "second": "second",
    "minute": "minute",
    "hour": "hour hourly",
    "day": "day daily",
    "week": "week weekly",
    "month": "month monthly",
    "quarter": "quarter quarterly",
    "year": "year yearly annum annual annually",
}
_PERIODS = {word: period for period, words in PERIODS.items() for word in words.split()}
_NOUNS = "second|minute|hour|day|week|month|quarter|year|annum"
_ADVERBS = "hourly|daily|weekly|monthly|quarterly|yearly|annually"
_EACH = re.compile(
    rf"(?:\s+per\s+(?!(?:{_NOUNS})\b)[a-z]+)?(?:\s*/\s*|\s+(?:per|an?|each|every|in\s+each)\s+)(?P<noun>{_NOUNS})\b"
    rf"|\s+(?P<adverb>{_ADVERBS})\b",
    re.IGNORECASE,
)
# "The monthly rent is 4,200 euros": the word, a few others, and no other number between.
_SPOKEN = re.compile(
    r"\b(?P<word>hourly|daily|weekly|monthly|quarterly|yearly|annual)\s(?:[^\W\d_]+\s){1,4}[$€£¥₹]?\Z",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\s*\d{1,3}[.)]\s+")


def bound_of(text: str, number: Quantity) -> Side | None:
    """The bound that a number is, least or most of what is said; None where it is the number itself.

    >>> bound_of("It has up to 64 ports.", analyse("It has up to 64 ports.").quantities[0])
    'to'
    """
    match = _BEFORE.search(text[max(0, number.start - _REACH) : number.start]) or _BEHIND.match(text, number.end)
    if match is None:
        return None
    return "from" if match["from"] else "to"


def period_of(text: str, number: Quantity) -> str | None:
    """The unit of time by which a number is given; None where none is.

    >>> period_of("It costs 20 euros per month.", analyse("It costs 20 euros per month.").quantities[0])
    'month'
    """
    match = _EACH.match(text, number.end)
    if match:
        return _PERIODS[(match["noun"] or match["adverb"]).lower()]
    spoken = _SPOKEN.search(text[max(0, number.start - _REACH) : number.start])
    return _PERIODS[spoken["word"].lower()] if spoken else None


def undated(text: str) -> list[Quantity]:
    """The quantities of a text that are no part of a date, and do not count the text itself ("3.", "Third,")."""
    dated, mark = analyse(text).dates, _LIST_MARK.match(text)
    begins = mark.end() if mark else 0
    found = [quantity for quantity in analyse(text).quantities if quantity.start >= begins]
    if found and _counts_sentences(text, found[0], begins):
        del found[0]
    return [one for one in found if not any(overlaps(one, date) for date in dated)]


def _counts_sentences(text: str, first: Quantity, begins: int) -> bool:
    """True if an ordinal stands alone before the comma that opens the sentence."""
    return first.dimension == "ordinal" and not text[begins : first.start].strip() and text[first.end :][:1] == ","


def lacks_unit(stated: Quantity, stored: Quantity) -> bool:
    """True if the source has the number bare, as tables and lists do, or both are pounds, money and weight."""
    if {stated.dimension, stored.dimension} == {"GBP", "mass"}:
        money, mass = (stated, stored) if stated.dimension == "GBP" else (stored, stated)
        return math.isclose(mass.low, money.low * UNITS["lb"][1])
    return bool(stated.dimension) and not stored.dimension and stated.written == stored.low == stored.high


def differs_by_point(stated: Quantity, stored: Quantity) -> bool:
    """True if one of two is the other with its point read as one between thousands: "4.200 Euro" is 4,200 euros."""
    less, more = sorted((stated, stored), key=lambda one: one.written)
    if not less.written or less.low != less.high or more.written != round(1000 * less.written, 6):
        return False
    places = less.slack * less.written / less.low  # half of the last place, before the unit
    return comparable(stated, stored) and abs(places - 0.0005) < 1e-9
