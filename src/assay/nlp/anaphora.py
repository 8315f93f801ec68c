"""Phrases that point at a thing without naming it, and the things in texts that they may point at. English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.nlp.lexicon import word_class
from assay.nlp.tokens import STOP_WORDS, fold, stem, word_spans
from assay.types import Span

DEMONSTRATIVES = word_class("pronouns.demonstrative")
POSSESSIVES = word_class("pronouns.possessive")
PRONOUNS = word_class("pronouns.personal")
_BACK = PRONOUNS | POSSESSIVES
_DETERMINERS = DEMONSTRATIVES | POSSESSIVES | {"the"}
# Words behind which a noun phrase goes no further.
_ENDS = STOP_WORDS | word_class("anaphora.phrase_ends")
# What is one of its kind, or is said by what follows: "the first", "the same", "the purpose of".
_UNIQUE = frozenset(map(stem, word_class("anaphora.unique")))
# "Is it possible", "does it take": nothing stands behind these.
_DUMMY = word_class("anaphora.dummy")
_LONGEST_PHRASE = 5
# Of "how much" and the like, which name nothing.
_MEASURES = word_class("anaphora.measures")
_AUXILIARIES = word_class("verbs.auxiliary")
_BE = word_class("verbs.be")
_RELATIVES = word_class("pronouns.relative")
_PREPOSITIONS = word_class("anaphora.prepositions")
# A name this many words behind a preposition still belongs to it: "of the second Elizabeth".
_NEAR_NAME = 3
# Of a text, this much is looked through for what a phrase may point at.
_LONGEST = 3000


@dataclass(frozen=True, slots=True)
class Pointed:
    """A phrase that points: the folded word `by` which it points, and its nouns; none for a pronoun."""

    by: str
    nouns: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The last noun as written, "" for a pronoun."""
        return self.nouns[-1] if self.nouns else ""

    def __str__(self) -> str:
        """The phrase as it is said.

        >>> str(Pointed("this", ("index", "fund")))
        'this index fund'
        """
        return " ".join((self.by, *self.nouns))


def pointed(text: str) -> tuple[Pointed, ...]:
    """The phrases of a text that point at a thing which they do not name.

    What is one of its kind ("the sun", "the first"), what is named ("the Eiffel Tower") and what is said by what
    follows ("the author of") is left out.

    >>> [str(each) for each in pointed("Can we take the pets into this park near the Tahoe ferry?")]
    ['the pets', 'this park']
    """
    spans = list(word_spans(text))
    folded = [fold(text[span.start : span.end]) for span in spans]
    # Where nothing has a capital, "the bull run" may be a name.
    lower = not any(map(str.isupper, text))
    found = []
    for at, word in enumerate(folded):
        if word in _BACK and any(each not in _ENDS | _MEASURES for each in folded[:at]):
            continue  # it stands for what was said before it
        if word in PRONOUNS and not (word == "it" and _DUMMY.intersection(folded[at + 1 : at + 3])):
            found.append(Pointed(word))
        elif word in _DETERMINERS:
            nouns = _nouns(text, spans, folded, at + 1)
            nouns = _without_verb(nouns, folded[at - 1] if at else "")
            named = _specified(text, spans, folded, at + 1 + len(nouns))
            if nouns and not (word == "the" and (lower or named or stem(nouns[-1]) in _UNIQUE)):
                found.append(Pointed(word, nouns))
    return tuple(found)


def _without_verb(nouns: tuple[str, ...], before: str) -> tuple[str, ...]:
    """The nouns without the verb that an auxiliary before them asks for: "does the loan need"."""
    if len(nouns) < 2:
        return nouns
    asks = before in _AUXILIARIES or (before in _BE and nouns[-1].endswith(("ed", "en", "born", "built", "held")))
    return nouns[:-1] if asks else nouns


def _specified(text: str, spans: Sequence[Span], folded: Sequence[str], at: int) -> bool:
    """Whether what follows says which thing is meant: a relative clause, or "of", "in" and the like with a name."""
    if at >= len(folded):
        return False
    near = (text[span.start].isupper() for span in spans[at + 1 : at + 1 + _NEAR_NAME])
    return folded[at] in _RELATIVES or (folded[at] in _PREPOSITIONS and any(near))


def variants(head: str, texts: Iterable[str]) -> tuple[str, ...]:
    """What texts call things of a kind, commonest first: the word before the noun with the noun, each once.

    >>> variants("loan", ["A student loan, or a car loan.", "The Student Loan is due."])
    ('student loan', 'car loan')
    """
    wanted, counted, written = _singular(head), Counter[str](), dict[str, str]()
    for text in texts:
        here: dict[str, str] = {}
        spans = list(word_spans(text[:_LONGEST]))
        for before, noun in pairwise(spans):
            said = text[before.start : noun.end]
            modifier = fold(text[before.start : before.end])
            if _singular(text[noun.start : noun.end]) == wanted and _modifies(modifier, said, before, noun):
                here.setdefault(modifier, said)
        counted.update(here.keys())
        written = here | written
    return tuple(written[modifier] for modifier, _ in counted.most_common())


def _singular(noun: str) -> str:
    """The folded noun without a plural's s, which a verb of the same stem would not meet."""
    return fold(noun).removesuffix("s")


def _modifies(modifier: str, said: str, before: Span, noun: Span) -> bool:
    """Whether a word tells which thing is meant: a content word, a blank before the noun."""
    return (
        modifier.isalpha()
        and modifier not in _ENDS
        and said[before.end - before.start : noun.start - before.start] == " "
    )


def _nouns(text: str, spans: Sequence[Span], folded: Sequence[str], at: int) -> tuple[str, ...]:
    """The words of a noun phrase; none where it holds a name or a number."""
    found: list[str] = []
    for place in range(at, min(at + _LONGEST_PHRASE, len(folded))):
        span, bare = spans[place], folded[place].removesuffix("'s").removesuffix("’s")
        if bare in _ENDS or (found and text[spans[place - 1].end : span.start].strip()):
            break
        first = text[span.start]
        if first.isupper() or first.isdigit():
            return ()
        found.append(bare)
        if bare != folded[place]:
            break
    return tuple(found)
