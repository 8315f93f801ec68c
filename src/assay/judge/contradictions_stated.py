"""Values that a sentence states outright: "the capital of X is V", "V is the capital of X", "it costs 40 euros"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.judge.contradictions_asked import Asked, Shape
from assay.judge.contradictions_lines import Line, thing_in
from assay.judge.contradictions_names import NAME, NO_PERSON, Place
from assay.text.dates import dates
from assay.text.quantities import Quantity, quantities
from assay.text.tokens import terms

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
        if opening and not NO_PERSON.search(opening["value"]):
            yield opening.start("value"), opening.end("value"), INVERTED


def _stated(asked: Asked, predicate: str) -> tuple[int, int] | None:
    """What stands right behind the verb: a number with its unit, a name, for a name asked by no shape either."""
    if asked.shape is Shape.NUMBER:
        return _number(predicate)
    return _name(asked, predicate) or (_number(predicate) if asked.shape is Shape.NAME else None)


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


def _name(asked: Asked, predicate: str) -> tuple[int, int] | None:
    """The name right behind the verb."""
    match = _NAMED.match(predicate)
    if match is None or (asked.shape is Shape.PERSON and NO_PERSON.search(match["value"])):
        return None
    return match.span("value")
