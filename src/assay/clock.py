"""The machine's own clock."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass


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
