"""Claims that say what a source sentence says, with only a date or a number written otherwise."""

from __future__ import annotations

from assay.text import dates as date_text
from assay.text import quantities as quantity_text
from assay.text.tokens import fold, word_spans
from assay.types import Span
from assay.verify.comparison import Comparison, dates_in, overlaps, quantities_in

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
