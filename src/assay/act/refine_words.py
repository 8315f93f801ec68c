"""Queries by words alone: acronyms and other names written out, words dropped, constraints kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.act.refine_question import weighed
from assay.act.refine_reading import read
from assay.text.answer_types import names
from assay.text.names import acronyms
from assay.text.tokens import STOP_WORDS, terms, words
from assay.types import Hit

# "X, also known as Y": the name before, and the name behind.
_NAME = r"[A-Z][\w’'.-]{0,40}(?: [A-Z][\w’'.-]{0,40}){0,5}"
_ALSO = re.compile(
    rf"\b(?P<one>{_NAME}),? \(?"
    r"(?:or|also (?:known|called|named)(?: as)?|(?:better|formerly|commonly) known as|a\.?k\.?a\.?)"
    rf" (?:the |as )?[\"“]?(?P<other>{_NAME})"
)
# Words that change what is asked stay in a query of words, whatever else goes.
_LIMITS = frozenset("not no nor never without except before after under over between more less than".split())
_ASKS = frozenset("who whom whose what which when where why how is are was were do does did".split())


def constrained(question: str, part: str) -> str:
    """The part with the names and numbers of the question that it lacks.

    >>> constrained("When did the Eiffel Tower open, and how much did it cost in 1889?", "how much did it cost")
    'how much did it cost Eiffel Tower 1889'
    """
    there = set(words(part))
    lacking = [question[span.start : span.end] for span in names(question)]
    lacking += [word for word in words(question) if any(letter.isdigit() for letter in word)]
    added: list[str] = []
    for each in lacking:
        if not there.issuperset(words(each)):
            added.append(each)
            there.update(words(each))
    return " ".join((part, *added))


def keywords(text: str) -> str:
    """The text without words that ask or only join; names, numbers, negations and limits stay, as written.

    >>> keywords("What was the revenue of Acme before 2019?")
    'revenue Acme before 2019'
    """
    kept = [each for each in text.split() if _states(each)]
    return " ".join(kept).rstrip(" ?.!,;") or text


def _states(word: str) -> bool:
    folded = words(word)
    return any(each in _LIMITS or (each not in STOP_WORDS and each not in _ASKS) for each in folded)


def expanded(question: str, hits: Sequence[Hit]) -> Iterator[str]:
    """The question with an acronym written out, or a name by the other name that the passages give it.

    >>> from assay.types import Passage
    >>> passage = Passage("p", "d", "r", 0, 46, "The World Health Organization (WHO) has a seat.")
    >>> list(expanded("Where is the seat of the WHO?", [Hit(passage, 1.0)]))
    ['Where is the seat of the World Health Organization?']
    """
    for hit in hits:
        text = hit.readable
        for short, long in acronyms(text).items():
            yield from _replaced(question, short.upper(), _written(long, text))
        for match in _ALSO.finditer(text):
            yield from _replaced(question, match["one"], match["other"])
            yield from _replaced(question, match["other"], match["one"])


def _written(long: tuple[str, ...], text: str) -> str:
    """The words of an acronym as the passage writes them, small words between them left in."""
    pattern = r"\W+(?:(?:of|the|for|and|de|la)\W+){0,2}".join(map(re.escape, long))
    found = re.search(rf"\b{pattern}\b", text, re.IGNORECASE)
    return found.group() if found else " ".join(long)


def _replaced(question: str, one: str, other: str) -> Iterator[str]:
    """The question with `other` in the place of `one`, both ways round for acronyms; none where it has neither."""
    for old, new in ((one, other), (other, one)) if one.isupper() else ((one, other),):
        pattern = rf"\b{re.escape(old)}\b"
        if re.search(pattern, question) and new not in question:
            yield new.join(re.split(pattern, question))


def relaxed(question: str, hits: Sequence[Hit]) -> Iterator[str]:
    """The question's words without those that no passage holds; names and numbers stay."""
    there = frozenset().union(*(read(hit).terms for hit in hits))
    weights = weighed(question)
    nowhere = {term for term, weight in weights.items() if weight == 1.0 and term not in there}
    if hits and nowhere and len(nowhere) < len(weights):
        yield " ".join(
            word for word in words(question) if any(t in weights and t not in nowhere for t in terms(word))
        )
