"""Sentences copied from a source with one thing changed: what each check says of it, and what it says instead."""

from __future__ import annotations

import pytest

from assay.nlp.alignment import copy_of
from assay.nlp.analysis import analyse
from assay.types import Check, FindingKind, Passage, Review, Severity, Status, Verdict
from assay.verification.verifier import DeterministicVerifier

SOURCE = (
    "The Borg bank bought the mill of Ulm for 90 million euros on 3 May 1932. It is open to visitors. "
    "Ada Lovelace taught Charles Babbage to program three machines in London. "
    "The mill was not closed during the war. "
    "Some 300 people work there."
)


def passage(text: str = SOURCE, name: str = "p1") -> Passage:
    return Passage(name, name, "r1", 10, 10 + len(text), text, title=name)


async def checked(text: str, *passages: Passage) -> Review:
    return await DeterministicVerifier().check(text, passages or (passage(),))


def failed(review: Review) -> list[Check]:
    return [each for each in review.checks if each.status is Status.FAILED and each.name != "support"]


CHANGES = [
    ("The Borg bank bought the mill of Ulm for 80 million euros on 3 May 1932.", FindingKind.WRONG_NUMBER,
     "80 million euros", "90 million euros"),
    ("The Borg bank bought the mill of Ulm for 90 billion euros on 3 May 1932.", FindingKind.WRONG_NUMBER,
     "90 billion euros", "90 million euros"),
    ("Ada Lovelace taught Charles Babbage to program four machines in London.", FindingKind.WRONG_NUMBER,
     "four", "three"),
    ("The Borg bank bought the mill of Ulm for 90 million euros on 4 May 1932.", FindingKind.WRONG_DATE,
     "4 May 1932", "3 May 1932"),
    ("The Borg bank bought the mill of Ulm for 90 million euros on 3 May 1923.", FindingKind.WRONG_DATE,
     "3 May 1923", "3 May 1932"),
    ("Ada Lovelace taught Charles Darwin to program three machines in London.", FindingKind.WRONG_NAME,
     "Charles Darwin", "Charles Babbage"),
    ("Ada Lovelace taught Charles Babbage to program three machines in Ulm.", FindingKind.WRONG_NAME,
     "Ulm", "London"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "said", "expected"), CHANGES)
async def test_a_changed_value_is_found_where_it_stands_with_the_sources_own(
    text: str, kind: FindingKind, said: str, expected: str
) -> None:
    [check] = failed(await checked(text))
    assert check.answer_span is not None
    assert (check.kind, text[check.answer_span.start : check.answer_span.end]) == (kind, said)
    assert check.expected == expected
    assert check.source_span is not None
    assert check.source_span.quote == SOURCE[check.source_span.start - 10 : check.source_span.end - 10]


@pytest.mark.parametrize(
    "text",
    [
        "The mill was closed during the war.",
        "It is not open to visitors.",
        "It isn't open to visitors.",
        "Ada Lovelace never taught Charles Babbage to program three machines in London.",
        "It is not true that the Borg bank bought the mill of Ulm for 90 million euros.",
    ],
)
async def test_a_denial_put_in_or_left_out_is_found(text: str) -> None:
    review = await checked(text)
    assert FindingKind.NEGATION in {each.kind for each in failed(review)}
    assert review.verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    "text",
    [
        "Charles Babbage taught Ada Lovelace to program three machines in London.",
        "The mill of Ulm bought the Borg bank for 90 million euros on 3 May 1932.",
    ],
)
async def test_names_that_changed_places_contradict(text: str) -> None:
    [check] = [each for each in failed(await checked(text)) if each.name == "roles"]
    assert check.kind is FindingKind.CONTRADICTED


