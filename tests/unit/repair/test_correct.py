"""Wrong values: the source's own are put in, and the words around them still fit."""

from __future__ import annotations

import pytest

from assay.repair.correct import correct_values
from assay.repair.rules import RulesRepairer
from assay.repair.wording import apply_edit, date_in_form, fit_value
from assay.types import (
    Check,
    Edit,
    Evidence,
    FindingKind,
    Hit,
    Passage,
    Question,
    RepairKind,
    Review,
    Sentence,
    Severity,
    SourceSpan,
    Span,
    Status,
)

from .conftest import EVIDENCE

QUESTION = Question("What is known of them?", "What is known of them?")


def put(text: str, wrong: str, expected: str) -> str:
    start = text.index(wrong)
    return apply_edit(text, fit_value(text, Span(start, start + len(wrong)), expected))


@pytest.mark.parametrize(
    ("text", "wrong", "expected", "mended"),
    [
        ("It cost 5 million dollars.", "5 million dollars", "4 million dollars", "It cost 4 million dollars."),
        ("It cost $5 million.", "5 million", "$4 million", "It cost $4 million."),
        ("It is 7 km long.", "7", "5.2 km", "It is 5.2 km long."),
        ("It grew by 7 %.", "7", "5%", "It grew by 5 %."),
        ("It grew by 7 percent.", "7", "5 %", "It grew by 5 percent."),
        ("It grew by 7%.", "7%", "5%", "It grew by 5%."),
        ("It was a 5-year plan.", "5-year", "8 years", "It was an 8-year plan."),
        ("An 18-month delay.", "18-month", "3 months", "A 3-month delay."),
        ("Five people came.", "Five", "seven", "Seven people came."),
        ("- five people came.", "five", "Seven", "- seven people came."),
        ("- Five people came.", "Five", "seven", "- Seven people came."),
        ("It was an FBI agent.", "FBI", "CIA", "It was a CIA agent."),
        ("It was an hour away.", "hour", "one-hour drive", "It was a one-hour drive away."),
        ("Ada's engine won.", "Ada's", "Charles Babbage", "Charles Babbage's engine won."),
        ("Ada's engine won.", "Ada", "Charles Babbage's", "Charles Babbage's engine won."),
        ("The Jones' engine won.", "Jones'", "Adams", "The Adams' engine won."),
        ("President Jane Roe signed.", "Jane Roe", "President Joan Doe", "President Joan Doe signed."),
        ("The Roe Committee met.", "Roe", "Doe Committee", "The Doe Committee met."),
        ("It opened on 3 May 1931.", "3 May 1931", "1932-05-04", "It opened on 4 May 1932."),
        ("It opened on May 3, 1931.", "May 3, 1931", "4 May 1932", "It opened on May 4, 1932."),
        ("On the 3rd of May 1931.", "3rd of May 1931", "22 May 1932", "On the 22nd of May 1932."),
        ("It opened in 1931.", "1931", "4 May 1932", "It opened in 1932."),
        ("It opened in May 1931.", "May 1931", "4 June 1932", "It opened in June 1932."),
        ("It opened on 3 May 1931.", "3 May 1931", "1932", "It opened in 1932."),
        ("On 3 May 1931 it opened.", "3 May 1931", "June 1932", "In June 1932 it opened."),
        ("It opened in 1931.", "1931", "the 1920s", "It opened in the 1920s."),
        ("It opened on 3/5/1931.", "3/5/1931", "4 May 1932", "It opened on 4 May 1932."),
        ("Es kostete 5 Euro.", "5 Euro", "4 Euro", "Es kostete 4 Euro."),
        ("它于1931年开放。", "1931年", "1932年", "它于1932年开放。"),
    ],
)  # fmt: skip
def test_a_value_fits_where_it_is_put(text: str, wrong: str, expected: str, mended: str):
    assert put(text, wrong, expected) == mended


