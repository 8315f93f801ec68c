"""Lines of a document's stored text: those around a span, and places of words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.errors import UsageError
from assay.server.document_view.views import Position, TextAround, TextLine, TextLines
from assay.types import Match, Span

# Lines before the span and in all; characters of a line before its mark and in all; characters beside a quote and
# beside a match. Chosen.
_BEFORE, _MOST_LINES = 100, 400
_BEFORE_MARK, _LONGEST_LINE = 500, 2000
_AROUND, _CONTEXT = 300, 60
_MOST_MATCHES, _LONGEST_QUERY = 200, 200
# Characters searched at once, so that other threads have their turn between. Chosen.
_AT_ONCE = 1 << 20


def lines_around(text: str, span: Span, first: int | None = None) -> TextLines:
    r"""The lines of a text around a span, which is marked; an empty span marks nothing.

    With a `first`, 400 lines from that number on instead; one below 1 leaves out as many of them.

    >>> lines_around("one\ntwo\nthree", Span(5, 9)).lines[1:]
    (TextLine(number=2, text='two', marks=((1, 3),)), TextLine(number=3, text='three', marks=((0, 1),)))
    """
    total = text.count("\n") + 1
    if first is None:
        first = max(1, text.count("\n", 0, span.start) + 1 - _BEFORE)
    first, stop = window(first, _MOST_LINES, total)
    start = 0
    for _ in range(first - 1):
        start = text.find("\n", start) + 1
    lines = []
    for number in range(first, stop):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        lines.append(_line(text, number, Span(start, end), span))
        start = end + 1
    earlier, later = neighbours(first, stop, _MOST_LINES, total)
    return TextLines(
        tuple(lines),
        first,
        total,
        None if earlier is None else str(Position("line", earlier)),
        None if later is None else str(Position("line", later)),
    )


def window(position: int, most: int, total: int) -> tuple[int, int]:
    """The first of `most` items from `position` on, counted from 1 and of `total`, and the one behind the last.

    >>> window(8, 5, 10), window(-1, 5, 10), window(99, 5, 10)
    ((8, 11), (1, 4), (10, 11))
    """
    first = min(position, total)
    return max(1, first), min(max(2, first + most), total + 1)


def neighbours(first: int, stop: int, most: int, total: int) -> tuple[int | None, int | None]:
    """The numbers from which the `most` items before `first`, and those from `stop` on, begin; None where none are.

    >>> neighbours(4, 9, 5, 20), neighbours(1, 4, 5, 3)
    ((-1, 9), (None, None))
    """
    return first - most if first > 1 else None, stop if stop <= total else None


def text_around(text: str, span: Span) -> TextAround:
    """The text of a span with some before and after it."""
    before = text[max(0, span.start - _AROUND) : span.start]
    return TextAround(before, text[span.start : span.end][:_LONGEST_LINE], text[span.end : span.end + _AROUND])


def find(text: str, query: str) -> tuple[Match, ...]:
    r"""The places of a query's words in a text, whatever their case and the white space between them.

    >>> find("Tea.\nHot  tea.", "hot TEA")
    (Match(start=5, end=13, line=2, context='Tea. Hot tea.'),)
    """
    words = query.split()
    if not words:
        raise UsageError("the search is empty", hint="give some words: q=WORDS")
    if len(query) > _LONGEST_QUERY:
        raise UsageError(f"more than {_LONGEST_QUERY} characters to look for", hint="look for fewer words")
    pattern = re.compile(r"\s++".join(map(re.escape, words)), re.IGNORECASE)
    matches: list[Match] = []
    line, counted = 1, 0
    for start, end in _places(pattern, text):
        line += text.count("\n", counted, start)
        counted = start
        context = " ".join(text[max(0, start - _CONTEXT) : end + _CONTEXT].split())
        matches.append(Match(start, end, line, context))
        if len(matches) == _MOST_MATCHES:
            break
    return tuple(matches)


def _places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """The places of a pattern; white space within it may be as long as a query."""
    at = 0
    while at < len(text):
        # A match that begins in this stretch may end in the next.
        match = pattern.search(text, at, at + _AT_ONCE + 2 * _LONGEST_QUERY)
        if match is None:
            at += _AT_ONCE
        else:
            yield match.span()
            at = match.end()


def _line(text: str, number: int, line: Span, span: Span) -> TextLine:
    """A line with its mark; of a long one the stretch around the mark."""
    start, end = max(line.start, span.start), min(line.end, span.end)
    marked = start < end
    begin, stop = line.start, line.end
    if stop - begin > _LONGEST_LINE:
        begin = max(begin, start - _BEFORE_MARK) if marked else begin
        stop = min(stop, begin + _LONGEST_LINE)
    left, right = "…" * (begin > line.start), "…" * (stop < line.end)
    marks = ((start - begin + len(left), min(end, stop) - begin + len(left)),) if marked else ()
    return TextLine(number, f"{left}{text[begin:stop]}{right}", marks)
