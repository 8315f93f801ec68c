"""HTML in an answer: where its blocks begin and end, and the same text without its tags, place for place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.types import Span

# A row of a table is one block, as it is in markdown: a cell alone states nothing.
_BLOCKS = (
    "p|li|ul|ol|dl|dt|dd|div|section|article|header|footer|main|aside|blockquote|pre|table|thead|tbody|tfoot|tr"
    "|caption|h[1-6]|title|body|html|head|br|hr|meta|link"
)
_INLINE = "a|abbr|b|cite|code|em|font|i|img|label|mark|q|s|small|span|strong|sub|sup|td|th|u|wbr"
# What is no attribute is no tag: "<b the fee is 90 euros>" stays text that is tested.
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))*\s*/?"""
_DOCTYPE = r"<!doctype\b[^<>]{0,200}>"
_BLOCK = re.compile(rf"</?(?:{_BLOCKS}){_ATTRIBUTES}>|{_DOCTYPE}", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_BLOCKS}|{_INLINE}){_ATTRIBUTES}>|{_DOCTYPE}|&nbsp;|&#160;", re.IGNORECASE)
_CELL = re.compile(r"</?(?:td|th)\b", re.IGNORECASE)
_NAME = re.compile(r"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
_VOID = frozenset("br hr img wbr meta link".split())
_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?])")
# Only a text that closes a block, or breaks a line, is HTML; one that speaks of a tag is not.
_IS_HTML = re.compile(rf"</(?:{_BLOCKS})\s*>|<br\s*/?>", re.IGNORECASE)
# A heading claims nothing, as in markdown, nor does a row of nothing but the heads of columns; one with tags in it,
# or of more than a line's length, is read as text. The head of a row says what its cells are of.
_HEADING = re.compile(
    rf"<(?P<name>h[1-6]|title){_ATTRIBUTES}>[^<]{{0,200}}</(?P=name)\s*>"
    rf"|<tr{_ATTRIBUTES}>(?:\s*<th{_ATTRIBUTES}>[^<]{{0,200}}</th\s*>)+\s*</tr\s*>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Untagged:
    """A text with spaces for its tags and headings, and the places where blocks begin or end, in order."""

    text: str
    cuts: tuple[int, ...] = ()

    def parts(self, pieces: Sequence[Span]) -> Iterator[Span]:
        """The pieces of the text, cut at its blocks."""
        for piece in pieces:
            inside = self.cuts[bisect_right(self.cuts, piece.start) : bisect_left(self.cuts, piece.end)]
            for start, end in pairwise((piece.start, *inside, piece.end)):
                yield Span(start, end)


def untagged(text: str) -> Untagged:
    """The text without its tags where it is HTML; any other as it is.

    >>> untagged("<p>It <b>rained</b>.</p>").text
    '   It    rained    .    '
    """
    if _IS_HTML.search(text) is None:
        return Untagged(text)
    cuts = tuple(match.end() for match in _BLOCK.finditer(text))
    return Untagged(_TAG.sub(_spaces, _HEADING.sub(_spaces, text)), cuts)


def outside_of_blocks(text: str) -> tuple[Span, ...]:
    """What holds the blocks of HTML, in order: the tags that begin and end them, headings, a row's outer cell tags.

    Nothing where the text is not HTML.

    >>> text = "<p>It <b>rained</b>.</p><tr><td>hail</td><td>none</td></tr>"
    >>> [text[each.start : each.end] for each in outside_of_blocks(text)]
    ['<p>', '</p>', '<tr>', '<td>', '</td>', '</tr>']
    """
    if _IS_HTML.search(text) is None:
        return ()
    headings = [Span(*found.span()) for found in _HEADING.finditer(text)]
    bare = _HEADING.sub(_spaces, text)
    tags = list(_TAG.finditer(bare))
    outside = {at for at, tag in enumerate(tags) if _BLOCK.fullmatch(tag.group())}
    for order in (range(1, len(tags)), range(len(tags) - 2, -1, -1)):
        for at in order:
            beside = at - order.step
            first, last = sorted((at, beside))
            alone = not bare[tags[first].end() : tags[last].start()].strip()
            if beside in outside and alone and _CELL.match(tags[at].group()):
                outside.add(at)
    spans = (*headings, *(Span(*tags[at].span()) for at in outside))
    return tuple(sorted(spans, key=lambda each: each.start))


def without_tags(written: str) -> str:
    """A sentence of HTML as it reads, the white space before it as it is; one without tags as it is written.

    >>> without_tags(" It <b>rained</b><sup>[1]</sup>.")
    ' It rained [1].'
    """
    if _TAG.search(written) is None:
        return written
    gap = written[: len(written) - len(written.lstrip())]
    return gap + _BEFORE_STOP.sub("", " ".join(_TAG.sub(" ", written).split()))


def tags_of(written: str) -> tuple[str, ...]:
    """The tags in a stretch of HTML, in order."""
    return tuple(found.group() for found in _TAG.finditer(written) if found.group().startswith("<"))


def is_balanced(written: str) -> bool:
    """Whether each tag in a stretch of HTML is closed in it, so that it can be taken out, and none is a cell's.

    >>> [is_balanced(each) for each in ("It <b>rained</b>.", "<i>It rained.", "rain</td><td>none")]
    [True, False, False]
    """
    opened: list[str] = []
    for tag in tags_of(written):
        named = _NAME.match(tag)
        closes, name = (named[1], named[2].lower()) if named else ("", "br")
        if name in _VOID or tag.endswith("/>"):
            continue
        if name in ("td", "th") or (closes and (not opened or opened.pop() != name)):
            return False
        if not closes:
            opened.append(name)
    return not opened


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())
