"""Where a sentence gives a value of the shape that is asked for, and how firmly by its own words, 0 to 1.

Rules for English: each finder yields `(start, end, strength)` in the sentence, which has at most a few thousand
characters; every pattern is bounded, so that hostile text costs no more than long text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.judge.contradictions_asked import Asked
from assay.judge.contradictions_lines import Line, thing_in
from assay.judge.contradictions_names import NAME
from assay.judge.contradictions_stated import with_unit
from assay.judge.contradictions_words import LISTED_KINDS, LISTS, NATIONALITY
from assay.text.dates import Date, dates
from assay.text.tokens import terms

Place = tuple[int, int, float]

_BIRTH = frozenset({"born", "birth", "birthday"})
_DEATH = frozenset({"die", "death", "dead"})
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
# What begins no kind: "is a known", "was the second".
_NO_KIND = re.compile(
    r"(?:\w+(?:ing|ed)|known|born|same|first|second|third|last|son|daughter|brother|sister|title|name)\b"
)


def date_places(asked: Asked, line: Line) -> Iterator[Place]:
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
        elif not (life or death) and line.thing >= 0.9 and ends_with_thing(asked, line.text, date.start):
            yield date.start, date.end, 0.7


def _lifetime(line: Line, found: list[Date], life: bool) -> Iterator[Place]:
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


def ends_with_thing(asked: Asked, text: str, end: int) -> bool:
    """Whether the last word before a place belongs to the thing: "the Property Act 1870", "Big Fun (Shalamar"."""
    before = text[max(0, end - 40) : end].rstrip(" (")
    last = terms(before)
    return bool(last) and last[-1] in asked.thing and before[-1].isalnum()


def number_places(asked: Asked, line: Line) -> Iterator[Place]:
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


def _of_people(line: Line, start: int, end: int) -> Iterator[Place]:
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


def listed_places(asked: Asked, line: Line) -> Iterator[Place]:
    """Values of a closed list, such as sports, the firmer the more the sentence speaks of the thing."""
    for match in LISTS[asked.noun].finditer(line.text):
        yield match.start(), match.end(), 0.65 + 0.35 * line.thing - 0.02 * min(line.position, 5)


def kind_places(asked: Asked, line: Line) -> Iterator[Place]:
    """What the thing is said to be: "X is a drama film"."""
    if line.thing < 0.5:
        return
    if asked.noun in LISTED_KINDS:
        for match in LISTED_KINDS[asked.noun].finditer(line.text):
            yield match.start(), match.end(), 0.7 - 0.02 * min(line.position, 5)
    for match in _KIND.finditer(line.text):
        if _NO_KIND.match(match["value"]):
            continue
        if thing_in(asked, terms(line.text[: match.start()])) >= 0.6:
            yield match.start("value"), match.end("value"), 0.9 - 0.03 * min(line.position, 6)
            return


def name_places(asked: Asked, line: Line) -> Iterator[Place]:
    """Names that hold the noun the question asks by: "Green River" for "which river"."""
    if not asked.noun:
        return
    for match in re.finditer(NAME, line.text):
        inside = frozenset(terms(match.group()))
        if asked.noun in inside and len(inside) > 1:
            yield match.start(), match.end(), 0.6 + 0.3 * line.attribute
