"""HTML, asides and links in an answer: find them, and blank them out without changing offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from assay.nlp.cited_sentences import CODE_BLOCK
from assay.types import Span

# A table row is one block, as in Markdown: a single cell states nothing.
_BLOCKS = (
    "p|li|ul|ol|dl|dt|dd|div|section|article|header|footer|main|aside|blockquote|pre|table|thead|tbody|tfoot|tr"
    "|caption|h[1-6]|title|body|html|head|br|hr|meta|link"
)
_INLINE = "a|abbr|b|cite|code|em|font|i|img|label|mark|q|s|small|span|strong|sub|sup|td|th|u|wbr"
# Only well-formed attributes make a tag: "<b the fee is 90 euros>" remains text to be tested.
# The value is possessive: otherwise a trailing slash is ambiguous and a row of tags takes 2^n steps.
_ATTRIBUTES = r"""(?:\s+[\w:-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]++))*\s*/?"""
_DOCTYPE = r"<!doctype\b[^<>]{0,200}>"
_BLOCK = re.compile(rf"</?(?:{_BLOCKS}){_ATTRIBUTES}>|{_DOCTYPE}", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{_BLOCKS}|{_INLINE}){_ATTRIBUTES}>|{_DOCTYPE}|&nbsp;|&#160;", re.IGNORECASE)
_CELL = re.compile(r"</?(?:td|th)\b", re.IGNORECASE)
_NAME = re.compile(r"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
_VOID = frozenset("br hr img wbr meta link".split())
_BEFORE_STOP = re.compile(r"(?<!\s)\s++(?=[.,;:!?])")
# A text is HTML only if it closes a block or breaks a line, not if it mentions a tag.
_IS_HTML = re.compile(rf"</(?:{_BLOCKS})\s*>|<br\s*/?>", re.IGNORECASE)
# Headings and header rows make no claims, as in Markdown; those that contain tags or are longer than a line are
# read as text. A row header belongs to its cells.
_HEADING = re.compile(
    rf"<(?P<name>h[1-6]|title){_ATTRIBUTES}>[^<]{{0,200}}</(?P=name)\s*>"
    rf"|<tr{_ATTRIBUTES}>(?:\s*<th{_ATTRIBUTES}>[^<]{{0,200}}</th\s*>)+\s*</tr\s*>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TagFreeText:
    """A text with tags and headings replaced by spaces, and the offsets at which blocks begin or end."""

    text: str
    cuts: tuple[int, ...] = ()

    def parts(self, pieces: Sequence[Span]) -> Iterator[Span]:
        """Cut pieces of the text at block boundaries."""
        for piece in pieces:
            inside = self.cuts[bisect_right(self.cuts, piece.start) : bisect_left(self.cuts, piece.end)]
            for start, end in pairwise((piece.start, *inside, piece.end)):
                yield Span(start, end)


def strip_tags(text: str) -> TagFreeText:
    """Replace the tags of HTML by spaces; other text is returned unchanged.

    >>> strip_tags("<p>It <b>rained</b>.</p>").text
    '   It    rained    .    '
    """
    if _IS_HTML.search(text) is None:
        return TagFreeText(text)
    cuts = tuple(match.end() for match in _BLOCK.finditer(text))
    return TagFreeText(_TAG.sub(_spaces, _HEADING.sub(_spaces, text)), cuts)


def outside_of_blocks(text: str) -> tuple[Span, ...]:
    """The spans outside the blocks of HTML: opening and closing tags, headings, the outer cell tags of a row.

    Empty if the text is not HTML.

    >>> text = "<p>It <b>rained</b>.</p><tr><td>hail</td><td>none</td></tr>"
    >>> [text[span.start : span.end] for span in outside_of_blocks(text)]
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
    return tuple(sorted(spans, key=lambda span: span.start))


def without_tags(written: str) -> str:
    """A sentence of HTML as it reads, keeping leading white space; one without tags is returned unchanged.

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
    """True if every tag in a piece of HTML is closed within it and none is a cell's, so that it can be removed.

    >>> [is_balanced(html) for html in ("It <b>rained</b>.", "<i>It rained.", "rain</td><td>none")]
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


# Asides of a Markdown text: front matter, comments, definitions, code, quotes.


class Role(Enum):
    """The role of a span of text: the author's sentence, a quotation, markup, or the tags of HTML blocks."""

    SENTENCE = "sentence"
    QUOTED = "quoted"
    MARKUP = "markup"
    TAGS = "tags"


