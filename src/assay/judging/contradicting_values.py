"""The values that a passage gives for the attribute asked for, with the strength of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.judging.contradiction_terms import (
    NAME,
    NATIONALITY,
    AskedAttribute,
    Line,
    Place,
    Shape,
    lines_of,
    of_another_year,
    person_places,
    place_places,
    thing_share,
)
from assay.nlp.dates import Date, dates
from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.quantities import Quantity, quantities
from assay.nlp.tokens import terms, words

# Values stated directly: "the capital of X is V", "V is the capital of X", "it costs 40 euros".


# The least share of the thing's words, weighted by rarity, that the subject must contain.
SUBJECT = 0.6
STATED, INVERTED = 0.9, 0.85
# A number may begin this many characters after the verb: "is set at about 40 euros".
_REACH = 25
_VERB = re.compile(
    r"\b(?:is|was|are|were|remains?|became|costs?|lasts?|weighs?|measures?|lies|rises to|amounts? to|stands at)\b"
)
# A rate that extends a unit: "60 km/h", "40 euros a year".
_RATE = re.compile(r"/[a-z]{1,4}\b|\s(?:per|an?)\s(?:second|minute|hour|day|week|month|year|night|person|head)\b")
_NAMED = re.compile(rf"\s+(?:the\s+(?=[A-Z])|called\s+|named\s+)?(?P<value>{NAME})")
_OPENING = re.compile(rf"\s*(?P<value>{NAME})\s+$")


def stated_places(asked: AskedAttribute, line: Line) -> Iterator[Place]:
    """The value that the first verb links to a subject which names the thing and the whole attribute."""
    verb = _VERB.search(line.text)
    if verb is None:
        return
    subject, predicate = line.text[: verb.start()], line.text[verb.end() :]
    if _names_all(asked, f"{subject} {verb.group()}"):
        found = _value_after(asked, predicate)
        if found is not None:
            yield found[0] + verb.end(), found[1] + verb.end(), STATED
    elif asked.shape is not Shape.NUMBER and asked.attribute and _names_all(asked, predicate):
        opening = _OPENING.match(subject)
        if opening:
            yield opening.start("value"), opening.end("value"), INVERTED


def _value_after(asked: AskedAttribute, predicate: str) -> tuple[int, int] | None:
    """The value right after the verb: a number with its unit, or a name."""
    if asked.shape is Shape.NUMBER:
        return _number(predicate)
    return _name(predicate) or (_number(predicate) if asked.shape is Shape.NAME else None)


def with_unit(text: str, start: int, end: int) -> int:
    """The end of the number at a position, including its unit.

    >>> with_unit("It is 1,149 metres long.", 6, 11), with_unit("It flies at 60 km/h.", 12, 14)
    (18, 19)
    """
    end = max([end, *(quantity.end for quantity in quantities(text) if quantity.start <= start < quantity.end)])
    rate = _RATE.match(text, end)
    return rate.end() if rate else end


def _names_all(asked: AskedAttribute, text: str) -> bool:
    """True if a stretch names most of the thing, and every term of the attribute or a synonym.

    Without an attribute it must name all of the thing.
    """
    held = frozenset(terms(text))
    has_attribute = all(not same.isdisjoint(held) for same in asked.attribute.values())
    return has_attribute and (
        thing_share(asked, held) >= SUBJECT if asked.attribute else held.issuperset(asked.thing)
    )


def _number(predicate: str) -> tuple[int, int] | None:
    """The quantity with a unit right after the verb."""
    first: Quantity | None = next(iter(quantities(predicate[:120])), None)
    if first is None or first.start > _REACH or not first.dimension or first.dimension == "ordinal":
        return None
    dated = any(date.start <= first.start < date.end for date in dates(predicate[:120]))
    return None if dated else (first.start, with_unit(predicate, first.start, first.end))


def _name(predicate: str) -> tuple[int, int] | None:
    """The name right after the verb."""
    match = _NAMED.match(predicate)
    return match.span("value") if match else None


# The places of values with the shape asked for, and their strength by the sentence's own words, 0 to 1.


ValuePlace = tuple[int, int, float]

_BIRTH = word_class("attributes.birth")
_DEATH = word_class("attributes.death")
_IN_BRACKETS = re.compile(r"\((?P<inside>[^()]{4,120})\)")
# The date of the text itself, not of what it reports.
_PRINTED = re.compile(
    r"(?:\b(?:Published|Updated|Retrieved|Posted|Modified|Accessed|Archived|Last edited)\b[^.]{0,24}"
    r"|\boriginal\w* [^.]{0,20})$"
)
_NUMBER = re.compile(r"(?<![\w.,-])(?:[$€£¥]\s?)?\d+(?:,\d{3})*(?:\.\d+)?(?![\w%]|[.,]\d|\s?%)")
_PEOPLE = re.compile(r"\s*(?:people|inhabitants|residents|persons|souls)\b(?!\s+per\b)", re.I)
_NOT_PEOPLE = re.compile(r"\s*(?:years|households|families|housing|square|miles|%|kilomet|km|mi\b)", re.I)
_PER = re.compile(r"\bper\s+$", re.I)
_POPULATION = re.compile(
    r"\b[Pp]opulation(?: of [^.,;]{1,40}?)?\s*(?:was|is|of|:|stood at|numbered)?\s*"
    r"(?:was |is |of |about |around |approximately |estimated at )?$"
)
_COUNTED = re.compile(r"(?:\s+[a-z-]+){1,3}")
_KIND = re.compile(
    rf"\b(?:(?:is|was|are|were)\s+(?:also\s+|actually\s+)?(?:the title of\s+)?(?:an?|the|one of the)"
    rf"|refers? to(?:\s+(?:an?|the))?|stands? for|means)\s+(?:\d{{4}}(?:\s?[–-]\s?\d{{2,4}})?\s+)?"
    rf"(?:(?:{NATIONALITY}|former|retired|current|professional|upcoming|pre-Code)\s+){{0,4}}"
    r"(?P<value>[A-Za-z][^.,;:()\[\]]{0,80}?)"
    r"(?=\s*(?:[.,;:()\[\]]|$)|\s+(?:directed|written|produced|released|recorded|published|based|located|situated|held"
    r"|created|from|in|of|by|for|that|which|who|whose|where|with|starring|set|on|at|about|known|born|serving|played"
    r"|as|made|used|featuring|developed|to|than|photographed|broadcasting|licensed|and|associated|owned)\b)",
)


def date_places(asked: AskedAttribute, line: Line) -> Iterator[ValuePlace]:
    """Dates near a word of the attribute, in a lifetime in brackets, or in the thing's own name."""
    found = [date for date in dates(line.text) if date.year is not None]
    life, death = not _BIRTH.isdisjoint(asked.attribute), not _DEATH.isdisjoint(asked.attribute)
    if (life or death) and line.thing > 0.3:
        yield from _lifetime(line, found, life)
    for date in found:
        if _PRINTED.search(line.text, max(0, date.start - 30), date.start):
            continue
        near = line.near(date.start, date.end, 80)
        if near:
            yield date.start, date.end, 0.5 + 0.45 * near


