"""The tape: the result of every call out of a run, so that a replay gives the same bytes.

A call is identified by its port, the SHA-256 of the request, and its position among equal ones.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from assay.errors import Diverged


@dataclass(frozen=True, slots=True)
class TapeEntry:
    """One call: the port, the SHA-256 of the request in hex, and what came back."""

    port: str
    key: str
    body: bytes


def key_of(request: bytes) -> str:
    """The key of a request.

    >>> len(key_of(b"text"))
    64
    """
    return hashlib.sha256(request).hexdigest()


class Tape:
    """Records calls in order, or plays back a recording.

    A tape that `forks` is of a replay under other settings: it answers the calls that it holds, and a call that it
    does not hold is made. What may not be made is refused by `diverge`.

    >>> tape = Tape()
    >>> tape.record("clock", key_of(b""), b"1.5")
    >>> replayed = Tape(tape.entries)
    >>> replayed.recall("clock", key_of(b""))
    b'1.5'
    >>> replayed.recall("clock", key_of(b""))
    Traceback (most recent call last):
    ...
    assay.errors.Diverged: diverged at step 2: the recording holds no further call of 'clock' with this request
    """

    def __init__(
        self, recorded: Iterable[TapeEntry] | None = None, *, cut: bool = False, forks: bool = False
    ) -> None:
        self.replaying = recorded is not None
        self.forks = forks
        self.divergence: Diverged | None = None
        self._cut = cut
        self._entries: list[TapeEntry] = []
        self._waiting: defaultdict[tuple[str, str], deque[bytes]] = defaultdict(deque)
        self._steps = 0
        for entry in recorded or ():
            self._waiting[entry.port, entry.key].append(entry.body)

    @property
    def entries(self) -> tuple[TapeEntry, ...]:
        """The recorded calls, in order; of a fork, those that it made."""
        return tuple(self._entries)

    def holds(self, port: str, key: str) -> bool:
        """True if the recording has a further such call."""
        return bool(self._waiting.get((port, key)))

    def plays(self, port: str, key: str) -> bool:
        """True if the call is answered by the recording, and must not be made."""
        return self.replaying and (not self.forks or self.holds(port, key))

    def record(self, port: str, key: str, body: bytes) -> None:
        """Keep the result of a call."""
        self._entries.append(TapeEntry(port, key, body))

    def ends_at(self, port: str, key: str) -> bool:
        """True if the recording was cut at this step; after it, a call that is not recorded was cut, too."""
        found = (port, key) in self._waiting
        self._cut = self._cut or found
        return found

    def recall(self, port: str, key: str) -> bytes:
        """The recorded result of a call; raises Diverged if it is not recorded.

        After the point where a recording was `cut` by its deadline, raises TimeoutError.
        """
        self._steps += 1
        waiting = self._waiting[port, key]
        if not waiting and self._cut:
            raise TimeoutError
        if not waiting:
            raise Diverged(
                f"diverged at step {self._steps}: the recording holds no further call of {port!r} with this "
                "request",
                hint="the run was recorded by another version of assay or under other settings",
            )
        return waiting.popleft()

    def diverge(self, call: str, request: str) -> Diverged:
        """The error of a fork's call that is not recorded and may not be made; the first one is `divergence`."""
        step = self._steps + 1
        error = Diverged(
            f"diverged at step {step}: the recording does not hold this call of {call}: {request}",
            hint='allow the replay to make it: --live, in Python live=True, over HTTP "live": true',
            step=step,
            call=call,
            request=request,
        )
        self.divergence = self.divergence or error
        return error


# The machine's own clock.


@dataclass(frozen=True, slots=True)
class SystemClock:
    """Tells the time of this machine."""

    def monotonic(self) -> float:
        """Seconds that only rise."""
        return time.monotonic()

    def time(self) -> float:
        """Unix seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""
        await asyncio.sleep(seconds)
