"""Consistency of a question that is asked again: the share of the pairs of its repeats that agree."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from assay.evals.cases import Case
from assay.evals.metrics.gold import GIVEN, folded, shown_text
from assay.evals.metrics.measure import MeanMeasure
from assay.evals.results import CaseResult

_CAUSE = "no question was asked more than once (--repeat)"


def agreeing_pairs(values: Sequence[float]) -> float | None:
    """The share of the pairs of values that are the same, 0 to 1; None for fewer than two values.

    >>> agreeing_pairs([1.0, 1.0, 2.0])
    0.3333333333333333
    """
    pairs = len(values) * (len(values) - 1) // 2
    if not pairs:
        return None
    return sum(count * (count - 1) // 2 for count in Counter(values).values()) / pairs


def _number(text: str) -> float:
    """A number that stands for a text: 48 bits of its hash, which a float holds exactly."""
    return float(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest()))


def _outcome(_case: Case, result: CaseResult) -> float:
    return _number(str(result.outcome))


def _answer(_case: Case, result: CaseResult) -> float:
    """The outcome, and the words of a given answer whatever their case; how a refusal is worded does not count."""
    said = folded(shown_text(result)) if result.outcome in GIVEN else ""
    return _number(f"{result.outcome}{said}")


# A failure is an outcome of its own.
_FAILED = _number("failed")
OUTCOME = MeanMeasure(
    "outcome_consistency", "consistency", _outcome, _CAUSE, failed=_FAILED, repeats=agreeing_pairs
)
ANSWER = MeanMeasure("answer_consistency", "consistency", _answer, _CAUSE, failed=_FAILED, repeats=agreeing_pairs)
MEASURES = (OUTCOME, ANSWER)
