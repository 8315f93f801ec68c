"""Citation marks: one small grammar for every style that writers use, and the numbers they stand for.

mark    = open [label] item {separator item} close
open    = "[" | "【" | "［", close likewise; "[[1]]" is a mark in brackets
label   = "source" | "sources" | "ref" | … | "^"
item    = number [dash number] [locator] | [label] number | "source:" name
locator = "," "p." number …
Where ids of sources are known, a mark may hold ids: open id {separator id} close
Code holds no marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.types import Citation, Passage, Span

# Marks a sentence that could not be verified.
HEDGE_MARK = "⚠"
LONGEST_MARK = 400
LARGEST_RANGE = 50
_CODE = re.compile(r"```.*?(?:```|\Z)|``[^`\n]+``|`[^`\n]+`", re.DOTALL)
# An opening bracket's search ends at the next bracket of any kind, so that the whole scan stays linear.
_BRACKET = re.compile(rf"[\[【［〔]([^\[\]【】［］〔〕]{{1,{LONGEST_MARK}}})[\]】］〕](?!\()")
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<locator>(?:pp?|pages?|para|sec|section|ch|chapter|lines?|l|S|slide|row|sheet)\b\.?\s*
                    [\dA-Za-z]{1,12}(?:\s?(?:-|–)\s?\d{1,6})?)
      | (?P<label>sources?|references?|refs?|documents?|docs?|passages?|citations?
                  |cite|notes?|quelle|来源|出典|\^|\#)\s*:?\.?
      | (?P<dash>\.{2,3}|…|-|–|—|~|(?:to|bis|through)\b)
      | (?P<separator>,|;|、|，|；|&|\+|/|(?:and|und|et)\b)
      | (?P<number>\d{1,6})(?![\w.]\d)(?!\w)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_COMMA = re.compile("[,;]")
_NAMED = re.compile(r"\s*(?:sources?|refs?|documents?|docs?)\s*:\s*(?P<name>[^\[\]]{1,300}?)\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of sources in marks: number n, `titles[n - 1]` behind a label, or `ids[n - 1]`.

    A mark of digits alone is a number, never an id.
    """

    titles: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


def names_of(passages: Iterable[Passage]) -> Names:
    """The names of passages, their ids included.

    >>> names = names_of([Passage("kb-7", "d", "r", 0, 1, "x", title="Rain")])
    >>> [mark.numbers for mark in citations("It rained [kb-7] [Source: Rain] [kb-8].", names)]
    [(1,), (1,)]
    """
    given = tuple(passages)
    return Names(tuple(one.title for one in given), tuple(one.passage_id for one in given))


def citations(text: str, names: Names | Sequence[str] = ()) -> tuple[Citation, ...]:
    """The citation marks of `text` with their numbers; `names` are the sources' titles, or all their names.

    A mark that names no known source has no numbers. Brackets that hold anything else are not marks.

    >>> [(c.start, c.numbers) for c in citations("Up 5 % [Sources 1, 3-4]. So [^2] and 【５】, see `x[0]`.")]
    [(7, (1, 3, 4)), (28, (2,)), (37, (5,))]
    """
    known = names if isinstance(names, Names) else Names(tuple(names))
    found: list[Citation] = []
    for match in _BRACKET.finditer(_without_code(text)):
        inside = match.group(1)
        numbers = (int(inside),) if _plain(inside) else _numbers(inside, known)
        if numbers is not None:
            found.append(Citation(match.start(), match.end(), numbers))
    return tuple(found)


def invalid(marks: Sequence[Citation], sources: int) -> tuple[Citation, ...]:
    """The marks that refer to no source, or to one outside 1 to `sources`."""
    return tuple(mark for mark in marks if not mark.numbers or any(not 1 <= n <= sources for n in mark.numbers))


def code_spans(text: str) -> tuple[Span, ...]:
    """The code in `text`, which holds no marks; an unclosed fence runs to the end.

    >>> code_spans("See `x[0]`. ```[1]")
    (Span(start=4, end=10), Span(start=12, end=18))
    """
    return tuple(Span(*match.span()) for match in _CODE.finditer(text))


