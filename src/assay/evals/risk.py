"""From labelled scores to the ladder on which promises of a risk are tested, and what an oracle could promise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.calibration.fit import Rung

RUNGS = 200


def ladder(scores: Sequence[float], wrong: Sequence[bool], rungs: int = RUNGS) -> tuple[Rung, ...]:
    """At most `rungs` thresholds, highest first, evenly over the rows; rows of one score are never parted.

    >>> ladder([0.9, 0.5, 0.5], [False, True, False])
    (Rung(score=0.9, shown=1, wrong=0), Rung(score=0.5, shown=3, wrong=1))
    """
    values, faults = np.asarray(scores, dtype=np.float64), np.asarray(wrong, dtype=bool)
    order = np.argsort(-values, kind="stable")
    values, counts = values[order], np.cumsum(faults[order])
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True))
    chosen = ends[np.unique(np.linspace(0, len(ends) - 1, min(rungs, len(ends))).round().astype(int))]
    return tuple(Rung(float(values[at]), int(at) + 1, int(counts[at])) for at in chosen)


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
