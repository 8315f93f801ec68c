"""The cell of a table that a question asks for: its row by one of its other cells, its column by the header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from assay.nlp.blocks import BlockKind, passage_blocks
from assay.nlp.quantities import quantities
from assay.nlp.table_ranges import AskedRange, asked_range
from assay.nlp.tokens import terms
from assay.types import Passage, Span

_LINE = re.compile(r"[^\n]+")
_RULE = re.compile(r"[ \t|:]*+-[ \t|:-]*+\Z")
_NAMED = re.compile(r"(?P<name>[^:;\n]{1,80}): (?P<value>[^;\n]*);?")
# Between a name and its value in a line of a record, as YAML and TOML write them.
_SIGNS = (": ", " = ")
_LONGEST_NAME = 60
# Chosen: of a longer table in one passage only so many rows are looked through; passages hold about forty.
_MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a passage's table; `row` is its line, `header` that of the header with its rule.

    The header is None where another passage holds it or each cell is named. A cell that holds nothing is an empty
    `span`. `table` is the whole table without what stands around it. `by_range`: a range that holds a number of the
    question names its row or its column.
    """

    span: Span
    row: Span
    header: Span | None
    table: Span
    by_range: bool = False

    @property
    def is_empty(self) -> bool:
        """True if the table tells nothing there."""
        return self.span.start == self.span.end


@dataclass(frozen=True, slots=True)
class Row:
    """A row's line, and the place and the terms of each of its cells."""

    line: Span
    spans: tuple[Span, ...]
    terms: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the header that its rows need, each column's name and its terms, and its rows.

    `start` is that of its first line, be it a header or a row.
    """

    start: int
    header: Span | None
    names: tuple[str, ...]
    columns: tuple[frozenset[str], ...]
    rows: tuple[Row, ...]

    @property
    def span(self) -> Span:
        """The whole table."""
        return Span(self.start, self.rows[-1].line.end)


def asked_cell(question: str, passage: Passage) -> Cell | None:
    r"""The one cell that the question names by the words of its column and of another cell of its row; None else.

    Every word of that other cell stands in the question, and no other row has as many of the question's words. Of
    the other columns it is the only one whose name has the most of the words left and the fewest others.

    >>> text = "Bike | Day | Deposit\nE-bike | 35 | 150\nTandem | 30 | "
    >>> held = Passage("p", "d", "r", 0, len(text), text)
    >>> cell = asked_cell("What is the deposit for an e-bike?", held)
    >>> text[cell.span.start : cell.span.end], asked_cell("Deposit of a tandem?", held).is_empty
    ('150', True)
    >>> asked_cell("What does a tandem cost?", held) is None
    True
    """
    asked = frozenset(terms(question))
    if not asked:
        return None
    found = (_cell(question, asked, passage, table) for table in tables(passage))
    in_records = (_cell_of_record(asked, passage, block) for block in _blocks(passage))
    return next((cell for cell in chain(found, in_records) if cell is not None), None)


def columns_alike(question: str, passage: Passage, place: Span) -> tuple[str, ...]:
    r"""The names of the columns that a question may mean in a row, where it names none of them above the others.

    Each shares a word with the question, and as much as the others, so that no one of them is asked for: () where
    one stands out, where none is named, and where no single row of a table is. `place` lies in the row's line, or
    holds it.

    >>> text = "Codec | Ratio | Compression\nlz4 | 2.1 | 740 MB/s"
    >>> held, row = Passage("p", "d", "r", 0, len(text), text), Span(text.index("lz4"), text.index(" | 2"))
    >>> columns_alike("What compression ratio has lz4?", held, row), columns_alike("What ratio has lz4?", held, row)
    (('Ratio', 'Compression'), ())
    """
    asked = frozenset(terms(question))
    for table in tables(passage):
        rows = [row for row in table.rows if row.line.start < place.end and place.start < row.line.end]
        if len(rows) == 1:
            held = _asked_range(question, passage, table)
            if held is None:
                key = _key(asked, rows[0])
                columns = _nearest_columns(asked - rows[0].terms[key or 0], table, key or 0)
            elif held.row is None:
                return ()
            else:
                columns = _nearest_columns(asked.difference(terms(held.said)), table, held.column)
            return tuple(table.names[at].strip() for at in columns) if len(columns) > 1 else ()
    return ()


def row_at(question: str, passage: Passage, place: Span) -> str:
    """The text of the one row of a table at a place, behind the table's header; "" where no single row is.

    A number of the question that a range there holds is added.
    """
    for table in tables(passage):
        lines = [row.line for row in table.rows if row.line.start < place.end and place.start < row.line.end]
        if len(lines) == 1:
            held = _asked_range(question, passage, table)
            is_held = held is not None and (held.row is None or table.rows[held.row].line == lines[0])
            said = f" {held.said}" if held is not None and is_held else ""
            return f"{' '.join(table.names)} {passage.text[lines[0].start : lines[0].end]}{said}"
    return ""


def tables(passage: Passage) -> Iterator[Table]:
    """The tables of a passage in order; of a long one its first rows."""
    is_file = passage.location.row is not None or passage.location.sheet is not None
    found = (_table(passage.text, block, passage.header, is_file) for block in _blocks(passage))
    return (table for table in found if table is not None)


def _blocks(passage: Passage) -> list[Span]:
    """The blocks that may be a table or a record; a Word table has no rule, and is a paragraph in Markdown."""
    kinds = (BlockKind.TABLE, BlockKind.PARAGRAPH)
    return [Span(block.start, block.end) for block in passage_blocks(passage) if block.kind in kinds]


def _cell_of_record(asked: frozenset[str], passage: Passage, block: Span) -> Cell | None:
    """The value of the one name of a record that the question has in full, as a document's author or version.

    The question must name the record, too: by another of its values, or by half the words of the document's title.
    """
    text = passage.text
    lines = [Span(*match.span()) for match in _LINE.finditer(text, block.start, block.end)][:_MOST_ROWS]
    # An entry may have its values on lines of their own.
    found = [_entry(text, line) for line in lines if not _of_entry(text, line)]
    entries = [entry for entry in found if entry is not None]
    if len(entries) < 2 or len(entries) < len(found):
        return None
    asked_for = [at for at, entry in enumerate(entries) if entry.name and entry.name <= asked]
    if len(asked_for) != 1:
        return None
    entry = entries[asked_for[0]]
    left, title = asked - entry.name, frozenset(terms(passage.title)) - entry.name
    named = any(other.words and other.words <= left for other in entries if other is not entry)
    if not named and (not title or 2 * len(title & left) < len(title)):
        return None
    return Cell(entry.value, entry.line, None, block)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a record: the terms of its name, and the place and the terms of its value."""

    line: Span
    name: frozenset[str]
    value: Span
    words: frozenset[str]


