"""The server that an agent's program starts: over stdio, for the collections of one data folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.mcp_server.server import build_server
from assay.mcp_server.stdio import run_on_stdio
from assay.settings import Settings, load_settings

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.types import CollectionSummary


@dataclass(slots=True)
class LocalCollections:
    """The collections of one tenant. An engine is opened when it is first needed and closed by `close`.

    `given` are settings over those of the environment, as `open_engine` takes them; `settings` are all of them.
    """

    given: Mapping[str, Any]
    settings: Settings
    _engines: dict[str | None, Engine] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def default(self) -> str:
        """The collection of the settings."""
        return self.settings.collection

    def shown(self, text: str) -> str:
        """The text as it is: whoever starts this server may see its paths."""
        return text

    @asynccontextmanager
    async def engine(self, name: str) -> AsyncIterator[Engine]:
        """The engine of a collection. Raises what `open_engine` raises."""

        def opened() -> Engine:
            from assay.wiring import open_engine

            return open_engine(create=False, **{**self.given, "collection": name})

        yield await self._opened(name, opened)

    @asynccontextmanager
    async def checker(self) -> AsyncIterator[Engine]:
        """An engine without a collection."""

        def opened() -> Engine:
            from assay.wiring import open_checker

            return open_checker(**self.given)

        yield await self._opened(None, opened)

    async def summaries(self) -> tuple[CollectionSummary, ...]:
        """The collections, sorted by name."""

        def read() -> tuple[CollectionSummary, ...]:
            from assay.wiring.collections import collections_of

            return collections_of(self.settings).summaries()

        return await asyncio.to_thread(read)

    async def close(self) -> None:
        """Close every engine."""
        while self._engines:
            _, engine = self._engines.popitem()
            await asyncio.to_thread(engine.close)

    async def _opened(self, name: str | None, opened: Callable[[], Engine]) -> Engine:
        async with self._lock:
            if name not in self._engines:
                self._engines[name] = await asyncio.to_thread(opened)
            return self._engines[name]


def serve_stdio(given: Mapping[str, Any]) -> None:
    """Serve until standard input ends. Standard output carries the protocol alone. Raises UsageError."""
    asyncio.run(_serve(LocalCollections(given, load_settings(dict(given)).settings)))


async def _serve(collections: LocalCollections) -> None:
    server = build_server(lambda _request: collections, looks_outside=bool(collections.settings.outside))
    try:
        await run_on_stdio(server)
    finally:
        await collections.close()
