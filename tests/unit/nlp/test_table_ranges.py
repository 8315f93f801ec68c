"""The range of a table that holds a number of a question."""

import pytest

from assay.nlp.table_ranges import asked_range


def row_of(question: str, name: str, *cells: str) -> int | None:
    found = asked_range(question, (name, "Fee"), [(cell, str(900 + at)) for at, cell in enumerate(cells)])
    return None if found is None else found.row


@pytest.mark.parametrize(
    ("question", "name", "cells", "row"),
    [
        ("Fee after four years?", "Years", ("0–2", "3–5", "6+"), 1),
        ("Fee after 18 months?", "Years", ("0–2", "3–5", "from 6"), 0),
        ("A 700 g parcel?", "Weight", ("up to 0.5 kg", "over 0.5 kg to 2 kg", "over 2 kg"), 1),
        ("A child of 20 kg?", "Weight", ("12 to below 20 kg", "20 to below 32 kg"), 1),
        ("Income of 42,500?", "Income", ("under €20,000", "€20,000–€49,999", "€50,000 or more"), 1),
        ("Fee at 23:30?", "Time", ("7:00–19:00", "19:00–22:00", "22:00–7:00"), 2),
        ("It is -12 °C, fee?", "°C", ("above 0", "-10 to 0", "below -10"), 2),
        ("Fee for 5 pieces?", "Pieces", ("1-5", "5-10"), None),
        ("Fee for 3 pieces?", "Pieces", ("1-5", "2-10"), None),
        ("Fee for 99 pieces?", "Pieces", ("1-5", "6-10"), None),
        ("Which one is it?", "Pieces", ("0-2", "3-5"), None),
        ("Fee for 3 kg in 4 boxes?", "Weight", ("0-2 kg", "2-5 kg"), 1),
    ],
)
def test_the_row_whose_range_holds_the_number(question: str, name: str, cells: tuple[str, ...], row: int | None):
    assert row_of(question, name, *cells) == row


def test_the_column_whose_name_is_the_range():
    found = asked_range("Which size for 24.3 cm?", ("Foot in cm", "22–23", "24–25"), [("EU", "35", "38")])
    assert found is not None
    assert (found.said, found.column, found.row) == ("24.3 cm", 2, None)
