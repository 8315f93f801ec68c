"""HTML and Markdown as safe HTML with a quote marked in it. Runs in the sandbox.

What is shown is made of a short list of tags without links, images or anything else that loads; links are shown as
their text. The quote is found by its letters and digits, since the stored text of a page has its white space, list
signs and footnote marks otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

import nh3
from lxml import etree
from markdown_it import MarkdownIt

from assay.errors import UnreadableDocument
from assay.ingest.load_html import html_text, parse_page
from assay.nlp.markdown import front_matter_end
from assay.types import Span

_TAGS = frozenset(
    """abbr b blockquote br caption cite code dd del dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ins
    kbd li ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead tr u ul var""".split()
)
_ATTRIBUTES = {"td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}, "ol": {"start"}}
_WITHOUT_CONTENT = frozenset(
    """script style template noscript title svg math iframe object embed canvas video audio map nav button select
    option textarea dialog""".split()
)
# A longer page is shown as its stored text alone: chosen, about what a browser draws at once.
_LONGEST_SOURCE, _LONGEST_PAGE = 6_000_000, 1_500_000
# Markdown up to this length is shown whole, of longer texts so much on either side of the quote. Chosen.
_WHOLE, _AROUND = 100_000, 25_000
# Letters by which places of the same words are told apart, and by which a quote is found again behind letters of
# the page that the stored text leaves out, such as a footnote's mark; and how many of those there may be. Chosen.
_CONTEXT, _AGAIN, _LEFT_OUT = 200, 8, 60
# First letters of a quote that are looked for: fewer where something is left out soon after its beginning. Chosen.
_ANCHORS = (24, 8, 3)
_MOST_PLACES = 500
_HINT = "read it in the stored text"
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"#{1,6} ")
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
# The address of a link or picture is dropped anyway, and some cannot be encoded.
_MARKDOWN.normalizeLink = lambda url: ""  # type: ignore[method-assign]
_MARKDOWN.add_render_rule("image", lambda _renderer, tokens, at, _options, _env: escape(tokens[at].content))


@dataclass(frozen=True, slots=True)
class Quote:
    """The words to mark, with the text before and after them, and where they begin, as a share of the whole."""

    words: str
    before: str = ""
    after: str = ""
    share: float = 0.0


def html_page(data: bytes, quote: Quote | None) -> str:
    """A page of HTML, cleaned, with the quote marked.

    Raises UnreadableDocument where it is too long or nested too deeply, or the quote is not found in it.
    """
    text = "" if len(data) > _LONGEST_SOURCE else html_text(data).text
    # Measured first, since cleaning takes the square of the depth.
    if not text or parse_page(text) is None:
        raise UnreadableDocument("too long or nested too deeply to be shown as a page", hint=_HINT)
    return _marked(_cleaned(text), quote)


@dataclass(frozen=True, slots=True)
class MarkdownPart:
    """Markdown as safe HTML; the parts beside it begin at `earlier` and `later`, None where there are none."""

    html: str
    earlier: int | None
    later: int | None


def markdown_page(text: str, start: int, end: int, first: int | None = None) -> MarkdownPart:
    """Markdown, rendered and cleaned, with the words from `start` to `end` marked; none if they are equal.

    Of a long text a part: the blocks around the words, or with a `first` those from that code point on; one below
    0 makes the part so much shorter. Raises UnreadableDocument as `html_page`.
    """
    if first is None:
        begin, stop = _window(text, start - _AROUND, end + _AROUND)
    else:
        first = min(first, len(text) - 1)
        begin, stop = _window(text, first, first + 2 * _AROUND)
    if not begin <= start < end <= stop:
        start = end = begin  # the span is in another part
    html = _markdown_html(text, begin, stop, start, end)
    return MarkdownPart(html, begin - 2 * _AROUND if begin else None, stop if stop < len(text) else None)


def _markdown_html(text: str, begin: int, stop: int, start: int, end: int) -> str:
    """The blocks from `begin` to `stop`, with the words from `start` to `end` marked; none if they are equal."""
    front = front_matter_end(text) if begin == 0 else 0
    definitions: dict[str, Any] = {}
    body = _MARKDOWN.render(text[max(begin, front) : stop], definitions)
    page = f"<pre>{escape(text[:front])}</pre>{body}" if front else body
    if start >= end:
        return _marked(_cleaned(page), None)
    before, after = text[max(begin, start - 2 * _CONTEXT) : start], text[end : end + 2 * _CONTEXT]
    share = (start - begin) / (stop - begin)
    # Code and plain prose are shown as they are written; other text is shown as it is rendered.
    for words in (text[start:end], _words_of(_MARKDOWN.render(text[start:end], definitions))):
        try:
            return _marked(_cleaned(page), Quote(words, before, after, share))
        except _NotFound:
            continue
    raise _NotFound()


class _NotFound(UnreadableDocument):
    """The quote is not found in the page."""

    def __init__(self) -> None:
        super().__init__("the quote is not found in the page", hint=_HINT)


def _window(text: str, low: int, high: int) -> tuple[int, int]:
    """A part of Markdown that reaches from `low` to `high`, cut between blocks; all of a text that is not long.

    Raises UnreadableDocument for a huge block.
    """
    if len(text) <= _WHOLE:
        return 0, len(text)
    begin, stop = 0, len(text)
    fence = ""
    at = 0
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if not fence and (not line.strip() or _HEADING.match(line)):
            if at <= low:
                begin = at
            elif at >= high:
                stop = at
                break
        if opening and (not fence or opening.group(1).startswith(fence)):
            fence = "" if fence else opening.group(1)
        at += len(line)
    if stop - begin > 2 * _WHOLE - 2 * _AROUND + high - low:
        raise UnreadableDocument("a block of it is too long to be rendered", hint=_HINT)
    return begin, stop


def _cleaned(html: str) -> str:
    """HTML of the listed tags only."""
    return nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        clean_content_tags=set(_WITHOUT_CONTENT),
        link_rel=None,
    )


@dataclass(frozen=True, slots=True)
class _TextNode:
    """A text in the tree: that of the element, or the tail after it."""

    element: Any
    is_tail: bool
    text: str


class _PageLetters:
    """The letters and digits of texts, decomposed, with the number of the text and the offset of pairs."""

    def __init__(self, nodes: list[_TextNode]) -> None:
        parts: list[str] = []
        self.nodes, self.offsets = array("I"), array("I")
        for number, node in enumerate(nodes):
            if node.text.isascii():
                letters, offsets = _letters(node.text), [at for at, sign in enumerate(node.text) if sign.isalnum()]
            else:
                pairs = [(letter, at) for at, sign in enumerate(node.text) for letter in _letters(sign)]
                letters, offsets = "".join(letter for letter, _ in pairs), [at for _, at in pairs]
            parts.append(letters)
            self.offsets.extend(offsets)
            self.nodes.extend([number] * len(offsets))
        self.text = "".join(parts)


def _marked(html: str, quote: Quote | None) -> str:
    """Cleaned HTML with the quote in <mark>, the first one with the id "quote"."""
    if len(html) > _LONGEST_PAGE:
        raise UnreadableDocument("too long to be shown as a page", hint=_HINT)
    if quote is None:
        return html
    root = parse_page(html)
    body = None if root is None else root.find("body")
    if body is None:
        raise UnreadableDocument("nested too deeply to be shown as a page", hint=_HINT)
    nodes = list(_text_nodes(body))
    ranges = _ranges(nodes, quote)
    for number in sorted(ranges, reverse=True):
        _mark(nodes[number], ranges[number], has_first=number == min(ranges))
    shown = "".join(
        [escape(body.text or ""), *(etree.tostring(child, encoding="unicode", method="html") for child in body)]
    )
    # The last step cleans, so that nothing depends on how two programs read the same HTML.
    return nh3.clean(
        shown,
        tags={*_TAGS, "mark"},
        attributes={**{tag: set(names) for tag, names in _ATTRIBUTES.items()}, "mark": {"id"}},
        link_rel=None,
    )


def _ranges(nodes: list[_TextNode], quote: Quote) -> dict[int, list[Span]]:
    """Ranges to mark in each text, by the text's number; raises UnreadableDocument if the quote is not found."""
    letters = _PageLetters(nodes)
    runs = _find(letters.text, quote)
    if not runs:
        raise _NotFound()
    ranges: dict[int, list[Span]] = {}
    for first, last in runs:
        for number in range(letters.nodes[first], letters.nodes[last] + 1):
            text = nodes[number].text
            start = letters.offsets[first] if number == letters.nodes[first] else 0
            end = letters.offsets[last] + 1 if number == letters.nodes[last] else len(text)
            if last == runs[-1][1] and number == letters.nodes[last]:
                end = _with_signs(text, end, quote.words)
            if text[start:end].strip():
                ranges.setdefault(number, []).append(Span(start, end))
    return ranges


