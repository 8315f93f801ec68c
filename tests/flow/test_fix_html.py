"""A draft in HTML is mended inside its blocks: the tags around them stay byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from assay.engine import Engine
from assay.nlp.cited_sentences import Numbered
from assay.nlp.segments import cut, joined
from assay.types import Fixed, Passage
from assay.wiring import open_checker

LEASE = "The monthly rent is 1,150 euros. The tenant may keep one cat. The lease starts on 1 March 2024."
TAG = re.compile(r"</?\w[^>]*>")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    # What is tested here is the mending: rules alone say what fails.
    with open_checker(models=False, checker="none") as opened:
        yield opened


# Tags that may go with what stands in them.
GOES = re.compile(r"</?(?:i|p|li|ul)\b")


def _fixed(engine: Engine, text: str, *, drop: bool = False) -> Fixed:
    return engine.fix(text, (Passage("lease", "lease", "r", 0, len(LEASE), LEASE),), drop=drop)


@pytest.mark.parametrize("line", ["", "\n"])
def test_the_mark_stands_in_the_block_of_the_false_claim(engine: Engine, line: str):
    blocks = [
        "<p>The tenant may keep one cat.</p>",
        "<p>Elephants live in Kenya{}</p>",
        "<p>The lease starts on 1 March 2024.</p>",
    ]
    text = line.join(blocks)
    assert _fixed(engine, text.format("")).text == text.format(" ⚠")


@pytest.mark.parametrize("line", ["", "\n"])
def test_an_item_that_is_dropped_goes_with_its_tags_and_leaves_its_neighbours(engine: Engine, line: str):
    text = line.join(["<ul>", "<li>The tenant may keep one cat</li>", '<li class="x">Elephants live in Kenya</li>'])
    text += f"{line}</ul>{line}"
    made = _fixed(engine, text, drop=True)
    assert made.text == text.replace('<li class="x">Elephants live in Kenya</li>' + line, "")
    assert (len(made.dropped), made.warnings) == (1, ())


def test_a_sentence_of_a_paragraph_is_dropped_alone(engine: Engine):
    text = "<p>The tenant may keep one cat. <b>Elephants</b> live in Kenya. The lease starts on 1 March 2024.</p>\n"
    expected = "<p>The tenant may keep one cat. The lease starts on 1 March 2024.</p>\n"
    assert _fixed(engine, text, drop=True).text == expected


def test_a_correction_leaves_the_tags_in_the_sentence(engine: Engine):
    text = "<div><p>The monthly rent is <b>1,250</b> euros.</p></div>"
    assert _fixed(engine, text).text == text.replace("1,250", "1,150")


@pytest.mark.parametrize("line", ["", "\n"])
def test_a_row_is_marked_in_its_last_cell_and_never_taken_out(engine: Engine, line: str):
    rows = ["<table>", "<tr><td>Elephants</td><td>live in Kenya</td></tr>", "</table>"]
    text = line.join(["<p>The tenant may keep one cat.</p>", *rows])
    marked = text.replace("live in Kenya", "live in Kenya ⚠")
    kept, dropping = _fixed(engine, text), _fixed(engine, text, drop=True)
    assert (kept.text, dropping.text) == (marked, marked)
    assert kept.warnings == ()
    assert "1 sentence was marked and not changed: the HTML tags in it" in dropping.warnings[0]


def test_a_sentence_in_half_an_emphasis_is_marked_instead(engine: Engine):
    text = "<p><b>Elephants live in Kenya. The tenant may keep one cat.</b></p>"
    made = _fixed(engine, text, drop=True)
    assert made.text == text.replace("Kenya.", "Kenya. ⚠")
    assert len(made.warnings) == 1


@pytest.mark.parametrize(
    "text",
    [
        "<!doctype html>\n<html><head><title>It</title></head>\n<h1>A lease</h1>\n<p>A. B.</p></html>\n",
        "<p>It</p>\n\n```html\n<p>x</p>\n```\n\n| a<br>b | c |\n|---|---|\n| d | e<br/>f |\n",
        "<!-- <p>no</p> --><p>It <i>rained</i>. [1]</p> [2]\n<br>\n  > <p>quoted</p>\n",
        "<ul>\n\n    <li>one</li>\n\n</ul>",
    ],
)
def test_the_pieces_are_the_text_and_no_row_of_markdown_is_cut(text: str):
    pieces = cut(text, Numbered(()))
    assert "".join(each.written for each in pieces) == text
    gone = joined(pieces, ["" if not each.stays else each.written for each in pieces]).text
    kept = TAG.findall("".join(each.written for each in pieces if each.stays))
    # Emphasis goes with its sentence, as do paragraphs and items of which nothing is left.
    assert [tag for tag in TAG.findall(gone) if not GOES.match(tag)] == [tag for tag in kept if not GOES.match(tag)]
    assert [each.written.strip() for each in pieces if each.is_row] == re.findall(r"^\|.*$", text, re.MULTILINE)
