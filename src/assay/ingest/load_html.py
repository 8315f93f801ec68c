"""HTML: the main content in reading order, with its headings.

The tree is walked by events, so that deep nesting needs no deep stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import islice, zip_longest
from textwrap import dedent
from typing import Any

from assay.errors import EmptyDocument
from assay.ingest.detect import Decoded, decode
from assay.ingest.list_marks import Indents, count_in, mark_of
from assay.ingest.outline import Blocks, Outline
from assay.ingest.page_chrome import HEADINGS, is_links_alone, is_note_mark, is_skipped
from assay.ingest.page_links import count_elements, navigation_of
from assay.ingest.tables import plain_row
from assay.nlp.publication_date import dates_of_html
from assay.types import Loaded, Location, Metadata

# From HTML events to blocks of text.


_BLOCKS = frozenset(
    """address article blockquote body caption center dd details div dl dt fieldset figcaption figure footer form
    header hgroup hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul legend""".split()
)
_OF_TABLES = frozenset("thead tbody tfoot tr td th".split())
# What stands for a heading without being one, below all that are.
_TITLE = "h7"
_LEVELS = {**HEADINGS, _TITLE: 7}
_CODE = frozenset("code kbd samp tt pre".split())
_WHITE = re.compile(r"[ \t\r\n\f]+")
# Unfilled templating; in code, where documentation shows it, it stays.
_TEMPLATING = re.compile(r"\{\{[^{}\n]{0,200}\}\}|\{%[^{}\n]{0,200}%\}|\{:[^{}\n]{0,200}\}")


# The fewest spaces and the least share of letters and white space of prose in <pre>, and the longest code: chosen.
# A longer text is a page that was plain text before.
_LEAST_PROSE, _LETTERS, _LONGEST_CODE = 5, 0.85, 4000
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)


# Most columns and rows over which a cell is repeated, and its greatest length: chosen.
_MOST_SPANNED, _LONGEST_REPEATED = 50, 200


class _TableRows:
    """Rows of a table: spanning cells are repeated in each row, and header rows are merged into one."""

    def __init__(self) -> None:
        self._cells: list[str] = []
        self._heads = True
        self._spans, self._spanned = (1, 1), False
        # Cells from rows above that span this one: column, text, remaining rows.
        self._open: dict[int, tuple[str, int]] = {}
        # Header rows not yet written.
        self._header: list[list[str]] = []
        self._in_header = True

    def begin(self, across: int, down: int, *, heads: bool) -> None:
        """Begin a cell, in a header or not."""
        self._spans = (across, down)
        self._heads = self._heads and heads

    def add(self, words: str, *, only_words: bool = False) -> None:
        """End a cell with these words; `only_words`: text outside cells, which makes a cell if there is any."""
        words = " ".join(words.split())
        if only_words and not words:
            return
        across, down = (1, 1) if only_words else self._spans
        self._fill()
        for place in range(across):
            # A cell over several columns names all of them only in a header.
            cell = words if not place or (self._heads and self._in_header) else ""
            if down > 1 and len(cell) <= _LONGEST_REPEATED:
                self._open[len(self._cells)] = (cell, down)
            self._cells.append(cell if len(cell) <= _LONGEST_REPEATED or not place else "")
        self._spans = (1, 1)
        self._spanned = self._spanned or across > 1 or down > 1

    def rows(self, *, last: bool) -> Iterator[list[str]]:
        """The finished rows; header rows are held back until the header is complete or the table ends (`last`)."""
        if self._cells:
            self._fill()
            cells, self._cells = self._cells, []
            self._open = {at: (words, left - 1) for at, (words, left) in self._open.items() if left > 1}
            if self._in_header and self._heads and (self._spanned or self._header):
                self._header.append(cells)
            else:
                yield from self._written_header()
                yield cells
            self._in_header = self._in_header and self._heads
        self._heads, self._spanned = True, False
        if last:
            yield from self._written_header()

    def _fill(self) -> None:
        """Repeat the cells from above that span the next columns."""
        while len(self._cells) in self._open:
            self._cells.append(self._open[len(self._cells)][0])

    def _written_header(self) -> Iterator[list[str]]:
        if len(self._header) == 1:
            [cells] = self._header
            yield [word if word not in cells[:at] else "" for at, word in enumerate(cells)]
        elif self._header:
            columns = zip_longest(*self._header, fillvalue="")
            yield [" ".join(word for word in dict.fromkeys(column) if word) for column in columns]
        self._header = []


class HtmlText:
    """Builds blocks from the starts and ends of elements and their text."""

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._outline = Outline()
        self._inline: list[str] = []
        self._mark = ""
        # The depth in lists, the signs of bullets and behind numbers, and whether the last block belongs to a list
        # and that has numbers.
        self._depth, self._sign, self._listed, self._numbered = 0, "-.", False, False
        self._indents = Indents()
        self._heading = 0
        self._preformatted = 0
        self._code = 0
        self._tables = 0
        self._table = _TableRows()
        self._terms: list[str] = []
        self._gap = "\n\n"

    def start(self, tag: str, text: str, across: int = 1, down: int = 1, label: str = "") -> None:
        """Begin an element; `text` precedes its first child.

        `across` and `down`: columns and rows that a cell spans. `label`: the number of an item
        or the first of a list.
        """
        if tag in ("td", "th") and self._tables == 1:
            self._table.begin(across, down, heads=tag == "th")
        if tag in _LEVELS:
            self._flush()
            self._heading = _LEVELS[tag]
        elif tag == "br":
            self._inline.append("\n" if not self._tables else " ")
        elif self._preformatted and not self._tables and tag in _BLOCKS:
            self._break_line()
        elif tag in _BLOCKS and not (self._heading or (self._tables and tag not in ("table", "tr"))):
            self._flush()
            self._open(tag, label)
        elif tag in _BLOCKS:
            self._inline.append(" ")
        self._code += tag in _CODE
        self._text(text)

    def end(self, tag: str, tail: str) -> None:
        """End an element ("" for one that was skipped); `tail` is the text after it."""
        if tag in ("td", "th") and self._tables:
            self._table.add(self._take())
        elif tag == "caption" and self._tables == 1:
            self._blocks.add(" ".join(self._take().split()), self._location())
            self._gap = "\n\n"
        elif tag in ("dt", "dd") and not self._tables:
            self._end_definition(tag)
        elif tag == "tr" and self._tables:
            self._row()
        elif self._preformatted and not self._tables and tag in _BLOCKS and tag != "pre":
            self._break_line()
        elif tag in _LEVELS or (tag in _BLOCKS and not self._heading and not self._tables):
            self._flush()
            self._preformatted = max(0, self._preformatted - (tag == "pre"))
        elif tag == "table":
            self._row(last=True)
            self._tables = max(0, self._tables - 1)
            self._gap = "\n\n"
        elif tag in _BLOCKS:
            self._inline.append(" ")
        self._depth = max(0, self._depth - (tag in ("ul", "ol", "dl") and not self._tables))
        self._code = max(0, self._code - (tag in _CODE))
        self._text(tail)

    def leave_title(self) -> None:
        """End the section of a title that is no heading of HTML."""
        self._outline.leave(_LEVELS[_TITLE])

    def finish(self) -> Blocks:
        """Finish and return the blocks."""
        self._tables = 0
        self._flush()
        return self._blocks

    def _open(self, tag: str, label: str) -> None:
        """Record the kind of block that begins."""
        if tag == "li":
            mark = mark_of(f"{label}{self._sign[1]}" if label else "")
            self._mark = mark.replace("-", self._sign[0], 1) if not mark[0].isdigit() else mark
        elif tag == "pre":
            self._preformatted += 1
        elif tag == "table":
            self._tables += 1
            self._gap = "\n\n"
        elif tag in ("ul", "ol"):
            # Some editors write a separate list for each number.
            if not self._depth and not (self._listed and label not in ("", "1")):
                # Adjacent lists of one kind have different signs, as in Markdown.
                is_like = self._listed and self._numbered == bool(label)
                self._sign = "+)" if is_like and self._sign == "-." else "-."
                self._gap = "\n\n"
            self._numbered = bool(label) if not self._depth else self._numbered
            self._depth += 1
        elif tag in ("p", "dl"):
            self._gap = "\n\n"
            self._depth += tag == "dl"
        elif tag == "dd" and self._terms:
            # Not the sign of list items, so that a list after the definitions stays separate.
            self._mark = f"* {', '.join(self._terms).rstrip(':')}: "

    def _end_definition(self, tag: str) -> None:
        """Keep a term for its definitions; write a term without any on its own."""
        if tag == "dt":
            if self._mark:
                self._mark = ""
                self._terms.clear()
            text = " ".join(self._take().split())
            self._terms += [text] if text else []
            return
        self._flush()
        if self._mark:
            self._blocks.add(self._mark.rstrip(": "), self._location(), gap=self._gap)
            self._gap, self._mark = "\n", ""
        self._terms.clear()

    def _text(self, text: str) -> None:
        if text:
            shown = text if self._code else _TEMPLATING.sub("", text)
            self._inline.append(shown if self._preformatted else _WHITE.sub(" ", shown))

    def _break_line(self) -> None:
        """End the line of a block inside preformatted text, such as a line of highlighted code."""
        if self._inline and not self._inline[-1].endswith("\n"):
            self._inline.append("\n")

    def _take(self) -> str:
        """The inline text so far, on one line, or several if the page breaks it."""
        text = "".join(self._inline)
        self._inline.clear()
        if self._preformatted:
            return text.strip("\n")
        lines = (_WHITE.sub(" ", line).strip() for line in text.split("\n"))
        return "\n".join(line for line in lines if line)

    def _row(self, *, last: bool = False) -> None:
        """Write a row as one line; merge the rows of a header."""
        self._table.add(self._take(), only_words=True)
        for cells in self._table.rows(last=last):
            self._blocks.add(plain_row(cells), self._location(), "table", self._gap)
            if any(cells):
                self._gap = "\n"
        self._table = _TableRows() if last else self._table

    def _flush(self) -> None:
        """Write the inline text as a block."""
        if self._tables:
            self._row()
            return
        text = self._take()
        if self._heading and text:
            self._outline.enter(self._heading, text)
            self._blocks.add(" ".join(text.split()), self._location(), "heading")
            self._gap = "\n\n"
        elif text and self._preformatted and _is_code(text):
            self._listing(text)
        elif text:
            self._paragraph(text)
        self._listed = self._depth > 0 if text else self._listed
        self._heading = 0
        self._mark = "" if text else self._mark

    def _listing(self, text: str) -> None:
        """Write code between fences, as in Markdown; a term before it stands on its own line."""
        if self._mark.startswith("* "):
            indent = self._indents.enter(self._depth, self._mark)
            self._blocks.add(self._mark.rstrip(), self._location(), gap=self._gap + indent)
            self._mark = ""
        fence = max(_FENCE.findall(text), key=len, default="``") + "`"
        self._paragraph(f"{fence}\n{dedent(text).rstrip()}\n{fence}")
        self._gap = "\n\n"

    def _paragraph(self, text: str) -> None:
        """Write a paragraph or an item, indented under the list item it belongs to."""
        is_item = bool(self._mark and self._depth)
        outer = self._indents.enter(self._depth, self._mark) if is_item else self._indents.inside(self._depth)
        gap = self._gap if self._mark else "\n\n"
        lines = f"{self._mark}{text}".replace("\n", f"\n{self._indents.inside(self._depth)}")
        self._blocks.add(lines, self._location(), "text", gap + outer)
        self._gap = "\n" if self._mark or self._depth else "\n\n"

    def _location(self) -> Location:
        return Location(section=self._outline.section)


def _is_code(text: str) -> bool:
    """Tell whether preformatted text is code or the like, not prose.

    >>> _is_code("$ brew install tea"), _is_code("This page was written as plain text. It has no other marks.")
    (True, False)
    """
    if len(text) > _LONGEST_CODE or not text.strip():
        return False
    is_prose = text.count(" ") >= _LEAST_PROSE and text.rstrip().endswith((".", "!", "?"))
    return not (is_prose and sum(map(str.isalpha, text)) + sum(map(str.isspace, text)) >= _LETTERS * len(text))


_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
# The least share of the page's text in its main part; otherwise the mark is misused: chosen.
_MAIN_SHARE = 0.25
_INTEGER = re.compile(r"\s*-?\d{1,6}\s*")
_UNMARKED = re.compile(r"list-style(?:-type)?:[^;]{0,40}\bnone\b")
# The most characters of a bold paragraph that stands for a heading: chosen.
_LONGEST_TITLE = 120


class HtmlLoader:
    """Reads a page's main content, with headings as sections and tables row by row."""

    def load(self, data: bytes, name: str) -> Loaded:
        """Read the content; raises EmptyDocument if none is visible.

        >>> HtmlLoader().load(b"<title>Tea</title><nav>Home</nav><h1>Tea</h1><p>Boil <b>water</b>.</p>", "x").text
        'Tea\\n\\nBoil water.'
        """
        decoded = html_text(data)
        root, warnings = parse_page(decoded.text), decoded.warnings
        if root is None:
            blocks, title, warnings = (
                flat_blocks(decoded.text),
                "",
                ("nested too deeply: read without its structure",),
            )
        else:
            blocks, title = content_blocks(root), title_of_page(root)
        if not blocks.text:
            raise EmptyDocument(f"{name}: no visible text", hint="a page made by scripts? save it as a PDF")
        return Loaded(blocks.text, "html", title, blocks.regions, _date(decoded.text), warnings)


