"""What in a Markdown text is none of its author's sentences."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.cited_sentences import Numbered
from assay.nlp.markup import Role, blanked, find_asides
from assay.nlp.segments import cut, joined
from assay.types import Span

FRONT = "---\ntitle: The bridge\ntags:\n  - 1933\n- x\n# y\n\n---"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{FRONT}\n\nIt rained.", [FRONT]),
        ("---\r\ntitle: x\r\n---\r\nIt rained.", ["---\r\ntitle: x\r\n---\r"]),
        ("---\nIt rained.\n---\n", []),
        ("---\n\n---\n", []),
        ("---\ntitle: never closed\n", []),
        ("It rained.\n\n---\ntitle: x\n---\n", []),
        ("<!-- a\nb -->\nIt rained.", ["<!-- a\nb -->"]),
        ("It rained. <!-- a -->\nIt snowed.", ["<!-- a -->"]),
        ("It <!-- a --> rained.", []),
        ("<!-- never closed\nIt rained.", []),
        ("[^1]: The office.\n    And more.\nIt rained.", ["[^1]: The office.\n    And more."]),
        ('[a]: https://b.c "d"\n[e f]: <g h>', ['[a]: https://b.c "d"', "[e f]: <g h>"]),
        ("[1]: It rained there.", []),
        ("> It rained.\n> And how.\n\nIt snowed.", ["> It rained.\n> And how."]),
        ("It rained:\n\n    x = 1933\n\n    y = 2\n\nSo.", ["    x = 1933", "    y = 2"]),
        ("It rained:\n\n\tx = 1933", ["\tx = 1933"]),
        ("It rained:\n    and snowed.", []),
        ("So.\n\n    It rained there\nand snowed.", []),
        ("    It rained.\n\n    It snowed.", []),
        ("- One\n\n    more of one\n\n      x = 1", ["      x = 1"]),
        ("1. One\n\n    more of one\n\nSo.\n\n    x = 1", ["    x = 1"]),
        ("```\n> x\n\n    y\n<!-- z -->\n[^1]: a\n```\n", []),
    ],
)
def test_asides_are_found_and_sentences_left(text: str, expected: list[str]):
    assert [text[each.start : each.end] for each in find_asides(text)] == expected


def test_a_quote_is_told_from_markup():
    assert [each.role for each in find_asides("> a\n\n[^1]: b")] == [Role.QUOTED, Role.MARKUP]


LINES = st.lists(
    st.sampled_from(
        ["---", "a: b", "", "    x", "> q", "<!-- c", "-->", "[^1]: d", "It rained. [1] ⚠", "- e", "```"]
    )
)


@given(LINES.map("\n".join))
def test_asides_do_not_overlap_and_what_is_cut_and_joined_is_the_text(text: str):
    found = find_asides(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    pieces = cut(text, Numbered(()))
    assert joined(pieces, [piece.written for piece in pieces]).text == text
    assert sum(piece.role is not Role.SENTENCE for piece in pieces) == len(found)


@given(LINES.map("\n".join), st.data())
def test_an_aside_stays_whatever_goes_around_it(text: str, data: st.DataObject):
    pieces = cut(text, Numbered(()))
    gone = data.draw(st.sets(st.sampled_from([n for n, each in enumerate(pieces) if not each.stays] or [None])))
    made = joined(pieces, ["" if n in gone else each.written for n, each in enumerate(pieces)])
    for aside in find_asides(text):
        assert text[aside.start : aside.end] in made.text


def test_blanked_keeps_every_place():
    assert blanked("a\nbc d", [Span(0, 4)]) == " \n   d"


def test_many_open_comments_are_read_at_once():
    assert find_asides("<!--\n" * 200_000) == ()
