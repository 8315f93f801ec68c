"""Whatever is checked against whatever: places are true, and nothing is scored without a ground."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.types import Passage, Status
from assay.verification.verifier import DeterministicVerifier

PIECES = st.sampled_from(
    ["The mill", "burned", "not", "in May 2021", "12 %", "3.5 million", ".", ". ", "[1]", "[2, 3]", '"', "more",
     "less", "Ada Lovelace", "\n", "- ", "東京は", "大きい。", "? ", "Yes. ", "`", "(", "increased", "decreased"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=120), st.lists(PIECES, max_size=25).map(" ".join))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.booleans())
def test_spans_are_true_and_causes_are_given(text: str, source: str, one_claim: bool) -> None:
    passage = Passage("p", "d", "r", 7, 7 + len(source), source)
    review = asyncio.run(DeterministicVerifier().check(text, (passage,), one_claim=one_claim))
    for claim in review.claims:
        assert 0 <= claim.start < claim.end <= len(text)
        assert claim.support is None or 0.0 <= claim.support <= 1.0
    spans = [span for claim in review.claims for span in claim.spans]
    for check in review.checks:
        assert check.cause or check.status is Status.PASSED
        if check.answer_span is not None:
            assert 0 <= check.answer_span.start <= check.answer_span.end <= len(text)
        spans += [check.source_span] if check.source_span else []
    for span in spans:
        assert span.quote == source[span.start - 7 : span.end - 7]
