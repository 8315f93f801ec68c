"""The blocks of a text, its prose without markup, and the blocks to show around a span."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from assay.nlp.block import Block, BlockKind, Parsed, is_identifier, paragraph, with_paths
from assay.nlp.indented import indented_blocks, is_indented, set_out, without_hyphens
from assay.nlp.markdown import parse_markdown
from assay.types import Passage, Span, TitledText

# Blocks of plain text, as the loaders of HTML, Word, PDF and tables write it.


_ITEM = re.compile(r"[ \t]*(?:[-*•◦▪‣–]|\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+\S")
_LINE = re.compile(r"[^\n]+")
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")
# Ends the title of a section that was too long, after a blank.
SHORTENED = "…"
# The number of a section before its words.
_SECTION_NUMBER = re.compile(r"\A\W*(?:[A-Z]\.|\d{1,2})(?:\.\d{1,2}){0,4}[.):]?(?=\s+[^\W\d])")
_CELLS = re.compile(r"[ \t]*\|[ \t]*")
_NAMED_CELL = re.compile(r"[^:;\n]{1,80}: [^\n]")
# So many lines of names and values are the head of an entry at most (chosen).
_MOST_NAMED = 4
# Titles of sections are cut to this length (ingest/split.py).
_LONGEST_TITLE = 120
# Formats whose every line is a row.
_ROWS = frozenset(("csv", "xlsx"))
_LONGEST_HEADING = 80
# The signs that docutils recommends for the lines under and over titles.
_DRAWN = frozenset("=-`:.'\"~^_*+#<>")


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring lines of one kind; `apart`: a blank line precedes them."""

    kind: BlockKind
    lines: tuple[Span, ...]
    apart: bool


def parse_plain(text: str, format: str) -> Parsed:
    """Parse plain text by blank lines, item marks and rows; only the bars between cells are markup.

    >>> parsed = parse_plain("Prices:\\n- tea\\n- milk\\n\\nCity | People\\nUlm | 126000", "html")
    >>> [block.kind.value for block in parsed.blocks]
    ['paragraph', 'list', 'table']
    """
    groups = _join_lists(_groups(text, format))
    found: list[Block] = []
    title: tuple[str, ...] = ()
    for number, group in enumerate(groups):
        following = groups[number + 1] if number + 1 < len(groups) else None
        block = _block(text, group)
        if _is_heading(text, group, following):
            words = " ".join(text[block.start : block.end].split())
            found.append(replace(block, kind=BlockKind.HEADING, level=1, title=words))
            title = (words,)
        else:
            found.append(replace(block, path=title))
    return Parsed(tuple(found), _without_bars(text, found))


def _groups(text: str, format: str) -> Iterator[_Group]:
    """Group the non-blank lines by kind."""
    lines: list[Span] = []
    kind, apart, end = BlockKind.PARAGRAPH, True, 0
    for match in _LINE.finditer(text):
        line = match.group()
        if not line.strip():
            continue
        start = match.start() + len(line) - len(line.lstrip())
        span = Span(start, match.start() + len(line.rstrip()))
        blank = text.count("\n", end, start) > 1
        following = _kind(line, kind if lines and not blank else None, format)
        if lines and (blank or following is not kind):
            yield _Group(kind, tuple(lines), apart)
            lines, apart = [], blank
        lines.append(span)
        kind, end = following, span.end
    if lines:
        yield _Group(kind, tuple(lines), apart)


def _kind(line: str, before: BlockKind | None, format: str) -> BlockKind:
    """The kind of a line; `before` is the kind of the line directly above."""
    if format in _ROWS:
        return BlockKind.TABLE
    if _ITEM.match(line):
        return BlockKind.LIST
    if " | " in line or (before is BlockKind.TABLE and _NAMED_CELL.match(line.lstrip())):
        return BlockKind.TABLE
    # A line directly below an item continues it.
    return BlockKind.LIST if before is BlockKind.LIST else BlockKind.PARAGRAPH


