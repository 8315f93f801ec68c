"""Characters of a PDF as TeX sets them: accents beside their letters, and ligatures that are control characters.

A page may hold the accent before its letter, after it, or at the end of the line. The letter is the one that the
accent is drawn over, which only the boxes of both tell.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

# Accents of their own width, and the mark that each puts on a letter.
_ABOVE = {
    "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306",
    "˙": "\u0307", "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c",
}  # fmt: skip
_BELOW = {"¸": "\u0327", "˛": "\u0328"}
_MARKS = {**_ABOVE, **_BELOW}
_ACCENT = re.compile(f"[{''.join(_MARKS)}]")
# A grave accent also stands for itself, often and far from any letter that it could belong to.
_BESIDE_ALONE = "`"
# So many characters on either side are looked at, about three lines: chosen.
_NEAR = 250
# The greatest distance between an accent and its letter, and how far they overlap, as shares of the letter: chosen.
# The least gap between two words, as a share of the height of a line: of seven documents 99 in 100 gaps within
# words are smaller, and as many between words larger.
_FARTHEST, _TOUCHING, _GAP = 0.5, 0.25, 0.2

# Control characters that fonts of TeX leave in the text where they map nothing to Unicode: the encoding T1 (Cork),
# and the bullet of its companion TS1.
CORK = {
    "\x10": "“", "\x11": "”", "\x12": "„", "\x13": "«", "\x14": "»", "\x15": "–", "\x16": "—",
    "\x19": "ı", "\x1a": "ȷ", "\x1b": "ff", "\x1c": "fi", "\x1d": "fl", "\x1e": "ffi", "\x1f": "ffl", "\x88": "•",
}  # fmt: skip
_CORK = str.maketrans(CORK)

# Left, bottom, right, top.
_Box = tuple[float, float, float, float]


def with_letters(text: str) -> str:
    """The text of a page with letters and signs for the control characters of TeX's fonts.

    >>> with_letters("e\\x1ecient sta\\x1b, 1732\\x151799")
    'efficient staff, 1732–1799'
    """
    return text.translate(_CORK)


def with_accents(text_page: Any, text: str) -> str:
    """The text of a page with each accent on the letter that it is drawn over; others stay as they are."""
    accents = [match.start() for match in _ACCENT.finditer(text)]
    if not accents or max(text) > "\uffff":
        return text
    page = _Page(text_page, text)
    letters: dict[int, str] = {}
    moved: set[int] = set()
    for accent in accents:
        letter = page.letter_of(accent, letters)
        if letter is not None:
            letters[letter] = _composed(text[letter], text[accent])
            moved.add(accent)
    return "".join(page.rewritten(letters, moved)) if moved else text


def _composed(letter: str, accent: str) -> str:
    """One character for a letter with its accent; "" if there is none.

    >>> _composed("a", "¨"), _composed("ı", "´"), _composed("b", "¨")
    ('ä', 'í', '')
    """
    whole = unicodedata.normalize("NFC", {"ı": "i", "ȷ": "j"}.get(letter, letter) + _MARKS[accent])
    return whole if len(whole) == 1 and letter.isalpha() else ""


class _Page:
    """The characters of a page and their boxes."""

    def __init__(self, text_page: Any, text: str) -> None:
        self._page = text_page
        self._text = text
        self._boxes: dict[tuple[int, bool], _Box | None] = {}

    def letter_of(self, accent: int, taken: Mapping[int, str]) -> int | None:
        """The place of the letter that an accent is drawn over, the nearest in the text first."""
        sign = self._text[accent]
        near = 1 if sign in _BESIDE_ALONE else _NEAR
        box = self._box(accent)
        if box is None:
            return None
        for distance in range(1, near + 1):
            for place in (accent + distance, accent - distance):
                if (
                    0 <= place < len(self._text)
                    and place not in taken
                    and _composed(self._text[place], sign)
                    and _carries(self._box(place), box, below=sign in _BELOW)
                ):
                    return place
        return None

    def rewritten(self, letters: Mapping[int, str], moved: set[int]) -> Iterator[str]:
        """The text with these letters in place of those that stand there, without the accents that moved."""
        at = 0
        for accent in sorted(moved):
            if accent < at:
                continue
            start, end = accent, accent + 1
            while start > at and self._text[start - 1] == " ":
                start -= 1
            while end < len(self._text) and (self._text[end] == " " or end in moved):
                end += 1
            yield from (letters.get(place, self._text[place]) for place in range(at, start))
            yield self._joint(start, end) if end - start > 1 else ""
            at = end
            # An accent alone on its line leaves no empty line.
            if self._text[max(0, start - 1) : start] in ("", "\n") and self._text[at : at + 1] in ("\r", "\n"):
                at += 2 if self._text[at : at + 2] == "\r\n" else 1
        yield from (letters.get(place, self._text[place]) for place in range(at, len(self._text)))

    def _joint(self, start: int, end: int) -> str:
        """The text between the characters around an accent and its spaces."""
        if start == 0 or end >= len(self._text) or self._text[start - 1].isspace() or self._text[end].isspace():
            return ""
        before, behind = self._box(start - 1), self._box(end)
        if before is None or behind is None:
            return " "
        if behind[3] < before[1]:
            return "\n"
        line = self._box(end, loose=True)
        is_wide = line is None or behind[0] - before[2] > _GAP * (line[3] - line[1])
        return " " if is_wide else ""

    def _box(self, place: int, *, loose: bool = False) -> _Box | None:
        """The box of the character at an offset of the text, or (`loose`) of its line; None where it has none."""
        from pypdfium2 import PdfiumError
        from pypdfium2.raw import FPDFText_GetCharIndexFromTextIndex

        if (place, loose) not in self._boxes:
            index = FPDFText_GetCharIndexFromTextIndex(self._page, place)
            try:
                self._boxes[place, loose] = self._page.get_charbox(index, loose=loose)
            except PdfiumError:
                self._boxes[place, loose] = None
        return self._boxes[place, loose]


def _carries(letter: _Box | None, accent: _Box, *, below: bool) -> bool:
    """Tell whether an accent is drawn right over (or below) a letter: its middle lies within the letter's width."""
    if letter is None or not letter[0] <= (accent[0] + accent[2]) / 2 <= letter[2]:
        return False
    height = letter[3] - letter[1]
    gap = letter[1] - accent[3] if below else accent[1] - letter[3]
    return -_TOUCHING * height <= gap <= _FARTHEST * height
