"""The values that a passage gives for what is asked, and how firmly each is tied to the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.judge.contradictions_asked import Asked, Shape
from assay.judge.contradictions_lines import Line, lines_of, of_another_year, thing_in
from assay.judge.contradictions_names import Place, person_places, place_places
from assay.judge.contradictions_shapes import date_places, kind_places, listed_places, name_places, number_places
from assay.judge.contradictions_stated import stated_places
from assay.text.names import names
from assay.text.tokens import terms, words

# Of a longer passage only the beginning is read.
LONGEST = 3000
MOST_WORDS = 8
# What a value keeps of its strength where its sentence tells nothing of the thing, and where its passage does not.
WITHOUT_SENTENCE, WITHOUT_PASSAGE = 0.8, 0.6
# And where its sentence leaves out a number of the thing: season 1 is not season 5.
WITHOUT_NUMBER = 0.8
_LONGEST_COUNT = 2
# The share of the thing's words, by rarity, that a passage must name to speak of it.
NAMED = 0.5
# A value of at least this strength of its own, in a sentence that tells the whole attribute, in a passage without a
# title: what it counts for where the passage does not name the thing.
SURE, UNNAMED = 0.9, 0.72

_FINDERS: Mapping[Shape, Callable[[Asked, Line], Iterator[Place]]] = MappingProxyType(
    {
        Shape.DATE: date_places,
        Shape.NUMBER: number_places,
        Shape.PERSON: person_places,
        Shape.PLACE: place_places,
        Shape.LISTED: listed_places,
        Shape.KIND: kind_places,
        Shape.NAME: name_places,
    }
)
# What a sentence may also state outright.
_STATED = frozenset({Shape.NUMBER, Shape.PERSON, Shape.PLACE, Shape.NAME})


@dataclass(frozen=True, slots=True)
class Value:
    """A stretch of a passage of at most 8 words, `text` from `start`, and how firmly it is tied, 0 to 1."""

    text: str
    start: int
    strength: float


@dataclass(frozen=True, slots=True)
class Given:
    """What one passage gives: `about` is the share of the thing that it names, `values` are firmest first."""

    about: float
    values: tuple[Value, ...]


def given(asked: Asked, title: str, text: str) -> Given:
    """The values that a passage may give for what is asked.

    >>> from assay.judge.contradictions_asked import asked_by
    >>> from assay.types import Question
    >>> asked = asked_by(Question("When was Ann Lee born?", "When was Ann Lee born?"))
    >>> [value.text for value in given(asked, "", "Ann Lee was born on 3 May 1950. She moved.").values]
    ['3 May 1950']
    """
    lines = lines_of(asked, text[:LONGEST])
    about = thing_in(asked, frozenset(terms(title)).union(*(line.held for line in lines)))
    said = frozenset(terms(asked.text))
    found = (value for line in lines for value in _of_line(asked, said, line, about, bool(title)))
    return Given(about, tuple(sorted(found, key=lambda value: (-value.strength, value.start))))


def _of_line(asked: Asked, said: frozenset[str], line: Line, about: float, titled: bool) -> Iterator[Value]:
    """The values of one sentence that say something new, beyond the question's terms, in few words."""
    for start, end, strength in _places(asked, line):
        text = line.text[start:end].strip()
        new = not said.issuperset(terms(text) or words(text))
        if text and new and len(text.split()) <= MOST_WORDS:
            indent = len(line.text[start:end]) - len(line.text[start:end].lstrip())
            # The middle of a text about the thing need not name it; a title would say what it is about.
            whole = not titled and about < NAMED and strength >= SURE and _tells_of_nobody_else(line, start)
            yield Value(
                text, line.start + start + indent, UNNAMED if whole else strength * _tie(asked, line, about)
            )


def _places(asked: Asked, line: Line) -> Iterator[Place]:
    """Where values of the shape that is asked for stand; a number with its unit, and not that of another year."""
    if asked.shape is Shape.NUMBER and of_another_year(asked, line):
        return
    yield from _FINDERS[asked.shape](asked, line)
    if asked.shape in _STATED:
        yield from stated_places(asked, line)


def _tells_of_nobody_else(line: Line, start: int) -> bool:
    """Whether a sentence tells the whole attribute and names nothing before the value, behind its first word."""
    return line.attribute == 1.0 and not any(each.end <= start and not each.opens for each in names(line.text))


def _tie(asked: Asked, line: Line, about: float) -> float:
    """What a value keeps of its strength, for what its sentence and its passage tell of the thing."""
    by_sentence = WITHOUT_SENTENCE + (1 - WITHOUT_SENTENCE) * line.thing
    by_passage = WITHOUT_PASSAGE + (1 - WITHOUT_PASSAGE) * about
    numbers = frozenset(term for term in asked.thing if term.isdigit() and len(term) <= _LONGEST_COUNT)
    return by_sentence * by_passage * (1.0 if numbers <= line.held else WITHOUT_NUMBER)