def _join_lists(groups: Iterable[_Group]) -> list[_Group]:
    """Join lists separated by blank lines only: loaders separate an inner list from its outer one."""
    found: list[_Group] = []
    for group in groups:
        last = found[-1] if found else None
        if last is not None and last.kind is group.kind is BlockKind.LIST:
            found[-1] = replace(last, lines=(*last.lines, *group.lines))
        else:
            found.append(group)
    return found


def _block(text: str, group: _Group) -> Block:
    start, end = group.lines[0].start, group.lines[-1].end
    match group.kind:
        case BlockKind.LIST:
            return Block(group.kind, start, end, items=tuple(_items(text, group.lines)))
        case BlockKind.TABLE:
            header = group.lines[0] if len(group.lines) > 1 and _is_header(text, group.lines[0]) else None
            return Block(group.kind, start, end, items=group.lines[1 if header else 0 :], header=header)
        case _:
            return paragraph(start, end, text[start:end])


def _items(text: str, lines: tuple[Span, ...]) -> Iterator[Span]:
    """The items of a list, each with its continuation lines."""
    last = lines[0]
    for line in lines[1:]:
        if _ITEM.match(text, line.start):
            yield last
            last = line
        else:
            last = Span(last.start, line.end)
    yield last


def _is_header(text: str, line: Span) -> bool:
    """Tell whether a table's first row names its columns: at least two cells, none of them a number."""
    cells = [cell for cell in _CELLS.split(text[line.start : line.end]) if cell]
    return len(cells) > 1 and not any(
        cell.strip("%€$£ ").replace(",", "").replace(".", "").isdigit() for cell in cells
    )


def _is_heading(text: str, group: _Group, following: _Group | None) -> bool:
    """Tell whether a line on its own is a heading: short, capitalised, no full stop, above something longer."""
    if group.kind is not BlockKind.PARAGRAPH or len(group.lines) > 1 or not group.apart or following is None:
        return False
    line = text[group.lines[0].start : group.lines[0].end]
    over = following.lines[-1].end - following.lines[0].start
    if not following.apart or len(line) > _LONGEST_HEADING or over <= len(line):
        return False
    return (
        (line[0].isupper() or line[0].isdigit())
        and line[-1] not in ".:;,!…。：；，！"
        and any(map(str.isalpha, line))
    )


def _without_bars(text: str, found: list[Block]) -> str:
    """The text with the bars between the cells of its tables blanked out."""
    parts, at = [], 0
    for block in found:
        if block.kind is BlockKind.TABLE:
            parts += [text[at : block.start], text[block.start : block.end].replace(" | ", "   ")]
            at = block.end
    return "".join((*parts, text[at:]))


__all__ = [
    "Block",
    "BlockKind",
    "blocks",
    "is_header",
    "paragraphs",
    "passage_blocks",
    "readable",
    "unit",
    "without_markup",
    "without_section_number",
]

# A passage is parsed many times, a whole document a few times in a row.
_PASSAGE = 10_000


def blocks(text: str, format: str = "markdown") -> tuple[Block, ...]:
    """The blocks of a text in order, without overlap; `format` is that of its document.

    >>> [(block.kind.value, block.path) for block in blocks("# Tea {#tea}\\n\\nYou need:\\n\\n- water\\n- milk\\n")]
    [('heading', ()), ('paragraph', ('Tea',)), ('list', ('Tea',))]
    """
    return _parse(text, format).blocks


def without_markup(text: str, format: str = "markdown") -> str:
    """The text with markup replaced by spaces; offsets and line ends are unchanged.

    List marks stay, code stays without its fences.

    >>> without_markup("## See [the *map*](map.md) {#maps}")
    '   See  the  map                  '
    """
    return _parse(text, format).prose


