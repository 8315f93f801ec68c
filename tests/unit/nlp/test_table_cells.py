"""The cell of a table that a question names."""

from __future__ import annotations

import pytest

from assay.nlp.table_cells import asked_cell, columns_alike
from assay.types import Location, Passage, Span

MARKDOWN = """Prices:

| Bike | Half day | Day | Deposit |
|:-----|---:|---|---|
| Trekking bike | 12 | 18 | 50 |
| E-bike | 22 | 35 | 150 |
| Cargo bike | | 45 | 200 |

All of them are new."""
WORD = "Reagent | Temperature | Shelf life\nTrypsin | -20 °C | 24 months\nLigase buffer | -80 °C | 12 months"
NAMED = "Name | Vacation days\nName: Alice; Vacation days: 24\nName: Bob; Vacation days: 27"
PIPES = "```sh\ncat a | grep price | sort\ncat b | grep tandem | head\n```"
CUT = "Bob | Finance | 27\nCarla | Sales | 30"


def cell(question: str, text: str, header: str = "") -> str | None:
    location = Location(row=1) if header or text == NAMED else Location()
    passage = Passage("p", "d", "r", 0, len(text), text, header=header, location=location)
    found = asked_cell(question, passage)
    return None if found is None else text[found.span.start : found.span.end]


@pytest.mark.parametrize(
    ("question", "text", "header", "wanted"),
    [
        ("What does a day with the e-bike cost?", MARKDOWN, "", "35"),
        ("deposit cargo bike", MARKDOWN, "", "200"),
        ("What is the half day price of the cargo bike?", MARKDOWN, "", ""),
        ("What is the shelf life of ligase buffer?", WORD, "", "12 months"),
        ("How many vacation days does Bob have?", NAMED, "", "27"),
        ("How many days does Carla have?", CUT, "Name | Department | Days", "30"),
        ("What does a bike cost a day?", MARKDOWN, "", None),  # no row
        ("What does a tandem cost a day?", MARKDOWN, "", None),  # a row that is not there
        ("Who repairs the e-bike?", MARKDOWN, "", None),  # no column
        ("Is the e-bike a new bike?", MARKDOWN, "", None),  # the cell that names the row answers nothing
        ("What does cat b grep tandem sort?", PIPES, "", None),  # no table
        ("What do the trekking bike and the cargo bike cost a day?", MARKDOWN, "", None),  # two rows
        ("What is the deposit for an e-bike?", "The deposit for an e-bike | is high.", "", None),  # no table
    ],
)
def test_the_cell_that_is_named_by_row_and_column(question: str, text: str, header: str, wanted: str | None):
    assert cell(question, text, header) == wanted


def test_a_cell_comes_with_its_row_and_header():
    passage = Passage("p", "d", "r", 0, len(MARKDOWN), MARKDOWN)
    found = asked_cell("What is the deposit for an e-bike?", passage)
    assert found is not None
    assert found.header is not None
    assert MARKDOWN[found.row.start : found.row.end] == "| E-bike | 22 | 35 | 150 |"
    assert MARKDOWN[found.header.start : found.header.end].endswith("|:-----|---:|---|---|")
    assert MARKDOWN[found.table.start : found.table.end].endswith("| 200 |")


CODECS = """| Codec | Ratio | Compression | First run |
|---|---|---|---|
| lz4 | 2.1 | 740 | 3 |
| zip | 2.7 | 95 | 4 |"""


@pytest.mark.parametrize(
    ("question", "place", "alike"),
    [
        ("What is the compression ratio of lz4?", "740", ("Ratio", "Compression")),
        ("What is the compression ratio of lz4?", "| lz4 | 2.1 | 740 | 3 |", ("Ratio", "Compression")),
        ("What is the ratio of lz4?", "740", ()),
        ("What is the ratio in the first run of lz4?", "740", ()),  # one column has two of the words
        ("How fast is lz4?", "740", ()),
        ("What is the compression ratio of lz4?", CODECS, ()),  # no single row
        ("What is the compression ratio of lz4?", "Codec", ()),
    ],
)
def test_columns_that_a_question_may_mean_alike(question: str, place: str, alike: tuple[str, ...]):
    at = CODECS.index(place)
    held = Passage("p", "d", "r", 0, len(CODECS), CODECS)
    assert columns_alike(question, held, Span(at, at + len(place))) == alike
