"""JSON lines with one document each: `{"id", "title", "text", …metadata}`; and the normalisation of text."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, Any

from assay.types import Loaded, Region, Scalar

# Normalisation of a document's text and regions.


_OUT = re.compile("[\x00\ud800-\udfff]")
_LINE_END = re.compile("(?<!\r)\r++\n")
# Characters of combining class 0 that may still compose with the one before them (NFC_Quick_Check=Maybe in
# Unicode's DerivedNormalizationProps.txt): the parts of Indic vowels and of Hangul syllables.
_COMPOSING = re.compile(
    "[\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e"
    "\u1161-\u1175\u11a8-\u11c2\u1b35\U00011127\U0001133e\U00011357\U000113b8\U000113bb\U000113c2\U000113c5"
    "\U000113c7-\U000113c9\U000114b0\U000114ba\U000114bd\U000115af\U00011930\U0001611e-\U00016129"
    "\U00016d67\U00016d68]"
)


def normalise_text(text: str) -> str:
    r"""Normalise a text for storage; idempotent.

    >>> normalise_text("Cafe\u0301\r\nNUL\x00")
    'Café\nNUL'
    """
    return unicodedata.normalize("NFC", _LINE_END.sub("\n", _OUT.sub("", text)))


def normalise(loaded: Loaded) -> Loaded:
    """Normalise text, title and string metadata, and move the regions accordingly.

    A region edge between composing characters moves after them; a region that becomes empty is dropped.
    """
    metadata = {
        normalise_text(key): normalise_text(value) if isinstance(value, str) else value
        for key, value in loaded.metadata.items()
    }
    text = normalise_text(loaded.text)
    regions = loaded.regions if text == loaded.text else _move_regions(loaded.text, loaded.regions)
    return replace(loaded, text=text, title=normalise_text(loaded.title), metadata=metadata, regions=regions)


def _move_regions(text: str, regions: tuple[Region, ...]) -> tuple[Region, ...]:
    """Move the regions to their offsets in the normalised text."""
    edges = sorted({edge for region in regions for edge in (region.start, region.end)})
    places = dict(zip(edges, _places(text, edges), strict=True))
    moved = (replace(region, start=places[region.start], end=places[region.end]) for region in regions)
    return tuple(region for region in moved if region.start < region.end)


def _places(text: str, edges: list[int]) -> list[int]:
    """The offset of each edge in the normalised text."""
    kept_before = [match.start() for match in _OUT.finditer(text)]
    edges = [edge - bisect_left(kept_before, edge) for edge in edges]
    text = _OUT.sub("", text)
    places: list[int] = []
    done = length = 0
    for edge in edges:
        cut = max(done, _safe_cut(text, edge))
        length += len(normalise_text(text[done:cut]))
        places.append(length)
        done = cut
    return places


def _safe_cut(text: str, edge: int) -> int:
    """The first offset from `edge` on at which cutting does not change the normal form."""
    while 0 < edge < len(text) and _joins(text[edge], text[edge - 1]):
        edge += 1
    return edge


def _joins(character: str, before: str) -> bool:
    """Tell whether normalisation may compose the character with the one before it."""
    if character in "\r\n":
        return before == "\r"
    return unicodedata.combining(character) != 0 or _COMPOSING.match(character) is not None


# Longer lines are refused: lines are parsed in this process, and JSON takes up to 20 times its length in memory.
LONGEST_LINE = 16 << 20
_HEAD = 1 << 16
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its document, or the `problem` with it."""

    number: int
    raw: bytes
    document_id: str | None = None
    loaded: Loaded | None = None
    problem: str | None = None


def holds_documents(head: bytes, name: str) -> bool:
    """Tell whether a file that begins with `head` has one document per line: the first line is an object with text.

    For `.jsonl` and `.ndjson`, a single line is enough, and so is one valid line among the first.

    >>> holds_documents(b'{"id": "a", "text": "x"}\\n{"id": "b", "text": "y"}', "x")
    True
    """
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    if not name.lower().endswith((".jsonl", ".ndjson")):
        return len(lines) > 1 and _is_document(lines[0])
    if len(lines) == 1 and len(head) >= _HEAD:  # truncated within the first line
        return b'"text"' in lines[0]
    return any(map(_is_document, lines[:_LOOKED_AT]))


def _is_document(raw: bytes) -> bool:
    fields = _parse_json(raw) if raw.lstrip().startswith(b"{") else None
    return isinstance(fields, dict) and isinstance(fields.get("text"), str)


def lines_of(file: IO[bytes]) -> Iterator[Line]:
    """The non-blank lines of an open file with their numbers, from 1."""
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            _skip_rest(file, raw)
            yield Line(number, b"", problem=f"longer than {LONGEST_LINE >> 20} MiB")
        elif raw.strip():
            yield Line(number, raw.strip())


def _skip_rest(file: IO[bytes], raw: bytes) -> None:
    """Skip the rest of a line that is too long."""
    while raw and not raw.endswith(b"\n"):
        raw = file.readline(LONGEST_LINE)


def parse_line(line: Line) -> Line:
    """Parse a line into its document, or say what is wrong with it.

    >>> parse_line(Line(1, b'{"id": "a", "text": "Tea.", "year": 2020}')).loaded.metadata
    {'year': 2020}
    >>> parse_line(Line(1, b'{"_id": "b", "text": "Tea."}')).document_id  # as BEIR calls it
    'b'
    """
    if line.problem:
        return line
    try:
        fields = json.loads(line.raw.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        return Line(line.number, line.raw, problem=f"not JSON ({type(error).__name__})")
    if not isinstance(fields, dict) or not isinstance(fields.get("text"), str):
        return Line(line.number, line.raw, problem='no "text"')
    return _document_line(line, fields)


def _document_line(line: Line, fields: dict[str, Any]) -> Line:
    given = fields.get("id", fields.get("_id"))
    loaded = normalise(
        Loaded(
            text=fields["text"],
            format="jsonl",
            title=str(fields.get("title") or ""),
            metadata=scalars(fields, left_out=("id", "_id", "title", "text")),
        )
    )
    if not loaded.text.strip():
        return Line(line.number, line.raw, problem="its text is empty")
    return Line(line.number, line.raw, None if given is None else normalised_id(given), loaded)


def normalised_id(given: Any) -> str:
    """The given id as valid UTF-8 text."""
    return str(given).encode("utf-8", errors="replace").decode("utf-8")


def scalars(fields: dict[str, Any], left_out: tuple[str, ...]) -> dict[str, Scalar]:
    """The fields usable as metadata: strings, numbers and booleans."""
    return {key: value for key, value in fields.items() if key not in left_out and isinstance(value, Scalar)}


def _parse_json(raw: bytes) -> Any:
    """The JSON value, or None if it is invalid."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
