"""Passages begin and end where their blocks do, and their spans stay true."""

from __future__ import annotations

import pytest

from assay.retrieval.neighbours import MOST, WholeBlocksRetriever, whole_start
from assay.testing.fakes import ScriptedRetriever
from assay.types import Document, Evidence, Hit, Location, Passage, Region

LONG = "A kettle boils. " * (MOST // 8)


@pytest.mark.parametrize(
    ("text", "words", "begins"),
    [
        ("Enjoy.\n\nYou need water. It boils.\n\nEnd.", "It boils", "You need"),
        ("Enjoy.\n\nYou need:\n\n- water\n- leaves", "- leaves", "- water"),
        ("Enjoy.\n\n```\nbrew\nwait\n```\n\nEnd.", "wait", "```"),
        ("Enjoy.\n\nIt boils.", "It boils", "It boils"),
        ("Enjoy.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "| 3", "| 3"),
    ],
)
def test_a_passage_begins_where_its_block_does(text: str, words: str, begins: str):
    assert whole_start(text, text.index(words), is_whole=True) == text.index(begins)


async def begun(text: str, words: str, *regions: Region) -> Passage:
    """The passage from these words on, extended."""
    document = Document("d", text, "", "d", "html", "", regions)
    start = text.index(words)
    passage = Passage("p", "d", document.revision, start, len(text), text[start:])

    class Documents:
        async def document(self, document_id: str) -> Document:
            assert document_id == "d"
            return document

    inner = ScriptedRetriever({("q",): Evidence((Hit(passage, 1.0),))})
    evidence = await WholeBlocksRetriever(inner, Documents()).retrieve(("q",))  # type: ignore[arg-type]
    found = evidence.passages[0]
    assert found.text == text[found.start : found.end]
    return found


async def test_a_passage_is_extended_within_its_section_only():
    text = "Tea is hot. It boils."
    assert (await begun(text, "It boils")).start == 0
    places = (Region(0, 12, Location(page=1), "text"), Region(12, 21, Location(page=2), "text"))
    assert (await begun(text, "It boils", *places)).start == 12
    table = Region(0, 21, Location(page=1), "table")
    assert (await begun(text, "It boils", table)).start == 12


async def test_a_block_that_begins_far_away_stays_cut():
    text = f"{LONG}It ends."
    assert (await begun(text, "It ends")).start == len(LONG)
