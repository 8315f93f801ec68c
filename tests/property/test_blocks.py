"""Whatever the text: blocks are in order and in range, and prose keeps every place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.blocks import BlockKind, blocks, unit, without_markup

WRITTEN = """# ~## T ~---~+++~|~    ~- ~1. ~> ~> [!NOTE]~```~```py~`~!!! note~=== "A"~:::tip~:::~: ~[^1]:~[^1]~<!--
~-->~{%~%}~{{~}}~{ #id }~<pre>~</pre>~<table>~<tr><td>~</table>~<b>~</b>~*~**~_~[~](~)~]~![~&nbsp;~a: b~word
~Water boils.~x | y"""
ENDS = ["\n", "\n\n", "\t", "\r\n", "\r", "\0", "\x0b", "\x85", "\ud800", "\\", "~~~", "é", "\n    ", "\n|"]
PIECES = st.sampled_from([*(piece.strip("\n") for piece in WRITTEN.split("~")), *ENDS])
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join))
FORMATS = st.sampled_from(["markdown", "html", "csv", "text"])


@given(TEXTS, FORMATS)
def test_blocks_and_prose_keep_their_places(text: str, format: str) -> None:
    prose = without_markup(text, format)
    assert len(prose) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, prose, strict=True))
    reached = 0
    for block in blocks(text, format):
        assert reached <= block.start < block.end <= len(text)
        written = text[block.start : block.end]
        assert written == written.strip()
        inner = [span for span in (block.header, *block.items) if span is not None]
        assert all(block.start <= span.start <= span.end <= block.end for span in inner)
        assert (block.kind is BlockKind.HEADING) == (block.level > 0)
        reached = block.end


@given(TEXTS, st.data())
def test_what_is_shown_is_never_markup_nor_a_heading_alone(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown = unit(blocks(text), start, end)
    assert all(block.kind is not BlockKind.MARKUP for block in shown)
    assert not shown or any(block.kind is not BlockKind.HEADING for block in shown)
