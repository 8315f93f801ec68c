"""Lessons from a collection's labels: for each part the number of labels, and the part before and after.

Each part is fitted on the labels there are and measured on labels that the fit did not see (folds by the words of
the question, or by evidence). It is learned where that is not measurably worse than what is in force: the 95 %
interval of the difference, by paired bootstrap over whole groups, is not all below 0. A threshold, which decides
what is marked as answering, has to be measurably better (decision 212).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from assay.calibration import ClaimPolicy
from assay.calibration.fit import Fit
from assay.core.stages import Checker, Embedder
from assay.errors import UsageError
from assay.evals.checker_fit import (
    FEWEST_EVIDENCES,
    FEWEST_FALSE,
    FEWEST_TRUE,
    fit_checker,
    verdicts_now,
)
from assay.evals.fitting import FOLDS, fold_of, unseen
from assay.evals.labels_file import FEWEST, FEWEST_OF_A_KIND, Labelled, LabelledClaim
from assay.evals.metrics import Interval, brier, debiased_ece, paired_bootstrap, reliability
from assay.evals.recalibrate import LabelledAnswer
from assay.records.labels import WHOLE, Labels
from assay.records.learning import CHECKER, CONFIDENCE, THRESHOLD, SearchTable
from assay.types import Value, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

# From fewer labelled answers, or fewer of either kind, no threshold is learned; chosen: with 40 the fifth that
# measures a threshold has eight.
FEWEST_FOR_A_THRESHOLD, FEWEST_OF_A_KIND_FOR_A_THRESHOLD = 40, 10
# What a wrong mark costs, a right one being worth 1; chosen: marks that are right in ten cases of eleven are worth
# nothing, and the threshold that ships marks 50 right answers of 52.
WRONG_MARK = 10.0
# The thresholds that are tried.
THRESHOLDS = tuple(n / 100 for n in range(20, 100))


class State(StrEnum):
    """The outcome of a part: `learned` is put in force, the others leave it as it is."""

    LEARNED = "learned"
    TOO_FEW = "too few to measure"
    NOTHING_NEW = "nothing new"
    UNCHANGED = "no change"
    WORSE = "measurably worse"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Lesson(Value):
    """The lesson of the labels for one part.

    `labels` says in words how many there are, `needed` how many are, `reason` why the state is what it is. `before`
    and `after` are figures on labels that the fit did not see, by name; `gain` is what the part is better by, with
    `low` and `high` as its 95 % interval, in the unit that `gain_of` names. `latest` is the version of the latest
    label.
    """

    part: str
    state: State
    labels: str
    needed: str
    reason: str = ""
    before: Mapping[str, float] = field(default_factory=dict)
    after: Mapping[str, float] = field(default_factory=dict)
    gain_of: str = ""
    gain: float | None = None
    low: float | None = None
    high: float | None = None
    latest: int = 0


@dataclass(frozen=True, slots=True)
class Learned:
    """A lesson, and what it puts in force: a calibration, a threshold, a policy or a table of searching again.

    None where it puts nothing.
    """

    lesson: Lesson
    result: Fit | float | ClaimPolicy | SearchTable | None = None
    reached: Mapping[str, object] = field(default_factory=dict)


def labelled_answers(labels: Labels, collection: str, embedding: str) -> tuple[LabelledAnswer, ...]:
    """The collection's labelled answers after one search that came from the same parts as the one labelled last.

    Others have scores of another kind (decision 141). `embedding` is the hash of the embedding model.
    """
    whole = [label for label in labels.current() if label.claim == WHOLE]
    own = [label for label in whole if labels.store.load(label.run_id).run.collection == collection]
    rows = [
        LabelledAnswer.of(labels, collection, Labelled(label.version, label.run_id, label.good), embedding)
        for label in own
    ]
    alike = [row for row in rows if row.searches == 1]
    return tuple(row for row in alike if alike[-1].origin.differs(row.origin) is None)


# --- the confidence of answers ---------------------------------------------------------------------------


def learn_confidence(
    answers: Sequence[LabelledAnswer], in_force: Fit | None, fitted: Callable[[], Fit], known: int
) -> Learned:
    """The calibration of the answers, against the one in force, None where that does not apply to them.

    `fitted` makes it and raises UsageError where it cannot; `known` is the latest label that taught the one in
    force, 0 for none.
    """
    needed = f"{FEWEST}, at least {FEWEST_OF_A_KIND} right and {FEWEST_OF_A_KIND} wrong"
    blank = _blank(CONFIDENCE, answers, needed, known, FEWEST, FEWEST_OF_A_KIND)
    if blank.state is not State.UNCHANGED:
        return Learned(blank)
    right = np.array([answer.label.right for answer in answers])
    scores, groups = [answer.score for answer in answers], [answer.group for answer in answers]
    try:
        fit = fitted()
        new = np.array(unseen(scores, right.tolist(), groups))
    except (UsageError, ValueError) as error:
        return Learned(_told(blank, State.REFUSED, reason=str(error)))
    if in_force is None:
        reason = "the calibration in use does not apply to these answers"
        return Learned(_told(blank, State.LEARNED, reason=reason, after=_errors(new, right)), fit)
    old = np.array([in_force.probability(score) for score in scores])
    difference = paired_bootstrap(
        lambda rows: brier(old[rows].tolist(), right[rows].tolist()),
        lambda rows: brier(new[rows].tolist(), right[rows].tolist()),
        groups,
    )
    state = State.WORSE if difference.below else State.LEARNED
    found = _told(blank, state, before=_errors(old, right), after=_errors(new, right))
    return Learned(_with_gain(found, "Brier score", difference), None if state is State.WORSE else fit)


def _errors(probabilities: NDArray[np.float64], right: NDArray[np.bool_]) -> dict[str, float]:
    made, happened = probabilities.tolist(), right.tolist()
    return {
        "ECE": round(debiased_ece(reliability(made, happened)), 4),
        "Brier score": round(brier(made, happened), 4),
    }


# --- the signal from which an answer answers -------------------------------------------------------------


def learn_threshold(answers: Sequence[LabelledAnswer], now: float, known: int) -> Learned:
    """The signal from which an answer is marked as answering the question; `now` is the threshold in force.

    A marked answer is worth 1 where it is right and `WRONG_MARK` less than nothing where it is wrong; one that is
    not marked is worth 0. Of thresholds that are worth the same the nearest to `now` is taken. Only answers that a
    reader read have a mark.
    """
    read = [answer for answer in answers if answer.is_read]
    few, kind = FEWEST_FOR_A_THRESHOLD, FEWEST_OF_A_KIND_FOR_A_THRESHOLD
    blank = _blank(THRESHOLD, read, f"{few}, at least {kind} right and {kind} wrong", known, few, kind)
    if blank.state is not State.UNCHANGED:
        return Learned(blank)
    worth = np.array([1.0 if answer.label.right else -WRONG_MARK for answer in read])
    signals, groups = np.array([answer.score for answer in read]), [answer.group for answer in read]
    folds = np.array([fold_of(group) for group in groups])
    chosen = np.zeros(len(read))
    for fold in range(FOLDS):
        here = folds == fold
        chosen[here] = best_threshold(signals[~here], worth[~here], now)
    best = best_threshold(signals, worth, now)
    old, new = np.where(signals >= now, worth, 0.0), np.where(signals >= chosen, worth, 0.0)
    difference = paired_bootstrap(
        lambda rows: float(new[rows].mean()), lambda rows: float(old[rows].mean()), groups
    )
    figures = _told(
        blank,
        State.UNCHANGED,
        before={"threshold": now, **_marked(signals >= now, worth)},
        after={"threshold": best, **_marked(signals >= chosen, worth)},
    )
    found = _with_gain(
        figures, f"right marks less {WRONG_MARK:g} times the wrong ones, per labelled answer", difference
    )
    if difference.below:
        return Learned(_told(found, State.WORSE))
    if best == now or difference.low <= 0:
        reason = "no other threshold is measurably better on labels that it was not chosen on"
        return Learned(_told(found, State.UNCHANGED, reason=reason))
    return Learned(_told(found, State.LEARNED), best)


def best_threshold(signals: NDArray[np.float64], worth: NDArray[np.float64], now: float) -> float:
    """The threshold with the highest sum of worth among what it marks; of equal ones the nearest to `now`.

    >>> best_threshold(np.array([0.6, 0.72, 0.9]), np.array([-1.0, -1.0, 1.0]), 0.7)
    0.73
    """
    tried = sorted({now, *THRESHOLDS})
    return max(tried, key=lambda threshold: (float(worth[signals >= threshold].sum()), -abs(threshold - now)))


def _marked(marked: NDArray[np.bool_], worth: NDArray[np.float64]) -> dict[str, float]:
    """Number of answers that are marked, and of those among them that are right."""
    return {"marked": int(marked.sum()), "right": int((worth[marked] > 0).sum())}


# --- the checker -----------------------------------------------------------------------------------------


async def learn_checker(
    claims: Sequence[LabelledClaim],
    checker: Checker,
    embedder: Embedder,
    known: int,
    advance: Callable[[], None] = lambda: None,
) -> Learned:
    """The policy of the checker by labelled claims, against the policy that it has.

    A verdict is worth 1 where it is right, -1 where it is wrong and 0 where it is unknown. `advance` is called once
    a claim is measured.
    """
    blank = checker_labels(claims, known)
    if blank.state is not State.UNCHANGED:
        return Learned(blank)
    try:
        fit = await fit_checker(claims, checker, embedder, advance)
    except UsageError as error:
        return Learned(_told(blank, State.REFUSED, reason=str(error)))
    verdicts, reached = await verdicts_now(claims, checker, embedder)
    true = [claim.label is Verdict.SUPPORTED for claim in claims]
    old = np.array([_worth(verdict, is_true) for verdict, is_true in zip(verdicts, true, strict=True)])
    new = np.array([_worth(verdict, is_true) for verdict, is_true in zip(fit.unseen, true, strict=True)])
    difference = paired_bootstrap(
        lambda rows: float(new[rows].mean()),
        lambda rows: float(old[rows].mean()),
        [claim.group for claim in claims],
    )
    state = State.WORSE if difference.below else State.LEARNED
    figures = _told(blank, state, before=_counts(reached.to_dict()), after=_counts(fit.reached.to_dict()))
    found = _with_gain(figures, "right less wrong verdicts, per claim", difference)
    return Learned(found, None if state is State.WORSE else fit.policy, fit.reached.to_dict())


def checker_labels(claims: Sequence[LabelledClaim], known: int) -> Lesson:
    """Tell whether the labelled claims are enough and new; the state is then `no change`: nothing is fitted yet."""
    true = sum(claim.label is Verdict.SUPPORTED for claim in claims)
    false, evidences = len(claims) - true, len({claim.group for claim in claims})
    blank = Lesson(
        CHECKER,
        State.UNCHANGED,
        f"{len(claims)} labelled claims, {true} right and {false} wrong, beside {evidences} texts",
        f"{FEWEST_TRUE} right and {FEWEST_FALSE} wrong, beside {FEWEST_EVIDENCES} texts",
        latest=max((claim.number for claim in claims), default=0),
    )
    if true < FEWEST_TRUE or false < FEWEST_FALSE or evidences < FEWEST_EVIDENCES:
        return _told(blank, State.TOO_FEW)
    return _told(blank, State.NOTHING_NEW) if blank.latest <= known else blank


def _worth(verdict: Verdict, is_true: bool) -> float:
    if verdict is Verdict.UNKNOWN:
        return 0.0
    return 1.0 if (verdict is Verdict.SUPPORTED) is is_true else -1.0


def _counts(reached: Mapping[str, object]) -> dict[str, float]:
    names = {
        "supported": "true claims supported",
        "flagged": "true claims flagged",
        "passed": "false claims supported",
        "caught": "false claims flagged",
    }
    return {told: float(str(reached[name])) for name, told in names.items()}


# --- lessons ---------------------------------------------------------------------------------------------


def _blank(
    part: str, answers: Sequence[LabelledAnswer], needed: str, known: int, few: int, of_a_kind: int
) -> Lesson:
    """The lesson of labelled answers before anything is fitted; its state is `no change` where they are enough."""
    right = sum(answer.label.right for answer in answers)
    wrong = len(answers) - right
    latest = max((answer.label.number for answer in answers), default=0)
    told = f"{len(answers)} labelled answers, {right} right and {wrong} wrong"
    blank = Lesson(part, State.UNCHANGED, told, needed, latest=latest)
    if len(answers) < few or min(right, wrong) < of_a_kind:
        return _told(blank, State.TOO_FEW)
    return _told(blank, State.NOTHING_NEW) if latest <= known else blank


def _told(
    lesson: Lesson,
    state: State,
    *,
    reason: str = "",
    before: Mapping[str, float] | None = None,
    after: Mapping[str, float] | None = None,
) -> Lesson:
    return replace(
        lesson,
        state=state,
        reason=reason or lesson.reason,
        before=lesson.before if before is None else before,
        after=lesson.after if after is None else after,
    )


def _with_gain(lesson: Lesson, unit: str, difference: Interval) -> Lesson:
    return replace(
        lesson,
        gain_of=unit,
        gain=round(difference.difference, 4),
        low=round(difference.low, 4),
        high=round(difference.high, 4),
    )
