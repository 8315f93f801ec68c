"""Questions have one form only where they ask the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.same_question import meaning_form, names_agree, normal_form

SAME = (
    ("When was the Harbour Bridge opened?", "Could you tell me when the Harbour Bridge was opened?"),
    ("What does a ticket cost?", "How much is a ticket?"),
    ("What does a ticket cost?", "What is the price of a ticket?"),
    ("When does the library open on Sunday?", "On Sunday, what time does the library open?"),
    ("Who's the director?", "I would like to know who the director is."),
    ("What is the museum's address?", "What is the address of the museum?"),
    ("How many beds does the hospital have?", "How many beds are there in the hospital?"),
    ("Did the shop close in 1999?", "The shop closed in 1999?"),
    ("Are 1,000 copies enough?", "Are 1000 copies enough?"),
    ("Can we take three dogs?", "Are we allowed to take 3 dogs?"),
    ("How long is the bridge?", "What is the length of the bridge?"),
    ("Who founded the firm?", "Who established the company?"),
)
OTHER = (
    ("Is it open on Sunday?", "Is it open on Monday?"),
    ("Is it open at 9:00?", "Is it open at 9:30?"),
    ("Who is the mayor?", "Who was the mayor?"),
    ("Did Ann sue Bo?", "Did Bo sue Ann?"),
    ("Is it allowed?", "Is it not allowed?"),
    ("Is it allowed?", "Isn't it allowed?"),
    ("Which dogs are allowed?", "Which cats are allowed?"),
    ("May all dogs enter?", "May some dogs enter?"),
    ("Who was killed in 1066?", "Who killed in 1066?"),
    ("Trains from Orme to Calder?", "Trains from Calder to Orme?"),
    ("Who is the founder's son?", "Who is the son's founder?"),
    ("What runs on C?", "What runs on C++?"),
    ("How much is 5 %?", "How much is 5?"),
    ("What is vitamin A?", "What is vitamin?"),
    ("Who can apply?", "Who must apply?"),
    ("Is parking free before 9?", "Is parking free after 9?"),
    ("Which university is it?", "Which universe is it?"),
)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_other_words_for_a_question_have_its_meaning(first: str, second: str) -> None:
    assert meaning_form(first) == meaning_form(second)


@pytest.mark.parametrize(("first", "second"), OTHER)
def test_what_changes_the_answer_changes_the_meaning(first: str, second: str) -> None:
    assert meaning_form(first) != meaning_form(second)
    assert normal_form(first) != normal_form(second)


@pytest.mark.parametrize(
    "other", [" when was  it opened ", "WHEN WAS IT OPENED?", "When was it opened?!", "when was it\nopened."]
)
def test_the_same_question_has_one_normal_form(other: str) -> None:
    assert normal_form(other) == normal_form("When was it opened?")


def test_words_in_capitals_are_other_words() -> None:
    assert normal_form("Who leads US?") != normal_form("Who leads us?")


def test_names_that_are_written_as_names_must_agree() -> None:
    assert names_agree("Where is Turkey sold?", "where is turkey sold?")
    assert not names_agree("Where is Turkey sold in March?", "Where is turkey sold in March?")


@given(st.text(max_size=80))
def test_any_text_has_forms_and_a_normal_form_is_its_own(text: str) -> None:
    meaning_form(text)
    assert normal_form(normal_form(text)) == normal_form(text)