@pytest.mark.parametrize("said", ["3-5 May", "the 1990s", "1998-2003", "Sunday", "about 1931", ""])
def test_what_has_no_plain_form_of_a_date_is_in_the_sources_words(said: str):
    assert date_in_form(said, "4 May 1932") is None


def said(text: str) -> Evidence:
    """One passage that says this."""
    return Evidence((Hit(Passage("p", "d", "r", 0, len(text), text), 1.0),))


async def mended(case, evidence: Evidence = EVIDENCE):
    return await RulesRepairer(None).repair(  # type: ignore[arg-type]
        RepairKind.CORRECT, QUESTION, evidence, case.sentence, case.review, case.begins
    )


async def test_a_wrong_date_is_corrected_where_it_stands_in_the_draft(reviewed):
    made = await mended(await reviewed("\n- The bridge was opened on May 3, 1933 by the mayor.", "bridge"))
    assert made.sentence.text == "\n- The bridge was opened on May 3, 1932 by the mayor."
    assert made.sentence.passage_ids == ("bridge",)
    assert "1933" in made.reason


async def test_every_wrong_value_of_a_sentence_is_corrected(reviewed):
    made = await mended(
        await reviewed("The bridge was opened on 4 May 1932 by the mayor; it cost 5 million dollars.", "bridge")
    )
    assert made.sentence.text == "The bridge was opened on 3 May 1932 by the mayor; it cost 4 million dollars."


async def test_a_denial_is_put_in_where_the_source_has_it(reviewed):
    made = await mended(await reviewed("The tunnel was closed in 1950.", "tunnel"))
    assert made.sentence.text == "The tunnel was not closed in 1950."


async def test_a_denial_is_taken_out_where_the_source_has_none(reviewed):
    made = await mended(await reviewed("It did not cost 4 million dollars.", "bridge"))
    assert made.sentence.text == "It cost 4 million dollars."


async def test_nothing_is_offered_where_no_check_says_otherwise(reviewed):
    assert await mended(await reviewed("Purple elephants live in Kenya.", "bridge")) is None


def wrong_number(text: str, wrong: str, expected: str | None, status: Status = Status.FAILED) -> Review:
    start = text.index(wrong)
    place = Span(start, start + len(wrong))
    source = SourceSpan("p", 0, 1, "")
    return Review((), (Check("numbers", status, Severity.BLOCK, 1, "why", place, source, expected=expected),), ())


@pytest.mark.parametrize("text", ['He said "it cost 5 dollars".', "He said “it cost 5 dollars”.", "Use `x = 5`."])
def test_quotations_and_code_are_never_touched(text: str):
    there = said(text.replace("5", "4"))
    assert correct_values(QUESTION, there, Sentence(1, text), wrong_number(text, "5", "4"), 0) is None


@pytest.mark.parametrize(
    "review",
    [
        wrong_number("It cost 5.", "5", None),
        wrong_number("It cost 5.", "5", "4", Status.PASSED),
        wrong_number("It cost 5.", "5", "4", Status.SKIPPED),
        Review((), (Check("numbers", Status.FAILED, Severity.BLOCK, 1, "why", None, expected="4"),), ()),
        Review((), (Check("numbers", Status.FAILED, Severity.BLOCK, 1, "why", Span(90, 91), expected="4"),), ()),
        Review((), (), ()),
    ],
)
def test_only_a_failed_check_with_a_place_in_the_sentence_changes_it(review: Review):
    assert correct_values(QUESTION, said("It cost 4."), Sentence(1, "It cost 5."), review, 0) is None


def test_of_a_claim_with_two_wrong_values_none_is_corrected():
    text = "In June it sold 55 bikes."
    checks = wrong_number(text, "55", "40").checks + wrong_number(text, "June", "May").checks
    there = said("In May it sold 40 bikes.")
    assert correct_values(QUESTION, there, Sentence(1, text), Review((), checks, ()), 0) is None


