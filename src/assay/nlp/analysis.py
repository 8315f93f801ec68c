"""Analysis of a text, shared by everything that reads the text again: claims, sources, questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, Protocol, TypeVar

from assay.nlp import dates as date_text
from assay.nlp import names as name_text
from assay.nlp import negation as negation_text
from assay.nlp import quantities as quantity_text
from assay.nlp import sentences as sentence_text
from assay.nlp.dates import Date
from assay.nlp.names import Name
from assay.nlp.negation import Comparison, Negation
from assay.nlp.quantities import Quantity
from assay.nlp.tokens import STOP_WORDS, UNSPACED, bigrams, fold, stem, word_spans, written_words
from assay.types import Span

Read = TypeVar("Read")

_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")
# Characters of the analyses that are kept, sentences of kept passages counted again: chosen, about 100 bytes each.
_MOST_CHARACTERS = 500_000


class Place(Protocol):
    """A stretch of a text: a span, or a value with its place."""

    @property
    def start(self) -> int:
        """Its first character."""
        ...

    @property
    def end(self) -> int:
        """The end of the text."""
        ...


def overlaps(one: Place, other: Place) -> bool:
    """True if two stretches of one text share a character."""
    return one.start < other.end and other.start < one.end


def within(place: Place, other: Place) -> bool:
    """True if a stretch of a text lies in another one of it."""
    return other.start <= place.start and place.end <= other.end


@dataclass(frozen=True, slots=True)
class Token:
    """A word as written, at `start` to `end`; a run of an unspaced script is one."""

    start: int
    end: int
    folded: str
    stem: str
    capital: bool


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared: stem, folded form, whether it begins with a capital, whether it is a stop word."""

    stem: str
    folded: str
    capital: bool
    stop: bool


@lru_cache(maxsize=1 << 16)
def _word(written: str) -> Word:
    """The word, one value for all places where it is written so."""
    folded = fold(written)
    return Word(stem(folded), folded, written[0].isupper(), folded in STOP_WORDS)


class Analysis:
    """Everything read of a text, each part on first use and once. Made by `analyse`, which keeps it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._derived: dict[Callable[[Analysis], Any], Any] = {}

    def derive(self, read: Callable[[Analysis], Read]) -> Read:
        """Compute what a function reads of this analysis, once, and keep it with it.

        >>> text = analyse("It rained.")
        >>> text.derive(lambda analysis: len(analysis.words))
        2
        """
        if read not in self._derived:
            self._derived[read] = read(self)
        found: Read = self._derived[read]
        return found

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """The places of the sentences."""
        return tuple(sentence_text.sentences(self.text))

    @cached_property
    def parts(self) -> tuple[Analysis, ...]:
        """The analysis of each sentence; its places count from the sentence's start."""
        return tuple(analyse(self.text[span.start : span.end]) for span in self.sentences)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The words as written, with their places."""
        found = []
        for span in word_spans(self.text):
            folded = fold(self.text[span.start : span.end])
            found.append(Token(span.start, span.end, folded, stem(folded), self.text[span.start].isupper()))
        return tuple(found)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words in order; a run of an unspaced script becomes its bigrams.

        >>> [(word.stem, word.stop) for word in analyse("The dogs 水素爆").words]
        [('the', True), ('dog', False), ('水素', False), ('素爆', False)]
        """
        found: list[Word] = []
        for written in written_words(self.text):
            if _UNSPACED_RUN.match(written):
                found.extend(Word(pair, pair, False, False) for pair in bigrams(fold(written)))
            else:
                found.append(_word(written))
        return tuple(found)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The stems of the words that are no stop words, repeated ones repeated."""
        return tuple(word.stem for word in self.words if not word.stop)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers with their units."""
        return tuple(quantity_text.quantities(self.text))

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        """The dates."""
        return tuple(date_text.dates(self.text))

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names, by their capitals."""
        return tuple(name_text.names(self.text))

    @cached_property
    def acronyms(self) -> Mapping[str, tuple[str, ...]]:
        """The expansions of its acronyms, where the text gives them."""
        return name_text.acronyms(self.text)

    @cached_property
    def negations(self) -> tuple[Negation, ...]:
        """The denials of the text."""
        return tuple(negation_text.negations(self.text))

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The words that say more or less."""
        return tuple(negation_text.comparisons(self.text))


class AnalysisCache:
    """Analyses by text, the latest used first to stay; `most_characters` bounds the texts kept."""

    def __init__(self, most_characters: int = _MOST_CHARACTERS) -> None:
        self._most_characters = most_characters
        self._known: dict[str, Analysis] = {}
        self._characters = 0
        self._lock = Lock()

    def analyse(self, text: str) -> Analysis:
        """The analysis of a text, a new one where none is kept."""
        with self._lock:
            found = self._known.pop(text, None)
            if found is None:
                found = Analysis(text)
                self._characters += len(text)
            self._known[text] = found
            while self._characters > self._most_characters and len(self._known) > 1:
                oldest = next(iter(self._known))
                del self._known[oldest]
                self._characters -= len(oldest)
        return found


_CACHE = AnalysisCache()


def analyse(text: str) -> Analysis:
    """The analysis of a text, kept for the next caller with the same text.

    >>> analyse("It rained on 3 May.") is analyse("It rained on 3 May.")
    True
    """
    return _CACHE.analyse(text)
