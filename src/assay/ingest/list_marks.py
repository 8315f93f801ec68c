"""Marks of list items, as Markdown has them, and how far items are indented."""

from __future__ import annotations

import re

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MARK = re.compile(r"\d{1,9}[.)]")


def count_in(form: str, count: int) -> str:
    """A number as lists write it, by the forms of Word; in digits for any other form.

    >>> [count_in(form, 4) for form in ("decimal", "decimalZero", "lowerLetter", "upperRoman")]
    ['4', '04', 'd', 'IV']
    """
    if form == "decimalZero":
        return f"{count:02}"
    # Word repeats the letter after the 26th.
    if form in ("lowerLetter", "upperLetter") and 0 < count <= 26 * 9:
        letters = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        return letters if form == "lowerLetter" else letters.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
        written = ""
        for value, letters in _ROMAN:
            written += letters * (count // value)
            count %= value
        return written if form == "lowerRoman" else written.upper()
    return str(count)


def mark_of(label: str) -> str:
    """The mark of a list item with this label; one that is no mark in Markdown stands behind a bullet.

    >>> mark_of("3."), mark_of(""), mark_of("a)"), mark_of("1.2")
    ('3. ', '- ', '- a) ', '- 1.2 ')
    """
    if _MARK.fullmatch(label):
        return f"{label} "
    return f"- {label} " if label else "- "


class Indents:
    """The indentation of the items of a list, so that each stands below the words of the item that holds it.

    >>> indents = Indents()
    >>> [indents.enter(depth, mark) for depth, mark in ((1, "10. "), (2, "- a) "), (3, "- "), (1, "11. "))]
    ['', '    ', '      ', '']
    """

    def __init__(self) -> None:
        # The open items, outermost first: depth and width of the mark.
        self._open: list[tuple[int, int]] = []

    def enter(self, depth: int, mark: str) -> str:
        """Begin an item at a depth, from 1; returns the white space before its mark."""
        self._open = [item for item in self._open if item[0] < depth]
        indent = self.inside(depth)
        # What follows a bullet is the item's text, to Markdown.
        self._open.append((depth, len(mark) if mark[:1].isdigit() else 2))
        return indent

    def inside(self, depth: int) -> str:
        """The white space before text within the item at a depth; none at depth 0."""
        return " " * sum(width for at, width in self._open if at <= depth)

    @property
    def is_open(self) -> bool:
        """True within a list."""
        return bool(self._open)

    def leave(self) -> None:
        """End all lists."""
        self._open.clear()
