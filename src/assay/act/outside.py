"""Evidence from outside: search, fetch, read, and keep the passages that bear on the question.

Nothing fails here that leaves something to go on with: a search service that is down is told of, and the next
is asked; a page that cannot be read is told of, and the search result's own text stands for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

from assay.act.egress import redacted
from assay.act.guard import Guard
from assay.act.ranking import Ranking
from assay.act.reading import Reading, snippet
from assay.act.sources import Pages, SearchProvider, SearchResult
from assay.errors import AssayError, DocumentError, EgressRefused, ProviderError
from assay.stages import Clock
from assay.types import Evidence, Origin, Passage


@dataclass(frozen=True, slots=True)
class OutsideLimits:
    """What one round outside may take.

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
    """What one query found, and what there is to tell of it."""

    results: tuple[SearchResult, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """What one result gave, and what there is to tell of it."""

    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


class OutsideRetriever:
    """A Retriever over sources outside. The first service that finds something is the one used for a query."""

    def __init__(
        self,
        providers: Sequence[SearchProvider],
        pages: Pages,
        reading: Reading,
        guard: Guard,
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
        read = await asyncio.gather(*(self._read(each, until, few_at_once) for each in found))
        passages = {each.passage_id: each for part in read for each in part.passages}
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
                return _Searched(notes=(*notes, f"{provider.name} did not answer before the time was up"))
            except (ProviderError, EgressRefused) as error:
                notes += (f"{provider.name} was of no use: {error}",)
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
            # What must not be fetched is not quoted from elsewhere either.
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
        instead = "the search result's own text stands for it" if own else "it is left out"
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
    """What went wrong with a result's page, its link included."""
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
            notes.append("a query was not sent: nothing was left of it")
    return list(dict.fromkeys(asked)), notes


def _each_once(searched: Sequence[_Searched], most: int) -> list[SearchResult]:
    """The queries' results in turns, each page once, at most so many."""
    turns = chain.from_iterable(zip_longest(*(each.results for each in searched)))
    found: dict[str, SearchResult] = {}
    for result in turns:
        if result is not None:
            found.setdefault(result.link.partition("#")[0] or f"{result.title} {result.snippet}", result)
    return list(found.values())[:most]
