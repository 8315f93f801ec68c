"""A draft in HTML is read block by block, wherever its lines break, and its places stay true."""

from __future__ import annotations

import pytest

from assay.nlp.citations import citations
from assay.nlp.markup import strip_tags
from assay.types import Span
from assay.verification.claims import split_claims


def _claims(text: str) -> list[tuple[str, tuple[int, ...]]]:
    found = split_claims(text, citations(text))
    for each in found:
        assert len(each.plain) == each.end - each.start
        assert each.text.split()[0] in text[each.start : each.end]
    return [(each.text, each.numbers) for each in found]


def test_each_block_of_one_line_is_read_for_itself():
    text = (
        "<h2>The bridge</h2><p>It is <b>5</b> km long. It is red</p><ul><li>It cost 4 million [1]</li>"
        '<li class="late">It opened in 1932<br/>It closed in 1950</li></ul>'
    )
    assert _claims(text) == [
        ("It is 5 km long.", ()),
        ("It is red", ()),
        ("It cost 4 million", (1,)),
        ("It opened in 1932", ()),
        ("It closed in 1950", ()),
    ]


def test_a_row_is_one_claim_and_the_head_of_its_table_none():
    text = "<table><tr><th>Room</th><th>Fee</th></tr><tr><td>Hall</td><td>90&nbsp;euros</td></tr></table>"
    assert _claims(text) == [("Hall 90 euros", ())]


def test_the_head_of_a_row_is_read_with_its_cells():
    rows = "<tr><th>Adults</th><td>5 euros</td></tr><tr><th>Children</th><td>9 euros</td></tr>"
    assert [" ".join(text.split()) for text, _ in _claims(f"<table>{rows}</table>")] == [
        "Adults 5 euros",
        "Children 9 euros",
    ]


def test_a_mark_behind_a_block_belongs_to_it():
    assert _claims("<p>It is red.</p> [1] <p>It is long.</p>") == [("It is red.", (1,)), ("It is long.", ())]


@pytest.mark.parametrize(
    "text",
    [
        "It is <5 km long and >2 km wide.",
        "The <p> tag begins a paragraph.",
        "It is <b the fee is 90 euros> red.",
    ],
)
def test_what_is_no_html_stays_as_it_is(text: str):
    assert strip_tags(text).text == text


def test_words_in_what_is_no_tag_are_tested():
    assert "90 euros" in " ".join(text for text, _ in _claims("<p>It is <b the fee is 90 euros> red.</p>"))


def test_a_long_heading_is_a_statement():
    statement = "The bridge was sold. " * 12
    assert _claims(f"<h1>{statement}</h1><p>It is red.</p>")[0][0] == "The bridge was sold."


def test_no_place_moves():
    text = "<div>a</div>"
    found = strip_tags(text)
    assert (len(found.text), list(found.parts([Span(0, 12)]))) == (12, [Span(0, 5), Span(5, 12), Span(12, 12)][:2])
