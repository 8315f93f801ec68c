"""The one normalisation of a document's text, with its regions carried through it.

NUL and lone surrogates go out, CRLF becomes LF, and the text is brought to NFC; nothing else changes, so that
a quote shown later is what the document says.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from dataclasses import replace

from assay.types import Loaded, Region

_OUT = re.compile("[\x00\ud800-\udfff]")
_LINE_END = re.compile("\r+\n")
# Characters of combining class 0 that may still compose with the one before them (NFC_Quick_Check=Maybe in
# Unicode's DerivedNormalizationProps.txt): the parts of Indic vowels and of Hangul syllables.
_COMPOSING = re.compile(
    "[\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e"
    "\u1161-\u1175\u11a8-\u11c2\u1b35\U00011127\U0001133e\U00011357\U000113b8\U000113bb\U000113c2\U000113c5"
    "\U000113c7-\U000113c9\U000114b0\U000114ba\U000114bd\U000115af\U00011930\U0001611e-\U00016129"
    "\U00016d67\U00016d68]"
)


def normalise_text(text: str) -> str:
    r"""The text as it is stored; normalising it again changes nothing.

    >>> normalise_text("Cafe\u0301\r\nNUL\x00")
    'Café\nNUL'
    """
    return unicodedata.normalize("NFC", _LINE_END.sub("\n", _OUT.sub("", text)))


def normalise(loaded: Loaded) -> Loaded:
    """The same with its text, title and string metadata normalised, and the regions where they now lie.

    A region whose edge parts characters that compose is moved behind them; one that becomes empty is dropped.
    """
    metadata = {
        normalise_text(key): normalise_text(value) if isinstance(value, str) else value
        for key, value in loaded.metadata.items()
    }
    text = normalise_text(loaded.text)
    regions = loaded.regions if text == loaded.text else _moved(loaded.text, loaded.regions)
    return replace(loaded, text=text, title=normalise_text(loaded.title), metadata=metadata, regions=regions)


def _moved(text: str, regions: tuple[Region, ...]) -> tuple[Region, ...]:
    """The regions at the places that normalising `text` gives them."""
    edges = sorted({edge for region in regions for edge in (region.start, region.end)})
    places = dict(zip(edges, _places(text, edges), strict=True))
    moved = (replace(region, start=places[region.start], end=places[region.end]) for region in regions)
    return tuple(region for region in moved if region.start < region.end)


def _places(text: str, edges: list[int]) -> list[int]:
    """Where each edge lies once the text is normalised: the length of what stands before it then."""
    kept_before = [match.start() for match in _OUT.finditer(text)]
    edges = [edge - bisect_left(kept_before, edge) for edge in edges]
    text = _OUT.sub("", text)
    places: list[int] = []
    done = length = 0
    for edge in edges:
        cut = max(done, _safe(text, edge))
        length += len(normalise_text(text[done:cut]))
        places.append(length)
        done = cut
    return places


def _safe(text: str, edge: int) -> int:
    """The first place from `edge` on at which the text can be cut without changing its normal form."""
    while 0 < edge < len(text) and _joins(text[edge], text[edge - 1]):
        edge += 1
    return edge


def _joins(character: str, before: str) -> bool:
    """Whether normalising may join the character to the one before it."""
    if character in "\r\n":
        return before == "\r"
    return unicodedata.combining(character) != 0 or _COMPOSING.match(character) is not None
