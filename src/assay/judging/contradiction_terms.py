"""The thing and the attribute that a question asks about, and the sentences that mention them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from types import MappingProxyType

from assay.judging.query_terms import content_terms
from assay.nlp.dates import dates
from assay.nlp.lexicon import groups, word_class
from assay.nlp.names import names
from assay.nlp.sentences import sentences
from assay.nlp.tokens import fold, rarity, stem, stem_spans, terms, words
from assay.types import AnswerType, Question

# One-way synonyms: a barracks is established when it is opened.
_ALSO = {"established": "opened built", "founded": "opened", "opened": "established"}


def _synonyms() -> dict[str, frozenset[str]]:
    """The synonyms of each stem: a passage may use any of them in place of the question's word."""
    found: dict[str, set[str]] = {}
    for words_alike in groups("synonyms"):
        stems = set(map(stem, words_alike))
        for term in stems:
            found.setdefault(term, set()).update(stems)
    for asked, held in _ALSO.items():
        found[stem(asked)].update(map(stem, held.split()))
    return {term: frozenset(stems) for term, stems in found.items()}


SYNONYMS: Mapping[str, frozenset[str]] = MappingProxyType(_synonyms())

NATIONALITY = (
    r"(?:(?:North|South|West|East|Northern)\s)?(?:[A-Z][a-z]+-)?(?:[A-Z][a-z]+(?:ish|ese|ean|ian|can|ban|van|ican|gian|nian|sian|tian|man|lish|wegian|xican)|French|Dutch|Welsh"
    r"|Greek|Czech|Swiss|Thai|Iraqi|Israeli|Pakistani|Bangladeshi|Filipino|Afghan|Scots|Irish|English|Finnish|Danish"
    r"|British|German|Roman|Norman|Soviet|U\.S\.|US|UK|New Zealand|South African|North American|Old|Late|Early)"
    r"(?:[-–](?:[A-Z][a-z]+|born|language))?"
)


# Nouns of questions answered by the kind of the thing: "X is a drama film".
KINDS = frozenset(map(stem, word_class("attributes.kinds")))


# The parts of a question: the thing's words, the attribute's words, and the shape of the value.


# Only the beginning of a longer question is read.
LONGEST = 500


class Shape(StrEnum):
    """The form of a value."""

    DATE = "date"
    NUMBER = "number"
    PERSON = "person"
    PLACE = "place"
    KIND = "kind"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class AskedAttribute:
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
# Words that a unit implies: "how tall" asks for metres.
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
_ASKING = word_class("questions.words")
_PLACES = frozenset(map(stem, word_class("attributes.places")))
# Words of a question that the sentence need not repeat.
_EMPTY = frozenset(map(stem, word_class("attributes.empty")))
# Words that name an attribute without synonyms.
_ATTRIBUTES = _EMPTY | _PLACES | {stem("located"), stem("location"), stem("based")}
_YEAR_DIGITS = 4
# The noun is among this many first words of a question.
_OPENING_WORDS = 6
_NO_VALUE = frozenset({AnswerType.YES_NO, AnswerType.REASON, AnswerType.PROCEDURE, AnswerType.LIST})


def asked_attribute(question: Question) -> AskedAttribute | None:
    """The attribute asked for; None if the question names no thing, or asks for a reason, a list, or yes or no.

    >>> found = asked_attribute(Question("When was Ann Lee born?", "When was Ann Lee born?"))
    >>> found.shape.value, sorted(found.thing), sorted(found.attribute)
    ('date', ['ann', 'lee'], ['born'])
    """
    text = question.standalone[:LONGEST]
    if question.answer_type in _NO_VALUE:
        return None
    noun = _noun(text)
    content = list(dict.fromkeys(content_terms(text)))
    did = stem(match[1].lower()) if (match := _DID.match(text)) else ""
    named = _name_terms(text)
    thing = [term for term in content if term in named] or [term for term in content if not _tells(term, noun, did)]
    if not thing:
        return None
    titled = {term for word in text.split()[1:] if word[0].isupper() for term in terms(word)}
    measured = {stem(match[1].lower()) for match in _HOW.finditer(text)}
    left_out = {*thing, *titled, *measured, *_EMPTY}
    rest = [term for term in content if term not in left_out]
    attribute = {term: SYNONYMS.get(term, frozenset((term,))) for term in rest}
    return AskedAttribute(text, _shape(text, noun), {term: rarity(term) for term in thing}, attribute, noun)


