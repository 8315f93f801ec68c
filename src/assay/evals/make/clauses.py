"""Clauses turned into questions: the verb before its subject, and the answer taken out. Pure."""

from __future__ import annotations

import re

from assay.evals.make.fact import Kind
from assay.evals.make.statements import Statement, base_form, is_past, is_present, lowered
from assay.evals.make.wording import Wording
from assay.nlp.lexicon import word_class
from assay.nlp.tokens import STOP_WORDS, fold, stem
from assay.nlp.wordnet import lexicon, part_of_speech
from assay.types import Span

BE = word_class("verbs.be")
PREPOSITIONS = word_class("statements.prepositions")
_PERSONS = word_class("phrases.persons")
_JOINING = word_class("statements.joining")
_MODALS = word_class("verbs.auxiliary") - {"has", "have", "had", "do", "does", "did"}
_OF_SEVERAL = frozenset(("are", "were", "have"))
# What ends a clause, and of these what joins it to another of its kind.
BOUNDARY = re.compile(rf"[,;:()\[\]|–—→=…]|\s-\s|\s(?:and|or|nor|then|{'|'.join(sorted(_JOINING))})(?=\s)")
ALTERNATIVE = re.compile(r"\s(?:and|or|nor)\s")
# Chosen: what stands between the verb and the answer, and behind it, in words.
_MOST_BETWEEN, _MOST_BEHIND = 5, 6

# A kind of fact, the place of its answer, and the question; None where a statement tells none.
Found = tuple[Kind, Span, Wording] | None


def asked(statement: Statement, asks: str, between: str, behind: str) -> Wording:
    """The question with the verb before its subject; a plain present takes "does"."""
    verb = statement.words_of(statement.verb)
    between = " ".join(word for word in between.split() if word != "also")
    if is_present(verb) or is_past(verb):
        does = "did" if is_past(verb) else "does"
        return Wording(asks, does, "", thing_of(statement), f"{base_form(verb)} {between} {behind}".strip())
    return Wording(asks, verb, "", thing_of(statement), f"{between} {behind}".strip())


def attribute_of(statement: Statement, answer: Span, kind: Kind) -> Found:
    """ "The height of the tower": what is the height of the tower?"""
    subject = lowered(statement.words_of(statement.subject), statement.prose)
    head, of, thing = subject.partition(" of ")
    asks = "Who" if head.split()[-1] in _PERSONS else "What"
    if not of:
        return kind, answer, Wording(asks, verb_of(statement), "", subject)
    return kind, answer, Wording(asks, verb_of(statement), f"{head} of", thing)


def thing_of(statement: Statement) -> str:
    """The subject as it stands within a question."""
    return lowered(statement.words_of(statement.subject), statement.prose, plural=verb_of(statement) in _OF_SEVERAL)


def verb_of(statement: Statement) -> str:
    """The folded verb."""
    return fold(statement.words_of(statement.verb))


def rest_of(statement: Statement) -> str:
    """The words behind the verb, with the gaps of its markup."""
    return statement.prose[statement.rest.start : statement.rest.end]


def is_done(statement: Statement, between: str) -> bool:
    """True if the words between the verb and the answer are short and go with the verb."""
    words = between.split()
    if BOUNDARY.search(between) or len(words) > _MOST_BETWEEN or any(character.isdigit() for character in between):
        return False
    verb = verb_of(statement)
    if is_present(verb) or is_past(verb):
        return True
    if not words:
        return verb in BE
    first = words[0]
    if verb in BE:
        entry = lexicon().get(stem(first))
        return first not in STOP_WORDS and entry is not None and any(entry.counts[1:3])
    return verb in _MODALS and (first == "be" or part_of_speech(stem(first), first) == "verb")


def words_behind(rest: str, start: int) -> str | None:
    """The words behind an answer that belong to the question; None where they are too many to tell."""
    end = end_of_clause(rest, start)
    words = rest[start:end].split()
    if not words:
        return ""
    if ALTERNATIVE.match(rest, end):
        return None
    if len(words) > _MOST_BEHIND or fold(words[0]) not in PREPOSITIONS or words[-1] in STOP_WORDS:
        return None
    return " ".join(words)


def end_of_clause(rest: str, start: int) -> int:
    """The end of the clause with the answer."""
    boundary = BOUNDARY.search(rest, start)
    return boundary.start() if boundary else len(rest.rstrip())


def trimmed(prose: str, span: Span) -> Span:
    """The span without outer white space."""
    text = prose[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, start + len(text.strip()))
