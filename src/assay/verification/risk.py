"""The confidence of an answer, by its evidence and its weakest claim, and a promised risk of claims."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.calibration.curves import has_shifted
from assay.calibration.fit import Fit, MadeFor
from assay.calibration.rightness import shipped_rightness, signal_of
from assay.calibration.risk_guarantee import RiskGuarantee
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
# The cause why the score of the rules alone is no probability.
UNCALIBRATED = "no calibration was applied"
_LEVELS: tuple[tuple[float, Level], ...] = ((0.3, "very_low"), (0.5, "low"), (0.7, "medium"), (0.9, "high"))


@dataclass(frozen=True, slots=True)
class LeastConfidence:
    """The minimum of the evidence's sufficiency and the claims' support, with caps; not calibrated."""

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
        if _has_unknown(judgement, review):
            score = min(score, UNKNOWN_CAP)
        return Confidence(value=None, score=score, level=level(score), cause=UNCALIBRATED, reading=reading)


@dataclass(frozen=True, slots=True)
class CalibratedConfidence:
    """Another estimator's score, with the calibrated probability that such an answer is right.

    `live` is what the score comes from in this run, but for the judge, which each judgement names. `cause` is the
    reason why no calibration applies to any question, "" where one may. From the signal `answers_from` on an answer
    answers the question, None for the threshold that ships; a quoted row of a table has its own. Where the sources
    disagree, no answer is sure to be the right one.
    """

    inner: ConfidenceEstimator
    fit: Fit
    live: MadeFor
    cause: str = ""
    answers_from: float | None = None

    def rate(self, judgement: Judgement, review: Review, reading: AnswerReading | None = None) -> Confidence:
        """The confidence, with its value and the calibration's measured error where one applies."""
        plain = self.inner.rate(judgement, review, reading)
        rightness = shipped_rightness(read=reading is not None)
        if self.answers_from is not None:
            rightness = replace(rightness, yes=self.answers_from)
        signal, answers = signal_of(rightness, plain.score, judgement.relevance, judgement.signals, reading)
        if reading is not None and review.claims:
            disputed = answers == "yes" and judgement.contradictions
            plain = replace(plain, answers="unsure" if disputed else answers)
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
        """The reason why the calibration does not apply to this answer; "" where it does."""
        if not review.claims:
            return "nothing was claimed"
        if not judgement.calibrated:
            return "the evidence was not judged by the fitted judge"
        if judgement.contradictions:
            return "the sources disagree"
        other = self.fit.made_for.differs(replace(self.live, judge=judgement.mode_used))
        return f"{other} than the calibration was fitted for" if other else self.cause


def level(score: float) -> Level:
    """The level of a score; a bound belongs to the level above it.

    >>> level(0.29), level(0.7)
    ('very_low', 'high')
    """
    return next((name for bound, name in _LEVELS if score < bound), "very_high")


def _has_unknown(judgement: Judgement, review: Review) -> bool:
    """Tell whether a blocking check, the sufficiency or a claim's support is unknown."""
    unknown = any(c.severity is Severity.BLOCK and c.status is Status.UNKNOWN for c in review.checks)
    return unknown or judgement.sufficiency is None or any(claim.support is None for claim in review.claims)


# The verifier under a promised risk: only claims of which few were wrong when measured are called supported.

# The name of the check of the promise, and of the event that withholds a claim.
MAX_RISK = "max-risk"
_SHIFTED = "the latest claims look different from those measured, so it may not apply"


@dataclass(frozen=True, slots=True)
class Promised:
    """A promise, and the support of the claims that it was measured on."""

    promise: RiskGuarantee
    reference: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PromisedVerifier:
    """A verifier of a user's text that calls claims supported only from the threshold of a promise on.

    `promised` returns the promise, or raises UsageError where none can be made. `latest` is the support of the
    latest claims, the newest last, before any is withheld; it shows a shift.
    """

    inner: TextVerifier
    promised: Callable[[], Promised]
    latest: deque[float]

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """The inner verifier's review, with claims below the threshold unknown, and a check of the promise."""
        promised = self.promised()
        found = await self.inner.check(text, passages, one_claim=one_claim)
        self.latest.extend(claim.support for claim in found.claims if claim.support is not None)
        check = _promise_check(promised.promise, shifted=has_shifted(tuple(self.latest), promised.reference))
        return withheld(found, promised.promise).with_checks((check,), findings_of((check,)))


def withheld(review: Review, promise: RiskGuarantee) -> Review:
    """The review with supported claims below the promise's threshold as unknown."""
    causes = {claim.n: _cause(claim, promise) for claim in review.claims if _is_below(claim, promise)}
    checks = tuple(_withheld_check(check, causes) for check in review.checks)
    changed = [new for old, new in zip(review.checks, checks, strict=True) if new is not old]
    return replace(
        review,
        claims=tuple(_unknown(claim, causes[claim.n]) if claim.n in causes else claim for claim in review.claims),
        checks=checks,
        findings=(*review.findings, *findings_of(changed)),
    )


def _is_below(claim: Claim, promise: RiskGuarantee) -> bool:
    return claim.verdict is Verdict.SUPPORTED and (claim.support is None or claim.support < promise.threshold)


def _cause(claim: Claim, promise: RiskGuarantee) -> str:
    support = "unknown" if claim.support is None else f"{claim.support:.2f}"
    return f"support {support} is below {promise.threshold:.2f}, the threshold for a risk of {promise.risk:.0%}"


def _unknown(claim: Claim, cause: str) -> Claim:
    event = ClaimEvent(Verdict.UNKNOWN.value, MAX_RISK, cause)
    return replace(claim, verdict=Verdict.UNKNOWN, history=(*claim.history, event))


def _withheld_check(check: Check, causes: dict[int, str]) -> Check:
    """The support check, unknown where the claim is withheld."""
    if check.name != "support" or check.claim not in causes or check.status is not Status.PASSED:
        return check
    return replace(check, status=Status.UNKNOWN, cause=causes[check.claim])


def _promise_check(promise: RiskGuarantee, *, shifted: bool) -> Check:
    """The check of the promise, in words; unknown where the latest claims have shifted."""
    words = (
        f"promised with {promise.confidence:.0%} confidence, for claims like those measured: at most "
        f"{promise.risk:.0%} of the claims called supported are wrong; {promise.share:.0%} of those measured are"
    )
    if shifted:
        return Check(MAX_RISK, Status.UNKNOWN, Severity.WARN, cause=f"{words}; {_SHIFTED}")
    return Check(MAX_RISK, Status.PASSED, Severity.WARN, cause=words)
