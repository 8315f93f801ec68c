"""What a question asks of which thing: the thing's words, the attribute's words, and the shape of a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from assay.judge.contradictions_words import KINDS, LISTS, SYNONYMS
from assay.judge.probe import content_terms
from assay.text.names import names
from assay.text.rarity import rarity
from assay.text.tokens import stem, terms, words
from assay.types import AnswerType, Question

# Of a longer question only the beginning is read.
LONGEST = 500


class Shape(StrEnum):
    """What a value looks like."""

    DATE = "date"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    LISTED = "listed"
    KIND = "kind"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Asked:
    """An attribute of a thing.

    `thing` are the terms of the thing with their rarity (0.1 to 1), `attribute` the terms of what is asked of it,
    each with the terms that say the same; `noun` is the noun, stemmed, by which the question names the value:
    "river". `text` is the question.
    """

    text: str
    shape: Shape
    thing: Mapping[str, float]
    attribute: Mapping[str, frozenset[str]]
    noun: str = ""


_PLACE_WORD = r"(?:city|country|state|county|town|village|province|region|place|island|continent)"
_QUOTED = re.compile(r"[\"“”«「『]([^\"“”»」』]{1,80})[\"“”»」』]")
_NOUN = re.compile(
    r"^\W*(?:(?:in|on|at|of|for|from|to|by)\s+)?(?:what|which)\s+(?:(?:is|was|are|were)\s+the\s+)?"
    r"((?:[a-z-]+\s+){0,3}?[a-z-]+)\b"
    r"(?=\s+(?:is|was|are|were|did|does|do|has|had|have|of|in|for|where|on|played|by|associated|that|to)\b)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\bhow many\s+(?:[a-z]+(?:al|ing|ed|ful|ous)\s+)?([a-z-]+)", re.IGNORECASE)
_DATED = re.compile(
    r"^\W*when\b|\b(?:what|which)\s+(?:year|date|day|month|decade|century)\b|\b(?:date|year) (?:of|when)\b"
    r"|\bbirth ?date\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\bpopulation\b|\bhow (?:many|much|old|tall|long|high|far|large|big|deep|wide|heavy)\b"
    r"|\b(?:median|average|total|mean) (?:age|income|number|size|height|area|length)\b"
    r"|\bwhat (?:percentage|number|share)\b"
    r"|\bwhat(?:\s+(?:is|was|are|were))?(?:\s+[a-z-]{1,20}){0,4}?\s+(?:temperature|speed|price|fee|cost|rate|salary"
    r"|capacity|height|length|width|depth|weight|distance|budget|revenue|duration|limit|deadline|fine|rent|wage)\b",
    re.IGNORECASE,
)
# What a unit says as well as the word: "how tall" asks for metres.
_HOW = re.compile(r"\bhow (tall|long|high|far|large|big|deep|wide|heavy|fast)\b", re.IGNORECASE)
_PLACED = re.compile(
    rf"\bwhere\b|\b(?:in|at|on|from|to) (?:which|what) {_PLACE_WORD}\b|\blocation of\b"
    rf"|\bthe {_PLACE_WORD} (?:where|in which|of)\b",
    re.IGNORECASE,
)
_LIES = re.compile(r"\b(?:located|situated|based|belongs?|born|from|headquartered|lies?)\b", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
# "Who invented the zip?"
_DID = re.compile(r"^\W*who\s+(?:first\s+)?([a-z]+)\b", re.IGNORECASE)
_WHAT_IS = re.compile(
    r"^\W*[Ww]hat (?:is|are|was|were) (?:the |an? )?[\"“]?[A-Z0-9]|\brefers? to\b|\bstands? for\b"
)
_ASKING = frozenset("who what when where which how whose whom".split())
_PLACES = frozenset(map(stem, "city country state county town village province region place island".split()))
# Words beside an attribute that need not stand in its sentence.
_EMPTY = frozenset(map(stem, "year date current primary type associated th nd rd st historical".split()))
# Words that tell an attribute though nothing says the same.
_ATTRIBUTES = _EMPTY | _PLACES | {stem("located"), stem("location"), stem("based")}
# Of a question's beginning, the words among which its noun stands.
_OPENING_WORDS = 6
_NO_VALUE = frozenset({AnswerType.YES_NO, AnswerType.REASON, AnswerType.PROCEDURE, AnswerType.LIST})


def asked_by(question: Question) -> Asked | None:
    """What the question asks; None where it names no thing, or asks for a reason, a list or yes and no.

    >>> found = asked_by(Question("When was Ann Lee born?", "When was Ann Lee born?"))
    >>> found.shape.value, sorted(found.thing), sorted(found.attribute)
    ('date', ['ann', 'lee'], ['born'])
    """
    text = question.standalone[:LONGEST]
    if question.answer_type in _NO_VALUE:
        return None
    noun = _noun(text)
    content = list(dict.fromkeys(content_terms(text)))
    did = stem(match[1].lower()) if (match := _DID.match(text)) else ""
    named = _named(text)
    thing = [term for term in content if term in named] or [term for term in content if not _tells(term, noun, did)]
    if not thing:
        return None
    titled = {term for word in text.split()[1:] if word[0].isupper() for term in terms(word)}
    measured = {stem(match[1].lower()) for match in _HOW.finditer(text)}
    left_out = {*thing, *titled, *measured, *_EMPTY}
    rest = [term for term in content if term not in left_out]
    attribute = {term: SYNONYMS.get(term, frozenset((term,))) for term in rest}
    return Asked(text, _shape(text, noun), {term: rarity(term) for term in thing}, attribute, noun)


def _tells(term: str, noun: str, did: str) -> bool:
    """Whether a word of a question without names belongs to the attribute."""
    return term in SYNONYMS or term in _ATTRIBUTES or term in (noun, did)


def _named(text: str) -> frozenset[str]:
    """The terms of the question's names, of what it quotes and of its numbers."""
    asking = {term for term in terms(text, stop_words=True) if term in _ASKING}
    found = {term for each in names(text) for term in terms(text[each.start : each.end])} - asking
    found |= {term for match in _QUOTED.finditer(text) for term in terms(match.group(1))}
    found |= {term for word in text.split() if "-" in word and word[0].isupper() for term in terms(word)}
    return frozenset(found | {term for term in terms(text) if any(map(str.isdigit, term))})


def _noun(text: str) -> str:
    """The noun behind "what", "which" or "how many", stemmed; "" where there is none."""
    match = _COUNTED.search(text) or _NOUN.match(text)
    return stem(words(match.group(1))[-1]) if match else ""


def _shape(text: str, noun: str) -> Shape:
    """The shape of a value, by the question's words."""
    kind = noun in KINDS or any(stem(word) in KINDS for word in words(text)[:_OPENING_WORDS])
    rules = (
        (Shape.DATE, bool(_DATED.search(text))),
        (Shape.NUMBER, bool(_MEASURED.search(text))),
        (Shape.LISTED, noun in LISTS),
        (Shape.PLACE, bool(_PLACED.search(text)) or (noun in _PLACES and bool(_LIES.search(text)))),
        (Shape.KIND, kind or bool(_WHAT_IS.search(text))),
        (Shape.PERSON, bool(_WHO.search(text))),
    )
    return next((shape for shape, holds in rules if holds), Shape.NAME)
