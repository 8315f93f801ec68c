from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.types import (
    Check,
    Draft,
    EmbeddingModel,
    Evidence,
    FindingKind,
    Hit,
    Passage,
    Question,
    Review,
    Severity,
    Span,
    Status,
    Verdict,
)
from assay.verification.verdict import SHARE_AFTER_FAILURE
from assay.verification.verifier import CHECKS, DeterministicVerifier, least_support

TEXT = (
    "The Danube is 2,850 km long. It did not flood in May 2021. Exports to Spain rose by 12 % in 2020. "
    "Dr. Ada Lovelace (AL) praised “the quiet  river” in Ulm."
)


def passage(text: str = TEXT, name: str = "p1", start: int = 100) -> Passage:
    return Passage(name, "danube.md", "r1", start, start + len(text), text, title="danube.md")


async def checked(text: str, *passages: Passage, skip: frozenset[str] = frozenset()) -> Review:
    return await DeterministicVerifier(skip=skip).check(text, passages or (passage(),))


def named(review: Review, name: str) -> list[Check]:
    return [check for check in review.checks if check.name == name]


async def test_a_verbatim_sentence_is_supported_by_its_quote() -> None:
    text = "It did not flood in May 2021. [1]"
    review = await checked(text)
    [claim] = review.claims
    assert (claim.verdict, claim.support, claim.citations) == (Verdict.SUPPORTED, 1.0, ("p1",))
    assert claim.history[-1].by == "quote"
    [span] = claim.spans
    assert span.quote == TEXT[span.start - 100 : span.end - 100]
    assert text[claim.start : claim.end] == claim.text
    assert all(check.status is Status.PASSED for check in review.checks)


@pytest.mark.parametrize("text", ["The Danube is. [1]", "Exports to Spain rose by the [1]"])
async def test_a_sentence_that_breaks_off_is_not_borne_out_by_the_words_it_begins_with(text: str) -> None:
    [claim] = (await checked(text)).claims
    assert (claim.verdict, claim.support) == (Verdict.UNKNOWN, None)
    assert "breaks off" in claim.history[-1].reason


@pytest.mark.parametrize(
    ("text", "check", "said"),
    [
        ("The Danube has a length of 2,950 km.", "numbers", "2,850 km"),
        ("Exports to Spain rose by 12 percentage points in 2020.", "numbers", "12 %"),
        ("Exports to Spain rose by 12 % in 2021.", "dates", "2020"),
        ("It did flood in May 2021.", "negation", "did not flood"),
        ("Exports to Spain fell by 12 % in 2020.", "comparison", "rose"),
    ],
)
async def test_what_the_source_contradicts_fails_with_both_spans(text: str, check: str, said: str) -> None:
    review = await checked(text)
    [failed] = [each for each in named(review, check) if each.status is Status.FAILED]
    assert failed.severity is Severity.BLOCK
    assert failed.cause
    assert failed.answer_span is not None
    assert failed.source_span is not None
    assert said in failed.source_span.quote
    assert failed.source_span.quote == TEXT[failed.source_span.start - 100 : failed.source_span.end - 100]
    assert review.verdict is Verdict.CONTRADICTED
    assert any(finding.check == check and finding.advice for finding in review.findings)


async def test_a_name_that_no_source_holds_is_unsupported() -> None:
    review = await checked("In Ulm, many a guest of Bob Smith liked how quiet the water was.")
    assert [each.status for each in named(review, "names")] == [Status.PASSED, Status.FAILED]
    assert review.verdict is Verdict.UNSUPPORTED


async def test_a_name_in_the_place_of_another_says_which_one() -> None:
    review = await checked("In Ulm, Ada Smith praised the quiet river.")
    [_, failed] = named(review, "names")
    assert (failed.status, failed.kind, failed.expected) == (Status.FAILED, FindingKind.WRONG_NAME, "Ada Lovelace")
    assert review.verdict is Verdict.CONTRADICTED


