"""English phrases that refer to a thing without naming it, and the things in a text that they may refer to."""

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
# Words that end a noun phrase.
_ENDS = STOP_WORDS | word_class("anaphora.phrase_ends")
# Unique things, or things that the next words specify: "the first", "the same", "the purpose of".
_UNIQUE = frozenset(map(stem, word_class("anaphora.unique")))
# Words behind a dummy "it": "is it possible", "does it take".
_DUMMY = word_class("anaphora.dummy")
_LONGEST_PHRASE = 5
# Words of "how much" and the like, which name nothing.
_MEASURES = word_class("anaphora.measures")
_AUXILIARIES = word_class("verbs.auxiliary")
_BE = word_class("verbs.be")
_RELATIVES = word_class("pronouns.relative")
_PREPOSITIONS = word_class("anaphora.prepositions")
# A name belongs to a preposition at most so many words before it: "of the second Elizabeth"; chosen.
_NEAR_NAME = 3
# Characters of a text that are searched for things of a kind; chosen.
_LONGEST = 3000


@dataclass(frozen=True, slots=True)
class Reference:
    """A referring phrase: its pronoun or determiner, folded, and its nouns; none for a pronoun."""

    word: str
    nouns: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The last noun as written, "" for a pronoun."""
        return self.nouns[-1] if self.nouns else ""

    def __str__(self) -> str:
        """The phrase as text.

        >>> str(Reference("this", ("index", "fund")))
        'this index fund'
        """
        return " ".join((self.word, *self.nouns))


def references(text: str) -> tuple[Reference, ...]:
    """The phrases of a text that refer to a thing without naming it.

    Left out are unique things ("the sun", "the first"), names ("the Eiffel Tower") and things that the next words
    specify ("the author of").

    >>> [str(phrase) for phrase in references("Can we take the pets into this park near the Tahoe ferry?")]
    ['the pets', 'this park']
    """
    spans = list(word_spans(text))
    folded = [fold(text[span.start : span.end]) for span in spans]
    # Without any capital, "the bull run" may be a name.
    all_lower = not any(map(str.isupper, text))
    found = []
    for at, word in enumerate(folded):
        if word in _BACK and any(earlier not in _ENDS | _MEASURES for earlier in folded[:at]):
            continue  # it refers to the words before it
        if word in PRONOUNS and not (word == "it" and _DUMMY.intersection(folded[at + 1 : at + 3])):
            found.append(Reference(word))
        elif word in _DETERMINERS:
            nouns = _nouns(text, spans, folded, at + 1)
            nouns = _without_verb(nouns, folded[at - 1] if at else "")
            specified = _is_specified(text, spans, folded, at + 1 + len(nouns))
            if nouns and not (word == "the" and (all_lower or specified or stem(nouns[-1]) in _UNIQUE)):
                found.append(Reference(word, nouns))
    return tuple(found)


def _without_verb(nouns: tuple[str, ...], before: str) -> tuple[str, ...]:
    """The nouns without a final verb that belongs to an auxiliary before them: "does the loan need"."""
    if len(nouns) < 2:
        return nouns
    has_verb = before in _AUXILIARIES or (
        before in _BE and nouns[-1].endswith(("ed", "en", "born", "built", "held"))
    )
    return nouns[:-1] if has_verb else nouns


def _is_specified(text: str, spans: Sequence[Span], folded: Sequence[str], at: int) -> bool:
    """True if the next words specify the thing: a relative clause, or a preposition with a name."""
    if at >= len(folded):
        return False
    near = (text[span.start].isupper() for span in spans[at + 1 : at + 1 + _NEAR_NAME])
    return folded[at] in _RELATIVES or (folded[at] in _PREPOSITIONS and any(near))


def variants(head: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The phrases of texts for things of a kind, a modifier and the noun, commonest first.

    >>> variants("loan", ["A student loan, or a car loan.", "The Student Loan is due."])
    ('student loan', 'car loan')
    """
    wanted, counts, wordings = _singular(head), Counter[str](), dict[str, str]()
    for text in texts:
        in_text: dict[str, str] = {}
        spans = list(word_spans(text[:_LONGEST]))
        for before, noun in pairwise(spans):
            phrase = text[before.start : noun.end]
            modifier = fold(text[before.start : before.end])
            if _singular(text[noun.start : noun.end]) == wanted and _modifies(modifier, phrase, before, noun):
                in_text.setdefault(modifier, phrase)
        counts.update(in_text.keys())
        wordings = in_text | wordings
    return tuple(wordings[modifier] for modifier, _ in counts.most_common())


def _singular(noun: str) -> str:
    """The folded noun without a plural's s; a stem would also match verbs."""
    return fold(noun).removesuffix("s")


def _modifies(modifier: str, phrase: str, before: Span, noun: Span) -> bool:
    """True if a word specifies the noun: a content word, one blank before it."""
    return (
        modifier.isalpha()
        and modifier not in _ENDS
        and phrase[before.end - before.start : noun.start - before.start] == " "
    )


def _nouns(text: str, spans: Sequence[Span], folded: Sequence[str], at: int) -> tuple[str, ...]:
    """The words of a noun phrase; none where it contains a name or a number."""
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
