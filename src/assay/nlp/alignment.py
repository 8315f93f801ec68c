"""Alignment of a claim with its sources: nearest sentences, edits of a near copy, the window it leans on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from math import fsum
from typing import TypeVar

from assay.nlp import dates as date_text
from assay.nlp import quantities as quantity_text
from assay.nlp.analysis import Analysis, Place, Token, Word, analyse, overlaps, within
from assay.nlp.arithmetic import restated_numbers
from assay.nlp.dates import Date
from assay.nlp.quantities import Quantity
from assay.nlp.sentences import sentences
from assay.nlp.sources import Coverage, SourceIndex, SourceSentence
from assay.nlp.tokens import terms
from assay.types import Passage, SourceSpan, Span

# A claim is a changed copy where this share of its words stands in the sentence in the same order, or where it
# holds nearly all of the sentence, whatever it adds.
COPIED = 0.6
CONTAINED = 0.8
_LEAST_WORDS = 4
_TIGHT = 3
# Words of a text that are aligned; chosen, since the work grows with the product of both lengths.
_LONGEST = 80
# The share of the claim that a source sentence must hold to be on the same matter, and to say nearly the same.
SAME_MATTER = 0.4
SAME_STATEMENT = 0.75
# Nearest sentences that are compared with the claim.
NEAREST = 4
# Sentences, those that hold most of the claim, that the support score reads.
_CLOSEST = 24
# Sentences that a claim leans on together, at most.
_WINDOW = 3
# Words of a claim that are read, so that no input takes long; the longest labelled claim has 251.
_LONGEST_CLAIM = 400
_PRONOUN = re.compile(r"\W*(?:it|he|she|they|its|his|her|their|this|these|both)\b", re.IGNORECASE)
# Words that may differ with the form of a date.
_FREE = frozenset("a an the in on at of".split())
Value = TypeVar("Value", Quantity, Date)


@dataclass(frozen=True, slots=True)
class Edit:
    """Words on one side in place of those on the other; an empty span where there are none.

    `claim` is a place in the claim's plain text, `source` one in the sentence's. A tight edit puts a word or three
    in the place of as many.
    """

    claim: Span
    source: Span
    tight: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """A claim beside the sentence that it was copied from: `share` of its words are kept, 0 to 1."""

    share: float
    edits: tuple[Edit, ...]

    def instead_of(self, place: Place) -> Span | None:
        """The sentence's words in place of a stretch of the claim; None where the claim adds or keeps it."""
        found = [edit for edit in self.edits_at(place) if edit.source.start < edit.source.end]
        return Span(found[0].source.start, found[-1].source.end) if found else None

    def edits_at(self, place: Place) -> tuple[Edit, ...]:
        """The edits that touch a stretch of the claim."""
        return tuple(edit for edit in self.edits if overlaps(edit.claim, place))