# Placeholders that no stored text contains: for removed text with a gap, and without.
_GAP, _JOIN = "\x00", "\x01"
_EMPTIED = re.compile(rf"\A[ \t{_GAP}]*{_GAP}[ \t]*\n|\n[ \t]*{_GAP}[ \t{_GAP}]*(?=\n|\Z)")
_LEFT_OUT = re.compile(
    rf"(?:(?<![ \t])(?P<before>[ \t]++))?{_GAP}+(?P<behind>[ \t]*+(?!{_GAP}))?(?P<stop>(?=[.,;:!?)\]]|\n|\Z))?"
)


def readable(passage: Passage, start: int, end: int) -> str:
    """The text shown to a reader for a span of a passage: no link targets, tags, templating or footnote marks.

    Only Markdown and plain text are cleaned; other formats contain no markup. Words parted at the end of a line are
    whole, and a text that is set in by blanks is set out.

    >>> text = 'It weighs [900 kilos](bell.md "The bell") &amp; more. {: .note }'
    >>> readable(Passage("p", "d", "r", 0, len(text), text, line=1), 0, len(text))
    'It weighs 900 kilos & more.'
    """
    if passage.line is None:
        return passage.text[start:end]
    if is_indented(passage.text):
        return set_out(passage.text, start, end)
    parts, at = [], start
    for replaced in _parse(passage.text, "markdown").replacements:
        if at <= replaced.start and replaced.end <= end:
            parts += [passage.text[at : replaced.start], replaced.instead or (_JOIN if replaced.joins else _GAP)]
            at = replaced.end
    if not parts:
        return without_hyphens(passage.text[start:end])
    shown = "".join((*parts, passage.text[at:end])).replace(_JOIN, "")
    shown = without_hyphens(_LEFT_OUT.sub(_gap, _EMPTIED.sub("", shown)))
    return shown.strip() if shown.strip() != shown else shown


def _gap(match: re.Match[str]) -> str:
    """The white space left where something was removed: none before punctuation."""
    return "" if match["stop"] is not None else (match["before"] or match["behind"] or "")[:1]


