"""The server that an agent's program starts: over stdio, for the collections of one data folder."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from assay.mcp_server.server import build_server
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


_INPUT, _OUTPUT, _ERRORS = 0, 1, 2
_CHUNK = 1 << 16
# Lines that may wait to be answered. Chosen.
_WAITING = 64


async def run_on_stdio(server: Server[Any]) -> None:
    """Serve until standard input ends. Raises BrokenPipeError where nobody reads standard output any more.

    Meanwhile whatever else reads standard input finds its end, and what else is written to standard output goes to
    standard error.
    """
    with (
        _taken(_INPUT, os.open(os.devnull, os.O_RDONLY)) as source,
        _taken(_OUTPUT, os.dup(_ERRORS)) as target,
        TextIOWrapper(os.fdopen(target, "wb", closefd=False), encoding="utf-8") as written,
    ):
        # The SDK only iterates over the lines of its input.
        lines = cast("anyio.AsyncFile[str]", _Lines(source))
        try:
            async with stdio_server(lines, anyio.wrap_file(written)) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
        except ExceptionGroup as group:
            if group.split((anyio.BrokenResourceError, BrokenPipeError))[1] is not None:
                raise
            # All that is left is a message that came or was sent at the very end, with nobody to read it.
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError from group
            raise BrokenPipeError from group


@contextmanager
def _taken(stream: int, replacement: int) -> Iterator[int]:
    """A descriptor of a standard stream, whose number means `replacement` within the block."""
    own = os.dup(stream)
    os.dup2(replacement, stream)
    os.close(replacement)
    try:
        yield own
    finally:
        os.dup2(own, stream)


class _Lines:
    """The lines of a descriptor as text; what is no UTF-8 is replaced."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def __aiter__(self) -> AsyncIterator[str]:
        """The lines, until the descriptor's end."""
        loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes | None](_WAITING)

        def read() -> None:
            with suppress(RuntimeError, OSError):  # the loop is closed, or the terminal has gone
                for line in self._split():
                    asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()
                asyncio.run_coroutine_threadsafe(lines.put(None), loop).result()

        threading.Thread(target=read, name="assay-mcp-input", daemon=True).start()
        while (line := await lines.get()) is not None:
            yield line.decode("utf-8", errors="replace")

    def _split(self) -> Iterator[bytes]:
        parts: list[bytes] = []
        while chunk := os.read(self._descriptor, _CHUNK):
            first, *others = chunk.split(b"\n")
            parts.append(first)
            for other in others:
                yield b"".join(parts)
                parts = [other]
        if any(parts):
            yield b"".join(parts)
