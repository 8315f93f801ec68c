"""What stands around a number and changes what it says: at least and at most, per month and per year."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from assay.text import quantities as quantity_text
from assay.text.negation import negations
from assay.text.quantities import Quantity
from assay.types import Check, FindingKind, Span
from assay.verify.comparison import SAME_MATTER, Comparison, quantities_in
from assay.verify.sources import SourceSentence, source_span

Side = Literal["from", "to"]

_MOST = (
    r"(?:at most|up to|(?:no|not|never) (?:more|longer|greater|higher) than|a maximum of|less than|fewer than"
    r"|under|below)"
)
_LEAST = r"(?:at least|(?:no|not|never) (?:less|fewer|lower) than|a minimum of|more than|over|above)"
_BEFORE = re.compile(rf"\b(?:(?P<to>{_MOST})|(?P<from>{_LEAST}))\s+(?:the\s+)?[$€£¥₹]?\Z", re.IGNORECASE)
_BEHIND = re.compile(
    r"\s+(?:[a-z]+\s+)?or\s+(?:(?P<from>more|longer|above)|(?P<to>less|fewer|below))\b", re.IGNORECASE
)
# How far before a number what bounds it is looked for.
_REACH = 40
_UNITS = {
    "second": "second",
    "minute": "minute",
    "hour": "hour hourly",
    "day": "day daily",
    "week": "week weekly",
    "month": "month monthly",
    "quarter": "quarter quarterly",
    "year": "year yearly annum annual annually",
}
_PERIODS = {word: period for period, words in _UNITS.items() for word in words.split()}
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

# How a cause tells them.
_WORDED = {"from": "as the least", "to": "as the most", **{each: f"by the {each}" for each in _UNITS}}


def limited(over: Comparison) -> list[Check]:
    """A failed check for each number that is a least in the claim and a most in its source, or the other way round.

    Where only one of the two sentences denies something, "not over" may well be "up to", and nothing is said.
    """
    return _apart(over, "comparison", _side, FindingKind.CONTRADICTED, may_deny=False)


def timed(over: Comparison) -> list[Check]:
    """A failed check for each number that the source has by another unit of time: 20 euros a year, not a month."""
    return _apart(over, "numbers", _period, FindingKind.WRONG_NUMBER, may_deny=True)


def _apart(
    over: Comparison, name: str, told: Callable[[str, Quantity], str | None], kind: FindingKind, *, may_deny: bool
) -> list[Check]:
    checks = []
    for mine in quantities_in(over.claim.plain):
        said = told(over.claim.plain, mine)
        beside = _beside(over, mine) if said else None
        if beside is None or not (may_deny or _denies(beside[0].text) == _denies(over.claim.plain)):
            continue
        sentence, theirs = beside
        there = [found for each in theirs if (found := told(sentence.text, each)) is not None]
        if said is None or len(there) < len(theirs) or said in there:
            continue
        place = source_span(sentence.passage, sentence.start + theirs[0].start, sentence.start + theirs[0].end)
        number = over.claim.plain[mine.start : mine.end]
        cause = f"the answer gives {number!r} {_WORDED[said]}, the source {_WORDED[there[0]]}"
        checks.append(over.wrong(name, cause, Span(mine.start, mine.end), kind, place))
    return checks


def _beside(over: Comparison, mine: Quantity) -> tuple[SourceSentence, list[Quantity]] | None:
    """The nearest sentence that has the number, and each place where it has it."""
    for near in over.near(SAME_MATTER):
        found = [each for each in quantities_in(near.sentence.text) if quantity_text.agree(mine, each)]
        if found:
            return near.sentence, found
    return None


def _denies(text: str) -> bool:
    """Whether a text denies anything, apart from "no more than" and its like."""
    return any(not re.match(_MOST + "|" + _LEAST, text[each.start :], re.IGNORECASE) for each in negations(text))


def _side(text: str, number: Quantity) -> Side | None:
    """Whether a number is the least or the most of what is said; None where it is the number itself.

    >>> _side("It has up to 64 ports.", quantities_in("It has up to 64 ports.")[0])
    'to'
    """
    match = _BEFORE.search(text[max(0, number.start - _REACH) : number.start]) or _BEHIND.match(text, number.end)
    if match is None:
        return None
    return "from" if match["from"] else "to"


def _period(text: str, number: Quantity) -> str | None:
    """The unit of time by which a number is given; None where none is.

    >>> _period("It costs 20 euros per month.", quantities_in("It costs 20 euros per month.")[0])
    'month'
    """
    match = _EACH.match(text, number.end)
    if match:
        return _PERIODS[(match["noun"] or match["adverb"]).lower()]
    spoken = _SPOKEN.search(text[max(0, number.start - _REACH) : number.start])
    return _PERIODS[spoken["word"].lower()] if spoken else None
