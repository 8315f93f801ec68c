"""The blocks of a plain text that is set in by blanks: a manual page, or the help of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from assay.nlp.block import Block, BlockKind, paragraph, with_paths
from assay.types import Span

# A line is set in from so many columns; so many lines, and this share of them, set a text in. This share of those
# at least is prose, with so many words in a row, and this share at most ends as code does (docs/decisions/234).
_INDENT, _FEWEST_LINES, _MOSTLY, _PROSE, _WORDS_IN_A_ROW, _CODE = 3, 5, 0.7, 0.25, 5, 0.1
_CODE_ENDS = (";", "{", "}", "},", "*/")
# A term is at most so many columns less deep than its description, has at most so many lines and words (chosen).
_LEAST_STEP, _TERM_LINES, _TERM_WORDS = 2, 3, 10
_NO_TERM_ENDS = (".", ":", ";", "?", ",", "\u2010", "\u00ad")
# The most words of a heading: chosen as for a plain text (ingest/load_text.py).
_TITLE_WORDS = 8
# The first line of a passage, of which the indent is not known, is a term with so many characters at most (chosen).
_SHORT_LINE = 45
# What Markdown has and a text without marks has not: fences, items and headings at the margin, links, bold, notes.
_MARKDOWN = re.compile(r"^[ \t]*(?:```|~~~)|^(?:[-*+]|\d{1,3}[.)]|#{1,6})[ \t]|\]\(|\*\*\w|\[\^|<!--", re.MULTILINE)
_LINE = re.compile(r"[^\n]+")
_WORDS = re.compile(rf"\b(?:[^\W\d_]+['’,]?\s+){{{_WORDS_IN_A_ROW - 1}}}[^\W\d_]+")
_ITEM = re.compile(r"(?:[-*•◦○▪‣–o]|\(?\d{1,3}[.)])[ \t]+\S")
# What parts two columns of a line, and the heads and feet of manual pages: "TEA(1)      User Commands      TEA(1)".
_GAP = re.compile(r"(?<=\S)(?: ?\t| {2})[ \t]*")
_WIDE_GAP = re.compile(r"(?<=\S)(?: {3}|\t)")
_NUMBERED_PAGE = re.compile(r"\S\(\d\w{0,4}\)")
# What a typesetter puts between words to fill a line: chosen.
_FILLED = re.compile(r"(?<=\S) {2,3}(?=\S)")
# A word parted at the end of a line, its rest, and what may follow there; or a soft hyphen within a line.
_PARTED = re.compile("[\u00ad\u2010](?P<between>[ \t]*\r?\n[ \t]*)(?P<rest>\\w\\S*)(?P<more>[ \t]+(?=\\S))?|\u00ad")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without outer white space and the column that it begins at; `apart`: an empty line stands above it."""

    span: Span
    column: int
    apart: bool


def without_hyphens(text: str) -> str:
    """The text with each word whole on its first line that a soft or Unicode hyphen parts at the end of a line.

    >>> without_hyphens("its substitu\u2010\\n   tion, and a well-\\n   known one")
    'its substitution,\\n   and a well-\\n   known one'
    """
    return _PARTED.sub(lambda match: (match["rest"] or "") + (match["between"] if match["more"] else ""), text)


def set_out(text: str, start: int, end: int) -> str:
    """A stretch of an indented text without its indent, and without the blanks that fill its lines.

    >>> set_out("       list\\n\\t      Lists  all\\n\\t      tasks.", 7, 44)
    'list\\n       Lists all\\n       tasks.'
    """
    first = text.rfind("\n", 0, start) + 1
    begin = len(text[first:start].expandtabs())
    lines = (text[first:start] + without_hyphens(text[start:end])).expandtabs().split("\n")
    own = [begin, *(len(line) - len(line.lstrip()) for line in lines[1:] if line.strip())]
    # The indent of a passage's first line is cut off.
    less = min(own[1:] if first == start == 0 and len(own) > 1 and len(own[1:]) else own)
    set_in = [lines[0][begin:], *(line[less:] for line in lines[1:])]
    return "\n".join(_FILLED.sub(" ", line.rstrip()) for line in set_in)


