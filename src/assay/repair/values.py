"""The values of a claim, and those that a source has in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assay.text.dates import Date, dates
from assay.text.names import Name, names
from assay.text.quantities import Quantity, agree, comparable, quantities
from assay.text.tokens import fold, word_spans, words
from assay.types import Span

Kind = Literal["date", "quantity", "name"]
# Nobody's words are changed within quotation marks, nor code.
UNTOUCHED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|`[^`\n]+`")
# A longer run of capitals is a heading, or the links of a page.
_MOST_WORDS = 5
# "I'd" has a capital, and names nobody.
_ME = re.compile(r"i['’](?:d|m|ll|ve)\Z")


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of a text and where it stands."""

    kind: Kind
    place: Span
    value: Date | Quantity | Name


def stated(text: str) -> tuple[Stated, ...]:
    """The values of a claim that may be exchanged.

    A number that is written as a word is its writer's own count, the one capitalised word that opens a sentence may
    be no name, and what is quoted is left.

    >>> text = "In 1894 the two towers of Horace Jones were 65 m high."
    >>> [text[each.place.start : each.place.end] for each in stated(text)]
    ['1894', '65 m', 'Horace Jones']
    """
    found: list[Stated] = [Stated("date", Span(each.start, each.end), each) for each in dates(text)]
    dated = [each.place for each in found]
    for number in quantities(text):
        if not number.spelled and not _within(number, dated):
            found.append(Stated("quantity", Span(number.start, number.end), number))
    for name in names(text):
        if not name.opens and not _within(name, dated):
            found.append(Stated("name", Span(name.start, name.end), name))
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(text)]
    return tuple(each for each in found if not _within(each.place, quoted))


def others(mine: Stated, source: str) -> dict[str, tuple[Span, ...]]:
    """The values of a source that may stand in the place of one of a claim, each with where the source has it.

    They are written as the source does. What says the same as the claim's own value is none of them.
    """
    found: dict[str, list[Span]] = {}
    for span in _of_kind(mine, source):
        found.setdefault(source[span.start : span.end], []).append(span)
    return {value: tuple(spans) for value, spans in found.items()}


def places(value: str, source: str) -> tuple[Span, ...]:
    """Where the words of a value stand in a source."""
    wanted, there = words(value), list(word_spans(source))
    said = [fold(source[each.start : each.end]) for each in there]
    return tuple(
        Span(there[at].start, there[at + len(wanted) - 1].end)
        for at in range(len(said) - len(wanted) + 1)
        if wanted and said[at : at + len(wanted)] == wanted
    )


def _of_kind(mine: Stated, source: str) -> Iterator[Span]:
    own = mine.value
    if isinstance(own, Date):
        for date in dates(source):
            if (date.month is None, date.day is None) == (own.month is None, own.day is None):
                yield Span(date.start, date.end)
    elif isinstance(own, Quantity):
        spans = [Span(each.start, each.end) for each in dates(source)]
        for number in quantities(source):
            alike = comparable(own, number) and (own.low == own.high) == (number.low == number.high)
            if alike and not agree(own, number) and not _within(number, spans):
                yield Span(number.start, number.end)
    else:
        for name in names(source):
            if not name.opens and len(name.words) <= _MOST_WORDS and not _ME.match(" ".join(name.words)):
                yield Span(name.start, name.end)


class _Placed(Protocol):
    """Something at its place."""

    @property
    def start(self) -> int:
        """Its first character."""

    @property
    def end(self) -> int:
        """Behind its last."""


def _within(value: _Placed, spans: Sequence[Span]) -> bool:
    return any(value.start < each.end and each.start < value.end for each in spans)
