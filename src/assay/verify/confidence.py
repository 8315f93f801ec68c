"""How far to trust an answer: no further than its evidence and its weakest claim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from assay.calibration.fit import Fit, MadeFor
from assay.calibration.rightness import Rightness, features, shipped_rightness
from assay.stages import Rater
from assay.types import AnswerReading, Confidence, Judgement, Level, Review, Severity, Status

INVALID_CITATION_CAP = 0.3
UNKNOWN_CAP = 0.5
_LEVELS: tuple[tuple[float, Level], ...] = ((0.3, "very_low"), (0.5, "low"), (0.7, "medium"), (0.9, "high"))


@dataclass(frozen=True, slots=True)
class LeastRater:
    """The lesser of the evidence's sufficiency and the least claim support, with caps; not calibrated."""

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The confidence; `value` stays None, since no calibration is fitted.

        >>> from assay.types import Action
        >>> LeastRater().rate(Judgement(0.8, Action.ANSWER, ""), Review((), (), (), (), ("[9]",))).level
        'low'
        """
        known = [claim.support for claim in review.claims if claim.support is not None]
        if judgement.sufficiency is not None:
            known.append(judgement.sufficiency)
        score = min(known, default=0.0)
        if review.invalid_citations:
            score = min(score, INVALID_CITATION_CAP)
        if _open(judgement, review):
            score = min(score, UNKNOWN_CAP)
        return Confidence(value=None, score=score, level=level(score), reading=reading)


@dataclass(frozen=True, slots=True)
class CalibratedRater:
    """Another rater's score, with the probability that an answer of such a score and such passages is right.

    `live` is what the score comes from here, its judge filled in by how the evidence was judged. `cause` says why
    no calibration applies whatever is asked, "" where one may.
    """

    inner: Rater
    fit: Fit
    live: MadeFor
    cause: str = ""

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The confidence, with its value and the calibration's measured error where it applies."""
        plain = self.inner.rate(judgement, review, reading)
        rightness = shipped_rightness(read=reading is not None)
        signal = rightness.of(features(plain.score, judgement.relevance, judgement.signals, reading))
        if reading is not None and review.claims:
            plain = replace(plain, answers=_answers(signal, rightness))
        cause = self._cause(judgement, review)
        if cause:
            return replace(plain, cause=cause)
        error, value = self.fit.measured, self.fit.probability(signal)
        return replace(
            plain,
            value=value,
            level=level(value),
            calibrated=True,
            ece=error.ece,
            brier=error.brier,
            n=error.n,
            elsewhere=self.fit.elsewhere,
        )

    def _cause(self, judgement: Judgement, review: Review) -> str:
        """Why the calibration does not apply to this answer; empty where it does."""
        if not review.claims:
            return "nothing was claimed"
        if not judgement.calibrated:
            return "the evidence was not judged by the fitted judge"
        other = self.fit.made_for.differs(replace(self.live, judge=judgement.mode_used))
        return f"{other} than the calibration was fitted for" if other else self.cause


def _answers(signal: float, rightness: Rightness) -> Literal["yes", "unsure", "no"]:
    """Whether an answer of this signal answers the question."""
    if signal >= rightness.yes:
        return "yes"
    return "no" if signal <= rightness.no else "unsure"


def level(score: float) -> Level:
    """The score in words; a bound belongs to the level above it.

    >>> level(0.29), level(0.7)
    ('very_low', 'high')
    """
    return next((name for bound, name in _LEVELS if score < bound), "very_high")


def _open(judgement: Judgement, review: Review) -> bool:
    """Whether something that must be known is not."""
    unknown = any(c.severity is Severity.BLOCK and c.status is Status.UNKNOWN for c in review.checks)
    return unknown or judgement.sufficiency is None or any(claim.support is None for claim in review.claims)
