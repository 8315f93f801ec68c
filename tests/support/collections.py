"""Collections for agents' tools that a test has opened, and a model that is never done."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from assay import Engine
from assay.errors import UnknownCollection
from assay.types import CollectionSummary, ModelReply, ModelRequest


@dataclass(frozen=True, slots=True)
class HeldCollections:
    """Lends the engines of `engines`, of which the first is the default."""

    engines: Mapping[str, Engine]

    @property
    def default(self) -> str:
        return next(iter(self.engines))

    def shown(self, text: str) -> str:
        return text

    @asynccontextmanager
    async def engine(self, name: str) -> AsyncIterator[Engine]:
        if name not in self.engines:
            raise UnknownCollection(f"there is no collection {name!r}", hint="name another")
        yield self.engines[name]

    @asynccontextmanager
    async def checker(self) -> AsyncIterator[Engine]:
        yield self.engines[self.default]

    async def summaries(self) -> tuple[CollectionSummary, ...]:
        return tuple(
            [
                CollectionSummary(name, len(await engine.adocuments()), await engine.aversion())
                for name, engine in self.engines.items()
            ]
        )


@dataclass(slots=True)
class EndlessModel:
    """Never replies; `asked` is set when it begins, `ended` when what it was asked for ends."""

    name: str = "fake:endless"
    host: str = ""
    asked: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Wait until the caller gives up."""
        self.asked.set()
        try:
            await asyncio.sleep(3600)
        finally:
            self.ended.set()
        raise AssertionError("nobody waits for an hour")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        """As `complete`."""
        yield await self.complete(request)

    async def aclose(self) -> None:
        """Nothing is held."""
