"""Cut a finished text into sentences that can be changed one by one and joined again."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from assay.nlp.citations import HEDGE_MARK, Names, citations, render
from assay.nlp.cited_sentences import CODE_BLOCK, Numbered, SentenceCutter, with_brackets
from assay.nlp.markup import (
    Aside,
    Role,
    code_in,
    find_asides,
    is_balanced,
    outside_of_blocks,
    tags_of,
    without_tags,
)
from assay.types import Citation, Sentence, Span

# In-place changes to a written sentence: citations, white space and markup stay as they are.


_TOKEN = re.compile(r"\w+|\s|[^\w\s]")
# Between the citations of one list: [1], [2] and [3].
_BETWEEN = re.compile(r"[ \t]*+(?:(?:[,;]|and|und|et)[ \t]*+)?\Z")
_LAST_CELL = re.compile(r"(?<![ \t])[ \t]*+\|[ \t]*\Z")


def with_words_changed(written: str, before: str, after: str) -> str | None:
    """Apply to a written text the changes from `before`, the same text without citations, to `after`.

    None if a change affects a part that differs between `before` and the written text.

    >>> with_words_changed("- It opened [1] in **1931**, so they say [2].", "- It opened in **1931**, so they say.",
    ...     "- It opened in **1932**, so they say.")
    '- It opened [1] in **1932**, so they say [2].'
    """
    tokens, old, new = (_TOKEN.findall(text) for text in (written, before, after))
    at = _places(tokens, old)
    for tag, start, end, first, last in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        places = at[start:end] if end > start else at[max(0, start - 1) : max(1, start)]
        if not places or None in places:
            return None
        begin, stop = places[0], places[-1]
        assert begin is not None and stop is not None  # noqa: S101, PT018 - looked at above
        if end == start:  # insert after the preceding word
            begin, stop = (begin + 1, begin) if start else (begin, begin - 1)
        tokens[begin : stop + 1] = new[first:last]
    return "".join(tokens)


def _places(tokens: Sequence[str], part: Sequence[str]) -> list[int | None]:
    """The index in the text of each token of a part, or None."""
    found: list[int | None] = [None] * len(part)
    for block in SequenceMatcher(None, tokens, part, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            found[block.b + offset] = block.a + offset
    return found


def with_citations_changed(
    written: str, names: Names | Sequence[str], stays: Callable[[int], bool], added: Sequence[int]
) -> str:
    """Remove the citation numbers that do not stay, and add others after the last citation.

    A list of citations whose numbers all stay is left as written. If none is left, new ones go at the end, or into
    the last cell of a table row.

    >>> with_citations_changed("It rained [Source 1, 4]; it snowed [2].", (), lambda n: n in (1, 2), [3])
    'It rained [1]; it snowed [2] [3].'
    >>> with_citations_changed("It rained [1].", (), lambda n: n != 1, [2])
    'It rained [2].'
    >>> with_citations_changed("| rain | 5 mm |", (), bool, [3])
    '| rain | 5 mm [3] |'
    """
    lists = _lists(written, names)
    left = [tuple(dict.fromkeys(n for mark in marks for n in mark.numbers if stays(n))) for marks in lists]
    # If no old number stays, the new ones replace the last list.
    takes = max((at for at, numbers in enumerate(left) if numbers), default=len(lists) - 1)
    for at in reversed(range(len(lists))):
        marks, numbers = lists[at], left[at]
        place = Span(with_brackets(written, marks[0]).start, with_brackets(written, marks[-1]).end)
        all_stay = all(mark.numbers and all(map(stays, mark.numbers)) for mark in marks)
        stand = written[place.start : place.end] if all_stay else render(numbers)
        new = " ".join(part for part in (stand, render(added) if at == takes else "") if part)
        start = place.start if new else len(written[: place.start].rstrip(" \t"))
        written = written[:start] + new + written[place.end :]
    return written if lists or not added else at_end(written, render(added))


def at_end(written: str, sign: str) -> str:
    """Add a sign to the end of a written text, before trailing white space; in a table row, to the last cell.

    >>> at_end("It rained.\\n\\n", "⚠")
    'It rained. ⚠\\n\\n'
    """
    bare = written.rstrip()
    cell = _LAST_CELL.search(bare) if bare.lstrip().startswith("|") else None
    at = cell.start() if cell else len(bare)
    return f"{written[:at]} {sign}{written[at:]}"


def _lists(text: str, names: Names | Sequence[str]) -> list[list[Citation]]:
    """The citations of a text, grouped into lists."""
    lists: list[list[Citation]] = []
    for mark in citations(text, names):
        if lists and _BETWEEN.match(text[with_brackets(text, lists[-1][-1]).end : with_brackets(text, mark).start]):
            lists[-1].append(mark)
        else:
            lists.append([mark])
    return lists


_CODE = ("```", "~~~")
_RULE = re.compile(r"(?=[\s|:]*+-[\s:-]*+\|)[\s|:-]*+")
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|.*$", re.MULTILINE)
_WORDLESS = re.compile(r"[ \t]*[^\w\s|]+\s*")
# The start of a list item, including task items.
_ITEM = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"#{1,6}(?=[ \t])")
# The hedge mark after a sentence that another follows on the line.
_SIGN = re.compile(rf"[ \t]*{HEDGE_MARK}\ufe0f?(?!\S)")


@dataclass(frozen=True, slots=True)
class Segment:
    """One sentence as written, with the white space before it and its citations; `start` is its offset in the text.

    A segment with another `role` is not the author's sentence and is never changed. `in_html`: the text is HTML,
    whose tags are not part of the sentence.
    """

    written: str
    start: int
    sentence: Sentence
    role: Role = Role.SENTENCE
    in_html: bool = False

    @property
    def gap(self) -> str:
        """The white space before it; the indentation of an aside belongs to the aside."""
        gap = _gap(self.written)
        return gap if self.role is Role.SENTENCE else gap[: gap.rfind("\n") + 1]

    @property
    def stays(self) -> bool:
        """True if it must not be changed: code, markup, a quotation."""
        return self.role is not Role.SENTENCE or self.written.lstrip().startswith(_CODE)

    def keeps_tags(self, text: str) -> bool:
        """True if every HTML tag keeps its counterpart if the segment becomes this text, or is removed."""
        if not self.in_html:
            return True
        return tags_of(text) == tags_of(self.written) if text else is_balanced(self.written)

    @property
    def is_row(self) -> bool:
        """True if it is a table row."""
        return self.written.lstrip().startswith("|")

    @property
    def is_rule(self) -> bool:
        """True if it is the rule below a table's header."""
        return _RULE.fullmatch(self.written.strip()) is not None

    @property
    def item(self) -> str:
        """Its list mark with the white space after it; empty if it is no item."""
        found = _ITEM.match(self.written.lstrip()) if self.role is Role.SENTENCE else None
        return found.group() if found else ""

    @property
    def level(self) -> int:
        """Its heading level, 1 to 6; 0 if it is no heading."""
        found = _HEADING.match(self.written.lstrip())
        return len(found.group()) if found else 0


