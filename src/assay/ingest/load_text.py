"""Text: plain, comma-separated values and Markdown."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, islice, pairwise, takewhile
from typing import Any, Literal

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.detect import decode
from assay.ingest.outline import Blocks, Outline
from assay.ingest.tables import Row, row_lines
from assay.nlp.blocks import SHORTENED, Block, BlockKind, blocks, is_drawn, paragraphs
from assay.nlp.markdown import front_matter_end
from assay.types import Loaded, Location, Metadata, Region, Span

# A paragraph of at most so many words that ends with a question mark is a question (chosen); so many of them make a
# text one of questions and answers (chosen).
_LONGEST_QUESTION, _FEWEST_QUESTIONS = 80, 3
# Such a text has one for so many words at least: an essay asks, too (chosen).
_LONGEST_ANSWERS = 500
# By so many characters a line is longer or shorter than the title above it (chosen).
_UNEVEN = 3
# So many words of it name its section (chosen).
_TITLE_WORDS = 16
# A line of its own with at most so many words and characters, that ends without a stop, may be a heading; so many
# words of prose stand below it; a text with headings has so many at least (chosen). Some 95 in a hundred such lines
# are headings (docs/decisions/232).
_HEADING_WORDS, _HEADING_LENGTH, _FEWEST_WORDS, _FEWEST_HEADINGS = 8, 60, 8, 2
_SECTION_NUMBER = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[A-Z](?:\.\d{1,3})*[.)])\s")
_ENDS_OPEN = re.compile(r"[\w)]$")
_STOPPED = (".", "!", "?", ":")


class TextLoader:
    """Reads bytes in whatever encoding they are."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text as it stands, by its titles or its questions; raises EmptyDocument if it is only white space.

        >>> TextLoader().load(b"Water boils at 100 degrees.", "water.txt").text
        'Water boils at 100 degrees.'
        """
        decoded = decode(data)
        if not decoded.text.strip("\0 \t\r\n\v\f\u00a0\ufeff"):
            raise EmptyDocument(f"{name}: only white space", hint="nothing to do; the file holds no text")
        text = decoded.text
        titles = list(_underlined(text)) or list(_questions(text)) or _headings(text)
        opening = titles[0] if titles and not text[: titles[0].span.start].strip() else None
        title = opening.words if opening is not None and opening.level == _OPENING_LEVEL else ""
        return Loaded(text, "text", title, _sections(text, titles), warnings=decoded.warnings)


@dataclass(frozen=True, slots=True)
class _Title:
    """A title in plain text with the lines drawn above and below it; the highest level is 1, the opening 0."""

    span: Span
    words: str
    level: int = 1


# The levels of the heading that opens a text, of one in capitals or with a number, and of others: chosen.
_OPENING_LEVEL, _CAPITALS_LEVEL, _PLAIN_LEVEL = 0, 1, 9


def _sections(text: str, titles: Sequence[_Title]) -> tuple[Region, ...]:
    """The regions of titles and of what stands below each; none without titles.

    >>> text = "Tea\\n===\\n\\nBoil water.\\n"
    >>> [(region.kind, str(region.location)) for region in _sections(text, list(_underlined(text)))]
    [('heading', 'Tea'), ('text', 'Tea')]
    """
    if not titles:
        return ()
    outline = Outline()
    regions = [Region(0, titles[0].span.start, Location())] if titles[0].span.start else []
    ends = [*(after.span.start for after in titles[1:]), len(text)]
    for title, end in zip(titles, ends, strict=True):
        location = Location(section=outline.enter(title.level, title.words))
        regions.append(Region(title.span.start, title.span.end, location, "heading"))
        if title.span.end < end:
            regions.append(Region(title.span.end, end, location))
    return tuple(regions)


def _underlined(text: str) -> Iterator[_Title]:
    """The lines with a line drawn under them, or under and over them; each new kind of line is a level deeper.

    So reStructuredText is read: docutils, "reStructuredText Markup Specification", sections.
    """
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    written = [line.rstrip() for line in lines]
    kinds: list[str] = []
    for at, (title, under) in enumerate(pairwise(written)):
        words = title.strip()
        if not is_drawn(under) or is_drawn(words) or not any(map(str.isalpha, words)):
            continue
        over = written[at - 1] if at else ""
        is_boxed = over == under
        if not is_boxed and (over or abs(len(under.strip()) - len(words)) > _UNEVEN):
            continue
        kind = under.strip()[0] * (1 + is_boxed)
        if kind not in kinds:
            kinds.append(kind)
        span = Span(starts[at - is_boxed], min(starts[at + 2], len(text)))
        yield _Title(span, _shortened(words), kinds.index(kind) + 1)


def _headings(text: str) -> list[_Title]:
    """The short lines that stand over prose, or in capitals; none where there are fewer than two.

    >>> rules = "RULES\\n\\nLoans\\nBooks are lent for four weeks, and once more if nobody waits.\\n"
    >>> [(title.words, title.level) for title in _headings(rules)]
    [('RULES', 0), ('Loans', 9)]
    """
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    opening = next((at for at, line in enumerate(lines) if line.strip()), 0)
    found = []
    for at, line in enumerate(lines):
        words = line.strip()
        if (at and lines[at - 1].strip()) or not _may_head(line) or not _heads(lines, at):
            continue
        is_first = at == opening and not lines[at + 1].strip()
        level = _OPENING_LEVEL if is_first else _level_of(words)
        found.append(_Title(Span(starts[at], min(starts[at + 1], len(text))), words, level))
    return found if len(found) >= _FEWEST_HEADINGS else []


def _may_head(line: str) -> bool:
    """Tell whether a line is written as a heading: at the margin, short, and without a stop."""
    words = line.strip()
    if not words or line[0].isspace() or len(words) > _HEADING_LENGTH or len(words.split()) > _HEADING_WORDS:
        return False
    begins = words[0].isupper() or words[0].isdigit()
    return begins and _ENDS_OPEN.search(words) is not None and ":" not in words and any(map(str.isalpha, words))


def _heads(lines: Sequence[str], at: int) -> bool:
    """Tell whether what stands below a line is what a heading stands over."""
    words, below = lines[at].strip(), at + 1
    while below < len(lines) and not lines[below].strip():
        below += 1
    if below == len(lines):
        return False
    if words.isupper() and (below > at + 1 or lines[below][0].isspace()):
        return not lines[below].strip().isupper()
    body = list(takewhile(str.strip, (lines[number] for number in range(below, len(lines)))))
    prose = " ".join(body).strip()
    is_prose = prose[0].isupper() and not prose.isupper() and prose.endswith(_STOPPED)
    return is_prose and len(prose.split()) >= _FEWEST_WORDS and len(body[0].strip()) > len(words)


def _level_of(words: str) -> int:
    """The level of a heading by its number, or by its capitals.

    >>> [_level_of(words) for words in ("2. Loans", "2.1. Books", "B. Fees", "LOANS", "A loan")]
    [1, 2, 1, 1, 9]
    """
    number = _SECTION_NUMBER.match(words)
    if number is not None:
        return _CAPITALS_LEVEL + number.group().rstrip(" .)\t").count(".")
    return _CAPITALS_LEVEL if words.isupper() else _PLAIN_LEVEL


def _questions(text: str) -> Iterator[_Title]:
    """The questions that a text answers one after the other; none in a text of another kind.

    >>> faq = "1. Is it free?\\n\\nYes.\\n\\n2. Is it fast?\\n\\nNo.\\n\\n3. Is it safe?\\n\\nYes.\\n"
    >>> [title.words for title in _questions(faq)]
    ['1. Is it free?', '2. Is it fast?', '3. Is it safe?']
    """
    found = list(paragraphs(text, 0, len(text)))
    questions = [_is_question(text[paragraph.start : paragraph.end]) for paragraph in found]
    # A question right before another one is not answered there.
    asked = [
        paragraph
        for paragraph, is_question, is_followed in zip(found, questions, [*questions[1:], True], strict=False)
        if is_question and not is_followed
    ]
    if len(asked) < max(_FEWEST_QUESTIONS, len(text.split()) / _LONGEST_ANSWERS):
        return
    for paragraph in asked:
        yield _Title(paragraph, _shortened(text[paragraph.start : paragraph.end]))


def _shortened(question: str) -> str:
    """The words of a question on one line, cut where they are too many for a title."""
    words = question.split()
    kept = list(islice(words, _TITLE_WORDS))
    return " ".join(words if len(words) <= _TITLE_WORDS else [*kept, SHORTENED])


def _is_question(paragraph: str) -> bool:
    return paragraph.endswith(("?", "？")) and len(paragraph.split()) <= _LONGEST_QUESTION


# Comma-separated values, whatever separates them.


# Of two that fit equally well the first is taken: a comma stands in numbers and names, too.
_DELIMITERS = ("\t", ";", "|", ",")
_SAMPLE_LINES = 50
# What Excel writes into the first line for itself.
_TOLD_DELIMITER = re.compile(r"\ufeff?\"?sep=(?P<delimiter>.)\"?\r?\n", re.IGNORECASE)


class CsvLoader:
    """Reads rows; each becomes a line that names its columns."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The rows as lines, each with its number; raises EmptyDocument, UnreadableDocument.

        >>> CsvLoader().load(b"city;people\\nUlm;126000\\n", "x.csv").text
        'city | people\\ncity: Ulm; people: 126000'
        """
        decoded = decode(data)
        blocks = Blocks()
        last = 0
        for line in row_lines(csv_rows(decoded.text, name)):
            gap = "\n" if line.number == last + 1 else "\n\n"
            blocks.add(line.text, Location(row=line.number, section=line.title), "table", gap)
            last = line.number
        if not blocks.text:
            raise EmptyDocument(f"{name}: no row holds anything", hint="nothing to do; the table is empty")
        return Loaded(blocks.text, "csv", regions=blocks.regions, warnings=decoded.warnings)


def delimiter_of(text: str) -> str:
    """The character that separates cells: the one that cuts the first rows most evenly into most cells.

    >>> delimiter_of("a;b\\n1,5;2\\n"), delimiter_of('name,note\\nAnn,"one; two"\\n'), delimiter_of("one column\\n")
    (';', ',', ',')
    """
    sample = list(islice(io.StringIO(text[: 1 << 16].replace("\0", ""), newline=""), _SAMPLE_LINES))
    best = max(_DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter))
    return best if _evenness(sample, best) else ","


def _evenness(lines: Sequence[str], delimiter: str) -> float:
    """Rate a delimiter: the share of rows with the commonest number of cells, weighted by that number."""
    try:
        sizes = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if any(map(str.strip, cells))]
    except csv.Error:
        sizes = []
    several = [size for size in sizes if size > 1]
    if not several:
        return 0.0
    common = max(set(several), key=lambda size: (several.count(size), size))
    return several.count(common) / len(sizes) * (1 + min(common, 20) / 20)


def csv_rows(text: str, name: str) -> Iterator[Row]:
    """The rows with their cells; raises UnreadableDocument."""
    # The default limit of 128 KiB a cell is lifted to the text's length.
    csv.field_size_limit(max(len(text), 1 << 17))
    given = _TOLD_DELIMITER.match(text)
    first, start, delimiter = (2, given.end(), given["delimiter"]) if given else (1, 0, delimiter_of(text))
    reader = csv.reader(io.StringIO(text[start:].replace("\0", ""), newline=""), delimiter=delimiter)
    try:
        for number, cells in enumerate(reader, first):
            yield Row(number, tuple(cells))
    except csv.Error as error:
        raise UnreadableDocument(f"{name}: {error}", hint="check the quotes in it") from error


# JSON and JSON lines as text that can be read: one "name: value" a line, one paragraph a record.


_TITLES = ("title", "name", "subject", "headline")


class JsonLoader:
    """Reads one JSON value, or one a line."""

    def load(self, data: bytes, name: str) -> Loaded:
        """A paragraph for each record, and for each that it holds; raises EmptyDocument, UnreadableDocument.

        >>> JsonLoader().load(b'{"city": "Ulm", "size": {"people": 126000}}', "x.json").text
        'city: Ulm\\nsize.people: 126000'
        """
        decoded = decode(data)
        value, left_out = _parse(decoded.text, name)
        records = value if isinstance(value, list) else [value]
        blocks = Blocks()
        for number, record in enumerate(records, 1):
            for _, leaves in groupby(_leaves(record), key=lambda leaf: leaf.record):
                lines = [f"{leaf.path}: {leaf.text}" if leaf.path else leaf.text for leaf in leaves]
                blocks.add("\n".join(lines), Location(row=number) if len(records) > 1 else Location())
        if not blocks.text:
            raise EmptyDocument(f"{name}: holds no values", hint="nothing to do; the file holds no text")
        warnings = (*decoded.warnings, *left_out)
        return Loaded(blocks.text, "json", _title(value), regions=blocks.regions, warnings=warnings)


def _parse(text: str, name: str) -> tuple[Any, tuple[str, ...]]:
    """The value, or the list of the values of the lines with a warning of those that are left out."""
    try:
        return json.loads(text), ()
    except ValueError as error:
        lines = [(line, _value(line)) for line in text.splitlines() if line.strip()]
        values = [value for _, value in lines if value is not None]
        if not values:
            raise UnreadableDocument(f"{name}: no JSON ({error})", hint="check where it is cut off") from error
        bad = sum(value is None and line.strip() != "null" for line, value in lines)
        return values, (f"{bad} line{'' if bad == 1 else 's'} left out: no JSON",) if bad else ()


def _value(line: str) -> Any:
    """The line's value; None where it is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value that holds no others, the path to it, and the number of the record of a list that it stands in."""

    path: str
    text: str
    record: int


