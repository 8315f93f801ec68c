"""The assessor that asks more of the answer to a harder question."""

from __future__ import annotations

from dataclasses import dataclass

from assay.assess.scoring import assessed
from assay.bar import Bar, bar_for
from assay.stages import Assessor
from assay.types import Assessment, Draft, Evidence, Finding, Question, Review


@dataclass(frozen=True, slots=True)
class AdaptiveAssessor:
    """Holds what `inner` scores to the question's own bar: the `usual` one, raised by how hard it is.

    The scores stay as they are, and the assessment says what was asked.
    """

    inner: Assessor
    usual: Bar

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """The assessment of `inner`, passed where it reaches the question's bar."""
        found = await self.inner.assess(question, evidence, draft, review)
        return assessed(found.scores, found.rubric, bar_for(question, self.usual))

    def advise(self, assessment: Assessment, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """As `inner` advises."""
        return self.inner.advise(assessment, findings)