def _date(text: str) -> Metadata:
    """The date of publication in the page's head."""
    day = next(dates_of_html(text), None)
    return {} if day is None else {"published": day}


def html_text(data: bytes) -> Decoded:
    """Decode a page, in its declared encoding if that is valid."""
    declared = _CHARSET.search(data[:4096])
    if declared is not None and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        try:
            return Decoded(data.decode(declared.group(1).decode("ascii")))
        except (LookupError, ValueError):
            pass
    return decode(data)


def parse_page(text: str) -> Any:
    """Parse a page; None if it is nested too deeply for the parser."""
    from lxml import etree

    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    data = text.replace("\0", "").encode("utf-8", errors="replace")
    try:
        root = etree.fromstring(data or b"<html/>", parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or any("depth" in entry.message.lower() for entry in parser.error_log):
        return None
    # Content after the first </html> becomes a sibling of the root; move it into the root.
    for sibling in list(root.itersiblings()):
        root.append(sibling)
    return root


def content_blocks(root: Any) -> Blocks:
    """The blocks of the main part, or of the whole page if none is marked or it is too small."""
    page_blocks = _blocks(root, skip_chrome=True)
    for path in ("//main", "//*[@role='main']", "//article"):
        parts = root.xpath(path)
        if len(parts) == 1:
            main = _blocks(parts[0], skip_chrome=True)
            if len(main.text) >= _MAIN_SHARE * len(page_blocks.text):
                return main
    return page_blocks if page_blocks.text else _blocks(root, skip_chrome=False)


def _blocks(root: Any, *, skip_chrome: bool) -> Blocks:
    """The visible blocks below an element."""
    from lxml import etree

    text, tags = HtmlText(), list[str]()
    counted = count_elements(root) if skip_chrome else {}
    navigation = navigation_of(root, counted)
    before_title = skip_chrome and root.find(".//h1") is not None
    numbers: dict[Any, int] = {}
    boxes: set[Any] = set()
    # What holds a title that is no heading of HTML; the title reaches to its end.
    reaches: set[Any] = set()
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in walker:
        if event == "start":
            before_title = before_title and element.tag != "h1"
            if element is not root and (
                element in navigation
                or is_skipped(element, counted, skip_chrome=skip_chrome)
                or is_note_mark(element)
                or (before_title and is_links_alone(element, counted))
            ):
                tags.append("")
                walker.skip_subtree()
                continue
            tag = _tag_of(element, boxes)
            if tag == _TITLE:
                reaches.add(element.getparent() if element.tag == "p" else element.getparent().getparent())
            tags.append(tag)
            if tag in ("td", "th"):
                spans = _whole_number(element, "colspan"), _whole_number(element, "rowspan")
                text.start(tag, element.text or "", *spans)
            else:
                label = _label(element, numbers) if tag in ("ol", "li") else ""
                text.start(tag, element.text or "", label=label)
        else:
            tag = tags.pop()
            text.end(tag, (element.tail or "") if element is not root else "")
            if tag == "hr" or element in reaches:
                text.leave_title()
    return text.finish()


def _tag_of(element: Any, boxes: set[Any]) -> str:
    """An element's tag by what it is used for; `boxes` are the layout tables met so far, and grow."""
    tag: str = element.tag
    if tag == "table" and element not in boxes and _is_layout(element):
        boxes.add(element)
    if tag in _OF_TABLES and next(element.iterancestors("table"), None) in boxes:
        return "div"
    if (tag == "dt" and _is_alone(element)) or (tag == "p" and _is_bold_title(element)):
        return _TITLE
    return "div" if element in boxes else tag


def _is_layout(table: Any) -> bool:
    """Tell whether a table arranges a page: one of a single cell, or whose cells hold headings."""
    cells = islice(table.iter("td", "th"), 2)
    return len(list(cells)) == 1 or next(table.iter(*HEADINGS), None) is not None


def _is_alone(term: Any) -> bool:
    """Tell whether a term is all that its list of definitions holds, so that it names what follows the list.

    >>> page = parse_page("<dl><dt>scrollback_lines</dt><dd></dd></dl><p>Number of lines of history.</p>")
    >>> _is_alone(page.find(".//dt"))
    True
    """
    around = term.getparent()
    if around is None or around.tag != "dl" or around.getnext() is None:
        return False
    others = [element for element in around if element is not term]
    return all(element.tag == "dd" and not any(map(str.strip, element.itertext())) for element in others)


def _is_bold_title(paragraph: Any) -> bool:
    """Tell whether a paragraph stands for a heading: short, all bold, in no list or table, and with text below.

    >>> page = parse_page("<p><b>(22) Is it free?</b></p><p>Yes.</p>")
    >>> [_is_bold_title(paragraph) for paragraph in page.iter("p")]
    [True, False]
    """
    inside = list(islice(paragraph, 2))
    # DocBook names figures and tables so.
    is_caption = "title" in (paragraph.get("class") or "").split()
    if len(inside) != 1 or inside[0].tag not in ("b", "strong") or paragraph.getnext() is None or is_caption:
        return False
    around = (paragraph.text or "") + (inside[0].tail or "")
    title = " ".join("".join(islice(inside[0].itertext(), 20)).split())
    return (
        not around.strip()
        and 2 < len(title) <= _LONGEST_TITLE
        and not title.endswith((".", ",", ";"))
        and next(paragraph.iterancestors("li", "dd", "table"), None) is None
    )


# The forms of numbers by the attribute "type" of a list (HTML, "The ol element").
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def _label(element: Any, numbers: dict[Any, int]) -> str:
    """The number of an item, or the first one of its list; "" without any. `numbers` counts the items of each list.

    >>> page = parse_page("<ol start=9><li>a</li><li value=20>b</li><li>c</li></ol>")
    >>> numbers = {}
    >>> [_label(element, numbers) for element in page.iter("ol", "li")]
    ['9', '9', '20', '21']
    """
    own = element if element.tag == "ol" else element.getparent()
    if own is None or own.tag != "ol" or _UNMARKED.search(own.get("style") or ""):
        return ""
    given = _INTEGER.fullmatch(element.get("start" if element is own else "value") or "")
    step = -1 if own.get("reversed") is not None else 1
    if element is own:
        first = 1 if step > 0 else sum(1 for _ in own.iterchildren("li"))
        numbers[own] = int(given[0]) if given else first
        return count_in(_FORMS.get(own.get("type") or "", ""), numbers[own])
    number = int(given[0]) if given else numbers.get(own, 1)
    numbers[own] = number + step
    return count_in(_FORMS.get(own.get("type") or "", ""), number)


def _whole_number(element: Any, name: str) -> int:
    """A numeric attribute, at least 1; 1 if it is missing or invalid."""
    value = (element.get(name) or "").strip()
    return max(1, min(int(value), _MOST_SPANNED)) if value.isascii() and value.isdecimal() else 1


def title_of_page(root: Any) -> str:
    """The page's title; its only h1 if the title merely adds the site's name."""
    title = " ".join((root.findtext(".//title") or "").split())
    headings = [" ".join("".join(heading.itertext()).split()) for heading in root.findall(".//h1")[:2]]
    if len(headings) == 1 and headings[0] and (not title or title.startswith(headings[0])):
        return headings[0]
    return title or next(iter(headings), "")


class _Flat(HTMLParser):
    """Collects text without a tree, for pages nested too deeply for one."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = HtmlText()
        self._hidden = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "head", "noscript", "template"):
            self._hidden = self._hidden or tag
        self.text.start("br" if tag in ("div", "p", "li", "tr") else "span", "")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = "" if tag == self._hidden else self._hidden

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text.start("span", data)


def flat_blocks(text: str) -> Blocks:
    """The text of a page as plain lines."""
    flat = _Flat()
    for piece in _pieces(text):
        flat.feed(piece)
    flat.close()
    return flat.text.finish()


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces, because the parser copies unused input."""
    for start in range(0, len(text), 1 << 16):
        yield text[start : start + (1 << 16)]
