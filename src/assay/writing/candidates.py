"""The sentences of the evidence that an answer may quote."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms
from assay.types import Evidence, Hit, Passage, Span

# A list mark or a quotation sign at the start of a line belongs to the page, not to the sentence.
_MARK = re.compile(r"(?:[-*•+>]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"#{1,6}\s|={3,}|-{3,}")
_SETEXT_RULE = re.compile(r"\n[ \t]*[=-]{3,}[ \t]*(?:\n|$)")
_ENDS = re.compile(r"[.!?…。！？｡:;][\"'”’»)\]」』）*_`]*$")
_TABLE_RULE = re.compile(r"[\s|:+=-]*$")
# The rule under the head of a Markdown table.
_UNDER_HEAD = re.compile(r"\s*\n[ \t]*\|(?=[ \t|:]*+-)[ \t|:-]*+(?:\n|$)")
# A fenced block of code, also one whose end or beginning stands in another passage.
_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
# Words set in columns: the output of a program, or a table drawn with blanks.
_COLUMNS = re.compile(r"\S {3,}\S")
# A line of a record: "port: Tane Docks", "name: Tom Reed; role: clerk".
_LINE = re.compile(r"\S[^\n]*")
_RECORD = re.compile(r"\w[\w /-]{0,40}: \S")
_LETTERS = re.compile(r"[^\W\d_]")
# Fewer terms than this without a full stop are a caption, a menu entry or a heading.
_HEADING_TERMS = 8
# A sentence of more characters is a table or a list that lost its marks; nobody reads it as an answer.
LONGEST = 450


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted: `text` is `passage.text[span.start:span.end]`.

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
        """How many words a reader counts, at least 1."""
        return len(self.text.split()) or 1


def candidates(evidence: Evidence) -> tuple[Candidate, ...]:
    """Every sentence of the evidence that can stand in an answer: no headings, rules or captions.

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
    for whole in (line for span in _closed(text, sentences(text)) for line in _lines(text, span)):
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


def _closed(text: str, found: Sequence[Span]) -> list[Span]:
    """The sentences, those that end inside a bracket joined with the next one where that closes it."""
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
    """The lines of a stretch of records, which no full stop ends; any other stretch as it is.

    It is one when at least one line in two reads "key: value", and two of them do: prose may hold one colon.
    """
    lines = list(_LINE.finditer(text, span.start, span.end))
    records = sum(_RECORD.match(line.group()) is not None for line in lines)
    if records < 2 or 2 * records < len(lines):
        return [span]
    return [Span(line.start(), line.end()) for line in lines]


def _without_mark(text: str, span: Span) -> Span:
    """The span behind its list marks."""
    start = span.start
    while mark := _MARK.match(text, start, span.end):
        start = mark.end()
    return Span(start, span.end)


def _is_furniture(quoted: str, found: list[str], table: bool) -> bool:
    """Whether the stretch is a heading, a rule, a caption or a layout rather than a sentence."""
    if len(_COLUMNS.findall(quoted)) > 1:
        return True
    if _HEADING.match(quoted) or _SETEXT_RULE.search(quoted) or not _LETTERS.search(quoted):
        return True
    if table:
        return bool(_TABLE_RULE.match(quoted))
    return len(found) < _HEADING_TERMS and not _ENDS.search(quoted) and not _RECORD.match(quoted)