@dataclass(frozen=True, slots=True)
class Joined:
    """Segments joined to one text, and the span of each; a removed segment has an empty span.

    `handed`: removed segments whose list mark passed to the next segment.
    """

    text: str
    spans: tuple[Span, ...]
    handed: frozenset[int] = frozenset()


def cut(text: str, numbered: Numbered) -> tuple[Segment, ...]:
    """Cut a text into segments; joined, they are the text.

    Signs without words belong to the sentence before them on the line. HTML is cut at its blocks, whose opening and
    closing tags are fixed segments.

    >>> [segment.written for segment in cut("# Rain\\n\\nIt rained. [1]\\n\\n- Hail\\n", Numbered(()))]
    ['# Rain', '\\n\\nIt rained. [1]', '\\n\\n- Hail\\n']
    """
    tags = _tags(text)
    parts = list(_parts(text, numbered.names, tags))
    starts = accumulate((len(part.written) for part in parts), initial=0)
    in_html = bool(tags)
    # Numbering starts at 2: the line break before a first sentence does not count.
    return tuple(
        Segment(part.written, start, _read(n, part.written, numbered, in_html), part.role, in_html)
        for n, (part, start) in enumerate(zip(parts, starts, strict=False), 2)
    )


def _tags(text: str) -> list[Aside]:
    """The tags between HTML blocks, adjacent ones merged; tags in code or table rows are ignored."""
    tags = outside_of_blocks(text)
    if not tags:
        return []
    uncut = [*code_in(text), *(Span(*match.span()) for match in (*CODE_BLOCK.finditer(text), *_ROW.finditer(text)))]
    uncut.sort(key=lambda span: span.start)
    begun, ended = [span.start for span in uncut], list(accumulate((span.end for span in uncut), max))
    found: list[Aside] = []
    for tag in tags:
        at = bisect_right(begun, tag.start)
        if at and ended[at - 1] > tag.start:
            continue
        if found and not text[found[-1].end : tag.start].strip():
            found[-1] = replace(found[-1], end=tag.end)
        else:
            found.append(Aside(tag.start, tag.end, Role.TAGS))
    return found


