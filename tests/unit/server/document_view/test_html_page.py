"""HTML and Markdown as safe HTML: nothing in it loads, runs or links, and the quote is marked where it stands."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import fragment_fromstring

from assay.errors import UnreadableDocument
from assay.ingest.load_html import HtmlLoader
from assay.server.document_view.html_page import Quote, html_page, markdown_page

SHOWN_TAGS = set(
    """abbr b blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins
    kbd li mark ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead tr u ul
    var""".split()
)
SHOWN_ATTRIBUTES = {"colspan", "rowspan", "start", "id"}


def marks(page: str) -> list[str]:
    """The marked texts, of which the first has the id."""
    found = re.findall(r"<mark([^>]*)>(.*?)</mark>", page, re.DOTALL)
    assert [attributes for attributes, _ in found] == [' id="quote"'] + [""] * (len(found) - 1)
    return [html.unescape(text) for _, text in found]


def quoted(text: str, words: str, *, last: bool = False) -> Quote:
    """The words as a quote from a stored text, where they stand first or last."""
    at = text.rindex(words) if last else text.index(words)
    return Quote(words, text[:at], text[at + len(words) :], at / len(text))


def marked_html(page: str, words: str, *, last: bool = False) -> str:
    """The page with words of its stored text marked."""
    data = page.encode()
    return html_page(data, quoted(HtmlLoader().load(data, "x.html").text, words, last=last))


def marked_markdown(text: str, words: str, *, last: bool = False) -> str:
    at = text.rindex(words) if last else text.index(words)
    return markdown_page(text, at, at + len(words)).html


def refuse_unsafe(page: str) -> None:
    """Fail at a tag or attribute that is not among those shown, which load, run and link to nothing."""
    root = fragment_fromstring(page, create_parent="main")
    for element in root.iterdescendants():
        assert element.tag in SHOWN_TAGS
        assert set(element.keys()) <= SHOWN_ATTRIBUTES


CARRIERS = [
    "<img src=https://evil.example/?q=1>",
    "<script>fetch('https://evil.example')</script>",
    "<a href='https://evil.example'>words</a>",
    "<a href='javascript:alert(1)'>words</a>",
    "<a href='//evil.example'>words</a>",
    "<svg><image href='https://evil.example'/><script>1</script></svg>",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<p style='background:url(https://evil.example)'>words</p>",
    "<style>@import 'https://evil.example';</style>",
    "<link rel=stylesheet href=https://evil.example>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href=https://evil.example>",
    "<iframe srcdoc='<script>1</script>'></iframe>",
    "<object data=https://evil.example></object><embed src=https://evil.example>",
    "<form action=https://evil.example><input name=q><button>go</button></form>",
    "<video poster=https://evil.example src=x></video><audio src=x></audio>",
    "<p onclick=alert(1) id=quote class=x data-x=1>words</p>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<template><img src=x onerror=alert(1)></template>",
    "<textarea></textarea><img src=x onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<mark id=quote>not the quote</mark>",
    "![x](https://evil.example/?q=1)",
    "![x][e]\n\n[e]: https://evil.example",
    "[words](javascript:alert(1)) <https://evil.example>",
    "[words][e]\n\n[e]: data:text/html,<script>1</script>",
]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_nothing_of_a_page_loads_runs_or_links(carrier: str) -> None:
    page = marked_html(f"<html><body><p>Water boils at 100 degrees.</p>{carrier}</body></html>", "100 degrees")
    refuse_unsafe(page)
    assert marks(page) == ["100 degrees"]
    rendered = marked_markdown(f"Water boils at 100 degrees.\n\n{carrier}\n", "100 degrees")
    refuse_unsafe(rendered)
    assert marks(rendered) == ["100 degrees"]


@given(
    st.lists(st.sampled_from([*CARRIERS, "<p>", "</p>", "<table><tr><td>", "`", "**", "\n\n", "<", "&#x3c;", "é"]))
)
def test_pieces_of_pages_in_any_order_are_safe(pieces: list[str]) -> None:
    source = "".join(pieces)
    refuse_unsafe(markdown_page(f"{source}\n\nwords", 0, 0).html)
    try:
        refuse_unsafe(html_page(f"{source} words".encode(), Quote("words")))
    except UnreadableDocument:
        refuse_unsafe(html_page(f"{source} words".encode(), None))


def test_links_and_pictures_of_markdown_are_shown_as_their_text() -> None:
    page = markdown_page("See [the *page*](https://e.example) and ![a <plan>](plan.png).", 0, 0).html
    assert page == "<p>See the <em>page</em> and a &lt;plan&gt;.</p>\n"


PAGE = """<html><head><title>Tea</title></head><body><nav>Home Water</nav><h1>Tea</h1>
<p>Boil <b>the water</b> for tea.<sup><a href="#n1">[1]</a></sup> Let it stand
for five minutes.</p><ul><li>Green tea: two minutes.</li><li>Black tea: four.</li></ul>
<table><tr><th>Tea</th><th>Degrees</th></tr><tr><td>Green</td><td>80</td></tr></table>
<p>Let it stand for a while.</p></body></html>"""


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("for tea.", ["for tea."]),
        ("Boil the water for tea.", ["Boil ", "the water", " for tea."]),
        ("tea. Let it stand for five", ["tea", "Let it stand\nfor five"]),
        ("Green tea: two minutes.\n- Black", ["Green tea: two minutes.", "Black"]),
        ("Green | 80", ["Green", "80"]),
    ],
)
def test_a_quote_is_marked_in_every_element_that_it_goes_over(words: str, parts: list[str]) -> None:
    page = marked_html(PAGE, words)
    assert marks(page) == parts
    refuse_unsafe(page)
    assert "Home" not in page


def test_a_quote_that_stands_twice_is_marked_where_it_is_meant() -> None:
    first, last = marked_html(PAGE, "Let it stand"), marked_html(PAGE, "Let it stand", last=True)
    assert first.index("<mark") < first.index("five minutes") < first.index("a while")
    assert last.index("five minutes") < last.index("<mark") < last.index("a while")


def test_the_same_row_again_and_again_is_marked_by_its_place() -> None:
    rows = "".join("<li>the same words</li>" for _ in range(50))
    text = "\n".join("- the same words" for _ in range(50))
    at = [match.start() for match in re.finditer("the same", text)][30]
    quote = Quote("the same words", text[:at][-300:], text[at + 14 :][:300], at / len(text))
    page = html_page(f"<ul>{rows}</ul>".encode(), quote)
    assert abs(page[: page.index("<mark")].count("<li>") - 31) <= 1


def test_a_quote_that_is_not_in_the_page_is_an_error() -> None:
    with pytest.raises(UnreadableDocument, match="not found"):
        html_page(PAGE.encode(), Quote("Boil the milk for tea."))
    with pytest.raises(UnreadableDocument, match="not found"):
        html_page(PAGE.encode(), Quote("…!"))
    assert "<mark" not in html_page(PAGE.encode(), None)


@pytest.mark.parametrize("data", [b"<div>" * 50_000 + b"words", b"<p>" + b"words " * 1_200_000])
def test_a_page_that_is_too_deep_or_too_long_is_refused_at_once(data: bytes) -> None:
    with pytest.raises(UnreadableDocument) as caught:
        html_page(data, Quote("words"))
    assert caught.value.hint == "read it in the stored text"


MARKDOWN = """---
title: Tea
---
# How to boil *water*

