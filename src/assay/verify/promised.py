"""The verifier under a promise: a claim is called supported only where few such claims were wrong when measured."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.calibration.promise import Promise
from assay.calibration.shift import has_shifted
from assay.stages import Verifier
from assay.types import (
    Check,
    Claim,
    ClaimEvent,
    Draft,
    Evidence,
    Passage,
    Question,
    Review,
    Severity,
    Status,
    Verdict,
)
from assay.verify.findings import findings_of

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

    inner: Verifier
    promised: Callable[[], Promised]
    latest: deque[float]

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """As the other verifier: the promise is about texts of anyone's."""
        return await self.inner.review(question, evidence, draft, after=after)

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """As the other verifier."""
        return self.inner.conclude(question, draft, review)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """As the other verifier, with the claims that are not sure enough unknown, and a check that tells so."""
        promised = self.promised()
        found = await self.inner.check(text, passages, one_claim=one_claim)
        self.latest.extend(claim.support for claim in found.claims if claim.support is not None)
        told = _told(promised.promise, shifted=has_shifted(tuple(self.latest), promised.reference))
        return held_back(found, promised.promise).with_checks((told,), findings_of((told,)))


def held_back(review: Review, promise: Promise) -> Review:
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


def _told(promise: Promise, *, shifted: bool) -> Check:
    """The promise in words; unknown where the latest claims speak against it."""
    words = (
        f"promised with {promise.confidence:.0%} confidence, for claims like those measured: at most "
        f"{promise.risk:.0%} of the claims called supported are wrong; {promise.share:.0%} of those measured are"
    )
    if shifted:
        return Check(MAX_RISK, Status.UNKNOWN, Severity.WARN, cause=f"{words}; {_SHIFTED}")
    return Check(MAX_RISK, Status.PASSED, Severity.WARN, cause=words)
