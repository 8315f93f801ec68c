"""The evidence as the checks see it: its sentences, terms, numbers and dates, each with its place."""

from __future__ import annotations

import math
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
    """What the sources of a claim say; `rarity` weighs each term by how few sentences hold it, at least 1.

    `holders` are the positions in `sentences` of those that hold a term, in order.
    """

    passages: tuple[Passage, ...]
    sentences: tuple[SourceSentence, ...]
    rarity: Mapping[str, float]
    terms: frozenset[str]
    quantities: tuple[tuple[Quantity, Passage], ...]
    dates: tuple[tuple[Date, Passage], ...]
    acronyms: Mapping[str, tuple[str, ...]]
    holders: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A source sentence, and the rarity-weighted share of the claim's terms that it holds, 0 to 1."""

    sentence: SourceSentence
    coverage: float


def source_span(passage: Passage, start: int, end: int) -> SourceSpan:
    """The place in the document of `passage.text[start:end]`, quoted exactly."""
    return passage.span_of(start, end)


def sources_of(passages: Sequence[Passage]) -> Sources:
    """The passages taken apart once, for all claims that stand on them."""
    cut = tuple(_sentence(each, span) for each in passages for span in sentences(each.text))
    holders: dict[str, list[int]] = {}
    for at, sentence in enumerate(cut):
        for term in dict.fromkeys(sentence.terms):
            holders.setdefault(term, []).append(at)
    known: dict[str, tuple[str, ...]] = {}
    for each in passages:
        known |= acronyms(each.text)
    return Sources(
        passages=tuple(passages),
        sentences=cut,
        rarity={term: rarity(len(places), len(cut)) for term, places in holders.items()},
        terms=frozenset(holders) | {term for each in passages for term in terms(each.title)},
        quantities=tuple((each, passage) for passage in passages for each in quantities(passage.text)),
        dates=tuple((each, passage) for passage in passages for each in dates(passage.text)),
        acronyms=known,
        holders={term: tuple(places) for term, places in holders.items()},
    )


def _sentence(passage: Passage, span: Span) -> SourceSentence:
    words = words_of(passage.text[span.start : span.end])
    stems = tuple(word.stem for word in words if not word.stop)
    return SourceSentence(passage, span.start, span.end, words, stems)


def weight(sources: Sources, term: str) -> float:
    """How much a claim's term counts; one that no source sentence holds counts as the rarest."""
    return sources.rarity.get(term, rarity(1, len(sources.sentences) + 1))


def rarity(holding: int, sentences: int) -> float:
    """How much a word counts that so many of the sentences hold: 1 + ln(sentences / holding), at least 1.

    >>> rarity(4, 4), rarity(1, 4) < rarity(1, 5)
    (1.0, True)
    """
    return 1.0 + math.log(sentences / holding)


def aligned(claim_terms: Sequence[str], sources: Sources, most: int) -> list[Aligned]:
    """The source sentences that hold most of the claim, best first, at most `most`; none that hold nothing."""
    wanted = {term: weight(sources, term) for term in claim_terms}
    total = math.fsum(wanted.values())
    if not total:
        return []
    held: dict[int, list[float]] = {}
    for term, weighs in wanted.items():
        for at in sources.holders.get(term, ()):
            held.setdefault(at, []).append(weighs)
    coverage = {at: math.fsum(weights) / total for at, weights in held.items()}
    best = sorted(coverage, key=lambda at: (-coverage[at], at))[:most]
    return [Aligned(sources.sentences[at], coverage[at]) for at in best]
