"""How long a judge took, beside the budget of its depth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from assay.stages import Clock, Judge
from assay.types import Evidence, Judgement, Question

# Milliseconds that a judgement of each depth may take: the budgets of the source design, and for the fast one 150
# more for the reader.
BUDGETS_MS: Mapping[str, float] = MappingProxyType({"fast": 200.0, "balanced": 500.0, "thorough": 2000.0})


@dataclass(frozen=True, slots=True)
class TimedJudge:
    """Adds how many milliseconds `inner` took, and an issue where that is over its budget.

    The budget is shown, not enforced: what ends a judge in time is the question's deadline.
    """

    inner: Judge
    clock: Clock
    budget_ms: float

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner` with its `ms`; raises what `inner` raises."""
        begun = self.clock.monotonic()
        judged = await self.inner.judge(question, evidence)
        took = (self.clock.monotonic() - begun) * 1000.0
        over = (f"the judge took {took:,.0f} ms; its budget is {self.budget_ms:,.0f} ms",)
        return replace(judged, ms=took, issues=judged.issues + over * (took > self.budget_ms))
