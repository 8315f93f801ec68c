"""However a text arrives, it is cut at the same places, and nothing of it is lost."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.cited_sentences import SentenceCutter

PARTS = [
    *(
        "It rained.",
        " The sun",
        "and",
        "Dr. Wu",
        "3.5 km",
        "e.g.",
        "He said “no.”",
        "水。",
        "「雨。」",
        "**Bold.**",
        "`a. B`",
    ),
    *(
        "[1]",
        " [2]",
        "[1, 2]",
        "([3])",
        "[[1]]",
        "[Source: A. Title]",
        "[x](y)",
        "[",
        "]",
        "(see",
        ")",
        "*",
        "1",
        ".",
    ),
    *(" ", "\n", "\n\n", ", ", "!", "…", "- item", "1. step", "## Head", "| a | b |", "\n```\ncode. x\n\nB\n```\n"),
]
STRAY = ["```", "`", "~~~", "``", "```py\n"]
PLACES = st.lists(st.integers(0, 200), max_size=20)


def cut(pieces: list[str]) -> list[str]:
    cutter = SentenceCutter(("A. Title",))
    return [each for piece in pieces for each in cutter.feed(piece)] + cutter.end()


def in_pieces(text: str, places: list[int]) -> list[str]:
    edges = sorted({0, len(text), *(place for place in places if place < len(text))})
    return [text[start:end] for start, end in pairwise(edges)]


@given(st.lists(st.sampled_from(PARTS), max_size=14), PLACES)
def test_the_cuts_are_those_of_the_whole_text(parts, places):
    text = "".join(parts)
    whole = cut([text])
    assert "".join(whole) == text
    assert cut(in_pieces(text, places)) == whole
    assert cut(list(text)) == whole


@given(st.lists(st.sampled_from(PARTS + STRAY), max_size=14), PLACES)
def test_nothing_is_lost_and_no_sentence_is_blank(parts, places):
    text = "".join(parts)
    found = cut(in_pieces(text, places))
    assert "".join(found) == text
    assert all(each.strip() for each in found) or not text.strip()
