"""Words that change a statement: negations with their scope, comparatives, opposites, hedges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from assay.nlp.lexicon import word_class
from assay.nlp.tokens import fold, stem, word_spans
from assay.types import Span

_CUES = word_class("negation.cues")
_CJK_CUE = re.compile(r"不是|没有|沒有|并非|並非|未能|不会|不能|没|未|不|ない|ません")
# Punctuation and words behind which a negation reaches no further (NegEx, Chapman et al. 2001, ends scope so).
_SCOPE_END = re.compile(
    r"[.;:!?,。，；！？]|\b(?:but|however|although|though|except|because|which|who)\b", re.IGNORECASE
)
_SCOPE_WORDS = 6

_UP = word_class("comparison.up")
_DOWN = word_class("comparison.down")
Direction = Literal["up", "down"]
_DIRECTION: dict[str, Direction] = {}
_DIRECTION.update(dict.fromkeys(_UP, "up"))
_DIRECTION.update(dict.fromkeys(_DOWN, "down"))

NEGATING_PREFIXES = ("un", "in", "im", "ir", "dis", "non")

_HEDGES = word_class("modality.hedges")
_ABSOLUTES = word_class("quantifiers.absolute")


@dataclass(frozen=True, slots=True)
class Negation:
    """A negating word at `start` to `end`, and how far what it negates reaches, `scope`."""

    start: int
    end: int
    scope: Span


@dataclass(frozen=True, slots=True)
class Comparison:
    """A word that says more ("up") or less ("down"), at `start` to `end`."""

    start: int
    end: int
    direction: Direction


def negations(text: str) -> list[Negation]:
    """The negations of `text` in order; "not only" is none.

    >>> [text[n.scope.start:n.scope.end] for text in ["It was not sold, but kept."] for n in negations(text)]
    ['sold']
    """
    spans = list(word_spans(text))
    found = [
        Negation(span.start, span.end, _scope(text, spans, at))
        for at, span in enumerate(spans)
        if _negates(text, spans, at)
    ]
    for match in _CJK_CUE.finditer(text):
        found.append(Negation(match.start(), match.end(), Span(match.end(), min(len(text), match.end() + 12))))
    return sorted(found, key=lambda negation: negation.start)


def comparisons(text: str) -> list[Comparison]:
    """The words of `text` that say more or less, in order.

    >>> [c.direction for c in comparisons("Sales rose, costs were lower.")]
    ['up', 'down']
    """
    found = []
    for span in word_spans(text):
        direction = _DIRECTION.get(fold(text[span.start : span.end]))
        if direction is not None:
            found.append(Comparison(span.start, span.end, direction))
    return found


def opposite(first: str, second: str) -> bool:
    """True if two folded words (or stems) are opposites: listed, or one is the other with "un", "in", "dis", "non".

    >>> opposite("increase", "decreased"), opposite("likely", "unlikely"), opposite("rise", "grow")
    (True, True, False)
    """
    one, two = stem(first), stem(second)
    if two in _opposite_stems().get(one, frozenset()):
        return True
    longer, shorter = (one, two) if len(one) > len(two) else (two, one)
    return len(shorter) > 3 and any(longer == prefix + shorter for prefix in NEGATING_PREFIXES)


def opposites_of(word: str) -> frozenset[str]:
    """The stems listed as opposites of a folded word."""
    return _opposite_stems().get(stem(word), frozenset())


@cache
def _opposite_stems() -> Mapping[str, frozenset[str]]:
    """The stems of the opposites of each stem; five milliseconds to make."""
    found: dict[str, frozenset[str]] = {}
    for pair in word_class("opposites.pairs"):
        first, second = (stem(word) for word in pair.split("/"))
        found[first] = found.get(first, frozenset()) | {second}
        found[second] = found.get(second, frozenset()) | {first}
    return found


def is_hedge(word: str) -> bool:
    """True if a folded word weakens a statement."""
    return word in _HEDGES


def is_absolute(word: str) -> bool:
    """True if a folded word leaves no exception."""
    return word in _ABSOLUTES


def _negates(text: str, spans: list[Span], at: int) -> bool:
    word = fold(text[spans[at].start : spans[at].end])
    contracted = word.endswith(("n't", "n’t"))
    if word not in _CUES and not contracted:
        return False
    following = text[spans[at + 1].start : spans[at + 1].end].lower() if at + 1 < len(spans) else ""
    if word == "no" and (following[:1].isdigit() or text[spans[at].end : spans[at].end + 1] == "."):
        return False  # "No. 5"
    return not ((contracted or word in ("not", "no")) and following in ("only", "just", "doubt", "until", "merely"))


def _scope(text: str, spans: list[Span], at: int) -> Span:
    """The next words up to the end of the clause."""
    following = spans[at + 1 : at + 1 + _SCOPE_WORDS]
    if not following:
        return Span(spans[at].end, spans[at].end)
    end = _SCOPE_END.search(text, spans[at].end, following[-1].end)
    stop = end.start() if end else following[-1].end
    return Span(min(following[0].start, stop), max(min(following[0].start, stop), stop))
