"""What the Markdown loader makes of front matter, headings and blank edges."""

from __future__ import annotations

import pytest

from assay.ingest.load_text import MarkdownLoader
from assay.nlp.block import BlockKind
from assay.nlp.blocks import blocks


def test_front_matter_is_metadata_with_a_region_of_its_own() -> None:
    loaded = MarkdownLoader().load(
        b"---\ntitle: Tea\ndate: 2024-05-01\n---\n\n# Brew { #brew }\n\nBoil.\n", "tea.md"
    )
    assert (loaded.title, loaded.metadata) == ("Tea", {"title": "Tea", "date": "2024-05-01"})
    assert [region.location.section for region in loaded.regions] == [None, "Brew", "Brew"]


@pytest.mark.parametrize(
    ("text", "count"), [("\n\nwords\n", 1), ("---\na: b\n---\n", 1), ("\n# Tea\n", 1), ("***", 1)]
)
def test_regions_of_edges(text: str, count: int) -> None:
    assert len(MarkdownLoader().load(text.encode(), "x.md").regions) == count


def test_a_bold_question_is_a_heading() -> None:
    found = blocks("# FAQ\n\n**Is it free?**\n\nYes.\n\n**Note**\n\nIt is *really* free.\n\n- **Is it fast?**\n")
    assert [block.title for block in found if block.kind is BlockKind.HEADING] == ["FAQ", "Is it free?"]
    assert found[2].path == ("FAQ", "Is it free?")
