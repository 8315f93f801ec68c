"""What frameworks are told: an unknown stays unknown, and a failure is never told as a pass."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.integrations.passages import fix_object, metadata_of, passing_of, reasons_of, review_object, status_of
from assay.types import (
    Check,
    Claim,
    Finding,
    Fixed,
    Hit,
    Location,
    Origin,
    Passage,
    Repair,
    RepairKind,
    Review,
    Severity,
    Span,
    Status,
    Verdict,
)

PASSAGE = Passage("p", "d", "r", 10, 19, "It rains.", "Rain")


def claim(verdict: Verdict, support: float | None = None) -> Claim:
    return Claim(1, "It rains.", 0, 9, (), verdict, support)


def check(status: Status, severity: Severity = Severity.BLOCK) -> Check:
    return Check("support", status, severity, 1)


def review(*parts: Claim | Check | Finding) -> Review:
    return Review(
        tuple(each for each in parts if isinstance(each, Claim)),
        tuple(each for each in parts if isinstance(each, Check)),
        tuple(each for each in parts if isinstance(each, Finding)),
    )


SUPPORTED = review(claim(Verdict.SUPPORTED, 0.9), check(Status.PASSED))
checks = st.lists(st.builds(check, st.sampled_from(Status), st.sampled_from(Severity)), max_size=4)
claims = st.lists(st.builds(claim, st.sampled_from(Verdict)), max_size=4)


@given(checks, claims)
def test_passing_only_where_all_is_supported_and_nothing_is_open(checks: list[Check], claims: list[Claim]):
    given = review(*checks, *claims)
    heavy = {each.status for each in checks if each.severity is not Severity.WARN}
    clean = bool(claims) and all(each.verdict is Verdict.SUPPORTED for each in claims)
    assert (passing_of(given) is True) == (clean and not heavy & {Status.FAILED, Status.UNKNOWN})
    assert Status.FAILED not in heavy or passing_of(given) is False


@pytest.mark.parametrize(
    ("given", "status", "passing"),
    [
        (SUPPORTED, Status.PASSED, True),
        (review(claim(Verdict.CONTRADICTED)), Status.FAILED, False),
        (review(claim(Verdict.UNSUPPORTED), check(Status.UNKNOWN)), Status.FAILED, False),
        (review(claim(Verdict.SUPPORTED), check(Status.FAILED, Severity.REPAIR)), Status.FAILED, False),
        (review(claim(Verdict.SUPPORTED), check(Status.FAILED, Severity.WARN)), Status.PASSED, True),
        (review(claim(Verdict.SUPPORTED), check(Status.UNKNOWN)), Status.UNKNOWN, None),
        (review(claim(Verdict.UNKNOWN)), Status.UNKNOWN, None),
        (review(), Status.UNKNOWN, None),
    ],
)
def test_the_status_and_whether_it_passes(given: Review, status: Status, passing: bool | None):
    assert (status_of(given), passing_of(given)) == (status, passing)


def test_a_review_as_json():
    body = review_object(review(claim(Verdict.SUPPORTED, 0.9), claim(Verdict.UNKNOWN), check(Status.UNKNOWN)))
    assert (body["status"], body["verdict"], body["support"]) == ("unknown", "unknown", 0.9)
    assert [each["verdict"] for each in body["claims"]] == ["supported", "unknown"]
    assert json.loads(json.dumps(body)) == body


def test_support_that_nobody_measured_is_none():
    assert review_object(review(claim(Verdict.UNKNOWN)))["support"] is None


def finding(message: str, severity: Severity) -> Finding:
    return Finding("numbers", 1, severity, message, "use the source's number")


def test_the_reasons_once_each_and_warnings_only_where_there_is_nothing_else():
    wrong, note = finding("90 is not 100", Severity.BLOCK), finding("only a note", Severity.WARN)
    assert reasons_of(review(wrong, note, wrong)) == "90 is not 100"
    assert reasons_of(review(note)) == "only a note"
    assert reasons_of(SUPPORTED) == "every claim is supported"


def test_the_metadata_of_a_passage():
    assert metadata_of(Hit(PASSAGE, 0.5)) == {
        "passage_id": "p",
        "document_id": "d",
        "title": "Rain",
        "start": 10,
        "end": 19,
        "score": 0.5,
    }


def test_metadata_that_are_known_of_some_passages_only():
    page = replace(PASSAGE, location=Location(page=3), origin=Origin(link="https://a.example/", date="2020-05-03"))
    known = metadata_of(Hit(page, 0.5, masked=(Span(0, 2), Span(3, 5))))
    assert (known["location"], known["link"], known["date"]) == ("page 3", "https://a.example/", "2020-05-03")
    assert known["masked"] == 2


def test_a_fix_as_json():
    made = Repair(RepairKind.CORRECT, "90 degrees", "100 degrees", "the source says so")
    body = fix_object(
        Fixed("90 degrees", "100 degrees", (made,), (claim(Verdict.UNSUPPORTED),), Verdict.SUPPORTED, SUPPORTED)
    )
    assert (body["text"], body["before"]) == ("100 degrees", "90 degrees")
    assert body["changes"][0]["kind"] == "corrected"
    assert (body["dropped"][0]["verdict"], body["review"]["status"]) == ("unsupported", "passed")