def _entry(text: str, line: Span) -> _Entry | None:
    """The entry in a line, its value without quotation marks; None where there is none."""
    written = text[line.start : line.end].rstrip()
    ends = [(at, at + len(sign)) for sign in _SIGNS if 0 < (at := written.find(sign)) <= _LONGEST_NAME]
    if not ends or "|" in written:
        return None
    name_end, at = min(ends)
    value = written[at:].strip(" \"'")
    start = line.start + written.find(value, at)
    place = Span(start, start + len(value))
    return _Entry(line, frozenset(terms(written[:name_end])), place, frozenset(terms(value))) if value else None


def _of_entry(text: str, line: Span) -> bool:
    """True if a line of a record holds one of several values, or the name that stands over them."""
    return text[line.start] in " \t-" or text[line.end - 1] == ":"


def _cell(question: str, asked: frozenset[str], passage: Passage, table: Table) -> Cell | None:
    """The asked cell of one table; a range that holds a number of the question is what it names."""
    held = _asked_range(question, passage, table)
    if held is not None and held.row is not None:
        cell = _cell_in(table, table.rows[held.row], held.column, asked.difference(terms(held.said)))
        return None if cell is None else replace(cell, by_range=True)
    # The "two" of "two years" is no cell that holds a two.
    counted = frozenset[str]().union(
        *(terms(question[one.start : one.end])[:-1] for one in quantities(question) if one.dimension)
    )
    left = asked.difference(terms(held.said) if held else ())
    sizes = [(len(frozenset().union(*row.terms) & left), _key(left, row, counted)) for row in table.rows]
    most = max((size for size, key in sizes if key is not None), default=0)
    best = [at for at, (size, key) in enumerate(sizes) if size == most and key is not None]
    if len(best) != 1:
        return None
    row, key = table.rows[best[0]], sizes[best[0]][1]
    if key is None:
        return None
    if held is not None:
        return Cell(row.spans[held.column], row.line, table.header, table.span, by_range=True)
    return _cell_in(table, row, key, left - row.terms[key])


def _asked_range(question: str, passage: Passage, table: Table) -> AskedRange | None:
    cells = [[passage.text[span.start : span.end] for span in row.spans] for row in table.rows]
    return asked_range(question, table.names, cells)


