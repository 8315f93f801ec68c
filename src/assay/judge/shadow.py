"""Shadow mode: a second judge judges the same evidence and is recorded; nothing is done about what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.errors import AssayError, Diverged
from assay.judge.asking import said
from assay.stages import Judge
from assay.types import Action, Evidence, Judgement, Question


@dataclass(frozen=True, slots=True)
class ShadowingJudge:
    """The judgement of `inner`, with that of `shadow` beside it.

    One after the other, so that a recorded run plays again in the same order: a question takes the time of both.
    """

    inner: Judge
    shadow: Judge

    async def judge(self, question: Question, evidence: Evidence) -> Judgement:
        """The judgement of `inner` with its `shadow`; raises what `inner` raises, and Diverged."""
        judged = await self.inner.judge(question, evidence)
        try:
            beside = await self.shadow.judge(question, evidence)
        except Diverged:
            raise
        except Exception as error:  # noqa: BLE001 - whatever breaks in a shadow, the answer goes on without it
            beside = _failed(error)
        return replace(judged, shadow=beside)


def _failed(error: Exception) -> Judgement:
    """The record of a shadow that failed."""
    cause = said(str(error) if isinstance(error, AssayError) else f"{type(error).__name__}: {error}")
    return Judgement(
        sufficiency=None,
        recommendation=Action.ABSTAIN,
        reason="the shadow judge failed",
        issues=(f"the shadow judge failed: {cause}",),
        mode_used="none (failed)",
    )
