"""An assessment that did not pass is said in one line."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cli.evidence_view import weakness_lines


def assessment(passed: bool | None, overall: float | None, **others: Any) -> dict[str, Any]:
    scores = [{"criterion": "accuracy", "score": 1.0}, {"criterion": "user_alignment", "score": 0.4}]
    made = {"passed": passed, "overall": overall, "weakest": "user_alignment", "bar": 0.9, "scores": scores}
    return {"assessment": {**made, **others}}


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ({}, []),
        ({"assessment": None}, []),
        (assessment(True, 0.95), []),
        (assessment(None, None), []),
        (
            assessment(False, 0.7),
            ["✗ assessed as weak: 0.700 overall, at least 0.900 needed; the weakest: user alignment 0.400"],
        ),
        (
            assessment(False, 0.92),
            ["✗ assessed as weak: 0.920 overall, at least 0.900 needed; below the floor: user alignment 0.400"],
        ),
        (
            assessment(False, 0.92, floor=0.5),
            [
                "✗ assessed as weak: 0.920 overall, at least 0.900 needed; "
                "below the floor of 0.500: user alignment 0.400"
            ],
        ),
        (assessment(False, 0.7, bar=None, weakest=None), ["✗ assessed as weak: 0.700 overall"]),
    ],
)
def test_an_assessment_that_did_not_pass_is_one_line(given: dict[str, Any], lines: list[str]):
    assert [line.plain for line in weakness_lines(given)] == lines