def unit(found: Sequence[Block], start: int, end: int) -> tuple[Block, ...]:
    """The neighbouring blocks needed to understand the span from `start` to `end`.

    A list or code includes the paragraph before it; a table does if that paragraph ends in an unfinished sentence,
    a paragraph if it ends in a colon, or goes on in lower case. Such paragraphs include what follows them, a
    heading what follows it, and lines of names and values the paragraph that they name.
    Headings above come along that are questions ("Yes." alone says nothing), that hold a version, a year or
    another number, or that name a setting or the like. Markup is left out.

    >>> found = blocks("# Tea\\n\\nYou need:\\n\\n- water\\n- leaves\\n\\nEnjoy.")
    >>> [block.kind.value for block in unit(found, 20, 25)]
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
    # A lone heading includes what follows it.
    while shown[first].kind is BlockKind.HEADING:
        first = last = first + 1
        if first == len(shown):
            return ()
    if first and _belongs_to(shown[first - 1], shown[first]):
        first -= 1
    following = shown[last + 1] if last + 1 < len(shown) else None
    if following is not None:
        leads = shown[last].leads and _belongs_to(shown[last], following)
        last += leads or _is_named_by(shown[last], following)
    return (*_headings_above(shown, first), *shown[first : last + 1])


def _headings_above(shown: Sequence[Block], first: int) -> list[Block]:
    """The headings of a block that say what it does not."""
    found: list[Block] = []
    level = 7
    for at in range(first - 1, -1, -1):
        block = shown[at]
        if block.kind is not BlockKind.HEADING or block.level >= level:
            continue
        level = block.level
        is_question = at == first - 1 and block.title.endswith(("?", "？"))
        is_name = at == first - 1 and is_identifier(without_section_number(block.title).strip())
        if is_question or is_name or _has_number(block.title):
            found.insert(0, block)
    return found


def _has_number(title: str) -> bool:
    """Tell whether a heading holds a number beside that of its section.

    >>> [_has_number(title) for title in ("1.9.4 (2023-05-18)", "2.1 Setup", "Debian 12", "3. Usage")]
    [True, False, True, False]
    """
    return any(map(str.isdigit, without_section_number(title)))


def without_section_number(title: str) -> str:
    """A heading without the number of its section.

    >>> without_section_number("2.1.6. FreeBSD and ElectroBSD").strip(), without_section_number("1.9.4 (2023)")
    ('FreeBSD and ElectroBSD', '1.9.4 (2023)')
    """
    return _SECTION_NUMBER.sub("", title)


def _belongs_to(before: Block, block: Block) -> bool:
    """Tell whether a paragraph belongs with the list, code, table or paragraph after it."""
    if before.kind is not BlockKind.PARAGRAPH or before.path != block.path:
        return False
    if block.kind is BlockKind.PARAGRAPH:
        return before.introduces or (before.leads and block.continues)
    return block.kind in (BlockKind.LIST, BlockKind.CODE) or (block.kind is BlockKind.TABLE and before.leads)


def _is_named_by(before: Block, block: Block) -> bool:
    """Tell whether a paragraph has the block before it for its term."""
    return block.header is not None and block.header.start == before.start and block.header.end == before.end


def _parse(text: str, format: str) -> Parsed:
    return _passage(text, format) if len(text) <= _PASSAGE else _document(text, format)


def _read(text: str, format: str) -> Parsed:
    return parse_markdown(text) if format == "markdown" else parse_plain(text, format)


_passage = lru_cache(maxsize=1 << 10)(_read)
_document = lru_cache(maxsize=8)(_read)


def passage_blocks(passage: Passage) -> tuple[Block, ...]:
    """The blocks of a passage: rows for a table file, Markdown blocks for any other.

    Other formats are stored so that they parse as Markdown, except for headings, which are found by the sections
    of the passage, and tables, which have no rule under the header.
    """
    found = blocks(passage.text, "csv" if _has_rows(passage) else "markdown")
    if _has_rows(passage):
        return found
    if passage.line is not None:
        titles = _titles(passage)
        return indented_blocks(passage.text, titles) or _cut_at_titles(passage, found, titles)
    begins = [(passage.start, passage.location), *((place.start, place.location) for place in passage.places)]
    levels = {start - passage.start: (place.section or "").split(_PATH) for start, place in begins if place.section}
    # A passage may begin with white space.
    levels = {at + len(passage.text[at:]) - len(passage.text[at:].lstrip()): path for at, path in levels.items()}
    if any(block.start < at < block.end for at in levels for block in found):
        found = blocks(_without_titles(passage.text, levels))
    marked = [
        _of_plain_text(block, passage.text, levels.get(block.start, []) if levels else None) for block in found
    ]
    marked = list(_with_names(marked, passage))
    if marked == list(found):
        return found
    return tuple(with_paths([replace(block, path=()) for block in marked])) if levels else tuple(marked)


def _without_titles(text: str, levels: Mapping[int, Sequence[str]]) -> str:
    """The text with a rule in place of each title, which ends the list above it."""
    for at, path in levels.items():
        title = _title_at(text, at, path[-1].split())
        if title is not None and title.start == at and title.end > at + 2:
            text = text[:at] + "*" * (title.end - at) + text[title.end :]
    return text


def _with_names(found: Sequence[Block], passage: Passage) -> Iterator[Block]:
    """The blocks; a paragraph right below a few lines of names and values has them for its term.

    Those at the start of a document are about all of it.
    """
    text = passage.text
    term: Span | None = None
    for block in found:
        yield replace(block, header=term) if term and block.kind is BlockKind.PARAGRAPH else block
        lines = text[block.start : block.end].splitlines() if block.kind is BlockKind.TABLE else []
        is_term = 1 < len(lines) <= _MOST_NAMED and _name_values(lines) and passage.start + block.start > 0
        term = Span(block.start, block.end) if is_term else None


def _name_values(lines: Sequence[str]) -> bool:
    """Tell whether every line is a name and its value: "Default: 60"."""
    return all(_NAMED_CELL.match(line.lstrip()) for line in lines)


def _titles(passage: Passage) -> tuple[Block, ...]:
    """The headings where sections of plain text begin with their titles: questions, short or underlined lines."""
    text = passage.text
    begins = [(passage.start, passage.location), *((place.start, place.location) for place in passage.places)]
    titles: dict[int, Block] = {}
    for begin, place in begins:
        path = (place.section or "").split(_PATH)
        title = _title_at(text, max(0, begin - passage.start), path[-1].split()) if path[-1] else None
        if title is not None:
            words = " ".join(text[title.start : title.end].split())
            end = _drawn_line(text, title.end) or title.end
            titles[title.start] = Block(BlockKind.HEADING, title.start, end, level=min(len(path), 6), title=words)
    return tuple(titles[start] for start in sorted(titles))


def _cut_at_titles(passage: Passage, found: tuple[Block, ...], titles: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, cut where a section of plain text begins with its title.

    Parsed as Markdown, numbered titles and what stands below them are one list.
    """
    if not titles:
        return found
    text = passage.text
    rest = list(text)
    for heading in titles:
        # A rule in place of the title ends what stands above it.
        length = heading.end - heading.start
        rest[heading.start : heading.end] = "***".ljust(length)[:length]
    cut = list(titles)
    for block in blocks("".join(rest)):
        written = text[block.start : block.end]
        if any(heading.start <= block.start < heading.end for heading in cut[: len(titles)]) or is_drawn(written):
            continue
        if block.kind is BlockKind.CODE and not written.startswith(("```", "~~~")):
            # Prose is indented in plain text, too.
            parts = paragraphs(text, block.start, block.end)
            cut += [paragraph(part.start, part.end, text[part.start : part.end]) for part in parts]
        else:
            cut.append(block)
    cut.sort(key=lambda block: block.start)
    return tuple(with_paths([replace(block, path=()) for block in cut]))