def _tells(term: str, noun: str, did: str) -> bool:
    """True if a term belongs to the attribute, in a question without names."""
    return term in SYNONYMS or term in _ATTRIBUTES or term in (noun, did)


def _name_terms(text: str) -> frozenset[str]:
    """The terms of the question's names, quotations and numbers."""
    asking = {term for term in terms(text, stop_words=True) if term in _ASKING}
    found = {term for name in names(text) for term in terms(text[name.start : name.end])} - asking
    found |= {term for match in _QUOTED.finditer(text) for term in terms(match.group(1))}
    found |= {term for word in text.split() if "-" in word and word[0].isupper() for term in terms(word)}
    return frozenset(found | {term for term in terms(text) if any(map(str.isdigit, term))})


def _noun(text: str) -> str:
    """The stem of the noun after "what", "which" or "how many"; "" if there is none."""
    match = _COUNTED.search(text) or _NOUN.match(text)
    return stem(words(match.group(1))[-1]) if match else ""


def _shape(text: str, noun: str) -> Shape:
    """The shape of the value, from the question's words."""
    kind = noun in KINDS or any(stem(word) in KINDS for word in words(text)[:_OPENING_WORDS])
    rules = (
        (Shape.DATE, bool(_DATED.search(text))),
        (Shape.NUMBER, bool(_MEASURED.search(text))),
        (Shape.PLACE, bool(_PLACED.search(text)) or (noun in _PLACES and bool(_LIES.search(text)))),
        (Shape.KIND, kind or bool(_WHAT_IS.search(text))),
        (Shape.PERSON, bool(_WHO.search(text))),
    )
    return next((shape for shape, holds in rules if holds), Shape.NAME)


# The sentences of a passage, and how much of the thing and of the attribute each mentions.


# This share of what a sentence says about the thing carries over to the next sentence (chosen).
CARRIED = 0.8


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence, at `start` of its passage.

    `cues` are the places in `text` of the words that tell the attribute; `thing` and `attribute` the shares, 0 to
    1, of the thing and of the attribute that it tells; `held` its stems.
    """

    text: str
    start: int
    position: int
    cues: tuple[tuple[int, int], ...]
    thing: float
    attribute: float
    held: frozenset[str]

    def near(self, start: int, end: int, reach: int) -> float:
        """Nearness of a cue to a stretch: 1 right before it, .75 right after it, half at `reach`, 0 beyond."""
        best = 0.0
        for cue_start, cue_end in self.cues:
            if 0 <= start - cue_end <= reach:
                best = max(best, 1 - 0.5 * (start - cue_end) / reach)
            elif 0 <= cue_start - end <= reach:
                best = max(best, 0.75 - 0.35 * (cue_start - end) / reach)
        return best


def thing_share(asked: AskedAttribute, held: Iterable[str]) -> float:
    """The share of the thing's words, weighted by rarity, among the terms, 0 to 1."""
    found = frozenset(held)
    named = fsum(weight for term, weight in asked.thing.items() if term in found)
    return named / fsum(asked.thing.values())


def of_another_year(asked: AskedAttribute, line: Line) -> bool:
    """True if the question names a year and the sentence names only other years."""
    wanted = {term for term in asked.thing if len(term) == 4 and term.isdigit()}
    years = {str(date.year) for date in dates(line.text) if date.year is not None}
    return bool(wanted) and bool(years) and wanted.isdisjoint(years)