Fill the [kettle](https://kettle.example/fill-the-kettle) with
**cold water**, see [the table][t] &amp; wait. It takes 5\\*2 minutes.

- Green tea: two minutes
- Black tea: `four` minutes

| Tea | Degrees |
|---|---|
| Green | 80 |
| Black | 100 |

```python
boil("<water>")  # see https://kettle.example
```

> Quoted <b>words</b> &lt;here&gt;.

[t]: https://kettle.example/table
"""


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("title: Tea", ["title: Tea"]),
        ("# How to boil *water*", ["How to boil ", "water"]),
        (
            "Fill the [kettle](https://kettle.example/fill-the-kettle) with\n**cold",
            ["Fill the kettle with\n", "cold"],
        ),
        ("**cold water**, see [the table][t] &amp; wait.", ["cold water", ", see the table & wait."]),
        ("It takes 5\\*2 minutes.", ["It takes 5*2 minutes."]),
        ("- Black tea: `four` minutes", ["Black tea: ", "four", " minutes"]),
        ("| Green | 80 |", ["Green", "80"]),
        ('boil("<water>")', ['boil("<water>")']),
        ("> Quoted <b>words</b> &lt;here&gt;.", ["Quoted ", "words", " <here>."]),
    ],
)
def test_a_quote_of_markdown_is_marked_in_what_it_becomes(words: str, parts: list[str]) -> None:
    page = marked_markdown(MARKDOWN, words)
    assert marks(page) == parts
    refuse_unsafe(page)


def test_a_rule_of_a_table_has_nothing_to_mark() -> None:
    with pytest.raises(UnreadableDocument, match="not found"):
        marked_markdown(MARKDOWN, "|---|---|")


def test_of_a_long_text_the_blocks_around_the_quote_are_shown() -> None:
    blocks = [
        f"## Part {n}\n\n```\n# no heading {n}\n\n{'code ' * 40}\n```\n\n{'words ' * 60}end{n}.\n"
        for n in range(900)
    ]
    text = "\n".join(blocks)
    page = marked_markdown(text, "end450.")
    assert marks(page) == ["end450."]
    assert "Part 449" in page
    assert "Part 10<" not in page
    assert "Part 890<" not in page
    assert len(page) < 90_000
    assert page.count("<pre>") == page.count("no heading")


def test_the_parts_of_a_long_text_give_every_block_once() -> None:
    text = "\n".join(f"## Part {n}\n\n{'words ' * 60}end{n}.\n" for n in range(900))
    at = text.index("end450.")
    middle = markdown_page(text, at, at + 7)
    pages = [middle]
    while pages[-1].later is not None:
        pages.append(markdown_page(text, at, at + 7, pages[-1].later))
    while pages[0].earlier is not None:
        pages.insert(0, markdown_page(text, at, at + 7, pages[0].earlier))
    assert len(pages) > 4
    assert re.findall(r"end(\d+)", re.sub("</?mark[^>]*>", "", "".join(page.html for page in pages))) == [
        str(n) for n in range(900)
    ]
    assert ["<mark" in page.html for page in pages] == [page is middle for page in pages]


def test_a_block_that_is_too_long_is_refused() -> None:
    with pytest.raises(UnreadableDocument, match="too long"):
        markdown_page("words " * 200_000, 600_000, 600_005)
