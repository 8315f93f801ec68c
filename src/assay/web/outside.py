"""Evidence from outside: search, fetch, read, and keep the passages that bear on the question.

Nothing fails here that leaves something to go on with: a search service that is down is told of, and the next
is asked; a page that cannot be read is told of, and the search result's own text is used instead.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Literal

from assay.core.stages import Clock, Embedder
from assay.errors import AssayError, DocumentError, EgressRefused, ProviderError
from assay.nlp.tokens import terms
from assay.types import Evidence, Hit, Origin, Passage, Scores
from assay.web.egress import redacted
from assay.web.guard import SsrfGuard
from assay.web.pages import Reading, snippet
from assay.web.sources import Pages, SearchProvider, SearchResult

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
            Hit(passage, score.score, Scores(score.cosine, score.bm25))
            for passage, score in scored
            if score.score > 0
        ]
        return tuple(sorted(hits, key=_order, reverse=True)[:k])

    async def _with_cosines(
        self, embedder: Embedder, queries: Sequence[str], scored: Sequence[tuple[Passage, _Measured]]
    ) -> list[tuple[Passage, _Measured]]:
        texts = [
            f"{score.title}\n{score.text.strip()}" if score.title else score.text.strip() for score, _ in scored
        ]
        asked = map(embedder.model.as_question, queries)
        vectors = await embedder.embed([*asked, *texts])
        cosines: NDArray[np.float32] = (vectors[len(queries) :] @ vectors[: len(queries)].T).max(axis=1)
        return [
            (passage, _Measured(score.words, score.bm25, float(cosine)))
            for (passage, score), cosine in zip(scored, cosines, strict=True)
        ]


def _order(hit: Hit) -> tuple[float, bool, str]:
    """Scores that differ by less than a hundredth are a tie; first-hand places and newer pages win it."""
    return round(hit.score, 2), hit.passage.origin.trust != "open", hit.passage.origin.date or ""


def measured(queries: Sequence[str], passages: Sequence[Passage]) -> list[_Measured]:
    """Match of each passage's words with a query: half its terms' share, half BM25 beside the best passage.

    >>> def passage(text): return Passage(text, "d", "r", 0, len(text), text)
    >>> [round(score.words, 2) for score in measured(["hot tea"], [passage("Tea is hot."), passage("Tea.")])]
    [1.0, 0.39]
    """
    counted = [Counter(terms(f"{passage.title} {passage.text}")) for passage in passages]
    lengths = [counts.total() for counts in counted]
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    frequency = Counter(term for counts in counted for term in counts)
    best = [_Measured(0.0, 0.0)] * len(passages)
    for query in queries:
        wanted = set(terms(query))
        weights = {
            term: math.log(1 + (len(passages) - frequency[term] + 0.5) / (frequency[term] + 0.5)) for term in wanted
        }
        scores = [_bm25(weights, counts, size, mean) for counts, size in zip(counted, lengths, strict=True)]
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


@dataclass(frozen=True, slots=True)
class OutsideLimits:
    """The limits of one round outside.

    `k` is how many passages it returns, `queries` how many of the queries are asked, `results` how many pages
    are read, `at_once` how many of them together, `seconds` how long it all takes.
    """

    k: int = 8
    queries: int = 3
    results: int = 5
    at_once: int = 4
    seconds: float = 20.0


@dataclass(frozen=True, slots=True)
class _Searched:
    """The findings of one query, with its notes."""

    results: tuple[SearchResult, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """The reading of one result, with its notes."""

    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


class OutsideRetriever:
    """A Retriever over sources outside. The first service that finds something is the one used for a query."""

    def __init__(
        self,
        providers: Sequence[SearchProvider],
        pages: Pages,
        reading: Reading,
        guard: SsrfGuard,
        clock: Clock,
        ranking: Ranking | None = None,
        limits: OutsideLimits | None = None,
    ) -> None:
        self._providers = tuple(providers)
        self._pages = pages
        self._reading = reading
        self._guard = guard
        self._clock = clock
        self._ranking = ranking or Ranking()
        self._limits = limits or OutsideLimits()

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The best passages found outside for the queries together, best first; `notes` say what went wrong.

        No failure of a service or a page is raised. Raises ProviderError where the embedder does.
        """
        if not self._guard.rules.enabled:
            return Evidence(notes=("nothing was searched outside: the settings do not allow it",))
        asked, notes = _may_leave(queries[: self._limits.queries])
        loop = asyncio.get_running_loop()
        until = loop.time() + self._limits.seconds
        searched = await asyncio.gather(*(self._search(query, until) for query in asked))
        found = _each_once(searched, self._limits.results)
        few_at_once = asyncio.Semaphore(self._limits.at_once)
        read = await asyncio.gather(*(self._read(result, until, few_at_once) for result in found))
        passages = {passage.passage_id: passage for part in read for passage in part.passages}
        hits = await self._ranking.rank(asked, tuple(passages.values()), self._limits.k)
        told = chain(notes, *(part.notes for part in searched), *(part.notes for part in read))
        return Evidence(hits, notes=tuple(dict.fromkeys(told)))

    async def _search(self, query: str, until: float) -> _Searched:
        """The results of the first service that has any."""
        notes: tuple[str, ...] = ()
        for provider in self._providers:
            try:
                async with asyncio.timeout_at(until):
                    results = await provider.search(query, self._limits.results)
            except TimeoutError:
                return _Searched(notes=(*notes, f"{provider.name} did not answer in time"))
            except (ProviderError, EgressRefused) as error:
                notes += (f"{provider.name} failed: {error}",)
                continue
            if results:
                return _Searched(results, notes)
            notes += (f"{provider.name} found nothing",)
        return _Searched(notes=notes)

    async def _read(self, result: SearchResult, until: float, few_at_once: asyncio.Semaphore) -> _Read:
        """The passages of a result's page, or else of its own text."""
        if not result.link:
            return _Read(self._own_text(result))
        try:
            async with few_at_once, asyncio.timeout_at(until):
                passages = await self._passages(result)
        except EgressRefused as error:
            # A page that must not be fetched is not quoted from elsewhere either.
            return _Read(notes=(_about(result, error),))
        except TimeoutError:
            why = f"{result.link} was not read before the time was up"
        except (ProviderError, DocumentError) as error:
            why = _about(result, error)
        else:
            if passages:
                return _Read(passages)
            why = f"{result.link} holds no text"
        own = self._own_text(result)
        instead = "the search result's own text is used instead" if own else "it is left out"
        return _Read(own, (f"{why}; {instead}",))

    async def _passages(self, result: SearchResult) -> tuple[Passage, ...]:
        page = await self._pages.fetch(result.link)
        origin = Origin("web", page.link, page.fetched, page.date or result.date, self._trust(page.link))
        return await asyncio.to_thread(self._reading.passages, page, result.title, origin)

    def _own_text(self, result: SearchResult) -> tuple[Passage, ...]:
        if result.link:
            origin = Origin("web", result.link, self._clock.time(), result.date, self._trust(result.link))
        else:
            origin = Origin("mcp", None, self._clock.time(), result.date)
        passage = snippet(result, origin)
        return () if passage is None else (passage,)

    def _trust(self, link: str) -> Literal["named", "open"]:
        found = self._guard.link(link)
        return "named" if self._guard.rules.trusts(found.host, found.port) else "open"


def _about(result: SearchResult, error: AssayError) -> str:
    """The failure of a result's page, its link included."""
    return str(error) if result.link in str(error) else f"{result.link}: {error}"


def _may_leave(queries: Iterable[str]) -> tuple[list[str], list[str]]:
    """The queries as they may leave, and what was taken out of them."""
    asked: list[str] = []
    notes: list[str] = []
    for query in queries:
        left = redacted(query)
        if left.removed:
            notes.append(f"left out of the query before it was sent: {left}")
        if left.text:
            asked.append(left.text)
        else:
            notes.append("a query was not sent, because nothing was left of it")
    return list(dict.fromkeys(asked)), notes


def _each_once(searched: Sequence[_Searched], most: int) -> list[SearchResult]:
    """The queries' results in turns, each page once, at most so many."""
    turns = chain.from_iterable(zip_longest(*(search.results for search in searched)))
    found: dict[str, SearchResult] = {}
    for result in turns:
        if result is not None:
            found.setdefault(result.link.partition("#")[0] or f"{result.title} {result.snippet}", result)
    return list(found.values())[:most]


# No source outside: what stands there until the user turns one on.