def _with_signs(text: str, end: int, words: str) -> int:
    """The end of a quote with the signs behind it, such as a full stop, as far as the text has them, too."""
    words = words.rstrip()
    last = max((at for at, sign in enumerate(words) if sign.isalnum()), default=len(words))
    return end + _shared(text[end:], words[last + 1 :])


def _text_nodes(body: Any) -> Iterator[_TextNode]:
    """The texts below an element in order; by events, since pages are nested deeply."""
    for event, element in etree.iterwalk(body, events=("start", "end")):
        if event == "start" and element.text:
            yield _TextNode(element, False, element.text)
        elif event == "end" and element is not body and element.tail:
            yield _TextNode(element, True, element.tail)


def _mark(node: _TextNode, ranges: list[Span], *, has_first: bool) -> None:
    """Put each range of a text into a mark."""
    text, marks = node.text, []
    for span, following in zip(ranges, [*(span.start for span in ranges[1:]), len(text)], strict=True):
        mark = etree.Element("mark")
        mark.text, mark.tail = text[span.start : span.end], text[span.end : following]
        marks.append(mark)
    if has_first:
        marks[0].set("id", "quote")
    before = text[: ranges[0].start]
    if node.is_tail:
        parent = node.element.getparent()
        at = parent.index(node.element) + 1
        node.element.tail = before
    else:
        parent, at = node.element, 0
        node.element.text = before
    parent[at:at] = marks


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFD", text)))


