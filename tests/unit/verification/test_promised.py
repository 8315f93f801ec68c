"""Under a promise, only claims that are sure enough are called supported, and the promise is told."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import pytest

from assay.calibration.risk_guarantee import RiskGuarantee
from assay.errors import UsageError
from assay.types import Check, Claim, Passage, Review, Severity, Status, Verdict
from assay.verification.risk import MAX_RISK, Promised, PromisedVerifier

PROMISE = RiskGuarantee(risk=0.2, threshold=0.8, share=0.12, shown=120, wrong=15)
LIKE = tuple(n / 100 for n in range(100))


@dataclass(frozen=True)
class Scripted:
    """Gives one review to `check`, and refuses everything else."""

    found: Review

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        assert (text, passages, one_claim) == ("a text", (), True)
        return self.found


def reviewed(*supports: float | None, verdict: Verdict = Verdict.SUPPORTED) -> Review:
    claims = tuple(Claim(n, "so", 0, 2, (), verdict, each) for n, each in enumerate(supports, 1))
    status = Status.PASSED if verdict is Verdict.SUPPORTED else Status.FAILED
    checks = tuple(Check("support", status, Severity.BLOCK, claim.n, "why") for claim in claims)
    return Review(claims, checks, ())


def under(found: Review, latest: deque[float] | None = None) -> PromisedVerifier:
    kept = deque[float](maxlen=50) if latest is None else latest
    return PromisedVerifier(Scripted(found), lambda: Promised(PROMISE, LIKE), kept)


async def checked(found: Review, latest: deque[float] | None = None) -> Review:
    return await under(found, latest).check("a text", (), one_claim=True)


async def test_a_claim_from_the_threshold_on_stays_supported():
    review = await checked(reviewed(0.8, 1.0))
    assert [each.verdict for each in review.claims] == [Verdict.SUPPORTED] * 2
    assert [(each.name, each.status) for each in review.checks] == [
        ("support", Status.PASSED),
        ("support", Status.PASSED),
        (MAX_RISK, Status.PASSED),
    ]
    assert review.findings == ()


@pytest.mark.parametrize("support", [0.79, None])
async def test_one_below_it_is_unknown_with_its_cause_and_a_finding(support: float | None):
    review = await checked(reviewed(0.9, support))
    sure, unsure = review.claims
    assert (sure.verdict, unsure.verdict) == (Verdict.SUPPORTED, Verdict.UNKNOWN)
    assert (unsure.history[-1].by, "is below 0.80" in unsure.history[-1].reason) == (MAX_RISK, True)
    assert [each.status for each in review.checks] == [Status.PASSED, Status.UNKNOWN, Status.PASSED]
    assert [(each.check, each.claim) for each in review.findings] == [("support", 2)]


async def test_what_was_not_supported_stays_as_it_was():
    found = reviewed(0.2, verdict=Verdict.CONTRADICTED)
    review = await checked(found)
    assert (review.claims, review.checks[:1]) == (found.claims, found.checks)


async def test_the_promise_is_told_in_words():
    told = (await checked(reviewed(0.9))).checks[-1]
    assert told.cause is not None
    assert "at most 20% of the claims called supported are wrong; 12% of those measured are" in told.cause


async def test_claims_unlike_those_measured_raise_the_alarm_from_fifty_on():
    latest = deque([0.99] * 48, maxlen=50)
    assert (await checked(reviewed(0.99), latest)).checks[-1].status is Status.PASSED
    alarmed = await checked(reviewed(0.99), latest)
    assert (alarmed.checks[-1].status, alarmed.checks[-1].severity) == (Status.UNKNOWN, Severity.WARN)
    assert "may not apply" in str(alarmed.checks[-1].cause)
    assert alarmed.claims[0].verdict is Verdict.SUPPORTED


async def test_where_nothing_can_be_promised_nothing_is_tested():
    def refused() -> Promised:
        raise UsageError("no", hint="no")

    with pytest.raises(UsageError):
        await PromisedVerifier(Scripted(reviewed()), refused, deque()).check("another text", ())
