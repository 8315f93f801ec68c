"""From labelled scores to the ladder on which promises of a risk are tested, and what an oracle could promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.calibration.fit import Rung

RUNGS = 200


def ladder(
    scores: Sequence[float],
    wrong: Sequence[bool],
    groups: Sequence[str] | None = None,
    rungs: int = RUNGS,
) -> tuple[Rung, ...]:
    """At most `rungs` thresholds, highest first, evenly over the rows; rows of one score are never parted.

    `groups` names what rows belong to; without it each row stands alone.

    >>> [(each.score, each.shown, each.wrong) for each in ladder([0.9, 0.5, 0.5], [False, True, False])]
    [(0.9, 1, 0), (0.5, 3, 1)]
    """
    values, faults = np.asarray(scores, dtype=np.float64), np.asarray(wrong, dtype=bool)
    order = np.argsort(-values, kind="stable")
    values, faults = values[order], faults[order]
    counts = np.cumsum(faults)
    members = np.arange(len(values)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    members = members.reshape(-1)[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    chosen = ends[np.unique(np.linspace(0, len(ends) - 1, min(rungs, len(ends))).round().astype(int))]
    return tuple(
        Rung(
            float(values[at]),
            int(at) + 1,
            int(counts[at]),
            1.0 if groups is None else design_effect(faults[: at + 1], members[: at + 1]),
        )
        for at in chosen
    )


def design_effect(wrong: NDArray[np.bool_], groups: NDArray[np.intp]) -> float:
    """How much larger the variance of the share of wrong rows is than that of as many independent rows, at least 1.

    The variance from group totals over the binomial one (Kish 1965, Survey Sampling).

    >>> design_effect(np.array([True, True, False, False]), np.array([0, 0, 1, 1]))
    2.0
    """
    share = float(wrong.mean())
    if share in (0.0, 1.0):
        return 1.0
    totals = np.bincount(groups, wrong - share)
    return max(1.0, round(float((totals**2).sum() / (len(wrong) * share * (1 - share))), 4))


def realised(scores: Sequence[float], wrong: Sequence[bool], threshold: float) -> Rung:
    """What happens among rows when those from a threshold on are shown."""
    shown = np.asarray(scores, dtype=np.float64) >= threshold
    return Rung(threshold, int(shown.sum()), int((np.asarray(wrong, dtype=bool) & shown).sum()))


def oracle_share(scores: Sequence[float], wrong: Sequence[bool], risk: float) -> float:
    """The largest share that a threshold chosen with the labels in sight could show at no more than the risk.

    >>> oracle_share([0.9, 0.8, 0.1], [False, False, True], 0.2)
    0.6666666666666666
    """
    rows = ladder(scores, wrong, rungs=len(scores))
    return max((each.shown for each in rows if each.wrong <= risk * each.shown), default=0) / len(scores)
