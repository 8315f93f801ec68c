"""The sentences of a text that a checker reads a claim against; models/checker trains it on the same windows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.prompting.tokens import estimated_tokens
from assay.text.rarity import rarity
from assay.text.sentences import sentences
from assay.text.tokens import terms
from assay.types import Span

# Title and window together, in tokens as estimated.
WIDTH = 256
# A first line of at most so many words is the text's title; a sentence of more words than LONGEST is cut.
HEADING, LONGEST = 12, 60


@dataclass(frozen=True, slots=True)
class Lines:
    """A text's sentences, with their terms and tokens; `headed` where the first is a title.

    A line break ends a sentence, too, and a very long one is cut.
    """

    spans: tuple[Span, ...]
    terms: tuple[frozenset[str], ...]
    tokens: tuple[int, ...]
    headed: bool


def window(claim: str, title: str, text: str, width: int = WIDTH) -> str:
    """The sentences of a text nearest to the claim, in their order, as many as fit beside the title.

    Those that together hold the claim's terms come first, then their neighbours, then those that share most of it.
    A narrow window is widened where it would leave out one that holds a term of the claim which no other has.
    """
    read = lines_of(text)
    asked = {term: rarity(term) for term in terms(claim)}
    cover = covering(asked, read.terms)
    beside = estimated_tokens(title)
    must = [0, *cover] if read.headed else cover
    room = (width if sum(read.tokens[at] for at in set(must)) <= width - beside else WIDTH) - beside
    if sum(read.tokens) <= room:
        return text
    kept: list[int] = []
    for at in dict.fromkeys([*must, *_nearest(asked, cover, read.terms)]):
        if read.tokens[at] <= room or not kept:
            kept.append(at)
            room -= read.tokens[at]
    return "\n".join(text[start:end] for start, end in stretches(sorted(kept), read.spans))


def covering(asked: Mapping[str, float], held: Sequence[frozenset[str]]) -> list[int]:
    """Places that together hold the asked terms, each next one by the weight it adds (the greedy set cover).

    >>> covering({"a": 1.0, "b": 0.5, "c": 0.2}, [frozenset("b"), frozenset("ac"), frozenset("c")])
    [1, 0]
    """
    missing, cover = set(asked), list[int]()

    def added(at: int) -> float:
        return sum(asked[term] for term in sorted(held[at] & missing))

    while held and added(best := max(range(len(held)), key=added)) > 0:
        cover.append(best)
        missing -= held[best]
    return cover


def _nearest(asked: Mapping[str, float], cover: Sequence[int], held: Sequence[frozenset[str]]) -> list[int]:
    """Those that cover the claim, then their neighbours, then the others by the weight of the terms they share."""
    beside = [at for chosen in cover for at in (chosen - 1, chosen + 1) if 0 <= at < len(held)]
    rest = sorted(range(len(held)), key=lambda at: -sum(asked[term] for term in sorted(held[at] & asked.keys())))
    return [*cover, *beside, *rest]


def stretches(kept: Sequence[int], spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Where the kept sentences begin and end, those that follow one another as one.

    >>> list(stretches([0, 1, 3], [Span(0, 2), Span(3, 5), Span(6, 8), Span(9, 11)]))
    [(0, 5), (9, 11)]
    """
    begin = 0
    for at in range(1, len(kept) + 1):
        if at == len(kept) or kept[at] != kept[at - 1] + 1:
            yield spans[kept[begin]].start, spans[kept[at - 1]].end
            begin = at


@lru_cache(maxsize=256)
def lines_of(text: str) -> Lines:
    """The text taken apart; the next claim on it finds it done."""
    spans = tuple(line for sentence in sentences(text) for line in _parts(text, sentence))
    texts = [text[span.start : span.end] for span in spans]
    return Lines(
        spans,
        tuple(frozenset(terms(line)) for line in texts),
        tuple(estimated_tokens(line) for line in texts),
        bool(texts) and "\n" in text.strip() and len(texts[0].split()) <= HEADING,
    )


def _parts(text: str, sentence: Span) -> Iterator[Span]:
    """The sentence in parts: a line each, of at most sixty words."""
    start = sentence.start
    for line in text[sentence.start : sentence.end].splitlines(keepends=True):
        places = [match.span() for match in re.finditer(r"\S+", line)]
        for first in range(0, len(places), LONGEST):
            part = places[first : first + LONGEST]
            yield Span(start + part[0][0], start + part[-1][1])
        start += len(line)
