"""SearXNG: a search service that anybody can run, and that asks many others."""

from __future__ import annotations

from dataclasses import dataclass

from assay.act.door import Resolve, system_addresses
from assay.act.failures import nonsense
from assay.act.service import Service, result, results, rows
from assay.act.sources import SearchResult
from assay.errors import ProviderFailed

_NO_JSON = "add json to search.formats in the settings.yml of SearXNG, or set SEARXNG_URL to one that has it"


@dataclass(frozen=True, slots=True)
class SearxngSearch:
    """A SearXNG at an address; `seconds` bounds one search."""

    url: str
    seconds: float = 8.0
    resolve: Resolve = system_addresses
    name: str = "searxng"

    def __post_init__(self) -> None:
        self._service()

    @property
    def host(self) -> str:
        """The host of the service."""
        return self._service().host

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError, also where all the engines behind it failed."""
        body = await self._service().ask("/search", {"q": query, "format": "json"}, refused={403: _NO_JSON})
        if not isinstance(body, dict):
            raise nonsense(self.name, "no object")
        found = rows(self.name, body.get("results"))
        silent = body.get("unresponsive_engines")
        if not found and silent:
            raise ProviderFailed(
                f"the engines behind {self.name} did not answer: {str(silent)[:200]}",
                hint="wait, then try again, or use other engines",
                retryable=True,
            )
        taken = (
            result(each.get("title"), each.get("url"), each.get("content"), each.get("publishedDate"))
            for each in found
        )
        return results(self.name, taken, k)

    def _service(self) -> Service:
        return Service(self.name, self.url, url_variable="SEARXNG_URL", seconds=self.seconds, resolve=self.resolve)
