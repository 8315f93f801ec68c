"""Results and pages from outside, and the ports that find them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from assay.types import Loaded, Value


@dataclass(frozen=True, slots=True)
class SearchResult(Value):
    """One line of a search service's answer, as plain text.

    `link` is empty where the service names no address; `date` is when the text was written (ISO 8601, as far as
    it is known), None where the service does not say.
    """

    title: str
    link: str
    snippet: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page's bytes as they were sent, decompressed.

    `link` is where they came from in the end, `asked` the address that was asked first. `fetched` is Unix
    seconds, `sha256` the hash of `data` in hex, `date` when the page was written (ISO 8601), None where it does
    not say.
    """

    link: str
    asked: str
    data: bytes
    content_type: str
    fetched: float
    sha256: str
    date: str | None = None


class SearchProvider(Protocol):
    """Search somewhere outside."""

    @property
    def name(self) -> str:
        """The name in notes and settings."""
        ...

    @property
    def host(self) -> str:
        """The host that queries are sent to; a command for a server that runs on this machine."""
        ...

    async def search(self, query: str, k: int) -> tuple[SearchResult, ...]:
        """At most k results, best first; none only where the service said that it found none.

        Raises ProviderUnreachable, ProviderRefused, ProviderFailed. Nothing is retried.
        """
        ...


class Pages(Protocol):
    """Fetch pages."""

    async def fetch(self, link: str) -> Page:
        """The page at an address. Raises EgressRefused, ProviderError."""
        ...


class PageReader(Protocol):
    """Turn the bytes of any format into normalised text, where they can do no harm; ingest's sandbox is one."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text of `data`; raises DocumentError. It blocks: call it from a thread."""
        ...
