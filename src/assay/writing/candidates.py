"""The sentences of the evidence that an answer may quote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms
from assay.types import Evidence, Hit, Passage, Span

# A list mark or quotation sign at the start of a line is layout.
_MARK = re.compile(r"(?:[-*•+>]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"#{1,6}\s|={3,}|-{3,}")
_SETEXT_RULE = re.compile(r"\n[ \t]*[=-]{3,}[ \t]*(?:\n|$)")
_ENDS = re.compile(r"[.!?…。！？｡:;][\"'”’»)\]」』）*_`]*$")
_TABLE_RULE = re.compile(r"[\s|:+=-]*$")
# The rule under the header of a Markdown table.
_UNDER_HEAD = re.compile(r"\s*\n[ \t]*\|(?=[ \t|:]*+-)[ \t|:-]*+(?:\n|$)")
# A fenced code block, even if its end or beginning is in another passage.
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# Columns: program output, or a table drawn with blanks.
_COLUMNS = re.compile(r"\S {3,}\S")
# A line of a record: "port: Tane Docks", "name: Tom Reed; role: clerk".
_LINE = re.compile(r"\S[^\n]*")
_RECORD = re.compile(r"\w[\w /-]{0,40}: \S")
_LETTERS = re.compile(r"[^\W\d_]")
# Fewer terms without a full stop are a caption, a menu entry or a heading (chosen).
_HEADING_TERMS = 8
# A longer sentence is a table or a list without its marks (chosen).
LONGEST = 450


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence to quote: `text` is `passage.text[span.start:span.end]`.

    `rank` is the passage's place in the evidence and `position` the sentence's place in its passage, both
    from 0; `terms` are its search terms in order. `table` marks a table's row.
    """

    rank: int
    position: int
    passage: Passage
    span: Span
    text: str
    terms: tuple[str, ...]
    table: bool = False

    @property
    def words(self) -> int:
        """The number of words, at least 1."""
        return len(self.text.split()) or 1


def candidates(evidence: Evidence) -> tuple[Candidate, ...]:
    """The sentences of the evidence that can be quoted: no headings, rules or captions.

    A text that stands in two passages is a candidate once, where it ranks best.
    """
    found: dict[str, Candidate] = {}
    for rank, hit in enumerate(evidence.hits):
        for candidate in _of_passage(rank, hit):
            found.setdefault(candidate.text, candidate)
    return tuple(found.values())


def _of_passage(rank: int, hit: Hit) -> Iterator[Candidate]:
    text = hit.passage.text
    code = [Span(match.start(), match.end()) for match in _FENCED.finditer(text)]
    position = 0
    for whole in (line for span in _close_brackets(text, sentences(text)) for line in _lines(text, span)):
        if any(block.start < whole.end and whole.start < block.end for block in code):
            continue
        span = _without_mark(text, whole)
        quoted = text[span.start : span.end]
        found = terms(quoted)
        table = quoted.startswith("|")
        head = table and _UNDER_HEAD.match(text, span.end)
        if not found or head or len(quoted) > LONGEST or _is_furniture(quoted, found, table):
            continue
        yield Candidate(rank, position, hit.passage, span, quoted, tuple(found), table)
        position += 1


def _close_brackets(text: str, found: Sequence[Span]) -> list[Span]:
    """The sentences; one that ends inside a bracket is joined with the next one if that closes it."""
    closed: list[Span] = []
    opened = 0
    for span in found:
        balance = text.count("(", span.start, span.end) - text.count(")", span.start, span.end)
        if closed and balance < 0 < opened:
            closed[-1] = Span(closed[-1].start, span.end)
        else:
            closed.append(span)
            opened = 0
        opened += balance
    return closed


def _lines(text: str, span: Span) -> list[Span]:
    """The lines of a stretch of records without full stops; any other stretch unchanged.

    It is one when at least one line in two reads "key: value", and two of them do: prose may hold one colon.
    """
    lines = list(_LINE.finditer(text, span.start, span.end))
    records = sum(_RECORD.match(line.group()) is not None for line in lines)
    if records < 2 or 2 * records < len(lines):
        return [span]
    return [Span(line.start(), line.end()) for line in lines]


def _without_mark(text: str, span: Span) -> Span:
    """The span without its list mark."""
    start = span.start
    while mark := _MARK.match(text, start, span.end):
        start = mark.end()
    return Span(start, span.end)


def _is_furniture(quoted: str, found: list[str], table: bool) -> bool:
    """True if the stretch is a heading, a rule, a caption or layout, not a sentence."""
    if len(_COLUMNS.findall(quoted)) > 1:
        return True
    if _HEADING.match(quoted) or _SETEXT_RULE.search(quoted) or not _LETTERS.search(quoted):
        return True
    if table:
        return bool(_TABLE_RULE.match(quoted))
    return len(found) < _HEADING_TERMS and not _ENDS.search(quoted) and not _RECORD.match(quoted)
