"""A value of the source in the place of a wrong one: only where one is surely meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from assay.repair.exchange import Weights, best_offer, exchange_values, offers, shipped_weights
from assay.types import (
    Check,
    Claim,
    Edit,
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

SOURCE = (
    "The bridge was built from 1886 to 1894 by Horace Jones. About 40,000 people and 900 cars cross it daily. "
    "It is not open to lorries of more than 18 tonnes."
)
PASSAGE = Passage("p1", "p1", "r1", 0, len(SOURCE), SOURCE)
EVIDENCE = Evidence((Hit(PASSAGE, 1.0),))
# The surroundings alone are not enough, nor is the checker alone.
WEIGHTS = Weights("", -3.0, {"checker": 0.5, "near": 1.0, "beside": 1.0, "share": 2.0}, 2.0)
ASKED = Question("How many cross it?", "How many cross it?")


@dataclass
class Reading:
    """A weigher that reads each text as it was told, and knows no other text."""

    odds: Mapping[str, float | None]
    read: list[str] = field(default_factory=list)

    async def weigh(self, claims: Sequence[str], passages: tuple[Passage, ...]) -> tuple[float | None, ...]:
        self.read += claims
        return tuple(self.odds[text] for text in claims)


def review(text: str, wrong: str = "", *names: str, verdict: Verdict = Verdict.UNKNOWN) -> Review:
    """A review in which these checks could not be made of the wrong words."""
    start = text.index(wrong)
    place = Span(start, start + len(wrong))
    checks = tuple(Check(name, Status.UNKNOWN, Severity.BLOCK, 1, "no source says it", place) for name in names)
    return Review((Claim(1, text, 0, len(text), ("p1",), verdict, 0.4),), checks, ())


async def mended(
    text: str, given: Review, odds: Mapping[str, float | None], question: Question = ASKED
) -> str | None:
    """The text as it is mended."""
    found = await exchange_values(Reading(odds), WEIGHTS, question, EVIDENCE, Sentence(1, text, ("p1",)), given, 0)
    assert found is None or found.weighed
    return None if found is None or found.sentence is None else found.sentence.text


CROSSED = "Each day some 45,000 people get across."
RIGHT, OTHER = CROSSED.replace("45,000", "40,000"), CROSSED.replace("45,000", "900")
TRIED = {CROSSED: -3.0, RIGHT: 3.0, OTHER: -1.0}
DOUBTED = review(CROSSED, "45,000", "numbers")


async def test_the_value_that_is_far_likelier_than_any_other_is_put_in():
    assert await mended(CROSSED, DOUBTED, TRIED) == RIGHT


@pytest.mark.parametrize("now", [2.0, 4.0])
async def test_nothing_is_put_in_where_the_claim_is_as_likely_as_it_stands(now: float):
    assert await mended(CROSSED, DOUBTED, TRIED | {CROSSED: now, RIGHT: -2.0}) is None


async def test_nothing_is_put_in_where_another_value_is_as_likely():
    source = "40,000 people get across each day. In summer 60,000 people get across each day."
    passage = Passage("p1", "p1", "r1", 0, len(source), source)
    evidence, sentence = Evidence((Hit(passage, 1.0),)), Sentence(1, CROSSED, ("p1",))
    other = CROSSED.replace("45,000", "60,000")
    for odds, wanted in (({RIGHT: 3.0, other: 3.0}, False), ({RIGHT: 3.0, other: -6.0}, True)):
        on = Reading({CROSSED: -3.0} | odds)
        found = await exchange_values(on, WEIGHTS, ASKED, evidence, sentence, DOUBTED, 0)
        assert (found is not None) == wanted


async def test_nothing_is_put_in_where_the_checker_does_not_read_the_claim():
    assert await mended(CROSSED, DOUBTED, TRIED | {CROSSED: None}) is None


@pytest.mark.parametrize(
    "given", [review(CROSSED, "45,000", "numbers", verdict=Verdict.SUPPORTED), review(CROSSED)]
)
async def test_what_is_borne_out_or_was_worked_out_is_not_even_read(given: Review):
    assert await mended(CROSSED, given, {}) is None


async def test_a_value_that_was_asked_about_is_left():
    asked = Question("Do 45,000 cross it?", "Do 45,000 cross it?")
    assert await mended(CROSSED, DOUBTED, {}, asked) is None


@pytest.mark.parametrize(
    "said",
    [
        "Each day forty-five thousand get across.",
        'It says "45,000 people".',
        "Each day 5,000 more people get across.",
        "All who cross it come to 45,000 people.",
        "Each day 45,000–50,000 people get across.",
        "It is John Smith's work.",
    ],
)
def test_what_is_spelt_out_or_quoted_or_worked_out_is_left(said: str):
    assert offers(WEIGHTS, said, [Span(0, len(said))], ASKED, (PASSAGE,)) == ()


@pytest.mark.parametrize(
    ("said", "wrong", "without"),
    [
        ("Some 45,000 people do not cross it daily.", "45,000", "do not "),
        ("The bridge was not built by John Smith.", "John Smith", "not "),
    ],
)
def test_a_denial_takes_no_number_and_no_name_of_a_sentence_that_denies_nothing(
    said: str, wrong: str, without: str
):
    for text, wanted in ((said, False), (said.replace(without, ""), True)):
        at = text.index(wrong)
        found = offers(WEIGHTS, text, [Span(at, at + len(wrong))], ASKED, (PASSAGE,))
        assert bool(found) == wanted


@pytest.mark.parametrize(
    ("said", "wrong", "source"),
    [
        ("It takes 10 days.", "10", "It takes 30–60 days."),
        ("The builder is Mary Kay.", "Mary Kay", "As its builder I'd say so."),
        ("It takes 60 days.", "60", "It takes sixty days."),
        ("The builder is Mary Kay.", "Mary Kay", "It is the work of Horace Jones’s hands."),
    ],
)
def test_a_range_is_no_number_i_am_no_name_and_the_same_is_nothing_else(said: str, wrong: str, source: str):
    passage, at = Passage("p1", "p1", "r1", 0, len(source), source), said.index(wrong)
    assert offers(WEIGHTS, said, [Span(at, at + len(wrong))], ASKED, (passage,)) == ()


async def test_a_value_that_stands_elsewhere_in_the_source_is_exchanged_too():
    begun = "Horace Jones had built the bridge from 1894 on."
    right = begun.replace("1894", "1886")
    built = review(begun, "1894", "dates")
    assert await mended(begun, built, {begun: -5.0, right: 4.0}) == right


async def test_a_name_is_exchanged_for_a_name_and_a_year_for_a_year():
    built = "The bridge was built by John Smith."
    right = built.replace("John Smith", "Horace Jones")
    assert await mended(built, review(built, "John Smith", "names"), {built: -4.0, right: 4.0}) == right
    ended = "Building the bridge went on from 1886 to 1899."
    odds = {ended: -4.0, ended.replace("1899", "1894"): 4.0, ended.replace("1886", "1894"): -6.0}
    assert await mended(ended, review(ended, "1899", "dates"), odds) == ended.replace("1899", "1894")


async def test_each_claim_of_a_sentence_is_weighed_by_itself():
    first, second = "About 45,000 people cross it daily", "700 cars cross it daily."
    text = f"{first}, and {second}"
    claims = tuple(
        Claim(n, said, text.index(said), text.index(said) + len(said), ("p1",), Verdict.UNKNOWN, 0.4)
        for n, said in enumerate((first, second), 1)
    )
    checks = tuple(
        Check(
            "numbers", Status.FAILED, Severity.BLOCK, n, "", Span(text.index(wrong), text.index(wrong) + len(wrong))
        )
        for n, wrong in ((1, "45,000"), (2, "700"))
    )
    readings = {}
    for said, wrong, right in ((first, "45,000", "40,000"), (second, "700", "900")):
        for value, odds in ((wrong, -5.0), ("40,000", -5.0), ("900", -5.0), (right, 4.0)):
            readings[said.replace(wrong, value)] = odds
    sentence = Sentence(1, text, ("p1",))
    found = await exchange_values(
        Reading(readings), WEIGHTS, ASKED, EVIDENCE, sentence, Review(claims, checks, ()), 0
    )
    assert found is not None
    assert found.sentence is not None
    assert found.sentence.text == text.replace("45,000", "40,000").replace("700", "900")
    assert found.reason == "the source says '40,000' and not '45,000'; the source says '900' and not '700'"


def test_an_offer_is_only_taken_from_its_bar_on():
    (likeliest, *_) = offers(WEIGHTS, CROSSED, [Span(14, 20)], ASKED, (PASSAGE,))
    weights = Weights("", 1.0, {"near": 0.0}, 1.0)
    assert best_offer(weights, [likeliest]) is likeliest
    assert best_offer(Weights("", 0.9, {"near": 0.0}, 1.0), [likeliest]) is None
    assert best_offer(weights, [likeliest, likeliest]) is None
    assert best_offer(weights, []) is None


def test_the_weights_that_ship_are_of_the_checker_that_ships():
    import assay_models

    from assay.models.checker import OnnxChecker
    from assay.wiring.networks import BUNDLED_CHECKER

    held = OnnxChecker.load(assay_models.folder(BUNDLED_CHECKER)).model.id
    assert shipped_weights().checker == held, "the checker is another one: run benchmarks/fix/choose.py"


FEW = "The bridge is crossed by 800 cars a day."


def test_a_value_that_a_failed_check_names_has_a_lower_bar() -> None:
    [first, *_] = offers(WEIGHTS, FEW, (Span(25, 28),), ASKED, (PASSAGE,))
    inputs = {"checker": 0.0, "near": 1.5, "beside": 0.0, "share": 0.0}
    weights = Weights("", 0.0, dict.fromkeys(inputs, 1.0), 2.0)
    likely = replace(first, edit=Edit(25, 28, "900", ""), inputs=inputs, odds=1.0)
    assert best_offer(weights, [likely]) is None
    assert best_offer(weights, [likely], ["900"]) == likely
    assert best_offer(weights, [likely], ["700"]) is None
    assert best_offer(weights, [replace(likely, odds=-0.1)], ["900"]) is None
