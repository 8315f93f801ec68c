"""A claim beside its sources: the sentences nearest to it, and the one that it may be a changed copy of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import TypeVar

from assay.text.dates import Date, dates
from assay.text.names import Name, names
from assay.text.negation import Negation, comparisons, negations
from assay.text.quantities import Quantity, quantities
from assay.text.tokens import fold, stem, terms
from assay.types import Check, FindingKind, Passage, Severity, SourceSpan, Span, Status
from assay.verify.claims import Stated
from assay.verify.edits import Copy, copy_of
from assay.verify.sources import Aligned, Sources, SourceSentence, aligned, source_span, weight

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
