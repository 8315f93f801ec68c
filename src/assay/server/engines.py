"""The open engines of a server: one per tenant and collection, the least recently used closed first."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from assay.engine import Engine

Opener = Callable[[Path, str, bool], Engine]


@dataclass(slots=True)
class _OpenEngine:
    engine: Engine
    users: int = 0


@dataclass(slots=True)
class Engines:
    """Engines by data folder and collection, opened when they are first used.

    `open_one` opens the engine of a data folder's collection and creates the collection if its last argument is
    true. At most `most` stay open, besides those in use.
    """

    open_one: Opener
    most: int
    _open: OrderedDict[tuple[Path, str], _OpenEngine] = field(default_factory=OrderedDict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def use(self, folder: Path, collection: str, *, create: bool = False) -> AsyncIterator[Engine]:
        """The engine of a collection; it stays open as long as the block. Raises as `open_engine`."""
        async with self._lock:
            entry = await self._entry((folder, collection), create)
            entry.users += 1
        try:
            yield entry.engine
        finally:
            entry.users -= 1
            await self._close_spare()

    async def close(self, folder: Path, collection: str) -> None:
        """Close a collection's engine if it is open, whoever uses it."""
        async with self._lock:
            entry = self._open.pop((folder, collection), None)
        if entry is not None:
            await asyncio.to_thread(entry.engine.close)

    async def close_all(self) -> None:
        """Close every engine."""
        async with self._lock:
            entries = list(self._open.values())
            self._open.clear()
        for entry in entries:
            await asyncio.to_thread(entry.engine.close)

    @property
    def count(self) -> int:
        """How many are open."""
        return len(self._open)

    @property
    def open_circuits(self) -> int:
        """How many providers are left alone for now, counted in each engine that uses them."""
        return sum(len(entry.engine.open_circuits) for entry in self._open.values())

    async def _entry(self, key: tuple[Path, str], create: bool) -> _OpenEngine:
        known = self._open.get(key)
        if known is None:
            known = _OpenEngine(await asyncio.to_thread(self.open_one, *key, create))
            self._open[key] = known
        self._open.move_to_end(key)
        return known

    async def _close_spare(self) -> None:
        """Close the least recently used engines beyond `most` that nobody uses."""
        spare: list[_OpenEngine] = []
        for key in [key for key, entry in self._open.items() if entry.users == 0]:
            if len(self._open) <= self.most:
                break
            spare.append(self._open.pop(key))
        for entry in spare:
            await asyncio.to_thread(entry.engine.close)
