"""The assessor that needs no language model: estimates by rules from the answer, its evidence and its review."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from assay.assessment.measures import (
    Measurement,
    ParsedAnswer,
    accuracy,
    citation_quality,
    coherence,
    completeness,
    parse_answer,
    relevance,
    user_alignment,
)
from assay.assessment.rubrics import RubricSet, shipped_rubrics
from assay.assessment.scoring import ALL_CRITERIA, assessed
from assay.core.budget import ASSESSMENT, Timing
from assay.core.profiles import QualityThreshold
from assay.core.stages import Assessor
from assay.types import BY_RULES, Assessment, Criterion, CriterionScore, Draft, Evidence, Question, Review

# Chosen: an answer of more characters is parsed on another thread, off the event loop.
_SOON_READ = 4_000
MEASURES: Mapping[Criterion, Callable[[ParsedAnswer], Measurement]] = MappingProxyType(
    {
        Criterion.ACCURACY: accuracy,
        Criterion.COMPLETENESS: completeness,
        Criterion.COHERENCE: coherence,
        Criterion.RELEVANCE: relevance,
        Criterion.CITATION_QUALITY: citation_quality,
        Criterion.USER_ALIGNMENT: user_alignment,
    }
)


@dataclass(frozen=True, slots=True)
class DeterministicAssessor:
    """Assesses by rules, whose formulas are in `assay.assessment.measures`, with the hash of the rubrics."""

    criteria: tuple[Criterion, ...] = ALL_CRITERIA
    threshold: QualityThreshold = field(default_factory=QualityThreshold)
    rubrics: RubricSet = field(default_factory=shipped_rubrics, repr=False)

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """The estimates of the chosen criteria."""
        if len(draft.text) <= _SOON_READ:
            return self.estimate(question, evidence, draft, review)
        return await asyncio.to_thread(self.estimate, question, evidence, draft, review)

    def estimate(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """The same, on the calling thread."""
        answer = parse_answer(question, evidence, draft, review)
        scores = tuple(_scored(criterion, MEASURES[criterion](answer)) for criterion in self.criteria)
        return assessed(scores, self.rubrics.sha256, self.threshold)


def _scored(criterion: Criterion, measured: Measurement) -> CriterionScore:
    return CriterionScore(
        criterion, measured.score, measured.reasons, measured.quotes, measured.suggestions, BY_RULES
    )


# The time that an assessor takes.


@dataclass(frozen=True, slots=True)
class TimedAssessor:
    """Counts the time of `inner` for all criteria together, as a model judges them in one call."""

    inner: Assessor
    timing: Timing

    async def assess(self, question: Question, evidence: Evidence, draft: Draft, review: Review) -> Assessment:
        """As `inner`."""
        with self.timing(ASSESSMENT):
            return await self.inner.assess(question, evidence, draft, review)
