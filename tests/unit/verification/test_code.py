"""Code in anyone's text states nothing of its sources: it is no claim, and told to be untested."""

from __future__ import annotations

import pytest

from assay.types import Passage, Severity, Status, Verdict
from assay.verification.verifier import DeterministicVerifier

RAIN = "It rained in Ulm on Wednesday."


@pytest.mark.parametrize(
    "code",
    [
        "`depth = 1950`",
        "- `depth = 1950`",
        "`depth = 1950` [1]",
        "```\ndepth = 1950\n\nd = 2\n```",
        "    depth = 1950",
    ],
)
async def test_code_in_a_text_is_no_claim_and_told_to_be_untested(code: str):
    passage = Passage("p", "d", "r", 0, len(RAIN), RAIN)
    text = f"{RAIN} [1]\n\n{code}\n\n{RAIN} [1]"
    review = await DeterministicVerifier().check(text, (passage,))
    assert [each.text for each in review.claims] == [RAIN, RAIN]
    (untested,) = (each for each in review.checks if each.status is Status.UNKNOWN)
    assert (untested.severity, untested.cause) == (Severity.WARN, "code is not tested")
    assert untested.answer_span is not None
    assert "depth = 1950" in text[untested.answer_span.start : untested.answer_span.end]


@pytest.mark.parametrize("code", ["Set `depth = 1950`.", "Set\n`depth = 1950`\nnow.", "```\nIt was 1950."])
async def test_code_within_a_sentence_and_what_follows_an_open_fence_is_claimed(code: str):
    passage = Passage("p", "d", "r", 0, len(RAIN), RAIN)
    review = await DeterministicVerifier().check(f"{RAIN}\n\n{code}", (passage,))
    assert [each.verdict for each in review.claims] == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]


async def test_code_judged_as_one_claim_is_a_claim():
    passage = Passage("p", "d", "r", 0, len(RAIN), RAIN)
    review = await DeterministicVerifier().check("`depth = 1950`", (passage,), one_claim=True)
    assert [each.text for each in review.claims] == ["`depth = 1950`"]
