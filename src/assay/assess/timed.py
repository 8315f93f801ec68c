"""How long an assessor takes."""

from __future__ import annotations

from dataclasses import dataclass

from assay.meter import ASSESSMENT, Timing
from assay.stages import Assessor
from assay.types import Assessment, Draft, Evidence, Finding, Question, Review


@dataclass(frozen=True, slots=True)
class TimedAssessor:
    """Counts how long `inner` assesses; all criteria together, as a model judges them in one call."""

    inner: Assessor
    timing: Timing

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """As `inner`."""
        with self.timing(ASSESSMENT):
            return await self.inner.assess(question, evidence, draft, review)

    def advise(self, assessment: Assessment, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """As `inner`."""
        return self.inner.advise(assessment, findings)
