"""The threshold from which on at most a promised share of what is shown is wrong. Pure.

Learn then Test (Angelopoulos, Bates, Candès, Jordan and Lei 2021) by fixed-sequence testing from several starts:
from each, thresholds are tested from the strictest down, by the exact binomial tail of the wrong ones among those
shown, until the first that does not pass; the starts share the confidence (Bonferroni). The loosest threshold that
passed keeps the guarantee. Rows of one group are not independent: rows and wrong ones are divided by their design
effect (Kish 1965) first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.calibration.fit import Rung
from assay.types import Value

CONFIDENCE = 0.9
# The starts of the sequences: the share of the labelled rows that the first tested threshold shows, and for the
# strictest how many times the fewest rows that could pass without a wrong one. Several, since the highest scores
# are not always the surest (docs/decisions/143).
STARTS = (0.0, 0.1, 0.3)
# Where the highest scores are the surest, as with claims that a source says word for word, one start is enough.
STRICTEST = (0.0,)
_FIRST = 3.0


@dataclass(frozen=True, slots=True)
class RiskGuarantee(Value):
    """From `threshold` on, at most `risk` of what is shown is wrong, with `confidence`; `share` is still shown.

    `shown` and `wrong` count the labelled rows from the threshold on.
    """

    risk: float
    threshold: float
    share: float
    shown: int
    wrong: int
    confidence: float = CONFIDENCE


def guarantee(ladder: Sequence[Rung], risk: float, starts: Sequence[float] = STARTS) -> RiskGuarantee | None:
    """The guarantee that shows most, None where the labelled rows bear out none.

    `ladder` goes from the highest score down to all rows; `risk` lies above 0 and below 1. `starts` are chosen
    before the ladder is seen.

    >>> rows = [Rung(0.9, 200, 2), Rung(0.5, 400, 120)]
    >>> guarantee(rows, 0.1).threshold, guarantee(rows, 0.01)
    (0.9, None)
    """
    passed = [_loosest(ladder, risk, (1 - CONFIDENCE) / len(starts), start) for start in starts]
    kept = max(
        (candidate for candidate in passed if candidate is not None),
        key=lambda candidate: candidate.shown,
        default=None,
    )
    if kept is None:
        return None
    return RiskGuarantee(risk, kept.score, kept.shown / ladder[-1].shown, kept.shown, kept.wrong)


def _loosest(ladder: Sequence[Rung], risk: float, doubt: float, start: float) -> Rung | None:
    """The last rung that passes in the sequence that begins at the share `start`."""
    fewest = math.log(doubt) / math.log(1 - risk)
    least = max(start * ladder[-1].shown, fewest * (1 if start else _FIRST))
    kept = None
    for rung in ladder:
        if rung.shown < least and rung is not ladder[-1]:
            continue
        if not _passes(rung, risk, doubt):
            break
        kept = rung
    return kept


def _passes(rung: Rung, risk: float, doubt: float) -> bool:
    """True if so few wrong ones would be this unlikely at a higher risk than promised."""
    rows = int(rung.shown / rung.design)
    return rows > 0 and binomial_tail(math.ceil(rung.wrong * rows / rung.shown), rows, risk) <= doubt


def best_guarantee(ladder: Sequence[Rung], starts: Sequence[float] = STARTS) -> RiskGuarantee | None:
    """The least risk, in whole hundredths, that can be promised; None where not even .99 can.

    >>> best_guarantee([Rung(0.9, 100, 1)]).risk
    0.06
    """
    tried = (guarantee(ladder, hundredths / 100, starts) for hundredths in range(1, 100))
    return next((candidate for candidate in tried if candidate is not None), None)


def binomial_tail(most: int, trials: int, chance: float) -> float:
    """The chance of at most `most` successes among `trials`, exactly; `chance` lies above 0 and below 1.

    >>> binomial_tail(0, 45, 0.05) < 0.1 < binomial_tail(0, 44, 0.05)
    True
    """
    if most >= trials:
        return 1.0
    log_odds = math.log(chance) - math.log1p(-chance)
    term = total = trials * math.log1p(-chance)
    for k in range(1, most + 1):
        term += math.log((trials - k + 1) / k) + log_odds
        total = max(total, term) + math.log1p(math.exp(-abs(total - term)))
    return min(1.0, math.exp(total))