def lines_of(asked: AskedAttribute, text: str) -> list[Line]:
    """The sentences of the text in order."""
    wanted = frozenset().union(*asked.attribute.values())
    # "Debian 12" is not named by 1996-12-12.
    numbers = {term for term in asked.thing if term.isdigit() and len(term) < _YEAR_DIGITS}
    found: list[Line] = []
    for position, span in enumerate(sentences(text)):
        stretch = text[span.start : span.end]
        places = stem_spans(stretch)
        dated = dates(stretch) if numbers else ()
        held = frozenset(
            term
            for start, end, term in places
            if term not in numbers or not any(date.start <= start and end <= date.end for date in dated)
        )
        carried = CARRIED * found[-1].thing if found else 0.0
        count = sum(not same.isdisjoint(held) for same in asked.attribute.values())
        found.append(
            Line(
                text=stretch,
                start=span.start,
                position=position,
                cues=tuple((start, end) for start, end, term in places if term in wanted),
                thing=max(thing_share(asked, held), carried),
                attribute=count / (len(asked.attribute) or 1),
                held=held,
            )
        )
    return found


# Persons and places as values: names next to the words that give them the role asked for.


Place = tuple[int, int, float]

_CAP = r"(?:[A-Z\u00c0-\u00de][\w’'&.\u00c0-\u017f-]{0,40}[\w\u00c0-\u017f]|[A-Z]\.?)"
_LINK = r"(?:(?:of the|and the|of|de|la|le|del|di|da|van|von|der|den|bin|al|ibn|du|dos|y|&)\s)"
# A run of capitalised words with the small words inside one name.
NAME = rf"(?:The\s)?{_CAP}(?:\s{_LINK}{{0,2}}{_CAP}){{0,8}}"
_PLACE = rf"{_CAP}(?:[\s-]{_LINK}{{0,2}}{_CAP}){{0,5}}(?:\s?,\s(?:the\s)?{_CAP}(?:\s{_CAP}){{0,2}}){{0,2}}"
_ROLE = (
    r"(?:singer-songwriter|singer|songwriter|band|group|musician|rapper|architect|artist|author|composer|director"
    r"|producer|duo|trio|quartet|guitarist|pianist|saxophonist|filmmaker|writer|novelist|drummer|vocalist|engineer"
    r"|sculptor|painter)"
)
# "directed by", "album by the American singer Ann Lee", "designed by Tyler architect Carl Gregory".
_BY = re.compile(
    rf"(?:(?P<verb>[\w-]{{1,30}})\s+)?\bby\s+"
    rf"(?:(?:the|an?|and|(?![a-z]+ing\s)[a-z][\w/-]{{0,30}}|{NATIONALITY}(?=\s+(?:[a-z]|R&B))|R&B|Billboard)\s+){{0,8}}?"
    rf"(?:{_CAP}\s+{_ROLE}\s+)?(?P<value>(?!{NATIONALITY}\s+(?:[a-z]|R&B)){NAME})"
)
_PARTICIPLE = re.compile(r"(?:ed|en|wn|ung|ade|ilt|old|led)$")
_LABELLED = re.compile(rf"[\s,:=]{{0,4}}(?:(?:is|was|to|of)\s+)?(?:the\s+)?(?P<value>{NAME})")
_ACTING = re.compile(rf"(?P<value>{NAME})(?:'s|,)?\s+(?:(?:who|had|has|also|then)\s+)?$")
_OWNING = re.compile(rf"(?P<value>{NAME})['’]s?\s+[\"“]?(?P<next>[A-Z][\w-]{{0,40}})")
_CHILD = re.compile(
    rf"\b(?:son|daughter|child)\s+of\s+(?:the\s+)?(?:[a-z]{{1,20}}\s+){{0,6}}(?P<value>{NAME})"
    rf"|\b(?i:(?P<parent>father|mother))\b[,:=\s]{{0,4}}(?:is|was)?\s*(?P<other>{NAME})"
)
_LOCATED = re.compile(
    r"\b(?:located|situated|lies|stands|based|headquartered|found|lying)\b[^.;]{0,60}?\b(?:in|at|on|near|within|of)\s"
    rf"(?:the\s)?(?:(?:[a-z]{{1,20}}\s){{0,4}}(?:of|in|at)\s)?(?P<value>{_PLACE})"
)
_IN_PLACE = re.compile(
    rf"\b(?:in|at|near|of|within)\s(?:the\s)?(?:(?:[a-z]{{1,20}}\s){{0,2}}of\s)?(?P<value>{_PLACE})"
)
# Chosen: enough to put "Verona, Wisconsin" before "Verona".
WITHOUT_WIDER_PLACE = 0.05
_COPULA = re.compile(r"\b(?:is|was|are|were)\b")
_KIN = frozenset(map(stem, word_class("attributes.kin")))
# Verbs whose subject is the person: "Ann Lee won".
_ACTS = frozenset(map(stem, word_class("attributes.acts")))
# Words that label a person: "Producer: Ann Lee".
_LABELS = frozenset(map(stem, word_class("attributes.person_labels")))


