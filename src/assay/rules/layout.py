"""The layout of an answer: prose, lists and headings; and its sentences with the marks that belong to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from assay.nlp.citations import without_marks
from assay.nlp.sentences import sentences
from assay.nlp.tokens import UNSPACED, word_spans
from assay.types import Citation, Span

Layout = Literal["prose", "list", "heading"]
_ITEM = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+(?=\S)")
_HEADING = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<marked>.*?)[ \t#]*|\*\*(?P<bold>[^*\n]+)\*\*:?[ \t]*)\Z")
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")
_QUESTION = re.compile(r"[?？][\"'”’»)\]*_\s]*\Z")
# Words of Chinese and Japanese are about two characters long, so two count as a word.
_CHARACTERS_A_WORD = 2


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of one layout without outer white space; `items` are the points of a list without their marks."""

    start: int
    end: int
    kind: Layout
    items: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, the citation marks behind it included; `plain` has spaces for the marks inside."""

    start: int
    end: int
    plain: str
    marks: int


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a text in order. A blank line ends prose; the points of a list may have one between them.

    >>> [block.kind for block in blocks("# Tea\\nIt is hot.\\n- black\\n\\n- green\\n\\nDrink it.")]
    ['heading', 'prose', 'list', 'prose']
    """
    open_blocks: list[_OpenBlock] = []
    continues = False
    for match in _LINE.finditer(text):
        line = match.group().rstrip()
        if not line.strip():
            continues = False
            continue
        start = match.start() + len(line) - len(line.lstrip())
        end = match.start() + len(line)
        last = open_blocks[-1] if open_blocks else None
        if _HEADING.match(line):
            open_blocks.append(_OpenBlock(start, end, "heading"))
            continues = False
        elif item := _ITEM.match(line):
            if last is None or last.kind != "list":
                open_blocks.append(_OpenBlock(start, end, "list"))
            open_blocks[-1].start_item(match.start() + item.end(), end)
            continues = True
        elif continues and last is not None:
            last.extend_to(end)
        else:
            open_blocks.append(_OpenBlock(start, end, "prose"))
            continues = True
    return tuple(Block(block.start, block.end, block.kind, tuple(block.items)) for block in open_blocks)


@dataclass(slots=True)
class _OpenBlock:
    """A block whose end is not found yet."""

    start: int
    end: int
    kind: Layout
    items: list[Span] = field(default_factory=list)

    def start_item(self, start: int, end: int) -> None:
        """Add a point to the list."""
        self.items.append(Span(start, end))
        self.end = end

    def extend_to(self, end: int) -> None:
        """Add a line, which continues the last point of a list."""
        if self.items:
            self.items[-1] = Span(self.items[-1].start, end)
        self.end = end


def heading_text(line: str) -> str | None:
    """The words of a heading line; None for any other line.

    >>> heading_text("## Prices ##"), heading_text("**Prices**"), heading_text("Prices rose.")
    ('Prices', 'Prices', None)
    """
    match = _HEADING.match(line.rstrip())
    return None if match is None else (match["marked"] or match["bold"] or "").strip()


def is_question(text: str) -> bool:
    """True if a text ends as a question does."""
    return _QUESTION.search(text) is not None