def _leaves(value: Any) -> Iterator[_Leaf]:
    """Every leaf in order, however deep."""
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    records = 0
    while waiting:
        path, current, record = waiting.pop()
        if isinstance(current, dict):
            inside = [(f"{path}.{key}" if path else str(key), inner, record) for key, inner in current.items()]
            waiting.extend(reversed(inside))
        elif isinstance(current, list):
            items = []
            for item in current:
                records += isinstance(item, dict)
                items.append((path, item, records if isinstance(item, dict) else record))
            waiting.extend(reversed(items))
        elif current is not None and current != "":
            yield _Leaf(path, current if isinstance(current, str) else json.dumps(current), record)


def _title(value: Any) -> str:
    """The title that a single record gives itself."""
    if not isinstance(value, dict):
        return ""
    return next((str(value[key]) for key in _TITLES if isinstance(value.get(key), str)), "")


# Markdown, kept as it is written; headings become sections, tables stay whole, front matter becomes metadata.


# Top-level keys with a value on their line, or items on lines of their own below; deeper YAML is left out.
_KEY = re.compile(r"[\"']?(?P<key>\w[\w .-]{0,60}?)[\"']?[ \t]*[:=](?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>.+)$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]++#.*$")
# A value that begins so goes on over the next lines.
_GOES_ON = ("|", ">", "{", "&", "*")
_LONGEST_VALUE = 1000


