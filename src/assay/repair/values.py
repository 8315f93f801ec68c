"""The values of a claim, and those that a source has in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose
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
# "I'd" has a capital, and names nobody; whether "Ada" or "Ada's" is meant, no source tells.
_WITH_APOSTROPHE = re.compile(r"['’](?:s|d|m|ll|ve)?\Z", re.IGNORECASE)
# A difference or a sum is the writer's own count.
_DIFFERENCE = re.compile(r"[\s-](?:more|fewer|less)\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(?:com(?:es?|ing)|amount(?:s|ing)?|add(?:s|ing)? up) to\b|\bwork(?:s|ing)? out\b", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value of a text and where it stands."""

    kind: Kind
    place: Span
    value: Date | Quantity | Name


def stated_values(text: str) -> tuple[StatedValue, ...]:
    """The values of a claim that may be exchanged.

    A number written as a word, a difference and a sum are their writer's own counts, and the one capitalised
    word that opens a sentence may be no name. They are left, as is what is quoted, a range or a possessive.

    >>> text = "In 1894 the two towers of Horace Jones were 65 m high."
    >>> [text[each.place.start : each.place.end] for each in stated_values(text)]
    ['1894', '65 m', 'Horace Jones']
    """
    found: list[StatedValue] = [StatedValue("date", Span(each.start, each.end), each) for each in dates(text)]
    dated = [each.place for each in found]
    for number in quantities(text):
        if _is_one(number) and not _is_own_count(text, number) and not _within(number, dated):
            found.append(StatedValue("quantity", Span(number.start, number.end), number))
    for name in names(text):
        if not name.opens and not _is_possessive(text, name) and not _within(name, dated):
            found.append(StatedValue("name", Span(name.start, name.end), name))
    quoted = [Span(*match.span()) for match in UNTOUCHED.finditer(text)]
    return tuple(each for each in found if not _within(each.place, quoted))


def others(mine: StatedValue, said: str, source: str) -> dict[str, tuple[Span, ...]]:
    """The values of a source that may stand in the place of one of a claim, each with where the source has it.

    They are written as the source does, but for a unit that the claim, `said`, writes otherwise. What says the same
    as the claim's own value is none of them.

    >>> said = "It is 65 metres high."
    >>> [*others(stated_values(said)[0], said, "Its height of 70 m is well known.")]
    ['70 metres']
    """
    found: dict[str, list[Span]] = {}
    for span, value in _of_kind(mine, said, source):
        found.setdefault(value, []).append(span)
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


def _of_kind(mine: StatedValue, said: str, source: str) -> Iterator[tuple[Span, str]]:
    """The source's values of the kind of the claim's, with the words for them."""
    own = mine.value
    if isinstance(own, Date):
        for date in dates(source):
            if (date.month is None, date.day is None) == (own.month is None, own.day is None):
                yield Span(date.start, date.end), source[date.start : date.end]
    elif isinstance(own, Quantity):
        spans = [Span(each.start, each.end) for each in dates(source)]
        for number in quantities(source):
            alike = comparable(own, number) and number.low == number.high
            if alike and not agree(own, number) and not _within(number, spans):
                yield Span(number.start, number.end), _in_its_unit(own, said, number, source)
    else:
        for name in names(source):
            if not name.opens and len(name.words) <= _MOST_WORDS and not _is_possessive(source, name):
                yield Span(name.start, name.end), source[name.start : name.end]


def _in_its_unit(own: Quantity, said: str, number: Quantity, source: str) -> str:
    """The source's number with the claim's unit where both are the same, else with its own."""
    mine, theirs = said[own.start : own.end], source[number.start : number.end]
    old, new = _DIGITS.findall(mine), _DIGITS.findall(theirs)
    known = len(old) == len(new) == 1 and own.written and number.written
    same = known and isclose(own.low / own.written, number.low / number.written)
    return mine.replace(old[0], new[0], 1) if same else theirs


def _is_one(number: Quantity) -> bool:
    """Whether it is one number, in digits."""
    return not number.spelled and number.low == number.high


def _is_own_count(text: str, number: Quantity) -> bool:
    """Whether the text says that the number was worked out."""
    return _DIFFERENCE.match(text, number.end) is not None or _SUM.search(text, 0, number.start) is not None


def _is_possessive(text: str, name: Name) -> bool:
    return _WITH_APOSTROPHE.search(text, name.start, name.end) is not None or text.startswith(("'", "’"), name.end)


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
