"""From the events of a walk over HTML to blocks of text."""

from __future__ import annotations

import re

from assay.ingest.blocks import Blocks, Outline
from assay.ingest.table import plain_row
from assay.types import Location

_BLOCKS = frozenset(
    """address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer form
    header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul legend""".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_WHITE = re.compile(r"[ \t\r\n\f]+")


class HtmlText:
    """Takes the starts and ends of elements with the text behind them; gives blocks at the end."""

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._outline = Outline()
        self._inline: list[str] = []
        self._mark = ""
        self._heading = 0
        self._preformatted = 0
        self._tables = 0
        self._cells: list[str] = []
        self._gap = "\n\n"

    def start(self, tag: str, text: str) -> None:
        """An element begins; `text` stands before its first child."""
        if tag in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[tag]
        elif tag == "br":
            self._inline.append("\n" if not self._tables else " ")
        elif tag in _BLOCKS and not (self._heading or (self._tables and tag not in ("table", "tr"))):
            self._flush()
            self._open(tag)
        elif tag in _BLOCKS:
            self._inline.append(" ")
        self._text(text)

    def end(self, tag: str, tail: str) -> None:
        """An element ends ("" for one whose content is left out); `tail` stands behind it."""
        if tag in ("td", "th") and self._tables:
            self._cells.append(self._take())
        elif tag == "tr" and self._tables:
            self._row()
        elif tag in _HEADINGS or (tag in _BLOCKS and not self._heading and not self._tables):
            self._flush()
            self._preformatted = max(0, self._preformatted - (tag == "pre"))
        elif tag == "table":
            self._row()
            self._tables = max(0, self._tables - 1)
            self._gap = "\n\n"
        elif tag in _BLOCKS:
            self._inline.append(" ")
        self._text(tail)

    def finish(self) -> Blocks:
        """The blocks."""
        self._tables = 0
        self._flush()
        return self._blocks

    def _open(self, tag: str) -> None:
        """Note what the block that begins is."""
        if tag == "li":
            self._mark = "- "
        elif tag == "pre":
            self._preformatted += 1
        elif tag == "table":
            self._tables += 1
            self._gap = "\n\n"
        elif tag in ("ul", "ol", "p"):
            self._gap = "\n\n"

    def _text(self, text: str) -> None:
        if text:
            self._inline.append(text if self._preformatted else _WHITE.sub(" ", text))

    def _take(self) -> str:
        """The inline text so far, as one line (or several, where the page breaks it)."""
        text = "".join(self._inline)
        self._inline.clear()
        if self._preformatted:
            return text.strip("\n")
        lines = (_WHITE.sub(" ", line).strip() for line in text.split("\n"))
        return "\n".join(line for line in lines if line)

    def _row(self) -> None:
        """Write the cells of a table's row as one line."""
        self._cells.append(self._take())
        cells = [" ".join(cell.split()) for cell in self._cells]
        self._cells.clear()
        self._blocks.add(plain_row(cells), self._location(), "table", self._gap)
        if any(cells):
            self._gap = "\n"

    def _flush(self) -> None:
        """Write the inline text as a block."""
        if self._tables:
            self._row()
            return
        text = self._take()
        if self._heading and text:
            self._outline.enter(self._heading, text)
            self._blocks.add(" ".join(text.split()), self._location(), "heading")
            self._gap = "\n\n"
        elif text:
            self._blocks.add(self._mark + text, self._location(), "text", self._gap if self._mark else "\n\n")
            self._gap = "\n" if self._mark else "\n\n"
        self._heading = 0
        self._mark = "" if text else self._mark

    def _location(self) -> Location:
        return Location(section=self._outline.section)
