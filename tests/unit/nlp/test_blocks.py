"""What a text's blocks are, what is shown together, and what is no prose."""

from __future__ import annotations

import pytest

from assay.nlp.blocks import Block, BlockKind, blocks, titled, unit, without_markup
from assay.types import Passage

PAGE = """\
---
title: Demo
---
# Install *it* { #install }

{% include "x.md" %}

Read [a link](http://x.y/z "t") and `co*de*`.[^1] See [Docs]({{ url }}). <a name="x"></a>

!!! note "Heads up"
    First do this:

    1. one
    2. two

        ```python
        x = {{ y }}
        ```

=== "Docker"

    - pull

=== "Pip"

    - install

[^1]: The footnote's text.
    It goes on.

| City | People |
|------|-------:|
| Ulm  | 126000 |

> [!NOTE]
> Quoted **words**.

[ref]: http://example.com

Run this
--------

```bash
pip install x
```
"""


def kinds(text: str, format: str = "markdown") -> list[str]:
    return [block.kind.value for block in blocks(text, format)]


def one(kind: BlockKind, text: str, format: str = "markdown") -> Block:
    (block,) = [each for each in blocks(text, format) if each.kind is kind]
    return block


def test_a_page_of_mkdocs_is_blocks_in_order() -> None:
    shown = [(each.kind.value, PAGE[each.start : each.end].split("\n")[0]) for each in blocks(PAGE)]
    assert shown == [
        ("markup", "---"),
        ("heading", "# Install *it* { #install }"),
        ("markup", '{% include "x.md" %}'),
        ("paragraph", 'Read [a link](http://x.y/z "t") and `co*de*`.[^1] See [Docs]({{ url }}). <a name="x"></a>'),
        ("markup", '!!! note "Heads up"'),
        ("paragraph", "First do this:"),
        ("list", "1. one"),
        ("markup", '=== "Docker"'),
        ("list", "- pull"),
        ("markup", '=== "Pip"'),
        ("list", "- install"),
        ("paragraph", "The footnote's text."),
        ("table", "| City | People |"),
        ("markup", "[!NOTE]"),
        ("paragraph", "Quoted **words**."),
        ("markup", "[ref]: http://example.com"),
        ("heading", "Run this"),
        ("code", "```bash"),
    ]
    assert blocks(PAGE)[-1].path == ("Install it", "Run this")


def test_a_list_has_items_with_all_they_hold_and_a_table_rows_under_its_header() -> None:
    steps = next(each for each in blocks(PAGE) if each.kind is BlockKind.LIST)
    first, second = (PAGE[item.start : item.end] for item in steps.items)
    assert (first, second.split("\n")[0], second.rstrip()[-3:]) == ("1. one", "2. two", "```")
    table = one(BlockKind.TABLE, PAGE)
    assert table.header is not None
    assert PAGE[table.header.start : table.header.end].startswith("| City")
    assert [PAGE[row.start : row.end] for row in table.items] == ["| Ulm  | 126000 |"]


def test_prose_keeps_words_and_places_and_loses_markup() -> None:
    prose = without_markup(PAGE)
    assert len(prose) == len(PAGE)
    assert all(new in (old, " ") for old, new in zip(PAGE, prose, strict=True))
    words = " ".join(prose.split())
    assert words.startswith("Install it Read a link and co*de* . See Docs")
    assert "x = {{ y }}" in words
    for gone in (
        "Demo",
        "include",
        "http",
        "install }",
        "[^",
        "NOTE",
        "Heads",
        "Docker",
        "```",
        "---",
        "|",
        "<a",
    ):
        assert gone not in words


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("**bold *both*** and snake_case a * b", "bold both and snake_case a * b"),
        ("see [one][two] and [x](y(z))", "see one and x"),
        ("[![badge](a)](b)", ""),
        ("![picture](p.png) words", "words"),
        ("`{{ kept }}` and {{ gone }}", "{{ kept }} and"),
        ("<https://x.y> 2 \\* 3", "https://x.y 2 * 3"),
        ("<Tabs values={[{a: 1}]}>\n\nin a tab\n\n</Tabs>", "in a tab"),
        ("before <!-- one\n\ntwo --> behind", "before behind"),
        ("- [x] done\n- [ ] open", "- done - open"),
    ],
)
def test_inline_markup_is_blanked(text: str, prose: str) -> None:
    assert without_markup(text).split() == prose.split()


def test_a_text_that_begins_within_code_or_a_table_is_read() -> None:
    assert kinds("print(tea)\n```\n\nNow wait.\n\n```py\nx\n```\n") == ["code", "paragraph", "code"]
    assert kinds("| Ulm | 126000 |\n| Rom | 2.8 m |\n") == ["table"]
    assert kinds("the rest of an item.\n\n    Then wait for the water to boil.\n") == ["paragraph", "paragraph"]
    assert kinds("Set it:\n\n    x = compute(y)\n") == ["paragraph", "code"]


def test_code_of_a_fence_is_neither_templating_nor_heading() -> None:
    assert kinds("```\n# no heading\n---\n!!! note\n```\n") == ["code"]


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("milk", ["paragraph", "list"]),
        ("You need", ["paragraph", "list"]),
        ("boil", ["paragraph", "code"]),
        ("Enjoy", ["paragraph"]),
        ("# Tea", ["paragraph", "list"]),
        ("<!--", []),
    ],
)
def test_what_is_read_together_is_shown_together(wanted: str, shown: list[str]) -> None:
    text = "# Tea\n\nYou need:\n\n- water\n- milk\n\n## Boil\n\nRun it.\n\n```\nboil\n```\n\nEnjoy.\n\n<!-- x -->\n"
    at = text.index(wanted)
    assert [each.kind.value for each in unit(blocks(text), at, at + len(wanted))] == shown


def test_a_heading_with_nothing_below_is_no_answer() -> None:
    text = "Words.\n\n## End\n"
    assert unit(blocks(text), text.index("##"), len(text)) == ()


def test_texts_of_other_loaders_have_blocks_by_lines() -> None:
    page = "Prices of tea\n\nThey hold in all our shops:\n\n- green\n- black\n\n- inner\n\nCity | Shops\nUlm | 3"
    assert kinds(page, "html") == ["heading", "paragraph", "list", "table"]
    assert len(one(BlockKind.LIST, page, "html").items) == 3
    assert one(BlockKind.TABLE, page, "html").path == ("Prices of tea",)
    rows = "city | people\ncity: Ulm; people: 126000\ncity: Rom; people: 2800000"
    table = one(BlockKind.TABLE, rows, "csv")
    assert [rows[row.start : row.end] for row in table.items] == rows.split("\n")[1:]
    assert without_markup(rows, "csv").startswith("city   people\n")


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ('ask "How hot is tea?" -k 3', "ask -k 3"),
        ("printf 'How hot is tea?\\nAnd milk?\\n' | chat", "printf | chat"),
        ('{"id": 1, "question": "How hot is tea?"}', '{"id": 1, "question": }'),
        ('curl "http://tea.example/find?hot=1 2"', 'curl "http://tea.example/find?hot=1 2"'),
        ("ls '*.tx?'", "ls '*.tx?'"),
    ],
)
def test_questions_quoted_in_code_are_not_read(code: str, read: str) -> None:
    text = f'She said "How hot is tea?" to him.\n\n```\n{code}\n```\n'
    found = titled(Passage("p", "d", "r", 0, len(text), text, line=1)).text
    assert len(found) == len(text)
    assert found.split() == f'She said "How hot is tea?" to him. {read}'.split()
