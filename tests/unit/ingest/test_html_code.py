"""Code in pages is code in the text, so that it is shown with what leads to it."""

from __future__ import annotations

import pytest

from assay.ingest.load_html import HtmlLoader
from assay.nlp.blocks import blocks


def read(body: str) -> str:
    return HtmlLoader().load(f"<html><body>{body}</body></html>".encode(), "tea.html").text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>Run:</p><pre>brew tea\n\n  now</pre><p>Wait.</p>", "Run:\n\n```\nbrew tea\n\n  now\n```\n\nWait."),
        ("<p>Run:</p><pre><div>brew</div><div>  wait</div></pre>", "Run:\n\n```\nbrew\n  wait\n```"),
        ("<ul><li>Run:<pre>brew</pre></li><li>wait</li></ul>", "- Run:\n\n  ```\n  brew\n  ```\n\n- wait"),
        ("<dl><dt>-b</dt><dd><pre>tea -b</pre></dd></dl>", "* -b:\n\n  ```\n  tea -b\n  ```"),
        ("<table><tr><td><pre># tea</pre></td></tr></table><p>a</p>", "```\n# tea\n```\n\na"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("<pre>This page was plain text before it came here. It goes on.</pre>",) * 2,
    ],
)
def test_preformatted_text_stands_between_fences(body: str, text: str):
    assert read(body) == text.removeprefix("<pre>").removesuffix("</pre>")


def test_a_whole_page_of_plain_text_is_no_code():
    page = "\n".join(f"{number}. item {number}: {number * 7}" for number in range(400))
    assert read(f"<pre>{page}</pre>") == page


def test_a_table_of_several_cells_stays_a_table():
    assert read("<table><tr><td>a</td><td><pre>b</pre></td></tr></table>") == "a | b"


def test_the_blocks_of_a_page_tell_its_code():
    found = blocks(read("<p>Run this:</p><pre>brew\n\nwait</pre><p>Enjoy.</p>"))
    assert [block.kind.value for block in found] == ["paragraph", "code", "paragraph"]
