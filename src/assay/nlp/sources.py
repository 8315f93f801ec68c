"""Index of the passages that a claim stands on: their sentences, words and values, each with its place.

What one passage holds is kept with its analysis, so that the next claim, beside whatever other passages, finds it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from assay.nlp.analysis import Analysis, Place, Word, analyse
from assay.nlp.dates import Date
from assay.nlp.quantities import Quantity
from assay.nlp.tokens import terms
from assay.nlp.wordnet import kinship, lexicon
from assay.types import Passage, SourceSpan

GRAM = 4
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, eq=False)
class SourceSentence:
    """A sentence of a passage; `start` is its offset in the passage's text."""

    passage: Passage
    start: int
    analysis: Analysis

    @property
    def end(self) -> int:
        """The offset of its end in the passage's text."""
        return self.start + len(self.analysis.text)

    @property
    def text(self) -> str:
        """The sentence as stored."""
        return self.analysis.text

    @property
    def words(self) -> tuple[Word, ...]:
        """Its words in order."""
        return self.analysis.words

    @property
    def terms(self) -> tuple[str, ...]:
        """The stems of its content words in order."""
        return self.analysis.terms

    @property
    def span(self) -> SourceSpan:
        """Its place in its document."""
        return self.passage.span_of(self.start, self.end)

    def part(self, place: Place) -> SourceSpan:
        """The place in its document of a stretch of it."""
        return self.passage.span_of(self.start + place.start, self.start + place.end)


@dataclass(frozen=True, slots=True)
class Coverage:
    """A source sentence, and the rarity-weighted share of a claim's terms that it holds, 0 to 1."""

    sentence: SourceSentence
    coverage: float


class TextIndex:
    """The places of the words of one text: stems by sentence and by position, runs of them, runs of characters."""

    def __init__(self, analysis: Analysis) -> None:
        sentences = [part.words for part in analysis.parts]
        self.stems = tuple(word.stem for sentence in sentences for word in sentence)
        self.held = tuple(frozenset(word.stem for word in sentence) for sentence in sentences)
        self.by_stem = _sentences_by(self.held)
        self.by_term = _sentences_by([dict.fromkeys(part.terms) for part in analysis.parts])
        self._text = analysis.text

    @cached_property
    def places(self) -> Mapping[str, Sequence[int]]:
        """The positions of each stem in `stems`."""
        found: dict[str, list[int]] = {}
        for at, stem in enumerate(self.stems):
            found.setdefault(stem, []).append(at)
        return found

    @cached_property
    def runs(self) -> frozenset[tuple[str, ...]]:
        """All runs of two and of three stems."""
        return frozenset((*runs(self.stems, 2), *runs(self.stems, 3)))

    @cached_property
    def grams(self) -> frozenset[str]:
        """All runs of four characters."""
        return frozenset(grams(self._text))

    @cached_property
    def senses(self) -> tuple[frozenset[int], frozenset[int]]:
        """The senses of its words in the lexicon, and those above them."""
        entries = [entry for stem in self.by_stem if (entry := lexicon().get(stem)) is not None]
        senses = frozenset[int]().union(*(entry.senses for entry in entries))
        return senses, frozenset[int]().union(*(entry.above for entry in entries))


