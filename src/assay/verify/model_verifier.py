"""The verifier that puts what rules, words and the checker leave open to a language model, all of it in one call.

Decided in docs/decisions/163-one-call-for-all-open-sentences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from assay.errors import DeadlinePassed
from assay.meter import VERIFIER
from assay.types import (
    VALUE_CHECKS,
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
from assay.verify.findings import findings_of
from assay.verify.review import DeterministicVerifier
from assay.verify.tier import Asked, Ruling, Tier
from assay.verify.verdicts import of_truth

# Who says what the model is not asked about, as a disagreement names it.
_TESTS = "the tests without a model"
# Checks that no model overrules: they compare a value, or what stands between quotation marks, with the source's.
_OF_VALUES = VALUE_CHECKS | {"quotes"}


@dataclass(frozen=True, slots=True)
class ModelVerifier:
    """The deterministic verifier, and a tier that rules on the claims which that leaves open.

    The tier is asked for all claims of a draft together by `settle`, and for all of a text by `check`. What it said
    is kept in `ruled` for one run: `review` asks nobody, and a sentence that a repair put into other words has only
    the tests without a model. What is ruled in a context of `in_time` is cut at the deadline: a tier that is late
    could not say.
    """

    base: DeterministicVerifier
    tier: Tier
    in_time: Callable[[], AbstractAsyncContextManager[None]] | None = None
    ruled: dict[tuple[str, ...], Ruling] = field(default_factory=dict, repr=False, compare=False)

    async def settle(self, question: Question, evidence: Evidence, draft: Draft) -> None:
        """Ask the tier about all that the draft leaves open, in one call. Raises DeadlinePassed."""
        await self._ask(await self.base.review(question, evidence, draft), evidence.passages)

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """As the deterministic verifier, with what the tier said of the same claims when it was asked."""
        found = await self.base.review(question, evidence, draft, after=after)
        return self._with_rulings(found, evidence.passages)

    def conclude(self, question: Question, draft: Draft, review: Review) -> Review:
        """As the deterministic verifier."""
        return self.base.conclude(question, draft, review)

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        """As the deterministic verifier, with the tier's rulings on what is left open. Raises DeadlinePassed."""
        found = await self.base.check(text, passages, one_claim=one_claim)
        await self._ask(found, passages)
        return self._with_rulings(found, passages)

    async def _ask(self, review: Review, passages: Sequence[Passage]) -> None:
        """Keep what the tier says of the claims left open that it has not ruled on."""
        asked = [Asked(claim, _scope(claim, passages)) for claim in self._open(review)]
        new = [one for one in asked if _key(one) not in self.ruled]
        if not new:
            return
        with self.base.timing(VERIFIER):
            rulings = await self._rulings(new)
        self.ruled.update((_key(one), ruling) for one, ruling in zip(new, rulings, strict=True))

    async def _rulings(self, asked: Sequence[Asked]) -> tuple[Ruling, ...]:
        if self.in_time is None:
            return await self.tier.rule(asked)
        try:
            async with self.in_time():
                return await self.tier.rule(asked)
        except DeadlinePassed:
            return tuple(Ruling(Verdict.UNKNOWN, "deadline") for _ in asked)

    def _open(self, review: Review) -> list[Claim]:
        """The claims to ask about; none where support is not tested."""
        checker = self.base.checker
        trusted = checker is not None and checker.model.policy is not None
        return [] if "support" in self.base.skip else open_in(review, trusted=trusted)

    def _with_rulings(self, review: Review, passages: Sequence[Passage]) -> Review:
        asked = [Asked(claim, _scope(claim, passages)) for claim in self._open(review)]
        found = {one.claim.n: self.ruled[_key(one)] for one in asked if _key(one) in self.ruled}
        return with_rulings(review, self.tier.name, found) if found else review


def open_in(review: Review, *, trusted: bool) -> list[Claim]:
    """The claims that no quote, no check of a value and, where it is `trusted`, no support settles.

    A claim that could not be compared with anything is not among them. What other checks find, such as words added
    to a copied sentence, is right hardly more often than wrong on claims that people wrote (benchmarks/checks).
    """
    against = {check.claim for check in review.checks if check.status is Status.FAILED and check.name in _OF_VALUES}
    return [
        claim
        for claim in review.claims
        if claim.support is not None
        and claim.history[-1].by != "quote"
        and claim.n not in against
        and not (trusted and claim.verdict is Verdict.SUPPORTED)
    ]


