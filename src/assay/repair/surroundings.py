"""How well a value's place in a source answers to its place in a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.text.rarity import rarity
from assay.text.sentences import sentences
from assay.text.tokens import STOP_WORDS, fold, terms, word_spans
from assay.types import Span

# Words on either side of a value: of the claim, and of the source, whose order may be another one.
_NEAR, _NEAR_IN_SOURCE = 3, 5
# The nearness of more than three rare words says no more.
MOST_NEAR = 3.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the best place of a value in a source shares with the claim around the place that it would take.

    `near` is the rarity of the terms that both have beside it, at most 3; `beside` counts the very next words, 2
    for one that says something and 1 for a small one, 0 to 4; `share` is the share of the claim's other terms, by
    rarity, that the source's sentence has, 0 to 1.
    """

    near: float = 0.0
    beside: int = 0
    share: float = 0.0


def surroundings(claim: str, place: Span, source: str, spans: Sequence[Span]) -> Surroundings:
    """The most that any of the source's places has of each; nothing where there are none.

    >>> source = "Horace Jones built it from 1886 to 1894. It is 65 m high."
    >>> surroundings("Jones built the bridge in 1894.", Span(26, 30), source, [Span(27, 31)]).share > 0.5
    True
    """
    before, behind = _beside(claim, place, _NEAR)
    asked = set(terms(" ".join((*before, *behind))))
    rest = {term: rarity(term) for term in set(terms(f"{claim[: place.start]} {claim[place.end :]}"))}
    whole = sum(rest[term] for term in sorted(rest)) or 1.0
    near, beside, share = 0.0, 0, 0.0
    for span in spans:
        around = sentence_of(source, span)
        text = source[around.start : around.end]
        left, right = _beside(text, Span(span.start - around.start, span.end - around.start), _NEAR_IN_SOURCE)
        shared = asked.intersection(terms(" ".join((*left, *right))))
        near = max(near, sum(rarity(term) for term in sorted(shared)))
        beside = max(beside, _same(before[-1:], left[-1:]) + _same(behind[:1], right[:1]))
        share = max(share, sum(rest[term] for term in sorted(rest.keys() & set(terms(text)))) / whole)
    return Surroundings(min(near, MOST_NEAR), beside, share)


def sentence_of(source: str, span: Span) -> Span:
    """The sentence that a place of the source is in; all of the source where it is in none."""
    return next((each for each in _sentences(source) if each.start <= span.start < each.end), Span(0, len(source)))


@lru_cache(maxsize=64)
def _sentences(source: str) -> tuple[Span, ...]:
    return tuple(sentences(source))


def _beside(text: str, place: Span, most: int) -> tuple[list[str], list[str]]:
    """The words before a place, and behind it, at most so many of each."""
    spans = list(word_spans(text))
    before = [fold(text[each.start : each.end]) for each in spans if each.end <= place.start]
    behind = [fold(text[each.start : each.end]) for each in spans if each.start >= place.end]
    return before[-most:], behind[:most]


def _same(mine: list[str], theirs: list[str]) -> int:
    if not mine or mine != theirs:
        return 0
    return 1 if mine[0] in STOP_WORDS else 2
