"""Persons and places as values: names at the words that give them a part in what is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.judge.contradictions_asked import Asked
from assay.judge.contradictions_lines import Line, thing_in
from assay.judge.contradictions_words import NATIONALITY
from assay.text.tokens import fold, stem, terms

Place = tuple[int, int, float]

_CAP = r"(?:[A-Z\u00c0-\u00de][\w’'&.\u00c0-\u017f-]{0,40}[\w\u00c0-\u017f]|[A-Z]\.?)"
_LINK = r"(?:(?:of the|and the|of|de|la|le|del|di|da|van|von|der|den|bin|al|ibn|du|dos|y|&)\s)"
# A run of capitalised words, with the small words that join the parts of one name.
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
_OWNED = re.compile(rf"\((?P<value>{NAME})\s(?:album|song|EP|single)\)")
_CHILD = re.compile(
    rf"\b(?:son|daughter|child)\s+of\s+(?:the\s+)?(?:[a-z]{{1,20}}\s+){{0,6}}(?P<value>{NAME})"
    rf"|\b(?i:(?P<parent>father|mother))\b[,:=\s]{{0,4}}(?:is|was)?\s*(?P<other>{NAME})"
)
# Where a sentence lost its full stop, a new one begins inside a name.
_BREAKS = re.compile(
    r"(?<=\S)\s+(?:The|It|He|She|They|In|A|An|This|Its|His|Her|At|On|As|Retrieved|Archived)\b.*$", re.DOTALL
)
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
NO_PERSON = re.compile(
    rf"^(?:{NATIONALITY}|The|It|He|She|They|This|That|In|A|An|His|Her|As|At|On|But|And|If|When|While|Before|After"
    r"|Since|Category|Retrieved|Wikipedia|Official|Op|Jazz|Rock|Pop|Black|Review|Hidden|Studio|Society|American R&B"
    r"|R&B|Album|Last|Next)$"
    rf"|^{_MONTH}\b|\b(?:Records|Corporation|Awards?|Places|Register|Charts?|Entertainment|Pictures|Studios"
    r"|Inc|Company)$"
)
_LOCATED = re.compile(
    r"\b(?:located|situated|lies|stands|based|headquartered|found|lying)\b[^.;]{0,60}?\b(?:in|at|on|near|within|of)\s"
    rf"(?:the\s)?(?:(?:[a-z]{{1,20}}\s){{0,4}}(?:of|in|at)\s)?(?P<value>{_PLACE})"
)
_IN_PLACE = re.compile(
    rf"\b(?:in|at|near|of|within)\s(?:the\s)?(?:(?:[a-z]{{1,20}}\s){{0,2}}of\s)?(?P<value>{_PLACE})"
)
_STREET = re.compile(r"\b(?:Street|Road|Avenue|Highway|Route|Lane|Drive|St\.)")
_NO_PLACE = re.compile(rf"^{_MONTH}\b|\b(?:Register|Historic Places|Census|Records|Museum)\b")
_COPULA = re.compile(r"\b(?:is|was|are|were)\b")
_KIN = frozenset(map(stem, ("father", "mother", "son", "daughter")))
# Verbs whose subject is the person: "Ann Lee won".
_ACTS = frozenset(
    map(
        stem, "won win beat defeated led recorded composed directed wrote produced designed created founded".split()
    )
)
# Words that label a person: "Producer: Ann Lee".
_LABELS = frozenset(
    map(
        stem,
        """artist director filmmaker producer composer creator architect author writer singer band musician husband
        wife spouse consort married leader leaders commander winner champion designer founder directed designed
        composed written produced created album song single ep record""".split(),
    )
)
_MUSIC = frozenset(map(stem, ("artist", "album", "song", "band")))


def person_places(asked: Asked, line: Line) -> Iterator[Place]:
    """Names of persons, bands and bodies that take the part which the question asks for."""
    kin = not _KIN.isdisjoint(asked.attribute)
    for start, end, strength in _relatives(asked, line) if kin else _actors(asked, line):
        name = _BREAKS.sub("", line.text[start:end])
        opening = terms(name)[:1]
        if not kin and opening and opening[0] in asked.thing:
            continue
        shouted = name.isupper() and " " in name
        if len(name) > 1 and not shouted and not NO_PERSON.search(name):
            yield start, start + len(name), strength


def _relatives(asked: Asked, line: Line) -> Iterator[Place]:
    """Whose child someone is, and who is named as the parent."""
    wanted = "mother" if "mother" in asked.attribute else "father"
    for match in _CHILD.finditer(line.text):
        if match["value"]:
            yield match.start("value"), match.end("value"), 0.95
        elif match["parent"].lower() == wanted:
            yield match.start("other"), match.end("other"), 0.95


def _actors(asked: Asked, line: Line) -> Iterator[Place]:
    yield from _behind_by(asked, line)
    for start, end in line.cues:
        yield from _beside(asked, line, start, end)
    for match in _OWNING.finditer(line.text):
        if line.thing >= 0.7 and stem(fold(match["next"])) in asked.thing:
            yield match.start("value"), match.end("value"), 0.85
    for match in _OWNED.finditer(line.text) if not _MUSIC.isdisjoint(asked.attribute) else ():
        before = terms(line.text[max(0, match.start() - 40) : match.start()])
        if before and before[-1] in asked.thing:
            yield match.start("value"), match.end("value"), 0.9


def _behind_by(asked: Asked, line: Line) -> Iterator[Place]:
    """Names behind "by": firm after a verb of the attribute, none after another verb."""
    telling = frozenset().union(*asked.attribute.values())
    for match in _BY.finditer(line.text):
        verb = match["verb"] or ""
        start, end = match.span("value")
        if stem(fold(verb)) in telling:
            yield start, end, 0.95
        elif not _PARTICIPLE.search(verb):
            told = any(first <= match.start() <= last + 30 for first, last in line.cues)
            if told or line.thing >= 0.7:
                yield start, end, 0.9 if told else 0.8


def _beside(asked: Asked, line: Line, start: int, end: int) -> Iterator[Place]:
    """Names at a word of the attribute: "Producer: Ann Lee", and "Ann Lee won" where what was won follows."""
    word = stem(fold(line.text[start:end]))
    behind = _LABELLED.match(line.text, end)
    if behind and word in _LABELS:
        yield behind.start("value"), behind.end("value"), 0.75
    offset = max(0, start - 60)
    before = _ACTING.search(line.text[offset:start])
    if before is None:
        return
    # Any other verb is one where a full name stands before it.
    acts = word in _ACTS or (word in asked.attribute and " " in before["value"])
    if word == "album" or (acts and thing_in(asked, terms(line.text[end:])) >= 0.5):
        yield before.start("value") + offset, before.end("value") + offset, 0.75


def place_places(asked: Asked, line: Line) -> Iterator[Place]:
    """Names of places where the thing lies; streets and places without what they belong to are less firm."""
    for start, end, strength in _situated(line):
        place = _BREAKS.sub("", line.text[start:end])
        if not _NO_PLACE.search(place):
            weak = 0.3 * bool(_STREET.search(place)) + 0.05 * ("," not in place)
            yield start, start + len(place), strength - weak


def _situated(line: Line) -> Iterator[Place]:
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
