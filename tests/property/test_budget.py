"""The budget: whatever is called, in whatever order, no limit is ever passed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assay.core.budget import Budget, Reservation
from assay.errors import BudgetSpent
from assay.types import Limits, Usage

tokens = st.integers(0, 50)


@dataclass
class Stopped:
    """A clock that does not move."""

    def monotonic(self) -> float:
        return 0.0

    def time(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("a budget never waits")


class Spending(RuleBasedStateMachine):
    """Calls are reserved, run at the same time, and settled in any order."""

    @initialize(calls=st.integers(0, 6), most=st.none() | st.integers(0, 120), cost=st.none() | st.floats(0.01, 2))
    def begin(self, calls: int, most: int | None, cost: float | None) -> None:
        self.limits = Limits(calls=calls, tokens=most, cost=cost)
        self.budget = Budget(self.limits, Stopped())
        self.open: list[Reservation] = []
        self.made, self.used, self.paid = 0, 0, 0.0

    @rule(wanted=tokens, cost=st.floats(0, 1))
    def reserve(self, wanted: int, cost: float) -> None:
        with suppress(BudgetSpent):
            self.open.append(self.budget.reserve(wanted, cost))
            self.made += 1

    @rule(share=st.floats(0, 1), reported=st.booleans(), at=st.integers(0, 5))
    def settle(self, share: float, reported: bool, at: int) -> None:
        if not self.open:
            return
        reserved = self.open.pop(at % len(self.open))
        used, paid = int(share * reserved.tokens), share * reserved.cost
        usage = Usage(used, 0, used, 0, 1, paid) if reported else Usage(None, None, None, None, 1, None)
        self.budget.settle(reserved, usage)
        # What was not reported may have been all that was set aside.
        self.used += used if reported else reserved.tokens
        self.paid += paid if reported else reserved.cost

    @invariant()
    def no_limit_is_passed(self) -> None:
        if not hasattr(self, "limits"):
            return
        in_flight = sum(each.tokens for each in self.open)
        assert self.made <= self.limits.calls
        assert self.limits.tokens is None or self.used + in_flight <= self.limits.tokens
        owed = self.paid + sum(each.cost for each in self.open)
        assert self.limits.cost is None or owed <= self.limits.cost + 1e-9
        assert self.budget.spent.calls == self.made - len(self.open)


TestSpending = Spending.TestCase
TestSpending.settings = settings(max_examples=300, stateful_step_count=20, deadline=None)