def _read(number: int, written: str, numbered: Numbered, in_html: bool) -> Sentence:
    """Parse a written text as a sentence."""
    return numbered.sentence(number, without_tags(written) if in_html else written)


@dataclass(frozen=True, slots=True)
class _Part:
    """A span of text and its role."""

    written: str
    role: Role = Role.SENTENCE


def _parts(text: str, names: Names, tags: Sequence[Aside]) -> Iterator[_Part]:
    """The sentences, asides and block tags of a text, each with the white space before it."""
    at, found = 0, _with_outer_tags(find_asides(text), tags)
    for aside in found:
        prose = text[at : aside.start]
        bare = prose.rstrip()
        yield from map(_Part, _sentences(bare, names))
        at = aside.end if aside is not found[-1] or text[aside.end :].strip() else len(text)
        yield _Part(prose[len(bare) :] + text[aside.start : at], aside.role)
    yield from map(_Part, _sentences(text[at:], names))


def _with_outer_tags(found: Sequence[Aside], tags: Sequence[Aside]) -> list[Aside]:
    """The asides, and the tags outside them, in order."""
    begun = [aside.start for aside in found]
    outside = [tag for tag in tags if not _within(found, bisect_right(begun, tag.start) - 1, tag)]
    return sorted((*found, *outside), key=lambda aside: aside.start)


def _within(found: Sequence[Aside], at: int, tag: Aside) -> bool:
    """True if a tag overlaps the aside at this index or the next one."""
    begins = at >= 0 and tag.start < found[at].end
    return begins or (at + 1 < len(found) and found[at + 1].start < tag.end)


def _sentences(text: str, names: Names) -> list[str]:
    """The sentences of a piece of prose, each with the hedge mark after it."""
    cutter = SentenceCutter(names)
    unsigned = text.replace(HEDGE_MARK, " ")  # as the checks read it
    lengths = map(len, (*cutter.feed(unsigned), *cutter.end()))
    written: list[str] = []
    for start, end in pairwise(accumulate(lengths, initial=0)):
        sentence = text[start:end]
        sign = _SIGN.match(sentence)
        in_row = written and written[-1].lstrip().startswith("|") and not sentence.startswith("\n")
        if in_row or (written and _WORDLESS.fullmatch(sentence)):
            written[-1] += sentence
        elif written and sign:
            written[-1] += sign.group()
            written.append(sentence[sign.end() :])
        else:
            written.append(sentence)
    return written


def rewritten(piece: Segment, sentence: Sentence, numbered: Numbered, sign: str) -> str:
    """Rewrite a segment to match a changed sentence; unchanged parts stay as written, including citations.

    A new citation is `[n]` for passage n of `numbered`; a hedged sentence is followed by `sign`. Passages of
    `sentence` without a number are not cited.
    """
    number = {passage.passage_id: n for n, passage in enumerate(numbered.passages, 1)}
    ids = tuple(passage_id for passage_id in sentence.passage_ids if passage_id in number)
    wanted = replace(sentence, passage_ids=ids, hedged=False)
    made = _in_place(piece, wanted, numbered, number)
    if made is None or not _reads_as(made, wanted, numbered, piece.in_html):
        plain = piece.gap + wanted.text.strip() + piece.written[len(piece.written.rstrip()) :]
        made = with_citations_changed(plain, (), bool, [number[passage_id] for passage_id in ids])
        for mark in wanted.unknown_marks:
            made = at_end(made, mark)
    return at_end(made, sign) if sentence.hedged and sign not in made else made


def _in_place(piece: Segment, wanted: Sentence, numbered: Numbered, number: dict[str, int]) -> str | None:
    """Change the segment's words and citations in place; None if they cannot be separated."""
    written: str | None = piece.written
    if wanted.text != piece.sentence.text:
        written = with_words_changed(piece.written, piece.sentence.text, wanted.text)
    if written is None or (wanted.passage_ids, wanted.unknown_marks) == (
        piece.sentence.passage_ids,
        piece.sentence.unknown_marks,
    ):
        return written
    cited = {number[passage_id] for passage_id in wanted.passage_ids}
    known = {number[passage_id] for passage_id in piece.sentence.passage_ids}
    # Unknown citations stay only if all of them do.
    keeps = bool(wanted.unknown_marks)
    added = [number[passage_id] for passage_id in wanted.passage_ids if number[passage_id] not in known]
    return with_citations_changed(
        written, numbered.names, lambda n: n in cited or (keeps and n > len(number)), added
    )


