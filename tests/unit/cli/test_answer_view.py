"""The one line under an answer never says more than the checks do."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from assay.cli.answer_view import (
    bold,
    broken_rule_lines,
    disagreement_lines,
    may_not_answer,
    quotes,
    reflow,
    show_answer,
    usage_line,
    verdict_line,
)
from assay.cli.terminal import Terminal

SPANS = [{"passage_id": "p", "start": 4, "quote": "a quote"}]
CLAIM = {"verdict": "supported", "spans": SPANS, "history": [{"state": "supported", "by": "quote", "reason": ""}]}
REWORDED = {**CLAIM, "history": [{"state": "supported", "by": "deterministic", "reason": "support 0.83"}]}
CONFIDENCE = {"level": "very_high", "calibrated": False}


def answer(
    outcome: str = "answered", checks: tuple[tuple[str, str] | tuple[str, str, str], ...] = (), **others: Any
) -> dict[str, Any]:
    made = [
        {"status": status, "severity": severity, "name": (*name, "support")[0]}
        for status, severity, *name in checks
    ]
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
        (answer(), True, "✓ verified · quoted exactly · confidence very high (uncalibrated)"),
        (
            answer(checks=(("failed", "block"),)),
            False,
            "✗ not verified · quoted exactly",
        ),
        (
            answer(checks=(("unknown", "block"), ("failed", "warn"))),
            False,
            "? not verified · quoted exactly",
        ),
        (
            answer(
                "partial", judgement={"missing": ["the price"]}, claims=[CLAIM, {"verdict": "unknown", "spans": []}]
            ),
            True,
            "? verified · partial answer · 1 of 2 claims quotes its source · not found: “the price” · "
            "confidence very high (uncalibrated)",
        ),
        (
            answer("abstained", judgement={"missing": ["a", "b"], "sufficiency": 0.214}),
            True,
            "– no answer · not found: “a”, “b” · evidence sufficiency 0.21",
        ),
        (answer("clarify"), True, "– the question is unclear · evidence not measured"),
        (
            answer(confidence={"level": "low", "calibrated": True, "value": 0.41, "ece": 0.03, "n": 252}),
            True,
            "✓ verified · quoted exactly · about 41 % likely to be right",
        ),
        (
            answer(
                confidence={"level": "very_high", "calibrated": True, "value": 0.996}, checks=(("failed", "block"),)
            ),
            False,
            "✗ not verified · quoted exactly",
        ),
        (
            answer(checks=(("unknown", "block"),), claims=[]),
            False,
            "? not verified · 0 of 0 claims quote their sources",
        ),
        (
            answer(confidence={**CONFIDENCE, "answers": "yes"}),
            True,
            "✓ answers the question · quoted exactly · confidence very high (uncalibrated)",
        ),
        (
            answer(checks=(("unknown", "block", "answers"),), confidence={**CONFIDENCE, "answers": "unsure"}),
            False,
            "? may not answer the question · quoted exactly · confidence very high (uncalibrated)",
        ),
        (
            answer(checks=(("unknown", "block", "answers"),), confidence={**CONFIDENCE, "answers": "no"}),
            False,
            "? does not answer the question · quoted exactly",
        ),
        (
            answer("partial", confidence={**CONFIDENCE, "answers": "yes"}),
            True,
            "? answers a part of the question · quoted exactly · confidence very high (uncalibrated)",
        ),
        (
            answer(
                checks=(("unknown", "block", "answers"),),
                confidence={"level": "high", "calibrated": True, "value": 0.83, "answers": "unsure"},
            ),
            False,
            "? probably answers the question, but the reader is not sure · quoted exactly · "
            "about 83 % likely to be right",
        ),
        (
            answer(
                checks=(("unknown", "block", "answers"), ("failed", "block")),
                confidence={**CONFIDENCE, "answers": "unsure"},
            ),
            False,
            "✗ not verified · quoted exactly",
        ),
        (
            answer(
                checks=(("unknown", "block", "answers"), ("unknown", "block")),
                confidence={**CONFIDENCE, "answers": "unsure"},
            ),
            False,
            "? not verified · quoted exactly",
        ),
        (
            answer(claims=[REWORDED]),
            True,
            "✓ verified · 1 of 1 claim is supported by its source · confidence very high (uncalibrated)",
        ),
        (
            answer(claims=[CLAIM, REWORDED, {**CLAIM, "verdict": "unknown"}]),
            True,
            "✓ verified · 2 of 3 claims are supported by their sources, 1 word for word · "
            "confidence very high (uncalibrated)",
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


def took(calls: int = 1, **others: Any) -> dict[str, Any]:
    usage = {"calls": calls, "total_tokens": 1234, "cached_tokens": 0, "cost": 0.00123, **others.pop("usage", {})}
    return {
        "usage": usage,
        "first_verified_ms": 812.0,
        "ms": 2049.0,
        "profile": "balanced",
        "profile_reason": "",
        "mode_used": "balanced",
        **others,
    }


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (took(0, profile="fast"), ""),
        (took(0), "0 model calls · 2.0 s · first sentence verified after 0.8 s · judged balanced"),
        (
            took(),
            "1 model call · 1,234 tokens · $0.0012 · 2.0 s · first sentence verified after 0.8 s · judged balanced",
        ),
        (
            took(3, usage={"total_tokens": None, "cost": None}, first_verified_ms=None, profile="fast"),
            "3 model calls · tokens unknown · cost unknown · 2.0 s · judged balanced",
        ),
        (
            took(2, usage={"cached_tokens": 1000, "cost": 0.0}, first_verified_ms=None, profile_reason="a risk"),
            "2 model calls · 1,234 tokens (1,000 cached) · no cost · 2.0 s · judged balanced (a risk)",
        ),
        (
            took(1, mode_used="fast (balanced failed: \x1b[0m)", first_verified_ms=None),
            "1 model call · 1,234 tokens · $0.0012 · 2.0 s · judged fast (balanced failed: \\x1b[0m)",
        ),
    ],
)
def test_the_second_line_says_what_was_taken_and_never_a_number_nobody_knows(given: dict[str, Any], line: str):
    assert usage_line(given) == line


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("one\ntwo   three", "one two three"),
        ("one\n\ntwo", "one\n\ntwo"),
        ("These:\n- a **b** c\n- d\n1. e", "These:\n- a **b** c\n- d\n1. e"),
        ("# Head\ntext", "# Head\ntext"),
        ("Run\nthis:\n```\na   b\nc\n```\nand\nwait.", "Run this:\n```\na   b\nc\n```\nand wait."),
        ("| a | b |\n|---|---|\n| 1 |  2 |", "| a | b |\n|---|---|\n| 1 |  2 |"),
        ("text [^1]\n\n[^1]: Water\n[^2]: Ice", "text [^1]\n\n[^1]: Water\n[^2]: Ice"),
        ("a\x1b[31m", "a\\x1b[31m"),
    ],
)
def test_a_text_is_shown_with_its_lists_its_code_and_its_tables_and_flows_otherwise(text: str, read: str):
    assert reflow(text) == read


def test_strong_words_are_bold_and_their_signs_are_gone():
    shown = bold("**Bold.** 2**3 and 4**5, a ** b ** c, __init__, **two words**")
    assert shown.plain == "Bold. 2**3 and 4**5, a ** b ** c, __init__, two words"
    assert [(shown.plain[each.start : each.end], each.style) for each in shown.spans] == [
        ("Bold.", "bold"),
        ("two words", "bold"),
    ]


@pytest.mark.parametrize(
    ("outcome", "answers", "may_not"),
    [("answered", "unsure", True), ("partial", "no", True), ("answered", "yes", False), ("abstained", "no", False)],
)
def test_what_may_not_answer_is_an_answer_of_which_nobody_can_tell(outcome: str, answers: str, may_not: bool):
    assert may_not_answer(answer(outcome, confidence={**CONFIDENCE, "answers": answers})) is may_not
    assert not may_not_answer(answer(outcome))


def shown(given: dict[str, Any]) -> str:
    terminal = Terminal(input=io.BytesIO(), out=io.StringIO(), err=io.StringIO())
    show_answer(given, False, terminal)
    return terminal.out.getvalue()  # type: ignore[attr-defined]


def quoting(text: str, **others: Any) -> dict[str, Any]:
    place = {"page": None, "slide": None, "sheet": None, "row": None, "section": "Tea > Steps"}
    source = {
        "number": 1,
        "passage_id": "p",
        "title": "Tea",
        "location": place,
        "quote": "Boil the water. Then wait a while.",
        "path": "docs/tea.md",
        "line": 7,
    }
    claim = {**CLAIM, "spans": [{"passage_id": "p", "start": 0, "quote": "Boil the\nwater."}]}
    made = {"text": text, "sources": [source], "claims": [claim], "repairs": [], "warnings": [], "profile": "fast"}
    return {**answer(**made), "usage": {"calls": 0}, "first_verified_ms": None, **others}


def test_a_quote_that_the_answer_shows_is_not_printed_twice_and_its_source_names_file_line_and_section():
    assert shown(quoting("Boil the water. [1]")).splitlines()[:4] == [
        "Boil the water. [1]",
        "",
        "[1] docs/tea.md:7 · Tea · Steps",
        "",
    ]
    assert "    “Boil the water.”\n" in shown(quoting("Water is boiled. [1]"))


def test_a_file_below_this_folder_is_named_as_seen_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    inside, beside = (tmp_path.resolve() / name / "tea.md" for name in ("here", "here2"))
    told = {path: quoting("Boil the water. [1]") for path in (inside, beside)}
    for path, given in told.items():
        given["sources"][0]["path"] = str(path)
    assert "\n[1] tea.md:7 · Tea · Steps\n" in shown(told[inside])
    assert f"\n[1] {beside}:7 · Tea · Steps\n" in shown(told[beside])


def test_what_may_not_answer_is_called_the_closest_passages():
    unsure = quoting("Boil the water. [1]", confidence={**CONFIDENCE, "answers": "unsure"})
    assert shown(unsure).startswith("Closest passages (they may not answer the question):\n\nBoil the water. [1]\n")
    written = {**unsure, "claims": [{**each, "history": REWORDED["history"]} for each in unsure["claims"]]}
    assert shown(written).startswith("This may not answer the question:\n\nBoil the water. [1]\n")


def test_sources_that_disagree_are_shown_with_their_dates():
    readings = [
        {"value": "1932", "passage_ids": ["gone", "p"], "date": "2010"},
        {"value": "1935", "passage_ids": ["q"], "date": None},
    ]
    shown = answer(
        judgement={"contradictions": [{"aspect": "when it opened", "readings": readings}]},
        sources=[{"passage_id": "p", "number": 1}, {"passage_id": "q", "number": 2}],
    )
    lines = [line.plain for line in disagreement_lines(shown)]
    assert lines == ["? sources disagree on “when it opened”: 1932 (2010) [1]; 1935 [2]"]


def test_what_sources_disagree_on_is_not_called_the_closest_passages():
    doubt = {**CONFIDENCE, "answers": "unsure", "calibrated": False, "value": None, "level": None}
    contradiction = {"aspect": "when it opened", "readings": []}
    judged = {"missing": [], "sufficiency": 0.9, "contradictions": [contradiction]}
    disputed = shown(quoting("Boil the water. [1]", confidence=doubt, judgement=judged))
    assert disputed.startswith("The sources disagree:\n\nBoil the water. [1]\n")
    assert disputed.rstrip().endswith("? the sources disagree · quoted exactly")


def test_an_answer_of_an_older_record_has_no_disagreements():
    assert list(disagreement_lines(answer(sources=[]))) == []


def test_each_output_rule_that_only_warns_and_is_not_kept_is_one_line():
    def check(name: str, status: str, severity: str, cause: str | None) -> dict[str, Any]:
        return {"name": name, "status": status, "severity": severity, "cause": cause}

    shown = {
        "checks": [
            check("rule:brief", "failed", "warn", "too\nlong"),
            check("rule:words", "failed", "warn", '"leverage" is not to be used'),
            check("rule:words", "failed", "warn", '"delve" is not to be used'),
            check("rule:kept", "passed", "warn", None),
            check("rule:other", "failed", "repair", "told elsewhere"),
            check("passages", "failed", "warn", "no rule of the user"),
        ]
    }
    assert [line.plain for line in broken_rule_lines(shown)] == [
        "✗ rule:brief: too long",
        '✗ rule:words: "leverage" is not to be used (and 1 more)',
    ]


def test_a_refusal_names_its_nearest_file_as_seen_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = f"8 passages were read; the nearest is “Tea” ({tmp_path}/docs/tea.md)."
    refusal = answer("abstained", text=told, claims=[], sources=[], repairs=[], warnings=[], usage={"calls": 0})
    output = io.StringIO()
    show_answer(
        {**refusal, "first_verified_ms": None, "profile": "fast"}, False, Terminal(out=output, err=io.StringIO())
    )
    assert "(docs/tea.md)" in output.getvalue()


def test_a_refusal_of_what_was_quoted_does_not_say_that_the_evidence_suffices():
    refused = answer("abstained", judgement={"missing": [], "sufficiency": 0.81, "recommendation": "ANSWER"})
    told = "– no answer · none of the passages answers it"
    assert verdict_line(refused, True).plain == told
