"""Brave's web search (https://api-dashboard.search.brave.com/app/documentation/web-search)."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.act.door import Resolve, system_addresses
from assay.act.failures import nonsense
from assay.act.service import Service, result, results, rows, shortened
from assay.act.sources import SearchResult

BRAVE_URL = "https://api.search.brave.com"
# Brave's own limits.
_MOST = 20
_CHARACTERS, _WORDS = 400, 50


@dataclass(frozen=True, slots=True)
class BraveSearch:
    """Brave with a key; `seconds` bounds one search."""

    key: str = field(repr=False)
    url: str = BRAVE_URL
    seconds: float = 8.0
    resolve: Resolve = system_addresses
    name: str = "brave"

    def __post_init__(self) -> None:
        self._service()

    @property
    def host(self) -> str:
        """The host of the service."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError."""
        body = await self._service().ask(
            "/res/v1/web/search",
            {"q": shortened(query, _CHARACTERS, _WORDS), "count": min(k, _MOST)},
            {"X-Subscription-Token": self.key},
            refused={402: "the plan's searches are used up; wait for the next month, or change the plan"},
        )
        if not isinstance(body, dict) or body.get("type") != "search":
            raise nonsense(self.name, "no search response")
        # Brave leaves `web` out where it found no page.
        web = body.get("web", {"results": []})
        found = rows(self.name, web.get("results") if isinstance(web, dict) else None)
        taken = (
            result(each.get("title"), each.get("url"), each.get("description"), each.get("page_age"))
            for each in found
        )
        return results(self.name, taken, k)

    def _service(self) -> Service:
        return Service(self.name, self.url, self.key, "BRAVE_API_KEY", seconds=self.seconds, resolve=self.resolve)
