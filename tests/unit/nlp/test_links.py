"""No link is left that was not allowed, and words stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.markup import addresses, strip_links

SIGNS = (
    "http://", "https:", "//",
    "[", "]", "(", ")", "!", "<a ", "<img src=", "www.", "evil.example", "`", "```", "\n",
    " ", "javascript:", "x", "]:", "mailto:", ".", "`https://a.example/b`", "請看",
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See [here](https://x.example/?q=secret).", "See here (x.example/?q=secret)."),
        ("![it](https://x.example/a.png)", "it (x.example/a.png)"),
        ("[a [b]](https://x.example/) it", "[a [b] (x.example/) it"),
        ("[it][ref]\n[ref]: https://x.example/", "[it [ref]\n[ref] x.example/"),
        ("<https://x.example/>", "‹x.example/>"),
        ('<a href="https://x.example/">it</a>', '‹a href="x.example/">it‹/a>'),
        ("<img src=/logout>", "‹img src=/logout>"),
        ("[it](javascript:alert(1))", "[it (javascript alert(1))"),
        ("www.x.example and WWW.X.example", "x.example and X.example"),
        ("hthttps://tps://x.example", "x.example"),
        ("write to mailto:a@x.example", "write to a@x.example"),
        ("請看https://x.example/。", "請看x.example/。"),
        ("[1](https://x.example)", "1 (x.example)"),
    ],
)
def test_links_become_words(written: str, shown: str) -> None:
    assert strip_links(written).text == shown
    assert strip_links(written).changed > 0


@pytest.mark.parametrize(
    "text",
    [
        "It costs 3 // 4 or 12://x.",
        "x < y and List<String>, std::pair[0] (see above)",
        "At 10:30: data: none.",
        "[1] (2)",
    ],
)
def test_other_signs_stay(text: str) -> None:
    assert strip_links(text).text == text


def test_what_is_allowed_stays_as_a_link_and_never_as_an_image() -> None:
    link = "https://own.example/page"
    text = f"[own]({link}) or {link}, not [x](https://x.example) nor ![own]({link})."
    assert strip_links(text, [link]).text == f"[own]({link}) or {link}, not x (x.example) nor own ({link})."


def test_in_code_an_address_of_the_sources_stays() -> None:
    link = "https://own.example/code"
    text = f"`git clone {link}` and `curl https://x.example`, {link}"
    assert (
        strip_links(text, (), [link]).text
        == "`git clone https://own.example/code` and `curl x.example`, own.example/code"
    )


@given(st.lists(st.sampled_from(SIGNS) | st.text(max_size=3), max_size=14).map("".join))
def test_no_link_is_left_and_nothing_is_left_to_change(text: str) -> None:
    plain = strip_links(text)
    assert strip_links(plain.text).changed == 0
    assert addresses(plain.text) == ()
    assert "](" not in plain.text
    assert "![" not in plain.text
    assert "<img" not in plain.text.lower()
