"""The verifier that puts what rules and words leave open to further tiers, and shows where they disagree."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from assay.errors import DeadlinePassed
from assay.meter import VERIFIER
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
    Span,
    Status,
    Verdict,
)
from assay.verify.agreed import Vote, agreed, could_say, disagreement
from assay.verify.findings import findings_of
from assay.verify.review import DeterministicVerifier
from assay.verify.tier import Asked, Ruling, Tier
from assay.verify.verdicts import NOT_OF_TRUTH


@dataclass(frozen=True, slots=True)
class VotingVerifier:
    """The deterministic verifier, and tiers that vote on each claim that no quote and no fact has settled.

    What is ruled in a context of `in_time` is cut at the deadline: a tier that is late could not say.
    """

    base: DeterministicVerifier
    tiers: tuple[Tier, ...]
    in_time: Callable[[], AbstractAsyncContextManager[None]] | None = None

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """As the deterministic verifier, with the tiers' votes. Raises DeadlinePassed."""
        found = await self.base.review(question, evidence, draft, after=after)
        return await self._voted(found, evidence.passages)

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """As the deterministic verifier."""
        return self.base.conclude(question, draft, review)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """As the deterministic verifier, with the tiers' votes. Raises DeadlinePassed."""
        return await self._voted(await self.base.check(text, passages, one_claim=one_claim), passages)

    async def _voted(self, review: Review, passages: Sequence[Passage]) -> Review:
        open_claims = open_in(review)
        if not open_claims or "support" in self.base.skip:
            return review
        asked = [Asked(claim, _scope(claim, passages)) for claim in open_claims]
        with self.base.timing(VERIFIER):
            ruled = await asyncio.gather(*(self._ruled(tier, asked) for tier in self.tiers))
        votes = {
            claim.n: tuple(Vote(tier.name, rulings[at]) for tier, rulings in zip(self.tiers, ruled, strict=True))
            for at, claim in enumerate(open_claims)
        }
        return with_votes(review, votes)

    async def _ruled(self, tier: Tier, asked: Sequence[Asked]) -> tuple[Ruling, ...]:
        if self.in_time is None:
            return await tier.rule(asked)
        try:
            async with self.in_time():
                return await tier.rule(asked)
        except DeadlinePassed:
            return tuple(Ruling(Verdict.UNKNOWN, "deadline") for _ in asked)


def open_in(review: Review) -> list[Claim]:
    """The claims that neither a quote nor a fact has settled, where there was something to compare them with."""
    against = {
        check.claim
        for check in review.checks
        if check.status is Status.FAILED and check.name not in (*NOT_OF_TRUTH, "support")
    }
    return [
        claim
        for claim in review.claims
        if claim.support is not None and claim.history[-1].by != "quote" and claim.n not in against
    ]


def _scope(claim: Claim, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages that a claim stands on: those it cites, or all where it cites none."""
    cited = tuple(each for each in passages if each.passage_id in claim.citations)
    return cited or tuple(passages)


def with_votes(review: Review, votes: Mapping[int, Sequence[Vote]]) -> Review:
    """The review with the claims' verdicts after the votes; checks say who could not say, and who disagreed."""
    first = {claim.n: claim for claim in review.claims}
    after = {n: _after(first[n], found) for n, found in votes.items()}
    checks: list[Check] = []
    for check in review.checks:
        voted = after.get(check.claim or 0)
        if check.name != "support" or voted is None:
            checks.append(check)
        else:
            was, found = first[voted.n].verdict, votes[voted.n]
            checks += [*_checks(voted, found, was), _support(check, voted, found, was)]
    claims = tuple(after.get(claim.n, claim) for claim in review.claims)
    return replace(review, claims=claims, checks=tuple(checks), findings=findings_of(checks))


def _after(claim: Claim, votes: Sequence[Vote]) -> Claim:
    """The claim with the verdict that the votes give it, and a history that names each voter."""
    verdict = agreed(claim.verdict, votes)
    told = tuple(ClaimEvent(each.ruling.verdict.value, each.by, each.ruling.reason) for each in votes)
    why = disagreement(claim.verdict, votes) or _alone(claim.verdict, votes) or "all who could say agree"
    spans = tuple(dict.fromkeys((*(span for each in votes for span in each.ruling.spans), *claim.spans)))
    history = (*claim.history, *told, ClaimEvent(verdict.value, "vote", why))
    return replace(claim, verdict=verdict, spans=spans, history=history)


def _alone(first: Verdict, votes: Sequence[Vote]) -> str | None:
    """Why there is nobody to agree with; None where two or more could say."""
    able = could_say(first, votes)
    if len(able) > 1:
        return None
    return f"only {able[0]} could say" if able else "no one could say"


def _checks(claim: Claim, votes: Sequence[Vote], first: Verdict) -> list[Check]:
    """One check a voter that could not say, and one that tells whether the others agreed.

    Agreement takes two: it is unknown where fewer could say.
    """
    where = Span(claim.start, claim.end)
    silent = [
        Check("verifier", Status.UNKNOWN, Severity.BLOCK, claim.n, f"{each.by}: {each.ruling.reason}", where)
        for each in votes
        if each.ruling.verdict is Verdict.UNKNOWN
    ]
    apart, alone = disagreement(first, votes), _alone(first, votes)
    status = Status.FAILED if apart else Status.UNKNOWN if alone else Status.PASSED
    return [*silent, Check("agreement", status, Severity.WARN, claim.n, apart or alone, where)]


def _support(check: Check, claim: Claim, votes: Sequence[Vote], first: Verdict) -> Check:
    """The support check after the votes."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(claim.verdict, Status.FAILED)
    cause = None if status is Status.PASSED else _cause(check, claim, votes, first)
    return replace(check, status=status, cause=cause, kind=check.kind if status is Status.FAILED else None)


def _cause(check: Check, claim: Claim, votes: Sequence[Vote], first: Verdict) -> str:
    """Why a claim is not borne out: who disagree, else what was known before the votes, else the ruling vote."""
    apart = disagreement(first, votes)
    before = check.cause if claim.verdict is first else None
    ruling = next((each.ruling.reason for each in votes if each.ruling.verdict is claim.verdict), None)
    return apart or before or ruling or "the tiers do not agree"
