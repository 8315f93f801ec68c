"""Ways through a manual and tables of contents are no content; links that are told of are."""

from __future__ import annotations

import pytest

from assay.ingest.load_html import HtmlLoader

HEAD = (
    '<head><link rel="prev" href="cups.html"><link rel="next" href="milk.html"><link rel="up" href="i.html"></head>'
)
SECTIONS = '<h2 id="w">1.1 Soft water</h2><p>It boils.</p><h2 id="m">1.2 Milk</h2><p>It is cold.</p>'


def read(body: str, head: str = HEAD) -> str:
    return HtmlLoader().load(f"<html>{head}<body>{body}</body></html>".encode(), "tea.html").text


@pytest.mark.parametrize(
    "ways",
    [
        '<p><a href="cups.html">Previous</a> | <a href="i.html">Contents</a> | <a href="milk.html">Next</a></p>',
        '<div><p>Next: <a href="m.html" rel="next">Milk</a>, Up: <a href="i.html" rel="up">Tea</a></p></div>',
        '<p>Next: <a href="m.html" rel="next">Milk and sugar</a></p>',
        '<div class="navfooter"><table><tr><td><a href="m">Next</a></td></tr><tr><td>Milk</td></tr></table></div>',
    ],
)
def test_ways_to_other_pages_are_left_out(ways: str):
    assert read(f"<h1>Tea</h1><p>Boil the water.</p>{ways}") == "Tea\n\nBoil the water."


@pytest.mark.parametrize(
    "kept",
    [
        '<p>What milk does is told <a href="milk.html">on the next page</a>.</p>',
        '<p>See the <a href="cups.html">cups</a> and the <a href="milk.html">milk</a> that we sell in May.</p>',
        '<ul><li><a href="green.html">Green</a></li><li><a href="black.html">Black</a></li><li>White</li></ul>',
        '<ul><li><a href="g">Green</a></li><li><a href="b">Black</a></li><li><a href="w.html">Red</a></li></ul>',
        '<ul><li><a href="#w">Soft water</a> boils</li><li><a href="#m">Milk</a> is cold</li></ul>',
    ],
)
def test_links_that_something_is_said_with_stay(kept: str):
    text = read(f"<h1>Tea</h1>{kept}{SECTIONS}")
    assert text.count("\n") > 7
    assert text.partition("\n\n1.1")[0] != "Tea"


def test_contents_of_the_page_are_left_out_with_what_leads_to_them():
    contents = '<p>This page covers:</p><ul><li><a href="#w">Soft water</a></li><li><a href="#m">Milk</a></li></ul>'
    text = read(f"<h1>Tea</h1><p>Hot.</p>{contents}{SECTIONS}")
    assert text == "Tea\n\nHot.\n\n1.1 Soft water\n\nIt boils.\n\n1.2 Milk\n\nIt is cold."


def test_a_tree_of_links_to_pages_is_contents():
    leaves = "".join(f'<li><a href="{name}.html">{name}</a></li>' for name in ("green", "black", "white", "red"))
    tree = f'<ul><li><a href="tea.html">Kinds of tea</a><ul>{leaves}</ul></li></ul>'
    assert read(f"<h1>Tea</h1><p>Boil the water.</p>{tree}", head="") == "Tea\n\nBoil the water."
    abroad = tree.replace('href="', 'href="https://tea.example/')
    assert "- green" in read(f"<h1>Tea</h1><p>Boil the water.</p>{abroad}", head="")


def test_a_page_of_contents_alone_is_read():
    contents = '<ul><li><a href="#w">Soft water</a></li><li><a href="#m">Milk</a></li></ul>'
    text = read(f'{contents}<h2 id="w"></h2><h2 id="m"></h2>', head="")
    assert text == "- Soft water\n- Milk"