def without_marks(text: str, marks: Sequence[Citation]) -> str:
    """The text with marks blanked out; offsets are unchanged.

    >>> without_marks("So [1].", citations("So [1]."))
    'So    .'
    """
    parts, at = [], 0
    for mark in marks:
        parts += [text[at : mark.start], " " * (mark.end - mark.start)]
        at = mark.end
    return "".join([*parts, text[at:]])


def render(numbers: Sequence[int]) -> str:
    """The mark that assay writes for some numbers.

    >>> render((1, 3))
    '[1] [3]'
    """
    return " ".join(f"[{number}]" for number in numbers)


def _without_code(text: str) -> str:
    if "`" not in text:
        return text
    return _CODE.sub(lambda match: " " * len(match.group()), text)


def _plain(inside: str) -> bool:
    return len(inside) <= 6 and inside.isascii() and inside.isdigit()


def _numbers(inside: str, names: Names) -> tuple[int, ...] | None:
    """The numbers that the inside of a bracket stands for, each once; None when it is no mark."""
    named = _NAMED.match(inside)
    if named and not named["name"][0].isdigit():
        return _by_name(named["name"], names.titles)
    listed = _listed(unicodedata.normalize("NFKC", inside))
    return _by_ids(inside, names.ids) if listed is None and names.ids else listed


def _by_ids(inside: str, ids: Sequence[str]) -> tuple[int, ...] | None:
    """The numbers of the sources whose ids a bracket lists; None where it holds anything else."""
    listed = [inside.strip()] if inside.strip() in ids else [part.strip() for part in _COMMA.split(inside)]
    if not all(part in ids for part in listed):
        return None
    return tuple(dict.fromkeys(ids.index(part) + 1 for part in listed))


@lru_cache(maxsize=4096)
def _listed(inside: str) -> tuple[int, ...] | None:
    """The numbers of a list with ranges; None when it is none."""
    tokens = _tokens(inside)
    if tokens is None:
        return None
    numbers: list[int] = []
    expect_number = True
    position = 0
    while position < len(tokens):
        kind, value = tokens[position]
        if kind == "number" and expect_number:
            numbers.append(int(value))
            expect_number = False
        elif kind == "dash" and not expect_number and position + 1 < len(tokens):
            last = _range_end(tokens, position)
            if last is None or not numbers[-1] <= last <= numbers[-1] + LARGEST_RANGE:
                return None
            numbers.extend(range(numbers[-1] + 1, last + 1))
            position += 2 if tokens[position + 1][0] == "label" else 1
        elif kind == "separator" and not expect_number:
            expect_number = _another_follows(tokens, position)
        elif kind not in ("label", "locator", "separator") or (kind == "label" and not expect_number):
            return None
        position += 1
    return tuple(dict.fromkeys(numbers)) if numbers and not expect_number else None


def _tokens(inside: str) -> list[tuple[str, str]] | None:
    """The tokens of a bracket's inside; None when a part of it is none."""
    tokens: list[tuple[str, str]] = []
    at, end = 0, len(inside.rstrip())
    while at < end:
        match = _TOKEN.match(inside, at)
        if match is None or match.end() == at:
            return None
        assert match.lastgroup is not None  # noqa: S101 - every branch is named
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return tokens


def _range_end(tokens: list[tuple[str, str]], position: int) -> int | None:
    """The number behind a dash, a repeated label between them allowed."""
    for kind, value in tokens[position + 1 : position + 3]:
        if kind == "number":
            return int(value)
        if kind != "label":
            return None
    return None


def _another_follows(tokens: list[tuple[str, str]], position: int) -> bool:
    """True if a separator leads to another number rather than to a locator or another separator."""
    kinds = [kind for kind, _ in tokens[position + 1 : position + 3]]
    return bool(kinds) and kinds[0] not in ("locator", "separator") and "number" in kinds


def _by_name(name: str, names: Sequence[str]) -> tuple[int, ...]:
    wanted = name.strip("\"' ").casefold()
    return tuple(n for n, known in enumerate(names, 1) if known.casefold() == wanted)[:1]
