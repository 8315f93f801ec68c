"""The cell of a table that a question asks for: its row by one of its other cells, its column by the header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.nlp.tokens import terms
from assay.types import Passage, Span

_LINE = re.compile(r"[^\n]+")
_RULE = re.compile(r"[ \t|:]*+-[ \t|:-]*+\Z")
_NAMED = re.compile(r"(?P<name>[^:;\n]{1,80}): (?P<value>[^;\n]*);?")
# Chosen: a table of more rows in one passage is not looked through; passages hold about forty.
_MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a passage's table, `named` by its column's header; `row` is its line, `header` that of the header.

    The header has its rule, and is None where another passage holds it or each cell is named. A cell that holds
    nothing is an empty `span`. `table` is the whole table without what stands around it.
    """

    named: str
    span: Span
    row: Span
    header: Span | None
    table: Span

    @property
    def is_empty(self) -> bool:
        """Whether the table tells nothing there."""
        return self.span.start == self.span.end


@dataclass(frozen=True, slots=True)
class _Row:
    """A row's line, and its cells with the names of their columns."""

    line: Span
    cells: tuple[tuple[str, Span], ...]


@dataclass(frozen=True, slots=True)
class _Table:
    header: Span | None
    rows: tuple[_Row, ...]


def asked_cell(question: str, passage: Passage) -> Cell | None:
    r"""The one cell that the question names by the words of its column and of another cell of its row; None else.

    Every word of that other cell stands in the question, and no other row has as many of the question's words; the
    column is the only one whose header has the most of them and the fewest others.

    >>> text = "Bike | Day | Deposit\nE-bike | 35 | 150\nTandem | 30 | "
    >>> held = Passage("p", "d", "r", 0, len(text), text)
    >>> cell = asked_cell("What is the deposit for an e-bike?", held)
    >>> text[cell.span.start : cell.span.end], asked_cell("Deposit of a tandem?", held).is_empty
    ('150', True)
    >>> asked_cell("What does a tandem cost?", held) is None
    True
    """
    asked = frozenset(terms(question))
    for table in _tables(passage.text, passage.header):
        found = _cell(asked, table, passage.text)
        if found is not None:
            return found
    return None


def _cell(asked: frozenset[str], table: _Table, text: str) -> Cell | None:
    """The asked cell of one table."""
    best: list[tuple[int, _Row, frozenset[str]]] = []
    for row in table.rows:
        keys = [frozenset(terms(text[span.start : span.end])) for _, span in row.cells]
        key = max((each for each in keys if each and each <= asked), key=len, default=frozenset())
        if not key:
            continue
        size = len(frozenset().union(*keys) & asked)
        if not best or size > best[0][0]:
            best = [(size, row, key)]
        elif size == best[0][0]:
            best.append((size, row, key))
    if len(best) != 1:
        return None
    _, row, key = best[0]
    column = _column(asked - key, row)
    if column is None:
        return None
    name, span = column
    table_span = Span((table.header or table.rows[0].line).start, table.rows[-1].line.end)
    return Cell(name, span, row.line, table.header, table_span)


def _column(asked: frozenset[str], row: _Row) -> tuple[str, Span] | None:
    """The only cell whose column's name has the most of the asked words and the fewest others; None without."""
    named = [frozenset(terms(name)) for name, _ in row.cells]
    shares = [(len(each & asked), len(each & asked) / (len(each) or 1)) for each in named]
    most = max(shares)
    return row.cells[shares.index(most)] if most[0] and shares.count(most) == 1 else None


@lru_cache(maxsize=1 << 8)
def _tables(text: str, header: str) -> tuple[_Table, ...]:
    """The tables of a passage; `header` names the columns of rows that were cut off from it."""
    found: list[_Table] = []
    lines: list[Span] = []
    for match in _LINE.finditer(text):
        line = Span(match.start(), match.end())
        if _is_row(text, line) and (not lines or text.count("\n", lines[-1].end, line.start) == 1):
            lines.append(line)
            continue
        found += _table(text, lines, header)
        lines = [line] if _is_row(text, line) else []
    found += _table(text, lines, header)
    return tuple(found)


def _is_row(text: str, line: Span) -> bool:
    said = text[line.start : line.end]
    return "|" in said or _NAMED.match(said) is not None


def _table(text: str, lines: Sequence[Span], header: str) -> Iterator[_Table]:
    """The table of neighbouring lines; none where they name no columns."""
    rows = [line for line in lines[: _MOST_ROWS + 2] if not _RULE.match(text[line.start : line.end])]
    if not rows:
        return
    first = rows[0]
    named = [_named_cells(text, line) for line in rows]
    if all(named[1:]) and (len(rows) > 1 or named[0]):
        held = [_Row(line, cells) for line, cells in zip(rows, named, strict=True) if cells]
        yield _Table(None if named[0] else first, tuple(held))
        return
    names = [cell.strip() for cell in header.split("|")] if header else _texts(text, first)
    body = rows if header else rows[1:]
    cut = [(line, _cells(text, line)) for line in body]
    whole = [_Row(line, tuple(zip(names, cells, strict=True))) for line, cells in cut if len(cells) == len(names)]
    if len(names) > 1 and whole:
        ruled = len(lines) > 1 and _RULE.match(text[lines[1].start : lines[1].end]) is not None
        yield _Table(None if header else Span(first.start, lines[1].end if ruled else first.end), tuple(whole))


def _named_cells(text: str, line: Span) -> tuple[tuple[str, Span], ...]:
    """The cells of a row that names them: "City: Ulm; People: 126000"."""
    if "|" in text[line.start : line.end]:
        return ()
    found = [
        (match["name"].strip(), Span(match.start("value"), match.end("value")))
        for match in _NAMED.finditer(text, line.start, line.end)
    ]
    return tuple(found) if len(found) > 1 else ()


def _texts(text: str, line: Span) -> list[str]:
    return [text[cell.start : cell.end] for cell in _cells(text, line)]


def _cells(text: str, line: Span) -> list[Span]:
    """The cells between bars, without blanks; outer bars part nothing."""
    said = text[line.start : line.end]
    start = line.start + len(said) - len(said.lstrip(" \t"))
    end = line.start + len(said.rstrip(" \t"))
    if text.startswith("|", start, end):
        start += 1
        end -= text.endswith("|", start, end)
    bars = [at for at in range(start, end) if text[at] == "|" and text[at - 1] != "\\"]
    cells: list[Span] = []
    for bar in (*bars, end):
        cell = text[start:bar]
        first = start + len(cell) - len(cell.lstrip()) if cell.strip() else start
        cells.append(Span(first, first + len(cell.strip())))
        start = bar + 1
    return cells