def _title_at(text: str, start: int, words: Sequence[str]) -> Span | None:
    """The lines from an offset on that hold these words and no more; None if they hold others.

    After words that were shortened they go on to the end of the paragraph. A line drawn over them is passed over.
    """
    start = _skip_blanks(text, start)
    begin = end = _skip_blanks(text, _drawn_line(text, start) or start)
    for word in words:
        if word == SHORTENED:
            blank = _BLANK_LINE.search(text, end)
            return _strip(text, begin, blank.start() if blank else len(text))
        end = _skip_blanks(text, end)
        if not text.startswith(word, end):
            return None
        end += len(word)
    rest = text[end:].partition("\n")[0]
    return None if rest.strip() else Span(begin, end)


def is_drawn(line: str) -> bool:
    """Tell whether a line is drawn under or over a title: one sign, three times or more.

    >>> is_drawn("====="), is_drawn("--"), is_drawn("== =="), is_drawn("aaaa")
    (True, False, False, False)
    """
    drawn = line.strip()
    return len(drawn) > 2 and drawn[0] in _DRAWN and not drawn.strip(drawn[0])


def _drawn_line(text: str, start: int) -> int | None:
    """The end of the line that begins at an offset or behind the line end there, if it is drawn."""
    begin = start + text.startswith("\n", start)
    line = text[begin:].partition("\n")[0]
    return begin + len(line.rstrip()) if is_drawn(line) else None


