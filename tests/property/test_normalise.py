"""Normalising is idempotent, and regions cover the same words afterwards."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.ingest.lines import normalise, normalise_text
from assay.types import Loaded, Location, Region

ODD = st.sampled_from(
    ["e\u0301", "\u0301", "\r\n", "\r", "\n", "\0", "\ud800", "ก\u0e33", "\u1100\u1161\u11a8", "A\u030a"]
)
TEXTS = st.lists(st.one_of(ODD, st.text(max_size=3)), max_size=30).map("".join)


@given(TEXTS)
def test_normal_text_stays_as_it_is(text: str) -> None:
    once = normalise_text(text)
    assert normalise_text(once) == once
    assert "\0" not in once
    assert once.encode("utf-8").decode("utf-8") == once
    assert unicodedata.is_normalized("NFC", once)


@given(TEXTS, st.data())
def test_regions_keep_their_order_and_their_words(text: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    regions = tuple(Region(a, b, Location(row=a)) for a, b in pairwise(edges))
    normal = normalise(Loaded(text, "text", regions=regions))
    assert all(0 <= region.start < region.end <= len(normal.text) for region in normal.regions)
    assert all(a.end <= b.start for a, b in pairwise(normal.regions))
    for region in normal.regions:
        before = next(each for each in regions if each.location == region.location)
        plain = _letters(normalise_text(text[before.start : before.end]))
        covered = _letters(normal.text[region.start : region.end])
        # Accents may have joined another letter, and one character at each edge moved to or from a neighbour.
        assert covered in plain or plain[1:-1] in covered


def _letters(text: str) -> str:
    """The text without accents and line breaks."""
    return "".join(
        each
        for each in unicodedata.normalize("NFD", text)
        if not unicodedata.combining(each) and each not in "\r\n"
    )
