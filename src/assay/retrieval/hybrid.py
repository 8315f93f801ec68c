"""The default retriever: search by words and by vector at once, and fuse the results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from assay.core.stages import Embedder, Index, Reranker
from assay.errors import UsageError
from assay.nlp.language import KNOWN_BY_SCRIPT, language_of
from assay.types import Evidence, Found, Hit, Scores, SearchMode, SearchSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Fusing the rankings of the search by vector and the search by words.


# The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
RANK_CONSTANT = 60
# Weight of the cosines in the scaled sum: chosen with leave-one-set-out, see decisions/013.
DENSE_SHARE = 0.8
# The share by which feedback moves the query's vector towards the first passages: chosen in the same way.
FEEDBACK_SHARE = 0.5
# The least possible cosine and BM25 score, from which scores are scaled.
_LEAST_DENSE = -1.0
_LEAST_SPARSE = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage found by a search, with its score and raw scores."""

    passage_id: str
    score: float
    scores: Scores


# Passage ids with their scores, best first.
Ranking = Mapping[str, float]
Fusion = Callable[[Ranking, Ranking], dict[str, float]]


def by_rank(dense: Ranking, sparse: Ranking) -> dict[str, float]:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over the rankings that hold the passage.

    >>> by_rank({"a": 0.9, "b": 0.8}, {"b": 7.0})["b"] > 1 / 61
    True
    """
    scores: dict[str, float] = {}
    for ranking in (dense, sparse):
        for rank, passage_id in enumerate(ranking, 1):
            scores[passage_id] = scores.get(passage_id, 0.0) + 1 / (RANK_CONSTANT + rank)
    return scores


def by_scaled_score(dense: Ranking, sparse: Ranking, dense_share: float = DENSE_SHARE) -> dict[str, float]:
    """The weighted sum of both scores, each scaled so that its least possible value is 0 and its best here 1.

    `dense_share`, 0 to 1, is the weight of the cosines. The "theoretical min-max" convex combination of Bruch,
    Gai and Ingber 2022 (arXiv 2210.11934).

    >>> fused = by_scaled_score({"a": 1.0, "b": 0.0}, {"b": 6.0, "c": 3.0})
    >>> {passage_id: round(score, 3) for passage_id, score in fused.items()}
    {'a': 0.8, 'b': 0.6, 'c': 0.1}
    """
    scores: dict[str, float] = {}
    for ranking, least, share in ((dense, _LEAST_DENSE, dense_share), (sparse, _LEAST_SPARSE, 1 - dense_share)):
        best = max(ranking.values(), default=least)
        spread = best - least
        for passage_id, score in ranking.items():
            scores[passage_id] = scores.get(passage_id, 0.0) + (
                share * ((score - least) / spread) if spread > 0 else 0.0
            )
    return scores


FUSIONS: Mapping[str, Fusion] = MappingProxyType({"rrf": by_rank, "scaled": by_scaled_score})


def best_first(scores: Mapping[str, float]) -> list[str]:
    """The ids, best first; ties keep their order.

    >>> best_first({"a": 0.1, "b": 0.3})
    ['b', 'a']
    """
    return sorted(scores, key=scores.__getitem__, reverse=True)


def with_feedback(
    vector: NDArray[np.float32], best: NDArray[np.float32], share: float = FEEDBACK_SHARE
) -> NDArray[np.float32]:
    """The query's vector moved towards the vectors of the passages found first, shape (n, dimension).

    `share`: how far, in lengths of their mean. Rocchio 1971, with these passages as relevant and none as
    irrelevant.
    """
    import numpy as np

    towards: NDArray[np.float32] = vector + share * best.mean(axis=0)
    return towards / np.float32(np.linalg.norm(towards))


def by_cosine(ids: Sequence[str], cosines: NDArray[np.float32]) -> dict[str, float]:
    """The passages with their cosines, best first."""
    order = (-cosines).argsort(kind="stable").tolist()
    values = cosines.tolist()
    return {ids[place]: values[place] for place in order}


def scores_of(found: Sequence[Found]) -> dict[str, float]:
    """The result of a search as a ranking."""
    return {result.passage_id: result.score for result in found}


def candidates(scores: Mapping[str, float], dense: Ranking, sparse: Ranking, count: int) -> tuple[Candidate, ...]:
    """The best `count` passages, with the raw scores of both searches."""
    return tuple(
        Candidate(passage_id, scores[passage_id], Scores(dense.get(passage_id), sparse.get(passage_id)))
        for passage_id in best_first(scores)[:count]
    )


def merge(lists: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Merge the candidates of several queries, best first; each passage keeps its best score.

    >>> one, two = Candidate("a", 0.5, Scores()), Candidate("a", 0.7, Scores())
    >>> [candidate.score for candidate in merge([[one], [two]])]
    [0.7]
    """
    best: dict[str, Candidate] = {}
    for one in lists:
        for candidate in one:
            if candidate.passage_id not in best or candidate.score > best[candidate.passage_id].score:
                best[candidate.passage_id] = candidate
    return tuple(sorted(best.values(), key=lambda candidate: -candidate.score))


