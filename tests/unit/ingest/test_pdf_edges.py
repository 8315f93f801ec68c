"""Running heads and page numbers are no part of what a PDF's pages say."""

from __future__ import annotations

import pytest

from assay.ingest.load_pdf import PdfLoader
from assay.ingest.pdf_edges import without_edges
from support.small_pdf import Page, pdf_of

SAID = ["Tea is hot and", "ice is cold and", "milk is white and", "that is all."]


def test_a_sentence_goes_on_over_feet_and_heads():
    pages = [Page(["The manual of tea", said, f"{number} of 4", ""]) for number, said in enumerate(SAID, 1)]
    assert PdfLoader().load(pdf_of(*pages), "tea.pdf").text.count("The manual of tea") == 1
    numbered = [Page([said, str(number)]) for number, said in enumerate(SAID, 5)]
    assert PdfLoader().load(pdf_of(*numbered), "tea.pdf").text == " ".join(SAID)


@pytest.mark.parametrize(
    ("edge", "left"),
    [
        ("{0} The manual of tea 5.2", 1),
        ("The manual of tea - {0} of 4 -", 1),
        ("The manual of tea", 1),
        ("{0}", 0),
        ("- {0} -", 0),
        # A heading, though it counts the pages.
        ("Day {0}", 4),
        ("Chapter", 1),
    ],
)
def test_what_stands_at_the_same_edge_of_three_pages_goes(edge: str, left: int):
    for at in (0, 1):
        pages = {
            number: [edge.format(number), said] if at == 0 else [said, edge.format(number)]
            for number, said in enumerate(SAID, 1)
        }
        lines = [line for lines in without_edges(pages).values() for line in lines]
        assert len(lines) == len(SAID) + left
        assert set(SAID) <= set(lines)


@pytest.mark.parametrize("lines", [["1", "2"], ["7", "3", "12", "5"], ["Tea", "Milk", "Tea", "Ice"]])
def test_other_lines_stay(lines: list[str]):
    pages = {number: [line, f"It is {line} {number} o'clock."] for number, line in enumerate(lines, 1)}
    assert without_edges(pages) == pages


def test_a_number_and_a_head_that_are_read_amid_the_lines_go():
    pages = {number: [f"It is {number} o'clock.", "The tea", str(number + 4)] for number in range(1, 6)}
    pages[5] = ["Tea is", "The tea", "9", "hot.", "12"]
    assert without_edges(pages)[5] == ["Tea is", "hot.", "12"]
