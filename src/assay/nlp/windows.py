"""Windows of a text: the sentences that a network reads a claim against. models/checker trains it on the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.nlp.alignment import cover
from assay.nlp.analysis import Analysis, analyse
from assay.nlp.blocks import titled, without_markup
from assay.nlp.tokens import estimated_tokens, rarity, terms
from assay.types import Passage, Span

# Title and window together, in tokens as estimated.
WIDTH = 256
# A first line of at most so many words is the text's title; a line of more words than the other is cut.
_HEADING, _LONGEST = 12, 60
# Passages that a claim is read against together.
_MOST_PASSAGES = 3
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|\Z))")


@dataclass(frozen=True, slots=True)
class Lines:
    """A text's sentences, with their terms and tokens; `headed` where the first is a title.

    A line break ends a sentence, too, and a very long one is cut.
    """

    spans: tuple[Span, ...]
    terms: tuple[frozenset[str], ...]
    tokens: tuple[int, ...]
    headed: bool


def evidence(claim: str, passages: Sequence[Passage]) -> str:
    """The sentences of the claim's sources that together hold most of it.

    Each stands under its passage's title; where several passages are needed, the one that holds most comes first.
    """
    weights = _weights(claim)
    texts = [titled(passage) for passage in passages]
    held = [frozenset(terms(text.title)).union(*_lines(text.text).terms) for text in texts]
    best = cover(weights, dict(enumerate(held)), _MOST_PASSAGES) or [0]
    width = WIDTH // len(best)
    parts = ((texts[at].title, window(claim, texts[at].title, texts[at].text, width)) for at in best)
    # A window that begins with its title does not need it twice.
    return "\n".join(f"{title}\n{text}" if title and not text.startswith(title) else text for title, text in parts)


def window(claim: str, title: str, text: str, width: int = WIDTH) -> str:
    """The sentences of a text nearest to the claim, in their order, as many as fit beside the title.

    Those that together hold the claim's terms come first, then their neighbours, then those that share most of it.
    A narrow window is widened where it would leave out one that holds a term of the claim which no other has.
    """
    lines, weights = _lines(text), _weights(claim)
    best = cover(weights, dict(enumerate(lines.terms)), len(lines.terms))
    beside = estimated_tokens(title)
    must = [0, *best] if lines.headed else best
    room = (width if sum(lines.tokens[at] for at in set(must)) <= width - beside else WIDTH) - beside
    if sum(lines.tokens) <= room:
        return text
    kept: list[int] = []
    for at in dict.fromkeys([*must, *_nearest(weights, best, lines.terms)]):
        if lines.tokens[at] <= room or not kept:
            kept.append(at)
            room -= lines.tokens[at]
    return "\n".join(text[start:end] for start, end in stretches(sorted(kept), lines.spans))


def plain(text: str) -> str:
    """A claim without markup, as a network reads it.

    >>> plain("Set **k** with `--k 5`.")
    'Set k with --k 5.'
    """
    return _BEFORE_STOP.sub("", " ".join(without_markup(text).split()))


def _weights(claim: str) -> dict[str, float]:
    """The claim's terms by how rare they are in English at large: the network learned beside these windows."""
    return {term: rarity(term) for term in terms(claim)}


def _nearest(weights: Mapping[str, float], best: Sequence[int], held: Sequence[frozenset[str]]) -> list[int]:
    """Sentences that cover the claim, then their neighbours, then the others by the weight of the shared terms."""
    beside = [at for chosen in best for at in (chosen - 1, chosen + 1) if 0 <= at < len(held)]
    rest = sorted(
        range(len(held)), key=lambda at: -sum(weights[term] for term in sorted(held[at] & weights.keys()))
    )
    return [*best, *beside, *rest]


def stretches(kept: Sequence[int], spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Starts and ends of the kept sentences, neighbours as one.

    >>> list(stretches([0, 1, 3], [Span(0, 2), Span(3, 5), Span(6, 8), Span(9, 11)]))
    [(0, 5), (9, 11)]
    """
    begin = 0
    for at in range(1, len(kept) + 1):
        if at == len(kept) or kept[at] != kept[at - 1] + 1:
            yield spans[kept[begin]].start, spans[kept[at - 1]].end
            begin = at


def _lines(text: str) -> Lines:
    return analyse(text).derive(_lines_of)


def _lines_of(read: Analysis) -> Lines:
    spans = tuple(line for sentence in read.sentences for line in _parts(read.text, sentence))
    texts = [read.text[span.start : span.end] for span in spans]
    return Lines(
        spans,
        tuple(frozenset(terms(line)) for line in texts),
        tuple(map(estimated_tokens, texts)),
        bool(texts) and "\n" in read.text.strip() and len(texts[0].split()) <= _HEADING,
    )


def _parts(text: str, sentence: Span) -> Iterator[Span]:
    """The sentence in parts: a line each, of at most sixty words."""
    start = sentence.start
    for line in text[sentence.start : sentence.end].splitlines(keepends=True):
        places = [match.span() for match in re.finditer(r"\S+", line)]
        for first in range(0, len(places), _LONGEST):
            part = places[first : first + _LONGEST]
            yield Span(start + part[0][0], start + part[-1][1])
        start += len(line)
