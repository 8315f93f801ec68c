"""What stands beside a page's content: boxes that belong to it stay, ways to other pages go."""

from __future__ import annotations

import pytest

from assay.ingest.load_html import HtmlLoader

LINKS = '<a href="/a">Teapots</a> <a href="/b">Kettles</a> <a href="/c">Cups and saucers</a>'


@pytest.mark.parametrize(
    ("beside", "kept"),
    [
        ('<div class="sidebar"><p>Soft water makes <a href="/w">better tea</a> than hard water.</p></div>', True),
        ("<aside><p>Soft water makes better tea than hard water.</p></aside>", True),
        (f'<div class="sidebar"><p>See also</p>{LINKS}</div>', False),
        (f"<aside>{LINKS}</aside>", False),
        ('<div class="page-toc"><p>Soft water</p></div>', False),
    ],
)
def test_a_box_is_read_and_a_list_of_links_is_not(beside: str, kept: bool):
    page = f"<body><h1>Tea</h1><p>Boil the water.</p>{beside}<p>Pour it over the leaves.</p></body>"
    text = HtmlLoader().load(page.encode(), "tea.html").text
    assert text.startswith("Tea\n\nBoil the water.")
    assert text.endswith("Pour it over the leaves.")
    assert ("Soft water" in text) is kept
    assert "Kettles" not in text
