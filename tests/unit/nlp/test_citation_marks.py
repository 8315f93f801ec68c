from __future__ import annotations

import pytest

from assay.nlp.citations import Names, citations, invalid, without_marks


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[Source 1]", (1,)),
        ("[Sources 1, 2]", (1, 2)),
        ("[SOURCE 2]", (2,)),
        ("[1,2]", (1, 2)),
        ("[1-3]", (1, 2, 3)),
        ("[1–3, 7]", (1, 2, 3, 7)),
        ("[1..5]", (1, 2, 3, 4, 5)),
        ("[1 to 3]", (1, 2, 3)),
        ("[^1]", (1,)),
        ("【1】", (1,)),
        ("【１，２】", (1, 2)),
        ("[1、2]", (1, 2)),
        ("[Source 1, Source 2]", (1, 2)),
        ("[Source 1 - Source 3]", (1, 2, 3)),
        ("[1 and 2]", (1, 2)),
        ("[1, 2, and 3]", (1, 2, 3)),
        ("[source 1; 2]", (1, 2)),
        ("[1, p. 3]", (1,)),
        ("[1, pp. 3-5; 2, p. 7]", (1, 2)),
        ("[ref. 4]", (4,)),
        ("[Source: file.pdf]", (2,)),
        ("[1, 1]", (1,)),
        ("[999]", (999,)),
        ("[Source: other.pdf]", ()),
    ],
)
def test_every_style_is_read(mark: str, numbers: tuple[int, ...]) -> None:
    text = f"So it is {mark}."
    [found] = citations(text, ("a.md", "file.pdf"))
    assert text[found.start : found.end] == mark
    assert found.numbers == numbers


@pytest.mark.parametrize(
    ("mark", "numbers"),
    [
        ("[b]", [(2,)]),
        ("[b, kb:7]", [(2, 3)]),
        ("[b; 1]", []),
        ("[B]", []),
        ("[9]", [(9,)]),
        ("[Source: Rain]", [(1,)]),
        ("[x]", []),
        ("`[b]`", []),
        ("[b](https://example.org)", []),
        ("[c, d]", [(4,)]),
    ],
)
def test_a_source_s_id_is_a_mark_where_ids_are_known(mark: str, numbers: list[tuple[int, ...]]) -> None:
    names = Names(("Rain", "", "", ""), ("9", "b", "kb:7", "c, d"))
    assert [found.numbers for found in citations(f"So it is {mark}.", names)] == numbers


@pytest.mark.parametrize(
    "text",
    ["[x]", "[1](https://example.org)", "`[1]`", "```\nx[1]\n```", "[2021-05-03]", "[1.2]", "[]", "[p. 3]", "[5-1]",
     "[-1]", "[1-100000]", "[1 2]", "[see 1]", "[", "]1[", "[1"],
)  # fmt: skip
def test_what_is_no_mark(text: str) -> None:
    assert citations(text) == ()


def test_nested_brackets_hold_a_mark() -> None:
    assert [mark.numbers for mark in citations("[[1]] and [see [2]]")] == [(1,), (2,)]


def test_invalid_marks() -> None:
    text = "a [1] b [3] c [0] d [1, 9] e [Source: x]"
    marks = citations(text)
    assert [text[m.start : m.end] for m in invalid(marks, 2)] == ["[3]", "[0]", "[1, 9]", "[Source: x]"]


def test_blanking_keeps_places() -> None:
    text = "It rains [1, 2]. It snows."
    blanked = without_marks(text, citations(text))
    assert len(blanked) == len(text)
    assert blanked.index("It snows") == text.index("It snows")
