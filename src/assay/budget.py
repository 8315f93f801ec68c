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

    def reserve(self, tokens: int, cost: float, spare: int = 0) -> Reservation:
        """Set the most that one call may use aside; raises BudgetSpent where a limit would be passed.

        So many calls as `spare` says are left for others.
        """
        limits = self._limits
        if self._calls + 1 > limits.calls:
            allowed = f"{limits.calls} model call{'s are' if limits.calls != 1 else ' is'}"
            raise BudgetSpent(f"the question's {allowed} used up", hint="allow more with --max-calls")
        if self._calls + 1 + spare > limits.calls:
            raise BudgetSpent(
                f"{spare} of the question's {limits.calls} model calls are kept for writing and testing the answer",
                hint="allow more with --max-calls",
            )
        if limits.tokens is not None and self._tokens + tokens > limits.tokens:
            left = f"{max(0, limits.tokens - self._tokens):,} of the question's {limits.tokens:,} tokens are left"
            raise BudgetSpent(f"a call may take {tokens:,}, and {left}", hint="allow more with --max-tokens")
        if limits.cost is not None and self._cost + cost > limits.cost:
            left = f"{max(0.0, limits.cost - self._cost):g} of the question's {limits.cost:g} US dollars are left"
            raise BudgetSpent(f"a call may cost {cost:g}, and {left}", hint="allow more with --max-cost")
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
