"""Prepare Markdown dialects for a CommonMark parser, line by line.

MkDocs' admonitions, tabs, snippets and definition lists, Docusaurus' and MyST's directives, front matter,
footnotes, templating, comments and HTML blocks without prose. Line numbers do not change: the content of containers
is dedented, and what is not Markdown becomes an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.nlp.block import BlockKind
from assay.nlp.lexicon import word_class
from assay.types import Span

# Ends an open paragraph or list without being prose itself.
_BREAK = "***"
_INDENT = 4
_FENCE = re.compile(r"(?P<before>(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$")
_CONTAINER = re.compile(r"(?P<indent>[ \t]*)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+[\w\"'].*$")
_DIRECTIVE = re.compile(r"[ \t]*:{3,}[ \t]*(?:\{?[A-Za-z][\w.:-]*\}?.*)?$")
# mkdocstrings: an object to document, with its options below.
_AUTODOC = re.compile(r"[ \t]*::: [\w]+(?:\.[\w]+)+[ \t]*$")
_DEFINITION = re.compile(r"(?P<indent> {0,3}):(?: {1,3}|\t)(?=\S)")
# GitHub alerts and Obsidian callouts: the kind and title on the first line of a quotation.
_ALERT = re.compile(r"(?P<quote>[ \t]*(?:>[ \t]?)+)\[![A-Za-z]{3,20}\][-+]?(?:[ \t]++[^\n]*)?$")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]\s]{1,80}\]:[ \t]*")
# CommonMark would take a year at the start of a line for an item number.
_NO_ITEM = re.compile(r"\d{4,9}(?=\.[ \t])")
# Footnotes are parsed as list items, so that each ends at the next and continues over indented lines.
_FOOTNOTE_ITEM = "+ "
_LINE_MARKUP = re.compile(
    r"""[ \t]*(?:
        [-;]{1,2}8<-{1,2}.*                                      # a snippet of another file
      | \[TOC\]
      | \{:[^{}]*\}                                              # attributes of a block
      | \([\w][\w:./-]{0,80}\)=                                  # a target of MyST's cross-references
      | import\ .{1,200}\ from\ ['"].{1,200}['"];? | import\ ['"][^'"]{1,200}['"];?
      | export\ (?:default|const|let|function)\b.{1,300}
    )[ \t]*$""",
    re.VERBOSE,
)
# Templating alone on its line.
_TEMPLATING = re.compile(
    r"[ \t]*+(?:(?:\{%(?:[^%\n]|%(?!\}))*%\}|\{#(?:[^#\n]|#(?!\}))*#\}|\{\{(?:[^}\n]|\}(?!\}))*\}\})[ \t]*+)+$"
)
# Constructs over several lines: start, end, and the kind of block; None for markup.
_STRETCHES: tuple[tuple[re.Pattern[str], re.Pattern[str], BlockKind | None], ...] = (
    (re.compile(r"<!--"), re.compile(r"-->"), None),
    (re.compile(r"^[ \t]*\{%"), re.compile(r"%\}"), None),
    (re.compile(r"^[ \t]*\{\{"), re.compile(r"\}\}"), None),
    (re.compile(r"^[ \t]*\{#(?=[ \t\n])"), re.compile(r"#\}"), None),
    (re.compile(r"^[ \t]*<script\b", re.I), re.compile(r"</script>", re.I), None),
    (re.compile(r"^[ \t]*<style\b", re.I), re.compile(r"</style>", re.I), None),
    (re.compile(r"^[ \t]*<pre\b", re.I), re.compile(r"</pre>", re.I), BlockKind.CODE),
    (re.compile(r"^[ \t]*<table\b", re.I), re.compile(r"</table>", re.I), BlockKind.TABLE),
)
_MAY_STRETCH = ("<!--", "{%", "{{", "{#", "<")
# Lines after which the end is considered missing: chosen.
_LONGEST_STRETCH = 400
# MyST directives whose content is prose.
_PROSE_DIRECTIVES = frozenset(
    """admonition attention caution danger deprecated dropdown error epigraph grid grid-item-card card hint
    important note seealso tab-item tab-set tip topic versionadded versionchanged warning""".split()
)
_DIRECTIVE_NAME = re.compile(r"\{([\w-]+)\}")
_KEY = re.compile(r"[\"']?[\w][\w .-]{0,60}[\"']?[ \t]*[:=](?:[ \t]|$)|#|- |$")
_FRONT = {"---": ("---", "..."), "+++": ("+++",)}
# A top-level entry of front matter, and a nested key.
_ENTRY = re.compile(r"[\"']?(?P<key>\w[\w .-]{0,60}?)[\"']?[ \t]*[:=](?:[ \t]++(?P<value>.*))?$")
_INNER_KEY = re.compile(r"[ \t]+[\w\"'][\w .\"'-]{0,60}:(?:[ \t]|$)")
_LAYOUT_KEYS = word_class("front_matter.layout")
# Switches, paths and file names, which say nothing about the document.
_NO_VALUE = re.compile(
    r"[\"'\[]?(?:true|false|null|~|yes|no|on|off|\.{0,2}/\S*|\S+\.(?:png|jpe?g|svg|gif|webp|ico|html?|css|js))?[\"'\]]?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A block hidden from the parser: lines `first` to `last`, inclusive.

    `rows`: first and last line of each row of a table, if known.
    """

    first: int
    last: int
    kind: BlockKind
    rows: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class Prepared:
    """The lines for the parser, and what is hidden from it.

    `shifts`: for each line, how many characters of the text's line are missing at its front. `hidden`: stretches of
    the text that are markup. `stretches`: blocks of their own. `omitted`: lines of those to leave out.
    `footnotes`: the numbers of the lines on which a footnote begins.
    """

    lines: list[str] = field(default_factory=list)
    shifts: list[int] = field(default_factory=list)
    hidden: list[Span] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    omitted: list[Span] = field(default_factory=list)
    footnotes: set[int] = field(default_factory=set)


def front_matter(lines: Sequence[str]) -> int:
    """The number of lines of front matter at the top, including its rules; 0 if there is none.

    >>> front_matter(["---", "title: Tea", "---", "# Tea"])
    3
    """
    ends = _FRONT.get(lines[0].rstrip()) if lines else None
    if ends is None:
        return 0
    for number in range(1, len(lines)):
        if lines[number].rstrip() in ends:
            return number + 1 if number > 1 and _KEY.match(lines[1]) else 0
    return 0


def _front_entries(lines: Sequence[str], end: int) -> Iterator[tuple[int, int, bool]]:
    """Each entry of front matter before line `end`: first line, last line, whether it describes the document."""
    first, match = 0, None
    for number in range(1, end):
        line = lines[number]
        begins = _ENTRY.match(line) if number < end - 1 else None
        if begins is None and number < end - 1 and (not line.strip() or line.startswith((" ", "\t", "- "))):
            continue
        if match is not None:
            yield first, number - 1, _informs(match, lines[first + 1 : number])
        first, match = number, begins


def _informs(entry: re.Match[str], below: Sequence[str]) -> bool:
    """True if an entry of front matter describes the document, not how a program should render it."""
    if entry["key"].lower() in _LAYOUT_KEYS or (below and _INNER_KEY.match(below[0])):
        return False
    value = (entry["value"] or "").strip()
    return any(map(str.strip, below)) if not value else _NO_VALUE.match(value) is None


def prepare(lines: Sequence[str], spans: Sequence[Span]) -> Prepared:
    """Prepare lines for a CommonMark parser; `spans` are their offsets in the text."""
    return _Preparer(lines, spans).run()


class _Preparer:
    def __init__(self, lines: Sequence[str], spans: Sequence[Span]) -> None:
        self._lines = lines
        self._spans = spans
        self._prepared = Prepared()
        # The indentation of each open container's marker, relative to the container around it.
        self._containers: list[int] = []
        self._fence = ""
        # Open fences of directives with prose.
        self._prose_fences: list[str] = []

    def run(self) -> Prepared:
        number = self._front_matter(front_matter(self._lines))
        code = _cut_off_code(self._lines, number)
        if code > number:
            self._prepared.stretches.append(Stretch(number, code - 1, BlockKind.CODE))
            number = self._hide(number, code, markup=False)
            self._prepared.hidden.append(self._spans[code - 1])
        while number < len(self._lines):
            number = self._step(number)
        return self._prepared

    def _front_matter(self, end: int) -> int:
        """Make a table of the entries that describe the document, hide the rest; return the next line."""
        if not end:
            return 0
        entries = list(_front_entries(self._lines, end))
        rows = [(first, last) for first, last, informs in entries if informs]
        shown = {number for first, last in rows for number in range(first, last + 1)}
        for number in range(end):
            self._hide(number, number + 1, markup=number not in shown)
        if rows:
            first, last = rows[0][0], rows[-1][1]
            self._prepared.stretches.append(Stretch(first, last, BlockKind.TABLE, tuple(rows)))
            self._prepared.omitted += [self._spans[number] for number in range(first, last) if number not in shown]
        return end

    def _step(self, number: int) -> int:
        """Process a line and those that belong to it; return the number of the next."""
        line, shift = self._dedent(self._lines[number])
        if self._fence or (line.lstrip(" \t>-*+.)0123456789").startswith(("```", "~~~")) and _FENCE.match(line)):
            return self._fence_line(number, line, shift)
        stripped = line.lstrip()
        if not stripped:
            return self._keep(line, shift, number)
        if stripped[0] in "!?=:":
            following = self._container(number, line)
            if following:
                return following
        if stripped[0] == "[" and (footnote := _FOOTNOTE.match(line)):
            return self._footnote(number, line, shift, footnote.end())
        if stripped[0] == ">" and (alert := _ALERT.match(line)):
            return self._hide(number, number + 1, instead=alert["quote"])
        if stripped[0] in "-;[{(ie" and (_LINE_MARKUP.match(line) or _TEMPLATING.match(line)):
            return self._hide(number, number + 1)
        if stripped[0] == "#" and all(word[0] == "#" and word[1:2].isalpha() for word in stripped.split()):
            return self._hide(number, number + 1)  # a wiki's tags
        return self._stretch(number, line, shift) or self._keep(line, shift, number)

    def _keep(self, line: str, shift: int, number: int) -> int:
        if line[:1].isdecimal() and (year := _NO_ITEM.match(line)):
            line = f"{year[0]},{line[year.end() + 1 :]}"
        self._prepared.lines.append(line)
        self._prepared.shifts.append(shift)
        return number + 1

    def _hide(self, first: int, end: int, *, markup: bool = True, instead: str = "") -> int:
        """Replace lines `first` to `end`, `end` excluded, by empty lines."""
        for number in range(first, end):
            self._prepared.lines.append(instead)
            self._prepared.shifts.append(0)
            if markup:
                self._prepared.hidden.append(self._spans[number])
        return end

    def _dedent(self, line: str) -> tuple[str, int]:
        """The line without the indentation of its containers, and the number of characters removed."""
        if not self._containers or not line.strip():
            return line, 0
        shift = 0
        for depth, indent in enumerate(self._containers):
            cut = _columns(line, indent + _INDENT)
            if cut is None:
                del self._containers[depth:]
                break
            # Keep the container's own indentation; remove that of its content.
            cut -= _columns(line, indent) or 0
            line, shift = line[cut:], shift + cut
        return line, shift

    def _fence_line(self, number: int, line: str, shift: int) -> int:
        bare = line.strip(" \t>")
        if self._fence:
            if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
                self._fence = ""
            return self._keep(line, shift, number)
        match = _FENCE.match(line)
        if match is None or (match["mark"][0] == "`" and "`" in match["info"]):
            return self._keep(line, shift, number)
        mark, info = match["mark"], match["info"].strip()
        name = _DIRECTIVE_NAME.match(info)
        if name and name[1] in _PROSE_DIRECTIVES:
            self._prose_fences.append(mark)
            return self._hide(number, number + 1, instead=_BREAK)
        if not info and self._prose_fences and mark == self._prose_fences[-1]:
            self._prose_fences.pop()
            return self._hide(number, number + 1, instead=_BREAK)
        self._fence = mark
        return self._keep(line, shift, number)

    def _container(self, number: int, line: str) -> int:
        """Open a container if the line is its marker; return the next line, or 0."""
        if _AUTODOC.match(line):
            end = number + 1
            while end < len(self._lines) and (self._lines[end].startswith("    ") or not self._lines[end].strip()):
                end += 1
            return self._hide(number, end)
        if _DIRECTIVE.match(line):
            return self._hide(number, number + 1, instead=_BREAK)
        match = _CONTAINER.match(line)
        if match:
            self._containers.append(len(match["indent"]))
            return self._hide(number, number + 1, instead=match["indent"] + _BREAK)
        definition = _DEFINITION.match(line)
        if definition is None:
            return 0
        shift = len(self._lines[number]) - len(line)
        start = self._spans[number].start + shift
        self._prepared.hidden.append(Span(start, start + definition.end()))
        self._containers.append(len(definition["indent"]))
        return self._keep(line[definition.end() :], shift + definition.end(), number)

    def _footnote(self, number: int, line: str, shift: int, end: int) -> int:
        """Hide a footnote's mark and pass its text to the parser as a list item."""
        start = self._spans[number].start + shift
        self._prepared.hidden.append(Span(start, start + end))
        self._prepared.footnotes.add(number)
        return self._keep(_FOOTNOTE_ITEM + line[end:], shift + end - len(_FOOTNOTE_ITEM), number)

    def _stretch(self, number: int, line: str, shift: int) -> int:
        """Hide a construct that begins on the line; return the next line, or 0."""
        if not any(sign in line for sign in _MAY_STRETCH):
            return 0
        for opens, closes, kind in _STRETCHES:
            begin = opens.search(line)
            if begin is None or line.count("`", 0, begin.start()) % 2:
                continue
            found = self._close(number, begin.end() + shift, closes)
            if found is None:
                continue
            last, stop = found
            if kind is not None:
                self._prepared.stretches.append(Stretch(number, last, kind))
                return self._hide(number, last + 1, markup=False)
            if last == number and opens.pattern == "<!--":
                return 0  # the parser handles inline comments
            return self._hide_between(number, begin.start(), line, shift, last, stop)
        return 0

    def _close(self, number: int, behind: int, closes: re.Pattern[str]) -> tuple[int, int] | None:
        """The line on which a construct ends, and the column after its end; None if it never ends."""
        for last in range(number, min(len(self._lines), number + _LONGEST_STRETCH)):
            match = closes.search(self._lines[last], behind if last == number else 0)
            if match:
                return last, match.end()
        return None

    def _hide_between(self, number: int, begin: int, line: str, shift: int, last: int, stop: int) -> int:
        """Hide from one position to another on a later line; keep the text before and after."""
        if last == number and not (line[:begin].strip() or self._lines[last][stop:].strip()):
            return self._hide(number, number + 1)
        if last == number:
            return 0
        start = self._spans[number].start + shift + begin
        self._prepared.hidden.append(Span(start, self._spans[last].start + stop))
        self._keep(line[:begin].rstrip(), shift, number)
        self._hide(number + 1, last)
        return self._keep(self._lines[last][stop:], stop, last)


def _columns(line: str, columns: int) -> int | None:
    """The number of leading white-space characters that span `columns`; None if there are too few."""
    reached = 0
    for place, character in enumerate(line):
        if reached >= columns:
            return place
        if character == "\t":
            reached += _INDENT - reached % _INDENT
        elif character == " ":
            reached += 1
        else:
            return None
    return None if reached < columns else len(line)


def _cut_off_code(lines: Sequence[str], start: int) -> int:
    """The line after the fence that closes code whose start was cut off; `start` if there is none.

    A bare fence directly below text and followed by a blank line closes code if the number of fences is odd or the
    next one names a language.

    >>> _cut_off_code(["import tea", "```", "", "Now wait."], 0), _cut_off_code(["```", "import tea", "```"], 0)
    (2, 0)
    """
    fences = [(number, match) for number in range(start, len(lines)) if (match := _bare_fence(lines[number]))]
    if not fences or fences[0][1]["info"].strip() or fences[0][0] == start:
        return start
    number = fences[0][0]
    touches = bool(lines[number - 1].strip())
    parted = number + 1 == len(lines) or not lines[number + 1].strip()
    opens = len(fences) > 1 and bool(fences[1][1]["info"].strip())
    return number + 1 if touches and parted and (opens or len(fences) % 2) else start


def _bare_fence(line: str) -> re.Match[str] | None:
    return _FENCE.match(line) if "```" in line or "~~~" in line else None
