"""The values that a passage gives for what is asked, and how firmly each is tied to the question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.judging.contradiction_terms import (
    NAME,
    NATIONALITY,
    Asked,
    Line,
    Place,
    Shape,
    lines_of,
    of_another_year,
    person_places,
    place_places,
    thing_in,
)
from assay.nlp.dates import Date, dates
from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.quantities import Quantity, quantities
from assay.nlp.tokens import terms, words

# Values that a sentence states outright: "the capital of X is V", "V is the capital of X", "it costs 40 euros".


# The share of the thing's words, by rarity, that a sentence's subject must name.
SUBJECT = 0.6
STATED, INVERTED = 0.9, 0.85
# How far behind the verb a number may begin: "is set at about 40 euros".
_REACH = 25
_VERB = re.compile(
    r"\b(?:is|was|are|were|remains?|became|costs?|lasts?|weighs?|measures?|lies|rises to|amounts? to|stands at)\b"
)
# What a unit may go on with: "60 km/h", "40 euros a year".
_RATE = re.compile(r"/[a-z]{1,4}\b|\s(?:per|an?)\s(?:second|minute|hour|day|week|month|year|night|person|head)\b")
_NAMED = re.compile(rf"\s+(?:the\s+(?=[A-Z])|called\s+|named\s+)?(?P<value>{NAME})")
_OPENING = re.compile(rf"\s*(?P<value>{NAME})\s+$")


def stated_places(asked: Asked, line: Line) -> Iterator[Place]:
    """The value that a sentence's first verb joins with a subject naming the thing and all of the attribute."""
    verb = _VERB.search(line.text)
    if verb is None:
        return
    subject, predicate = line.text[: verb.start()], line.text[verb.end() :]
    if _names_all(asked, f"{subject} {verb.group()}"):
        found = _stated(asked, predicate)
        if found is not None:
            yield found[0] + verb.end(), found[1] + verb.end(), STATED
    elif asked.shape is not Shape.NUMBER and asked.attribute and _names_all(asked, predicate):
        opening = _OPENING.match(subject)
        if opening:
            yield opening.start("value"), opening.end("value"), INVERTED


def _stated(asked: Asked, predicate: str) -> tuple[int, int] | None:
    """What stands right behind the verb: a number with its unit, a name, for a name asked by no shape either."""
    if asked.shape is Shape.NUMBER:
        return _number(predicate)
    return _name(predicate) or (_number(predicate) if asked.shape is Shape.NAME else None)


def with_unit(text: str, start: int, end: int) -> int:
    """Where the number that stands there ends, its unit included.

    >>> with_unit("It is 1,149 metres long.", 6, 11), with_unit("It flies at 60 km/h.", 12, 14)
    (18, 19)
    """
    end = max([end, *(each.end for each in quantities(text) if each.start <= start < each.end)])
    rate = _RATE.match(text, end)
    return rate.end() if rate else end


def _names_all(asked: Asked, text: str) -> bool:
    """Whether a stretch names most of the thing, and each term of the attribute or one that says the same.

    Without an attribute it must name all of the thing.
    """
    held = frozenset(terms(text))
    told = all(not same.isdisjoint(held) for same in asked.attribute.values())
    return told and (thing_in(asked, held) >= SUBJECT if asked.attribute else held.issuperset(asked.thing))


def _number(predicate: str) -> tuple[int, int] | None:
    """The quantity with a unit right behind the verb."""
    first: Quantity | None = next(iter(quantities(predicate[:120])), None)
    if first is None or first.start > _REACH or not first.dimension or first.dimension == "ordinal":
        return None
    dated = any(date.start <= first.start < date.end for date in dates(predicate[:120]))
    return None if dated else (first.start, with_unit(predicate, first.start, first.end))


def _name(predicate: str) -> tuple[int, int] | None:
    """The name right behind the verb."""
    match = _NAMED.match(predicate)
    return match.span("value") if match else None


# Where a sentence gives a value of the shape that is asked for, and how firmly by its own words, 0 to 1.


ValuePlace = tuple[int, int, float]

_BIRTH = word_class("attributes.birth")
_DEATH = word_class("attributes.death")
_IN_BRACKETS = re.compile(r"\((?P<inside>[^()]{4,120})\)")
# The date of a text, not of what it tells.
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


def date_places(asked: Asked, line: Line) -> Iterator[ValuePlace]:
    """Dates near a word of the attribute; in brackets behind a name, birth and death; in the thing's own name."""
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
    """Birth or death in the first brackets that hold a lifetime: "(3 May 1900 - 1970)", "(1900-1970)"."""
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


def number_places(asked: Asked, line: Line) -> Iterator[ValuePlace]:
    """Numbers of people, numbers of the noun that is counted, numbers near the words of the attribute."""
    dated = [(date.start, date.end) for date in dates(line.text)]
    people = "popul" in asked.attribute
    for match in _NUMBER.finditer(line.text):
        start, end = match.span()
        if any(first <= start < last for first, last in dated) or _PER.search(line.text, max(0, start - 8), start):
            continue
        if people:
            yield from _of_people(line, start, end)
        elif _counts(asked, line.text, end):
            yield start, end, 0.95
        elif (near := line.near(start, end, 60)) and line.attribute >= 0.6:
            yield start, with_unit(line.text, start, end), 0.45 + 0.45 * near


def _of_people(line: Line, start: int, end: int) -> Iterator[ValuePlace]:
    """A number as a population: right behind the word, counting people, or near."""
    if "." in line.text[start:end] or _NOT_PEOPLE.match(line.text, end):
        return
    if _POPULATION.search(line.text, max(0, start - 90), start):
        yield start, end, 1.0
    elif counted := _PEOPLE.match(line.text, end):
        yield start, counted.end(), 0.95
    elif near := line.near(start, end, 60):
        yield start, end, 0.45 + 0.45 * near


def _counts(asked: Asked, text: str, end: int) -> bool:
    """Whether what follows a number is the noun that the question counts."""
    follows = _COUNTED.match(text, end)
    return bool(asked.noun and follows and asked.noun in terms(follows.group()))


def kind_places(asked: Asked, line: Line) -> Iterator[ValuePlace]:
    """What the thing is said to be: "X is a drama film"."""
    if line.thing < 0.5:
        return
    for match in _KIND.finditer(line.text):
        if thing_in(asked, terms(line.text[: match.start()])) >= 0.6:
            yield match.start("value"), match.end("value"), 0.9 - 0.03 * min(line.position, 6)
            return


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

    >>> from assay.judging.contradiction_terms import asked_by
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


def _tells_of_nobody_else(line: Line, start: int) -> bool:
    """Whether a sentence tells the whole attribute and names nothing before the value, behind its first word."""
    return line.attribute == 1.0 and not any(each.end <= start and not each.opens for each in names(line.text))


def _tie(asked: Asked, line: Line, about: float) -> float:
    """What a value keeps of its strength, for what its sentence and its passage tell of the thing."""
    by_sentence = WITHOUT_SENTENCE + (1 - WITHOUT_SENTENCE) * line.thing
    by_passage = WITHOUT_PASSAGE + (1 - WITHOUT_PASSAGE) * about
    numbers = frozenset(term for term in asked.thing if term.isdigit() and len(term) <= _LONGEST_COUNT)
    return by_sentence * by_passage * (1.0 if numbers <= line.held else WITHOUT_NUMBER)
