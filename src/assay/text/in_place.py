"""Changes to a written sentence made in place: its marks, its white space and its markup stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from assay.text.citation_marks import Names, citations, render
from assay.text.sentence_stream import with_brackets
from assay.types import Citation, Span

_TOKEN = re.compile(r"\w+|\s|[^\w\s]")
# What joins neighbouring marks to one list: [1], [2] and [3].
_BETWEEN = re.compile(r"[ \t]*(?:[,;]|and|und|et)?[ \t]*\Z")
_LAST_CELL = re.compile(r"[ \t]*\|[ \t]*\Z")


def reworded(written: str, before: str, after: str) -> str | None:
    """The written text with the changes that make `after` of `before`, which is that text without its marks.

    None where a change falls on what stands otherwise in `before` than as written.

    >>> reworded("- It opened [1] in **1931**, so they say [2].", "- It opened in **1931**, so they say.",
    ...     "- It opened in **1932**, so they say.")
    '- It opened [1] in **1932**, so they say [2].'
    """
    tokens, old, new = (_TOKEN.findall(each) for each in (written, before, after))
    at = _places(tokens, old)
    for tag, start, end, first, last in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if tag == "equal":
            continue
        places = at[start:end] if end > start else at[max(0, start - 1) : max(1, start)]
        if not places or None in places:
            return None
        begin, stop = places[0], places[-1]
        assert begin is not None and stop is not None  # noqa: S101, PT018 - looked at above
        if end == start:  # put in behind the word before it
            begin, stop = (begin + 1, begin) if start else (begin, begin - 1)
        tokens[begin : stop + 1] = new[first:last]
    return "".join(tokens)


def _places(tokens: Sequence[str], part: Sequence[str]) -> list[int | None]:
    """For each token of a part of a text, where it stands in the text; None where it does not."""
    found: list[int | None] = [None] * len(part)
    for block in SequenceMatcher(None, tokens, part, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            found[block.b + offset] = block.a + offset
    return found


def remarked(written: str, names: Names | Sequence[str], stays: Callable[[int], bool], added: Sequence[int]) -> str:
    """The written text without the numbers that do not stay, and with those added behind its last mark.

    A list of marks whose numbers all stay is left as it is written. Where there is no mark left, new ones stand at
    the end, in a row of a table in its last cell.

    >>> remarked("It rained [Source 1, 4]; it snowed [2].", (), lambda n: n in (1, 2), [3])
    'It rained [1]; it snowed [2] [3].'
    >>> remarked("It rained [1].", (), lambda n: n != 1, [2])
    'It rained [2].'
    >>> remarked("| rain | 5 mm |", (), bool, [3])
    '| rain | 5 mm [3] |'
    """
    lists = _lists(written, names)
    left = [tuple(dict.fromkeys(n for mark in marks for n in mark.numbers if stays(n))) for marks in lists]
    # The new ones take the place of the last, where none of the old ones stays.
    takes = max((at for at, numbers in enumerate(left) if numbers), default=len(lists) - 1)
    for at in reversed(range(len(lists))):
        marks, numbers = lists[at], left[at]
        place = Span(with_brackets(written, marks[0]).start, with_brackets(written, marks[-1]).end)
        whole = all(mark.numbers and all(map(stays, mark.numbers)) for mark in marks)
        stand = written[place.start : place.end] if whole else render(numbers)
        new = " ".join(each for each in (stand, render(added) if at == takes else "") if each)
        start = place.start if new else len(written[: place.start].rstrip(" \t"))
        written = written[:start] + new + written[place.end :]
    return written if lists or not added else at_end(written, render(added))


def at_end(written: str, sign: str) -> str:
    """The written text with a sign at its end, before white space behind it; in a row of a table in its last cell.

    >>> at_end("It rained.\\n\\n", "⚠")
    'It rained. ⚠\\n\\n'
    """
    bare = written.rstrip()
    cell = _LAST_CELL.search(bare) if bare.lstrip().startswith("|") else None
    at = cell.start() if cell else len(bare)
    return f"{written[:at]} {sign}{written[at:]}"


def _lists(text: str, names: Names | Sequence[str]) -> list[list[Citation]]:
    """The marks of a text, those together that are joined to a list."""
    lists: list[list[Citation]] = []
    for mark in citations(text, names):
        if lists and _BETWEEN.match(text[with_brackets(text, lists[-1][-1]).end : with_brackets(text, mark).start]):
            lists[-1].append(mark)
        else:
            lists.append([mark])
    return lists
