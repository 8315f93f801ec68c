"""Rows of CSV files and sheets around the marked ones."""

from __future__ import annotations

import io

import openpyxl
import pytest

from assay.errors import UnreadableDocument
from assay.server.document_view.page_reader import rows_around


def test_a_csv_file_is_shown_in_columns_with_the_numbers_of_its_rows() -> None:
    around = rows_around(b"city;people\nUlm;126000\n\nBonn;330000\n", "x.csv", None, frozenset({2}))
    assert around.columns == ("city", "people")
    assert [(row.number, row.cells) for row in around.rows] == [(2, ("Ulm", "126000")), (4, ("Bonn", "330000"))]
    assert (around.first, around.total) == (1, 3)


def test_a_marked_header_is_shown_as_a_row_too() -> None:
    around = rows_around(b"city;people\nUlm;126000\n", "x.csv", None, frozenset({1}))
    assert [row.number for row in around.rows] == [1, 2]


def test_columns_without_names_have_letters() -> None:
    around = rows_around(b"1;2\n3;4;5\n6;7\n", "x.csv", None, frozenset())
    assert around.columns == ("A", "B", "C")
    assert around.rows[1].cells == ("3", "4", "5")


def test_only_the_rows_around_the_marked_ones_are_shown() -> None:
    data = "number,square\n" + "".join(f"{n},{n * n}\n" for n in range(2, 5001))
    around = rows_around(data.encode(), "x.csv", None, frozenset({3000, 3001}))
    assert around.columns == ("number", "square")
    numbers = [row.number for row in around.rows]
    assert numbers == list(range(2900, 3200))
    assert (around.first, around.total) == (2900, 5000)


def test_the_rows_before_and_after_go_on_under_the_same_header() -> None:
    data = ("number,square\n" + "".join(f"{n},{n * n}\n" for n in range(2, 801))).encode()
    around = rows_around(data, "x.csv", None, frozenset({500}))
    numbers = [row.number for row in around.rows]
    assert numbers == list(range(400, 700))
    assert (around.earlier, around.later) == (100, 700)
    later = rows_around(data, "x.csv", None, frozenset({500}), around.later)
    earlier = rows_around(data, "x.csv", None, frozenset({500}), around.earlier)
    first = rows_around(data, "x.csv", None, frozenset({500}), earlier.earlier)
    assert (first.earlier, later.later) == (None, None)
    parts = (first, earlier, around, later)
    assert [row.number for part in parts for row in part.rows] == list(range(2, 801))
    assert {part.columns for part in parts} == {("number", "square")}


def test_huge_cells_and_rows_are_cut() -> None:
    data = f"a,{'long ' * 1000}\n1,{'x' * 100_000}\n{','.join(map(str, range(500)))}\n"
    around = rows_around(data.encode(), "x.csv", None, frozenset())
    assert len(around.columns) == 100
    assert all(len(cell) <= 501 for row in around.rows for cell in row.cells)
    assert around.rows[1].cells[1].endswith("x…")


def sheets_of(**rows_of: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    for title, rows in rows_of.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    del book["Sheet"]
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_the_sheet_that_is_meant_is_shown_under_the_header_of_its_table() -> None:
    data = sheets_of(
        Cities=[["City", "People"], ["Ulm", 126000]],
        Rivers=[["River", "km"], ["Danube", 2857], [], ["Lake", "m"], ["Constance", 251]],
    )
    around = rows_around(data, "x.xlsx", "Rivers", frozenset({5}))
    assert around.columns == ("Lake", "m")
    assert [(row.number, row.cells) for row in around.rows] == [
        (1, ("River", "km")),
        (2, ("Danube", "2857")),
        (5, ("Constance", "251")),
    ]


def test_a_sheet_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UnreadableDocument, match="no sheet 'Lakes'"):
        rows_around(sheets_of(Cities=[["City", "People"]]), "x.xlsx", "Lakes", frozenset())