def _lifetime(line: Line, found: list[Date], life: bool) -> Iterator[ValuePlace]:
    """The date of birth or death in the first lifetime in brackets: "(3 May 1900 - 1970)", "(1900-1970)"."""
    for match in _IN_BRACKETS.finditer(line.text):
        inside = [date for date in found if match.start() < date.start < match.end()]
        if len(inside) == 1 and inside[0].until != inside[0].year:
            start = inside[0].start if life else inside[0].end - 4
            yield start, start + 4, 0.95
            return
        if len(inside) == 2 or (inside and life and "born" in match["inside"]):
            chosen = inside[0] if life else inside[-1]
            yield chosen.start, chosen.end, 0.95
            return


def number_places(asked: AskedAttribute, line: Line) -> Iterator[ValuePlace]:
    """Numbers of people, of the counted noun, or near a word of the attribute."""
    dated = [(date.start, date.end) for date in dates(line.text)]
    people = "popul" in asked.attribute
    for match in _NUMBER.finditer(line.text):
        start, end = match.span()
        if any(first <= start < last for first, last in dated) or _PER.search(line.text, max(0, start - 8), start):
            continue
        if people:
            yield from _population_strength(line, start, end)
        elif _counts(asked, line.text, end):
            yield start, end, 0.95
        elif (near := line.near(start, end, 60)) and line.attribute >= 0.6:
            yield start, with_unit(line.text, start, end), 0.45 + 0.45 * near


def _population_strength(line: Line, start: int, end: int) -> Iterator[ValuePlace]:
    """A number as a population: right after the word, counting people, or near it."""
    if "." in line.text[start:end] or _NOT_PEOPLE.match(line.text, end):
        return
    if _POPULATION.search(line.text, max(0, start - 90), start):
        yield start, end, 1.0
    elif counted := _PEOPLE.match(line.text, end):
        yield start, counted.end(), 0.95
    elif near := line.near(start, end, 60):
        yield start, end, 0.45 + 0.45 * near


def _counts(asked: AskedAttribute, text: str, end: int) -> bool:
    """True if the noun after a number is the one that the question counts."""
    follows = _COUNTED.match(text, end)
    return bool(asked.noun and follows and asked.noun in terms(follows.group()))


