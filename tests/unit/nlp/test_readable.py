"""What is shown of Markdown: its words, without targets, tags, templating, attributes and footnote marks."""

from __future__ import annotations

import pytest

from assay.nlp.blocks import BlockKind, blocks, readable
from assay.types import Passage


def shown(text: str, line: int | None = 1) -> str:
    return readable(Passage("p", "d", "r", 0, len(text), text, line=line), 0, len(text))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("It runs {{ firmware_version }} now.", "It runs now."),
        ("Plug it in. The version is {{ firmware_version }}.", "Plug it in."),
        ('<a id="weight"></a>\nIt weighs 4 kg.', "It weighs 4 kg."),
        (
            '<div class="note">The stage carries <b>500</b> kg &amp; no more.</div>',
            "The stage carries 500 kg & no more.",
        ),
        ("The mash temperature is **66 °C**. {: .note }", "The mash temperature is **66 °C**."),
        ("See [opening hours](hours.md#summer) for details. { .aside #hint }", "See opening hours for details."),
        (
            'The schedule[^hops] has three. See [the chart][chart] and ![Hop chart](img/h.png "Chart").',
            "The schedule has three. See the chart and Hop chart.",
        ),
        (
            '- Read it\n- Read the [quick guide](https://example.com/?utm=12 "Guide")',
            "- Read it\n- Read the quick guide",
        ),
        ("{% note %} Ladders are kept in room 3. {% endnote %}", "Ladders are kept in room 3."),
        ("One<br>two.", "One two."),
        # Code, words to be put in and what would become a tag stay as they are written.
        (
            "Set `{{ name }}` and <your-name>, press <Enter>, a &lt;b&gt;.",
            "Set `{{ name }}` and <your-name>, press <Enter>, a &lt;b&gt;.",
        ),
        ("It **is** so [2].", "It **is** so [2]."),
    ],
)
def test_words_are_shown_without_markup(written: str, read: str) -> None:
    assert shown(written) == read


def test_texts_of_other_formats_are_shown_as_they_stand() -> None:
    assert shown("Write [2](3) and {{ name }}.", None) == "Write [2](3) and {{ name }}."


def test_prose_within_templating_on_one_line_is_a_paragraph() -> None:
    text = "{% note %} Ladders are kept in room 3. {% endnote %}\n\n{% include x.html %} {# y #}\n"
    assert [block.kind for block in blocks(text)] == [BlockKind.PARAGRAPH, BlockKind.MARKUP]
