"""JSON lines that hold one document each: `{"id", "title", "text", …metadata}`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from assay.ingest.normalise import normalise
from assay.types import Loaded, Scalar

# A longer line is refused: a line is parsed in this process, and JSON takes up to 20 times its length in memory.
LONGEST_LINE = 16 << 20
_HEAD = 1 << 16
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One document line; `problem` says why it is none."""

    number: int
    raw: bytes
    document_id: str | None = None
    loaded: Loaded | None = None
    problem: str | None = None


def holds_documents(head: bytes, name: str) -> bool:
    """Whether the file that begins with `head` has a document a line: its first line is an object with a text.

    Where the name ends in `.jsonl` or `.ndjson`, one line alone counts too, and one good line among the first.

    >>> holds_documents(b'{"id": "a", "text": "x"}\\n{"id": "b", "text": "y"}', "x")
    True
    """
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    if not name.lower().endswith((".jsonl", ".ndjson")):
        return len(lines) > 1 and _is_document(lines[0])
    if len(lines) == 1 and len(head) >= _HEAD:  # cut off within its first line
        return b'"text"' in lines[0]
    return any(map(_is_document, lines[:_LOOKED_AT]))


def _is_document(raw: bytes) -> bool:
    fields = _parsed(raw) if raw.lstrip().startswith(b"{") else None
    return isinstance(fields, dict) and isinstance(fields.get("text"), str)


def lines_of(file: IO[bytes]) -> Iterator[Line]:
    """The lines of an open file one by one; blank ones are left out, numbers count from 1."""
    number = 0
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(raw) > LONGEST_LINE:
            _skip_rest(file, raw)
            yield Line(number, b"", problem=f"longer than {LONGEST_LINE >> 20} MiB")
        elif raw.strip():
            yield Line(number, raw.strip())


def _skip_rest(file: IO[bytes], raw: bytes) -> None:
    """Read to the end of a line that is too long."""
    while raw and not raw.endswith(b"\n"):
        raw = file.readline(LONGEST_LINE)


def parse_line(line: Line) -> Line:
    """The line with what it says, or with the problem that keeps it from being a document.

    >>> parse_line(Line(1, b'{"id": "a", "text": "Tea.", "year": 2020}')).loaded.metadata
    {'year': 2020}
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
    given = fields.get("id")
    loaded = normalise(
        Loaded(
            text=fields["text"],
            format="jsonl",
            title=str(fields.get("title") or ""),
            metadata=scalars(fields, left_out=("id", "title", "text")),
        )
    )
    if not loaded.text.strip():
        return Line(line.number, line.raw, problem="its text is empty")
    return Line(line.number, line.raw, None if given is None else normalised_id(given), loaded)


def normalised_id(given: Any) -> str:
    """The given id as text that UTF-8 can hold."""
    return str(given).encode("utf-8", errors="replace").decode("utf-8")


def scalars(fields: dict[str, Any], left_out: tuple[str, ...]) -> dict[str, Scalar]:
    """The fields that metadata can hold: strings, numbers and truth values."""
    return {key: value for key, value in fields.items() if key not in left_out and isinstance(value, Scalar)}


def _parsed(raw: bytes) -> Any:
    """The JSON value; None where it is not one."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