def _words_of(html: str) -> str:
    """The text of rendered Markdown."""
    root = parse_page(_cleaned(html))
    return "" if root is None else "".join(root.itertext())


def _find(page: str, quote: Quote) -> list[tuple[int, int]]:
    """The first and last letter of each run of the page that the quote is made of; empty if it is not there.

    Of several places the one whose surroundings are most like the quote's counts, then the one nearest to its share
    of the page.
    """
    words, before, after = _letters(quote.words), _letters(quote.before), _letters(quote.after)
    if not words:
        return []
    before, after = before[-_CONTEXT:], after[:_CONTEXT]
    found = []
    for length in _ANCHORS:
        for at in _occurrences(page, words[:length]):
            runs = _follow(page, at, words)
            if runs:
                end = runs[-1][1] + 1
                alike = _shared(page[max(0, at - len(before)) : at][::-1], before[::-1])
                alike += _shared(page[end : end + len(after)], after)
                found.append((-alike, abs(at / len(page) - quote.share), at, runs))
        if found:
            return min(found)[3]
    return []


def _occurrences(page: str, words: str) -> Iterator[int]:
    at = page.find(words)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        yield at
        at = page.find(words, at + 1)


def _follow(page: str, at: int, words: str) -> list[tuple[int, int]]:
    """The runs of the page from a place on that make up the words; empty if they do not go on there.

    The page may have a few letters between that the words leave out.
    """
    runs = []
    done = 0
    while True:
        same = _shared(page[at : at + len(words) - done], words[done:])
        runs.append((at, at + same - 1))
        at, done = at + same, done + same
        if done == len(words):
            return runs
        at = page.find(words[done : done + _AGAIN], at, at + _LEFT_OUT + _AGAIN)
        if at < 0:
            return []


def _shared(one: str, other: str) -> int:
    """Number of letters that two texts begin with together.

    >>> _shared("teapot", "teacup")
    3
    """
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
