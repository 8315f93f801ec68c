"""Quality, triage, recommendation and reason from a sufficiency. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.types import Action, Aspect, Quality, Triage


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds of sufficiency, each 0 to 1: the two of corrective RAG, and three quality levels."""

    correct: float = 0.7
    incorrect: float = 0.3
    excellent: float = 0.9
    good: float = 0.7
    partial: float = 0.5


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An action and its reason in one sentence."""

    action: Action
    reason: str


def quality_of(sufficiency: float | None, at: Thresholds) -> Quality:
    """The quality level of a sufficiency; unknown without one.

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
    """Correct from the upper threshold, incorrect below the lower one, else ambiguous; None if unmeasured."""
    if sufficiency is None:
        return None
    if sufficiency >= at.correct:
        return Triage.CORRECT
    return Triage.INCORRECT if sufficiency < at.incorrect else Triage.AMBIGUOUS


def recommend(
    triage: Triage | None, aspects: Sequence[Aspect], passages: int, unclear: str | None
) -> Recommendation:
    """The recommendation from the triage, the aspects and the clarity of the question.

    `triage` is None if nothing could be measured; `passages` is their number; `unclear` is what the question leaves
    open.
    """
    missing = ", ".join(f'"{aspect.text}"' for aspect in aspects if aspect.state == "missing")
    if triage is Triage.CORRECT:
        return Recommendation(
            Action.ANSWER, "the passages seem to cover the question" + (f", except {missing}" * bool(missing))
        )
    if unclear:
        return Recommendation(Action.CLARIFY, f"the question is unclear: {unclear}")
    if passages == 0:
        return Recommendation(Action.EXTERNAL, "no passage was found, and the question is clear")
    if triage is None:
        return Recommendation(Action.ABSTAIN, "nothing could be measured")
    if triage is Triage.AMBIGUOUS:
        lacking = f"nothing covers {missing}" if missing else "they bear on it without clearly answering it"
        return Recommendation(Action.REFINE, f"the passages may not suffice: {lacking}")
    return Recommendation(Action.EXTERNAL, "the question is clear, and the passages do not bear on it")
