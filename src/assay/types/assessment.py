"""An answer assessed as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.types.value import Value

# The name of the scorer where no model scored.
BY_RULES = "rules"


class Criterion(StrEnum):
    """A criterion by which an answer as a whole is assessed."""

    ACCURACY = "accuracy"
    COMPLETENESS = "completeness"
    COHERENCE = "coherence"
    RELEVANCE = "relevance"
    CITATION_QUALITY = "citation_quality"
    USER_ALIGNMENT = "user_alignment"


@dataclass(frozen=True, slots=True)
class CriterionScore(Value):
    """The score of an answer in one criterion; None where it is not known, and `reasons` then say why.

    `quotes` stand in the answer word for word, `suggestions` say what would raise the score. `by` names the rules
    or the model that judged.
    """

    criterion: Criterion
    score: float | None
    reasons: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Assessment(Value):
    """The assessment of an answer as a whole, by the criteria that were chosen, each once.

    `overall`, 0 to 1, is computed from the scores, never judged; it and `passed` are None where a chosen criterion
    is unknown. `rubric` is the SHA-256, in hex, of the rubrics judged by. `weakest` is the criterion of the lowest
    score, None where all are met in full or none is known. `bar` is the overall score that was asked for, `floor`
    what was asked in each criterion.
    """

    scores: tuple[CriterionScore, ...]
    overall: float | None
    passed: bool | None
    rubric: str
    weakest: Criterion | None = None
    bar: float | None = None
    floor: float | None = None

    @property
    def judged(self) -> bool:
        """True if a model judged, rather than rules alone: their estimates are advice, not a verdict."""
        return any(score.by != BY_RULES for score in self.scores)
