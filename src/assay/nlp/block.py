"""The blocks of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from assay.types import Span

_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
# May follow the end of a sentence.
_CLOSING = " \t\n\r\"'”’»)]*_`"


# The name of a setting or the like, what may follow it in a heading, and the longest heading: chosen.
_NAME = re.compile(r"(?:--?)?[^\W\d][\w./:-]*")
_ARGUMENTS = ("", ",", "<", "[", "(", "=")
_LONGEST_NAME = 120


class BlockKind(StrEnum):
    """The kind of a block.

    MARKUP is never quoted as an answer: front matter, templating, comments and tags without words, anchors,
    footnote and link definitions, thematic breaks, the marker lines of admonitions and tabs.
    """

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    MARKUP = "markup"


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a text, from `start` to `end` in code points, half open, without outer white space.

    `path` are the titles of the headings above it, outermost first, its own left out. `items` are a list's
    top-level items with all they hold, or a table's body rows; `header` is a table's header row with its rule, or
    the term that a paragraph describes, within it or above.
    `level` (1 to 6) and `title` (plain words) are a heading's. `leads` marks a paragraph that ends in no whole
    sentence: one that a list, code or a table goes on. `introduces` marks one that ends in a
    colon: a paragraph may go it on, too. `continues` marks one that begins in lower case.
    """

    kind: BlockKind
    start: int
    end: int
    path: tuple[str, ...] = ()
    items: tuple[Span, ...] = ()
    header: Span | None = None
    level: int = 0
    title: str = ""
    leads: bool = False
    introduces: bool = False
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """A span of markup and what readers are shown `instead`.

    `joins`: the text on both sides is joined without a gap, as at the bracket before a link.
    """

    start: int
    end: int
    instead: str = ""
    joins: bool = False


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text's blocks, the text with its markup blanked out, and the replacements in order."""

    blocks: tuple[Block, ...]
    prose: str
    replacements: tuple[Replacement, ...] = ()


def leads_on(prose: str) -> bool:
    """True if a paragraph, given without markup, ends in an unfinished sentence and so leads on to what follows.

    >>> [leads_on(prose) for prose in ("You need:", "Check the state by running", 'Say "now." ', "(Brew it!)")]
    [True, True, False, False]
    """
    return not prose.rstrip(_CLOSING).endswith(_SENTENCE_ENDS)


def paragraph(start: int, end: int, prose: str) -> Block:
    """A paragraph with these words, given without markup.

    >>> paragraph(0, 9, "You need:").introduces, paragraph(0, 8, "Brew it!").leads
    (True, False)
    """
    introduces = prose.rstrip(_CLOSING).endswith((":", "："))
    continues = prose.lstrip()[:1].islower()
    leads = leads_on(prose)
    return Block(BlockKind.PARAGRAPH, start, end, leads=leads, introduces=introduces, continues=continues)


def without_nested(found: Sequence[Block]) -> list[Block]:
    """The blocks without those nested in another."""
    outermost: list[Block] = []
    for block in found:
        if outermost and block.start < outermost[-1].end:
            if block.end > outermost[-1].end and block.start == outermost[-1].start:
                outermost[-1] = block
            continue
        outermost.append(block)
    return outermost


def with_paths(found: Sequence[Block]) -> Iterator[Block]:
    """Set each block's path to the headings above it."""
    path: list[Block] = []
    for block in found:
        if block.kind is BlockKind.HEADING:
            path = [above for above in path if above.level < block.level]
        titles = tuple(above.title for above in path)
        yield replace(block, path=titles)
        if block.kind is BlockKind.HEADING:
            path.append(block)


def is_identifier(title: str) -> bool:
    """Tell whether a heading is the name of a setting, an option, a function or a file.

    >>> [is_identifier(title) for title in ("reload-time <number>", "--quiet", "Set-up", "Paths", "fopen()")]
    [True, True, False, False, True]
    """
    match = _NAME.match(title) if len(title) <= _LONGEST_NAME else None
    if match is None or title[match.end() :].lstrip()[:1] not in _ARGUMENTS:
        return False
    name = match.group().rstrip(".:/-")
    has_sign = any(sign in name for sign in "_.") or ("-" in name and name.islower())
    return has_sign or name.startswith("-") or title.startswith("()", match.end())
