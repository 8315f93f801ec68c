"""Facts in statements: a date, a place, a person, a number, a definition, what a code does. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay.evals.make.clauses import (
    ALTERNATIVE,
    BE,
    BOUNDARY,
    PREPOSITIONS,
    Found,
    asked,
    attribute_of,
    end_of_clause,
    is_done,
    rest_of,
    thing_of,
    trimmed,
    verb_of,
    words_behind,
)
from assay.evals.make.fact import Fact, Kind
from assay.evals.make.statements import (
    Statement,
    is_past,
    is_present,
    lowered,
    plain,
    prose_sentences,
    statement_in,
    statements,
)
from assay.evals.make.wording import Wording
from assay.nlp.analysis import analyse
from assay.nlp.blocks import without_markup
from assay.nlp.dates import dates
from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.quantities import Quantity
from assay.nlp.tokens import STOP_WORDS, fold, stem
from assay.nlp.wordnet import part_of_speech
from assay.types import Document, Span

_MEASURED = word_class("statements.measured")
_JOINING = word_class("statements.joining")
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


_PLACED = word_class("statements.placed")
_PERSONS = word_class("phrases.persons")
_VAGUE = word_class("statements.vague")
_DETERMINERS = word_class("function_words.articles") | word_class("statements.determiners")
_ARTICLES = word_class("function_words.articles")
# Chosen, in words: what is told of a date before it, an answer that is a name, a definition.
_MOST_TOLD, _LONGEST_NAME, _LONGEST_DEFINITION = 9, 8, 30
_HARD_BOUNDARY = re.compile(r"[;:(\[|–—→=…]|\s-{1,2}\s|,\s(?:but|so|which|because|since)\s")
_FRONTED = re.compile(
    r"(?:In|On)\s+(?P<date>(?:[A-Z][a-z]+\s)?(?:\d{1,2}(?:,\s|\s))?(?:[A-Z][a-z]+\s)?\d{4}),?\s+(?=\S)"
)
_DATE_LEAD = re.compile(r"\s(?P<preposition>in|on|at|from|since|until)\s*\Z")
_DEFINES = re.compile(r"\s*an?\s+\w")
_CODE = re.compile(r"\w_\w|\A--?[a-z]|\w\(\)|\w\.[a-z]\w")
_CLAUSE_END = re.compile(r"[,;:(\[|–—→=…]|\s-\s")
_DOING = re.compile(r"\w{2}")
_MADE = re.compile(r"\s*(?P<done>[a-z]+(?:ed|en|wn|lt|pt|ld|un|de|ne|ut|it))\s+by\s+")


def facts_in_statements(document: Document) -> Iterator[Fact]:
    """The facts in a document's statements, at most one of each."""
    yield from _fronted_dates(document)
    for statement in statements(document):
        if _is_one_of_several(statement):
            continue
        for read in _READERS:
            found = read(statement)
            if found is not None:
                kind, answer, wording = found
                text = statement.words_of(answer)
                quote = _with_marks(document.text, statement.sentence)
                titled = wording.under(document.title)
                if titled is not None:
                    yield Fact(kind, document.document_id, quote, answer, text, titled)
                break


def _with_marks(text: str, span: Span) -> Span:
    """The span with the marks of code and emphasis that its first word stands in."""
    start = span.start
    while start and text[start - 1] in "`*_":
        start -= 1
    return Span(start, span.end)


def _fronted_dates(document: Document) -> Iterator[Fact]:
    """ "In 1932, the bridge was opened": when was the bridge opened?"""
    prose = without_markup(document.text, document.format)
    for sentence in prose_sentences(document, prose):
        match = _FRONTED.match(prose, sentence.start, sentence.end)
        found = dates(match["date"]) if match else []
        if match is None or len(found) != 1 or found[0].end - found[0].start < len(match["date"].strip()):
            continue
        statement = statement_in(prose, Span(match.end(), sentence.end), opens=False)
        if statement is None or _is_one_of_several(statement):
            continue
        rest = rest_of(statement)
        told = rest[: end_of_clause(rest, 0)]
        verb = verb_of(statement)
        done = told.split()
        if verb not in ("was", "were") and not is_past(verb):
            continue
        if len(done) > _MOST_TOLD or ALTERNATIVE.match(rest, len(told)) or not (done or is_past(verb)):
            continue
        if verb in BE and part_of_speech(stem(done[0]), done[0]) != "verb":
            continue
        wording = asked(statement, "When", told, "").under(document.title)
        answer = Span(match.start("date"), match.end("date"))
        if wording is not None:
            quote = _with_marks(document.text, sentence)
            yield Fact(Kind.DATE, document.document_id, quote, answer, plain(match["date"]), wording)


def _is_one_of_several(statement: Statement) -> bool:
    """True if a statement about the past is of a thing that only its context tells apart: "a second school"."""
    first = fold(statement.words_of(statement.subject).split()[0])
    return first in ("a", "an", "one", "another") and verb_of(statement) in ("was", "were")


