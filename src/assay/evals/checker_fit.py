"""Fitting a checker to labelled claims: what its verdicts settle, and what that reaches on claims not seen.

Each claim is tested by the verifier itself, whole and beside its evidence. What a policy reaches is told by
verdicts under policies that saw nothing of the claim's evidence (cross-fitting in folds by evidence).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.calibration import ClaimPolicy
from assay.calibration.claims import PENALTY, Aims, Line, balanced, bars, fewest, line
from assay.calibration.risk_guarantee import binomial_tail
from assay.core.stages import Checker, CheckerModel, Embedder, Pair
from assay.errors import UsageError
from assay.evals.fitting import FOLDS, fold_of
from assay.evals.labels_file import LabelledClaim, count_summary
from assay.evals.metrics import auroc
from assay.types import Claim, Value, Verdict
from assay.verification.verdict import NEVER_ABOVE, MeasuredClaim
from assay.verification.verifier import DeterministicVerifier

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What a policy is to keep of claims to come.
AIMS = Aims(passed=0.03, flagged=0.06, precision=0.9)
# From fewer labels, not one of them a failure, nobody could tell at 90 % that the aims are kept.
FEWEST_FALSE, FEWEST_TRUE = fewest(AIMS.passed), fewest(AIMS.flagged)
# Folds are parted by evidence.
FEWEST_EVIDENCES = 20
# Where so many pass by chance this rarely, the aim is not kept; and how far above chance, in standard errors, a
# checker has to rank (one-sided, 90 %).
_RARE, _ABOVE_CHANCE = 0.05, 1.2816
_MORE = "label more claims of that kind, beside more different evidence"


@dataclass(frozen=True, slots=True)
class Reached(Value):
    """The result of verdicts on labelled claims: counts, and the AUROC of the support of those that have one.

    `passed` are false claims called supported, `flagged` true ones called contradicted or unsupported, `supported`
    true ones called supported, `caught` false ones called contradicted or unsupported, `contradicted` all that are
    called so and `rightly` those of them that are.
    """

    true: int
    false: int
    supported: int
    flagged: int
    passed: int
    caught: int
    contradicted: int
    rightly: int
    auroc: float | None


@dataclass(frozen=True, slots=True)
class CheckerFit(Value):
    """A policy, what it was fitted on in words, what it reaches on claims it did not see, and rules without it.

    `unseen` are the verdicts on the claims, in order, under policies that did not see them.
    """

    policy: ClaimPolicy
    data: str
    reached: Reached
    alone: Reached
    unseen: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class WeighedClaim:
    """A labelled claim that a policy rules on: what it weighs, and its label.

    `against` is the checker's own probability of a contradiction; a claim that `is_vetoed` by a check is never
    called supported; claims of one `group` have the same evidence.
    """

    inputs: dict[str, float]
    label: Verdict
    against: float
    is_vetoed: bool
    group: str

    @property
    def true(self) -> bool:
        """True if it is labelled as supported."""
        return self.label is Verdict.SUPPORTED


@dataclass(frozen=True, slots=True)
class _KnownChecker:
    """A checker that is asked for each pair once, under a policy of one's choice."""

    inner: Checker
    policy: ClaimPolicy | None = None
    known: dict[Pair, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def model(self) -> CheckerModel:
        return replace(self.inner.model, policy=self.policy)

    async def check(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        if new:
            self.known.update(zip(new, await self.inner.check(new), strict=True))
        return np.array([self.known[pair] for pair in pairs], np.float32).reshape(len(pairs), 3)


async def fit_checker(
    claims: Sequence[LabelledClaim],
    checker: Checker,
    embedder: Embedder,
    advance: Callable[[], None] = lambda: None,
) -> CheckerFit:
    """The policy of a checker by labelled claims; `advance` is called once a claim is measured.

    UsageError where the labels are too few, where the checker tells true claims from false ones no better than
    chance, and where what was fitted lets more false claims pass than it may.
    """
    _require_enough(claims, [claim.label for claim in claims], "labelled")
    asked = _KnownChecker(checker)
    verifier = DeterministicVerifier(embedder, checker=asked)
    measured: list[MeasuredClaim | None] = []
    for claim in claims:
        measured.append(await verifier.measure(claim.claim, claim.passages))
        advance()
    rows = [
        _row(one, claim) for one, claim in zip(measured, claims, strict=True) if one is not None and one.is_weighed
    ]
    _require_enough(claims, [row.label for row in rows], "of those that the checker rules on")
    _refuse_chance(rows)
    try:
        policy = policy_of(rows)
        apart = [policy_of([row for row in rows if fold_of(row.group) != fold]) for fold in range(FOLDS)]
    except ValueError as error:
        raise UsageError(f"no policy can be fitted: {error}", hint=_MORE) from error
    testers = [DeterministicVerifier(embedder, checker=replace(asked, policy=policy)) for policy in apart]
    found = [await _tested(claim, testers[fold_of(claim.group)]) for claim in claims]
    _refuse_passing(claims, measured, found)
    rules = DeterministicVerifier(embedder)
    alone = [await _tested(claim, rules) for claim in claims]
    return CheckerFit(
        policy, count_summary(claims), _reached(claims, found), _reached(claims, alone), _verdicts(found)
    )


async def verdicts_now(
    claims: Sequence[LabelledClaim], checker: Checker, embedder: Embedder
) -> tuple[tuple[Verdict, ...], Reached]:
    """The verdicts on labelled claims under the checker's own policy, in order, and what they did."""
    verifier = DeterministicVerifier(embedder, checker=checker)
    found = [await _tested(claim, verifier) for claim in claims]
    return _verdicts(found), _reached(claims, found)


def _verdicts(found: Sequence[Claim | None]) -> tuple[Verdict, ...]:
    """The verdicts; unknown for what claims nothing."""
    return tuple(Verdict.UNKNOWN if claim is None else claim.verdict for claim in found)


def policy_of(rows: Sequence[WeighedClaim]) -> ClaimPolicy:
    """The policy of some claims: a line on all of them, and bars on what lines say that saw no such evidence.

    Raises ValueError where there are too few.
    """
    p = np.zeros(len(rows))
    folds = np.array([fold_of(row.group, 1) for row in rows])
    for fold in set(folds.tolist()):
        some = [row for row, own in zip(rows, folds, strict=True) if own != fold]
        held = [row.inputs for row, own in zip(rows, folds, strict=True) if own == fold]
        p[folds == fold] = _line(some).probabilities(held)
    found = bars(
        p,
        _true(rows),
        np.array([row.label is Verdict.CONTRADICTED for row in rows]),
        np.array([row.against for row in rows]),
        np.array([row.is_vetoed for row in rows]),
        AIMS,
    )
    whole = _line(rows)
    return ClaimPolicy(whole.weights, whole.shift, found.supported, found.unsupported, found.contradicted)


def _row(measured: MeasuredClaim, labelled: LabelledClaim) -> WeighedClaim:
    vetoed = bool(measured.decisive or measured.withheld)
    against = 0.0 if measured.entailment is None else measured.entailment.against
    return WeighedClaim(measured.inputs, labelled.label, against, vetoed, labelled.group)


def _true(rows: Sequence[WeighedClaim]) -> NDArray[np.bool_]:
    return np.array([row.true for row in rows], bool)


def _line(rows: Sequence[WeighedClaim]) -> Line:
    """The line on some rows; of few labels the penalty counts as much as one of them."""
    weights = balanced(_true(rows))
    penalty = max(PENALTY, 1 / len(rows))
    return line([row.inputs for row in rows], _true(rows), weights, never_above=NEVER_ABOVE, penalty=penalty)


async def _tested(labelled: LabelledClaim, verifier: DeterministicVerifier) -> Claim | None:
    """The claim with its verdict, None where it says nothing."""
    review = await verifier.check(labelled.claim, labelled.passages, one_claim=True)
    return next(iter(review.claims), None)


def _require_enough(claims: Sequence[LabelledClaim], labels: Sequence[Verdict], which: str) -> None:
    true = sum(label is Verdict.SUPPORTED for label in labels)
    false = len(labels) - true
    evidences = len({claim.group for claim in claims})
    if true < FEWEST_TRUE or false < FEWEST_FALSE:
        raise UsageError(
            f"too few labels: {true} supported and {false} not, {which}; {FEWEST_TRUE} and {FEWEST_FALSE} are "
            f"needed: fewer could not show that at most {AIMS.flagged:.0%} of the true claims are flagged and at "
            f"most {AIMS.passed:.0%} of the false ones called supported",
            hint=_MORE,
        )
    if evidences < FEWEST_EVIDENCES:
        raise UsageError(
            f"too little evidence: {evidences} different texts; {FEWEST_EVIDENCES} are needed, since what is "
            "reached is measured beside evidence that the fit did not see",
            hint="label claims beside more different evidence",
        )


def _refuse_chance(rows: Sequence[WeighedClaim]) -> None:
    """Refuse a checker that ranks no better than chance: its labels may be in another order than told."""
    true = _true(rows)
    positives, negatives = int(true.sum()), int((~true).sum())
    ranked = auroc([row.inputs["checker"] for row in rows], true.tolist())
    error = np.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    if ranked <= 0.5 + _ABOVE_CHANCE * error:
        raise UsageError(
            f"the checker tells true claims from false ones no better than chance: AUROC {ranked:.2f}",
            hint='see whether its labels are in the right order ("labels" in assay.json); if so, take another one',
        )


def _refuse_passing(
    claims: Sequence[LabelledClaim], measured: Sequence[MeasuredClaim | None], found: Sequence[Claim | None]
) -> None:
    """Refuse a fit that lets more false claims pass than it may, of those that it ruled on and did not see."""
    verdicts = [
        one.verdict
        for claim, was, one in zip(claims, measured, found, strict=True)
        if claim.label is not Verdict.SUPPORTED and was is not None and was.is_weighed and one is not None
    ]
    passed = sum(verdict is Verdict.SUPPORTED for verdict in verdicts)
    # The chance of so many or more, where no more than the aim pass.
    if passed and 1 - binomial_tail(passed - 1, len(verdicts), AIMS.passed) <= _RARE:
        raise UsageError(
            f"nothing is kept: of {len(verdicts)} false claims that the fit did not see it would call {passed} "
            f"supported, and at most {AIMS.passed:.0%} may be",
            hint=f"{_MORE}, or take another checker",
        )


def _reached(claims: Sequence[LabelledClaim], found: Sequence[Claim | None]) -> Reached:
    """The result of these verdicts."""
    pairs = [(claim.label, verdict) for claim, verdict in zip(claims, _verdicts(found), strict=True)]
    flags = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
    true = [verdict for label, verdict in pairs if label is Verdict.SUPPORTED]
    false = [verdict for label, verdict in pairs if label is not Verdict.SUPPORTED]
    scored = [
        (one.support, claim.label is Verdict.SUPPORTED)
        for claim, one in zip(claims, found, strict=True)
        if one is not None and one.support is not None
    ]
    both = len({label for _, label in scored}) == 2
    return Reached(
        true=len(true),
        false=len(false),
        supported=true.count(Verdict.SUPPORTED),
        flagged=sum(verdict in flags for verdict in true),
        passed=false.count(Verdict.SUPPORTED),
        caught=sum(verdict in flags for verdict in false),
        contradicted=sum(verdict is Verdict.CONTRADICTED for _, verdict in pairs),
        rightly=pairs.count((Verdict.CONTRADICTED, Verdict.CONTRADICTED)),
        auroc=round(auroc([score for score, _ in scored], [label for _, label in scored]), 4) if both else None,
    )
