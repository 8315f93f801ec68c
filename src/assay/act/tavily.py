"""Tavily's search (https://docs.tavily.com/documentation/api-reference/endpoint/search)."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.act.door import Resolve, system_addresses
from assay.act.failures import nonsense
from assay.act.service import Service, result, results, rows, shortened
from assay.act.sources import SearchResult

TAVILY_URL = "https://api.tavily.com"
# Tavily's own limits.
_MOST = 20
_CHARACTERS = 400
_USED_UP = "the plan's credits are used up; wait for the next month, or change the plan"


@dataclass(frozen=True, slots=True)
class TavilySearch:
    """Tavily with a key; `seconds` bounds one search."""

    key: str = field(repr=False)
    url: str = TAVILY_URL
    seconds: float = 8.0
    resolve: Resolve = system_addresses
    name: str = "tavily"

    def __post_init__(self) -> None:
        self._service()

    @property
    def host(self) -> str:
        """The host of the service."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError."""
        body = await self._service().ask(
            "/search",
            headers={"Authorization": f"Bearer {self.key}"},
            json_body={
                "query": shortened(query, _CHARACTERS, _CHARACTERS),
                "max_results": min(k, _MOST),
                "search_depth": "basic",
            },
            refused={432: _USED_UP, 433: _USED_UP},
        )
        if not isinstance(body, dict):
            raise nonsense(self.name, "no object")
        taken = (
            result(each.get("title"), each.get("url"), each.get("content"), each.get("published_date"))
            for each in rows(self.name, body.get("results"))
        )
        return results(self.name, taken, k)

    def _service(self) -> Service:
        return Service(self.name, self.url, self.key, "TAVILY_API_KEY", seconds=self.seconds, resolve=self.resolve)