def word_count(text: str) -> int:
    """Number of words of a text; two characters of a script without spaces count as one.

    >>> word_count("It's 3,5 km"), word_count("東京です。")
    (3, 2)
    """
    count = 0
    for span in word_spans(text):
        unspaced = _UNSPACED_RUN.match(text, span.start, span.end)
        count += -(-(span.end - span.start) // _CHARACTERS_A_WORD) if unspaced else 1
    return count


def statements(text: str, marks: Sequence[Citation] = ()) -> tuple[Statement, ...]:
    """The sentences of a text that hold a word; a mark belongs to the sentence that it stands in or behind.

    >>> from assay.nlp.citations import citations
    >>> text = "It rained. [1] It froze."
    >>> [(text[s.start : s.end], s.marks) for s in statements(text, citations(text))]
    [('It rained. [1]', 1), ('It froze.', 0)]
    """
    plain = without_marks(text, marks)
    spans = [span for span in sentences(plain) if next(word_spans(plain[span.start : span.end]), None)]
    found: list[Statement] = []
    at = 0
    for n, span in enumerate(spans):
        follows = spans[n + 1].start if n + 1 < len(spans) else len(text)
        end, count = span.end, 0
        while at < len(marks) and marks[at].start < follows:
            count, end, at = count + 1, max(end, marks[at].end), at + 1
        found.append(Statement(span.start, end, plain[span.start : span.end], count))
    return tuple(found)


# Words and phrases found as words: never inside another word, across one line break, in any script.


# Between the words of a phrase: white space with at most one line break, or a hyphen.
_GAP = r"(?:[^\S\n]+(?:\n[^\S\n]*)?|\n[^\S\n]*|[-‐])"
# A letter or digit of a script that puts spaces between words; in the others a word begins anywhere.
_LETTER = rf"[^\W{UNSPACED}]"
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_APOSTROPHE = re.compile(r"['’]")


def phrase_spans(text: str, phrases: tuple[str, ...], *, case: bool = False) -> tuple[Span, ...]:
    """The places of the phrases in order, without overlap, the longest if several begin; case counts if asked.

    >>> text = "Start an ART show: state-of-the-art."
    >>> [text[s.start : s.end] for s in phrase_spans(text, ("art", "art show"))]
    ['ART show', 'art']
    """
    return tuple(Span(*match.span()) for match in _compiled(phrases, case).finditer(text)) if phrases else ()


def has_phrase(text: str, phrases: tuple[str, ...], *, case: bool = False) -> bool:
    """True if one of the phrases occurs in the text."""
    return bool(phrases) and _compiled(phrases, case).search(text) is not None


def is_same_phrase(one: str, other: str, *, case: bool = False) -> bool:
    """True if two phrases are equal apart from white space, and from case unless it counts."""
    first, second = " ".join(one.split()), " ".join(other.split())
    return first == second if case else first.casefold() == second.casefold()


def quoted_list(phrases: tuple[str, ...]) -> str:
    """The phrases as a list in a sentence.

    >>> quoted_list(("delve", "tapestry", "realm of"))
    '"delve", "tapestry" or "realm of"'
    """
    quoted = [f'"{phrase}"' for phrase in phrases]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


@lru_cache(maxsize=256)
def _compiled(phrases: tuple[str, ...], case: bool) -> re.Pattern[str]:
    longest_first = sorted(
        {" ".join(phrase.split()) for phrase in phrases}, key=lambda phrase: (-len(phrase), phrase)
    )
    return re.compile("|".join(map(_bounded, longest_first)), 0 if case else re.IGNORECASE)


def _bounded(phrase: str) -> str:
    words = (_APOSTROPHE.sub("['’]", re.escape(word)) for word in phrase.split())
    before = f"(?<!{_LETTER})" if _needs_bound(phrase[0]) else ""
    after = f"(?!{_LETTER})" if _needs_bound(phrase[-1]) else ""
    return f"{before}{_GAP.join(words)}{after}"


def _needs_bound(edge: str) -> bool:
    return (edge.isalnum() or edge == "_") and not _UNSPACED.match(edge)


# The lines of rules and their keys in a TOML file; the standard library's reader does not give them.


_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""' r"|'''.*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*rule[ \t]*\]\]", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n]")


def rule_lines(text: str) -> tuple[int, ...]:
    """The line of each rule, from 1, in order: of its `[[rule]]`.

    >>> rule_lines("[[rule]]\\nid = 'a'\\n\\n[[rule]]\\nmessage = '''\\n[[rule]]'''\\n")
    (1, 4)
    """
    bare = _without_strings(text)
    return tuple(bare.count("\n", 0, match.start()) + 1 for match in _HEADER.finditer(bare))


def key_line(text: str, first: int, last: int | None, key: str) -> int:
    """The line of a key between the lines `first` and `last`; `first` if it is not there."""
    lines = _without_comments(text).split("\n")[first - 1 : last]
    wanted = re.compile(rf"(?:^|[\s{{,.\[\"'])(?:{re.escape(key)})[\"']?\s*(?:=|\.|\])")
    return next((first + n for n, line in enumerate(lines) if wanted.search(line)), first)


def _without_strings(text: str) -> str:
    return _STRING_OR_COMMENT.sub(lambda match: _NOT_LINE_END.sub(" ", match.group()), text)


def _without_comments(text: str) -> str:
    """The text without comments and with empty strings of more than one word: keys may be quoted, prose is none."""

    def blank(match: re.Match[str]) -> str:
        written = match.group()
        prose = written.startswith("#") or " " in written or "\n" in written
        return _NOT_LINE_END.sub(" ", written) if prose else written

    return _STRING_OR_COMMENT.sub(blank, text)
