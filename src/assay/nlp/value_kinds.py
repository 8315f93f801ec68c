"""Fit of a value to the kind that a question asks for: money, a time, a length, a person.

By words of the question and the shape of the value. What says nothing either way is open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from assay.nlp.answer_types import candidates, persons
from assay.nlp.lexicon import entries, word_class
from assay.nlp.quantities import quantities
from assay.nlp.tokens import fold, words
from assay.nlp.units import CENTS, CURRENCY_CODES, CURRENCY_SIGNS, UNITS
from assay.types import AnswerType


class KindFit(StrEnum):
    """The fit of a value to the kind asked for; OPEN where the question or the value tells no kind."""

    FITS = "fits"
    OPEN = "open"
    DOUBTFUL = "doubtful"
    CLASHES = "clashes"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A kind that questions ask for: what tells it, the kinds of value that fit it, and those that cannot."""

    phrases: tuple[str, ...]
    fitting: frozenset[str]
    clashing: frozenset[str]


_MONEY = frozenset(CURRENCY_SIGNS.values()) | CURRENCY_CODES | {CENTS}
_PERIODS = frozenset({"months", "seconds"})
_DEGREES = frozenset({"celsius", "fahrenheit", "degree"})
_TIMES = frozenset({"clock", "date", "period", "time words"})
_MEASURES = frozenset({"money", "mass", "length", "temperature", "percent", "bytes", "volume", "area", "speed"})
_CAPITAL = re.compile(r"\b[^\W\d_a-z]")
# Kinds that nothing beside them in a value makes another: "100 € a month" is no time.
_PLAIN = frozenset({"money", "mass", "temperature", "person"})


def kind_fit(question: str, value: str, header: str = "") -> KindFit:
    """The fit of the value, a cell under `header`, to the kind of value that the question asks for.

    >>> kind_fit("How long does it take?", "22 pounds"), kind_fit("How long does it take?", "2 days")
    (<KindFit.CLASHES: 'clashes'>, <KindFit.FITS: 'fits'>)
    >>> kind_fit("What does it cost?", "ask"), kind_fit("What is it?", "22 pounds")
    (<KindFit.OPEN: 'open'>, <KindFit.OPEN: 'open'>)
    """
    asked = _asked_kind(" ".join(words(question)))
    if asked is None or _is_without_value(value):
        return KindFit.OPEN
    kinds = _value_kinds(value, header)
    if kinds & asked.fitting and not kinds & asked.clashing & _PLAIN:
        return KindFit.FITS
    return KindFit.CLASHES if kinds & asked.clashing else KindFit.DOUBTFUL


def _asked_kind(question: str) -> _Asked | None:
    """The first kind, most telling first, of which the question has a phrase."""
    padded = f" {question} "
    return next((asked for asked in _asked_kinds() if any(f" {one} " in padded for one in asked.phrases)), None)


@cache
def _asked_kinds() -> tuple[_Asked, ...]:
    numbered = frozenset({"number", "period", "length", "mass", "volume", "area", "percent", "bytes"})
    text = frozenset({"capitals", "words", "code"})
    return (
        _Asked(entries("asked_kinds.person"), frozenset({"person", "capitals"}), _MEASURES | _TIMES | {"number"}),
        _Asked(entries("asked_kinds.clock"), _TIMES - {"date"}, _MEASURES | {"person", "date", "number"}),
        _Asked(entries("asked_kinds.date"), _TIMES, _MEASURES | {"person"}),
        _Asked(entries("asked_kinds.place"), text, _MEASURES | _TIMES | {"person"}),
        _Asked(entries("asked_kinds.temperature"), frozenset({"temperature"}), _ALL - {"temperature", "words"}),
        _Asked(entries("asked_kinds.mass"), frozenset({"mass"}), _ALL - {"mass", "number", "words", "capitals"}),
        _Asked(entries("asked_kinds.age"), frozenset({"number", "period"}), _ALL - {"number", "period", "words"}),
        _Asked(
            entries("asked_kinds.length"),
            frozenset({"length", "number", "area", "volume", "percent", "bytes"}),
            _TIMES | {"money", "mass", "person", "temperature"},
        ),
        _Asked(
            entries("asked_kinds.duration"),
            _TIMES | {"length", "speed"},
            frozenset({"money", "mass", "person", "temperature", "percent", "bytes"}),
        ),
        _Asked(
            entries("asked_kinds.frequency"),
            frozenset({"time words", "times", "period", "number"}),
            _MEASURES | {"person", "clock"},
        ),
        _Asked(
            entries("asked_kinds.money"),
            frozenset({"money", "number"}),
            _TIMES | {"length", "mass", "person", "temperature", "volume", "code"},
        ),
        _Asked(entries("asked_kinds.count"), numbered, frozenset({"clock", "money", "person", "date", "code"})),
        _Asked(entries("asked_kinds.amount"), numbered | {"money"}, frozenset({"clock", "date", "person", "code"})),
    )


_ALL = _MEASURES | _TIMES | {"number", "person", "capitals", "words", "code", "times"}


def _is_without_value(value: str) -> bool:
    """True if a cell says that there is no value, or one that is no amount: "none", "by agreement"."""
    said = fold(value.strip(" ."))
    beginnings = tuple(f"{words} " for words in entries("without_value.beginnings"))
    return said in word_class("without_value.whole") or f"{said} ".startswith(beginnings)


@lru_cache(maxsize=1 << 10)
def _value_kinds(value: str, header: str) -> frozenset[str]:
    """The kinds that a value may be of; the unit of a bare number may stand in the header."""
    found = {_kind(amount.dimension) for amount in quantities(value)}
    if candidates(value, AnswerType.DATE):
        found.add("date")
    if not word_class("time.words").isdisjoint(words(value)):
        found.add("time words")
    if persons(value):
        found.add("person")
    if found == {"number"}:
        found = set(_units_in(header)) or found
        if not value.strip().isdecimal() and " " not in value.strip():
            found = {"code"} if any(map(str.isalpha, value)) else found
    if not found:
        found.add("capitals" if _CAPITAL.search(value) else "words")
    return frozenset(found)


def _units_in(header: str) -> Iterator[str]:
    """The kinds of the units that a column's name has."""
    named = (UNITS.get(word) for word in words(header))
    return (_kind(unit[0]) for unit in named if unit is not None)


def _kind(dimension: str) -> str:
    """The kind of an amount by its dimension."""
    for kind, dimensions in (("money", _MONEY), ("period", _PERIODS), ("temperature", _DEGREES)):
        if dimension in dimensions:
            return kind
    return dimension or "number"
