"""A claim beside its sources: the sentences nearest to it, and the one that it may be a changed copy of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice
from math import fsum
from typing import TypeVar

from assay.nlp.dates import Date, dates
from assay.nlp.names import Name, names
from assay.nlp.negation import Negation, comparisons, negations
from assay.nlp.quantities import Quantity, quantities
from assay.nlp.tokens import fold, stem, terms, word_spans
from assay.types import Check, FindingKind, Passage, Severity, SourceSpan, Span, Status
from assay.verification.claims import Stated
from assay.verification.sources import (
    Aligned,
    Ground,
    Sources,
    SourceSentence,
    Word,
    aligned,
    shared_with,
    source_span,
    weight,
    words_of,
)

# Where a claim is a sentence of its source with a few words changed: which words, on both sides.


# A claim is a changed copy where this share of its words stands in the sentence in the same order, or where it
# holds nearly all of the sentence, whatever it adds.
COPIED = 0.6
CONTAINED = 0.8
_LEAST_WORDS = 4
_TIGHT = 3
# Of a longer text only the first words are aligned: the work grows with the product of both lengths.
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Edit:
    """Words that stand on one side in place of those on the other; an empty span where there are none.

    `mine` is a place in the claim's plain text, `theirs` one in the sentence's. A tight edit puts a word or three
    in the place of as many.
    """

    mine: Span
    theirs: Span
    tight: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """A claim beside the sentence that it was copied from: `share` of its words are kept, 0 to 1."""

    share: float
    edits: tuple[Edit, ...]

    def instead_of(self, place: Span) -> Span | None:
        """What the sentence has in place of a stretch of the claim; None where the claim only adds or keeps it."""
        found = [each for each in self.edits_at(place) if each.theirs.start < each.theirs.end]
        return Span(found[0].theirs.start, found[-1].theirs.end) if found else None

    def edits_at(self, place: Span) -> tuple[Edit, ...]:
        """The edits of the claim that touch a stretch of it."""
        return tuple(each for each in self.edits if each.mine.start < place.end and place.start < each.mine.end)


def copy_of(claim: str, sentence: str) -> Copy | None:
    """The claim as a changed copy of the sentence, None where it is none.

    >>> found = copy_of("The bridge was opened in 1934 by the king.", "The bridge was opened in 1932 by the king.")
    >>> found and [(each.mine, each.theirs) for each in found.edits]
    [(Span(start=25, end=29), Span(start=25, end=29))]
    """
    (mine, first), (theirs, second) = _words_of(claim), _words_of(sentence)
    if len(mine) < _LEAST_WORDS or len(theirs) < _LEAST_WORDS:
        return None
    shared = len(set(first) & set(second))
    if shared < COPIED * len(set(first)) and shared < CONTAINED * len(set(second)):
        return None  # the cheap test before the dear one
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    both = _kept(matcher)
    if both < COPIED * len(mine) and both < CONTAINED * len(theirs):
        return None
    edits = [
        Edit(_stretch(mine, a, b, len(claim)), _stretch(theirs, c, d, len(sentence)), 0 < b - a == d - c <= _TIGHT)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
    return Copy(both / len(mine), tuple(edits))


# A claim is held against several sentences, and each of them against many claims.
@lru_cache(maxsize=512)
def _words_of(text: str) -> tuple[tuple[Span, ...], tuple[str, ...]]:
    """The places of a text's words and their stems, as far as they are compared."""
    spans = tuple(islice(word_spans(text), _LONGEST))
    return spans, tuple(stem(fold(text[each.start : each.end])) for each in spans)