def _scope(claim: Claim, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages that a claim stands on: those it cites, or all where it cites none."""
    cited = tuple(each for each in passages if each.passage_id in claim.citations)
    return cited or tuple(passages)


def _key(one: Asked) -> tuple[str, ...]:
    """What makes a claim the same: its words and the passages that it stands on."""
    return (one.claim.text, *(each.passage_id for each in one.passages))


def together(first: Verdict, said: Verdict) -> Verdict:
    """The verdict on a claim of which the tests without a model say `first`, and a model says `said`.

    The model rules where the tests leave a claim open, and may overrule that nothing bears it out. Nothing that the
    support of a checker speaks against is supported on a model's word, and nothing is supported of which one side
    says that it is not. A model that could not say leaves what is not supported as it was.

    >>> together(Verdict.UNKNOWN, Verdict.CONTRADICTED), together(Verdict.UNSUPPORTED, Verdict.SUPPORTED)
    (<Verdict.CONTRADICTED: 'contradicted'>, <Verdict.SUPPORTED: 'supported'>)
    >>> together(Verdict.SUPPORTED, Verdict.UNSUPPORTED), together(Verdict.CONTRADICTED, Verdict.SUPPORTED)
    (<Verdict.UNKNOWN: 'unknown'>, <Verdict.UNKNOWN: 'unknown'>)
    """
    if said is Verdict.UNKNOWN:
        return Verdict.UNKNOWN if first is Verdict.SUPPORTED else first
    if first is Verdict.SUPPORTED:
        return first if said is first else Verdict.UNKNOWN
    if first is Verdict.CONTRADICTED and said is Verdict.SUPPORTED:
        return Verdict.UNKNOWN
    return said


def with_rulings(review: Review, by: str, rulings: dict[int, Ruling]) -> Review:
    """The review with the claims' verdicts after the rulings, by claim number.

    Checks say where the model could not say, and where it and the tests disagree. A check of a claim that the model
    finds supported only warns where it could not be made, or failed: the model has settled what it left open.
    """
    first = {claim.n: claim for claim in review.claims}
    against = [each for each in of_truth(review.checks) if each.name != "support"]
    doubted = {each.claim for each in against}
    overruled = {n for n, ruling in rulings.items() if n in doubted and ruling.verdict is Verdict.SUPPORTED}
    after = {n: _after(first[n], by, ruling, is_overruled=n in overruled) for n, ruling in rulings.items()}
    checks: list[Check] = []
    for check in review.checks:
        claim = after.get(check.claim or 0)
        if claim is None:
            checks.append(check)
        elif check.name == "support":
            was, ruling = first[claim.n].verdict, rulings[claim.n]
            checks += [*_told(claim, by, ruling, was), _support(check, claim, by, ruling, was)]
        elif claim.verdict is Verdict.SUPPORTED and check.status is Status.UNKNOWN:
            checks.append(replace(check, severity=Severity.WARN))
        elif claim.n in overruled and check in against:
            cause = f"{check.cause}; {by}: {claim.verdict.value}"
            checks.append(replace(check, status=Status.UNKNOWN, severity=Severity.WARN, cause=cause, kind=None))
        else:
            checks.append(check)
    claims = tuple(after.get(claim.n, claim) for claim in review.claims)
    return replace(review, claims=claims, checks=tuple(checks), findings=findings_of(checks))


def _after(claim: Claim, by: str, ruling: Ruling, *, is_overruled: bool) -> Claim:
    """The claim with its verdict after the ruling, and a history that names who said what.

    Where only checks speak against the claim that a model may overrule, `is_overruled`, its word holds.
    """
    verdict = ruling.verdict if is_overruled else together(claim.verdict, ruling.verdict)
    why = _disagreement(claim.verdict, by, ruling) or f"{by}: {ruling.verdict.value}"
    spans = tuple(dict.fromkeys((*ruling.spans, *claim.spans)))
    said = ClaimEvent(ruling.verdict.value, by, ruling.reason)
    history = (*claim.history, said, ClaimEvent(verdict.value, "vote", why))
    return replace(claim, verdict=verdict, spans=spans, history=history)


def _disagreement(first: Verdict, by: str, ruling: Ruling) -> str | None:
    """Who says what, where both could say and do not say the same; None where they do."""
    if Verdict.UNKNOWN in (first, ruling.verdict) or first is ruling.verdict:
        return None
    return f"{_TESTS}: {first.value}; {by}: {ruling.verdict.value}"


def _told(claim: Claim, by: str, ruling: Ruling, first: Verdict) -> list[Check]:
    """A check that the model could not say, or of whether both sides agree, where both could say."""
    where = Span(claim.start, claim.end)
    if ruling.verdict is Verdict.UNKNOWN:
        cause = f"{by}: {ruling.reason}"
        return [Check("verifier", Status.UNKNOWN, Severity.BLOCK, claim.n, cause, where)]
    if first is Verdict.UNKNOWN:
        return []
    apart = _disagreement(first, by, ruling)
    status = Status.FAILED if apart else Status.PASSED
    return [Check("agreement", status, Severity.WARN, claim.n, apart, where)]


def _support(check: Check, claim: Claim, by: str, ruling: Ruling, first: Verdict) -> Check:
    """The support check after the ruling; its cause is a disagreement, what the tests found, or the ruling."""
    status = {Verdict.SUPPORTED: Status.PASSED, Verdict.UNKNOWN: Status.UNKNOWN}.get(claim.verdict, Status.FAILED)
    if status is Status.PASSED:
        return replace(check, status=status, cause=None, kind=None)
    before = check.cause if claim.verdict is first else None
    cause = _disagreement(first, by, ruling) or before or ruling.reason
    return replace(check, status=status, cause=cause, kind=check.kind if status is Status.FAILED else None)
