"""Cells are asked for by their column and the first cell of their row."""

from __future__ import annotations

from assay.evals.make.tables import facts_in_tables
from unit.evals.make.documents import document

BIKES = "| Bike | Price (EUR) | What it does | Required |\n|---|---|---|---|\n"


def questions(text: str) -> list[tuple[str, str]]:
    return [(fact.wording.question, fact.answer_text) for fact in facts_in_tables(document(text))]


def test_a_cell_is_asked_for_by_column_and_row() -> None:
    text = f"{BIKES}| E-bike | 35 | drives | yes |\n| Tandem | 30 | drives | no |\n"
    assert questions(text) == [
        ("What is the price of E-bike?", "35"),
        ("What is the price of Tandem?", "30"),
    ]
    quotes = [text[fact.quote.start : fact.quote.end] for fact in facts_in_tables(document(text))]
    assert quotes == ["E-bike | 35 | drives | yes", "Tandem | 30 | drives | no"]


def test_rows_that_no_cell_names_are_left_out() -> None:
    assert not questions(
        f"{BIKES}| 35 | 1 | a | b |\n| E-bike | 1 | a | b |\n| E-bike | 2 | a | b |\n| the same | 3 | a | b |\n"
    )


def test_empty_cells_and_texts_are_not_asked_for() -> None:
    assert not questions(f"{BIKES}| E-bike | – | a | b |\n| Tandem | {'word ' * 20} | a | b |\n")
