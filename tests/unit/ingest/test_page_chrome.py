"""What of a page is content although its names suggest otherwise, and what stands for a heading."""

from __future__ import annotations

import pytest

from assay.ingest.load_html import HtmlLoader

PROSE = "It is sent to every client of the network by the router. "


def load(body: str) -> str:
    return HtmlLoader().load(f"<html><body><h1>Manual</h1>{body}<p>The end.</p></body></html>".encode(), "x").text


def sections(body: str) -> list[str]:
    page = f"<html><body><h1>Manual</h1>{body}<p>The end.</p></body></html>"
    regions = HtmlLoader().load(page.encode(), "x").regions
    return [str(region.location) for region in regions if region.kind == "heading"][1:]


@pytest.mark.parametrize(
    "body",
    [
        '<section id="router-advertisement"><h2>Router Advertisement</h2><p>Sent.</p></section>',
        '<section id="pagination"><h2>Pagination</h2><p>Sent.</p></section>',
        '<div class="section" id="cookies"><h2>Cookies</h2><p>Sent.</p></div>',
        '<dl><dt id="opt-scrollback_pager">scrollback_pager</dt><dd>Sent.</dd></dl>',
        f'<div class="toctree-wrapper compound"><h2>Scope</h2><p>Sent. {PROSE * 30}</p></div>',
    ],
)
def test_what_is_named_by_its_own_words_is_content(body: str) -> None:
    assert "Sent." in load(body)


@pytest.mark.parametrize(
    "body",
    [
        '<div id="cookies"><h2>Cookies</h2><p>Sent.</p></div>',
        '<div class="cookie-consent"><h2>We value your privacy</h2><p>Sent.</p></div>',
        '<section id="newsletter-box"><p>Sent.</p></section>',
        '<div class="toc"><p>Sent.</p></div>',
        f'<ul class="menu">{"<li><a href=x.html>Sent.</a></li>" * 200}</ul>',
    ],
)
def test_what_leads_around_or_stands_beside_is_not(body: str) -> None:
    assert "Sent." not in load(body)


def test_a_heading_may_be_a_link_to_the_contents() -> None:
    assert sections('<h2><a class="toc-backref" href="#id1">Batteries</a></h2><p>Replace them.</p>') == [
        "Manual > Batteries"
    ]


def test_a_sign_of_a_font_of_icons_is_no_part_of_a_heading() -> None:
    assert sections('<h2>Batteries<a class="headerlink" href="#b">\uf0c1</a></h2><p>Replace them.</p>') == [
        "Manual > Batteries"
    ]


def test_a_term_alone_in_its_list_is_a_heading() -> None:
    assert sections("<dl><dt>scrollback_lines</dt><dd></dd></dl><p>Lines of history.</p>") == [
        "Manual > scrollback_lines"
    ]


def test_a_bold_paragraph_is_a_heading() -> None:
    assert sections("<p><b>(1) Is it free?</b></p><p>Yes.</p>") == ["Manual > (1) Is it free?"]


@pytest.mark.parametrize(
    "body",
    [
        "<p><b>Never do this.</b></p>",
        "<p>Of <b>all</b></p>",
        "<p><b>One</b> and <b>two</b></p>",
        "<ul><li><p><b>Maximum</b></p><p>10 pages</p></li></ul>",
        '<p class="title"><b>Figure 1. The valve</b></p>',
        f"<p><b>{PROSE * 3}</b></p>",
    ],
)
def test_other_bold_text_is_none(body: str) -> None:
    assert sections(body) == []


def test_a_table_with_headings_arranges_the_page() -> None:
    body = "<table><tr><td>Logo</td><td><h2>Proxy</h2><p>Enter its name.</p></td></tr></table>"
    assert sections(body) == ["Manual > Proxy"]
    assert "Enter its name." in load(body)


def test_a_variable_of_a_shell_in_prose_stays() -> None:
    assert "of ${prefix}/include" in load("<p>Headers of ${prefix}/include are found.</p>")


@pytest.mark.parametrize(
    "body",
    [
        "<div><p><b>Is it free?</b></p><p>Yes.</p></div><p>Below.</p>",
        "<p><b>Is it free?</b></p><p>Yes.</p><hr><p>Below.</p>",
        "<div><dl><dt>free</dt></dl><p>Yes.</p></div><p>Below.</p>",
    ],
)
def test_such_a_heading_ends_with_what_holds_it_or_at_a_rule(body: str) -> None:
    loaded = HtmlLoader().load(f"<html><body><h1>Manual</h1>{body}</body></html>".encode(), "x")
    at = loaded.text.index("Below.")
    assert [str(region.location) for region in loaded.regions if region.start <= at < region.end] == ["Manual"]


def test_the_mark_of_a_footnote_is_no_text() -> None:
    body = '<p>Sent once. <a class="footnote-reference brackets" href="#id6">1</a> Then <a href="#id7">2</a>.</p>'
    assert load(body).split("\n\n")[1] == "Sent once. Then 2."