@lru_cache(maxsize=1 << 10)
def is_indented(text: str) -> bool:
    """Tell whether most lines of a text are set in, and many of them are prose.

    >>> page = "NAME\\n" + 6 * "       This line tells of a program.\\n"
    >>> is_indented(page), is_indented("# Tea\\n\\n    brew\\n")
    (True, False)
    """
    lines = [line for line in text.split("\n")[1:] if line.strip()]
    if len(lines) < _FEWEST_LINES or _MARKDOWN.search(text):
        return False
    inside = [line for line in lines if line.startswith((" " * _INDENT, "\t", " \t", "  \t"))]
    prose = sum(_WORDS.search(line) is not None for line in inside)
    code = sum(line.rstrip().endswith(_CODE_ENDS) for line in inside)
    is_prose = prose >= _PROSE * len(inside) and code <= _CODE * len(inside)
    return is_prose and len(inside) >= _MOSTLY * len(lines)


@lru_cache(maxsize=1 << 10)
def indented_blocks(text: str, titles: tuple[Block, ...] = ()) -> tuple[Block, ...]:
    """The blocks of an indented text: a term and what is set in below it are one; none for any other text.

    A further paragraph below a term is a block with the term as `header`. `titles` are headings that are known.

    >>> page = "NAME\\n       tea - boil water\\n\\nOPTIONS\\n       -q     Say\\n              nothing at all.\\n"
    >>> page += "\\n              It stays so for all of the cups.\\n\\n       -v     Say more than is of use.\\n"
    >>> [(block.kind.value, page[block.start : block.end].split()[0]) for block in indented_blocks(page)][3:]
    [('paragraph', '-q'), ('paragraph', 'It'), ('paragraph', '-v')]
    """
    if not is_indented(text):
        return ()
    lines, found = _lines(text), list[Block]()
    ends = [*(title.start for title in titles), len(text)]
    for title, end in zip((None, *titles), ends, strict=True):
        start = title.end if title else 0
        found += [title] if title else []
        found += _below_title(text, [line for line in lines if start <= line.span.start < end])
    return tuple(with_paths(found))


def _below_title(text: str, lines: Sequence[_Line]) -> list[Block]:
    """The blocks of lines, with headings in capitals."""
    found: list[Block] = []
    # The terms above, each with its column.
    terms: list[tuple[int, Span]] = []
    runs = list(_runs(text, lines))
    for at, run in enumerate(runs):
        below = runs[at + 1] if at + 1 < len(runs) else []
        kind = _kind_at_margin(text, run[0])
        if kind is not None:
            span = run[0].span
            title = " ".join(text[span.start : span.end].split()) if kind is BlockKind.HEADING else ""
            found.append(Block(kind, span.start, span.end, level=1 if title else 0, title=title))
            terms.clear()
            continue
        column = min(line.column for line in run)
        terms = [term for term in terms if term[0] < column]
        if len(run) == 1 and below and below[0].column >= column + _LEAST_STEP and _may_be_term(text, run):
            terms.append((column, run[0].span))
            continue
        for block in _of_run(text, run):
            own = block.header or (terms[-1][1] if terms else None)
            if own is not None and block.kind is BlockKind.PARAGRAPH:
                is_first = not found or found[-1].end <= own.start
                block = replace(block, header=own, start=min(own.start, block.start) if is_first else block.start)
            found.append(block)
            if block.header is not None and block.header.start == block.start:
                terms = [term for term in terms if term[0] < column] + [(column, block.header)]
    return found


def _lines(text: str) -> list[_Line]:
    """The lines that are not empty; the indent of the first one, which a passage lacks, is told by the next."""
    lines: list[_Line] = []
    for match in _LINE.finditer(text):
        written = match.group()
        if not written.strip():
            continue
        lead = len(written) - len(written.lstrip())
        span = Span(match.start() + lead, match.start() + len(written.rstrip()))
        apart = not lines or text.count("\n", lines[-1].span.end, span.start) > 1
        lines.append(_Line(span, len(written[:lead].expandtabs()), apart))
    first, *others = lines
    set_in = [line.column for line in others if line.column]
    if first.column or not set_in or _kind_at_margin(text, first) is not None:
        return lines
    column = min(set_in)
    is_short = first.span.end - first.span.start <= _SHORT_LINE
    if not others[0].apart and not (others[0].column > column and is_short and _may_be_term(text, [first])):
        column = others[0].column
    return [replace(first, column=column), *others]


