"""The shared part of readers of other tools' data sets: objects, as JSON lines or a JSON list, and columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.evals.datasets.dataset import line_error
from assay.evals.datasets.own import given_passage
from assay.evals.json_lines import numbered_lines, parse_json, parse_object, read_text
from assay.types import Passage

Place = int | str


def read_objects(path: Path) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """The objects of a file with their places: of a JSON list its entries, else one a line. Raises UsageError."""
    if is_list(path):
        yield from _entries(path)
        return
    for number, line in numbered_lines(path):
        try:
            yield number, parse_object(line)
        except ValueError as error:
            raise line_error(path, number, str(error)) from error


def is_list(path: Path) -> bool:
    """True if the file holds a JSON list. Raises UsageError where it cannot be read."""
    return any(line.lstrip().startswith("[") for _, line in _first(path))


def _first(path: Path) -> Iterator[tuple[int, str]]:
    for numbered in numbered_lines(path):
        yield numbered
        return


def _entries(path: Path) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    try:
        entries = parse_json(read_text(path))
    except ValueError as error:
        line = error.__cause__.lineno if isinstance(error.__cause__, json.JSONDecodeError) else 1
        raise line_error(path, line, str(error)) from error
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            raise line_error(path, f"entry {number}", "it is not a JSON object")
        yield f"entry {number}", entry


def text_of(path: Path, place: Place, body: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of these columns that has a text, "" where none has. Raises UsageError for anything else there."""
    for name in names:
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise line_error(path, place, f"{name!r} is not a text")
        if value.strip():
            return value
    return ""


def texts_of(path: Path, place: Place, body: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """The texts of the first of these columns that has any. Raises UsageError for anything else there."""
    for name in names:
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise line_error(path, place, f"{name!r} is not a list of texts")
        texts = tuple(text for text in value if text.strip())
        if texts:
            return texts
    return ()


def id_of(body: Mapping[str, Any], number: int) -> str:
    """The id of an object, or its number as one where it has none: other tools' objects need not have an id."""
    value = body.get("id")
    return str(value) if isinstance(value, str | int) and str(value).strip() else str(number)


def as_passages(texts: Sequence[str]) -> tuple[Passage, ...]:
    """Each distinct text as a passage with its number as its id."""
    return tuple(given_passage(str(number), text) for number, text in enumerate(dict.fromkeys(texts), 1))
