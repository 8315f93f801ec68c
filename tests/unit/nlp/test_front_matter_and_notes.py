"""What readers are shown of front matter, footnotes, unfilled templating and numbered titles."""

from __future__ import annotations

import pytest

from assay.nlp.blocks import BlockKind, blocks, passage_blocks, readable, without_markup
from assay.nlp.table_cells import asked_cell
from assay.types import Passage

FRONT = """---
title: Falcon router manual
author: Ines Varga
layout: page
draft: false
image: img/back.png
version: 4.2
reviewers:
  - Paul Ott
  - Mei Lin
menu:
  main:
    weight: 5
status: "in force"
---

# Falcon

It routes."""
TOML = '+++\nauthor = "Noor Aziz"\nweight = 3\ndate = 2024-09-02\n+++\n\n# Ledger\n'


def passage(text: str, title: str = "") -> Passage:
    return Passage("p", "d", "r", 0, len(text), text, title, line=1)


def read(text: str) -> list[tuple[str, str]]:
    held = passage(text)
    return [(block.kind.value, readable(held, block.start, block.end)) for block in passage_blocks(held)]


def test_front_matter_is_a_record_of_what_tells_of_the_document() -> None:
    record = next(block for block in blocks(FRONT) if block.kind is BlockKind.TABLE)
    assert [FRONT[row.start : row.end] for row in record.items] == [
        "author: Ines Varga",
        "version: 4.2",
        "reviewers:\n  - Paul Ott\n  - Mei Lin",
        'status: "in force"',
    ]
    shown = readable(passage(FRONT), record.start, record.end)
    assert shown == 'author: Ines Varga\nversion: 4.2\nreviewers:\n  - Paul Ott\n  - Mei Lin\nstatus: "in force"'
    prose = without_markup(FRONT)
    assert len(prose) == len(FRONT)
    assert "Varga" in prose
    assert not any(word in prose for word in ("layout", "draft", "img", "weight", "title", "---"))
    assert blocks(FRONT)[-1].path == ("Falcon",)


def test_front_matter_of_toml_is_read_and_one_for_a_program_alone_is_markup() -> None:
    assert read(TOML)[1] == ("table", 'author = "Noor Aziz"\ndate = 2024-09-02')
    assert [kind for kind, _ in read("---\nlayout: page\nhide: [toc]\n---\nIt rained.")] == ["markup", "paragraph"]


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("Which version is the Falcon router manual?", FRONT, "4.2"),
        ("What is the status of the Falcon router manual?", FRONT, "in force"),
        ("Who is the author of the ledger?", TOML, "Noor Aziz"),
        ("What is the version of the Kestrel modem?", FRONT, None),  # another document
        ("What is the version and status of the Falcon router manual?", FRONT, None),  # two
        ("Who wrote the Falcon router manual?", FRONT, None),  # no name that stands there
    ],
)
def test_the_value_that_a_question_names(question: str, text: str, value: str | None) -> None:
    found = asked_cell(question, passage(text, "Ledger" if text == TOML else "Falcon router manual"))
    assert (text[found.span.start : found.span.end] if found else None) == value


def test_footnotes_are_paragraphs_under_their_heading() -> None:
    notes = "[^a]: Only **24** with guests.\n    Since May.\n[^b]: See [x](y).\n"
    text = f"# Limits\n\nIt serves 32 clients[^a].\n\n{notes}"
    assert read(text)[1:] == [
        ("paragraph", "It serves 32 clients."),
        ("paragraph", "Only **24** with guests.\n    Since May."),
        ("paragraph", "See x."),
    ]
    assert "[^" not in without_markup(text)
    assert all(block.path == ("Limits",) for block in blocks(text)[1:])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Now runs {{ version }}. Plug it in.", "Plug it in."),
        ("It runs {{ version }} now.", "It runs now."),
        ("Download {{ product }}:", "Download:"),
        ("See `{{ name }}`.", "See `{{ name }}`."),
        ("See [docs]({{ url }}).", "See docs."),
    ],
)
def test_a_sentence_that_ends_in_an_unfilled_value_is_not_shown(text: str, shown: str) -> None:
    assert [words for kind, words in read(text) if kind == "paragraph"] == [shown]


def test_minutes_have_headings_and_steps_stay_a_list() -> None:
    minutes = "1. Rents\nRents go up to £48 from 1 January\n2025. Members pay half.\n\n2. Rules\nIt was agreed:\n"
    assert [kind for kind, _ in read(minutes)] == ["heading", "paragraph", "heading", "paragraph"]
    assert blocks(minutes)[1].path == ("1. Rents",)
    steps = "1. Open the lid\nand look inside.\n2. Close it.\n"
    assert [kind for kind, _ in read(steps)] == ["list"]


def test_what_wikis_add_is_read_as_their_readers_see_it() -> None:
    text = (
        "#garden #pumps\n\n> [!warning] Frost\n> It heats.\n\nSee [[Pumps|the pump]], [[Rooms]] and ![[map.png]].\n"
    )
    assert [words for kind, words in read(text) if kind == "paragraph"] == ["It heats.", "See the pump, Rooms and."]
