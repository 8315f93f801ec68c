"""What rules leave alone, and what no edit may touch: quotations, code and tables, titles, numbers, marks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.reflect.subject import Exempt
from assay.text.citation_marks import citations, code_spans
from assay.text.quantities import quantities
from assay.types import Span

_QUOTES = re.compile(
    r'"[^"\n]{1,1000}"|“[^“”\n]{1,1000}”|„[^„“”\n]{1,1000}[“”]|«[^«»\n]{1,1000}»|‘[^‘’\n]{1,1000}’(?!\w)'
    r"|「[^「」\n]{1,1000}」|『[^『』\n]{1,1000}』|^[ \t]{0,3}>[^\n]*$",
    re.MULTILINE,
)
_CODE = re.compile(
    r"^[ \t]{0,3}(?P<fence>```|~~~)[^\n]*\n(?:.*?^[ \t]{0,3}(?P=fence)[^\n]*$|.*\Z)"
    r"|`[^`\n]{1,1000}`|^[ \t]*\|[^\n]*\|[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_TITLES = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t][^\n]*$|^[ \t]*\*\*[^*\n]{1,200}\*\*:?[ \t]*$|《[^《》\n]{1,200}》"
    r"|(?<![\w*])\*(?=[A-Z])[^*\n]{2,200}\*(?![\w*])|(?<!\w)_(?=[A-Z])[^_\n]{2,200}_(?!\w)",
    re.MULTILINE,
)
_BY_NAME = {"quote": _QUOTES, "code": _CODE, "title": _TITLES}
_NOT_SPACE = re.compile(r"\S")
# A source's name is known by its words; a name of one word is a word like any other.
_LEAST_TITLE_WORDS = 2


def exempt_spans(text: str, exempt: frozenset[Exempt], titles: Iterable[str] = ()) -> tuple[Span, ...]:
    """The places of what is left alone, in any order; `titles` are the names of the sources.

    >>> text = 'He "delves" into `delve`.'
    >>> sorted(text[s.start : s.end] for s in exempt_spans(text, frozenset(("quote", "code"))))
    ['"delves"', '`delve`']
    """
    found = [Span(*match.span()) for name in sorted(exempt) for match in _BY_NAME[name].finditer(text)]
    if "title" in exempt:
        known = {title for title in titles if len(title.split()) >= _LEAST_TITLE_WORDS}
        found += [Span(*match.span()) for title in sorted(known) for match in re.finditer(re.escape(title), text)]
    return tuple(found)


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces for what stands in the spans, line ends kept: places stay true.

    >>> blanked("a bc d", [Span(2, 4)])
    'a    d'
    """
    parts, at = [], 0
    for span in sorted(spans, key=lambda each: (each.start, each.end)):
        start = max(span.start, at)
        if span.end > start:
            parts += [text[at:start], _NOT_SPACE.sub(" ", text[start : span.end])]
            at = span.end
    return "".join([*parts, text[at:]])


def untouchable(text: str) -> tuple[Span, ...]:
    """What no edit may touch: quotations, code, tables, citation marks and numbers.

    Code is also what the marks are read without: where a fence within a line goes, brackets behind it become marks.
    """
    marks = (Span(mark.start, mark.end) for mark in citations(text))
    numbers = (Span(each.start, each.end) for each in quantities(text))
    return (*exempt_spans(text, frozenset(("quote", "code"))), *code_spans(text), *marks, *numbers)
