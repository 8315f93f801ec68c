"""The deadline of a question: what is awaited within it ends with it, and a replay ends where the run did."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from assay.errors import too_late
from assay.ports import Clock
from assay.tape import Tape

_PORT = "deadline"


def lateness(seconds: float, clock: Clock) -> Callable[[], Callable[[], bool]]:
    """What tells a review that begins whether it is late: at the deadline, `seconds` from this call on.

    One that begins past it, to close what was begun, has as long again.
    """
    ends = clock.monotonic() + seconds

    def begun() -> Callable[[], bool]:
        now = clock.monotonic()
        end = ends if now < ends else now + seconds
        return lambda: clock.monotonic() >= end

    return begun


class Deadline:
    """The seconds of one question, from now on; to be made on the event loop that it is kept on.

    On a `tape` stands which of its steps were cut, so that a replay, which takes no time, cuts the same.
    """

    def __init__(self, seconds: float, tape: Tape | None = None) -> None:
        self._seconds = seconds
        self._tape = tape
        self._steps = 0
        replaying = tape is not None and tape.replaying
        self._ends = None if replaying else asyncio.get_running_loop().time() + seconds

    @asynccontextmanager
    async def within(self) -> AsyncIterator[None]:
        """Raise DeadlinePassed where what is awaited inside is not done in time.

        Past the deadline, what waits for nothing is still done, and what would wait is cut at once.
        """
        self._steps += 1
        step, tape = str(self._steps), self._tape
        was_cut = tape is not None and tape.replaying and tape.ends_at(_PORT, step)
        limit = asyncio.timeout_at(self._ends)
        try:
            async with limit:
                yield
            if was_cut:
                raise TimeoutError
        except TimeoutError as error:
            if not was_cut and not limit.expired():
                raise  # from inside, and not for this deadline
            if tape is not None and not tape.replaying:
                tape.record(_PORT, step, b"")
            raise too_late(self._seconds) from error
