"""The blocks that texts are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.types import Span


class BlockKind(StrEnum):
    """What a block is.

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
    top-level items with all they hold, or a table's body rows; `header` is a table's header row with its rule.
    `level` (1 to 6) and `title` (plain words) are a heading's. `leads` marks a paragraph that ends in a colon.
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


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text's blocks, and the text with its markup blanked out."""

    blocks: tuple[Block, ...]
    prose: str