class MarkdownLoader:
    """Reads Markdown; its title is that of the front matter, else the first heading."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The text as written, with regions by heading; raises EmptyDocument.

        >>> loaded = MarkdownLoader().load(b"# Tea\\n\\n## Water {#water}\\nBoil it.\\n", "tea.md")
        >>> loaded.title, str(loaded.regions[-1].location)
        ('Tea', 'Tea > Water')
        """
        loaded = TextLoader().load(data, name)
        body = front_matter_end(loaded.text)
        metadata = front_matter_values(loaded.text[:body])
        found = blocks(loaded.text)
        headings = (block.title for block in found if block.kind is BlockKind.HEADING)
        title = str(metadata.get("title") or next(headings, ""))
        regions = tuple(_regions(loaded.text, found, body))
        return replace(loaded, format="markdown", title=title, regions=regions, metadata=metadata)


def front_matter_values(front: str) -> Metadata:
    """The keys of front matter that have a plain value or a list of them, as text.

    >>> front_matter_values('---\\ntitle: "Tea"\\ntags: [hot, green]\\nauthors:\\n  - Wu\\n  - Li\\n---\\n')
    {'title': 'Tea', 'tags': 'hot, green', 'authors': 'Wu, Li'}
    """
    found: dict[str, str] = {}
    key = ""
    for line in front.splitlines()[1:-1]:
        match = _KEY.match(line)
        item = _ITEM.match(line) if key else None
        if match:
            key, value = match["key"], _plain(match["value"] or "")
            if value:
                found[key] = value
        elif item:
            found[key] = ", ".join(part for part in (found.get(key, ""), _plain(item["value"])) if part)
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            key = ""
    return {key: value for key, value in found.items() if len(value) <= _LONGEST_VALUE}


