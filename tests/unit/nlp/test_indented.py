"""A plain text that is set in by blanks is read by its terms, and shown without its indent."""

from __future__ import annotations

from assay.nlp.block import BlockKind
from assay.nlp.blocks import passage_blocks, readable
from assay.nlp.indented import indented_blocks
from assay.types import Passage

MANUAL = """\
TEA(1)                           User Commands                           TEA(1)

NAME
       tea - boil water for one cup or many

OPTIONS
       -t, --time minutes
              How long the leaves stay in the water be\u2010
              fore they are taken out again.

              The default is four minutes for every kind.

       -q     Say nothing at all while the water boils, and
              nothing afterwards.

       These files are read by the program as it starts:

       tea.conf       the settings of the machine
       leaves.txt     all kinds of leaves
"""


def shown(text: str) -> list[tuple[str, str, str]]:
    """The kind, the term and the words of each block."""
    passage = Passage("p", "d", "r", 0, len(text), text, line=1)
    return [
        (
            block.kind.value,
            text[block.header.start : block.header.end] if block.header else "",
            readable(passage, block.start, block.end),
        )
        for block in passage_blocks(passage)
    ]


def test_a_term_and_what_is_set_in_below_it_are_one_block() -> None:
    assert shown(MANUAL)[3:] == [
        ("heading", "", "OPTIONS"),
        (
            "paragraph",
            "-t, --time minutes",
            "-t, --time minutes\n"
            "       How long the leaves stay in the water before\n"
            "       they are taken out again.",
        ),
        ("paragraph", "-t, --time minutes", "The default is four minutes for every kind."),
        (
            "paragraph",
            "-q",
            "-q     Say nothing at all while the water boils, and\n       nothing afterwards.",
        ),
        ("paragraph", "", "These files are read by the program as it starts:"),
        ("list", "", "tea.conf       the settings of the machine\nleaves.txt     all kinds of leaves"),
    ]


def test_the_first_and_last_lines_of_a_page_are_never_quoted() -> None:
    assert indented_blocks(MANUAL)[0].kind is BlockKind.MARKUP


def test_a_passage_within_a_page_begins_with_a_term_as_well() -> None:
    text = MANUAL[MANUAL.index("-t, --time") :].strip()
    assert shown(text)[0][1] == "-t, --time minutes"


def test_markdown_and_code_are_not_set_in() -> None:
    listed = "- Tea is made of leaves and of hot water.\n" + 6 * "    It is made of leaves and of hot water.\n"
    code = "def brew():\n" + 6 * "    leaves = water.boil();\n"
    assert indented_blocks(listed) == indented_blocks(code) == ()