# Maximal marginal relevance: relevant passages that do not repeat each other.


def diversify(relevance: NDArray[np.float64], vectors: NDArray[np.float32], k: int, share: float) -> list[int]:
    """The indices of k candidates, each maximising `share * relevance - (1 - share) * likeness` to those before.

    Carbonell and Goldstein 1998. `relevance` lies in 0 to 1, shape (n,); `vectors` has rows of length 1, shape
    (n, dimension); likeness is the highest cosine to a chosen one. `share` 1 gives the order of relevance.

    >>> import numpy as np
    >>> diversify(np.array([1.0, 0.9, 0.5]), np.array([[1, 0], [1, 0], [0, 1]], np.float32), 2, 0.5)
    [0, 2]
    """
    import numpy as np

    chosen: list[int] = []
    likeness = np.zeros(len(relevance))
    while len(chosen) < min(k, len(relevance)):
        value = share * relevance - (1 - share) * likeness
        value[chosen] = -np.inf
        chosen.append(int(np.argmax(value)))
        likeness = np.maximum(likeness, vectors @ vectors[chosen[-1]])
    return chosen


# Passages that each search passes to the fusion: chosen.
DEPTH = 100
# Least number of fused passages for a reranker or MMR to choose from: chosen.
CHOICE = 30
_DEFAULTS = SearchSettings()


@dataclass(frozen=True, slots=True)
class HybridRetriever:
    """Searches an index according to the settings; a reranker, if given, reorders the best passages.

    A question in a script unknown to the embedding model is searched by words only, as the settings recorded with
    the evidence say. Raises UsageError for invalid settings.
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
        """The k best passages for all queries, best first, with the settings used."""
        modes = [self._mode_for(query) for query in queries]
        searches = asyncio.gather(*map(self._search, queries, modes))
        version, lists = await asyncio.gather(self.index.version(), searches)
        hits = await self._rerank(queries, await self._hits(merge(lists)))
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
        # Embedding and the search by words run on different cores.
        vector, by_words = await asyncio.gather(self._vector(query), self.index.sparse(query, depth, where))
        sparse = scores_of(by_words)
        dense = scores_of(await self.index.dense(vector, depth, where))
        try:
            return await self._fuse(vector, list(dense | sparse), sparse)
        except KeyError:  # another process has just removed a passage: search again
            return await self._search(query, mode)

    async def _fuse(
        self, vector: NDArray[np.float32], ids: Sequence[str], sparse: Ranking
    ) -> tuple[Candidate, ...]:
        """Fuse both searches, best first; cosines are computed for all passages."""
        vectors = await self.index.vectors(ids)
        fusion, cosines = FUSIONS[self.settings.fusion], by_cosine(ids, vectors @ vector)
        scores = fusion(cosines, sparse)
        if self.settings.feedback and ids:
            place = {passage_id: n for n, passage_id in enumerate(ids)}
            first = [place[passage_id] for passage_id in best_first(scores)[: self.settings.feedback]]
            scores = fusion(by_cosine(ids, vectors @ with_feedback(vector, vectors[first])), sparse)
        return candidates(scores, cosines, sparse, max(CHOICE, 2 * self.settings.k))

    async def _vector(self, query: str) -> NDArray[np.float32]:
        asked = self.embedder.model.as_question(query)
        vector: NDArray[np.float32] = (await self.embedder.embed([asked]))[0]
        return vector

    async def _hits(self, found: Sequence[Candidate]) -> tuple[Hit, ...]:
        """The best candidates as hits: k, or as many as a reranker chooses from."""
        count = self.settings.k if self.reranker is None else max(CHOICE, self.settings.k)
        chosen = await self._diversify(found, count) if self.settings.mmr is not None else found[:count]
        passages = {
            passage.passage_id: passage for passage in await self.index.passages([c.passage_id for c in chosen])
        }
        hits = tuple(
            Hit(passages[candidate.passage_id], candidate.score, candidate.scores)
            for candidate in chosen
            if candidate.passage_id in passages
        )
        return hits if self.settings.mmr is not None else newer_first(hits)

    async def _diversify(self, found: Sequence[Candidate], count: int) -> list[Candidate]:
        """The most relevant candidates that do not repeat each other."""
        import numpy as np

        choice = found[: max(CHOICE, 2 * count)]
        if not choice or self.settings.mmr is None:
            return []
        vectors = await self.index.vectors([candidate.passage_id for candidate in choice])
        scores = np.array([candidate.score for candidate in choice])
        spread = float(scores.max() - scores.min())
        relevance = (scores - scores.min()) / spread if spread else np.ones(len(scores))
        return [choice[place] for place in diversify(relevance, vectors, count, self.settings.mmr)]

    async def _rerank(self, queries: tuple[str, ...], hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        # The first query is the question itself; the others help to find passages.
        return hits if self.reranker is None or not hits else await self.reranker.rerank(queries[0], hits)


def newer_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, best first; scores within a hundredth are a tie, won by the newer passage."""
    return tuple(sorted(hits, key=lambda hit: (round(hit.score, 2), hit.passage.origin.date or ""), reverse=True))
