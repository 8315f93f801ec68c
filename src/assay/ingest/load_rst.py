"""reStructuredText, read line by line: headings, lists, tables, code, and the prose of directives.

What Sphinx adds needs no list of its directives: all but those that hold code or nothing to read hold prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.errors import EmptyDocument
from assay.ingest.detect import decode
from assay.ingest.list_marks import mark_of
from assay.ingest.outline import Blocks, Outline
from assay.ingest.tables import plain_row
from assay.nlp.blocks import is_drawn
from assay.types import Loaded, Location

_DIRECTIVE = re.compile(r"\.\. (?P<name>[\w:.+-]{1,60})::(?:[ \t]++(?P<words>.*))?$")
_NOTE = re.compile(r"\.\. \[[#\w*.-]{1,60}\](?:[ \t]++(?P<words>.*))?$")
_OPTION = re.compile(r":[\w -]{1,40}:(?:\s|$)")
_FIELD = re.compile(r":(?P<name>[^:`\s][^:`]{0,60}):[ \t]++(?P<value>\S.*)$")
# A letter with a stop begins a name as often as an item.
_ITEM = re.compile(r"(?:[-*+•]|(?:\d{1,3}|#)[.)]|[A-Za-z]\)|\((?:\d{1,3}|#|[A-Za-z])\))[ \t]++(?=\S)")
_CELL = re.compile(r"(?P<row>\*[ \t]++)?-(?:[ \t]++|$)")
# What is indented deeper than so often is read as it stands there: chosen.
_DEEPEST = 40
_SIMPLE_RULE = re.compile(r"={2,}(?: +={2,})+\s*$")
_GRID_RULE = re.compile(r"\+(?:[-=]{2,}\+)+\s*$")
_COLUMN = re.compile(r"=+")
_CODE = frozenset(
    "code code-block sourcecode parsed-literal prompt ipython doctest testcode console highlight".split()
)
_NOT_READ = frozenset(
    """contents toctree image include literalinclude raw meta index module currentmodule tabularcolumns
    role default-role only sectnum target-notes automodule autoclass autofunction autosummary plot math
    graphviz""".split()
)
# Marks within a line, and what is shown for them.
_INLINE = (
    (re.compile(r"[ \t]?\[[#*\w.-]{0,60}\]_(?!\w)"), ""),
    (re.compile(r":[\w:+.-]{1,40}:`[!~]?([^`<\n]{1,200}?)(?:\s?<[^`<>\n]{1,200}>)?`"), r"\1"),
    (re.compile(r"``([^`\n]{1,300})``"), r"\1"),
    (re.compile(r"`([^`<\n]{1,200}?)(?:\s?<[^`<>\n]{1,300}>)?`_{0,2}"), r"\1"),
    (re.compile(r"(?<![\w*])\*{1,2}([^\s*](?:[^*\n]{0,300}[^\s*])?)\*{1,2}(?![\w*])"), r"\1"),
    (re.compile(r"(?<=\w)__?(?!\w)"), ""),
    (re.compile(r"\\([^\w\s])"), r"\1"),
)


class RstLoader:
    """Reads reStructuredText; its title is its first heading."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The prose with its headings as sections; raises EmptyDocument.

        >>> RstLoader().load(b"Tea\\n===\\n\\n.. note:: Boil *soft* water.\\n", "tea.rst").text
        'Tea\\n\\nBoil soft water.'
        """
        decoded = decode(data)
        reader = _Reader()
        reader.read(decoded.text.expandtabs(8).splitlines())
        if not reader.blocks.text:
            raise EmptyDocument(f"{name}: no text to read", hint="nothing to do; the file holds only directives")
        return Loaded(
            reader.blocks.text, "rst", reader.title, regions=reader.blocks.regions, warnings=decoded.warnings
        )


@dataclass(slots=True)
class _Reader:
    """Collects the blocks of a document; `indent` is that of the list that is being read."""

    blocks: Blocks = field(default_factory=Blocks)
    title: str = ""
    _outline: Outline = field(default_factory=Outline)
    # Each kind of line at titles, in the order in which they come: its place is the level.
    _kinds: list[str] = field(default_factory=list)
    _depth: int = 0
    _indent: str = ""
    _gap: str = "\n\n"
    # The number of the last item at each indentation.
    _numbers: dict[str, int] = field(default_factory=dict)

    def read(self, lines: Sequence[str]) -> None:
        """Read lines that stand at the margin, and what is indented below them."""
        at = 0
        self._depth += 1
        while at < len(lines):
            at = self._step(lines, at) if self._depth < _DEEPEST else self._paragraph(lines, at)
        self._depth -= 1

    def _step(self, lines: Sequence[str], at: int) -> int:
        line = lines[at]
        if not line.strip():
            self._gap = "\n\n"
            return at + 1
        for read in (self._heading, self._explicit, self._table, self._fields, self._item):
            behind = read(lines, at)
            if behind:
                return behind
        if line.startswith(" "):
            behind = _indented_end(lines, at)
            self.read(_dedented(lines[at:behind]))
            return behind
        return self._paragraph(lines, at)

    def _heading(self, lines: Sequence[str], at: int) -> int:
        """A title with a line under it, or under and over it; a line alone parts sections, and is left out."""
        adorns = is_drawn(lines[at])
        over = 1 if adorns and at + 2 < len(lines) and lines[at + 2].rstrip() == lines[at].rstrip() else 0
        title = lines[at + over].strip()
        under = lines[at + over + 1] if at + over + 1 < len(lines) else ""
        if title and not is_drawn(title) and is_drawn(under) and len(under.rstrip()) >= len(title):
            kind = under[0] * (1 + over)
            if kind not in self._kinds:
                self._kinds.append(kind)
            words = _shown(title)
            self.title = self.title or words
            self._outline.enter(self._kinds.index(kind) + 1, words)
            self.blocks.add(words, self._location(), "heading")
            self._gap = "\n\n"
            return at + over + 2
        return at + 1 if adorns else 0

    def _explicit(self, lines: Sequence[str], at: int) -> int:
        """A directive, a footnote, or what else begins with two dots and is not read."""
        line = lines[at]
        if not (line.startswith(".. ") or line.rstrip() == ".."):
            return 0
        behind = _indented_end(lines, at + 1)
        content = _dedented(lines[at + 1 : behind])
        directive, note = _DIRECTIVE.match(line), _NOTE.match(line)
        if note:
            self.read([note["words"] or "", *content])
        elif directive:
            self._directive(directive["name"].lower(), directive["words"] or "", content)
        self._gap = "\n\n"
        return behind

    def _directive(self, name: str, words: str, content: Sequence[str]) -> None:
        while content and _OPTION.match(content[0]):
            content = content[1:]
        if name in _NOT_READ:
            return
        if name in _CODE:
            self._code(content)
            return
        if name == "list-table":
            self._add(words)
            self._list_table(content)
            return
        # What stands behind a figure's name is its file.
        if words and name != "figure":
            self.read([words])
            self._gap = "\n\n"
        self.read(content)

    def _list_table(self, content: Sequence[str]) -> None:
        """A table of which each row is an item, and each cell an item of that."""
        rows: list[list[str]] = []
        for line in content:
            begins = _CELL.match(line.strip())
            if begins and begins["row"]:
                rows.append([])
            if begins and rows:
                rows[-1].append(line.strip()[begins.end() :])
            elif line.strip() and rows and rows[-1]:
                rows[-1][-1] += " " + line.strip()
        self._rows(rows)

    def _table(self, lines: Sequence[str], at: int) -> int:
        """A table drawn with rules: of equal signs over its columns, or a grid."""
        if _SIMPLE_RULE.match(lines[at]):
            columns = [match.start() for match in _COLUMN.finditer(lines[at])]
            behind = at + 1
            rows: list[list[str]] = []
            while behind < len(lines) and (lines[behind].strip() or not _ends_table(lines, behind)):
                line = lines[behind]
                cells = [line[start:end].strip() for start, end in zip(columns, [*columns[1:], None], strict=True)]
                if _SIMPLE_RULE.match(line) or not line.strip() or is_drawn(line):
                    pass
                elif cells[0] or not rows:
                    rows.append(cells)
                else:
                    rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
                behind += 1
            self._rows(rows)
            return behind
        if not _GRID_RULE.match(lines[at]):
            return 0
        behind, rows, begins = at, [], True
        while behind < len(lines) and lines[behind][:1] in ("+", "|"):
            if lines[behind].startswith("+"):
                begins = True
            else:
                cells = [cell.strip() for cell in lines[behind].strip().strip("|").split("|")]
                if begins or len(cells) != len(rows[-1]):
                    rows.append(cells)
                else:
                    rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
                begins = False
            behind += 1
        self._rows(rows)
        return behind

    def _rows(self, rows: Sequence[Sequence[str]]) -> None:
        gap = "\n\n"
        for row in rows:
            line = plain_row([_shown(cell) for cell in row])
            self.blocks.add(line, self._location(), "table", gap)
            gap = "\n" if line else gap
        self._gap = "\n\n"

    def _fields(self, lines: Sequence[str], at: int) -> int:
        """Neighbouring fields, such as author and version, as lines of one block."""
        behind, gap = at, "\n\n"
        while behind < len(lines) and (match := _FIELD.match(lines[behind])):
            end = _indented_end(lines, behind + 1) if lines[behind + 1 : behind + 2] != [""] else behind + 1
            value = " ".join([match["value"], *map(str.strip, lines[behind + 1 : end])]).strip()
            self.blocks.add(f"{match['name']}: {_shown(value)}", self._location(), gap=gap)
            behind, gap = end, "\n"
        return behind if behind > at else 0

    def _item(self, lines: Sequence[str], at: int) -> int:
        """An item of a list with all that is indented under it."""
        match = _ITEM.match(lines[at])
        if match is None:
            return 0
        behind = _indented_end(lines, at + 1)
        content = [lines[at][match.end() :], *_dedented(lines[at + 1 : behind])]
        first = next(
            (place for place, line in enumerate(content) if not line.strip() or (place and _ITEM.match(line))), None
        )
        words = content[:first]
        goes_on = self._gap == "\n"
        number = self._numbers.get(self._indent, 0) + 1 if goes_on else 1
        label = match.group().strip().replace("#", str(number))
        self._numbers[self._indent] = number
        mark = mark_of(label if len(label) > 1 else "")
        self._add(mark + " ".join(map(str.strip, words)), gap="\n" if goes_on else "\n\n")
        outer, self._indent = self._indent, self._indent + " " * (len(mark) if mark[0].isdigit() else 2)
        self._gap = "\n"
        self.read(content[len(words) :])
        self._indent, self._gap = outer, "\n"
        return behind

    def _paragraph(self, lines: Sequence[str], at: int) -> int:
        """A paragraph, or a term with its definition, and the code that two colons lead to."""
        behind = at + 1
        while behind < len(lines) and lines[behind].strip() and not lines[behind].startswith(" "):
            behind += 1
        words = " ".join(line.strip() for line in lines[at:behind])
        if self._depth >= _DEEPEST:
            self._add(words)
            return behind
        if behind == at + 1 and behind < len(lines) and lines[behind].startswith(" ") and not words.endswith("::"):
            end = _indented_end(lines, behind)
            definition = _dedented(lines[behind:end])
            first = next((place for place, line in enumerate(definition) if not line.strip()), len(definition))
            self._add(f"* {words}: " + " ".join(definition[:first]), gap="\n" if self._gap == "\n" else "\n\n")
            self._gap = "\n"
            self.read(definition[first:])
            return end
        if not words.endswith("::"):
            self._add(words)
            return behind
        self._add(words[:-1] if words != "::" else "")
        end = _indented_end(lines, behind)
        self._code(_dedented(lines[behind:end]))
        return end

    def _code(self, lines: Sequence[str]) -> None:
        """A block of code, between fences as in Markdown."""
        code = "\n".join(lines).strip("\n")
        if code.strip():
            self.blocks.add(f"```\n{code}\n```", self._location())
            self._gap = "\n\n"

    def _add(self, words: str, gap: str = "\n\n") -> None:
        self.blocks.add(_shown(words), self._location(), gap=gap + self._indent)
        self._gap = "\n\n"

    def _location(self) -> Location:
        return Location(section=self._outline.section)


def _shown(words: str) -> str:
    """The words of a line without its marks.

    >>> _shown("See :ref:`the ovens <ovens>`, **45 minutes** [#deck]_ or `Tea <https://t.example>`_.")
    'See the ovens, 45 minutes or Tea.'
    """
    for pattern, instead in _INLINE:
        words = pattern.sub(instead, words)
    return " ".join(words.split()) if not words.startswith("  ") else words


def _indented_end(lines: Sequence[str], at: int) -> int:
    """The line behind those from `at` on that are indented, blank ones at their end left out."""
    behind = last = at
    while behind < len(lines) and (not lines[behind].strip() or lines[behind].startswith(" ")):
        behind += 1
        last = behind if lines[behind - 1].strip() else last
    return last


def _dedented(lines: Sequence[str]) -> list[str]:
    """The lines without the indentation that all of them share."""
    shared = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[shared:] for line in lines]


def _ends_table(lines: Sequence[str], at: int) -> bool:
    """Tell whether a blank line ends a table of rules: the line above it is one."""
    return _SIMPLE_RULE.match(lines[at - 1]) is not None
