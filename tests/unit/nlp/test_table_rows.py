"""Rows of tables as sentences."""

from __future__ import annotations

from assay.nlp.table_rows import table_rows
from assay.types import Passage

RATES = "| item | price | note |\n|---|---|---|\n| tea | 3 € | |\n| | 4 € | with milk |\n| coffee | | |\n"


def rows(text: str) -> list[str]:
    return [row.sentence for row in table_rows(Passage("p", "d", "r", 0, len(text), text, "Café", line=1))]


def test_each_row_is_said_with_its_label_and_its_columns() -> None:
    assert rows(RATES) == [
        "The price of tea is 3 €.",
        "The price is 4 €. The note is with milk.",
        "coffee.",
    ]


def test_a_text_without_a_table_has_no_rows() -> None:
    assert rows("Tea costs 3 €.") == []
