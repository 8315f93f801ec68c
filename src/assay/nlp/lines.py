"""The lines of a text in Markdown, and stretches of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Self

from assay.types import Span

_LINE_END = re.compile(r"\r\n|\n|\r")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines as CommonMark counts them, and their places in the text without their ends."""

    text: str
    written: tuple[str, ...]
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """The lines of a text.

        >>> Lines.of("It rained.\\r\\nIt snowed.").spans
        (Span(start=0, end=10), Span(start=12, end=22))
        """
        spans, start = [], 0
        for match in _LINE_END.finditer(text):
            spans.append(Span(start, match.start()))
            start = match.end()
        spans.append(Span(start, len(text)))
        return cls(text, tuple(text[span.start : span.end] for span in spans), tuple(spans))

    def within(self, number: int, start: int, end: int) -> Span:
        """A stretch of a line."""
        first = self.spans[number].start
        return Span(first + start, first + end)

    def stretch(self, first: int, end: int) -> Span:
        """The lines from `first` to before `end`."""
        return Span(self.spans[first].start, self.spans[max(first, end - 1)].end)

    def tight_line(self, number: int) -> Span:
        """A line without quotation marks and outer white space."""
        return self.tight(self.spans[number]) or self.spans[number]

    def numbers(self, span: Span) -> range:
        """The numbers of the lines that a stretch touches."""
        first = bisect_right(self.spans, span.start, key=lambda line: line.start) - 1
        last = bisect_right(self.spans, max(span.start, span.end - 1), key=lambda line: line.start) - 1
        return range(max(0, first), last + 1) if span.end > span.start else range(0)

    def quotation(self, number: int) -> Span | None:
        """The quotation marks that a line begins with; None where it has none."""
        match = _QUOTE.match(self.written[number])
        return self.within(number, 0, match.end()) if match else None

    def tight(self, span: Span) -> Span | None:
        """The stretch without outer white space and the quotation marks before it."""
        written = self.text[span.start : span.end]
        quote = _QUOTE.match(written)
        start = span.start + (quote.end() if quote else 0)
        rest = self.text[start : span.end]
        start += len(rest) - len(rest.lstrip())
        end = start + len(rest.strip())
        return Span(start, end) if start < end else None
