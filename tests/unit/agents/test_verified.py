"""The text of an answer without what is not verified."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.agents.results import UnverifiedSentence, unverified_claims, verified_text
from assay.types import (
    Action,
    Answer,
    Check,
    Claim,
    Confidence,
    Judgement,
    ModelsUsed,
    Outcome,
    Severity,
    Status,
    Usage,
    Verdict,
)

RAIN, SNOW, HAIL = "It rained in May.", "It snowed in June.", "It hailed in July."


def claim(n: int, text: str, of: str, verdict: Verdict = Verdict.SUPPORTED) -> Claim:
    start = of.index(text)
    return Claim(n, text, start, start + len(text), (), verdict, None)


def answer(
    text: str, *claims: Claim, checks: tuple[Check, ...] = (), outcome: Outcome = Outcome.ANSWERED
) -> Answer:
    return Answer(
        run_id="r",
        question="What was the weather?",
        outcome=outcome,
        text=text,
        verdict=Verdict.SUPPORTED,
        claims=claims,
        sources=(),
        citations=(),
        invalid_citations=(),
        judgement=Judgement(1.0, Action.ANSWER, ""),
        checks=checks,
        findings=(),
        repairs=(),
        drafts=1,
        iterations=1,
        confidence=Confidence(None, 1.0, "high"),
        warnings=(),
        models=ModelsUsed("w", "j", "v"),
        usage=Usage(),
        profile="fast",
        mode_used="",
        ms=1.0,
    )


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.UNSUPPORTED, Verdict.CONTRADICTED])
def test_a_sentence_with_an_unsupported_claim_is_left_out(verdict: Verdict):
    text = f"{RAIN} [1] {SNOW} [1] ⚠ {HAIL} [2]"
    shown = verified_text(answer(text, claim(1, RAIN, text), claim(2, SNOW, text, verdict), claim(3, HAIL, text)))
    assert shown.text == f"{RAIN} [1] {HAIL} [2]"
    assert shown.left_out == (UnverifiedSentence(f"{SNOW} [1]", verdict.value),)


@pytest.mark.parametrize("status", [Status.FAILED, Status.UNKNOWN])
def test_a_supported_claim_with_an_open_blocking_check_is_left_out(status: Status):
    text = f"{RAIN} [1] {SNOW} [1]"
    check = Check("subject", status, Severity.BLOCK, 1, "it is about another May")
    shown = verified_text(answer(text, claim(1, RAIN, text), claim(2, SNOW, text), checks=(check,)))
    assert shown.text == f"{SNOW} [1]"
    assert shown.left_out == (UnverifiedSentence(f"{RAIN} [1]", "it is about another May"),)


@pytest.mark.parametrize(
    "check",
    [
        Check("subject", Status.PASSED, Severity.BLOCK, 1),
        Check("subject", Status.SKIPPED, Severity.BLOCK, 1),
        Check("wording", Status.FAILED, Severity.WARN, 1, "odd"),
        Check("wording", Status.UNKNOWN, Severity.REPAIR, 1, "odd"),
        Check("answers", Status.UNKNOWN, Severity.BLOCK, None, "of the whole"),
    ],
)
def test_other_checks_leave_a_sentence_in(check: Check):
    assert verified_text(answer(RAIN, claim(1, RAIN, RAIN), checks=(check,))).text == RAIN


def test_one_unverified_claim_takes_its_whole_sentence_out():
    text = "It rained in May and snowed in June. [1] It hailed in July. [1]"
    claims = (
        claim(1, "It rained in May", text),
        claim(2, "snowed in June.", text, Verdict.UNKNOWN),
        claim(3, HAIL, text),
    )
    assert verified_text(answer(text, *claims)).text == f"{HAIL} [1]"


def test_a_paragraph_stays_one_when_its_first_sentence_goes():
    text = f"{RAIN} [1]\n\n{SNOW} [1] {HAIL} [2]"
    shown = verified_text(
        answer(text, claim(1, RAIN, text), claim(2, SNOW, text, Verdict.UNKNOWN), claim(3, HAIL, text))
    )
    assert shown.text == f"{RAIN} [1]\n\n{HAIL} [2]"


def test_what_is_left_of_a_text_without_a_verified_claim_is_nothing():
    text = f"The weather:\n\n{RAIN} [1]"
    shown = verified_text(answer(text, claim(1, RAIN, text, Verdict.UNKNOWN)))
    assert shown.text == ""
    assert [sentence.text for sentence in shown.left_out] == [f"{RAIN} [1]", "The weather:"]
    assert verified_text(answer("I do not know.")).text == ""


def test_a_refusal_stays_as_it_is():
    for outcome in (Outcome.ABSTAINED, Outcome.CLARIFY):
        shown = verified_text(answer("The documents do not say.", outcome=outcome))
        assert (shown.text, shown.left_out) == ("The documents do not say.", ())


def test_the_caller_may_refuse_a_verified_sentence():
    text = f"{RAIN} [1] {SNOW} [1]"
    given = answer(text, claim(1, RAIN, text), claim(2, SNOW, text))
    shown = verified_text(given, lambda sentence: "no snow" if "snow" in sentence else None)
    assert (shown.text, shown.left_out) == (f"{RAIN} [1]", (UnverifiedSentence(f"{SNOW} [1]", "no snow"),))
    assert verified_text(replace(given, text=""), lambda _: None).text == ""


def test_the_reason_is_the_cause_of_the_first_open_check_else_the_verdict():
    claims = claim(1, RAIN, RAIN, Verdict.UNSUPPORTED), claim(2, RAIN, RAIN, Verdict.CONTRADICTED)
    checks = (
        Check("names", Status.FAILED, Severity.BLOCK, 1, "no source names May"),
        Check("support", Status.FAILED, Severity.BLOCK, 1, "nothing backs it"),
    )
    assert unverified_claims(claims, checks) == {1: "no source names May", 2: "contradicted"}
