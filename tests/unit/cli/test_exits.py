"""Every error has an exit code, and only what is verified exits with 0."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay import errors
from assay.cli import exits
from assay.cli.exits import Exit
from assay.types import (
    Action,
    Answer,
    Check,
    Confidence,
    Judgement,
    ModelsUsed,
    Outcome,
    Review,
    Severity,
    Status,
    Usage,
    Verdict,
)

ANSWER = Answer(
    run_id="01J",
    question="?",
    outcome=Outcome.ANSWERED,
    text="Yes. [1]",
    verdict=Verdict.SUPPORTED,
    claims=(),
    sources=(),
    citations=(),
    invalid_citations=(),
    judgement=Judgement(sufficiency=0.9, recommendation=Action.ANSWER, reason="there"),
    checks=(),
    findings=(),
    repairs=(),
    drafts=1,
    iterations=1,
    confidence=Confidence(None, 0.9, "very_high"),
    warnings=(),
    models=ModelsUsed("w", "j", "v"),
    usage=Usage(),
    profile="fast",
    mode_used="fast",
    ms=1.0,
)


def every_error() -> list[type[errors.AssayError]]:
    return [
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.AssayError)
    ]


@pytest.mark.parametrize("kind", [each for each in every_error() if each is not errors.AssayError])
def test_no_error_on_purpose_is_a_bug(kind: type[errors.AssayError]):
    assert exits.of_error(kind("what", hint="next")) not in (Exit.OK, Exit.BUG)


def test_every_code_is_in_the_help():
    for code in Exit:
        assert f"\n  {code.value:<4} " in exits.HELP


@pytest.mark.parametrize(
    ("outcome", "status", "severity", "code"),
    [
        (Outcome.ANSWERED, Status.PASSED, Severity.BLOCK, Exit.OK),
        (Outcome.ANSWERED, Status.FAILED, Severity.BLOCK, Exit.NOT_VERIFIED),
        (Outcome.ANSWERED, Status.UNKNOWN, Severity.BLOCK, Exit.NOT_VERIFIED),
        (Outcome.ANSWERED, Status.FAILED, Severity.WARN, Exit.OK),
        (Outcome.ANSWERED, Status.UNKNOWN, Severity.WARN, Exit.OK),
        (Outcome.PARTIAL, Status.PASSED, Severity.BLOCK, Exit.NOT_VERIFIED),
        (Outcome.ABSTAINED, Status.PASSED, Severity.BLOCK, Exit.DECLINED),
        (Outcome.CLARIFY, Status.PASSED, Severity.BLOCK, Exit.DECLINED),
    ],
)
def test_the_code_of_an_answer(outcome: Outcome, status: Status, severity: Severity, code: Exit):
    check = Check("numbers", status, severity, claim=1, cause=None if status is Status.PASSED else "why")
    assert exits.of_answer(replace(ANSWER, outcome=outcome, checks=(check,))) is code


def test_a_review_with_an_open_check_is_not_verified():
    unknown = Check("numbers", Status.UNKNOWN, Severity.REPAIR, cause="no number to compare")
    assert exits.of_review(Review((), (unknown,), ())) is Exit.NOT_VERIFIED
    assert exits.of_review(Review((), (replace(unknown, severity=Severity.WARN),), ())) is Exit.OK


def test_evidence_that_does_not_suffice_declines():
    assert exits.of_judgement(ANSWER.judgement) is Exit.OK
    assert exits.of_judgement(replace(ANSWER.judgement, recommendation=Action.ABSTAIN)) is Exit.DECLINED
