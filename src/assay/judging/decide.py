"""From a sufficiency to words: quality, triage, the recommendation and its reason. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from assay.core.stages import Clock, Judge
from assay.types import Action, Aspect, Evidence, Judgement, Quality, Question, Triage


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where sufficiency changes its name, each 0 to 1: corrective RAG's two, and the three quality levels."""

    correct: float = 0.7
    incorrect: float = 0.3
    excellent: float = 0.9
    good: float = 0.7
    partial: float = 0.5


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, and why in one sentence."""

    action: Action
    reason: str


def quality_of(sufficiency: float | None, at: Thresholds) -> Quality:
    """The level of a sufficiency; unknown where there is none.

    >>> quality_of(0.75, Thresholds()), quality_of(None, Thresholds())
    ('good', 'unknown')
    """
    if sufficiency is None:
        return "unknown"
    if sufficiency >= at.excellent:
        return "excellent"
    if sufficiency >= at.good:
        return "good"
    return "partial" if sufficiency >= at.partial else "poor"


def triage_of(sufficiency: float | None, at: Thresholds) -> Triage | None:
    """Correct from the upper threshold on, incorrect below the lower one, ambiguous between; None unmeasured."""
    if sufficiency is None:
        return None
    if sufficiency >= at.correct:
        return Triage.CORRECT
    return Triage.INCORRECT if sufficiency < at.incorrect else Triage.AMBIGUOUS


def recommend(
    triage: Triage | None, aspects: Sequence[Aspect], passages: int, unclear: str | None
) -> Recommendation:
    """The recommendation; whether the question is clear is decided apart from whether the passages suffice.

    `triage` None means that nothing could be measured, `passages` counts them, `unclear` is what the question
    does not say.
    """
    missing = ", ".join(f'"{each.text}"' for each in aspects if each.state == "missing")
    if triage is Triage.CORRECT:
        return Recommendation(
            Action.ANSWER, "the passages cover the question" + (f", except {missing}" * bool(missing))
        )
    if unclear:
        return Recommendation(Action.CLARIFY, f"the question cannot be understood as it stands: {unclear}")
    if passages == 0:
        return Recommendation(Action.EXTERNAL, "no passage was found, and the question is clear")
    if triage is None:
        return Recommendation(Action.ABSTAIN, "nothing could be measured")
    if triage is Triage.AMBIGUOUS:
        lacking = f"nothing covers {missing}" if missing else "they bear on it without clearly answering it"
        return Recommendation(Action.REFINE, f"the passages may not suffice: {lacking}")
    return Recommendation(Action.EXTERNAL, "the question is clear, and the passages do not bear on it")


# How long a judge took, beside the budget of its depth.


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


# What a user may set of the judgement itself: how many passages it takes, and that it decides nothing.


@dataclass(frozen=True, slots=True)
class LeastPassagesJudge:
    """Judge as `inner`, and let no evidence of fewer than `least` passages suffice."""

    inner: Judge
    least: int

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner`, REFINE in the place of ANSWER for too few; raises what `inner` raises."""
        judged = await self.inner.judge(question, evidence)
        count = len(evidence.hits)
        if count >= self.least or judged.recommendation is not Action.ANSWER:
            return judged
        said = f"only {count} passage{'s' * (count != 1)} (least: {self.least})"
        return replace(judged, recommendation=Action.REFINE, reason=said, issues=(*judged.issues, said))


@dataclass(frozen=True, slots=True)
class NoJudge:
    """Answer from whatever was found; nothing is measured."""

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """ANSWER where there are passages, for what is written is tested all the same."""
        if not evidence.hits:
            nothing = recommend(None, (), 0, None)
            return Judgement(None, nothing.action, nothing.reason, mode_used="off")
        return Judgement(None, Action.ANSWER, "the evidence is not judged: the settings say so", mode_used="off")


# The judge was fitted on what assay finds itself: what it says of other passages is not calibrated.


@dataclass(frozen=True, slots=True)
class CallerPassagesJudge:
    """Judge the caller's own passages as `inner` does, and say so in the mode."""

    inner: Judge

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner`, not calibrated; raises what `inner` raises."""
        judged = await self.inner.judge(question, evidence)
        return replace(judged, calibrated=False, mode_used=f"{judged.mode_used}, passages given")
