"""Standard input and output for the protocol alone.

The SDK's own reader waits for the next line in a thread that the end of the process waits for, so that Ctrl-C would
do nothing until then. Here nothing waits for the thread that reads.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

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
            # What is left is a message that came or was sent at the very end, with nobody to read it.
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