def _date(statement: Statement) -> Found:
    """ "The bridge was opened in 1932": when was the bridge opened?"""
    rest = rest_of(statement)
    for date in analyse(rest).dates:
        lead = _DATE_LEAD.search(rest[: date.start])
        if lead is None or (date.year is None and date.month is None):
            continue
        preposition = lead["preposition"]
        asks = "When" if preposition in ("in", "on", "at") else f"{preposition.capitalize()} when"
        between, behind = rest[: lead.start()], words_behind(rest, date.end)
        if behind is None or not is_done(statement, between):
            return None
        answer = Span(statement.rest.start + date.start, statement.rest.start + date.end)
        return Kind.DATE, answer, asked(statement, asks, between, behind)
    return None


def _place(statement: Statement) -> Found:
    """ "Settings are stored in assay.toml": where are settings stored?"""
    rest = rest_of(statement)
    match = re.match(r"\s*(?P<done>[a-z]+)\s+(?:in|at|on|near|under)\s+(?P<place>\S.*)", rest, re.S)
    if match is None or match["done"] not in _PLACED or verb_of(statement) not in BE:
        return None
    end = end_of_clause(rest, match.start("place"))
    place = Span(match.start("place"), end)
    words = rest[place.start : place.end].split()
    if not 1 <= len(words) <= _LONGEST_NAME or analyse(rest[place.start : place.end]).dates:
        return None
    answer = Span(statement.rest.start + match.end("done") + 1, statement.rest.start + end)
    answer = trimmed(statement.prose, answer)
    return Kind.PLACE, answer, asked(statement, "Where", match["done"], "")


def _maker(statement: Statement) -> Found:
    """ "The bridge was designed by Ada Keller": who was the bridge designed by?"""
    rest = rest_of(statement)
    match = _MADE.match(rest)
    if match is None or verb_of(statement) not in ("is", "are", "was", "were"):
        return None
    for name in names(rest):
        if name.start == match.end() and not name.acronym:
            if words_behind(rest, name.end):
                return None
            answer = Span(statement.rest.start + name.start, statement.rest.start + name.end)
            return Kind.MAKER, answer, asked(statement, "Who", f"{match['done']} by", "")
    return None


def _attribute(statement: Statement) -> Found:
    """ "The capital of Peru is Lima": what is the capital of Peru?"""
    if verb_of(statement) not in ("is", "was", "are", "were"):
        return None
    subject = statement.words_of(statement.subject)
    if not fold(subject).startswith("the ") or " of " not in subject:
        return None
    rest = rest_of(statement)
    end = end_of_clause(rest, 0)
    words = rest[:end].split()
    if not words or len(words) > _LONGEST_NAME or end < len(rest.rstrip()):
        return None
    raw = statement.prose[statement.rest.start : statement.rest.start + end].strip()
    begins = words[0]
    if not (begins[0].isupper() or begins[0].isdigit() or fold(begins) in ("a", "an")) or begins in STOP_WORDS - {
        "a",
        "an",
    }:
        return None
    answer = trimmed(statement.prose, Span(statement.rest.start, statement.rest.start + end))
    return attribute_of(statement, answer, Kind.ATTRIBUTE) if raw else None


def _definition(statement: Statement) -> Found:
    """ "A collection is a set of documents": what is a collection?"""
    rest, verb = rest_of(statement), verb_of(statement)
    if verb not in ("is", "are") or not _DEFINES.match(rest):
        return None
    hard = _HARD_BOUNDARY.search(rest)
    end = hard.start() if hard else len(rest)
    words = rest[:end].split()
    if not 4 <= len(words) <= _LONGEST_DEFINITION or not _says_what(words):
        return None
    subject = statement.words_of(statement.subject)
    first, *others = subject.split()
    if len(others) > 4 or " of " in subject or fold(first) in _DETERMINERS - _ARTICLES:
        return None
    if fold(first) == "the" and not (others and others[0][0].isupper()):
        return None  # which one is meant stands elsewhere
    tells = rest[:end].partition(",")[0].split()
    person = any(fold(word) in _PERSONS for word in tells[:10]) and subject.istitle() and bool(others)
    answer = trimmed(statement.prose, Span(statement.rest.start, statement.rest.start + end))
    return (
        Kind.DEFINITION,
        answer,
        Wording("Who" if person else "What", verb, "", lowered(subject, statement.prose)),
    )


def _says_what(words: list[str]) -> bool:
    """True if a noun phrase tells what a thing is: "a network that …", not "the most important"."""
    second = fold(words[1])
    return not (second in STOP_WORDS or second.endswith(("est", "ly")) or second in _VAGUE)


def _function(statement: Statement) -> Found:
    """ "`assay add` reads files": what does assay add do?"""
    verb = statement.words_of(statement.verb)
    subject = statement.words_of(statement.subject)
    if not is_present(verb) or not _is_code(subject):
        return None
    end = _comma_or_end(rest_of(statement))
    if _DOING.search(rest_of(statement)[:end]) is None:
        return None
    answer = trimmed(statement.prose, Span(statement.verb.start, statement.rest.start + end))
    return Kind.FUNCTION, answer, Wording("What", "does", "", subject, "do")


def _is_code(subject: str) -> bool:
    return len(subject.split()) == 1 and _CODE.search(subject) is not None


def _comma_or_end(rest: str) -> int:
    boundary = _CLAUSE_END.search(rest)
    return boundary.start() if boundary else len(rest.rstrip())


_READERS: tuple[Callable[[Statement], Found], ...] = (
    _date,
    _place,
    _maker,
    amount,
    _attribute,
    _definition,
    _function,
)
