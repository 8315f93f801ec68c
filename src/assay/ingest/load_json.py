"""JSON and JSON lines as text that can be read: one "name: value" a line, one paragraph a record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.blocks import Blocks
from assay.ingest.decode import decode
from assay.types import Loaded, Location

_TITLES = ("title", "name", "subject", "headline")


class JsonLoader:
    """Reads one JSON value, or one a line."""

    def load(self, data: bytes, name: str) -> Loaded:
        """A paragraph for each record; raises EmptyDocument, UnreadableDocument.

        >>> JsonLoader().load(b'{"city": "Ulm", "size": {"people": 126000}}', "x.json").text
        'city: Ulm\\nsize.people: 126000'
        """
        decoded = decode(data)
        value, left_out = _parsed(decoded.text, name)
        records = value if isinstance(value, list) else [value]
        blocks = Blocks()
        for number, record in enumerate(records, 1):
            lines = [f"{path}: {leaf}" if path else leaf for path, leaf in _leaves(record)]
            blocks.add("\n".join(lines), Location(row=number) if len(records) > 1 else Location())
        if not blocks.text:
            raise EmptyDocument(f"{name}: holds no values", hint="nothing to do; the file holds no text")
        warnings = (*decoded.warnings, *left_out)
        return Loaded(blocks.text, "json", _title(value), regions=blocks.regions, warnings=warnings)


def _parsed(text: str, name: str) -> tuple[Any, tuple[str, ...]]:
    """The value, or the list of the values of the lines with a warning of those that are left out."""
    try:
        return json.loads(text), ()
    except ValueError as error:
        lines = [(line, _value(line)) for line in text.splitlines() if line.strip()]
        values = [value for _, value in lines if value is not None]
        if not values:
            raise UnreadableDocument(f"{name}: no JSON ({error})", hint="check where it is cut off") from error
        bad = sum(value is None and line.strip() != "null" for line, value in lines)
        return values, (f"{bad} line{'' if bad == 1 else 's'} left out: no JSON",) if bad else ()


def _value(line: str) -> Any:
    """The line's value; None where it is no JSON."""
    try:
        return json.loads(line)
    except ValueError:
        return None


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every leaf with the path to it, in order, however deep."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        path, current = waiting.pop()
        if isinstance(current, dict):
            inside = [(f"{path}.{key}" if path else str(key), each) for key, each in current.items()]
            waiting.extend(reversed(inside))
        elif isinstance(current, list):
            waiting.extend((path, each) for each in reversed(current))
        elif current is not None and current != "":
            yield path, current if isinstance(current, str) else json.dumps(current)


def _title(value: Any) -> str:
    """The title that a single record gives itself."""
    if not isinstance(value, dict):
        return ""
    return next((str(value[key]) for key in _TITLES if isinstance(value.get(key), str)), "")