def _reads_as(written: str, wanted: Sentence, numbered: Numbered, in_html: bool) -> bool:
    """True if the written text parses as the wanted sentence."""
    read = _read(wanted.number, written, numbered, in_html)
    same = read.text.strip() == wanted.text.strip() and read.unknown_marks == wanted.unknown_marks
    return same and set(read.passage_ids) == set(wanted.passage_ids)


def joined(pieces: Sequence[Segment], texts: Sequence[str]) -> Joined:
    """Join the new texts of the segments to one text; an empty one is removed.

    If a removed segment began a paragraph, line or list item, the next segment begins it instead, unless it begins
    one of its own.

    >>> pieces = cut("It rained. It snowed.\\n\\n- It froze. It thawed.\\n", Numbered(()))
    >>> joined(pieces, ["", pieces[1].written, "", pieces[3].written]).text
    'It snowed.\\n\\n- It thawed.\\n'
    """
    parts: list[str] = []
    spans: list[Span] = []
    handed: set[int] = set()
    at, left, opened = 0, None, None
    for n, (piece, text) in enumerate(zip(pieces, _without_shells(pieces, texts), strict=True)):
        if piece.role is Role.TAGS:
            left = opened = None
        continues = opened is not None and _goes_on(piece, pieces[opened].item)
        if n and "\n" in piece.gap and not continues:  # the next segment begins its own line
            opened = None
        if not text and piece.written:
            left = piece.gap if left is None else _wider(left, piece.gap, first=not any(parts))
            opened = n if piece.item else opened
        elif left is not None and text:
            gap = piece.gap if piece.stays else _gap(text)
            item = "" if opened is None else pieces[opened].item
            handed |= set() if opened is None else {opened}
            text = _wider(left, "" if continues else gap, first=not any(parts)) + item + text[len(gap) :]
            left = opened = None
        if not text and n == len(pieces) - 1:
            text = piece.written[len(piece.written.rstrip()) :]  # keep the text's trailing white space
        parts.append(text)
        spans.append(Span(at, at + len(text)))
        at += len(text)
    return Joined("".join(parts), tuple(spans), frozenset(handed))


def _goes_on(piece: Segment, item: str) -> bool:
    """True if a segment at the start of a line continues the list item before it: indented, and no item itself."""
    indent = piece.gap.rpartition("\n")[2].expandtabs(4)
    return "\n" in piece.gap and not piece.item and not piece.stays and len(indent) >= min(len(item), 2)


def _gap(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _wider(one: str, other: str, *, first: bool = False) -> str:
    """The gap with more line breaks: the second on a tie, for its indentation, but the first if that has none."""
    if first or "\n" not in other:
        return one
    return one if one.count("\n") > other.count("\n") else other


# Blocks whose tags are removed with their content; those of cells stay.
_SHELL = "li|p|dd|dt|ul|ol|dl|blockquote"
_OPENED = re.compile(rf"(?<!\s)\s*+<(?P<name>{_SHELL})(?:\s[^<>]*)?>\s*+\Z", re.IGNORECASE)


def _without_shells(pieces: Sequence[Segment], texts: Sequence[str]) -> list[str]:
    """Remove the tags of HTML blocks that have lost their last sentence."""
    made = list(texts)
    emptied: list[int] = []  # the tags before removed sentences
    before, removed = -1, False
    for n, piece in enumerate(pieces):
        if piece.role is Role.TAGS:
            if before >= 0 and removed:
                emptied.append(before)
            before, removed = n, False
        elif made[n]:
            before = -1
        else:
            removed = removed or bool(piece.written.strip())
    for at in emptied:
        behind = next(n for n in range(at + 1, len(pieces)) if pieces[n].role is Role.TAGS)
        while (opened := _OPENED.search(made[at])) is not None:
            closing = re.match(rf"\s*</{opened['name']}\s*>", made[behind], re.IGNORECASE)
            if closing is None and opened["name"].lower() not in ("li", "p", "dd", "dt"):
                break  # only these may lack an end tag
            made[at] = made[at][: opened.start()]
            made[behind] = made[behind][closing.end() :] if closing else made[behind]
    return made
