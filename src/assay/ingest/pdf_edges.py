"""Running heads and page numbers, which stand at the edges of a PDF's pages and in the midst of its sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

# Pages on which a line must stand at the same edge: chosen.
_LEAST_PAGES = 3
# Words that stand beside the page's number in a head: chosen. "Day 2" on the second page is a heading.
_LEAST_WORDS = 3
# Lines of an edge: a head may have two.
_LINES = 2
_ROMAN = re.compile(r"\W*[ivxlc]{1,7}\W*")
_NUMBERS = re.compile(r"\d{1,4}")
_WORD = re.compile(r"[^\W\d_]{2,}")


def without_edges(pages: Mapping[int, Sequence[str]]) -> dict[int, list[str]]:
    """The lines of each page without its number, and without heads and feet after the first page that has them.

    >>> pages = {n: ["The tea manual", f"Day {n}", f"It is {n} p.m.", f"- {n + 4} -"] for n in range(1, 5)}
    >>> without_edges(pages)[1], without_edges(pages)[2]
    (['The tea manual', 'Day 1', 'It is 1 p.m.'], ['Day 2', 'It is 2 p.m.'])
    """
    left = {number: list(lines) for number, lines in pages.items()}
    repeated, without_number = set[str](), set(pages)
    for _ in range(_LINES):
        for at in (0, -1):
            _drop_edge(left, at, repeated, without_number)
    for number in without_number:
        _drop_number(left[number], number, repeated)
    return left


def _drop_number(lines: list[str], page: int, repeated: set[str]) -> None:
    """Take away a page's number that is read amid its lines, and the heads beside it that other pages repeat."""
    for at, line in enumerate(lines):
        if _NUMBERS.fullmatch(line.strip()) and _keys(page, line.strip()) & repeated:
            first, last = at, at + 1
            while first and lines[first - 1].strip() in repeated:
                first -= 1
            while last < len(lines) and lines[last].strip() in repeated:
                last += 1
            del lines[first:last]
            return


def _drop_edge(pages: dict[int, list[str]], at: int, repeated: set[str], without_number: set[int]) -> None:
    """Take away first (`at` is 0) or last (-1) lines that are numbers of pages, or repeat those of other pages.

    Keys of lines that other pages repeat are noted, and pages whose number is taken away leave `without_number`.
    """
    edges: dict[int, tuple[int, str]] = {}
    for number, lines in pages.items():
        places = range(len(lines)) if at == 0 else range(len(lines) - 1, -1, -1)
        place = next((place for place in places if lines[place].strip()), None)
        if place is not None:
            edges[number] = (place, lines[place].strip())
    keys = {number: _keys(number, line) for number, (_, line) in edges.items()}
    counted = Counter(key for found in keys.values() for key in found)
    common = {key for key, count in counted.items() if count >= _LEAST_PAGES}
    repeated |= common
    seen: set[str] = set()
    for number, (place, _) in edges.items():
        found = keys[number] & common
        is_number = any(not _WORD.search(key) for key in found)
        if is_number or found & seen:
            del pages[number][place]
        if is_number:
            without_number.discard(number)
        seen |= found


def _keys(page: int, line: str) -> frozenset[str]:
    """Keys of a line that lines of other pages may share: itself, and all but the number of its page.

    >>> sorted(_keys(7, "17 The tea of Ulm")), sorted(_keys(7, "Day 7"))
    (['17 The tea of Ulm', '{10} The tea of Ulm'], ['Day 7'])
    """
    if _ROMAN.fullmatch(line):
        return frozenset({"{}"})
    found = {line} if _WORD.search(line) else set()
    words = len(_WORD.findall(line))
    numbers = list(_NUMBERS.finditer(line))
    for match in (*numbers[:1], *numbers[-1:]) if words >= _LEAST_WORDS or not words else ():
        shift = int(match.group()) - page
        found.add(f"{line[: match.start()]}{{{shift}}}{line[match.end() :]}")
    return frozenset(found)