def _runs(text: str, lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """The lines between empty ones; a heading at the margin is by itself, as is an entry below a deeper line."""
    run: list[_Line] = []
    for line in lines:
        is_apart = any(_kind_at_margin(text, one) is not None for one in (line, *run[:1]))
        if run and (line.apart or is_apart or (line.column <= run[0].column < run[-1].column)):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _kind_at_margin(text: str, line: _Line) -> BlockKind | None:
    """A heading in capitals at the margin, the first or last line of a page as markup, None for any other line."""
    written = text[line.span.start : line.span.end]
    if line.column:
        return None
    if _NUMBERED_PAGE.search(written) and _WIDE_GAP.search(written):
        return BlockKind.MARKUP
    first, *others = written.split()
    is_mostly_upper = 2 * sum(map(str.isupper, written)) > sum(map(str.isalpha, written))
    return BlockKind.HEADING if first.isupper() and is_mostly_upper and len(others) < _TITLE_WORDS else None


def _of_run(text: str, run: Sequence[_Line]) -> Iterator[Block]:
    """The blocks of lines without an empty one between them."""
    heads = [line for line in run if line.column <= run[0].column]
    if _is_list(text, heads):
        starts = [run.index(line) for line in heads]
        pieces = [run[at:until] for at, until in pairwise([*starts, len(run)])]
        items = tuple(Span(piece[0].span.start, piece[-1].span.end) for piece in pieces)
        yield Block(BlockKind.LIST, items[0].start, items[-1].end, items=items)
        return
    deeper = run[len(heads) :]
    if len(deeper) > 1 and run[: len(heads)] == heads and _is_list(text, deeper[:1] and _shallow(deeper)):
        yield from (_paragraph(text, heads), *_of_run(text, deeper))
        return
    block = _paragraph(text, run)
    is_entry = bool(deeper) and deeper[0].column >= heads[0].column + _LEAST_STEP and run[: len(heads)] == heads
    if is_entry and _may_be_term(text, heads, deeper[0].column):
        last = heads[-1]
        end = _end_of_term(text, last, deeper[0].column)
        block = replace(block, header=Span(block.start, end))
    yield block


def _shallow(lines: Sequence[_Line]) -> list[_Line]:
    return [line for line in lines if line.column <= lines[0].column]


def _paragraph(text: str, run: Sequence[_Line]) -> Block:
    start, end = run[0].span.start, run[-1].span.end
    return paragraph(start, end, text[start:end])


def _is_list(text: str, heads: Sequence[_Line]) -> bool:
    """Tell whether lines are items: two or more, all with marks or nearly all with a second column at one place."""
    written = [text[line.span.start : line.span.end] for line in heads]
    if len(heads) < 2 or all(map(_ITEM.match, written)):
        return len(heads) > 1
    places = [_second_column(words, line.column) for words, line in zip(written, heads, strict=True)]
    common = max(set(places), key=places.count)
    return common > 0 and 3 * places.count(common) >= 2 * len(places) and places.count(common) > 1


def _second_column(written: str, column: int) -> int:
    """The column at which the second of two columns of a line begins; 0 without one."""
    gap = _GAP.search(written)
    return len((" " * column + written[: gap.end()]).expandtabs()) if gap else 0


def _may_be_term(text: str, heads: Sequence[_Line], deeper: int = 0) -> bool:
    """Tell whether lines name what stands below them: few, short, and without the end of a sentence."""
    if len(heads) > _TERM_LINES:
        return False
    last = heads[-1]
    words = [text[line.span.start : line.span.end] for line in heads[:-1]]
    words.append(text[last.span.start : _end_of_term(text, last, deeper)])
    is_short = all(len(line.split()) <= _TERM_WORDS and any(map(str.isalnum, line)) for line in words)
    is_item = _ITEM.match(text, heads[0].span.start, heads[0].span.end) is not None
    return is_short and not words[-1].endswith(_NO_TERM_ENDS) and not is_item


def _end_of_term(text: str, line: _Line, deeper: int) -> int:
    """The end of a term whose description may begin in its own line, at the column of the lines below."""
    written = text[line.span.start : line.span.end]
    for gap in re.finditer(r"[ \t]+", written):
        if len((" " * line.column + written[: gap.end()]).expandtabs()) == deeper:
            return line.span.start + gap.start()
    return line.span.end
