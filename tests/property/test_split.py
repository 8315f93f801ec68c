"""Passages tile the text, offsets are true, and no passage overfills the model."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from assay.ingest.load_text import MarkdownLoader
from assay.ingest.split import PassageSplitter
from assay.types import Document, Region

PIECES = st.sampled_from(
    [
        "Word ",
        "sentence. ",
        "\n",
        "\n\n",
        "# Head\n",
        "## Sub\n\n",
        "| a | b |\n",
        "東京です。",
        "x" * 90,
        "\t",
        "   ",
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join))


def count_tokens(text: str) -> int:
    """About four characters a token."""
    return -(-len(text.strip()) // 4)


def split(text: str, regions: tuple[Region, ...] = (), size: int = 12) -> list[str]:
    document = Document("d", text, "Title", "s", "text", "", regions)
    passages = PassageSplitter(count_tokens, size=size, limit=2 * size).split(document)
    for passage in passages:
        assert passage.text == text[passage.start : passage.end]
        assert count_tokens(passage.text) <= 2 * size
    return [passage.text for passage in passages]


@given(TEXTS)
@example("")
@example(" \n ")
@example("a" * 5000)
def test_joined_passages_are_the_text(text: str) -> None:
    assert "".join(split(text)) == text.strip()


@given(st.lists(PIECES, min_size=1, max_size=80).map("".join).filter(str.strip))
def test_markdown_joins_too_and_no_passage_ends_with_a_heading(text: str) -> None:
    loaded = MarkdownLoader().load(text.encode(), "x.md")
    parts = split(loaded.text, loaded.regions)
    assert "".join(parts) == text.strip()
    assert all(part.strip() for part in parts)
