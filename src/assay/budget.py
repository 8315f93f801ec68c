"""A hard budget for one question: calls, tokens, money and seconds, reserved before they are spent."""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import BudgetSpent
from assay.stages import Clock
from assay.types import Limits, Usage


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a call may use at most: `tokens` of prompt and reply together, `cost` in US dollars."""

    tokens: int
    cost: float


class Budget:
    """What a question has used, and what it may still use.

    Several calls at once cannot overspend: each reserves the most that it may use before it is made.

    >>> from assay.clock import SystemClock
    >>> budget = Budget(Limits(calls=1), SystemClock())
    >>> reserved = budget.reserve(tokens=100, cost=0.0)
    >>> budget.settle(reserved, Usage(prompt_tokens=60, completion_tokens=20, total_tokens=80, calls=1))
    >>> budget.spent.total_tokens
    80
    >>> budget.reserve(tokens=100, cost=0.0)
    Traceback (most recent call last):
    ...
    assay.errors.BudgetSpent: the question's 1 model call is used up
    """

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.spent = Usage()
        self._limits = limits
        self._clock = clock
        self._ends = clock.monotonic() + limits.seconds
        # What counts against the limits: the reserved amount until it is settled, and for good where the
        # provider did not report what it used.
        self._calls, self._tokens, self._cost = 0, 0, 0.0

    def seconds_left(self) -> float:
        """Seconds until the deadline, negative after it."""
        return self._ends - self._clock.monotonic()

    def reserve(self, tokens: int, cost: float) -> Reservation:
        """Set the most that one call may use aside; raises BudgetSpent where a limit would be passed."""
        limits = self._limits
        if self._calls + 1 > limits.calls:
            raise _spent(f"{limits.calls} model call{'s' * (limits.calls != 1)}", "--max-calls", limits.calls)
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            raise _spent(f"{limits.tokens:,} tokens", "--max-tokens", limits.tokens)
        if limits.cost is not None and self._cost + cost > limits.cost:
            raise _spent(f"{limits.cost:g} US dollars", "--max-cost", 2)
        self._calls += 1
        self._tokens += tokens
        self._cost += cost
        return Reservation(tokens, cost)

    def settle(self, reserved: Reservation, usage: Usage) -> None:
        """Put what a call used in the place of what was set aside for it."""
        self.spent += usage
        if usage.total_tokens is not None:
            self._tokens += usage.total_tokens - reserved.tokens
        if usage.cost is not None:
            self._cost += usage.cost - reserved.cost


def _spent(what: str, flag: str, limit: float) -> BudgetSpent:
    verb = "is" if limit == 1 else "are"
    return BudgetSpent(f"the question's {what} {verb} used up", hint=f"allow more with {flag}")
