"""Search over the site's articles, in the shapes of the services that assay speaks to."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.text.tokens import terms

_K1, _B = 1.2, 0.75
_SNIPPET = 200


@dataclass(frozen=True, slots=True)
class Article:
    """An article of the site: its path, what it says, and its day (ISO 8601) where it has one."""

    path: str
    title: str
    text: str
    date: str | None = None


class Words:
    """BM25 over articles."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self._articles = tuple(articles)
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        for at, article in enumerate(self._articles):
            counts = Counter(terms(f"{article.title} {article.text}"))
            lengths.append(counts.total())
            for term, count in counts.items():
                self._places[term].append((at, count))
        self._lengths = lengths
        self._mean = sum(lengths) / len(lengths) if lengths else 1.0

    def best(self, query: str, k: int) -> list[Article]:
        """The k articles that share most with the query, best first.

        >>> Words([Article("/a", "Tea", "Hot."), Article("/b", "Ice", "Cold.")]).best("hot tea", 5)
        [Article(path='/a', title='Tea', text='Hot.', date=None)]
        """
        scores: dict[int, float] = defaultdict(float)
        for term in set(terms(query)):
            places = self._places.get(term, [])
            weight = math.log(1 + (len(self._articles) - len(places) + 0.5) / (len(places) + 0.5))
            for at, count in places:
                length = 1 - _B + _B * self._lengths[at] / self._mean
                scores[at] += weight * count * (_K1 + 1) / (count + _K1 * length)
        ordered = sorted(scores, key=lambda at: (-scores[at], at))
        return [self._articles[at] for at in ordered[:k]]


def searxng(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as SearXNG lists them."""
    rows = [
        {"title": each.title, "url": base + each.path, "content": _opening(each), "publishedDate": each.date}
        for each in found
    ]
    return {"query": "", "number_of_results": len(rows), "results": rows, "unresponsive_engines": []}


def brave(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as Brave lists them; without any there is no `web`."""
    rows = [
        {"title": each.title, "url": base + each.path, "description": _opening(each), "page_age": each.date}
        for each in found
    ]
    return {"type": "search", "query": {}} | ({"web": {"type": "search", "results": rows}} if rows else {})


def tavily(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as Tavily lists them."""
    rows = [
        {"title": each.title, "url": base + each.path, "content": _opening(each), "score": 0.5} for each in found
    ]
    return {"query": "", "results": rows, "response_time": 0.1}


def wikipedia(found: Sequence[Article], base: str) -> Mapping[str, Any]:
    """The articles as MediaWiki lists them, in no order but that of `index`; without any there is no `query`."""
    rows = [
        {
            "pageid": n,
            "title": each.title,
            "index": n,
            "extract": _opening(each),
            "fullurl": base + each.path,
            "revisions": [{"timestamp": f"{each.date or '2020-01-01'}T00:00:00Z"}],
        }
        for n, each in enumerate(found, 1)
    ]
    return {"batchcomplete": True} | ({"query": {"pages": rows[::-1]}} if rows else {})


def _opening(article: Article) -> str:
    return article.text[:_SNIPPET]
