"""The one line under an answer never says more than the checks do."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cli.answer_view import quotes, verdict_line

CLAIM = {"verdict": "supported", "spans": [{"passage_id": "p", "start": 4, "quote": "a quote"}]}
CONFIDENCE = {"level": "very_high", "calibrated": False}


def answer(outcome: str = "answered", checks: tuple[tuple[str, str], ...] = (), **others: Any) -> dict[str, Any]:
    made = [{"status": status, "severity": severity} for status, severity in checks]
    return {
        "outcome": outcome,
        "checks": made,
        "claims": [CLAIM],
        "judgement": {"missing": [], "sufficiency": None},
        "confidence": CONFIDENCE,
        **others,
    }


@pytest.mark.parametrize(
    ("given", "verified", "line"),
    [
        (answer(), True, "✓ verified · 1 of 1 claim quotes its source · confidence very high (uncalibrated)"),
        (
            answer(checks=(("failed", "block"),)),
            False,
            "✗ not verified · 1 of 1 claim quotes its source · confidence very high (uncalibrated)",
        ),
        (
            answer(checks=(("unknown", "block"), ("failed", "warn"))),
            False,
            "? not verified · 1 of 1 claim quotes its source · confidence very high (uncalibrated)",
        ),
        (
            answer(
                "partial", judgement={"missing": ["the price"]}, claims=[CLAIM, {"verdict": "unknown", "spans": []}]
            ),
            True,
            "✓ verified · partial answer · 1 of 2 claims quote their source · missing: the price · "
            "confidence very high (uncalibrated)",
        ),
        (
            answer("abstained", judgement={"missing": ["a", "b"], "sufficiency": 0.214}),
            True,
            "– no answer · missing: a; b · sufficiency of the evidence 0.21",
        ),
        (answer("clarify"), True, "– the question is unclear · evidence not measured"),
        (
            answer(confidence={"level": "low", "calibrated": True}),
            True,
            "✓ verified · 1 of 1 claim quotes its source · confidence low",
        ),
    ],
)
def test_the_line_says_what_the_checks_say(given: dict[str, Any], verified: bool, line: str):
    assert verdict_line(given, verified).plain == line


def test_a_source_shows_what_is_quoted_from_it_in_its_order():
    claims = [
        {
            "spans": [
                {"passage_id": "p", "start": 9, "quote": "later"},
                {"passage_id": "q", "start": 0, "quote": "other"},
            ]
        },
        {
            "spans": [
                {"passage_id": "p", "start": 1, "quote": "ear\nlier"},
                {"passage_id": "p", "start": 9, "quote": "later"},
            ]
        },
    ]
    assert quotes({"passage_id": "p", "quote": "whole"}, claims) == ["ear lier", "later"]
    assert quotes({"passage_id": "x", "quote": "whole \x1b[0m"}, claims) == ["whole \\x1b[0m"]