def kept(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words of the first stand in the second in the same order, by their longest common blocks.

    >>> kept("ann saw bob here".split(), "bob saw ann here".split())
    2
    """
    return _kept(SequenceMatcher(None, first, second, autojunk=False))


def _kept(matcher: SequenceMatcher[str]) -> int:
    return sum(block.size for block in matcher.get_matching_blocks())


def _stretch(spans: Sequence[Span], start: int, end: int, length: int) -> Span:
    """The place of some words; that of none is empty and lies before the next word."""
    if start == end:
        at = spans[start].start if start < len(spans) else length
        return Span(at, at)
    return Span(spans[start].start, spans[end - 1].end)


# How much of the claim a source sentence must hold before a difference between the two counts.
SAME_MATTER = 0.4
SAME_STATEMENT = 0.75
# A claim of more numbers than this is a table; the rest of them is not compared, and a check says so.
MOST_COMPARED = 100
NEAREST = 4
_PRONOUN = re.compile(r"\W*(?:it|he|she|they|its|his|her|their|this|these|both)\b", re.IGNORECASE)
Found = TypeVar("Found", Quantity, Date)


@dataclass(frozen=True, slots=True)
class Copied:
    """The claim as a changed copy of a sentence of its sources."""

    sentence: SourceSentence
    copy: Copy

    def instead_of(self, place: Span) -> SourceSpan | None:
        """What the sentence has in place of a stretch of the claim."""
        theirs = self.copy.instead_of(place)
        if theirs is None:
            return None
        return self.span(theirs)

    def span(self, place: Span) -> SourceSpan:
        """The place in the document of a stretch of the sentence."""
        start = self.sentence.start
        return source_span(self.sentence.passage, start + place.start, start + place.end)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim (`n` counts from 1) beside its sources and the sentences that hold most of it, best first.

    `copied` is set where the claim is one of these sentences with a few words changed.
    """

    n: int
    claim: Stated
    sources: Sources
    nearest: tuple[Aligned, ...]
    copied: Copied | None = None

    def near(self, share: float) -> tuple[Aligned, ...]:
        """The nearest sentences that hold at least that share of the claim."""
        return tuple(each for each in self.nearest if each.coverage >= share)

    def misplaced(self, found: Sequence[tuple[Found, Passage]]) -> bool:
        """Whether a sentence that states nearly the same holds none of what was found elsewhere.

        A sentence that opens with a pronoun states what it does of the one before it.
        """
        close = self.near(SAME_STATEMENT)
        if not close or any(_holds(each.sentence, *one) for each in close for one in found):
            return False
        return not any(self._said_of_it(one) for one in found)

    def _said_of_it(self, found: tuple[Found, Passage]) -> bool:
        """Whether a sentence that opens with a pronoun says the claim with what was found, of the one before it."""
        every: Sequence[SourceSentence] = self.sources.sentences
        for n in range(1, len(every)):
            before: SourceSentence = every[n - 1]
            sentence: SourceSentence = every[n]
            if _holds(sentence, *found):
                pronoun = _PRONOUN.match(sentence.text) and before.passage is sentence.passage
                return bool(pronoun) and self._held_by((*before.terms, *sentence.terms)) >= SAME_STATEMENT
        return False

    def _held_by(self, held: Sequence[str]) -> float:
        """The weighted share of what the claim is about among some terms."""
        matter = {term: weight(self.sources, term) for term in matter_of(self.claim)}
        return fsum(matter[term] for term in matter.keys() & set(held)) / (fsum(matter.values()) or 1.0)

    def nearest_first(self, found: Sequence[tuple[Found, Passage]]) -> tuple[Found, Passage]:
        """Of what was found, the one in the nearest sentence, else the first."""
        ordered = (one for each in self.nearest for one in found if _holds(each.sentence, *one))
        return next(ordered, found[0])

    def check(
        self,
        name: str,
        status: Status,
        severity: Severity,
        cause: str | None,
        part: Quantity | Date | Name | Negation | Span,
        source: SourceSpan | None = None,
        kind: FindingKind | None = None,
        expected: str | None = None,
    ) -> Check:
        """The result for one part of the claim, whose place is relative to the claim's plain text."""
        start = self.claim.start + part.start
        place = Span(start, start + part.end - part.start)
        return Check(name, status, severity, self.n, cause, place, source, kind, expected)

    def wrong(
        self,
        name: str,
        cause: str,
        part: Quantity | Date | Name | Negation | Span,
        kind: FindingKind,
        source: SourceSpan | None = None,
        expected: str | None = None,
    ) -> Check:
        """A failed check of one part of the claim."""
        return self.check(name, Status.FAILED, Severity.BLOCK, cause, part, source, kind, expected)

    def rest(self, name: str, found: Sequence[Quantity] | Sequence[Date] | Sequence[Name]) -> list[Check]:
        """What says that of many parts some were not compared."""
        if len(found) <= MOST_COMPARED:
            return []
        cause = f"of {len(found)} {name} in one claim only {MOST_COMPARED} were compared"
        return [self.check(name, Status.UNKNOWN, Severity.BLOCK, cause, found[MOST_COMPARED])]


def compared(n: int, claim: Stated, sources: Sources) -> Comparison:
    """The claim, `n` from 1, beside the sentences nearest to it."""
    near = _nearest(claim, sources)
    return Comparison(n, claim, sources, near, _copied(claim, near))


def _nearest(claim: Stated, sources: Sources) -> tuple[Aligned, ...]:
    """The source sentences on the same matter."""
    return tuple(aligned(matter_of(claim), sources, NEAREST))


def matter_of(claim: Stated) -> Sequence[str]:
    """What a claim is about: its terms without what the checks compare, numbers and directions."""
    turns = {stem(fold(claim.text[each.start : each.end])) for each in comparisons(claim.text)}
    every: Sequence[str] = terms(claim.text)
    matter = [term for term in every if not term[0].isdigit() and term not in turns]
    return matter or every


def _copied(claim: Stated, near: Sequence[Aligned]) -> Copied | None:
    """The claim as a copy of the nearest sentence of which most is kept."""
    found = [
        Copied(each.sentence, copy)
        for each in near
        if (copy := copy_of(claim.plain, each.sentence.text)) is not None
    ]
    return max(found, key=lambda each: each.copy.share, default=None)


def _holds(sentence: SourceSentence, found: Quantity | Date, passage: Passage) -> bool:
    return passage is sentence.passage and sentence.start <= found.start < sentence.end


# The nearest sentences are read again for every number of a claim.
@lru_cache(maxsize=256)
def quantities_in(text: str) -> tuple[Quantity, ...]:
    """The quantities of a sentence."""
    return tuple(quantities(text))


@lru_cache(maxsize=256)
def dates_in(text: str) -> tuple[Date, ...]:
    """The dates of a sentence."""
    return tuple(dates(text))


@lru_cache(maxsize=256)
def negations_in(text: str) -> tuple[Negation, ...]:
    """What denies something in a sentence."""
    return tuple(negations(text))


@lru_cache(maxsize=256)
def names_in(text: str) -> tuple[Name, ...]:
    """The names of a sentence."""
    return tuple(names(text))


def overlaps(one: Quantity | Date | Name | Span, other: Quantity | Date | Name | Span) -> bool:
    """Whether two stretches of one text share a character."""
    return one.start < other.end and other.start < one.end


def within(place: Span, other: Span) -> bool:
    """Whether a stretch of a text lies in another one of it."""
    return other.start <= place.start and place.end <= other.end


# A claim beside its sources: its content, and the few sentences that it leans on.


# Only the sentences that hold most of the claim are looked at closely.
LOOKED_AT = 24
# A claim is read to this word, so that no input takes long; the longest labelled one has 251.
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim against its ground: its content stems with their weights, and the window it leans on.

    `order` are sentence numbers, those that hold most of the claim first; `window` the few that together hold
    most of it. `shared` are the content stems that each sentence holds, by its number.
    """

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    weights: Mapping[str, float]
    order: tuple[int, ...]
    window: tuple[int, ...]
    ground: Ground
    shared: Mapping[int, AbstractSet[str]]

    @property
    def total(self) -> float:
        """What the claim's content weighs."""
        return fsum(self.weights.values()) or 1.0

    def share(self, held: Iterable[str]) -> float:
        """The weighted share of the claim's content among `held`, 0 to 1."""
        # Exact sums here and below: the order of a set differs from process to process, and the last digit of a
        # plain sum with it, which is enough to turn a tree's branch.
        return fsum(self.weights[each] for each in held if each in self.weights) / self.total


def read(claim: str, ground: Ground) -> Reading:
    """The claim beside the sentences that it leans on; it must hold a word, the ground a sentence."""
    words = words_of(claim)[:LONGEST]
    content = tuple(word for word in words if not word.stop) or words
    weights = {word.stem: ground.rarity.get(word.stem, ground.unseen) for word in content}
    total = fsum(weights.values()) or 1.0
    shared = shared_with(weights, ground)
    shares = {at: fsum(weights[each] for each in stems) / total for at, stems in shared.items()}
    order = tuple(sorted(range(len(ground.held)), key=lambda each: -shares.get(each, 0.0))[:LOOKED_AT])
    window = tuple(sorted({*_together(weights, shared), *order[:2]}))
    return Reading(claim, words, content, weights, order, window, ground, shared)


def _together(weights: Mapping[str, float], shared: Mapping[int, AbstractSet[str]]) -> list[int]:
    """Up to three sentences that each add most to what the ones before hold."""
    chosen: list[int] = []
    held: set[str] = set()
    for _ in range(3):
        gains = {at: fsum(weights[each] for each in stems - held) for at, stems in shared.items()}
        best = min(gains, key=lambda at: (-gains[at], at), default=None)
        if best is None or gains[best] <= 0:
            break
        chosen.append(best)
        held |= shared[best]
    return chosen
