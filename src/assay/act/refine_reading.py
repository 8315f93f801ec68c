"""A passage as the refiner and the selector read it: its sentences with their terms and names."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from assay.text.answer_types import candidates, names
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import AnswerType, Hit, Span

# A name of more words is a sentence in capitals.
_LONGEST = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: its text, its place in the passage's text, its terms, and its names but for those of dates."""

    text: str
    span: Span
    terms: frozenset[str]
    names: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A passage: its title without brackets, the title's terms, all its terms, and its sentences."""

    title: str
    titled: frozenset[str]
    terms: frozenset[str]
    lines: tuple[Line, ...]


def read(hit: Hit) -> Read:
    """The passage of a hit, without what is masked."""
    return _read(hit.passage.title, hit.readable)


# Two rounds and a choice read the same passages.
@lru_cache(maxsize=256)
def _read(title: str, text: str) -> Read:
    lines = tuple(_line(text, span) for span in sentences(text))
    titled = frozenset(terms(title))
    return Read(bare(title), titled, titled.union(*(each.terms for each in lines)), lines)


def _line(text: str, span: Span) -> Line:
    line = text[span.start : span.end]
    dates = candidates(line, AnswerType.DATE)
    named = tuple(
        each
        for each in names(line)
        if not any(date.start <= each.start < date.end for date in dates)
        and len(line[each.start : each.end].split()) <= _LONGEST
    )
    return Line(line, span, frozenset(terms(line)), named)


def bare(title: str) -> str:
    """A title without what tells it from another of the same name.

    >>> bare("Emma (novel)")
    'Emma'
    """
    return title.partition(" (")[0].strip()