async def test_a_date_finer_than_the_source_is_unknown() -> None:
    review = await checked("There was no flood on 3 May 2021.")
    [check] = named(review, "dates")
    assert (check.status, check.severity) == (Status.UNKNOWN, Severity.BLOCK)
    assert check.cause
    assert "May 2021" in check.cause


async def test_units_and_acronyms_are_understood() -> None:
    review = await checked("The Danube is 2,850,000 metres long and AL was in Ulm.")
    assert {each.status for each in named(review, "numbers") + named(review, "names")} == {Status.PASSED}


async def test_quotations_stand_word_for_word() -> None:
    right = await checked('Lovelace praised "the quiet river" there.')
    wrong = await checked('Lovelace praised "the noisy old river" there.')
    assert [each.status for each in named(right, "quotes")] == [Status.PASSED]
    assert [each.status for each in named(wrong, "quotes")] == [Status.FAILED]


async def test_marks_without_a_source_are_invalid() -> None:
    review = await checked("The Danube is 2,850 km long [1, 7]. It did not flood in May 2021 [Source 3].")
    assert review.invalid_citations == ("[1, 7]", "[Source 3]")
    assert [each.status for each in named(review, "citations")] == [Status.FAILED, Status.FAILED]
    assert [each.status for each in named(review, "sources")] == [Status.PASSED, Status.FAILED]


async def test_only_the_cited_passage_counts() -> None:
    other = passage("Nothing of the kind is said here about rivers.", "p2", 0)
    review = await checked("The Danube is 2,850 km long. [2]", passage(), other)
    assert review.verdict is not Verdict.SUPPORTED


async def test_an_abstention_claims_nothing() -> None:
    review = await checked("I don't have information about its depth.")
    assert review.claims == ()
    assert least_support(review) is None
    assert [(c.name, c.status, c.severity) for c in review.checks] == [("support", Status.UNKNOWN, Severity.WARN)]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("| River | Its length |\n|---|---|\n", []),
        ("Here:\n\n| River | Its length |\n|---|---|\n| Danube | very short |", ["| Danube | very short |"]),
        ("| River | Its length |\n\nSo.\n\n| River | Its mouth |\n", ["So."]),
        ("| River | 2,850 km |", ["| River | 2,850 km |"]),
        ("| River | It did not flood in May |", ["| River | It did not flood in May |"]),
        ("| River | very short [1] |", ["| River | very short |"]),
        ("Danube, very short", ["Danube, very short"]),
    ],
)
async def test_the_head_of_a_table_claims_nothing(text: str, claims: list[str]) -> None:
    assert [claim.text for claim in (await checked(text)).claims] == claims


async def test_a_draft_s_row_is_told_from_its_head() -> None:
    rows = ("| River | Length |", "\n|---|---|", "\n| Danube | very short |")
    spans = (Span(0, 18), Span(18, 28), Span(28, 52))
    draft = Draft("".join(rows), ("p1",), spans)
    evidence = Evidence((Hit(passage(), 1.0),))
    verifier = DeterministicVerifier()
    assert (await verifier.review(Question("", ""), evidence, replace(draft, spans=spans[:1]))).claims == ()
    assert len((await verifier.review(Question("", ""), evidence, draft, after=2)).claims) == 1


async def test_nothing_to_compare_with_is_unknown_with_a_cause() -> None:
    review = await DeterministicVerifier().check("The Danube is long.", ())
    [claim] = review.claims
    assert (claim.support, claim.verdict) == (None, Verdict.UNKNOWN)
    [check] = named(review, "support")
    assert check.status is Status.UNKNOWN
    assert check.cause


async def test_a_check_switched_off_is_skipped_and_says_so() -> None:
    review = await checked("The Danube is 2,950 km long. [4]", skip=frozenset(CHECKS))
    assert {each.status for each in review.checks} == {Status.SKIPPED}
    assert {each.name for each in review.checks} == set(CHECKS)