def _plain(written: str) -> str:
    """A value without quotation marks or comment; "" for one that goes on below or is no plain value."""
    value = written.strip()
    if value.startswith(_GOES_ON):
        return ""
    if value[:1] in "\"'" and value.endswith(value[:1]):
        return value[1:-1] if len(value) > 1 else ""
    value = _COMMENT.sub("", value)
    if value.startswith("[") and value.endswith("]"):
        return ", ".join(part.strip(" \t\"'") for part in value[1:-1].split(","))
    return value


def _regions(text: str, found: Sequence[Block], body: int) -> list[Region]:
    """Whole lines, joined where neighbours are of one kind under one heading; front matter has a region too."""
    front = [Region(0, body, Location())] if body else []
    regions: list[Region] = []
    shown = [block for block in found if block.start >= body]
    starts = [text.rfind("\n", 0, block.start) + 1 for block in shown]
    for block, start, end in zip(shown, starts, [*starts, len(text)][1:], strict=True):
        path = (*block.path, block.title) if block.kind is BlockKind.HEADING else block.path
        location = Location(section=" > ".join(path) or None)
        kind = _kind(text, block)
        last = regions[-1] if regions else None
        if last is not None and last.kind == kind != "heading" and last.location == location:
            regions[-1] = replace(last, end=end)
        else:
            regions.append(Region(start, end, location, kind))
    return [*front, *regions]


def _kind(text: str, block: Block) -> Literal["text", "heading", "table"]:
    """The kind of a block for the splitter; a table of HTML is no table of lines."""
    if block.kind is BlockKind.TABLE:
        return "text" if text.startswith("<", block.start) else "table"
    return "heading" if block.kind is BlockKind.HEADING else "text"
