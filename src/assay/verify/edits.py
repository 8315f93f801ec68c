"""Where a claim is a sentence of its source with a few words changed: which words, on both sides.

The words of both are aligned by their longest common blocks (Ratcliff and Obershelp 1988, as in difflib).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice

from assay.text.tokens import fold, stem, word_spans
from assay.types import Span

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
