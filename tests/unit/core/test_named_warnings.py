"""The warnings that programs act on have stable names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core.draft import DraftState
from assay.core.finalise import Ask, assemble_given
from assay.testing.fakes import review_of, scripted_stages
from assay.types import Answer, Evidence, Outcome, Verdict, WarningCode


def answer(verdict: Verdict = Verdict.SUPPORTED, cited: bool = True, **changes) -> Answer:
    review = review_of(("It rained.", verdict))
    claims = tuple(replace(claim, citations=("p1",) if cited else ()) for claim in review.claims)
    draft = DraftState(Evidence(), given_text="It rained.", review=replace(review, claims=claims))
    found = assemble_given(Ask("", (), "run", "fast"), draft, scripted_stages())
    confidence = replace(found.confidence, level=changes.pop("level", "high"))
    return replace(found, confidence=confidence, **changes)


def test_a_sound_answer_has_none():
    assert answer().named_warnings == ()
    assert answer().to_dict()["named_warnings"] == []


@pytest.mark.parametrize(
    ("found", "code", "message"),
    [
        (answer(cited=False), WarningCode.NO_CITATIONS, "no claim cites a source"),
        (
            answer(invalid_citations=("[7]", "[9]")),
            WarningCode.INVALID_CITATIONS,
            "marks that name no source: [7], [9]",
        ),
        (answer(level="very_low"), WarningCode.LOW_CONFIDENCE, "the confidence is very low"),
        (
            answer(Verdict.UNSUPPORTED),
            WarningCode.POSSIBLE_HALLUCINATION,
            "claims that the sources do not support: 1",
        ),
    ],
)
def test_each_has_its_code_and_its_text(found: Answer, code: WarningCode, message: str):
    assert found.to_dict()["named_warnings"] == [{"code": code.value, "message": message}]


def test_what_was_not_answered_needs_none():
    assert answer(cited=False, level="low", outcome=Outcome.ABSTAINED).named_warnings == ()


def test_a_claim_that_nobody_could_test_is_no_hallucination():
    assert answer(Verdict.UNKNOWN).named_warnings == ()