@pytest.mark.parametrize(
    "text",
    [
        "On 3 May 1932 the Borg bank bought the mill of Ulm for 90 million euros.",
        "Three machines were programmed in London.",
        "Charles Babbage was taught by Ada Lovelace.",
        "The Borg bank bought the mill of Ulm.",
        "The mill was not closed during the war.",
        "If the mill was not open, people could not visit it.",
    ],
)
async def test_other_wording_turns_nothing_round(text: str) -> None:
    found = {each.name for each in failed(await checked(text))}
    assert not found & {"roles", "negation", "names", "dates"}


async def test_words_put_into_a_copied_sentence_are_an_addition() -> None:
    text = "Some 300 people work there, because their grandparents feared a flood of gold."
    [check] = [each for each in failed(await checked(text)) if each.kind is FindingKind.UNSUPPORTED_ADDITION]
    assert check.answer_span is not None
    assert "grandparents feared" in text[check.answer_span.start : check.answer_span.end]


async def test_words_that_another_sentence_holds_are_no_addition() -> None:
    review = await checked("Some 300 people work there, and it is open to visitors.")
    assert not [each for each in failed(review) if each.name == "additions"]


async def test_a_sentence_cited_to_the_wrong_passage_names_the_right_one() -> None:
    other = passage("Boats are built of oak and pine in the yards of the coast.", "p2")
    [check] = failed(await checked("It is open to visitors. [2]", passage(), other))
    assert (check.kind, check.severity) == (FindingKind.WRONG_PASSAGE, Severity.BLOCK)
    assert check.source_span is not None
    assert (check.source_span.passage_id, check.source_span.quote) == ("p1", "It is open to visitors")


async def test_a_citation_that_bears_nothing_is_decorative() -> None:
    other = passage("Boats are built of oak and pine in the yards of the coast.", "p2")
    text = "It is open to visitors. [1][2]"
    [check] = failed(await checked(text, passage(), other))
    assert (check.kind, check.severity) == (FindingKind.DECORATIVE_CITATION, Severity.WARN)
    assert check.answer_span is not None
    assert text[check.answer_span.start : check.answer_span.end] == "[2]"


async def test_two_passages_that_bear_a_claim_together_are_both_needed() -> None:
    first, second = passage("The mill stands in Ulm.", "p1"), passage("The mill of Ulm burned in 1901.", "p2")
    review = await checked("The mill stands in Ulm and burned in 1901. [1][2]", first, second)
    assert not [each for each in failed(review) if each.kind is FindingKind.DECORATIVE_CITATION]


async def test_a_mark_of_no_source_is_a_fabricated_reference() -> None:
    [check] = [each for each in failed(await checked("It is open to visitors. [7]")) if each.name == "citations"]
    assert check.kind is FindingKind.FABRICATED_REFERENCE


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The SSRI helped all of them.", "Selective serotonin reuptake inhibitors helped all of them."),
        ("Open reading frames (ORFs) were found, and ORFs matter.", "Several open reading frames were found."),
        ("One fifth of the visitors come from Spain.", "Of the visitors, 20 % come from Spain."),
        ("The bridge was opened in 1932.", "The bridge was opened on 3 May 1932 by the king."),
        ("She drives car No. 5 for the team.", "For the team she drives car No. 5 in each race."),
        ("The rent is 4,200 euros a year.", "Die Miete beträgt 4.200 Euro im Jahr."),
        ("They will develop a British version.", "They will develop a U.K. version of it."),
        ("The Dutch team won the race.", "The race was won by the team of the Netherlands."),
        ("It fires a shell of 23 lb at speed.", "It hurls a 23-pound shell at speed."),
        ("It is 18 in (457.2 mm) long.", "It has a length of 18 inches."),
        (
            "The mill is a plant, located 230 metres below the surface.",
            "The mill is a plant, located 230 metres under ground.",
        ),
        ("In each ratio, Higher numbers mean a longer glide.", "A glide is longer where the ratio is larger."),
        ("He was bishop of Arba from 11 June 2003.", "He was bishop of Arba (2003.06.11 - 2018.11.22)."),
        ("Charcoal shows no benefit for this poisoning.", "Charcoal had little benefit for this poisoning."),
        (
            "The Speaker appoints the head of it.",
            "The Report appoints the head of it. A report goes to the Speaker, a speaker by trade.",
        ),
    ],
)
async def test_what_is_only_written_otherwise_fails_no_check(text: str, source: str) -> None:
    assert failed(await checked(text, passage(source))) == []


