"""Views of a document, by its kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from assay.errors import UsageError
from assay.types import Value

POSITION = r"^(line|row|character):(-?[0-9]{1,12})$"
_POSITION = re.compile(POSITION)


@dataclass(frozen=True, slots=True)
class Position(Value):
    """The start of a part of a long document: a line, a row or a character, by its number.

    Lines and rows are counted from 1, characters from 0. A part that begins before the document's beginning is so
    much shorter, so that it ends where the part after it begins.

    >>> str(Position("line", 401)), Position.read("row:-20")
    ('line:401', Position(unit='row', number=-20))
    """

    unit: Literal["line", "row", "character"]
    number: int

    def __str__(self) -> str:
        """The position as `read` takes it."""
        return f"{self.unit}:{self.number}"

    @classmethod
    def read(cls, text: str) -> Position:
        """The position that was written as text. Raises UsageError."""
        match = _POSITION.fullmatch(text)
        if match is None:
            raise UsageError(f"{text[:100]!r} is not a position", hint="give `earlier` or `later` of a view")
        unit, number = match.groups()
        return cls(unit, int(number))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class PageSize(Value):
    """A page of a PDF, counted from 1, with its size in points."""

    number: int
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Box(Value):
    """A rectangle on a page, in fractions of its size from the top left."""

    page: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PdfPages(Value):
    """The pages of a PDF, and where the span stands on them; no boxes where that is unknown."""

    pages: tuple[PageSize, ...]
    boxes: tuple[Box, ...]
    kind: Literal["pdf"] = "pdf"


@dataclass(frozen=True, slots=True)
class HtmlPage(Value):
    """Safe HTML, the span in <mark>, the first of them with the id "quote".

    Of long Markdown it is a part; `earlier` and `later` are the positions of those beside it, None where there is
    none.
    """

    html: str
    earlier: str | None = None
    later: str | None = None
    kind: Literal["html"] = "html"


@dataclass(frozen=True, slots=True)
class TableRow(Value):
    """A row of a table, with its number in the file."""

    number: int
    cells: tuple[str, ...]
    marked: bool


@dataclass(frozen=True, slots=True)
class TableRows(Value):
    """Rows around the marked ones, of a table of `total` filled rows, from the `first` on.

    `earlier` and `later` are the positions of the rows before and after, None where there are none.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    first: int
    total: int
    earlier: str | None = None
    later: str | None = None
    kind: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class TextLine(Value):
    """A line of the stored text, counted from 1, with the ranges to mark in it; "…" stands for what is cut off."""

    number: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TextLines(Value):
    """Lines of the stored text around the span, of `total` lines, from the `first` on.

    `earlier` and `later` are the positions of the lines before and after, None where there are none.
    """

    lines: tuple[TextLine, ...]
    first: int
    total: int
    earlier: str | None = None
    later: str | None = None
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class TextAround(Value):
    """The stored text of the span, and a little before and after it."""

    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True)
class DocumentView(Value):
    """A document opened at a span.

    `revision` is that of the stored text, to which the span belongs. `exact` says whether the file still has the
    bytes that were read; None where that was not looked at.
    """

    content: PdfPages | HtmlPage | TableRows | TextLines
    text_around: TextAround
    exact: bool | None
    revision: str

    def to_dict(self) -> dict[str, Any]:
        """The view as JSON types, the fields of its content among its own."""
        rest = {"text_around": self.text_around.to_dict(), "exact": self.exact, "revision": self.revision}
        return {**self.content.to_dict(), **rest}