class SourceIndex:
    """The passages that a claim stands on, read as one text: sentences are numbered through all passages.

    A word's rarity is 1 + ln(sentences / sentences that hold it), at least 1. It is counted twice, over content
    words and over all words: a stop word may share a content word's stem, and the fitted trees read the second.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self._read = tuple(analyse(passage.text) for passage in passages)
        self._texts = tuple(read.derive(TextIndex) for read in self._read)
        self._first = (0, *accumulate(len(text.held) for text in self._texts))
        self._rarity: dict[str, float] = {}
        self._stem_rarity: dict[str, float] = {}

    @cached_property
    def sentences(self) -> tuple[SourceSentence, ...]:
        """All sentences in order."""
        return tuple(
            SourceSentence(passage, span.start, part)
            for passage, read in zip(self.passages, self._read, strict=True)
            for span, part in zip(read.sentences, read.parts, strict=True)
        )

    @cached_property
    def terms(self) -> AbstractSet[str]:
        """The content stems of all sentences and titles."""
        titles = (term for passage in self.passages for term in terms(passage.title))
        return frozenset[str]().union(*(text.by_term for text in self._texts), titles)

    @cached_property
    def quantities(self) -> tuple[tuple[Quantity, Passage], ...]:
        """All numbers, with places in their passage."""
        both = zip(self._read, self.passages, strict=True)
        return tuple((value, passage) for read, passage in both for value in read.quantities)

    @cached_property
    def dates(self) -> tuple[tuple[Date, Passage], ...]:
        """All dates, with places in their passage."""
        both = zip(self._read, self.passages, strict=True)
        return tuple((value, passage) for read, passage in both for value in read.dates)

    @cached_property
    def acronyms(self) -> Mapping[str, tuple[str, ...]]:
        """The expansions of acronyms, where a passage gives them."""
        found: dict[str, tuple[str, ...]] = {}
        for read in self._read:
            found |= read.acronyms
        return found

    @cached_property
    def held(self) -> tuple[frozenset[str], ...]:
        """The stems of each sentence."""
        return tuple(stems for text in self._texts for stems in text.held)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of all sentences one after another."""
        return tuple(stem for text in self._texts for stem in text.stems)

    def rarity(self, term: str) -> float:
        """The weight of a content stem; one that no sentence holds counts as the rarest."""
        if term not in self._rarity:
            holding = sum(len(text.by_term.get(term, ())) for text in self._texts)
            self._rarity[term] = self._inverse_frequency(holding)
        return self._rarity[term]

    def stem_rarity(self, stem: str) -> float:
        """The weight of a stem among all words."""
        if stem not in self._stem_rarity:
            holding = sum(len(text.by_stem.get(stem, ())) for text in self._texts)
            self._stem_rarity[stem] = self._inverse_frequency(holding)
        return self._stem_rarity[stem]

    def _inverse_frequency(self, holding: int) -> float:
        count = self._first[-1]
        return 1.0 + math.log(count / holding) if holding else 1.0 + math.log(count + 1)

    def knows(self, stem: str) -> bool:
        """True if a sentence holds a stem, stop words counted."""
        return any(stem in text.by_stem for text in self._texts)

    def holding(self, stem: str) -> Iterator[int]:
        """The numbers of the sentences that hold a stem, in order."""
        for first, text in zip(self._first, self._texts, strict=False):
            for at in text.by_stem.get(stem, ()):
                yield first + at

    def shared(self, stems: Iterable[str]) -> dict[int, set[str]]:
        """The given stems that each sentence holds, by its number; sentences that hold none are left out."""
        found: dict[int, set[str]] = {}
        for stem in stems:
            for at in self.holding(stem):
                found.setdefault(at, set()).add(stem)
        return found

    def shared_terms(self, wanted: Iterable[str]) -> dict[int, set[str]]:
        """The same for content stems alone."""
        found: dict[int, set[str]] = {}
        for term in wanted:
            for first, text in zip(self._first, self._texts, strict=False):
                for at in text.by_term.get(term, ()):
                    found.setdefault(first + at, set()).add(term)
        return found

    def nearest(self, wanted: Iterable[str], most: int) -> list[Coverage]:
        """The sentences that hold most of some terms, best first, at most `most`; none that hold nothing."""
        weights = {term: self.rarity(term) for term in wanted}
        total = math.fsum(weights.values())
        if not total:
            return []
        shared = self.shared_terms(weights)
        coverage = {at: math.fsum(weights[term] for term in held) / total for at, held in shared.items()}
        best = sorted(coverage, key=lambda at: (-coverage[at], at))[:most]
        return [Coverage(self.sentences[at], coverage[at]) for at in best]

    def places(self, stem: str, most: int) -> list[int]:
        """The first positions of a stem in `stems`."""
        found: list[int] = []
        for first, text in zip(self._first_stems, self._texts, strict=False):
            found += [first + at for at in text.places.get(stem, ())[: most - len(found)]]
        return found

    @cached_property
    def _first_stems(self) -> tuple[int, ...]:
        return (0, *accumulate(len(text.stems) for text in self._texts))

    @cached_property
    def _runs_between(self) -> frozenset[tuple[str, ...]]:
        """The runs of stems that reach from one passage into the next."""
        edges = [at for at in self._first_stems if 0 < at < len(self.stems)]
        around = (
            (start, start + size)
            for at in edges
            for size in (2, 3)
            for start in range(max(0, at - size + 1), min(at, len(self.stems) - size + 1))
        )
        return frozenset(self.stems[start:end] for start, end in around)

    def has_run(self, run: tuple[str, ...]) -> bool:
        """True if two or three stems stand side by side."""
        return any(run in text.runs for text in self._texts) or run in self._runs_between

    def has_gram(self, gram: str) -> bool:
        """True if a passage holds a run of four characters, as `grams` makes them."""
        return any(gram in text.grams for text in self._texts)

    def has_kin(self, stem: str, kind: str) -> bool:
        """True if a stem is the same as, or broader than, a stem of the passages."""
        entry = lexicon().get(stem)
        if entry is None:
            return False
        # Only where the senses meet can a word be found; else no word needs a look.
        return any(
            not entry.senses.isdisjoint(text.senses[kind != "same"])
            and any(kinship(stem, other) == kind for other in text.by_stem)
            for text in self._texts
        )


def _sentences_by(held: Sequence[Iterable[str]]) -> dict[str, list[int]]:
    """The numbers of the sentences that hold each word."""
    found: dict[str, list[int]] = {}
    for at, words in enumerate(held):
        for word in words:
            found.setdefault(word, []).append(at)
    return found


def runs(stems: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """All runs of that many stems.

    >>> runs(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    return [tuple(stems[at : at + length]) for at in range(len(stems) - length + 1)]


def grams(text: str) -> list[str]:
    """All runs of four characters, in lower case, white space as one space.

    >>> grams("To be")
    ['to b', 'o be']
    """
    plain = _SPACES.sub(" ", text.lower())
    return [plain[at : at + GRAM] for at in range(len(plain) - GRAM + 1)]
