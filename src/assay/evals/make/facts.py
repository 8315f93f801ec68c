"""Facts in statements: a date, a place, a person, a number, a definition, what a code does. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay.evals.make.amounts import amount
from assay.evals.make.clauses import (
    ALTERNATIVE,
    BE,
    Found,
    asked,
    attribute_of,
    end_of_clause,
    is_done,
    rest_of,
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
from assay.nlp.tokens import STOP_WORDS, fold, stem
from assay.nlp.wordnet import part_of_speech
from assay.types import Document, Span

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
