"""A harder question's answer is held to a higher bar, by the same scores."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from assay.assessment.deterministic import AdaptiveAssessor
from assay.assessment.scoring import assessed
from assay.core.profiles import QualityThreshold
from assay.types import (
    Assessment,
    Criterion,
    CriterionScore,
    Draft,
    Evidence,
    Question,
    Review,
)

PLAIN = Question("Who founded Rome?", "Who founded Rome?")
HARD = Question("Which dose is lethal?", "Which dose is lethal?")


@dataclass(frozen=True)
class Scored:
    """Gives every answer the same score, by the usual bar."""

    score: float | None
    bar: QualityThreshold

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        return assessed([CriterionScore(Criterion.ACCURACY, self.score)], "hash", self.bar)


async def assessment(question: Question, score: float | None) -> Assessment:
    usual = QualityThreshold(0.7, 0.5)
    assessor = AdaptiveAssessor(Scored(score, usual), usual)
    return await assessor.assess(question, Evidence(), Draft("Rome.", (), ()), Review((), (), ()))


@pytest.mark.parametrize(
    ("question", "score", "passed", "bar"),
    [(PLAIN, 0.72, True, 0.7), (HARD, 0.72, False, 0.74), (HARD, 0.75, True, 0.74), (HARD, None, None, 0.74)],
)
async def test_only_the_bar_changes(question: Question, score: float | None, passed: bool | None, bar: float):
    found = await assessment(question, score)
    assert (found.overall, found.passed, found.rubric) == (score, passed, "hash")
    assert found.bar == pytest.approx(bar)
