"""Blocks of text without marks of its own, as the loaders of HTML, Word, PDF and tables write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.nlp.block import Block, BlockKind, Parsed, leads_on
from assay.types import Span

_ITEM = re.compile(r"[ \t]*(?:[-*•◦▪‣–]|\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+\S")
_LINE = re.compile(r"[^\n]+")
_CELLS = re.compile(r"[ \t]*\|[ \t]*")
_NAMED_CELL = re.compile(r"[^:;\n]{1,80}: [^\n]")
# Formats whose every line is a row.
_ROWS = frozenset(("csv", "xlsx"))
_LONGEST_HEADING = 80


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring lines of one kind; `apart` says that a blank line stands before them."""

    kind: BlockKind
    lines: tuple[Span, ...]
    apart: bool


def parse_plain(text: str, format: str) -> Parsed:
    """The blocks of a text by its blank lines, item marks and rows; only the bars between cells are markup.

    >>> parsed = parse_plain("Prices:\\n- tea\\n- milk\\n\\nCity | People\\nUlm | 126000", "html")
    >>> [each.kind.value for each in parsed.blocks]
    ['paragraph', 'list', 'table']
    """
    groups = _joined(text, list(_groups(text, format)))
    found: list[Block] = []
    title: tuple[str, ...] = ()
    for number, group in enumerate(groups):
        following = groups[number + 1] if number + 1 < len(groups) else None
        block = _block(text, group)
        if _is_heading(text, group, following):
            words = " ".join(text[block.start : block.end].split())
            found.append(replace(block, kind=BlockKind.HEADING, level=1, title=words))
            title = (words,)
        else:
            found.append(replace(block, path=title))
    return Parsed(tuple(found), _without_bars(text, found))


def _groups(text: str, format: str) -> Iterator[_Group]:
    """The lines that are not blank, grouped by what they are."""
    lines: list[Span] = []
    kind, apart, end = BlockKind.PARAGRAPH, True, 0
    for match in _LINE.finditer(text):
        line = match.group()
        if not line.strip():
            continue
        start = match.start() + len(line) - len(line.lstrip())
        span = Span(start, match.start() + len(line.rstrip()))
        blank = text.count("\n", end, start) > 1
        following = _kind(line, kind if lines and not blank else None, format)
        if lines and (blank or following is not kind):
            yield _Group(kind, tuple(lines), apart)
            lines, apart = [], blank
        lines.append(span)
        kind, end = following, span.end
    if lines:
        yield _Group(kind, tuple(lines), apart)


def _kind(line: str, before: BlockKind | None, format: str) -> BlockKind:
    """What a line is; `before` is the kind of the line right above it."""
    if format in _ROWS:
        return BlockKind.TABLE
    if _ITEM.match(line):
        return BlockKind.LIST
    if " | " in line or (before is BlockKind.TABLE and _NAMED_CELL.match(line.lstrip())):
        return BlockKind.TABLE
    # A line behind an item, without a blank line between, is the rest of that item.
    return BlockKind.LIST if before is BlockKind.LIST else BlockKind.PARAGRAPH


def _joined(text: str, groups: list[_Group]) -> list[_Group]:
    """The groups with lists joined that only blank lines part: an inner list stands apart from its outer one."""
    found: list[_Group] = []
    for group in groups:
        last = found[-1] if found else None
        if last is not None and last.kind is group.kind is BlockKind.LIST:
            found[-1] = replace(last, lines=(*last.lines, *group.lines))
        else:
            found.append(group)
    return found


def _block(text: str, group: _Group) -> Block:
    start, end = group.lines[0].start, group.lines[-1].end
    match group.kind:
        case BlockKind.LIST:
            return Block(group.kind, start, end, items=tuple(_items(text, group.lines)))
        case BlockKind.TABLE:
            header = group.lines[0] if len(group.lines) > 1 and _is_header(text, group.lines[0]) else None
            return Block(group.kind, start, end, items=group.lines[1 if header else 0 :], header=header)
        case _:
            return Block(group.kind, start, end, leads=leads_on(text[start:end]))


def _items(text: str, lines: tuple[Span, ...]) -> Iterator[Span]:
    """The items of a list, each with the lines that go on with it."""
    last = lines[0]
    for line in lines[1:]:
        if _ITEM.match(text, line.start):
            yield last
            last = line
        else:
            last = Span(last.start, line.end)
    yield last


def _is_header(text: str, line: Span) -> bool:
    """Whether a table's first row names its columns: at least two cells, none of them a number."""
    cells = [cell for cell in _CELLS.split(text[line.start : line.end]) if cell]
    return len(cells) > 1 and not any(
        cell.strip("%€$£ ").replace(",", "").replace(".", "").isdigit() for cell in cells
    )


def _is_heading(text: str, group: _Group, following: _Group | None) -> bool:
    """Whether a line of its own is a heading: short, no stop, begun by a capital, and over something longer."""
    if group.kind is not BlockKind.PARAGRAPH or len(group.lines) > 1 or not group.apart or following is None:
        return False
    line = text[group.lines[0].start : group.lines[0].end]
    over = following.lines[-1].end - following.lines[0].start
    if not following.apart or len(line) > _LONGEST_HEADING or over <= len(line):
        return False
    return (
        (line[0].isupper() or line[0].isdigit())
        and line[-1] not in ".:;,!…。：；，！"
        and any(map(str.isalpha, line))
    )


def _without_bars(text: str, found: list[Block]) -> str:
    """The text with the bars between the cells of its tables blanked out."""
    parts, at = [], 0
    for block in found:
        if block.kind is BlockKind.TABLE:
            parts += [text[at : block.start], text[block.start : block.end].replace(" | ", "   ")]
            at = block.end
    return "".join((*parts, text[at:]))
