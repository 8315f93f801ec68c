"""What a checker says of a claim beside its sources, and how that joins what words, vectors and facts say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.calibration import log_odds, sigmoid
from assay.core.stages import Pair
from assay.nlp.blocks import titled, without_markup
from assay.nlp.sentences import sentences
from assay.nlp.tokens import rarity, terms
from assay.prompting import estimated_tokens
from assay.types import Passage, Span, Verdict
from assay.verification.sources import words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# The sentences of a text that a checker reads a claim against; models/checker trains it on the same windows.


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


# The checks whose failing is an input of a policy's line, beside the others.
WEIGHED = ("numbers", "dates", "names", "negation", "comparison")
INPUTS = frozenset({"checker", "trees", "overlap", "trees x overlap", "checker x overlap"}).union(
    f"failed {name}" for name in WEIGHED
)
# No failed check speaks for a claim.
NEVER_ABOVE = frozenset(f"failed {name}" for name in WEIGHED)
# A longer claim is not read whole, in tokens as estimated.
LONGEST_PREMISE = 96
# A claim of more sentences is not read; the longest labelled one has 25.
_MOST_SENTENCES = 32
# Passages that a claim is read against together.
_MOST_PASSAGES = 3
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|\Z))")


@dataclass(frozen=True, slots=True)
class Entailed:
    """What a checker says of a claim: the log odds that its sources support it, the least of its sentences.

    `against` is the probability that they contradict it, the highest of its sentences.
    """

    by: str
    support: float
    against: float

    @property
    def likelier(self) -> Verdict:
        """What it says by itself: unknown where neither is likelier than not."""
        support = sigmoid(self.support)
        if max(support, self.against) <= 0.5:
            return Verdict.UNKNOWN
        return Verdict.SUPPORTED if support >= self.against else Verdict.CONTRADICTED

    @property
    def told(self) -> str:
        """How likely it finds either, in words."""
        return f"supports {sigmoid(self.support):.2f}, contradicts {self.against:.2f}"

    def inputs(self, aligned: float, overlap: float, failed: Collection[str]) -> dict[str, float]:
        """What a policy weighs, with what words and vectors say (0 to 1) and the checks that failed.

        `overlap` is the share of the claim's terms that its sources hold.
        """
        trees = log_odds(aligned)
        return {
            "checker": self.support,
            "trees": trees,
            "overlap": overlap,
            "trees x overlap": trees * overlap,
            "checker x overlap": self.support * overlap,
            **{f"failed {name}": float(name in failed) for name in WEIGHED},
        }


def plain(text: str) -> str:
    """A claim without markup, as the checker reads it.

    >>> plain("Set **k** with `--k 5`.")
    'Set k with --k 5.'
    """
    return _BEFORE_STOP.sub("", " ".join(without_markup(text).split()))


def pairs_of(claim: str, passages: Sequence[Passage]) -> tuple[Pair, ...]:
    """The pairs that a checker reads of a claim, one a sentence; none where one is too long to be read whole."""
    whole = plain(claim)
    found = [text for span in sentences(whole) if words_of(text := whole[span.start : span.end])]
    if len(found) > _MOST_SENTENCES or any(map(_is_long, found)):
        return ()
    return tuple(Pair(one, evidence(one, passages)) for one in found)


def _is_long(text: str) -> bool:
    return estimated_tokens(text) > LONGEST_PREMISE


def evidence(claim: str, passages: Sequence[Passage]) -> str:
    """What the checker reads the claim against: the sentences of its sources that together hold most of it.

    Each stands under its passage's title; where several passages are needed, the one that holds most comes first.
    """
    asked = {term: rarity(term) for term in terms(claim)}
    texts = [titled(each) for each in passages]
    held = [frozenset(terms(each.title)).union(*lines_of(each.text).terms) for each in texts]
    best = covering(asked, held)[:_MOST_PASSAGES] or [0]
    width = WIDTH // len(best)
    parts = ((texts[at].title, window(claim, texts[at].title, texts[at].text, width)) for at in best)
    # A window that begins with its title does not need it twice.
    return "\n".join(f"{title}\n{text}" if title and not text.startswith(title) else text for title, text in parts)


def entailed(by: str, said: NDArray[np.float32]) -> Entailed:
    """What the probabilities of `pairs_of` say together, shape (pairs, 3)."""
    return Entailed(by, log_odds(float(said[:, 0].min())), float(said[:, 1].max()))


def by_claim(by: str, pairs: Mapping[int, Sequence[Pair]], said: NDArray[np.float32]) -> dict[int, Entailed]:
    """What the probabilities of all claims' pairs, one claim after another, say of each."""
    found, at = {}, 0
    for n, own in pairs.items():
        if own:
            found[n] = entailed(by, said[at : at + len(own)])
            at += len(own)
    return found