async def test_review_reads_numbers_as_the_draft_does() -> None:
    first, second = passage(name="p1"), passage("Ulm lies in Germany.", "p2", 0)
    evidence = Evidence((Hit(first, 1.0), Hit(second, 0.5)))
    draft = Draft("Ulm lies in Germany. [1] The Danube is 2,850 km long. [2]", ("p2", "p1"))
    review = await DeterministicVerifier().review(Question("Where?", "Where?"), evidence, draft)
    assert [claim.citations for claim in review.claims] == [("p2",), ("p1",)]
    assert review.verdict is Verdict.SUPPORTED


async def test_a_source_that_is_gone_makes_its_marks_invalid() -> None:
    draft = Draft("Ulm lies in Germany. [1]", ("gone",))
    review = await DeterministicVerifier().review(
        Question("Where?", "Where?"), Evidence((Hit(passage(), 1.0),)), draft
    )
    assert review.invalid_citations == ("[1]",)


async def test_one_claim_is_judged_whole() -> None:
    review = await DeterministicVerifier().check("It is long. It is quiet.", (passage(),), one_claim=True)
    assert [claim.text for claim in review.claims] == ["It is long. It is quiet."]


async def test_failed_checks_take_from_the_support() -> None:
    text = "Exports to Spain fell by 12 % in 2020."
    [weak] = (await checked(text)).claims
    [kept] = (await checked(text, skip=frozenset({"comparison"}))).claims
    assert weak.support is not None
    assert kept.support is not None
    assert weak.support == pytest.approx(SHARE_AFTER_FAILURE * kept.support)


async def test_words_that_their_sentence_takes_back_are_no_quote() -> None:
    source = passage("It is false that the old mill burned down in winter.")
    [claim] = (await checked("The old mill burned down in winter.", source)).claims
    assert claim.history[-1].by != "quote"


async def test_a_bare_yes_is_not_tested_and_says_so() -> None:
    review = await checked("Yes. [1] It did not flood in May 2021. [1]")
    assert [claim.text for claim in review.claims] == ["It did not flood in May 2021."]
    [untested] = [each for each in review.checks if each.status is Status.UNKNOWN]
    assert untested.severity is Severity.WARN


async def test_a_claim_with_marks_inside_keeps_true_places() -> None:
    text = "The Danube [1] has a length of 2,950 km [1]."
    review = await checked(text)
    assert review.claims[0].text == "The Danube has a length of 2,950 km."
    [failed] = [each for each in named(review, "numbers") if each.status is Status.FAILED]
    assert failed.answer_span is not None
    assert text[failed.answer_span.start : failed.answer_span.end] == "2,950 km"


async def test_more_numbers_than_are_compared_are_said_to_be_unknown() -> None:
    review = await checked(" ".join(f"{n + 0.5}" for n in range(150)))
    unknown = [each for each in named(review, "numbers") if each.status is Status.UNKNOWN]
    assert len(named(review, "numbers")) == 101
    assert "150" in (unknown[0].cause or "")


async def test_vectors_are_asked_for_once_and_only_where_needed() -> None:
    embedder = Counting()
    verifier = DeterministicVerifier(embedder)
    await verifier.check("It did not flood in May 2021.", (passage(),))
    await verifier.check("ダニューブ川は長い川です。とても長い。", (passage(),))
    assert embedder.asked == []
    review = await verifier.check("A river did flood nothing. Another river flooded.", (passage(),))
    assert len(embedder.asked) == 1
    assert len(set(embedder.asked[0])) == len(embedder.asked[0])
    assert all(claim.support is not None for claim in review.claims)


class Counting:
    """An embedder that gives every text a vector by its length, and keeps what it was asked."""

    model = EmbeddingModel("counting", 4, "0")

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        rows = np.array([[1.0, len(text) % 7, len(text) % 5, 1.0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
