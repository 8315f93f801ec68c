"""Facts with a number: how many, how much, how long. Pure."""

from __future__ import annotations

import re

from assay.evals.make.clauses import (
    BE,
    BOUNDARY,
    PREPOSITIONS,
    Found,
    asked,
    attribute_of,
    is_done,
    rest_of,
    thing_of,
    verb_of,
    words_behind,
)
from assay.evals.make.fact import Kind
from assay.evals.make.statements import Statement
from assay.evals.make.wording import Wording
from assay.nlp.analysis import analyse
from assay.nlp.lexicon import word_class
from assay.nlp.quantities import Quantity
from assay.nlp.tokens import STOP_WORDS, fold
from assay.types import Span

_MEASURED = word_class("statements.measured")
_JOINING = word_class("statements.joining")
_DETERMINERS = word_class("function_words.articles") | word_class("statements.determiners")
# Chosen: letters of a unit's sign.
_LONGEST_SIGN = 3
# What may follow a span of time that counts from something else.
_COUNTED_FROM = ("after", "before", "ago", "later", "earlier", "old")
_NUMBER = re.compile(
    r"(?:\d[\d.,]*+(?:\s(?:million|billion|thousand))?|[A-Za-z]++(?:-[a-z]++)?)(?:[\s-]|(?=[^\d\s]))(?P<unit>.*)",
    re.S,
)
_ROUGH = re.compile(
    r"(?<=\s)(?:about|around|approximately|roughly|nearly|almost|exactly|only|at most|at least|up to)\s\Z"
)
_NOUN_RUN = re.compile(r"(?:\s+(?:of\s|per\s)?[^\W\d_][\w'’/-]*)+")


def amount(statement: Statement) -> Found:
    """ "The hall holds 300 people": how many people does the hall hold?"""
    rest = rest_of(statement)
    measured = [quantity for quantity in analyse(rest).quantities if _counts(quantity, rest)]
    if not measured or BOUNDARY.search(rest[: measured[0].start]):
        return None
    quantity = measured[0]
    rough = _ROUGH.search(rest[: quantity.start])
    between = rest[: rough.start() if rough else quantity.start]
    return _measure(statement, rest, quantity, between) or _count(statement, rest, quantity, between)


def _measure(statement: Statement, rest: str, quantity: Quantity, between: str) -> Found:
    """ "It is 5 km long", "The fee of the hall is 5 euros", "It costs 5 euros"."""
    if between.strip():
        return None
    answer = Span(statement.rest.start + quantity.start, statement.rest.start + quantity.end)
    tail, verb = rest[quantity.end :].strip(), verb_of(statement)
    if verb in BE and tail in _MEASURED and quantity.dimension:
        return Kind.NUMBER, answer, asked(statement, f"How {tail}", "", "")
    definite = fold(statement.words_of(statement.subject)).startswith("the ")
    if verb in ("is", "was") and not tail and quantity.dimension and definite:
        return attribute_of(statement, answer, Kind.NUMBER)
    if verb == "costs" and not tail:
        return Kind.NUMBER, answer, Wording("How much", "does", "", thing_of(statement), "cost")
    return None


def _count(statement: Statement, rest: str, quantity: Quantity, between: str) -> Found:
    """A counted noun: "The hall holds 300 people", "Logs are kept for 30 days"."""
    nouns = _counted(rest, quantity)
    behind = None if nouns is None else words_behind(rest, nouns[1])
    if nouns is None or behind is None:
        return None
    counted, end = nouns
    words, verb = between.split(), verb_of(statement)
    preposition = words.pop() if words and words[-1] in PREPOSITIONS else ""
    if preposition == "of" or _DETERMINERS & set(words[-2:]):
        return None
    answer = Span(statement.rest.start + quantity.start, statement.rest.start + end)
    asks = f"{preposition.capitalize()} how many {counted}" if preposition else f"How many {counted}"
    if verb in ("has", "have") and not between.strip():
        does = "does" if verb == "has" else "do"
        return Kind.NUMBER, answer, Wording(asks, does, "", thing_of(statement), f"have {behind}".strip())
    if not is_done(statement, between) or (verb in BE and not (words and preposition)):
        return None
    return Kind.NUMBER, answer, asked(statement, asks, " ".join(words), behind)


def _counted(rest: str, quantity: Quantity) -> tuple[str, int] | None:
    """The nouns in the plural that a number counts, with its unit, and where they end; None where they are none."""
    match = _NUMBER.fullmatch(rest[quantity.start : quantity.end] + " ")
    if match is None or "-" in rest[quantity.start : quantity.end]:
        return None
    unit = match["unit"].strip()
    run = _NOUN_RUN.match(rest[quantity.end :])
    nouns = "" if run is None else _noun_phrase(run.group(), unit)
    end = quantity.end + (run.group().find(nouns) + len(nouns) if run and nouns else 0)
    follows = rest[end:].split()
    counted = f"{unit} {nouns}".strip()
    head = counted.split(" of ")[0].split(" per ")[0]
    short = bool(unit) and not (unit.isalpha() and len(unit) > _LONGEST_SIGN)  # "ms", "MB" have no plural
    if not counted or (follows and fold(follows[0]) in _COUNTED_FROM):
        return None
    return (counted, end) if short or head.endswith("s") or head == "people" else None


def _counts(quantity: Quantity, rest: str) -> bool:
    """True if a quantity can be asked for by "how many"."""
    if quantity.dimension in ("ordinal", "clock", "percent", "point") or quantity.low != quantity.high:
        return False
    return quantity.written not in (0.0, 1.0) and not quantity.apart and rest[quantity.start].isalnum()


def _noun_phrase(run: str, unit: str) -> str:
    """The nouns that a number counts, up to the first word that is none; with "of …" or "per …" at once behind."""
    kept: list[str] = []
    words = run.split()
    for at, word in enumerate(words):
        small = fold(word)
        if small in ("of", "per") and (kept or unit) and at + 1 < len(words):
            kept.append(word)
            continue
        if small in STOP_WORDS or small in PREPOSITIONS or small in _JOINING:
            break
        if kept and kept[-1].endswith("s") and len(kept) > 0 and "of" not in kept[-2:] and "per" not in kept[-2:]:
            break
        kept.append(word)
    return " ".join(kept)