@dataclass(frozen=True, slots=True)
class Aside:
    """A span from `start` to `end` that is not one of the author's sentences."""

    start: int
    end: int
    role: Role = Role.MARKUP


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text, without its line break."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        """The column of the first word; tab stops are four columns apart."""
        lead = self.text[: len(self.text) - len(self.text.lstrip(" \t"))]
        return len(lead.expandtabs(4))


_FENCE = re.compile(r"\ufeff?---[ \t]*\r?")
_FENCE_END = re.compile(r"(?:---|\.\.\.)[ \t]*\r?")
_KEY = re.compile(r"[\w\"'][^:]{0,100}:(?:\s|\Z)")
_OF_YAML = re.compile(r"[ \t]|#|-[ \t]|\r?\Z")
# [^1]: a footnote; [name]: <an address> "with a title"
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]\s]+\]:[ \t]")
_LINK = re.compile(r" {0,3}\[[^\]]+\]:[ \t]*(?:<[^>]*>|\S+)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?[ \t]*\r?\Z")
_QUOTE = re.compile(r"[ \t]*>")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+")
_CODE_INDENT = 4
_MAY_INDENT = re.compile(r"^(?:\t| {4})", re.MULTILINE)
_CODE_LINE = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(?:(?:``[^`]+``|`[^`]+`)[\s,;.:]*)+")
# A line that separates its neighbours: blank, a heading, or code.
_ALONE = re.compile(rf"\s*\Z|[ \t]*#{{1,6}}\s|{_CODE_LINE.pattern}\Z")
_ENDS_SENTENCE = (".", "!", "?", "…", "。", "！", "？", "]", ")", "|", "⚠")


def find_asides(text: str) -> tuple[Aside, ...]:
    """The asides of a text in order, without overlap; fenced code and its content are not asides.

    Indented code follows CommonMark, but must be followed by a blank line or the end, since a paragraph may indent
    its first line. A comment inside a sentence belongs to the sentence.

    >>> text = "It rained.\\n\\n> So they say.\\n\\n[^1]: The weather office.\\n"
    >>> [(text[aside.start : aside.end], aside.role.value) for aside in find_asides(text)]
    [('> So they say.', 'quoted'), ('[^1]: The weather office.', 'markup')]
    """
    front = _front_matter(text)
    seen = text
    if "```" in text or "~~~" in text:
        seen = CODE_BLOCK.sub(lambda block: re.sub(r"[^\n]", "x", block.group()), text)
    seen = _without(seen, front)
    comments = list(_comments(seen))
    lines = _lines(_without(seen, comments))
    found = [*front, *comments, *_by_line(lines), *_indented_code(lines)]
    return tuple(sorted(found, key=lambda aside: aside.start))


def blanked(text: str, spans: Sequence[Span]) -> str:
    """The text with these spans replaced by spaces; offsets and line breaks are unchanged.

    >>> blanked("<!-- a\\nb --> It rained.", [Span(0, 12)])
    '      \\n      It rained.'
    """
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], re.sub(r"[^\n]", " ", text[span.start : span.end])]
        at = span.end
    return "".join([*parts, text[at:]])


def code_in(text: str) -> tuple[Span, ...]:
    """The spans of code in order: fenced and indented blocks, and list items or lines entirely in backticks.

    An unclosed fence opens no block, because everything after it would be code. Code within a sentence or paragraph
    belongs to it.

    >>> text = "It is set:\\n\\n`rain = 1`\\n\\nSee `rain`.\\n\\n```\\nrain = 2\\n```\\n"
    >>> [text[span.start : span.end] for span in code_in(text)]
    ['`rain = 1`', '```\\nrain = 2\\n```']
    """
    if "`" not in text and "~~~" not in text and _MAY_INDENT.search(text) is None:
        return ()
    blocks = [Span(*block.span()) for block in CODE_BLOCK.finditer(text) if _is_closed(block)]
    lines = _lines(blanked(text, blocks))
    indented = [Span(line.start, line.end) for line in _indented_code(lines)]
    return tuple(sorted((*blocks, *indented, *_code_lines(lines)), key=lambda span: span.start))


def _is_closed(block: re.Match[str]) -> bool:
    _first, *others = block.group().splitlines()
    return bool(others) and others[-1].lstrip().startswith(block["fence"])


def _code_lines(lines: Sequence[_Line]) -> Iterator[Span]:
    """Lines entirely in backticks that do not continue a paragraph."""
    for at, line in enumerate(lines):
        if not _CODE_LINE.fullmatch(line.text):
            continue
        begins = at == 0 or _ITEM.match(line.text) or _ALONE.match(lines[at - 1].text)
        last = at + 1 == len(lines)
        if begins and (last or _ALONE.match(lines[at + 1].text) or _ITEM.match(lines[at + 1].text)):
            yield Span(line.start, line.end)


def _without(text: str, found: Sequence[Aside]) -> str:
    return blanked(text, [Span(aside.start, aside.end) for aside in found]) if found else text


def _lines(text: str) -> list[_Line]:
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append(_Line(at, line))
        at += len(line) + 1
    return lines


def _front_matter(text: str) -> list[Aside]:
    """The YAML front matter between two rules at the start, if any."""
    if not text.startswith(("---", "\ufeff---")):
        return []
    first, *lines = _lines(text)
    keys = 0
    if not _FENCE.fullmatch(first.text):
        return []
    for line in lines:
        if _FENCE_END.fullmatch(line.text):
            return [Aside(0, line.end)] if keys else []
        is_key = _KEY.match(line.text) is not None
        if not (is_key or _OF_YAML.match(line.text)):
            return []
        keys += is_key
    return []


def _comments(text: str) -> Iterator[Aside]:
    """Comments that begin a line, or end one after a sentence."""
    at = 0
    while (start := text.find("<!--", at)) != -1 and (close := text.find("-->", start + 4)) != -1:
        at = close + 3
        line_end = text.find("\n", at)
        before = text[text.rfind("\n", 0, start) + 1 : start].strip()
        behind = text[at : len(text) if line_end == -1 else line_end].strip()
        if not before or (not behind and before.endswith(_ENDS_SENTENCE)):
            yield Aside(start, at)


def _by_line(lines: Sequence[_Line]) -> Iterator[Aside]:
    """Quotations, and definitions with their indented continuation lines."""
    at = 0
    while at < len(lines):
        first, at = at, at + 1
        if _QUOTE.match(lines[first].text):
            while at < len(lines) and _QUOTE.match(lines[at].text):
                at += 1
            yield Aside(lines[first].start, lines[at - 1].end, Role.QUOTED)
        elif _FOOTNOTE.match(lines[first].text) or _LINK.match(lines[first].text):
            while at < len(lines) and not lines[at].is_blank and lines[at].indent:
                at += 1
            yield Aside(lines[first].start, lines[at - 1].end)


def _indented_code(lines: Sequence[_Line]) -> Iterator[Aside]:
    """Blocks of indented code; in a list, relative to the text of the item."""
    if all(line.indent >= _CODE_INDENT for line in lines if not line.is_blank):
        return  # a fully indented text is not code
    needed, at, after_blank = _CODE_INDENT, 0, True
    while at < len(lines):
        line = lines[at]
        at += 1
        item = _ITEM.match(line.text)
        if line.is_blank:
            after_blank = True
            continue
        if after_blank and line.indent >= needed:
            while at < len(lines) and not lines[at].is_blank and lines[at].indent >= needed:
                at += 1
            if at == len(lines) or lines[at].is_blank:
                yield Aside(line.start, lines[at - 1].end)
        elif item:
            needed = len(item.group().expandtabs(4)) + _CODE_INDENT
        elif after_blank and not line.indent:
            needed = _CODE_INDENT
        after_blank = False


# Links: what a page would open, load or run is turned into plain words.


# Prefixes that turn the following words into an address.
_BEGINS = r"(?<![a-z0-9.+-])(?:[a-z][a-z0-9+.-]{0,30}:/{2,9}|www\.(?=\w)|mailto:){1,9}"
_ADDRESS = re.compile(rf"(?P<begins>{_BEGINS})(?P<rest>[^\s<>\[\]\"'`“”|]{{1,2000}})", re.IGNORECASE)
# [words](address "title"), or an image; the words contain no brackets.
_INLINE_LINK = re.compile(
    r"(?P<image>!?)\[(?P<words>[^\[\]]{0,300})\]\(\s{0,9}<?(?P<address>[^\s()<>]{0,2000})>?(?P<title>\s[^()]{0,300})?\)"
)
# Remains of links with brackets in their words, reference links, their definitions, and images.
_JOINED = re.compile(r"\](?=[(\[])")
_DEFINITION = re.compile(r"^(?P<name>[ \t]{0,3}\[[^\]\n]{1,300}\]):", re.MULTILINE)
_IMAGE = re.compile(r"!(?=\[)")
_LINKING_TAG = re.compile(
    r"<(?=\s*+(?:/\s*+)?(?:a|applet|audio|base|embed|form|frame|iframe|image|img|input|link|math|meta|object|script"
    r"|style|svg|video)\b|[a-z][a-z0-9+.-]{1,30}:|[^\s<>@]{1,100}@)",
    re.IGNORECASE,
)
_RUNS = re.compile(r"\b(?P<scheme>javascript|vbscript|data):(?=[^\s:])", re.IGNORECASE)
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^`\n]+``|`[^`\n]+`", re.DOTALL)
# Closing punctuation is not part of the address before it.
_BEHIND = ".,;:!?)*_"
# Every link and tag contains one of these.
_SIGNS = ("//", "www.", "mailto:", "](", "][", "]:", "![", "<", "script:", "data:")


@dataclass(frozen=True, slots=True)
class LinkFreeText:
    """A text without links, and the number of changes."""

    text: str
    changed: int


def addresses(text: str) -> tuple[str, ...]:
    """The addresses in a text, without closing punctuation.

    >>> addresses("See https://a.example/x, or (www.b.example).")
    ('https://a.example/x', 'www.b.example')
    """
    return tuple(match.group().rstrip(_BEHIND) for match in _ADDRESS.finditer(text))


def strip_links(text: str, allowed: Collection[str] = (), allowed_in_code: Collection[str] = ()) -> LinkFreeText:
    """Replace every link by its words, except those to `allowed` addresses.

    A link becomes its words followed by the address without its scheme (`https://`, `www.`); images become words,
    and the opening bracket of a tag is replaced. In code, addresses in `allowed_in_code` also stay. Idempotent.

    >>> strip_links("Read [this](https://x.example/?q=1) or ![it](http://x.example/a.png).").text
    'Read this (x.example/?q=1) or it (x.example/a.png).'
    >>> strip_links("See https://a.example/x.", ["https://a.example/x"])
    LinkFreeText(text='See https://a.example/x.', changed=0)
    """
    allowed, in_code = frozenset(allowed), frozenset(allowed_in_code)
    changed = 0
    while any(sign in text.lower() for sign in _SIGNS):
        passed = _one_pass(text, allowed, allowed | in_code)
        if not passed.changed:
            break
        # A removal can join its surroundings into a new link, so repeat; each pass leaves fewer signs of links.
        text, changed = passed.text, changed + passed.changed
    return LinkFreeText(text, changed)


def _one_pass(text: str, allowed: frozenset[str], allowed_in_code: frozenset[str]) -> LinkFreeText:
    """The text after one pass over its prose and code."""
    parts, at = [], 0
    for code in _CODE.finditer(text):
        parts += [_without_links(text[at : code.start()], allowed), _without_links(code.group(), allowed_in_code)]
        at = code.end()
    parts.append(_without_links(text[at:], allowed))
    return LinkFreeText("".join(part.text for part in parts), sum(part.changed for part in parts))


def _without_links(text: str, allowed: frozenset[str]) -> LinkFreeText:
    """Replace the links of a piece of prose or code, except those to addresses in `allowed`."""
    changes = 0

    def counted(before: str, after: str) -> str:
        nonlocal changes
        changes += before != after
        return after

    def bare(match: re.Match[str]) -> str:
        address = match.group().rstrip(_BEHIND)
        return match.group() if address in allowed else counted(match.group(), match["rest"])

    def inline(match: re.Match[str]) -> str:
        if match["address"] in allowed and not match["image"]:
            return match.group()
        shown = " ".join(part for part in (match["words"], f"({match['address']})") if part)
        return counted(match.group(), shown)

    def cut(pattern: re.Pattern[str], by: str, text: str) -> str:
        return pattern.sub(lambda match: counted(match.group(), match.expand(by)), text)

    def apart(match: re.Match[str]) -> str:
        behind = match.string[match.end() :]
        return "]" if any(behind.startswith(f"({address}") for address in allowed) else counted(match.group(), " ")

    text = _JOINED.sub(apart, _INLINE_LINK.sub(inline, text))
    text = cut(_DEFINITION, r"\g<name>", text)
    for pattern, by in ((_IMAGE, ""), (_LINKING_TAG, "‹"), (_RUNS, r"\g<scheme> ")):
        text = cut(pattern, by, text)
    return LinkFreeText(_ADDRESS.sub(bare, text), changes)
