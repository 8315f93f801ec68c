"""When a refused call is sent again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2

from assay.client.calls import Call
from assay.client.problems import BUSY, error_of, retry_after

# Seconds before each further attempt where the server does not say, so there are four attempts at most. Chosen.
_PAUSES = (0.5, 1.0, 2.0)
_RANDOM = secrets.SystemRandom()


@dataclass(slots=True)
class Attempts:
    """The attempts of one call, within its seconds."""

    call: Call[Any]
    seconds: float
    clock: Callable[[], float] = time.monotonic
    _made: int = 0
    _began: float = field(default=0.0)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def pause_after(self, response: httpx2.Response) -> float | None:
        """The seconds until the call is sent again; None if it succeeded. Raises the server's error."""
        if response.is_success:
            return None
        self._made += 1
        if not self.call.repeatable or response.status_code not in BUSY or self._made > len(_PAUSES):
            raise error_of(response)
        asked = retry_after(response)
        pause = _PAUSES[self._made - 1] * _RANDOM.uniform(0.8, 1.2) if asked is None else asked
        if self.clock() - self._began + pause >= self.seconds:
            raise error_of(response)
        return pause
