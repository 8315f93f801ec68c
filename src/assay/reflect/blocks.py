"""How an answer is laid out: prose, lists and headings; and its sentences with the marks that belong to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from assay.text.citation_marks import without_marks
from assay.text.sentences import sentences
from assay.text.tokens import UNSPACED, word_spans
from assay.types import Citation, Span

Layout = Literal["prose", "list", "heading"]
_ITEM = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+(?=\S)")
_HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<marked>.*?)[ \t#]*|\*\*(?P<bold>[^*\n]+)\*\*:?[ \t]*)\Z")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")
_QUESTION = re.compile(r"[?？][\"'”’»)\]*_\s]*\Z")
# Words of Chinese and Japanese are about two characters long, so two count as a word.
_CHARACTERS_A_WORD = 2


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of one layout without outer white space; `items` are the points of a list without their marks."""

    start: int
    end: int
    kind: Layout
    items: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, the citation marks behind it included; `plain` has spaces for the marks inside."""

    start: int
    end: int
    plain: str
    marks: int


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a text in order. A blank line ends prose; the points of a list may have one between them.

    >>> [block.kind for block in blocks("# Tea\\nIt is hot.\\n- black\\n\\n- green\\n\\nDrink it.")]
    ['heading', 'prose', 'list', 'prose']
    """
    drafts: list[_Draft] = []
    goes_on = False
    for match in _LINE.finditer(text):
        line = match.group().rstrip()
        if not line.strip():
            goes_on = False
            continue
        start = match.start() + len(line) - len(line.lstrip())
        end = match.start() + len(line)
        last = drafts[-1] if drafts else None
        if _HEADING.match(line):
            drafts.append(_Draft(start, end, "heading"))
            goes_on = False
        elif item := _ITEM.match(line):
            if last is None or last.kind != "list":
                drafts.append(_Draft(start, end, "list"))
            drafts[-1].starts_item(match.start() + item.end(), end)
            goes_on = True
        elif goes_on and last is not None:
            last.goes_on_to(end)
        else:
            drafts.append(_Draft(start, end, "prose"))
            goes_on = True
    return tuple(Block(each.start, each.end, each.kind, tuple(each.items)) for each in drafts)


@dataclass(slots=True)
class _Draft:
    """A block whose end is not found yet."""

    start: int
    end: int
    kind: Layout
    items: list[Span] = field(default_factory=list)

    def starts_item(self, start: int, end: int) -> None:
        """One more point of the list."""
        self.items.append(Span(start, end))
        self.end = end

    def goes_on_to(self, end: int) -> None:
        """One more line, which continues the last point of a list."""
        if self.items:
            self.items[-1] = Span(self.items[-1].start, end)
        self.end = end


def heading_text(line: str) -> str | None:
    """The words of a heading line; None for any other line.

    >>> heading_text("## Prices ##"), heading_text("**Prices**"), heading_text("Prices rose.")
    ('Prices', 'Prices', None)
    """
    match = _HEADING.match(line.rstrip())
    return None if match is None else (match["marked"] or match["bold"] or "").strip()


def is_question(text: str) -> bool:
    """Whether a text ends as a question does."""
    return _QUESTION.search(text) is not None


def word_count(text: str) -> int:
    """How many words a text has; two characters of a script without spaces count as one.

    >>> word_count("It's 3,5 km"), word_count("東京です。")
    (3, 2)
    """
    count = 0
    for span in word_spans(text):
        unspaced = _UNSPACED_RUN.match(text, span.start, span.end)
        count += -(-(span.end - span.start) // _CHARACTERS_A_WORD) if unspaced else 1
    return count


def statements(text: str, marks: Sequence[Citation] = ()) -> tuple[Statement, ...]:
    """The sentences of a text that hold a word; a mark belongs to the sentence that it stands in or behind.

    >>> from assay.text.citation_marks import citations
    >>> text = "It rained. [1] It froze."
    >>> [(text[s.start : s.end], s.marks) for s in statements(text, citations(text))]
    [('It rained. [1]', 1), ('It froze.', 0)]
    """
    plain = without_marks(text, marks)
    spans = [span for span in sentences(plain) if next(word_spans(plain[span.start : span.end]), None)]
    found: list[Statement] = []
    at = 0
    for n, span in enumerate(spans):
        follows = spans[n + 1].start if n + 1 < len(spans) else len(text)
        end, count = span.end, 0
        while at < len(marks) and marks[at].start < follows:
            count, end, at = count + 1, max(end, marks[at].end), at + 1
        found.append(Statement(span.start, end, plain[span.start : span.end], count))
    return tuple(found)
