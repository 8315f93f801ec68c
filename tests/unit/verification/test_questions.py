"""Questions of an answer are no claims, and no claim passes for a question."""

from __future__ import annotations

import pytest

from assay.nlp.cues import asks
from assay.verification.claims import split_claims

FEE = "The fee is 5 euros."


def _claims(text: str) -> list[str]:
    found = split_claims(text, ())
    assert all(text[each.start : each.end] == each.text for each in found)
    return [each.text for each in found]


@pytest.mark.parametrize(
    "section",
    [
        "Follow-up questions:\nWhat is the fee for children?\nHow long does it last?",
        "Follow-up questions\nWhat is the fee for children?\nHow long does it last?",
        "Follow-up questions\n\n1. What is the fee for children?\n2. How long does it last?",
        "Follow-up questions: What is the fee for children? How long does it last?",
        "**Follow-up questions**\n\n- **What is the fee for children?**\n- “How long does it last?”",
        "Related questions\n\n* _What is the fee for children?_\n* (How long does it last?)",
        "Some questions you could ask next\nWhat is the fee for children?!",
        "You might also ask\n\nQ1: What is the fee for children?",
        "Weiterführende Fragen\nWas kostet es für Kinder?",
    ],
)
def test_a_follow_up_section_in_plain_text_claims_nothing(section: str):
    assert _claims(f"{FEE}\n\n{section}") == [FEE]


@pytest.mark.parametrize(
    "text",
    [
        "The fee is 90 euros\nWhat does it include?",
        "- The fee is 90 euros\n- What does it include?",
        "Follow-up questions\nThe fee is 90 euros\nWhat does it include?",
        "The fee is 90 euros\nAnd what does it include?",
        "The fee is 90 euros\nIn which month?",
        '"The fee is 90 euros", he said, "so why not?"',
        "**The fee is 90 euros** so **why not?**",
        "(The fee is 90 euros) and (why not?)",
    ],
)
def test_what_stands_without_a_full_stop_before_a_question_is_tested(text: str):
    assert any("The fee is 90 euros" in claim for claim in _claims(text))


@pytest.mark.parametrize(
    "text",
    [
        "He asked “How long does it last?”",
        "Questions about the fee of 90 euros were asked by users.",
        "Related questions cost 90 euros.",
        "“The fee is 90 euros.”",
        "**The fee is 90 euros**",
    ],
)
def test_what_only_looks_like_one_is_tested(text: str):
    assert _claims(text) == [text]


@pytest.mark.parametrize("second", ["of the museum", "Museum Card costs"])
def test_a_question_on_two_lines_stays_one(second: str):
    assert _claims(f"How long does the fee\n{second} stay as it is?") == []


def test_a_question_in_a_thousand_brackets_is_refused_by_no_limit():
    assert not asks("(" * 5000 + "Why?" + ")" * 5000)
