"""How something is done, what headings ask, what acronyms stand for."""

from __future__ import annotations

import pytest

from assay.evals.make.instructions import facts_in_acronyms, facts_in_headings, facts_in_instructions
from unit.evals.make.documents import document


def how(text: str) -> list[tuple[str, str]]:
    return [(fact.wording.question, fact.answer_text) for fact in facts_in_instructions(document(text))]


def test_a_purpose_is_asked_for() -> None:
    assert how("To add a key, run `keys create`. To go, you can wait.\n") == [
        ("How do I add a key?", "run keys create.")
    ]


def test_what_a_purpose_leads_to_is_its_answer() -> None:
    text = "To change your password, do this:\n\n1. Open the page.\n2. Save it.\n"
    (fact,) = facts_in_instructions(document(text))
    assert fact.wording.question == "How do I change my password?"
    assert text[fact.answer.start : fact.answer.end] == "1. Open the page.\n2. Save it."
    assert text[fact.quote.start : fact.quote.end] == text.strip()


def test_a_heading_that_is_an_order_is_asked_for() -> None:
    assert how("# Add a key\n\n- Open the page.\n- Save it.\n")[0][0] == "How do I add a key?"


@pytest.mark.parametrize(
    "text",
    [
        "# Travel expenses\n\n- Open the page.\n- Save it.\n",
        "# Implementation Plan\n\n- Open the page.\n- Save it.\n",
        "# Add a key\n\nKeys are old.\n",
        "# Add this\n\n- Open the page.\n- Save it.\n",
        "To me, the hall is large.\n",
        "To add a key, the hall is open.\n",
    ],
)
def test_what_tells_no_way_is_left_out(text: str) -> None:
    assert how(text) == []


def test_a_heading_that_asks_is_a_question() -> None:
    text = (
        "# Which files can be read?\n\nMarkdown and PDF.\n\n# What is it?\n\nA tool.\n\n# Where to go?\n\nHome.\n"
    )
    found = list(facts_in_headings(document(text)))
    assert [(fact.wording.question, fact.answer_text) for fact in found] == [
        ("Which files can be read?", "Markdown and PDF.")
    ]


def test_a_term_that_a_list_explains_is_asked_for() -> None:
    text = (
        "- **Health score**: A score of red or green that is told monthly.\n- **Be kind**: we like it very much.\n"
    )
    (fact,) = facts_in_headings(document(text))
    assert fact.wording.question == "What is meant by “Health score”?"
    assert fact.answer_text == "A score of red or green that is told monthly"


def test_an_acronym_is_asked_for_where_it_is_explained() -> None:
    text = "The World Health Organization (WHO) met. The rain (RAIN) fell.\n"
    (fact,) = facts_in_acronyms(document(text))
    assert (fact.wording.question, fact.answer_text) == ("What does WHO stand for?", "World Health Organization")
    assert text[fact.answer.start : fact.answer.end] == "World Health Organization"
