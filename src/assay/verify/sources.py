"""The evidence as the checks see it: its sentences, terms, numbers and dates, each with its place."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.text.dates import Date, dates
from assay.text.names import acronyms
from assay.text.quantities import Quantity, quantities
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Passage, SourceSpan, Span
from assay.verify.words import Word, words_of


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """One sentence of a passage; `start, end` are offsets in the passage's text."""

    passage: Passage
    start: int
    end: int
    words: tuple[Word, ...]
    terms: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentence as stored."""
        return self.passage.text[self.start : self.end]

    @property
    def span(self) -> SourceSpan:
        """The sentence's place in its document."""
        return source_span(self.passage, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Sources:
    """What the sources of a claim say; `rarity` weighs each term by how few sentences hold it, at least 1."""

    passages: tuple[Passage, ...]
    sentences: tuple[SourceSentence, ...]
    rarity: Mapping[str, float]
    terms: frozenset[str]
    quantities: tuple[tuple[Quantity, Passage], ...]
    dates: tuple[tuple[Date, Passage], ...]
    acronyms: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A source sentence, and the rarity-weighted share of the claim's terms that it holds, 0 to 1."""

    sentence: SourceSentence
    coverage: float


def source_span(passage: Passage, start: int, end: int) -> SourceSpan:
    """The place in the document of `passage.text[start:end]`, quoted exactly."""
    return SourceSpan(passage.passage_id, passage.start + start, passage.start + end, passage.text[start:end])


def sources_of(passages: Sequence[Passage]) -> Sources:
    """The passages taken apart once, for all claims that stand on them."""
    cut = tuple(_sentence(each, span) for each in passages for span in sentences(each.text))
    counts = Counter(term for sentence in cut for term in set(sentence.terms))
    known: dict[str, tuple[str, ...]] = {}
    for each in passages:
        known |= acronyms(each.text)
    return Sources(
        passages=tuple(passages),
        sentences=cut,
        rarity={term: 1.0 + math.log(len(cut) / count) for term, count in counts.items()},
        terms=frozenset(counts) | {term for each in passages for term in terms(each.title)},
        quantities=tuple((each, passage) for passage in passages for each in quantities(passage.text)),
        dates=tuple((each, passage) for passage in passages for each in dates(passage.text)),
        acronyms=known,
    )


def _sentence(passage: Passage, span: Span) -> SourceSentence:
    words = words_of(passage.text[span.start : span.end])
    stems = tuple(word.stem for word in words if not word.stop)
    return SourceSentence(passage, span.start, span.end, words, stems)


def weight(sources: Sources, term: str) -> float:
    """How much a claim's term counts; one that no source sentence holds counts as the rarest."""
    return sources.rarity.get(term, 1.0 + math.log(len(sources.sentences) + 1))


def aligned(claim_terms: Sequence[str], sources: Sources, most: int) -> list[Aligned]:
    """The source sentences that hold most of the claim, best first, at most `most`; none that hold nothing."""
    wanted = {term: weight(sources, term) for term in claim_terms}
    total = math.fsum(wanted.values())
    if not total:
        return []
    found = [
        Aligned(sentence, math.fsum(wanted[term] for term in set(sentence.terms) if term in wanted) / total)
        for sentence in sources.sentences
    ]
    found.sort(key=lambda each: -each.coverage)
    return [each for each in found[:most] if each.coverage > 0]
