"""Statements become facts with a well-formed question, or none."""

from __future__ import annotations

import pytest

from assay.evals.make.fact import Kind
from assay.evals.make.facts import facts_in_statements
from unit.evals.make.documents import document

TOLD = [
    (
        "The Harbour Bridge was opened on 3 May 1932.",
        Kind.DATE,
        "When was the Harbour Bridge opened?",
        "3 May 1932",
    ),
    ("In 1971, the Bolts moved to Bergen.", Kind.DATE, "When did the Bolts move to Bergen?", "1971"),
    ("In 1981, Acme was bought by Bolt.", Kind.DATE, "When was Acme bought by Bolt?", "1981"),
    ("Licences are valid since 2019.", Kind.DATE, "Since when are licences valid?", "2019"),
    ("Settings are stored in `assay.toml`.", Kind.PLACE, "Where are settings stored?", "in assay.toml"),
    ("The Bay Hall was designed by Ada Keller.", Kind.MAKER, "Who was the Bay Hall designed by?", "Ada Keller"),
    ("The Bay Hall holds 300 people.", Kind.NUMBER, "How many people does the Bay Hall hold?", "300 people"),
    ("Backups are kept for 30 days.", Kind.NUMBER, "For how many days are backups kept?", "30 days"),
    ("A password must have 12 letters.", Kind.NUMBER, "How many letters must a password have?", "12 letters"),
    ("The Bay Bridge is 90 metres long.", Kind.NUMBER, "How long is the Bay Bridge?", "90 metres"),
    ("Entry to the Bay Hall costs 5 euros.", Kind.NUMBER, "How much does Entry to the Bay Hall cost?", "5 euros"),
    ("The capital of Peru is Lima.", Kind.ATTRIBUTE, "What is the capital of Peru?", "Lima"),
    ("The founder of Acme is Ann Lee.", Kind.ATTRIBUTE, "Who is the founder of Acme?", "Ann Lee"),
    (
        "A passage is a stretch of one document.",
        Kind.DEFINITION,
        "What is a passage?",
        "a stretch of one document",
    ),
    ("`--stream` prints each sentence.", Kind.FUNCTION, "What does --stream do?", "prints each sentence"),
]


@pytest.mark.parametrize(("sentence", "kind", "question", "answer"), TOLD)
def test_a_plain_statement_is_asked(sentence: str, kind: Kind, question: str, answer: str) -> None:
    text = f"# Hall\n\nAll licences and backups and settings and entry count.\n\n{sentence}\n"
    made = list(facts_in_statements(document(text)))
    assert [(fact.kind, fact.wording.question, fact.answer_text) for fact in made] == [(kind, question, answer)]
    (fact,) = made
    assert text[fact.quote.start : fact.quote.end] == sentence
    assert fact.quote.start <= fact.answer.start < fact.answer.end <= fact.quote.end


@pytest.mark.parametrize(
    "sentence",
    [
        "It was opened on 3 May 1932.",
        "The bridge was not opened in 1932.",
        "The bridge may have been opened in 1932.",
        "Open the hall in 1932.",
        "What you see is a bridge of stone.",
        "This is the most important bridge.",
        "A second bridge was built in 1932.",
        "Trust is an important part of work.",
        "Each of the 3-month terms ends.",
        "The report is available three months after the start.",
        "Was the bridge opened in 1932?",
    ],
)
def test_what_makes_no_good_question_is_left_out(sentence: str) -> None:
    assert not list(facts_in_statements(document(f"# Hall\n\n{sentence}\n")))


def test_a_thing_without_a_name_is_asked_of_its_document() -> None:
    (fact,) = facts_in_statements(document("The old mill was closed in 1997.\n", title="Mills of Ulm"))
    assert fact.wording.question == "According to “Mills of Ulm”, when was the old mill closed?"


def test_a_thing_without_a_name_in_a_document_without_a_title_is_left_out() -> None:
    assert not list(facts_in_statements(document("The old mill was closed in 1997.\n", title="")))


def test_markup_is_in_the_quote_and_not_in_the_question() -> None:
    text = "- **Bay Hall** holds [300 people](seats.md).\n- It rains.\n"
    (fact,) = facts_in_statements(document(text))
    assert fact.wording.question == "How many people does Bay Hall hold?"
    assert text[fact.quote.start : fact.quote.end] == "**Bay Hall** holds [300 people](seats.md)."


def test_code_and_tables_make_no_statements() -> None:
    text = "```\nThe Bay Hall holds 300 people.\n```\n\n| a |\n|---|\n| The Bay Hall holds 300 people. |\n"
    assert not list(facts_in_statements(document(text)))


def test_a_heading_with_its_underline_is_no_part_of_a_sentence() -> None:
    text = "pgrep\n-----\nThe Bay Hall holds 300 people.\n"
    (fact,) = facts_in_statements(document(text, format="text"))
    assert fact.wording.question == "How many people does the Bay Hall hold?"
    assert text[fact.quote.start : fact.quote.end] == "The Bay Hall holds 300 people."
