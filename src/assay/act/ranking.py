"""Which passages of the pages found bear on the queries: by their words, and by vectors where there are any."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.stages import Embedder
from assay.text.tokens import terms
from assay.types import Hit, Passage, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# BM25's usual constants (Robertson and Zaragoza 2009, section 3.5).
_K1, _B = 1.2, 0.75
# Embedding one passage takes a few CPU-ms: only those that share most words with a query are embedded.
_EMBEDDED = 24


@dataclass(frozen=True, slots=True)
class _Measured:
    """A passage's scores: `words` in 0 to 1, over the queries the best of each."""

    words: float
    bm25: float
    cosine: float | None = None

    @property
    def score(self) -> float:
        """The words' score, or its mean with the cosine."""
        return self.words if self.cosine is None else (self.words + max(0.0, self.cosine)) / 2


class Ranking:
    """Ranks passages for queries. Among equals, places that the user named come first, then the newer."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    async def rank(self, queries: Sequence[str], passages: Sequence[Passage], k: int) -> tuple[Hit, ...]:
        """The k passages that bear most on any one of the queries, best first; their scores lie in 0 to 1.

        Passages that share no word with a query stay out, unless vectors speak for them. Raises ProviderError
        where the embedder does.
        """
        by_words = await asyncio.to_thread(measured, queries, passages)
        ordered = sorted(range(len(passages)), key=lambda at: -by_words[at].words)[: max(k, _EMBEDDED)]
        scored = [(passages[at], by_words[at]) for at in ordered]
        if self._embedder is not None and scored:
            scored = await self._with_cosines(self._embedder, queries, scored)
        hits = [
            Hit(passage, each.score, Scores(each.cosine, each.bm25)) for passage, each in scored if each.score > 0
        ]
        return tuple(sorted(hits, key=_order, reverse=True)[:k])

    async def _with_cosines(
        self, embedder: Embedder, queries: Sequence[str], scored: Sequence[tuple[Passage, _Measured]]
    ) -> list[tuple[Passage, _Measured]]:
        texts = [f"{each.title}\n{each.text.strip()}" if each.title else each.text.strip() for each, _ in scored]
        asked = map(embedder.model.as_question, queries)
        vectors = await embedder.embed([*asked, *texts])
        cosines: NDArray[np.float32] = (vectors[len(queries) :] @ vectors[: len(queries)].T).max(axis=1)
        return [
            (passage, _Measured(each.words, each.bm25, float(cosine)))
            for (passage, each), cosine in zip(scored, cosines, strict=True)
        ]


def _order(hit: Hit) -> tuple[float, bool, str]:
    """Scores that differ by less than a hundredth are a tie; first-hand places and newer pages win it."""
    return round(hit.score, 2), hit.passage.origin.trust != "open", hit.passage.origin.date or ""


def measured(queries: Sequence[str], passages: Sequence[Passage]) -> list[_Measured]:
    """How far each passage's words answer to a query: half its terms' share, half BM25 beside the best passage.

    >>> def passage(text): return Passage(text, "d", "r", 0, len(text), text)
    >>> [round(each.words, 2) for each in measured(["hot tea"], [passage("Tea is hot."), passage("Tea.")])]
    [1.0, 0.39]
    """
    counted = [Counter(terms(f"{each.title} {each.text}")) for each in passages]
    lengths = [counts.total() for counts in counted]
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    frequency = Counter(term for counts in counted for term in counts)
    best = [_Measured(0.0, 0.0)] * len(passages)
    for query in queries:
        wanted = set(terms(query))
        weights = {
            term: math.log(1 + (len(passages) - frequency[term] + 0.5) / (frequency[term] + 0.5)) for term in wanted
        }
        scores = [_bm25(weights, each, size, mean) for each, size in zip(counted, lengths, strict=True)]
        top = max(scores, default=0.0)
        for at, (counts, score) in enumerate(zip(counted, scores, strict=True)):
            share = sum(term in counts for term in wanted) / len(wanted) if wanted else 0.0
            words = (share + score / top) / 2 if top > 0 else 0.0
            if words > best[at].words:
                best[at] = _Measured(words, score)
    return best


def _bm25(weights: Mapping[str, float], counts: Mapping[str, int], length: int, mean: float) -> float:
    return sum(
        weight * counts[term] * (_K1 + 1) / (counts[term] + _K1 * (1 - _B + _B * length / mean))
        for term, weight in weights.items()
        if term in counts
    )
