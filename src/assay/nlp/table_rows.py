"""Rows of tables as sentences, for a network that reads prose: "The hours of Sunday is 13:00 to 17:00."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.nlp.blocks import titled, without_markup
from assay.nlp.table_cells import Row, Table, tables
from assay.nlp.table_ranges import asked_range
from assay.types import Passage, Span


@dataclass(frozen=True, slots=True)
class NamedCell:
    """A cell that holds something: its text, its place in the passage, and its column's name."""

    name: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a passage's table, said in a `sentence` under the `title` and headings of the passage.

    The first cell is the row's label. `cells` are those that hold something, each with its column's name; `places`
    are the stretches of the sentence that say a cell, with its number. `names` are those of all columns. `header`
    is the place of the table's header, None where each cell is named or another passage holds it; the places in the
    passage are `line`, the row's, and `table`, the whole table's.
    """

    passage: Passage
    title: str
    names: tuple[str, ...]
    cells: tuple[NamedCell, ...]
    sentence: str
    places: tuple[tuple[Span, int], ...]
    line: Span
    header: Span | None
    table: Span

    @property
    def label(self) -> str:
        """The text of the first column, "" where it is empty."""
        first = self.cells[0]
        return first.text if first.name == self.names[0] else ""

    @property
    def text(self) -> str:
        """The texts of the cells."""
        return " ".join(cell.text for cell in self.cells)

    @property
    def values(self) -> str:
        """The row without its label, in sentences: "The hours is 13:00 to 17:00."."""
        return "".join(f"The {_in_sentence(cell.name)} is {cell.text}. " for cell in self._valued).rstrip()

    @property
    def _valued(self) -> tuple[NamedCell, ...]:
        return self.cells[1:] if self.label else self.cells

    def cell_at(self, start: int, end: int) -> NamedCell | None:
        """The cell that most of a stretch of the sentence says; None where it says none."""
        shares = [(min(end, said.end) - max(start, said.start), -number) for said, number in self.places]
        most, number = max(shares, default=(0, 0))
        return self.cells[-number] if most > 0 else None


def table_rows(passage: Passage, question: str = "") -> Iterator[TableRow]:
    """The rows of the passage's tables that hold anything, in order.

    The range that holds a number of the question is said as that number: "The leave of 4 years is 28 days.".

    >>> text = "| Day | Hours |\\n|---|---|\\n| Sunday | 13:00 to 17:00 |"
    >>> (row,) = table_rows(Passage("p", "d", "r", 0, len(text), text, "Library", line=1))
    >>> row.sentence, row.values, row.cell_at(23, 27).text
    ('The hours of Sunday is 13:00 to 17:00.', 'The hours is 13:00 to 17:00.', '13:00 to 17:00')
    """
    title, prose = titled(passage).title, without_markup(passage.text)
    for table in tables(passage):
        names = [" ".join(name.split()) for name in table.names]
        texts = [[" ".join(prose[span.start : span.end].split()) for span in row.spans] for row in table.rows]
        held = asked_range(question, names, texts)
        if held is not None and held.row is None:
            names[held.column] = held.said
        elif held is not None and held.row is not None:
            texts[held.row][held.column] = held.said
        for row, said in zip(table.rows, texts, strict=True):
            named = zip(names, said, row.spans, strict=True)
            cells = tuple(NamedCell(name, text, span) for name, text, span in named if text)
            if cells:
                yield _table_row(passage, title, table, row, names, cells)


def _table_row(
    passage: Passage, title: str, table: Table, row: Row, names: Sequence[str], cells: Sequence[NamedCell]
) -> TableRow:
    sentence, places = "", list[tuple[Span, int]]()

    def say(words: str, number: int | None = None) -> None:
        nonlocal sentence
        if number is not None:
            places.append((Span(len(sentence), len(sentence) + len(words)), number))
        sentence += words

    has_label = cells[0].name == names[0]
    if has_label and len(cells) == 1:
        say(cells[0].text, 0)
        say(".")
    for number, cell in enumerate(cells):
        if number == 0 and has_label:
            continue
        say(f"{' ' if sentence else ''}The {_in_sentence(cell.name)}")
        if has_label:
            say(" of ")
            say(cells[0].text, 0)
        say(" is ")
        say(cell.text, number)
        say(".")
    return TableRow(
        passage, title, tuple(names), tuple(cells), sentence, tuple(places), row.line, table.header, table.span
    )


def _in_sentence(name: str) -> str:
    """A column's name within a sentence, without its capital unless it has several."""
    return name if name[:2].isupper() else name[:1].lower() + name[1:]