def person_places(asked: AskedAttribute, line: Line) -> Iterator[Place]:
    """The names of persons, bands and organisations with the role that the question asks for."""
    kin = not _KIN.isdisjoint(asked.attribute)
    for start, end, strength in _parent_places(asked, line) if kin else _agent_places(asked, line):
        name = line.text[start:end]
        opening = terms(name)[:1]
        if not kin and opening and opening[0] in asked.thing:
            continue
        shouted = name.isupper() and " " in name
        if len(name) > 1 and not shouted:
            yield start, end, strength


def _parent_places(asked: AskedAttribute, line: Line) -> Iterator[Place]:
    """The names of parents in the sentence."""
    wanted = "mother" if "mother" in asked.attribute else "father"
    for match in _CHILD.finditer(line.text):
        if match["value"]:
            yield match.start("value"), match.end("value"), 0.95
        elif match["parent"].lower() == wanted:
            yield match.start("other"), match.end("other"), 0.95


def _agent_places(asked: AskedAttribute, line: Line) -> Iterator[Place]:
    yield from _places_after_by(asked, line)
    for start, end in line.cues:
        yield from _places_beside(asked, line, start, end)
    for match in _OWNING.finditer(line.text):
        if line.thing >= 0.7 and stem(fold(match["next"])) in asked.thing:
            yield match.start("value"), match.end("value"), 0.85


def _places_after_by(asked: AskedAttribute, line: Line) -> Iterator[Place]:
    """Names after "by": strong after a verb of the attribute, none after another verb."""
    telling = frozenset().union(*asked.attribute.values())
    for match in _BY.finditer(line.text):
        verb = match["verb"] or ""
        start, end = match.span("value")
        if stem(fold(verb)) in telling:
            yield start, end, 0.95
        elif not _PARTICIPLE.search(verb):
            near_cue = any(first <= match.start() <= last + 30 for first, last in line.cues)
            if near_cue or line.thing >= 0.7:
                yield start, end, 0.9 if near_cue else 0.8


def _places_beside(asked: AskedAttribute, line: Line, start: int, end: int) -> Iterator[Place]:
    """Names beside a word of the attribute: "Producer: Ann Lee", or "Ann Lee won" before the thing won."""
    word = stem(fold(line.text[start:end]))
    behind = _LABELLED.match(line.text, end)
    if behind and word in _LABELS:
        yield behind.start("value"), behind.end("value"), 0.75
    offset = max(0, start - 60)
    before = _ACTING.search(line.text[offset:start])
    if before is None:
        return
    # Another word counts as a verb only after a full name.
    acts = word in _ACTS or (word in asked.attribute and " " in before["value"])
    if word == "album" or (acts and thing_share(asked, terms(line.text[end:])) >= 0.5):
        yield before.start("value") + offset, before.end("value") + offset, 0.75


def place_places(line: Line) -> Iterator[Place]:
    """The names of places where the thing lies; a name without its wider place is weaker."""
    for start, end, strength in _location_places(line):
        yield start, end, strength - WITHOUT_WIDER_PLACE * ("," not in line.text[start:end])


def _location_places(line: Line) -> Iterator[Place]:
    copula = _COPULA.search(line.text)
    for match in _LOCATED.finditer(line.text):
        yield match.start("value"), match.end("value"), 0.95 if line.thing > 0.3 else 0.75
    for match in _IN_PLACE.finditer(line.text):
        near = line.near(match.start("value"), match.end("value"), 60)
        if near:
            yield match.start("value"), match.end("value"), 0.4 + 0.5 * near
        elif copula and copula.start() < match.start() and line.thing >= 0.5 and line.position < 3:
            far = match.start() - copula.start()
            yield match.start("value"), match.end("value"), max(0.0, 0.9 - 0.002 * far)
