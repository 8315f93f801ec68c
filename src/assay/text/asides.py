"""What stands in a Markdown text besides its sentences: front matter, comments, definitions, code, quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from assay.text.sentence_stream import CODE_BLOCK
from assay.types import Span


class Role(Enum):
    """What a stretch of a text is: the author's own sentence, another's words, markup, or tags of HTML's blocks."""

    SENTENCE = "sentence"
    QUOTED = "quoted"
    MARKUP = "markup"
    TAGS = "tags"


@dataclass(frozen=True, slots=True)
class Aside:
    """A stretch of a text from `start` to `end` that is none of its own sentences."""

    start: int
    end: int
    role: Role = Role.MARKUP


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a text, from `start`, without its line break."""

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
        """How far its first word is indented; a tab goes to the next fourth column."""
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
# A line beside which another one stands by itself: a blank one, a heading, code.
_ALONE = re.compile(rf"\s*\Z|[ \t]*#{{1,6}}\s|{_CODE_LINE.pattern}\Z")
_ENDS_SENTENCE = (".", "!", "?", "…", "。", "！", "？", "]", ")", "|", "⚠")


def asides(text: str) -> tuple[Aside, ...]:
    """The asides of a text in order, without overlap; fenced code is no aside, and nothing in it is.

    Indented code is told as CommonMark tells it, but only where a blank line or the end follows it: a paragraph may
    indent its first line. A comment inside a sentence is a part of it.

    >>> text = "It rained.\\n\\n> So they say.\\n\\n[^1]: The weather office.\\n"
    >>> [(text[each.start : each.end], each.role.value) for each in asides(text)]
    [('> So they say.', 'quoted'), ('[^1]: The weather office.', 'markup')]
    """
    front = _front_matter(text)
    seen = CODE_BLOCK.sub(_hidden, text) if "```" in text or "~~~" in text else text
    seen = _without(seen, front)
    comments = list(_comments(seen))
    lines = _lines(_without(seen, comments))
    found = [*front, *comments, *_by_line(lines), *_indented(lines)]
    return tuple(sorted(found, key=lambda each: each.start))


def blanked(text: str, spans: Sequence[Span]) -> str:
    """The text with spaces for these stretches, place for place; line breaks stay.

    >>> blanked("<!-- a\\nb --> It rained.", [Span(0, 12)])
    '      \\n      It rained.'
    """
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], re.sub(r"[^\n]", " ", text[span.start : span.end])]
        at = span.end
    return "".join([*parts, text[at:]])


def code_in(text: str) -> tuple[Span, ...]:
    """The code of a text in order: fenced and indented blocks, list items and lines of code between backticks.

    A fence that nothing closes opens no block here: what follows it would be code to the end of the text. Code
    within a sentence or a paragraph is a part of that.

    >>> text = "It is set:\\n\\n`rain = 1`\\n\\nSee `rain`.\\n\\n```\\nrain = 2\\n```\\n"
    >>> [text[each.start : each.end] for each in code_in(text)]
    ['`rain = 1`', '```\\nrain = 2\\n```']
    """
    if "`" not in text and "~~~" not in text and _MAY_INDENT.search(text) is None:
        return ()
    blocks = [Span(*each.span()) for each in CODE_BLOCK.finditer(text) if _is_closed(each)]
    lines = _lines(blanked(text, blocks))
    indented = [Span(each.start, each.end) for each in _indented(lines)]
    return tuple(sorted((*blocks, *indented, *_code_lines(lines)), key=lambda each: each.start))


def _is_closed(block: re.Match[str]) -> bool:
    _first, *others = block.group().splitlines()
    return bool(others) and others[-1].lstrip().startswith(block["fence"])


def _code_lines(lines: Sequence[_Line]) -> Iterator[Span]:
    """The lines that hold nothing but code between backticks, where no paragraph goes on over them."""
    for at, line in enumerate(lines):
        if not _CODE_LINE.fullmatch(line.text):
            continue
        begins = at == 0 or _ITEM.match(line.text) or _ALONE.match(lines[at - 1].text)
        last = at + 1 == len(lines)
        if begins and (last or _ALONE.match(lines[at + 1].text) or _ITEM.match(lines[at + 1].text)):
            yield Span(line.start, line.end)


def _hidden(block: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "x", block.group())


def _without(text: str, found: Sequence[Aside]) -> str:
    return blanked(text, [Span(each.start, each.end) for each in found]) if found else text


def _lines(text: str) -> list[_Line]:
    lines, at = [], 0
    for each in text.split("\n"):
        lines.append(_Line(at, each))
        at += len(each) + 1
    return lines


def _front_matter(text: str) -> list[Aside]:
    """The YAML between two rules at the very beginning; none where anything else stands there."""
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
    """The comments that begin a line, and those that end one behind a sentence."""
    at = 0
    while (start := text.find("<!--", at)) != -1 and (close := text.find("-->", start + 4)) != -1:
        at = close + 3
        line_end = text.find("\n", at)
        before = text[text.rfind("\n", 0, start) + 1 : start].strip()
        behind = text[at : len(text) if line_end == -1 else line_end].strip()
        if not before or (not behind and before.endswith(_ENDS_SENTENCE)):
            yield Aside(start, at)


def _by_line(lines: Sequence[_Line]) -> Iterator[Aside]:
    """Quotes, and definitions with the indented lines behind them."""
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


def _indented(lines: Sequence[_Line]) -> Iterator[Aside]:
    """Blocks of indented code; in a list, what is indented that far beyond the words of its item."""
    if all(line.indent >= _CODE_INDENT for line in lines if not line.is_blank):
        return  # a whole text that is indented is no code
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
