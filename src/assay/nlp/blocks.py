"""The blocks of a text, what a reader needs to be shown around a stretch of it, and its prose without markup."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from assay.nlp.block import Block, BlockKind, Parsed
from assay.nlp.markdown import parse_markdown
from assay.nlp.plain import parse_plain

__all__ = ["Block", "BlockKind", "blocks", "unit", "without_markup"]

# A passage is read many times, a whole document few times in a row.
_PASSAGE = 10_000


def blocks(text: str, format: str = "markdown") -> tuple[Block, ...]:
    """The blocks of a text in order, without overlap; `format` is that of its document.

    >>> [(each.kind.value, each.path) for each in blocks("# Tea {#tea}\\n\\nYou need:\\n\\n- water\\n- leaves\\n")]
    [('heading', ()), ('paragraph', ('Tea',)), ('list', ('Tea',))]
    """
    return _parsed(text, format).blocks


def without_markup(text: str, format: str = "markdown") -> str:
    """The text with everything that is no prose blanked out by spaces; length, offsets and line ends stay.

    List marks stay, code stays without its fences.

    >>> without_markup("## See [the *map*](map.md) {#maps}")
    '   See  the  map                  '
    """
    return _parsed(text, format).prose


def unit(found: Sequence[Block], start: int, end: int) -> tuple[Block, ...]:
    """The neighbouring blocks that a reader needs to be shown for the stretch from `start` to `end`.

    A list brings the paragraph before it, as does code; a table does where that paragraph ends in no whole
    sentence. Such a paragraph brings the list, code or table behind it. A heading brings what follows it. Markup
    is left out.

    >>> found = blocks("# Tea\\n\\nYou need:\\n\\n- water\\n- leaves\\n\\nEnjoy.")
    >>> [each.kind.value for each in unit(found, 20, 25)]
    ['paragraph', 'list']
    """
    shown = [block for block in found if block.kind is not BlockKind.MARKUP]
    first = bisect_right([block.end for block in shown], start)
    last = first
    while last + 1 < len(shown) and shown[last + 1].start < end:
        last += 1
    if first >= len(shown) or shown[first].start >= max(end, start + 1):
        return ()
    while first < last and shown[first].kind is BlockKind.HEADING:
        first += 1
    while first < last and shown[last].kind is BlockKind.HEADING:
        last -= 1
    # A heading alone brings what it stands over.
    while shown[first].kind is BlockKind.HEADING:
        first = last = first + 1
        if first == len(shown):
            return ()
    if first and _belongs_to(shown[first - 1], shown[first]):
        first -= 1
    if last + 1 < len(shown) and shown[last].leads and _belongs_to(shown[last], shown[last + 1]):
        last += 1
    return tuple(shown[first : last + 1])


def _belongs_to(before: Block, block: Block) -> bool:
    """Whether the paragraph before a list, code or table is read together with it."""
    if before.kind is not BlockKind.PARAGRAPH or before.path != block.path:
        return False
    return block.kind in (BlockKind.LIST, BlockKind.CODE) or (block.kind is BlockKind.TABLE and before.leads)


def _parsed(text: str, format: str) -> Parsed:
    return _passage(text, format) if len(text) <= _PASSAGE else _document(text, format)


def _read(text: str, format: str) -> Parsed:
    return parse_markdown(text) if format == "markdown" else parse_plain(text, format)


_passage = lru_cache(maxsize=1 << 10)(_read)
_document = lru_cache(maxsize=8)(_read)