def _cell_in(table: Table, row: Row, key: int, left: frozenset[str]) -> Cell | None:
    """The one cell of a row whose column the words `left` name, beside that of the `key`."""
    columns = _nearest_columns(left, table, key)
    return Cell(row.spans[columns[0]], row.line, table.header, table.span) if len(columns) == 1 else None


def _nearest_columns(left: frozenset[str], table: Table, key: int) -> tuple[int, ...]:
    """The columns whose names have the most of the words `left` and the fewest others, beside that of the `key`.

    The cell that names the row is known already.
    """
    shares = {
        at: (len(name & left), len(name & left) / (len(name) or 1))
        for at, name in enumerate(table.columns)
        if at != key
    }
    nearest = max(shares.values(), default=(0, 0.0))
    return tuple(at for at, share in shares.items() if share == nearest) if nearest[0] else ()


def _key(asked: frozenset[str], row: Row, counted: frozenset[str] = frozenset()) -> int | None:
    """The cell of a row that the question names: all of its words, the most of them, not only `counted` ones."""
    named = [(len(words), -at) for at, words in enumerate(row.terms) if words <= asked and not words <= counted]
    return -max(named)[1] if named else None


@lru_cache(maxsize=1 << 9)
def _table(text: str, block: Span, header: str, is_file: bool) -> Table | None:
    """The table of a block, None where it holds none; `header` names the columns where rows were cut off from it.

    In the rows of a table file each cell may be named.
    """
    lines = [Span(*match.span()) for match in _LINE.finditer(text, block.start, block.end)]
    rows = [line for line in lines[: _MOST_ROWS + 2] if not _RULE.match(text[line.start : line.end])]
    if is_file and _NAMED.match(text, rows[-1].start) and "|" not in text[rows[-1].start : rows[-1].end]:
        return _named_table(text, rows)
    cut = [list(_cells(text, line)) for line in rows]
    names = (
        [cell.strip() for cell in header.split("|")] if header else [text[cell.start : cell.end] for cell in cut[0]]
    )
    body = list(zip(rows, cut, strict=True))[0 if header else 1 :]
    whole = [_row(text, line, cells) for line, cells in body if len(cells) == len(names)]
    if len(names) < 2 or len(whole) < len(body) or not whole:
        return None
    ruled = len(lines) > 1 and lines[1] not in rows
    top = None if header else Span(lines[0].start, lines[1].end if ruled else lines[0].end)
    return Table((top or whole[0].line).start, top, tuple(names), _columns(names), tuple(whole))


def _named_table(text: str, rows: Sequence[Span]) -> Table | None:
    """The table of rows that name their cells: "City: Ulm; People: 126000"; its header may stand above them.

    A row does not name its empty cells; since it names the others, it is shown without the header.
    """
    has_header = "|" in text[rows[0].start : rows[0].end]
    named = [
        (line, {match["name"].strip(): Span(*match.span("value")) for match in matches})
        for line in rows[has_header:]
        if (matches := [*_NAMED.finditer(text, line.start, line.end)])
    ]
    header = [text[cell.start : cell.end] for cell in _cells(text, rows[0])] if has_header else []
    names = header or list(max((cells for _, cells in named), key=len, default=()))
    held = [
        _row(text, line, [cells.get(name, Span(line.end, line.end)) for name in names])
        for line, cells in named
        if cells.keys() <= set(names)
    ]
    if len(names) < 2 or not held:
        return None
    return Table(rows[0].start, None, tuple(names), _columns(names), tuple(held))


def _columns(names: Sequence[str]) -> tuple[frozenset[str], ...]:
    """The terms of each column's name."""
    return tuple(frozenset(terms(name)) for name in names)


def _row(text: str, line: Span, cells: Sequence[Span]) -> Row:
    return Row(line, tuple(cells), tuple(frozenset(terms(text[cell.start : cell.end])) for cell in cells))


def _cells(text: str, line: Span) -> Iterator[Span]:
    """The cells between bars, without blanks; outer bars part nothing."""
    said = text[line.start : line.end]
    start = line.start + len(said) - len(said.lstrip(" \t"))
    end = line.start + len(said.rstrip(" \t"))
    if text.startswith("|", start, end):
        start += 1
        end -= text.endswith("|", start, end)
    bars = [at for at in range(start, end) if text[at] == "|" and text[at - 1] != "\\"]
    for bar in (*bars, end):
        cell = text[start:bar]
        first = start + len(cell) - len(cell.lstrip()) if cell.strip() else start
        yield Span(first, first + len(cell.strip()))
        start = bar + 1