@pytest.mark.parametrize(
    ("text", "source", "support"),
    [
        ("The bridge was opened in 1932.", "The bridge was opened on 3 May 1932.", True),
        ("One fifth of the visitors come from Spain.", "20 % of the visitors come from Spain.", True),
        ("The bridge was opened on 3 May 1932.", "The bridge was opened in 1932.", False),
        ("The bridge was closed in 1932.", "The bridge was opened on 3 May 1932.", False),
    ],
)
async def test_a_value_written_otherwise_is_said_all_the_same(text: str, source: str, support: bool) -> None:
    [claim] = (await checked(text, passage(source))).claims
    assert (claim.support == 1.0) == support
    assert (claim.verdict is Verdict.SUPPORTED) == support


async def test_a_claim_judged_whole_is_compared_sentence_by_sentence() -> None:
    text = "It is open to visitors. Some 400 people work there."
    review = await DeterministicVerifier().check(text, (passage(),), one_claim=True)
    [check] = failed(review)
    assert (check.kind, check.expected) == (FindingKind.WRONG_NUMBER, "300")


def test_what_has_little_in_common_is_no_copy() -> None:
    assert (
        copy_of(analyse("It is open to visitors."), analyse("Boats are built of oak and pine in the yards."))
        is None
    )


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The fee is refundable and transferable.", "The fee is not refundable and not transferable."),
        (
            "In summer fires may be lit near the lake by visitors.",
            "No dogs are admitted to the park, and visitors may not light fires near the lake in summer.",
        ),
        (
            "The bridge was not opened yet in 1932 and will stay open for good.",
            "The bridge was opened in 1932 and will stay open for good.",
        ),
    ],
)
async def test_a_second_denial_is_no_exception_and_what_stays_is_no_plan(text: str, source: str) -> None:
    review = await checked(text, passage(source))
    assert ("negation", FindingKind.NEGATION) in {(each.name, each.kind) for each in failed(review)}
    assert review.claims[0].verdict is Verdict.CONTRADICTED


async def test_an_exception_leaves_a_denial_open() -> None:
    source = "The tenant must not sublet the flat without written consent."
    for text in ("The tenant must sublet the flat with written consent.", "Subletting the flat requires consent."):
        assert all(each.name != "negation" for each in failed(await checked(text, passage(source))))


async def test_pounds_of_money_and_of_weight_are_told_apart_by_nothing_but_kilograms_are() -> None:
    source = passage("The shell cost £23 in 1990.")
    assert [each.name for each in failed(await checked("The shell weighs 23 kg.", source))] == ["numbers"]
    assert failed(await checked("The 23-pound shell is of 1990.", source)) == []


@pytest.mark.parametrize(
    ("said", "source", "statuses"),
    [
        ("She fixed the Y2K bug of the mill.", "She fixed the Y2J bug of the mill.", [Status.FAILED]),
        ("She fixed the Y2K bug of the mill.", "She fixed the Y2K bug of the mill.", []),
        (
            "She fixed the Y2K bug of the mill.",
            "The bug in lot K of the mill was fixed under Y2.",
            [Status.UNKNOWN],
        ),
    ],
)
async def test_a_name_of_letters_and_digits_is_compared_as_one(said: str, source: str, statuses: list[Status]):
    found = await checked(said, passage(source))
    named = [each for each in found.checks if each.name == "names" and each.status is not Status.PASSED]
    assert [each.status for each in named] == statuses
    assert all("'Y2K'" in (each.cause or "") for each in named)
