"""Parse Markdown with markdown-it into blocks and prose; all offsets are those of the text as written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby, pairwise
from typing import Any, Self

import re2
from markdown_it.token import Token

from assay.nlp.block import Block, BlockKind, Parsed, Replacement, paragraph, with_paths, without_nested
from assay.nlp.commonmark import PARSER
from assay.nlp.controls import encodable
from assay.nlp.dialects import Prepared, Stretch, front_matter, prepare
from assay.nlp.sentences import sentences
from assay.types import Span

# The lines of a text in Markdown, and stretches of them.


_LINE_END = re.compile(r"\r\n|\n|\r")
_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text as CommonMark counts them, with their spans; line ends are left out."""

    text: str
    written: tuple[str, ...]
    spans: tuple[Span, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Split a text into lines.

        >>> Lines.of("It rained.\\r\\nIt snowed.").spans
        (Span(start=0, end=10), Span(start=12, end=22))
        """
        spans, start = [], 0
        for match in _LINE_END.finditer(text):
            spans.append(Span(start, match.start()))
            start = match.end()
        spans.append(Span(start, len(text)))
        return cls(text, tuple(text[span.start : span.end] for span in spans), tuple(spans))

    def within(self, number: int, start: int, end: int) -> Span:
        """The span of part of a line."""
        first = self.spans[number].start
        return Span(first + start, first + end)

    def stretch(self, first: int, end: int) -> Span:
        """The span of lines `first` to `end`, `end` excluded."""
        return Span(self.spans[first].start, self.spans[max(first, end - 1)].end)

    def tight_line(self, number: int) -> Span:
        """The span of a line without quote marks and outer white space."""
        return self.tight(self.spans[number]) or self.spans[number]

    def numbers(self, span: Span) -> range:
        """The numbers of the lines that a span touches."""
        first = bisect_right(self.spans, span.start, key=lambda line: line.start) - 1
        last = bisect_right(self.spans, max(span.start, span.end - 1), key=lambda line: line.start) - 1
        return range(max(0, first), last + 1) if span.end > span.start else range(0)

    def quotation(self, number: int) -> Span | None:
        """The span of the quote marks at the start of a line, or None."""
        match = _QUOTE.match(self.written[number])
        return self.within(number, 0, match.end()) if match else None

    def tight(self, span: Span) -> Span | None:
        """The span without outer white space and leading quote marks, or None if nothing is left."""
        written = self.text[span.start : span.end]
        quote = _QUOTE.match(written)
        start = span.start + (quote.end() if quote else 0)
        rest = self.text[start : span.end]
        start += len(rest) - len(rest.lstrip())
        end = start + len(rest.strip())
        return Span(start, end) if start < end else None


_TASK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\[[ xX]\])(?=[ \t])")
_TABLE_RULE = re.compile(r"(?=[ \t|:>]*+-)[ \t|:>-]*+$")
# The parser sees templating as one word, so that an address that contains it stays one.
# RE2, because `re` takes quadratic time on a line of unclosed braces.
_TEMPLATE = re2.compile(
    r"\{%.*?%\}|\{\{.*?\}\}|\{#[ \t].*?#\}|\{:?[ \t]*(?:[#.][^{}\n]*|[\pL\pN_-]+=[^{}\n]*)\}|\{:[^{}\n]*\}"
)
# Not in CommonMark: footnote marks, components, reference links defined elsewhere.
_MORE_MARKUP = re.compile(
    r"""^[ ]{0,3}\[\^[^\]\s]{1,80}\]:[ \t]*
      | \[\^[^\]\s]{1,80}\]
      | </?[A-Z][\w.]{0,60}(?:\s[^<>]{0,500})?/?>
      | (?<![\w\]`])\[(?=[^\[\]\n]{1,200}\]\[[^\[\]\n]{0,100}\])
      | (?<=[^\[])\]\[[^\[\]\n]{0,100}\]""",
    re.VERBOSE | re.MULTILINE,
)
# Links and pictures of wikis: [[page|words]], ![[picture.png]].
_WIKI_LINK = re.compile(r"(?P<image>!?)\[\[(?:[^\[\]|\n]{1,200}\|)?(?P<words>[^\[\]|\n]{1,200})\]\]")
_HARD_SPACES = frozenset(("&nbsp;", "&#160;"))
_ENTITY = re.compile(r"&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^>]*>.*</h\1>\s*$", re.IGNORECASE | re.DOTALL)
# A paragraph that is a question, bold as a whole, stands above its answer.
_BOLD_QUESTION = re.compile(r"\*\*[^*\n]{3,200}\?\*\*|__[^_\n]{3,200}\?__")
# RE2 for the same reason: unclosed tags and comments.
_HTML_ROW = re2.compile(r"(?is)<tr\b.*?</tr>")
_HTML_TAG = re2.compile(r"(?s)</?[A-Za-z][^<>]*>|<!--.*?-->")
_PROSE = re.compile(r"(?:[-*+]|\d+[.)])?[ \t]*[*_`\[]*[A-ZÀ-Þ].*[.:!?…]$", re.DOTALL)
_NOT_NEWLINE = re.compile(r"[^\r\n]")
# A numbered line without a full stop, as section titles are written; the length is chosen.
_NUMBERED_TITLE = re.compile(r" {0,3}\d{1,3}[.)][ \t]+[^\W\d_a-zß-öø-ÿ][^\n]{0,58}[^\s.:;,!?…]$")
_LOWEST_LEVEL = 6
_STOPS = frozenset(".!?")
_FENCE_IN_CODE = re.compile(r"[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?:```|~~~)")
_INDENT = 4


def parse_markdown(text: str) -> Parsed:
    """Parse Markdown into blocks and prose.

    >>> parse_markdown("---\\ntitle: Tea\\n---\\n**Boil** the [water](w.md).").prose.split()
    ['Boil', 'the', 'water', '.']
    """
    return _Reader(text).read()


def front_matter_end(text: str) -> int:
    """The end of the front matter, including its last line end; 0 if there is none."""
    lines = Lines.of(text)
    spans, count = lines.spans, front_matter(lines.written)
    return (spans[count].start if count < len(spans) else len(text)) if count else 0


class _Reader:
    """Reads one Markdown text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines.of(text)
        self._prepared: Prepared = prepare(self._lines.written, self._lines.spans)
        self._templates: list[Span] = []
        self._markup: list[Span] = list(self._prepared.hidden)
        self._code: list[Span] = []
        self._replacements = [Replacement(span.start, span.end) for span in self._prepared.omitted]

    def read(self) -> Parsed:
        tokens, env = self._tokens()
        self._note_templates()
        self._inline(tokens, env)
        for token in tokens:
            self._mark_block(token)
        for stretch in self._prepared.stretches:
            self._mark_stretch(stretch)
        unfilled = self._unfilled(tokens)
        self._mark_rest()
        self._markup += unfilled
        self._replacements = [
            replaced
            for replaced in self._replacements
            if not any(span.start <= replaced.start < span.end for span in unfilled)
        ]
        self._replacements += [Replacement(span.start, span.end) for span in unfilled]
        prose = _blank_out(self._text, self._markup)
        found = sorted((*self._blocks(tokens, prose), *self._stretches()), key=lambda block: block.start)
        found = list(self._with_rest(without_nested(found)))
        prose = _blank_out(
            prose, [Span(block.start, block.end) for block in found if block.kind is BlockKind.MARKUP]
        )
        return Parsed(
            tuple(with_paths(found)), prose, tuple(sorted(self._replacements, key=lambda replaced: replaced.start))
        )

    def _tokens(self) -> tuple[list[Token], dict[str, Any]]:
        """The parser's tokens. Indented prose, as in a list whose marks were cut off, is dedented first."""
        while True:
            env: dict[str, Any] = {}
            lines = [
                _TEMPLATE.sub(_word, encodable(line)) if "{" in line else line for line in self._prepared.lines
            ]
            tokens = PARSER.parse("\n".join(lines), env)
            indented = [token.map for token in tokens if token.type == "code_block" and token.map]
            prose = [(first, end) for first, end in indented if self._is_prose(first, end)]
            for first, end in prose:
                for number in range(first, end):
                    self._dedent(number)
            if not prose:
                return tokens, env

    def _is_prose(self, first: int, end: int) -> bool:
        """True if indented lines are Markdown, not code: they contain a fence or full sentences."""
        lines = self._prepared.lines[first:end]
        if not all(line.startswith("    ") for line in lines if line.strip()):
            return False
        if any(_FENCE_IN_CODE.match(line) for line in lines):
            return True
        text = " ".join(line.strip() for line in lines).strip()
        if len(text.split()) < 5 or not _PROSE.match(text):
            return False
        return sum(character.isalpha() or character == " " for character in text) >= 0.85 * len(text)

    def _dedent(self, number: int) -> None:
        line = self._prepared.lines[number]
        cut = min(_INDENT, len(line) - len(line.lstrip(" ")))
        self._prepared.lines[number] = line[cut:]
        self._prepared.shifts[number] += cut

    def _note_templates(self) -> None:
        """Record all templating, including templating in code."""
        for number, line in enumerate(self._prepared.lines):
            if "{" in line:
                start = self._lines.spans[number].start + self._prepared.shifts[number]
                self._templates += [
                    Span(start + template.start(), start + template.end())
                    for template in _TEMPLATE.finditer(encodable(line))
                ]

    # --- inline --------------------------------------------------------------------------------

    def _inline(self, tokens: Sequence[Token], env: dict[str, Any]) -> None:
        """Record the markup within paragraphs, headings and cells."""
        reached: dict[int, int] = {}
        for token in tokens:
            if token.type != "inline" or not token.map:
                continue
            places = self._places(token, reached)
            if not any(sign in token.content for sign in "*_[<`\\!"):
                continue
            env.update(marks=[], emphasis=[], code=[], replacements=[])
            PARSER.inline.parse(token.content, PARSER, env, [])
            marks = [
                *env["marks"],
                *((at, at + 1) for mark, at in env["emphasis"] if mark.type != "text" or not mark.content),
            ]
            self._markup += [span for start, end in marks for span in _spans_of(places, start, end)]
            self._code += [span for start, end in env["code"] for span in _spans_of(places, start, end)]
            self._replacements += [
                Replacement(span.start, span.end, instead, joins)
                for start, end, instead, joins in env["replacements"]
                for span in _spans_of(places, start, end)
            ]

    def _places(self, token: Token, reached: dict[int, int]) -> list[tuple[int, int, int]]:
        """Map the lines of an inline token to the text: (start in the token, end in the token, start in the text).

        A line that the parser changed is not found and is left out; its markup stays in the prose.
        """
        first = token.map[0] if token.map else 0
        found, at = [], 0
        for offset, content in enumerate(token.content.split("\n")):
            number = first + offset
            if number < len(self._prepared.lines):
                inner = content.strip()
                place = self._prepared.lines[number].replace("\0", "\ufffd")
                if "{" in place:
                    place = _TEMPLATE.sub(_word, encodable(place))
                place_at = place.find(inner, reached.get(number, 0))
                if place_at != -1:
                    reached[number] = place_at + len(inner)
                    lead = len(content) - len(content.lstrip())
                    start = self._lines.spans[number].start + self._prepared.shifts[number] + place_at
                    found.append((at + lead, at + lead + len(inner), start))
            at += len(content) + 1
        return found

    # --- markup --------------------------------------------------------------------------------

    def _mark_block(self, token: Token) -> None:
        """Record the markup of a block, and code."""
        if not token.map:
            return
        first, end = token.map
        if token.type == "heading_open":
            self._mark_heading(token, first, end)
        elif token.type == "fence":
            self._mark_fence(token, first, end)
        elif token.type == "code_block":
            self._code.append(self._lines.stretch(first, end))
        elif token.type == "table_open":
            self._mark_table(first, end)
        elif token.type == "blockquote_open":
            for number in range(first, end):
                quotation = self._lines.quotation(number)
                if quotation:
                    self._markup.append(quotation)
        elif token.type == "list_item_open":
            match = _TASK.match(self._lines.written[first])
            if match:
                self._markup.append(self._lines.within(first, match.start(1), match.end(1)))
        elif token.type == "hr":
            self._markup.append(self._lines.stretch(first, end))

    def _mark_heading(self, token: Token, first: int, end: int) -> None:
        if token.markup.startswith("#"):
            line = self._lines.written[first]
            start = line.find("#")
            self._markup.append(self._lines.within(first, start, start + len(token.markup)))
            behind = len(line.rstrip().rstrip("#"))
            if behind > start + len(token.markup) and line[behind - 1] in " \t":
                self._markup.append(self._lines.within(first, behind, len(line)))
        else:
            self._markup.append(self._lines.spans[end - 1])

    def _mark_fence(self, token: Token, first: int, end: int) -> None:
        self._code.append(self._lines.stretch(first, end))
        start = self._lines.written[first].find(token.markup)
        self._markup.append(self._lines.within(first, max(0, start), len(self._lines.written[first])))
        last = self._lines.written[end - 1].strip(" \t>")
        if end - 1 > first and last.startswith(token.markup) and not last.strip(token.markup[0]):
            self._markup.append(self._lines.spans[end - 1])

    def _mark_table(self, first: int, end: int) -> None:
        for number in range(first, end):
            line = self._lines.written[number]
            if _TABLE_RULE.match(line):
                self._markup.append(self._lines.spans[number])
                continue
            self._markup += [
                self._lines.within(number, place, place + 1)
                for place, character in enumerate(line)
                if character == "|" and line[place - 1 : place] != "\\"
            ]

    def _mark_stretch(self, stretch: Stretch) -> None:
        span = self._lines.stretch(stretch.first, stretch.last + 1)
        self._markup += [
            Span(span.start + tag.start(), span.start + tag.end())
            for tag in _HTML_TAG.finditer(encodable(self._text[span.start : span.end]))
            if self._text[span.start] == "<"
        ]
        if stretch.kind is BlockKind.CODE:
            self._code.append(span)

    def _mark_rest(self) -> None:
        """Record templating and other markup outside code."""
        code = sorted(self._code, key=lambda span: span.start)
        starts = [span.start for span in code]
        more = [Span(*match.span()) for match in _MORE_MARKUP.finditer(self._text)]
        for link in _WIKI_LINK.finditer(self._text) if "[[" in self._text else ():
            outer = (link.start(), link.end())
            parts = [outer] if link["image"] else [(outer[0], link.start("words")), (link.end("words"), outer[1])]
            more += [Span(*part) for part in parts]
        entities = [Span(*match.span()) for match in _ENTITY.finditer(self._text)]
        for span in (*self._templates, *more, *entities):
            at = bisect_right(starts, span.start) - 1
            if at < 0 or code[at].end <= span.start:
                self._note_rest(span)

    def _note_rest(self, span: Span) -> None:
        written = self._text[span.start : span.end]
        if not written.startswith("&") or written in _HARD_SPACES:
            self._markup.append(span)
        shown = unescape(written) if written.startswith("&") else ""
        # Entities that decode to a tag, and components, are shown as written.
        if not written.startswith("<") and shown not in ("<", ">", written):
            self._replacements.append(
                Replacement(
                    span.start,
                    span.end,
                    shown.replace("\xa0", " "),
                    written.startswith(("[", "]")) and "^" not in written[:2],
                )
            )

    def _unfilled(self, tokens: Sequence[Token]) -> list[Span]:
        """The spans of sentences that end in an unfilled template value, and so state nothing."""
        hidden = [*self._markup, *self._code]
        values = [
            span
            for span in self._templates
            if self._text.startswith("{{", span.start)
            and not any(outer.start <= span.start < outer.end for outer in hidden)
        ]
        found: list[Span] = []
        for opened, token in pairwise(tokens) if values else ():
            if opened.type != "paragraph_open" or not token.map:
                continue
            stretch = self._lines.stretch(*token.map)
            inside = [span for span in values if stretch.start <= span.start < stretch.end]
            for sentence in sentences(self._text[stretch.start : stretch.end]) if inside else ():
                start, end = stretch.start + sentence.start, stretch.start + sentence.end
                behind = max((span.end for span in inside if start <= span.start < end), default=end + 1)
                if behind <= end and self._text[behind:end].strip("*_`\"')]") in _STOPS:
                    found.append(Span(start, end))
        return found

    # --- blocks --------------------------------------------------------------------------------

    def _blocks(self, tokens: Sequence[Token], prose: str) -> Iterator[Block]:
        """The parser's blocks, including those in quotations."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            behind = _close(tokens, at)
            span = self._trim(token)
            if span is not None:
                match token.type:
                    case "heading_open":
                        yield self._heading(span, int(token.tag[1]), prose)
                    case "paragraph_open":
                        yield self._paragraph(span, prose)
                    case "bullet_list_open" | "ordered_list_open":
                        inner = [
                            inner_token for inner_token in tokens[at:behind] if inner_token.type == "list_item_open"
                        ]
                        items = [self._trim(item) for item in inner if item.level == token.level + 1]
                        yield from self._list(span, [item for item in items if item], prose)
                    case "table_open":
                        yield self._table(span, tokens[at:behind])
                    case "fence" | "code_block":
                        yield Block(BlockKind.CODE, span.start, span.end)
            at = at + 1 if token.type == "blockquote_open" else behind

    def _list(self, span: Span, items: Sequence[Span], prose: str) -> Iterator[Block]:
        """A list block; for a list of footnotes, one paragraph per footnote without its mark."""
        if self._lines.numbers(span).start not in self._prepared.footnotes:
            titles = [self._title_of_item(item) for item in items]
            if not items or None in titles:
                yield Block(BlockKind.LIST, span.start, span.end, items=tuple(items))
                return
            for item, title in zip(items, titles, strict=True):
                if title is not None:
                    yield self._heading(title, _LOWEST_LEVEL, prose)
                    yield self._paragraph(self._lines.tight(Span(title.end, item.end)) or title, prose)
            return
        for item in items:
            words = prose[item.start : item.end].lstrip()
            if words:
                yield self._paragraph(Span(item.end - len(words), item.end), prose)

    def _title_of_item(self, item: Span) -> Span | None:
        """The span of a numbered section title read as a list item, as in minutes; None for a real item.

        A title is short and ends no sentence; the next line begins one and is not indented.
        """
        lines = self._lines.numbers(item)
        if len(lines) < 2:
            return None
        first, second = (self._lines.written[number] for number in lines[:2])
        is_title = _NUMBERED_TITLE.match(first) is not None
        return self._lines.tight_line(lines[0]) if is_title and second[:1].isupper() else None

    def _heading(self, span: Span, level: int, prose: str) -> Block:
        title = unescape(" ".join(prose[span.start : span.end].split()))
        kind = BlockKind.HEADING if title else BlockKind.MARKUP
        return Block(kind, span.start, span.end, level=level if title else 0, title=title)

    def _paragraph(self, span: Span, prose: str) -> Block:
        written = prose[span.start : span.end]
        if not any(map(str.isalnum, written)):
            return Block(BlockKind.MARKUP, span.start, span.end)
        heading = _HTML_HEADING.match(self._text[span.start : span.end])
        if heading:
            return self._heading(span, int(heading[1]), prose)
        if _BOLD_QUESTION.fullmatch(self._text[span.start : span.end]):
            return self._heading(span, _LOWEST_LEVEL, prose)
        lines = [self._lines.tight_line(number) for number in self._lines.numbers(span)]
        if all(self._text[line.start : line.start + 1] == "|" for line in lines):
            rows = [line for line in lines if not _TABLE_RULE.match(self._text[line.start : line.end])]
            return Block(BlockKind.TABLE, span.start, span.end, items=tuple(rows))
        return paragraph(span.start, span.end, written)

    def _table(self, span: Span, tokens: Sequence[Token]) -> Block:
        rows = [row.map for row in tokens if row.type == "tr_open" and row.map]
        head = next((head.map for head in tokens if head.type == "thead_open" and head.map), None)
        if head is None:
            return Block(BlockKind.TABLE, span.start, span.end)
        body = [self._lines.tight_line(first) for first, _ in rows if first > head[0] + 1]
        header = Span(self._lines.tight_line(head[0]).start, self._lines.tight_line(head[0] + 1).end)
        return Block(BlockKind.TABLE, span.start, span.end, items=tuple(body), header=header)

    def _stretches(self) -> Iterator[Block]:
        for stretch in self._prepared.stretches:
            span = self._lines.tight(self._lines.stretch(stretch.first, stretch.last + 1))
            if span is None:
                continue
            if stretch.kind is not BlockKind.TABLE:
                yield Block(stretch.kind, span.start, span.end)
                continue
            if stretch.rows:
                lines = [self._lines.tight(self._lines.stretch(first, last + 1)) for first, last in stretch.rows]
                yield Block(stretch.kind, span.start, span.end, items=tuple(line for line in lines if line))
                continue
            found = list(_HTML_ROW.finditer(encodable(self._text), span.start, span.end))
            rows = [Span(*match.span()) for match in found]
            headed = len(rows) > 1 and "<td" not in found[0].group().lower()
            header = rows[0] if headed else None
            yield Block(stretch.kind, span.start, span.end, items=tuple(rows[1 if headed else 0 :]), header=header)

    def _with_rest(self, found: Sequence[Block]) -> Iterator[Block]:
        """The blocks in order, plus a markup block for each run of lines outside them."""
        reached = 0
        for block in (*found, None):
            end = block.start if block is not None else len(self._text)
            # The part of a block's first line before the block is a quote mark or indentation.
            line = bisect_right(self._lines.spans, end, key=lambda span: span.start) - 1
            stop = self._lines.spans[line].start if block is not None and line >= 0 else end
            gap = [
                self._lines.tight(self._lines.spans[number])
                for number in self._lines.numbers(Span(reached, max(reached, stop)))
            ]
            for empty, run in groupby(gap, key=lambda span: span is None):
                spans = [span for span in run if span is not None and span.start >= reached]
                if not empty and spans:
                    yield Block(BlockKind.MARKUP, spans[0].start, spans[-1].end)
            if block is not None:
                yield block
                reached = block.end

    def _trim(self, token: Token) -> Span | None:
        """The span of a parser's block; None if it has no words."""
        if not token.map or token.map[0] >= len(self._lines.spans):
            return None
        first, end = token.map[0], min(token.map[1], len(self._lines.spans))
        # The parser counts trailing lines that were hidden from it as part of a list; drop them.
        while end > first + 1 and not self._prepared.lines[end - 1].strip():
            end -= 1
        return self._lines.tight(self._lines.stretch(first, end))


def _word(match: re.Match[str]) -> str:
    return "x" * len(match.group())


def _spans_of(places: Sequence[tuple[int, int, int]], start: int, end: int) -> Iterator[Span]:
    """Translate a span of an inline token into spans of the text."""
    for begin, stop, place in places:
        first, last = max(start, begin), min(end, stop)
        if first < last:
            yield Span(place + first - begin, place + last - begin)


def _close(tokens: Sequence[Token], at: int) -> int:
    """The index after the token, or after the token that closes it."""
    if tokens[at].nesting != 1:
        return at + 1
    depth = 0
    for behind in range(at, len(tokens)):
        depth += tokens[behind].nesting
        if not depth:
            return behind + 1
    return len(tokens)


def _blank_out(text: str, spans: Sequence[Span]) -> str:
    """The text with the spans replaced by spaces; line ends stay."""
    parts, at = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        if span.end <= at:
            continue
        start = max(at, span.start)
        parts += [text[at:start], _NOT_NEWLINE.sub(" ", text[start : span.end])]
        at = span.end
    return "".join((*parts, text[at:]))
