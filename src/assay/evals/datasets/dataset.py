"""A data set of questions as read from a file or a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.evals.cases import Case
from assay.types import Value

# Bytes that are hashed at a time.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Dataset(Value):
    """The cases of a data set in order; `shape` says whose format it has, `sha256` is that of its bytes in hex.

    Of a folder, the bytes are those of the files that were read, each behind its name.
    """

    name: str
    shape: str
    sha256: str
    cases: tuple[Case, ...]


def sha256_of(files: Iterable[Path]) -> str:
    """The SHA-256, in hex, of one file's bytes, or of several files' names and bytes in the order of names."""
    ordered = sorted(files)
    total = hashlib.sha256()
    for path in ordered:
        if len(ordered) > 1:
            total.update(f"{path.name}\0".encode(errors="surrogateescape"))
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                total.update(chunk)
    return total.hexdigest()


def line_error(path: Path, number: int | str, what: str) -> UsageError:
    """The error that names a file and a place in it."""
    place = f"line {number}" if isinstance(number, int) else number
    return UsageError(f"{path.name}, {place}: {what}", hint="correct it, or take it out")


def distinct(path: Path, cases: Iterable[tuple[int | str, Case]]) -> tuple[Case, ...]:
    """The cases with their places checked: UsageError for an id that comes twice, and for no case at all."""
    places: dict[str, int | str] = {}
    found = []
    for place, case in cases:
        if case.id in places:
            first = places[case.id]
            where = f"line {first}" if isinstance(first, int) else first
            raise line_error(path, place, f"the id {case.id!r} stands in {where} already")
        places[case.id] = place
        found.append(case)
    if not found:
        raise UsageError(f"{path} has no questions", hint="give one JSON object a line, with an id and a question")
    return tuple(found)
