"""The default retriever: by words and by vector at the same time, fused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.retrieve.fuse import FUSIONS, Candidate, Ranking, by_cosine, candidates, merge, moved, ranked, scores_of
from assay.retrieve.mmr import diverse
from assay.stages import Embedder, Index, Reranker
from assay.text.language import KNOWN_BY_SCRIPT, language_of
from assay.types import Evidence, Hit, SearchMode, SearchSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# How many passages each search hands to the fusion.
DEPTH = 100
# How many of the fused ones a reranker or MMR chooses from, at least.
CHOICE = 30
_DEFAULTS = SearchSettings()


@dataclass(frozen=True, slots=True)
class HybridRetriever:
    """Searches an index as the settings say; a reranker, where there is one, orders the best of it anew.

    A question in a script that the embedding model does not know is searched by words only, and the settings
    recorded with the evidence say so. Raises UsageError for settings that make no sense.
    """

    index: Index
    embedder: Embedder
    settings: SearchSettings = _DEFAULTS
    reranker: Reranker | None = None

    def __post_init__(self) -> None:
        if self.settings.fusion not in FUSIONS:
            raise UsageError(
                f"there is no fusion {self.settings.fusion!r}", hint=f"choose one of {', '.join(sorted(FUSIONS))}"
            )
        if self.settings.k < 1:
            raise UsageError(f"k is {self.settings.k}", hint="ask for at least one passage")
        if self.settings.mmr is not None and not 0 <= self.settings.mmr <= 1:
            raise UsageError(f"mmr is {self.settings.mmr}", hint="choose a share of relevance from 0 to 1")

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The k best passages for the queries together, best first, with the settings that were used."""
        modes = [self._mode_for(query) for query in queries]
        searches = asyncio.gather(*map(self._search, queries, modes))
        version, lists = await asyncio.gather(self.index.version(), searches)
        hits = await self._reranked(queries, await self._hits(merge(lists)))
        used = modes[0] if len(set(modes)) == 1 else self.settings.mode
        return Evidence(hits[: self.settings.k], replace(self.settings, mode=used), version)

    def _mode_for(self, query: str) -> SearchMode:
        language = language_of(query)
        unknown = language in KNOWN_BY_SCRIPT and language not in self.embedder.model.languages
        return SearchMode.SPARSE if unknown else self.settings.mode

    async def _search(self, query: str, mode: SearchMode) -> tuple[Candidate, ...]:
        """The candidates for one query, best first."""
        depth, where = max(DEPTH, self.settings.k), self.settings.where
        if mode is SearchMode.SPARSE:
            sparse = scores_of(await self.index.sparse(query, depth, where))
            return candidates(sparse, {}, sparse, depth)
        if mode is SearchMode.DENSE:
            dense = scores_of(await self.index.dense(await self._vector(query), depth, where))
            return candidates(dense, dense, {}, depth)
        # Embedding takes one core for some milliseconds, the search by words another.
        vector, by_words = await asyncio.gather(self._vector(query), self.index.sparse(query, depth, where))
        sparse = scores_of(by_words)
        dense = scores_of(await self.index.dense(vector, depth, where))
        try:
            return await self._fused(vector, list(dense | sparse), sparse)
        except KeyError:  # another process has just removed a passage that was found: search what is there now
            return await self._search(query, mode)

    async def _fused(
        self, vector: NDArray[np.float32], ids: Sequence[str], sparse: Ranking
    ) -> tuple[Candidate, ...]:
        """What either search found, best first, with the raw scores; cosines are taken of all of them."""
        vectors = await self.index.vectors(ids)
        fusion, cosines = FUSIONS[self.settings.fusion], by_cosine(ids, vectors @ vector)
        scores = fusion(cosines, sparse)
        if self.settings.feedback and ids:
            place = {each: n for n, each in enumerate(ids)}
            first = [place[each] for each in ranked(scores)[: self.settings.feedback]]
            scores = fusion(by_cosine(ids, vectors @ moved(vector, vectors[first])), sparse)
        return candidates(scores, cosines, sparse, max(CHOICE, 2 * self.settings.k))

    async def _vector(self, query: str) -> NDArray[np.float32]:
        asked = self.embedder.model.as_question(query)
        vector: NDArray[np.float32] = (await self.embedder.embed([asked]))[0]
        return vector

    async def _hits(self, found: Sequence[Candidate]) -> tuple[Hit, ...]:
        """The best candidates as hits: k of them, or as many as a reranker chooses from."""
        count = self.settings.k if self.reranker is None else max(CHOICE, self.settings.k)
        chosen = await self._diverse(found, count) if self.settings.mmr is not None else found[:count]
        passages = {each.passage_id: each for each in await self.index.passages([c.passage_id for c in chosen])}
        hits = tuple(
            Hit(passages[each.passage_id], each.score, each.scores)
            for each in chosen
            if each.passage_id in passages
        )
        return hits if self.settings.mmr is not None else newer_first(hits)

    async def _diverse(self, found: Sequence[Candidate], count: int) -> list[Candidate]:
        """The candidates that say most without repeating each other."""
        import numpy as np

        choice = found[: max(CHOICE, 2 * count)]
        if not choice or self.settings.mmr is None:
            return []
        vectors = await self.index.vectors([each.passage_id for each in choice])
        scores = np.array([each.score for each in choice])
        spread = float(scores.max() - scores.min())
        relevance = (scores - scores.min()) / spread if spread else np.ones(len(scores))
        return [choice[place] for place in diverse(relevance, vectors, count, self.settings.mmr)]

    async def _reranked(self, queries: tuple[str, ...], hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        # The first query is the question itself; the others are ways to find passages for it.
        return hits if self.reranker is None or not hits else await self.reranker.rerank(queries[0], hits)


def newer_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, best first; scores that differ by less than a hundredth are a tie, which the newer passage wins."""
    return tuple(sorted(hits, key=lambda hit: (round(hit.score, 2), hit.passage.origin.date or ""), reverse=True))
