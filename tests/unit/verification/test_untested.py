"""What no check tests is told, and a sign is no word."""

from __future__ import annotations

import pytest

from assay.types import Claim, Passage, Review, Severity, Status, Verdict
from assay.verification.checks import untested_in
from assay.verification.verifier import DeterministicVerifier

CLAIM = Claim(1, "It rained.", 0, 10, (), Verdict.SUPPORTED, 1.0)
REVIEW = Review((CLAIM,), (), ())


@pytest.mark.parametrize(
    "text", ["It rained.\n\n## It opened in 1950", "It rained. It opened in 1950:", "It rained. Was it 90 degrees?"]
)
def test_a_number_in_what_claims_nothing_is_told_to_be_untested(text: str):
    (check,) = untested_in(text, REVIEW, Severity.BLOCK)
    assert (check.status, check.severity) == (Status.UNKNOWN, Severity.WARN)
    assert check.answer_span is not None
    assert any(each.isdigit() for each in text[check.answer_span.start : check.answer_span.end])


@pytest.mark.parametrize(
    "text",
    [
        "It rained.",
        "It rained.\n\n## 2. Weather",
        "It rained. Which one?",
        "The sources do not say if it was 1950.",
    ],
)
def test_what_holds_no_number_or_says_that_there_is_none_is_not(text: str):
    assert untested_in(text, REVIEW, Severity.BLOCK) == ()


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The shell of the user sync is /bin/sync.", Verdict.SUPPORTED),
        ("The shell of the user sync is /bin/bash.", Verdict.UNKNOWN),
        ("Files are overwritten with --force.", Verdict.SUPPORTED),
        ("Files are overwritten with --forget.", Verdict.UNKNOWN),
        ("Files are overwritten with --force-all.", Verdict.UNKNOWN),
    ],
)
async def test_a_path_or_option_that_no_source_writes_is_not_supported(claim: str, verdict: Verdict):
    text = "The shell of the user sync is /bin/sync. Files are overwritten with --force."
    review = await DeterministicVerifier().check(claim, (Passage("p", "d", "r", 0, len(text), text),))
    assert review.claims[0].verdict is verdict
    if verdict is Verdict.UNKNOWN:
        assert any(
            check.name == "names" and "no source of this claim contains" in str(check.cause)
            for check in review.checks
        )


async def test_the_sign_behind_a_sentence_is_no_word_of_the_next():
    passage = Passage("p", "d", "r", 0, 10, "It rained.")
    review = await DeterministicVerifier().check("It snowed. ⚠ It rained.", (passage,))
    assert [claim.text for claim in review.claims] == ["It snowed.", "It rained."]
