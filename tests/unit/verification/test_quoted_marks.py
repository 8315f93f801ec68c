"""What a quoted text has itself is no citation of the answer's, and the answer's stands in no row of its table."""

from __future__ import annotations

import pytest

from assay.core.draft import compose
from assay.types import Evidence, Hit, Passage, Question, Quote, Sentence
from assay.verification.verifier import DeterministicVerifier

FOOTNOTES = "The bell weighs 4 tonnes [^1] by the register [2]; others say 5 [^3]."
TABLE = "| Bell | Weight |\n|---|---|\n| Anna | 4 tonnes [2] |"


@pytest.mark.parametrize(
    ("text", "shown"),
    [(FOOTNOTES, f"{FOOTNOTES} [1]"), (TABLE, f"{TABLE}\n\n[1]")],
)
async def test_marks_of_a_quote_are_text(text: str, shown: str) -> None:
    passage = Passage("p", "d", "r", 0, len(text), text)
    quote = Quote(text, passage.span_of(0, len(text)))
    draft = compose((Sentence(1, text, ("p",), quotes=(quote,)),))
    assert draft.text == shown
    review = await DeterministicVerifier().review(Question("", ""), Evidence((Hit(passage, 1.0),)), draft)
    assert [draft.text[mark.start : mark.end] for mark in review.citations] == ["[1]"]
    assert review.citations[0].start > len(text)
    assert review.invalid_citations == ()
