"""A PDF's headings are those of its outline, and its tables of contents are left out."""

from __future__ import annotations

import pytest

from assay.ingest.load_pdf import PdfLoader
from assay.ingest.pdf_outline import Entry, stretches, without_contents
from support.small_pdf import Page, pdf_of

CONTENTS = [
    "Contents",
    "1 Tea 2",
    "1.1 May I brew it with water",
    "that is cold? . . . . . . . . 2",
    "1.2 Milk . . . . . . . . . 3",
    "1.3 Sugar......................3",
    "iii",
]
BODY = ["Chapter 1", "Tea", "1.1 May I brew it with water", "that is cold?", "Yes. It takes eight hours."]
MORE = ["It is good. 1.2 Milk is told below.", "1.2 Milk", "Milk is cold.", "1.3 Sugar", "Sugar is sweet."]
OUTLINE = (("Tea", 2), ("May I brew it with water that is cold?", 2), ("Milk", 3), ("Sugar", 3))


def test_headings_of_the_outline_are_sections_and_contents_are_left_out():
    loaded = PdfLoader().load(pdf_of(Page(CONTENTS), Page(BODY), Page(MORE), outline=OUTLINE), "tea.pdf")
    assert loaded.text == (
        "Contents\niii\n\nChapter 1 Tea\n\n1.1 May I brew it with water that is cold?\n\n"
        "Yes. It takes eight hours.\n\nIt is good. 1.2 Milk is told below.\n\n"
        "1.2 Milk\n\nMilk is cold.\n\n1.3 Sugar\n\nSugar is sweet."
    )
    headings = [region for region in loaded.regions if region.kind == "heading"]
    assert [str(region.location) for region in headings] == [
        "page 2, Chapter 1 Tea",
        "page 2, 1.1 May I brew it with water that is cold?",
        "page 3, 1.2 Milk",
        "page 3, 1.3 Sugar",
    ]
    assert [loaded.text[region.start : region.end] for region in headings][2:] == ["1.2 Milk", "1.3 Sugar"]


def test_without_an_outline_dots_tell_contents():
    loaded = PdfLoader().load(pdf_of(Page(CONTENTS), Page(BODY), Page(MORE)), "tea.pdf")
    assert loaded.text.startswith("Contents\niii\n\nChapter 1")
    assert {region.kind for region in loaded.regions} == {"text"}


@pytest.mark.parametrize(
    "lines",
    [
        # A menu: nothing of it stands elsewhere.
        ["Espresso . . . . . 2", "Latte . . . . . . . 3", "Mocha . . . . . . . 4"],
        # Pages do not go back.
        ["1.3 Sugar . . . . . 9", "1.2 Milk . . . . . . 5", "Tea . . . . . . . . 2"],
        ["1.2 Milk . . . . . . 2", "1.3 Sugar . . . . . 3"],
        ["1.2 Milk . . . 2", *["Milk is drunk by many."] * 9, "1.3 Sugar . . . 3", "Tea . . . 3"],
    ],
)
def test_other_lines_with_dots_stay(lines: list[str]):
    pages = {1: lines, 2: BODY, 3: MORE}
    assert without_contents(pages, ())[1] == lines


def test_a_title_within_a_sentence_is_no_heading():
    parts = list(stretches(["Milk is cold.", "Milk", "", "Milk", "Cold"], [Entry(2, "Milk", 1)]))
    assert [(part.lines, part.level) for part in parts] == [
        (("Milk is cold.",), 0),
        (("Milk",), 2),
        (("", "Milk", "Cold"), 0),
    ]
