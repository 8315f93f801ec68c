"""A value of the source in the place of one that stands in no source: only where one is clearly the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from assay.repair.exchange import exchanged
from assay.types import (
    Check,
    Claim,
    Evidence,
    Hit,
    Passage,
    Question,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)

SOURCE = "The bridge was built from 1886 to 1894 by Horace Jones. About 40,000 people and 900 cars cross it daily."
PASSAGE = Passage("p1", "p1", "r1", 0, len(SOURCE), SOURCE)
EVIDENCE = Evidence((Hit(PASSAGE, 1.0),))
ASKED = Question("How many cross it?", "How many cross it?")


@dataclass
class Reading:
    """A verifier that finds each text supported as far as it was told, and knows no other text."""

    support: Mapping[str, float]

    async def check(self, text: str, passages: tuple[Passage, ...], *, one_claim: bool = False) -> Review:
        assert one_claim
        support = self.support[text]
        verdict = Verdict.SUPPORTED if support >= 0.8 else Verdict.UNKNOWN
        return Review((Claim(1, text, 0, len(text), (), verdict, support),), (), ())


def review(text: str, wrong: str, *names: str, verdict: Verdict = Verdict.UNKNOWN) -> Review:
    """A review in which these checks could not be made of the wrong words."""
    start = text.index(wrong)
    place = Span(start, start + len(wrong))
    checks = tuple(Check(name, Status.UNKNOWN, Severity.BLOCK, 1, "no source says it", place) for name in names)
    return Review((Claim(1, text, 0, len(text), ("p1",), verdict, 0.4),), checks, ())


async def mended(text: str, given: Review, support: Mapping[str, float], question: Question = ASKED) -> str | None:
    """The text as it is mended."""
    sentence = Sentence(1, text, ("p1",))
    found = await exchanged(Reading(support), question, EVIDENCE, sentence, given, 0)  # type: ignore[arg-type]
    return None if found is None or found.sentence is None else found.sentence.text


CROSSED = "Each day some 45,000 people get across."
TRIED = {CROSSED.replace("45,000", "40,000"): 0.9, CROSSED.replace("45,000", "900"): 0.3}


async def test_the_only_value_that_bears_the_claim_out_is_put_in():
    assert await mended(CROSSED, review(CROSSED, "45,000", "numbers"), TRIED) == CROSSED.replace("45,000", "40,000")


@pytest.mark.parametrize("second", [0.81, 0.9])
async def test_nothing_is_put_in_where_two_values_would_do_as_well(second: float):
    near = TRIED | {CROSSED.replace("45,000", "900"): second}
    assert await mended(CROSSED, review(CROSSED, "45,000", "numbers"), near) is None


async def test_nothing_is_put_in_where_the_claim_stays_unknown():
    weak = dict.fromkeys(TRIED, 0.5)
    assert await mended(CROSSED, review(CROSSED, "45,000", "numbers"), weak) is None


@pytest.mark.parametrize(
    "given",
    [
        review(CROSSED, "45,000", "numbers", verdict=Verdict.SUPPORTED),
        review(CROSSED, "45,000"),
        review(CROSSED.replace("45,000", "900"), "900", "numbers"),
    ],
)
async def test_what_is_borne_out_or_stands_in_a_source_is_left(given: Review):
    assert await mended(given.claims[0].text, given, {}) is None


async def test_a_value_that_was_asked_about_is_left():
    asked = Question("Do 45,000 cross it?", "Do 45,000 cross it?")
    assert await mended(CROSSED, review(CROSSED, "45,000", "numbers"), TRIED, asked) is None


async def test_a_name_is_exchanged_for_a_name_and_a_year_for_a_year():
    built = "The architect was John Smith."
    right = built.replace("John Smith", "Horace Jones")
    assert await mended(built, review(built, "John Smith", "names"), {right: 0.9}) == right
    ended = "Building came to its end in 1899."
    tried = {ended.replace("1899", "1886"): 0.2, ended.replace("1899", "1894"): 0.9}
    assert await mended(ended, review(ended, "1899", "dates"), tried) == ended.replace("1899", "1894")