@pytest.mark.parametrize(
    ("text", "wrong", "expected", "source"),
    [
        ("In June the shop sold 55 bikes.", "55", "40", "In May the shop sold 40 bikes."),
        ("More than a thousand people work.", "thousand", "1,200", "1,200 people work."),
        ("It has 130 rooms.", "130", "100", "It has more than 100 rooms."),
        ("In 2023 it had 3,900.", "3,900", "3,400", "In 2023 it had 3,400, and 3,900 a year later."),
        ("Rooms cost 130 euros.", "130", "80", "Rooms may cost 80 euros."),
        ("Marie Curie died in 1935.", "1935", "1867", "Marie Curie was born in 1867."),
    ],
)
def test_what_no_source_sentence_says_with_its_own_value_is_left(text, wrong, expected, source):
    assert correct_values(QUESTION, said(source), Sentence(1, text), wrong_number(text, wrong, expected), 0) is None


def test_a_name_that_was_asked_about_is_never_replaced():
    text, asked = "The Elbe is 1,230 km long.", Question("How long is the Elbe?", "How long is the Elbe?")
    review, there = wrong_number(text, "Elbe", "Rhine"), said("The Rhine is 1,230 km long.")
    assert correct_values(asked, there, Sentence(1, text), review, 0) is None
    assert correct_values(QUESTION, there, Sentence(1, text), review, 0) is not None


@pytest.mark.parametrize(
    ("text", "cue", "source", "mended"),
    [
        ("It was not sold.", "not", "It was sold.", "It was sold."),
        ("It wasn't sold.", "wasn't", "It was sold.", "It was sold."),
        ("It cannot fly.", "cannot", "It can fly.", "It can fly."),
        ("It did not open in May.", "not", "It opened in May.", "It opened in May."),
        ("It failed to open.", "failed", "The shop opened.", "It opened."),
        ("It was never sold.", "never", "It was sold.", "It was sold."),
        ("It is not true that it rained.", "not", "It rained.", "It rained."),
        ("It was sold.", "It was sold.", "It was not sold.", "It was not sold."),
        ("It opened in May.", "It opened in May.", "It did not open in May.", "It did not open in May."),
    ],
)
def test_a_simple_denial_is_turned_round(text: str, cue: str, source: str, mended: str):
    start = text.index(cue)
    check = Check(
        "negation", Status.FAILED, Severity.BLOCK, 1, "it denies", Span(start, start + len(cue)),
        SourceSpan("p", 0, len(source), source), FindingKind.NEGATION,
    )  # fmt: skip
    made = correct_values(QUESTION, said(source), Sentence(1, text), Review((), (check,), ()), 0)
    assert made is not None
    assert made.sentence is not None
    assert made.sentence.text == mended


@pytest.mark.parametrize(
    ("text", "cue", "source"),
    [
        ("No shop was open.", "No", "A shop was open."),
        ("It did not open.", "not", "It was opening, and opened."),
        ("It was sold and was kept.", "It was sold and was kept.", "It was not sold."),
        ("It rained.", "It rained.", "Nobody came."),
        ("Guide dogs are allowed.", "Guide dogs are allowed.", "Dogs are not allowed, except guide dogs."),
        ("It is due on 30 June.", "It is due on 30 June.", "It is not due until 30 June."),
        ("It is never closed at night.", "never", "It is closed from 6 am to 10 pm."),
    ],
)
def test_a_denial_that_takes_more_than_a_word_is_left(text: str, cue: str, source: str):
    start = text.index(cue)
    check = Check(
        "negation", Status.FAILED, Severity.BLOCK, 1, "it denies", Span(start, start + len(cue)),
        SourceSpan("p", 0, len(source), source), FindingKind.NEGATION,
    )  # fmt: skip
    assert correct_values(QUESTION, said(source), Sentence(1, text), Review((), (check,), ()), 0) is None


def test_an_edit_says_why():
    assert fit_value("It cost 5.", Span(8, 9), "4", "the source says 4") == Edit(8, 9, "4", "the source says 4")
