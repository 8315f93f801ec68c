"""Plain text with titles: underlined lines, and questions with their answers below."""

from __future__ import annotations

import pytest

from assay.ingest.load_text import TextLoader
from assay.ingest.split import PassageSplitter
from assay.nlp.block import BlockKind
from assay.nlp.blocks import passage_blocks, unit
from assay.types import Document, Place

FAQ = """Frequently asked questions

 1. Is it free?

    Yes.  The licence is in LICENCE.

 2. Can I use it on a machine without a network, and does
    it then need a key?

    No and no.

    Models come in packages.

Q. Is it fast?

A. Fast enough.
"""


def _count(text: str) -> int:
    return len(text.split())


def _sections(text: str) -> list[str | None]:
    loaded = TextLoader().load(text.encode(), "faq.txt")
    document = Document("d", loaded.text, "", "", "text", "", loaded.regions)
    return [
        place.location.section
        for one in PassageSplitter(_count, 20, 20).split(document)
        for place in one.places or (Place(one.start, one.location),)
    ]


def test_each_question_is_a_section() -> None:
    assert list(dict.fromkeys(_sections(FAQ))) == [
        None,
        "1. Is it free?",
        "2. Can I use it on a machine without a network, and does it then need …",
        "Q. Is it fast?",
    ]


def test_the_regions_are_in_order_and_tile_the_text() -> None:
    regions = TextLoader().load(FAQ.encode(), "faq.txt").regions
    assert [region.start for region in regions] == [0, *(region.end for region in regions[:-1])]
    assert regions[-1].end == len(FAQ)


@pytest.mark.parametrize(
    "text",
    [
        "Is it free?\n\nYes.\n\nIs it fast?\n\nNo.\n",  # two questions make no such text
        "Did it rain?\n\nWas it cold?\n\nWho came?\n\nWhen did it end?\n\nEnough asked.\n",  # one answer to four
        "He asked: is it free? And is it fast? And safe?\n\nNobody knew.\n\nReally?\n\nNo.\n",
    ],
)
def test_other_texts_have_no_sections(text: str) -> None:
    assert TextLoader().load(text.encode(), "notes.txt").regions == ()


def test_an_answer_is_shown_with_its_question() -> None:
    loaded = TextLoader().load(FAQ.encode(), "faq.txt")
    document = Document("d", loaded.text, "", "", "text", "", loaded.regions)
    (passage,) = PassageSplitter(_count).split(document)
    found = passage_blocks(passage)
    headings = [block.title for block in found if block.kind is BlockKind.HEADING]
    assert headings == [
        "1. Is it free?",
        "2. Can I use it on a machine without a network, and does it then need a key?",
        "Q. Is it fast?",
    ]
    at = passage.text.index("No and no.")
    shown = unit(found, at, at + 2)
    assert [passage.text[block.start : block.end].split()[0] for block in shown] == ["2.", "No"]


MANUAL = """The kettle
**********

2. Filling
==========

Open the lid:

  fill --water 1l

=====
Parts
=====

3. Boiling
==========

- Press the switch.
- Wait.

4. Care
=======
Rinse it with vinegar.

-----

Name   Price
----   -----
"""


def test_underlined_lines_are_titles_by_level() -> None:
    loaded = TextLoader().load(MANUAL.encode(), "kettle.txt")
    titles = [str(region.location) for region in loaded.regions if region.kind == "heading"]
    assert titles == [
        "The kettle",
        "The kettle > 2. Filling",
        "The kettle > 2. Filling > Parts",
        "The kettle > 3. Boiling",
        "The kettle > 4. Care",
    ]


def test_a_passage_is_parsed_with_its_underlined_titles() -> None:
    loaded = TextLoader().load(MANUAL.encode(), "kettle.txt")
    document = Document("d", loaded.text, "", "", "text", "", loaded.regions)
    (passage,) = PassageSplitter(_count).split(document)
    found = passage_blocks(passage)
    assert [(block.kind.value, block.title) for block in found] == [
        ("heading", "The kettle"),
        ("heading", "2. Filling"),
        ("paragraph", ""),
        ("paragraph", ""),
        ("heading", "Parts"),
        ("heading", "3. Boiling"),
        ("list", ""),
        ("heading", "4. Care"),
        ("paragraph", ""),
        ("paragraph", ""),
        ("markup", ""),
    ]
    assert [passage.text[item.start : item.end] for item in found[6].items] == ["- Press the switch.", "- Wait."]


@pytest.mark.parametrize(
    "line", ["Tea\n=", "Tea\n= = =", "\nA longer line of prose that ends here.\n---", "---\n==="]
)
def test_other_lines_are_no_titles(line: str) -> None:
    assert TextLoader().load(f"{line}\n\nBoil water.".encode(), "tea.txt").regions == ()


def test_an_essay_that_asks_has_no_titles() -> None:
    essay = ("Why not?\n\n" + "It was long ago and nobody knows. " * 100 + "\n\n") * 3
    assert TextLoader().load(essay.encode(), "essay.txt").regions == ()