def kind_places(asked: AskedAttribute, line: Line) -> Iterator[ValuePlace]:
    """The kind of the thing: "X is a drama film"."""
    if line.thing < 0.5:
        return
    for match in _KIND.finditer(line.text):
        if thing_share(asked, terms(line.text[: match.start()])) >= 0.6:
            yield match.start("value"), match.end("value"), 0.9 - 0.03 * min(line.position, 6)
            return


# Only the beginning of a longer passage is read.
LONGEST = 3000
MOST_WORDS = 8
# Factors on a value's strength if its sentence, or its passage, does not mention the thing.
WITHOUT_SENTENCE, WITHOUT_PASSAGE = 0.8, 0.6
# The factor if its sentence lacks a number of the thing: season 1 is not season 5.
WITHOUT_NUMBER = 0.8
_LONGEST_COUNT = 2
# The least share of the thing's words, weighted by rarity, in a passage about it.
NAMED = 0.5
# In a passage without a title that does not name the thing, a value of at least SURE in a sentence with the whole
# attribute counts as UNNAMED.
SURE, UNNAMED = 0.9, 0.72

# Shapes of values that may also be stated directly.
_STATED = frozenset({Shape.NUMBER, Shape.PERSON, Shape.PLACE, Shape.NAME})


@dataclass(frozen=True, slots=True)
class Value:
    """A value of at most 8 words: `text` at `start` of its passage, with its strength, 0 to 1."""

    text: str
    start: int
    strength: float


@dataclass(frozen=True, slots=True)
class PassageValues:
    """The values of one passage, strongest first; `about` is the share of the thing that it names, 0 to 1."""

    about: float
    values: tuple[Value, ...]


def values_given(asked: AskedAttribute, title: str, text: str) -> PassageValues:
    """The values that a passage gives for the attribute, strongest first.

    >>> from assay.judging.contradiction_terms import asked_attribute
    >>> from assay.types import Question
    >>> asked = asked_attribute(Question("When was Ann Lee born?", "When was Ann Lee born?"))
    >>> [value.text for value in values_given(asked, "", "Ann Lee was born on 3 May 1950. She moved.").values]
    ['3 May 1950']
    """
    lines = lines_of(asked, text[:LONGEST])
    about = thing_share(asked, frozenset(terms(title)).union(*(line.held for line in lines)))
    said = frozenset(terms(asked.text))
    found = (value for line in lines for value in _values_of_line(asked, said, line, about, bool(title)))
    return PassageValues(about, tuple(sorted(found, key=lambda value: (-value.strength, value.start))))


def _values_of_line(
    asked: AskedAttribute, said: frozenset[str], line: Line, about: float, titled: bool
) -> Iterator[Value]:
    """The short values of one sentence that add something to the question's own terms."""
    for start, end, strength in _places(asked, line):
        text = line.text[start:end].strip()
        new = not said.issuperset(terms(text) or words(text))
        if text and new and len(text.split()) <= MOST_WORDS:
            indent = len(line.text[start:end]) - len(line.text[start:end].lstrip())
            # A passage from the middle of a text need not name the thing; its title would.
            whole = not titled and about < NAMED and strength >= SURE and _names_nothing_else(line, start)
            yield Value(
                text,
                line.start + start + indent,
                UNNAMED if whole else strength * _strength_factor(asked, line, about),
            )


def _places(asked: AskedAttribute, line: Line) -> Iterator[Place]:
    """The places of values with the shape asked for; a number includes its unit and must not be of another year."""
    if asked.shape is Shape.NUMBER and of_another_year(asked, line):
        return
    match asked.shape:
        case Shape.DATE:
            yield from date_places(asked, line)
        case Shape.NUMBER:
            yield from number_places(asked, line)
        case Shape.PERSON:
            yield from person_places(asked, line)
        case Shape.PLACE:
            yield from place_places(line)
        case Shape.KIND:
            yield from kind_places(asked, line)
    if asked.shape in _STATED:
        yield from stated_places(asked, line)


def _names_nothing_else(line: Line, start: int) -> bool:
    """True if a sentence holds the whole attribute and no name before the value, apart from its first word."""
    return line.attribute == 1.0 and not any(name.end <= start and not name.opens for name in names(line.text))


def _strength_factor(asked: AskedAttribute, line: Line, about: float) -> float:
    """The factor on a value's strength for how much its sentence and its passage say about the thing."""
    by_sentence = WITHOUT_SENTENCE + (1 - WITHOUT_SENTENCE) * line.thing
    by_passage = WITHOUT_PASSAGE + (1 - WITHOUT_PASSAGE) * about
    numbers = frozenset(term for term in asked.thing if term.isdigit() and len(term) <= _LONGEST_COUNT)
    return by_sentence * by_passage * (1.0 if numbers <= line.held else WITHOUT_NUMBER)
