"""Wikipedia's own search: articles, each with its opening and the day of its last change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.act.door import Resolve, system_addresses
from assay.act.failures import masked, nonsense
from assay.act.service import Service, result, results, rows, shortened
from assay.act.sources import SearchResult
from assay.errors import ProviderFailed, ProviderRefused, UsageError

# MediaWiki's own limits: openings in one answer, characters in a query.
_MOST = 20
_CHARACTERS = 300
_WAIT = frozenset("ratelimited maxlag readonly".split())


@dataclass(frozen=True, slots=True)
class WikipediaSearch:
    """Wikipedia in a language; `url` is another wiki's address instead, up to where `/w/api.php` follows."""

    language: str = "en"
    url: str | None = None
    seconds: float = 8.0
    resolve: Resolve = system_addresses
    name: str = "wikipedia"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z]{2,3}(-[a-z]{2,10})?", self.language):
            raise UsageError(f"{self.language!r} is no language of Wikipedia", hint="name one, such as en or de")
        self._service()

    @property
    def host(self) -> str:
        """The host of the wiki."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k articles, best first; their openings are the snippets. Raises ProviderError."""
        asked: dict[str, str | int] = {
            "action": "query",
            "format": "json",
            "formatversion": 2,
            "generator": "search",
            "gsrsearch": shortened(query, _CHARACTERS, _CHARACTERS),
            "gsrlimit": min(k, _MOST),
            "prop": "extracts|info|revisions",
            "exintro": 1,
            "explaintext": 1,
            "exlimit": _MOST,
            "inprop": "url",
            "rvprop": "timestamp",
            "maxlag": 5,
        }
        body = await self._service().ask("/w/api.php", asked)
        if not isinstance(body, dict):
            raise nonsense(self.name, "no object")
        self._raise_error(body.get("error"))
        # Without any article there is no `query`, only the sign that the answer is whole.
        if "query" not in body and body.get("batchcomplete") is True:
            return ()
        found = body.get("query")
        pages = rows(self.name, found.get("pages") if isinstance(found, dict) else None)
        ordered = sorted(pages, key=lambda page: _place(page.get("index")))
        return results(self.name, map(_article, ordered), k)

    def _raise_error(self, error: Any) -> None:
        """MediaWiki says its errors with status 200."""
        if error is None:
            return
        code = error.get("code") if isinstance(error, dict) else ""
        said = masked({"error": error}, None)
        if code in _WAIT:
            raise ProviderRefused(f"{self.name} is busy: {said}", hint="wait, then try again", retryable=True)
        raise ProviderFailed(f"{self.name} could not search: {said}", hint="ask otherwise, or try again later")

    def _service(self) -> Service:
        url = self.url or f"https://{self.language}.wikipedia.org"
        return Service(self.name, url, seconds=self.seconds, resolve=self.resolve)


def _place(index: Any) -> int:
    return index if isinstance(index, int) else _MOST


def _article(page: Mapping[str, Any]) -> SearchResult | None:
    revisions = page.get("revisions")
    changed = revisions[0].get("timestamp") if isinstance(revisions, list) and revisions else None
    return result(page.get("title"), page.get("fullurl"), page.get("extract"), changed)
