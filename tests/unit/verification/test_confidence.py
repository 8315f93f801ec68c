from __future__ import annotations

import pytest

from assay.types import Action, Check, Claim, Judgement, Review, Severity, Status, Verdict
from assay.verification.risk import LeastConfidence, level


def claim(support: float | None) -> Claim:
    return Claim(1, "So.", 0, 3, (), Verdict.UNKNOWN, support)


def judged(sufficiency: float | None) -> Judgement:
    return Judgement(sufficiency, Action.ANSWER, "")


UNKNOWN_BLOCK = Check("support", Status.UNKNOWN, Severity.BLOCK, 1, "no words")


@pytest.mark.parametrize(
    ("sufficiency", "review", "score"),
    [
        (0.8, Review((claim(0.95), claim(0.9)), (), ()), 0.8),
        (0.8, Review((claim(0.95), claim(0.6)), (), ()), 0.6),
        (0.9, Review((claim(0.95),), (), (), (), ("[7]",)), 0.3),
        (0.9, Review((claim(0.95),), (UNKNOWN_BLOCK,), ()), 0.5),
        (0.9, Review((claim(None),), (), ()), 0.5),
        (None, Review((claim(0.95),), (), ()), 0.5),
        (None, Review((), (), ()), 0.0),
        (0.2, Review((), (), ()), 0.2),
    ],
)
def test_the_score_is_the_least_with_caps(sufficiency: float | None, review: Review, score: float) -> None:
    confidence = LeastConfidence().rate(judged(sufficiency), review)
    assert (confidence.score, confidence.value, confidence.calibrated) == (score, None, False)


def test_levels() -> None:
    assert [level(s) for s in (0.0, 0.3, 0.5, 0.7, 0.9)] == ["very_low", "low", "medium", "high", "very_high"]
