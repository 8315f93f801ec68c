"""The lines of standard input, each as soon as it is there, while answers are being made."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import suppress
from typing import BinaryIO

# At most so much is read at a time, and so many lines wait.
CHUNK = 1 << 20
WAITING = 64


async def incoming(stream: BinaryIO) -> AsyncGenerator[bytes, None]:
    """The lines that hold more than white space. Raises what reading raises.

    A thread reads, past Python's buffer: its lock, held by a thread that waits for input, would stop the
    interpreter from ending.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes | OSError | None] = asyncio.Queue()
    room = threading.Semaphore(WAITING)

    def hand_over(line: bytes | OSError | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits for lines any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        try:
            for line in _split(stream):
                room.acquire()
                hand_over(line)
            hand_over(None)
        except OSError as error:
            hand_over(error)

    threading.Thread(target=read, name="assay-input", daemon=True).start()
    while (line := await lines.get()) is not None:
        if isinstance(line, OSError):
            raise line
        room.release()
        if line.strip():
            yield line


def _split(stream: BinaryIO) -> Iterator[bytes]:
    raw = getattr(stream, "raw", stream)
    rest = b""
    while chunk := raw.read(CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
    yield rest