def copy_of(claim: Analysis, sentence: Analysis) -> Copy | None:
    """The claim as a changed copy of the sentence, None where it is none.

    >>> claim, sentence = "The bridge was opened in 1934 by the king.", "The bridge was opened in 1932 by the king."
    >>> found = copy_of(analyse(claim), analyse(sentence))
    >>> found and [(edit.claim, edit.source) for edit in found.edits]
    [(Span(start=25, end=29), Span(start=25, end=29))]
    """
    first, second = claim.tokens[:_LONGEST], sentence.tokens[:_LONGEST]
    if len(first) < _LEAST_WORDS or len(second) < _LEAST_WORDS:
        return None
    one, other = [token.stem for token in first], [token.stem for token in second]
    shared = len(set(one) & set(other))
    if shared < COPIED * len(set(one)) and shared < CONTAINED * len(set(other)):
        return None  # the cheap test before the expensive one
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    both = _count_common(matcher)
    if both < COPIED * len(one) and both < CONTAINED * len(other):
        return None
    edits = [
        Edit(
            _stretch(first, a, b, len(claim.text)),
            _stretch(second, c, d, len(sentence.text)),
            0 < b - a == d - c <= _TIGHT,
        )
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
    return Copy(both / len(one), tuple(edits))


def count_common(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of words of the first that the second has in the same order, by longest common blocks.

    >>> count_common("ann saw bob here".split(), "bob saw ann here".split())
    2
    """
    return _count_common(SequenceMatcher(None, first, second, autojunk=False))


def _count_common(matcher: SequenceMatcher[str]) -> int:
    return sum(block.size for block in matcher.get_matching_blocks())


def _stretch(tokens: Sequence[Token], start: int, end: int, length: int) -> Span:
    """The place of some words; that of none is empty and lies before the next word."""
    if start == end:
        at = tokens[start].start if start < len(tokens) else length
        return Span(at, at)
    return Span(tokens[start].start, tokens[end - 1].end)


def cover(weights: Mapping[str, float], held: Mapping[int, AbstractSet[str]], most: int) -> list[int]:
    """Places that together hold the weighted words, each next one by the weight it adds (the greedy set cover).

    `held` are the words of each place. Of equals the first is taken. Sums are exact, since the order of a set
    differs from process to process.

    >>> cover({"a": 1.0, "b": 0.5, "c": 0.2}, {0: {"b"}, 1: {"a", "c"}, 2: {"c"}}, 3)
    [1, 0]
    """
    missing = {at: words & weights.keys() for at, words in held.items()}
    chosen: list[int] = []
    while missing and len(chosen) < most:
        gains = {at: fsum(weights[word] for word in words) for at, words in missing.items()}
        best = min(gains, key=lambda at: (-gains[at], at))
        if gains[best] <= 0:
            break
        chosen.append(best)
        added = missing[best]
        missing = {at: rest for at, words in missing.items() if (rest := words - added)}
    return chosen


@dataclass(frozen=True, slots=True)
class Copied:
    """The claim as a changed copy of a sentence of its sources."""

    sentence: SourceSentence
    copy: Copy


@dataclass(frozen=True, eq=False)
class Alignment:
    """A claim beside its sources, each part on first use and once.

    `text` is the claim as it reads, `plain` the stretch of its answer with marks as spaces: places count in that.
    `n` from 1 is the claim's number and `start` where `plain` begins in the answer.

    The window and its weights are of `written`: the claim with its values as the nearest sentences write them, or
    `text` itself where `is_verbatim`.
    """

    text: str
    plain: str
    sources: SourceIndex
    n: int = 0
    start: int = 0
    is_verbatim: bool = False

    @property
    def analysis(self) -> Analysis:
        """The analysis of the plain text."""
        return analyse(self.plain)

    @cached_property
    def parts(self) -> tuple[Alignment, ...]:
        """Each sentence of the claim beside the same sources: a claim that is judged whole may have several."""
        spans = sentences(self.plain, lowered=True)
        if len(spans) < 2:
            return (self,)
        texts = [self.plain[span.start : span.end] for span in spans]
        return tuple(
            Alignment(text, text, self.sources, self.n, self.start + span.start)
            for span, text in zip(spans, texts, strict=True)
        )

    @cached_property
    def nearest(self) -> tuple[Coverage, ...]:
        """The source sentences that hold most of what the claim is about, best first."""
        return tuple(self.sources.nearest(self.matter, NEAREST))

    @cached_property
    def matter(self) -> Sequence[str]:
        """The claim's terms without those that the checks compare, numbers and directions."""
        read = analyse(self.text)
        directions = {token.stem for token in read.tokens if any(overlaps(token, one) for one in read.comparisons)}
        every = terms(self.text)
        return [term for term in every if not term[0].isdigit() and term not in directions] or every

    @cached_property
    def copied(self) -> Copied | None:
        """The nearest sentence of which most is kept, where the claim is a changed copy of one."""
        found = [
            Copied(near.sentence, copy)
            for near in self.nearest
            if (copy := copy_of(self.analysis, near.sentence.analysis)) is not None
        ]
        return max(found, key=lambda copied: copied.copy.share, default=None)

    def near(self, share: float) -> tuple[Coverage, ...]:
        """The nearest sentences that hold at least that share of the claim."""
        return tuple(near for near in self.nearest if near.coverage >= share)

    def misplaced(self, found: Sequence[tuple[Value, Passage]]) -> bool:
        """True if a sentence that states nearly the same holds none of the values found elsewhere.

        A sentence that opens with a pronoun states what it does of the one before it.
        """
        close = self.near(SAME_STATEMENT)
        if not close or any(_holds(near.sentence, *one) for near in close for one in found):
            return False
        return not any(self._said_of_it(one) for one in found)

    def _said_of_it(self, found: tuple[Value, Passage]) -> bool:
        """True if a sentence that opens with a pronoun says the claim with a value, of the one before it."""
        every: tuple[SourceSentence, ...] = self.sources.sentences
        for n in range(1, len(every)):
            before: SourceSentence = every[n - 1]
            sentence: SourceSentence = every[n]
            if _holds(sentence, *found):
                pronoun = _PRONOUN.match(sentence.text) and before.passage is sentence.passage
                return bool(pronoun) and self._matter_in((*before.terms, *sentence.terms)) >= SAME_STATEMENT
        return False

    def _matter_in(self, held: Sequence[str]) -> float:
        """The weighted share of what the claim is about among some terms."""
        weights = {term: self.sources.rarity(term) for term in self.matter}
        return fsum(weights[term] for term in weights.keys() & set(held)) / (fsum(weights.values()) or 1.0)

    def nearest_first(self, found: Sequence[tuple[Value, Passage]]) -> tuple[Value, Passage]:
        """The one of some values in the nearest sentence, else the first."""
        ordered = (one for near in self.nearest for one in found if _holds(near.sentence, *one))
        return next(ordered, found[0])

    def in_source(self, place: Place) -> SourceSpan | None:
        """The copied sentence's words in place of a stretch of the claim."""
        instead = self.copied and self.copied.copy.instead_of(place)
        return self.copied.sentence.part(instead) if self.copied and instead else None

    @cached_property
    def is_restated(self) -> bool:
        """True if the claim is a source sentence but for values that agree with the sentence's, and articles.

        "Opened in 1932" restates "opened on 3 May 1932".
        """
        if self.copied is None:
            return False
        sentence = self.copied.sentence.analysis
        agreeing = _agreeing(self.analysis, sentence)
        own, held = [pair[0] for pair in agreeing], [pair[1] for pair in agreeing]
        return all(
            _is_free(self.analysis, edit.claim, own) and _is_free(sentence, edit.source, held)
            for edit in self.copied.copy.edits
        )

    @cached_property
    def written(self) -> str:
        """The claim with each date and number as the nearest sentences write it, where the two agree.

        What is counted is words: "2 lanes" has one fewer in common with "two lanes" than it says.
        """
        if self.is_verbatim:
            return self.text
        claim = self.plain
        instead: dict[Span, str] = {}
        for near in self.near(SAME_MATTER):
            for own, held in _agreeing(self.analysis, near.sentence.analysis):
                instead.setdefault(own, near.sentence.text[held.start : held.end])
        for own, stored in sorted(_longest(instead).items(), key=lambda item: -item[0].start):
            if set(terms(claim[own.start : own.end])) - set(terms(stored)):
                claim = claim[: own.start] + stored + claim[own.end :]
        return self.text if claim == self.plain else claim

    @property
    def is_readable(self) -> bool:
        """True if both the claim and its sources hold a word: else there is no window."""
        return bool(self.sources.stems and analyse(self.text).words)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of `written`."""
        return analyse(self.written).words[:_LONGEST_CLAIM]

    @cached_property
    def content(self) -> tuple[Word, ...]:
        """The words that are no stop words; all of them where there are no others."""
        return tuple(word for word in self.words if not word.stop) or self.words

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """The rarity of each content stem."""
        return {word.stem: self.sources.stem_rarity(word.stem) for word in self.content}

    @cached_property
    def shared(self) -> Mapping[int, AbstractSet[str]]:
        """The content stems that each sentence holds, by its number."""
        return self.sources.shared(self.weights)

    @cached_property
    def closest(self) -> tuple[int, ...]:
        """The numbers of the sentences that hold most of the content, best first."""
        shares = {at: self.share(stems) for at, stems in self.shared.items()}
        numbers = range(len(self.sources.sentences))
        return tuple(sorted(numbers, key=lambda at: -shares.get(at, 0.0))[:_CLOSEST])

    @cached_property
    def window(self) -> tuple[int, ...]:
        """The numbers of the few sentences that together hold most of the content, and of the two closest."""
        return tuple(sorted({*cover(self.weights, self.shared, _WINDOW), *self.closest[:2]}))

    @cached_property
    def _total(self) -> float:
        return fsum(self.weights.values()) or 1.0

    def share(self, held: Iterable[str]) -> float:
        """The weighted share of the claim's content among some stems, 0 to 1."""
        # An exact sum: the order of a set differs from process to process, and the last digit of a plain sum with
        # it, which is enough to take another branch of a tree.
        return fsum(self.weights[stem] for stem in held if stem in self.weights) / self._total


def _holds(sentence: SourceSentence, value: Place, passage: Passage) -> bool:
    return passage is sentence.passage and sentence.start <= value.start < sentence.end


def _longest(instead: Mapping[Span, str]) -> dict[Span, str]:
    """Keep the longest of overlapping ones: the year of a date is no number of its own."""
    found: dict[Span, str] = {}
    for own in sorted(instead, key=lambda span: span.start - span.end):
        if not any(overlaps(own, other) for other in found):
            found[own] = instead[own]
    return found


def _agreeing(claim: Analysis, sentence: Analysis) -> list[tuple[Span, Span]]:
    """The places of dates and numbers that say the same in both texts."""
    dated = [
        (_span(one), _span(other)) for one in claim.dates for other in sentence.dates if date_text.agree(one, other)
    ]
    counted = [
        (_span(one), _span(other))
        for one in claim.quantities
        for other in sentence.quantities
        if quantity_text.agree(one, other)
    ]
    known = dated + counted
    return [*known, *restated_numbers(claim.text, sentence.text, [own for own, _ in known])]


def _span(place: Place) -> Span:
    return Span(place.start, place.end)


def _is_free(read: Analysis, edited: Span, values: Sequence[Span]) -> bool:
    """True if every word of a stretch belongs to one of the values, or changes nothing."""
    return all(
        token.folded in _FREE or any(overlaps(token, value) for value in values)
        for token in read.tokens
        if within(token, edited)
    )
