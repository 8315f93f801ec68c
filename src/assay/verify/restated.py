"""Claims that say what a source sentence says, with a date or a number written otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from assay.text import dates as date_text
from assay.text import quantities as quantity_text
from assay.text.tokens import fold, terms, word_spans
from assay.types import Span
from assay.verify.comparison import SAME_MATTER, Comparison, dates_in, overlaps, quantities_in

# Words that change with the way a date is written, and change nothing else.
_FREE = frozenset("a an the in on at of".split())


def restated(over: Comparison) -> bool:
    """Whether the claim is a source sentence but for values that agree with the sentence's, and articles.

    "Opened in 1932" restates "opened on 3 May 1932".
    """
    if over.copied is None:
        return False
    mine, theirs = over.claim.plain, over.copied.sentence.text
    agreeing = _agreeing(mine, theirs)
    own, held = [pair[0] for pair in agreeing], [pair[1] for pair in agreeing]
    return all(_free(mine, edit.mine, own) and _free(theirs, edit.theirs, held) for edit in over.copied.copy.edits)


def as_written(over: Comparison) -> str:
    """The claim's text with each date and number as the sentences nearest to it write it, where the two agree.

    What is counted is words: "2 lanes" has one fewer in common with "two lanes" than it says.
    """
    claim = over.claim.plain
    instead: dict[Span, str] = {}
    for near in over.near(SAME_MATTER):
        for own, held in _agreeing(claim, near.sentence.text):
            instead.setdefault(own, near.sentence.text[held.start : held.end])
    for own, theirs in sorted(_apart(instead).items(), key=lambda each: -each[0].start):
        if set(terms(claim[own.start : own.end])) - set(terms(theirs)):
            claim = claim[: own.start] + theirs + claim[own.end :]
    return over.claim.text if claim == over.claim.plain else claim


def _apart(instead: Mapping[Span, str]) -> dict[Span, str]:
    """Those that do not overlap, the longer first: the year of a date is no number of its own."""
    kept: dict[Span, str] = {}
    for own in sorted(instead, key=lambda each: each.start - each.end):
        if not any(overlaps(own, other) for other in kept):
            kept[own] = instead[own]
    return kept


def _agreeing(mine: str, theirs: str) -> list[tuple[Span, Span]]:
    """The places of dates and numbers that say the same in both texts."""
    dated = [
        (_span(one), _span(other))
        for one in dates_in(mine)
        for other in dates_in(theirs)
        if date_text.agree(one, other)
    ]
    counted = [
        (_span(one), _span(other))
        for one in quantities_in(mine)
        for other in quantities_in(theirs)
        if quantity_text.agree(one, other)
    ]
    return dated + counted


def _span(found: date_text.Date | quantity_text.Quantity) -> Span:
    return Span(found.start, found.end)


def _free(text: str, edited: Span, values: list[Span]) -> bool:
    """Whether every word of a stretch belongs to one of the values, or changes nothing."""
    for word in word_spans(text[edited.start : edited.end]):
        place = Span(edited.start + word.start, edited.start + word.end)
        if fold(text[place.start : place.end]) not in _FREE and not any(overlaps(place, each) for each in values):
            return False
    return True
