"""How far to trust an answer: no further than its evidence and its weakest claim."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from assay.calibration.curves import has_shifted
from assay.calibration.fit import Fit, MadeFor
from assay.calibration.promise import Promise
from assay.calibration.rightness import Rightness, features, shipped_rightness
from assay.core.stages import ConfidenceEstimator, TextVerifier
from assay.types import (
    AnswerReading,
    Check,
    Claim,
    ClaimEvent,
    Confidence,
    Judgement,
    Level,
    Passage,
    Review,
    Severity,
    Status,
    Verdict,
)
from assay.verification.checks import findings_of

INVALID_CITATION_CAP = 0.3
UNKNOWN_CAP = 0.5
# Why the score of the rules alone is no probability.
UNCALIBRATED = "no calibration was applied"
_LEVELS: tuple[tuple[float, Level], ...] = ((0.3, "very_low"), (0.5, "low"), (0.7, "medium"), (0.9, "high"))


@dataclass(frozen=True, slots=True)
class LeastConfidence:
    """The lesser of the evidence's sufficiency and the least claim support, with caps; not calibrated."""

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The confidence; `value` stays None, since no calibration is fitted.

        >>> from assay.types import Action
        >>> LeastConfidence().rate(Judgement(0.8, Action.ANSWER, ""), Review((), (), (), (), ("[9]",))).level
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
        return Confidence(value=None, score=score, level=level(score), cause=UNCALIBRATED, reading=reading)


@dataclass(frozen=True, slots=True)
class CalibratedConfidence:
    """Another rater's score, with the probability that an answer of such a score and such passages is right.

    `live` is what the score comes from here, its judge filled in by how the evidence was judged. `cause` says why
    no calibration applies whatever is asked, "" where one may.
    """

    inner: ConfidenceEstimator
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
            return replace(plain, cause=cause, level=None)
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
            cause="",
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


# The verifier under a promise: a claim is called supported only where few such claims were wrong when measured.


# The name of the check that tells the promise, and of what held a claim back.
MAX_RISK = "max-risk"
_SHIFTED = "the latest claims look unlike those measured, so it may not hold"


@dataclass(frozen=True, slots=True)
class Promised:
    """A promise about claims, and the support of those that it was measured on."""

    promise: Promise
    reference: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PromisedVerifier:
    """Another verifier, which calls a claim of anyone's text supported only from the promise's threshold on.

    `promised` gives the promise, or raises UsageError where none can be made. `latest` is the support of the
    latest claims, the newest last, before any was held back: by it a shift is seen.
    """

    inner: TextVerifier
    promised: Callable[[], Promised]
    latest: deque[float]

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """As the other verifier, with the claims that are not sure enough unknown, and a check that tells so."""
        promised = self.promised()
        found = await self.inner.check(text, passages, one_claim=one_claim)
        self.latest.extend(claim.support for claim in found.claims if claim.support is not None)
        check = _promise_check(promised.promise, shifted=has_shifted(tuple(self.latest), promised.reference))
        return withheld(found, promised.promise).with_checks((check,), findings_of((check,)))


def withheld(review: Review, promise: Promise) -> Review:
    """The review in which no claim below the promise's threshold is called supported."""
    unsure = {claim.n: _cause(claim, promise) for claim in review.claims if _unsure(claim, promise)}
    checks = tuple(_unsettled(check, unsure) for check in review.checks)
    changed = [new for old, new in zip(review.checks, checks, strict=True) if new is not old]
    return replace(
        review,
        claims=tuple(_unknown(claim, unsure[claim.n]) if claim.n in unsure else claim for claim in review.claims),
        checks=checks,
        findings=(*review.findings, *findings_of(changed)),
    )


def _unsure(claim: Claim, promise: Promise) -> bool:
    return claim.verdict is Verdict.SUPPORTED and (claim.support is None or claim.support < promise.threshold)


def _cause(claim: Claim, promise: Promise) -> str:
    support = "unknown" if claim.support is None else f"{claim.support:.2f}"
    return f"support {support} is below {promise.threshold:.2f}, from where on a risk of {promise.risk:.0%} is kept"


def _unknown(claim: Claim, cause: str) -> Claim:
    event = ClaimEvent(Verdict.UNKNOWN.value, MAX_RISK, cause)
    return replace(claim, verdict=Verdict.UNKNOWN, history=(*claim.history, event))


def _unsettled(check: Check, unsure: dict[int, str]) -> Check:
    """The check that a claim is borne out, unknown where the claim is held back."""
    if check.name != "support" or check.claim not in unsure or check.status is not Status.PASSED:
        return check
    return replace(check, status=Status.UNKNOWN, cause=unsure[check.claim])


def _promise_check(promise: Promise, *, shifted: bool) -> Check:
    """The promise in words; unknown where the latest claims speak against it."""
    words = (
        f"promised with {promise.confidence:.0%} confidence, for claims like those measured: at most "
        f"{promise.risk:.0%} of the claims called supported are wrong; {promise.share:.0%} of those measured are"
    )
    if shifted:
        return Check(MAX_RISK, Status.UNKNOWN, Severity.WARN, cause=f"{words}; {_SHIFTED}")
    return Check(MAX_RISK, Status.PASSED, Severity.WARN, cause=words)
