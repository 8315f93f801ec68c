"""DuckDuckGo by way of the `ddgs` package, which reads the pages that DuckDuckGo shows to browsers.

DuckDuckGo offers no service for programs, so this is for those who choose it. The package cannot tell a search
without results from a refused one; both are told as a failure here, never as an empty list.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.act.failures import late
from assay.act.service import result, results, rows
from assay.act.sources import SearchResult
from assay.errors import MissingExtra, ProviderFailed, ProviderRefused, ProviderUnreachable

try:
    from ddgs import DDGS
    from ddgs.engines import ENGINES
    from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
except ImportError as error:
    raise MissingExtra(
        f"searching DuckDuckGo needs a package that is not installed: {error.name}",
        hint='in the clone of assay: pip install ".[web]"',
    ) from error

# The one engine of the package that is asked; by itself it would ask a dozen others as well.
_ENGINE = "duckduckgo"
# A little later than the package's own limit, so that its error comes first.
_GRACE_SECONDS = 1.0

Ask = Callable[[str, int], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class DuckDuckGoSearch:
    """DuckDuckGo, asked in a thread; `seconds` bounds one search.

    `ask` is what does the asking; None for the package itself.
    """

    seconds: float = 8.0
    ask: Ask | None = None
    proxy: str | None = None
    name: str = "duckduckgo"
    host: str = "html.duckduckgo.com"

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first. Raises ProviderError."""
        try:
            async with asyncio.timeout(self.seconds + _GRACE_SECONDS):
                found = await asyncio.to_thread(self.ask or self._ask, query, k)
        except (TimeoutError, TimeoutException):
            raise late(self.name, self.seconds) from None
        except RatelimitException:
            raise ProviderRefused(
                f"{self.name} refuses so many searches", hint="wait, or use another service", retryable=True
            ) from None
        except DDGSException as error:
            raise self._failed(error) from None
        taken = (result(each.get("title"), each.get("href"), each.get("body")) for each in rows(self.name, found))
        return results(self.name, taken, k)

    def _ask(self, query: str, k: int) -> Sequence[Mapping[str, Any]]:
        if _ENGINE not in ENGINES["text"]:
            raise ProviderFailed(
                "the installed ddgs package does not ask DuckDuckGo any more",
                hint="use another search service; by itself the package would send your question elsewhere",
            )
        client = DDGS(proxy=self.proxy, timeout=math.ceil(self.seconds))
        found: Sequence[Mapping[str, Any]] = client.text(query, max_results=k, backend=_ENGINE)
        return found

    def _failed(self, error: DDGSException) -> ProviderFailed | ProviderUnreachable:
        said = " ".join(str(error).split())[:200]
        hint = "try again later, or use a service with a key, or a SearXNG of your own"
        if "No results" in said:
            return ProviderFailed(f"{self.name} found nothing, or refused to search", hint=hint, retryable=True)
        return ProviderUnreachable(f"no answer from {self.name}: {said}", hint=hint, retryable=True)
