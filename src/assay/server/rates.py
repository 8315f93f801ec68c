"""Rates: events counted by name over a sliding minute, in the memory of this process."""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter


class Rate:
    """At most `per_minute` events of one name in any minute; what is quiet for a minute is forgotten."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._item = RateLimitItemPerMinute(per_minute)
        self._window = MovingWindowRateLimiter(MemoryStorage())

    def hit(self, name: str) -> bool:
        """Count an event; False, and it does not count, where the minute has no room for it."""
        return self._window.hit(self._item, name)

    def spent(self, name: str) -> bool:
        """True if the next event would be refused."""
        return not self._window.test(self._item, name)

    def retry_after(self, name: str) -> str:
        """The seconds until there is room again, at least 1, as the header Retry-After has them."""
        reset = self._window.get_window_stats(self._item, name).reset_time
        return str(max(1, math.ceil(reset - time.time())))
