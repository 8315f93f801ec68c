"""A quote passes where its source holds the very words at that place, and in no other case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.nlp.blocks import titled
from assay.testing.fakes import ScriptedReader
from assay.types import (
    Check,
    Draft,
    Evidence,
    FindingKind,
    Hit,
    Passage,
    PassageReading,
    Question,
    Quote,
    Review,
    Severity,
    SourceSpan,
    Span,
    Status,
    Verdict,
)
from assay.verification.checks import finding_of
from assay.verification.verifier import (
    AGREED_POLARITY,
    CHECKS,
    DeterministicVerifier,
    only_quotes,
    polarity_at,
)

TEXT = "Leave lasts **18 weeks**. It is paid in full."
LEAVE = Passage("p1", "d", "r", 100, 100 + len(TEXT), TEXT)
WHOLE = Quote(TEXT, LEAVE.span_of(0, len(TEXT)))
SHORT = Quote("18 weeks", LEAVE.span_of(14, 22))
ASKED = Question("How long is leave?", "How long is leave?")


def draft(*sentences: tuple[str, tuple[Quote, ...]]) -> Draft:
    text, spans = "", []
    for said, _ in sentences:
        spans.append(Span(len(text), len(text) + len(said)))
        text += said
    return Draft(text, ("p1",), tuple(spans), tuple(quotes for _, quotes in sentences))


async def reviewed(made: Draft, *, after: int = 0, reader: ScriptedReader | None = None) -> Review:
    evidence = Evidence((Hit(LEAVE, 1.0),))
    return await DeterministicVerifier(answer_reader=reader).review(ASKED, evidence, made, after=after)


async def test_each_quote_is_a_claim_that_its_source_bears_out_exactly() -> None:
    made = draft((f"**18 weeks** — {TEXT} [1]", (SHORT, WHOLE)))
    review = await reviewed(made)
    assert [claim.text for claim in review.claims] == ["18 weeks", TEXT]
    assert [made.text[claim.start : claim.end] for claim in review.claims] == ["18 weeks", TEXT]
    assert all(
        (claim.verdict, claim.support, claim.citations) == (Verdict.SUPPORTED, 1.0, ("p1",))
        for claim in review.claims
    )
    assert [claim.spans for claim in review.claims] == [(SHORT.source,), (WHOLE.source,)]
    assert all(claim.history[-1].by == "quote" for claim in review.claims)
    assert [(each.name, each.status, each.claim) for each in review.checks] == [
        ("quotes", Status.PASSED, 1),
        ("quotes", Status.PASSED, 2),
    ]
    assert [mark.numbers for mark in review.citations] == [(1,)]
    assert review.findings == ()


async def test_a_quote_may_leave_out_the_marks_of_its_source_and_nothing_else() -> None:
    source = LEAVE.span_of(12, 24)
    assert source.quote == "**18 weeks**"
    [claim] = (await reviewed(draft(("18 weeks [1]", (Quote("18 weeks", source),))))).claims
    assert claim.verdict is Verdict.SUPPORTED
    [claim] = (await reviewed(draft(("18 week [1]", (Quote("18 week", source),))))).claims
    assert claim.verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("quote", "cause"),
    [
        (replace(SHORT, text="16 weeks"), "the answer changes the quoted words"),
        (
            Quote("18 weeks", replace(SHORT.source, start=115, end=123)),
            "the source does not contain these words at that place",
        ),
        (
            Quote("18 weeks", SourceSpan("p1", 14, 22, "18 weeks")),
            "the source does not contain these words at that place",
        ),
        (Quote("18 weeks", replace(SHORT.source, passage_id="p9")), "the quoted passage is not among the evidence"),
    ],
)
async def test_any_other_quote_fails_and_is_found(quote: Quote, cause: str) -> None:
    review = await reviewed(draft((f"{quote.text} [1]", (quote,))))
    [claim], [check], [finding] = review.claims, review.checks, review.findings
    assert (claim.verdict, claim.support, claim.spans) == (Verdict.UNSUPPORTED, 0.0, ())
    assert (check.status, check.severity, check.cause) == (Status.FAILED, Severity.BLOCK, cause)
    assert finding.kind is FindingKind.UNSUPPORTED_ADDITION


async def test_only_the_sentences_that_are_new_are_reviewed() -> None:
    made = draft((f"{TEXT} [1]\n\n", (WHOLE,)), ("18 weeks [1]", (SHORT,)))
    [claim] = (await reviewed(made, after=1)).claims
    assert (claim.text, claim.start) == ("18 weeks", made.spans[1].start)


async def test_words_that_stand_twice_are_each_found_in_their_sentence() -> None:
    made = draft(("18 weeks [1] ", (SHORT,)), ("18 weeks [1]", (SHORT,)))
    starts = [claim.start for claim in (await reviewed(made)).claims]
    assert starts == [0, made.spans[1].start]


@pytest.mark.parametrize(
    ("sentences", "only"),
    [
        ([(f"{TEXT} [1]", (WHOLE,))], True),
        ([(f"{TEXT} [1]", (WHOLE,)), ("\n\nThe documents do not answer: how is it paid?.", ())], True),
        ([(f"{TEXT} [1]", (WHOLE,)), (" Everyone has it.", ())], False),
        ([(" Everyone has it.", ())], False),
        ([("18 weeks [1]", (WHOLE,))], False),
    ],
)
def test_a_draft_only_quotes_where_all_that_it_claims_is_quoted(
    sentences: list[tuple[str, tuple[Quote, ...]]], only: bool
) -> None:
    assert only_quotes(draft(*sentences), 0) is only


def test_a_draft_from_elsewhere_quotes_nothing() -> None:
    assert not only_quotes(Draft("18 weeks [1]", ("p1",), (Span(0, 12),)), 0)


# --- yes and no -----------------------------------------------------------------------------------


def polarity(review: Review) -> Check:
    [check] = [each for each in review.checks if each.name == "polarity"]
    return check


def reads(yes: float, no: float) -> ScriptedReader:
    return ScriptedReader({(ASKED.standalone, titled(LEAVE).text): PassageReading(3.0, (), yes, no)})


YES = draft((f"**Yes** — {TEXT} [1]", (WHOLE,)))
NO = draft((f"\n\n**No** — {TEXT} [1]", (WHOLE,)))


@pytest.mark.parametrize(("made", "yes", "no"), [(YES, AGREED_POLARITY, 0.1), (NO, 0.1, AGREED_POLARITY)])
async def test_a_yes_or_no_that_the_reader_reads_as_well_passes(made: Draft, yes: float, no: float) -> None:
    check = polarity(await reviewed(made, reader=reads(yes, no)))
    assert (check.status, check.severity) == (Status.PASSED, Severity.BLOCK)
    assert check.answer_span is not None
    assert made.text[check.answer_span.start : check.answer_span.end] in ("**Yes**", "**No**")


async def test_one_that_it_does_not_read_or_that_nobody_reads_is_open() -> None:
    check = polarity(await reviewed(NO, reader=reads(AGREED_POLARITY, 0.1)))
    assert (check.status, check.severity) == (Status.UNKNOWN, Severity.BLOCK)
    assert check.cause == "the reader finds No only 10 % likely"
    [finding] = (await reviewed(NO, reader=reads(AGREED_POLARITY, 0.1))).findings
    assert "yes or no" in finding.advice
    unread = polarity(await reviewed(YES))
    assert (unread.status, unread.cause) == (Status.UNKNOWN, "a bare yes or no is not tested without a reader")


def test_a_bold_word_of_the_source_is_no_polarity() -> None:
    assert polarity_at(draft((f"{TEXT} [1]", (WHOLE,))), 0) is None
    assert polarity_at(NO, 0) == Span(2, 8)


@pytest.mark.parametrize("name", CHECKS)
def test_each_check_that_can_fail_has_advice(name: str) -> None:
    assert finding_of(Check(name, Status.FAILED, Severity.BLOCK, None, "so")).advice