def _skip_blanks(text: str, start: int) -> int:
    """The offset of the first character from `start` on that is no white space."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    """The stretches of lines without a blank one between them, without outer white space.

    >>> list(paragraphs("Tea.\\n\\n  Hot\\n  tea.\\n", 0, 18))
    [Span(start=0, end=4), Span(start=8, end=18)]
    """
    begin = last = -1
    for match in _LINE.finditer(text, start, end):
        line = _strip(text, match.start(), match.end())
        if line.start >= line.end:
            continue
        if begin >= 0 and text.count("\n", last, line.start) > 1:
            yield Span(begin, last)
            begin = -1
        begin, last = line.start if begin < 0 else begin, line.end
    if begin >= 0:
        yield Span(begin, last)


def _of_plain_text(block: Block, text: str, path: Sequence[str] | None) -> Block:
    """Reclassify a block of text without Markdown marks: a section's heading, a table or a paragraph."""
    written = text[block.start : block.end]
    title = " ".join(written.split())
    if path and path[-1] in (title, title[:_LONGEST_TITLE]):
        return Block(BlockKind.HEADING, block.start, block.end, block.path, level=min(len(path), 6), title=title)
    if path is not None and block.kind is BlockKind.HEADING and not written.startswith("#"):
        # Dashes below a text begin a mail's signature here, and underline no heading.
        return paragraph(block.start, block.end, written)
    if block.kind is BlockKind.PARAGRAPH and _is_table(written.splitlines()):
        lines = [
            _strip(text, block.start + match.start(), block.start + match.end())
            for match in _LINE.finditer(written)
        ]
        return replace(_block(text, _Group(BlockKind.TABLE, tuple(lines), apart=True)), path=block.path)
    return block


def _is_table(lines: Sequence[str]) -> bool:
    """Tell whether lines are table rows: cells separated by bars, or at least two `name: value` lines."""
    return (len(lines) > 1 and _name_values(lines)) or all(" | " in line for line in lines)


def _strip(text: str, start: int, end: int) -> Span:
    """The stretch without outer white space."""
    line = text[start:end]
    return Span(start + len(line) - len(line.lstrip()), start + len(line.rstrip()))


def is_header(passage: Passage, start: int, end: int) -> bool:
    """Tell whether this span of the passage's document is exactly the header of a table file.

    >>> from assay.types import Location
    >>> passage = Passage("p", "d", "r", 0, 32, "City | People\\nCity: Ulm; Pe: 9", location=Location(row=1))
    >>> is_header(passage, 0, 13), is_header(passage, 14, 32)
    (True, False)
    """
    headers = (block.header for block in passage_blocks(passage) if _has_rows(passage))
    return any(
        header and header.start <= start - passage.start and end - passage.start <= header.end for header in headers
    )


def _has_rows(passage: Passage) -> bool:
    return passage.location.row is not None or passage.location.sheet is not None


# Passages and questions as the reader network is given them.


# Between the headings of a path.
_PATH = " > "


# A question in quotation marks within code, other text may follow it there: an example of what to ask, which says
# nothing of its answer. Two words or more, or it may be a pattern of files.
_EXAMPLE_QUESTION = re.compile(
    r"""(["'])(?=[^"'\n?？]{1,300}[ ])[^"'\n?？]{3,300}[?？](?:[ \\][^"'\n]{0,300})?\1"""
)


def titled(passage: Passage) -> TitledText:
    """The passage's prose (offsets unchanged) with its title, headings and table header.

    Questions quoted in code are blanked: a reader takes the words of its question there for an answer.

    >>> from assay.types import Location
    >>> tea = Passage("p", "d", "r", 0, 14, "Boil *water*.", "Tea", Location(section="Tea > Steps"))
    >>> titled(tea)
    TitledText(title='Tea > Steps', text='Boil  water .')
    >>> titled(Passage("p", "d", "r", 0, 34, '```\\nask "Is tea hot?" -k 2\\n```', line=1)).text.split()
    ['ask', '-k', '2']
    """
    names = [passage.title, *(passage.location.section or "").split(_PATH), passage.header]
    path = _PATH.join(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))
    text = without_markup(passage.text)
    for block in passage_blocks(passage):
        if block.kind is BlockKind.CODE:
            code = _EXAMPLE_QUESTION.sub(lambda match: " " * len(match[0]), text[block.start : block.end])
            text = text[: block.start] + code + text[block.end :]
    return TitledText(path, text)


def in_context(part: str, whole: str) -> str:
    """A part of a question followed by the whole question, in the form the reader was trained on.

    >>> in_context("how much does it cost", "When did the museum open, and how much does it cost?")
    'how much does it cost (asked in: When did the museum open, and how much does it cost?)'
    """
    return f"{part} (asked in: {whole})"
