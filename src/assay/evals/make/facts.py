"""Facts that a question can be made of: statements with a date, a place, a person, a number or a definition. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from assay.evals.make.statements import (
    Statement,
    base_form,
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
from assay.types import Document, Span, Value

_BE = word_class("verbs.be")
_PLACED = word_class("statements.placed")
_MEASURED = word_class("statements.measured")
_PERSONS = word_class("phrases.persons")
_JOINING = word_class("statements.joining")
_PREPOSITIONS = word_class("statements.prepositions")
_FUTURE_OR_MODAL = word_class("verbs.auxiliary") - {"has", "have", "had", "do", "does", "did"}

_VAGUE = word_class("statements.vague")
_DETERMINERS = word_class("function_words.articles") | word_class("statements.determiners")
# What may follow a span of time that counts from something else.
_COUNTED_FROM = ("after", "before", "ago", "later", "earlier", "old")

# Chosen: what stands between the verb and the answer, and behind it, in words.
_MOST_TOLD = 9
_MOST_BETWEEN, _MOST_BEHIND, _LONGEST_PLACE, _LONGEST_DEFINITION = 5, 6, 8, 30
_BOUNDARY = re.compile(rf"[,;:()\[\]|–—→=…]|\s-\s|\s(?:and|or|nor|then|{'|'.join(sorted(_JOINING))})(?=\s)")
_ALTERNATIVE = re.compile(r"\s(?:and|or|nor)\s")
_HARD_BOUNDARY = re.compile(r"[;:(\[|–—→=…]|\s-{1,2}\s|,\s(?:but|so|which|because|since)\s")
_NUMBER = re.compile(r"(?P<digits>[\d.,]*\d(?:\s(?:million|billion|thousand))?|[A-Za-z]+(?:-[a-z]+)?)(?:[\s-]|(?=[^\d\s]))(?P<unit>.*)", re.S)
_ROUGH = re.compile(r"\s*\b(?:about|around|approximately|roughly|nearly|almost|exactly|only|at most|at least|up to)\s*\Z")
_FRONTED = re.compile(r"(?:In|On)\s+(?P<date>(?:[A-Z][a-z]+\s)?(?:\d{1,2}(?:,\s|\s))?(?:[A-Z][a-z]+\s)?\d{4}),?\s+(?=\S)")
_DATE_LEAD = re.compile(r"\s(?P<preposition>in|on|at|from|since|until)\s*\Z")
_NOUN_RUN = re.compile(r"(?:\s+(?:of\s|per\s)?[^\W\d_][\w'’/-]*)+")
_DEFINES = re.compile(r"\s*an?\s+\w")
_CODE = re.compile(r"\w_\w|\A--?[a-z]|\w\(\)|\w\.[a-z]\w")
_CLAUSE_END = re.compile(r"[,;:(\[|–—→=…]|\s-\s")
_DOING = re.compile(r"\w{2}")
_MADE = re.compile(r"\s*(?P<done>[a-z]+(?:ed|en|wn|lt|pt|ld|un|de|ne|ut|it))\s+by\s+")


class Kind(StrEnum):
    """What a fact tells of its thing."""

    DATE = "date"
    PLACE = "place"
    MAKER = "maker"
    NUMBER = "number"
    ATTRIBUTE = "attribute"
    DEFINITION = "definition"
    FUNCTION = "function"
    ACRONYM = "acronym"
    CELL = "cell"
    HOW_TO = "how-to"
    HEADING = "heading"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Fact(Value):
    """Something that a document states, and a question that it answers.

    `quote` and `answer` are places in the document's text; `answer` lies within `quote`, and `answer_text` are its
    words without markup.
    """

    kind: Kind
    document_id: str
    quote: Span
    answer: Span
    answer_text: str
    wording: Wording


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
        rest = _rest(statement)
        told = rest[: _end(rest, 0)]
        verb = _verb(statement)
        done = told.split()
        if verb not in ("was", "were") and not is_past(verb):
            continue
        if len(done) > _MOST_TOLD or _ALTERNATIVE.match(rest, len(told)) or not (done or is_past(verb)):
            continue
        if verb in _BE and part_of_speech(stem(done[0]), done[0]) != "verb":
            continue
        asked = _asked(statement, "When", told, "").under(document.title)
        answer = Span(match.start("date"), match.end("date"))
        if asked is not None:
            quote = _with_marks(document.text, sentence)
            yield Fact(Kind.DATE, document.document_id, quote, answer, plain(match["date"]), asked)


def _is_one_of_several(statement: Statement) -> bool:
    """Whether a statement about the past is of a thing that only its context tells from others: "a second school"."""
    first = fold(statement.words_of(statement.subject).split()[0])
    return first in ("a", "an", "one", "another") and _verb(statement) in ("was", "were")


Found = tuple[Kind, Span, Wording] | None


def _date(statement: Statement) -> Found:
    """ "The bridge was opened in 1932": when was the bridge opened?"""
    rest = _rest(statement)
    for date in analyse(rest).dates:
        lead = _DATE_LEAD.search(rest[: date.start])
        if lead is None or date.year is None and date.month is None:
            continue
        preposition = lead["preposition"]
        asks = "When" if preposition in ("in", "on", "at") else f"{preposition.capitalize()} when"
        between, behind = rest[: lead.start()], _behind(rest, date.end)
        if behind is None or not _is_done(statement, between):
            return None
        answer = Span(statement.rest.start + date.start, statement.rest.start + date.end)
        return Kind.DATE, answer, _asked(statement, asks, between, behind)
    return None


def _place(statement: Statement) -> Found:
    """ "Settings are stored in assay.toml": where are settings stored?"""
    rest = _rest(statement)
    match = re.match(r"\s*(?P<done>[a-z]+)\s+(?:in|at|on|near|under)\s+(?P<place>\S.*)", rest, re.S)
    if match is None or match["done"] not in _PLACED or _verb(statement) not in _BE:
        return None
    end = _end(rest, match.start("place"))
    place = Span(match.start("place"), end)
    words = rest[place.start : place.end].split()
    if not 1 <= len(words) <= _LONGEST_PLACE or analyse(rest[place.start : place.end]).dates:
        return None
    answer = Span(statement.rest.start + match.end("done") + 1, statement.rest.start + end)
    answer = _trimmed(statement.prose, answer)
    return Kind.PLACE, answer, _asked(statement, "Where", match["done"], "")


def _maker(statement: Statement) -> Found:
    """ "The bridge was designed by Ada Keller": who was the bridge designed by?"""
    rest = _rest(statement)
    match = _MADE.match(rest)
    if match is None or _verb(statement) not in ("is", "are", "was", "were"):
        return None
    for name in names(rest):
        if name.start == match.end() and not name.acronym:
            if _behind(rest, name.end):
                return None
            answer = Span(statement.rest.start + name.start, statement.rest.start + name.end)
            return Kind.MAKER, answer, _asked(statement, "Who", f"{match['done']} by", "")
    return None


def _number(statement: Statement) -> Found:
    """ "The hall holds 300 people": how many people does the hall hold?"""
    rest = _rest(statement)
    measured = [quantity for quantity in analyse(rest).quantities if _counts(quantity, rest)]
    if not measured or _BOUNDARY.search(rest[: measured[0].start]):
        return None
    quantity = measured[0]
    rough = _ROUGH.search(rest[: quantity.start])
    between = rest[: rough.start() if rough else quantity.start]
    return _measure(statement, rest, quantity, between) or _count(statement, rest, quantity, between)


def _measure(statement: Statement, rest: str, quantity: Quantity, between: str) -> Found:
    """ "It is 5 km long", "the fee is 5 euros", "it costs 5 euros"."""
    answer = Span(statement.rest.start + quantity.start, statement.rest.start + quantity.end)
    tail = rest[quantity.end :].strip()
    verb = _verb(statement)
    if not between.strip() and verb in _BE and tail in _MEASURED and quantity.dimension:
        return Kind.NUMBER, answer, _asked(statement, f"How {tail}", "", "")
    if not between.strip() and verb in ("is", "was") and not tail and quantity.dimension and fold(statement.words_of(statement.subject)).startswith("the "):
        return _attribute_of(statement, answer, Kind.NUMBER)
    if verb == "costs" and not between.strip() and not tail:
        return Kind.NUMBER, answer, Wording("How much", "does", "", _thing(statement), "cost")
    return None


def _count(statement: Statement, rest: str, quantity: Quantity, between: str) -> Found:
    """A counted noun: "The hall holds 300 people", "Logs are kept for 30 days"."""
    match = _NUMBER.fullmatch(rest[quantity.start : quantity.end] + " ")
    if match is None:
        return None
    unit = match["unit"].strip()
    run = _NOUN_RUN.match(rest[quantity.end :])
    nouns = "" if run is None else _noun_phrase(run.group(), unit)
    counted = f"{unit} {nouns}".strip() if unit else nouns
    follows = rest[end_of(quantity, run, nouns) :].split()
    if (follows and fold(follows[0]) in _COUNTED_FROM) or "-" in rest[quantity.start : quantity.end]:
        return None
    if not counted or not (unit or counted.split(" of ")[0].split(" per ")[0].endswith("s") or counted == "people"):
        return None
    end = end_of(quantity, run, nouns)
    behind = _behind(rest, end)
    if behind is None:
        return None
    answer = Span(statement.rest.start + quantity.start, statement.rest.start + end)
    *done, last = between.split() or [""]
    preposition = last if last in _PREPOSITIONS else ""
    middle = " ".join(done if preposition else between.split())
    if preposition == "of" or _DETERMINERS & set(middle.split()[-2:]):
        return None
    if unit.isalpha() and len(unit) > 3 and not counted.split(" of ")[0].split(" per ")[0].endswith("s"):
        return None
    asks = f"{preposition.capitalize()} how many" if preposition else "How many"
    verb = _verb(statement)
    if verb in ("has", "have") and not middle and not preposition:
        asked = Wording(f"{asks} {counted}", "does" if verb == "has" else "do", "", _thing(statement), f"have {behind}")
        return Kind.NUMBER, answer, asked
    if not _is_done(statement, between if preposition or middle else " be "):
        return None
    return (Kind.NUMBER, answer, _asked(statement, f"{asks} {counted}", middle, behind)) if middle or not _is_be(verb) else None


def _attribute(statement: Statement) -> Found:
    """ "The capital of Peru is Lima": what is the capital of Peru?"""
    if _verb(statement) not in ("is", "was", "are", "were"):
        return None
    subject = statement.words_of(statement.subject)
    if not fold(subject).startswith("the ") or " of " not in subject:
        return None
    rest = _rest(statement)
    end = _end(rest, 0)
    words = rest[:end].split()
    if not words or len(words) > _LONGEST_PLACE or end < len(rest.rstrip()):
        return None
    raw = statement.prose[statement.rest.start : statement.rest.start + end].strip()
    begins = words[0]
    if not (begins[0].isupper() or begins[0].isdigit() or fold(begins) in ("a", "an")) or begins in STOP_WORDS - {"a", "an"}:
        return None
    answer = _trimmed(statement.prose, Span(statement.rest.start, statement.rest.start + end))
    return _attribute_of(statement, answer, Kind.ATTRIBUTE) if raw else None


def _attribute_of(statement: Statement, answer: Span, kind: Kind) -> Found:
    subject = lowered(statement.words_of(statement.subject), statement.prose)
    head, of, thing = subject.partition(" of ")
    asks = "Who" if head.split()[-1] in _PERSONS else "What"
    if not of:
        return kind, answer, Wording(asks, _verb(statement), "", subject)
    return kind, answer, Wording(asks, _verb(statement), f"{head} of", thing)


def _definition(statement: Statement) -> Found:
    """ "A collection is a set of documents": what is a collection?"""
    rest, verb = _rest(statement), _verb(statement)
    if verb not in ("is", "are") or not _DEFINES.match(rest):
        return None
    hard = _HARD_BOUNDARY.search(rest)
    end = hard.start() if hard else len(rest)
    words = rest[:end].split()
    if not 4 <= len(words) <= _LONGEST_DEFINITION or not _says_what(words):
        return None
    subject = statement.words_of(statement.subject)
    first, *others = subject.split()
    if len(others) > 4 or " of " in subject or fold(first) in _DETERMINERS - {"a", "an", "the"}:
        return None
    if fold(first) == "the" and not (others and others[0][0].isupper()):
        return None  # which one is meant stands elsewhere
    tells = rest[:end].partition(",")[0].split()
    person = any(fold(word) in _PERSONS for word in tells[:10]) and subject.istitle() and bool(others)
    answer = _trimmed(statement.prose, Span(statement.rest.start, statement.rest.start + end))
    return Kind.DEFINITION, answer, Wording("Who" if person else "What", verb, "", lowered(subject, statement.prose))


def _says_what(words: list[str]) -> bool:
    """Whether a noun phrase tells what a thing is: "a network that …", not "the most important"."""
    second = fold(words[1])
    if second in STOP_WORDS or second.endswith(("est", "ly")) or second in _VAGUE:
        return False
    return True


def _function(statement: Statement) -> Found:
    """ "`assay add` reads files": what does assay add do?"""
    verb = statement.words_of(statement.verb)
    subject = statement.words_of(statement.subject)
    if not is_present(verb) or not _is_code(subject):
        return None
    end = _comma_or_end(_rest(statement))
    if _DOING.search(_rest(statement)[:end]) is None:
        return None
    answer = _trimmed(statement.prose, Span(statement.verb.start, statement.rest.start + end))
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
    _number,
    _attribute,
    _definition,
    _function,
)


def _asked(statement: Statement, asks: str, between: str, behind: str) -> Wording:
    """The question with the verb before its subject; a plain present takes "does"."""
    verb = statement.words_of(statement.verb)
    between = " ".join(word for word in between.split() if word != "also")
    if is_present(verb) or is_past(verb):
        does = "did" if is_past(verb) else "does"
        return Wording(asks, does, "", _thing(statement), f"{base_form(verb)} {between} {behind}".strip())
    return Wording(asks, verb, "", _thing(statement), f"{between} {behind}".strip())


def _thing(statement: Statement) -> str:
    return lowered(statement.words_of(statement.subject), statement.prose)


def _verb(statement: Statement) -> str:
    return fold(statement.words_of(statement.verb))


def _is_be(verb: str) -> bool:
    return verb in _BE


def _rest(statement: Statement) -> str:
    return statement.prose[statement.rest.start : statement.rest.end]


def _is_done(statement: Statement, between: str) -> bool:
    """Whether the words between the verb and the answer are short and go with the verb."""
    words = between.split()
    if _BOUNDARY.search(between) or len(words) > _MOST_BETWEEN or any(character.isdigit() for character in between):
        return False
    verb = _verb(statement)
    if is_present(verb) or is_past(verb):
        return True
    if not words:
        return verb in _BE
    first = words[0]
    if verb in _BE:
        return first not in STOP_WORDS and part_of_speech(stem(first), first) in ("verb", "adjective")
    return verb in _FUTURE_OR_MODAL and (first == "be" or part_of_speech(stem(first), first) == "verb")


def _behind(rest: str, start: int) -> str | None:
    """The words behind an answer that belong to the question; None where they are too many to tell."""
    end = _end(rest, start)
    words = rest[start:end].split()
    if not words:
        return ""
    if _ALTERNATIVE.match(rest, end):
        return None
    if len(words) > _MOST_BEHIND or fold(words[0]) not in _PREPOSITIONS or words[-1] in STOP_WORDS:
        return None
    return " ".join(words)


def _end(rest: str, start: int) -> int:
    """Where the clause with the answer ends."""
    boundary = _BOUNDARY.search(rest, start)
    return boundary.start() if boundary else len(rest.rstrip())


def _trimmed(prose: str, span: Span) -> Span:
    text = prose[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, start + len(text.strip()))


def _counts(quantity: Quantity, rest: str) -> bool:
    """Whether a quantity can be asked for by "how many"."""
    if quantity.dimension in ("ordinal", "clock", "percent", "point") or quantity.low != quantity.high:
        return False
    return quantity.written not in (0.0, 1.0) and not quantity.apart and rest[quantity.start].isalnum()


def end_of(quantity: Quantity, run: re.Match[str] | None, nouns: str) -> int:
    """Where a number with its nouns ends."""
    return quantity.end + (run.group().find(nouns) + len(nouns) if run and nouns else 0)


def _noun_phrase(run: str, unit: str) -> str:
    """The nouns that a number counts, up to the first word that is none; with "of …" or "per …" at once behind."""
    kept: list[str] = []
    words = run.split()
    for at, word in enumerate(words):
        small = fold(word)
        if small in ("of", "per") and (kept or unit) and at + 1 < len(words):
            kept.append(word)
            continue
        if small in STOP_WORDS or small in _PREPOSITIONS or small in _JOINING:
            break
        if kept and kept[-1].endswith("s") and len(kept) > 0 and "of" not in kept[-2:] and "per" not in kept[-2:]:
            break
        kept.append(word)
    return " ".join(kept)
