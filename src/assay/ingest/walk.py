"""Find the files under given paths and addresses."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.ingest import object_storage
from assay.ingest.object_storage import is_address

# The problem of a missing path.
ABSENT = "no such file or folder"
# Folders of version control; those that begin with a dot are hidden anyway.
_VERSION_CONTROL = frozenset({"CVS", "_darcs", "RCS", "SCCS"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, or a path with the problem that prevents reading.

    `path` is as given, `source` is absolute and resolved, or an address; both are printable and valid UTF-8.
    """

    file: Path
    path: str
    source: str
    problem: str | None = None


def walk(paths: Sequence[Path | str]) -> Iterator[FoundFile]:
    """Every regular file at or under the paths, once, ordered by name; hidden ones only if named.

    Folders are entered once, so links may form loops. Pipes, sockets and devices are problems and never opened.
    An address (`s3://bucket/folder`) is a text, and means every object that it names or that is below it.
    """
    files: set[str] = set()
    folders: set[tuple[int, int]] = set()
    for path in paths:
        found = _in_storage(path) if isinstance(path, str) and is_address(path) else _below(Path(path), folders)
        for seen in found:
            if seen.source not in files:
                files.add(seen.source)
                yield seen


def printable(path: str | Path) -> str:
    """The path as valid UTF-8; undecodable bytes are escaped."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def source_of(path: Path | str) -> str:
    """The source of a file's documents: its absolute path, links resolved; an address stays as it is."""
    if isinstance(path, str) and is_address(path):
        return printable(path)
    return printable(os.path.realpath(path))


def _in_storage(address: str) -> Iterator[FoundFile]:
    try:
        found = object_storage.listed(address)
    except OSError as error:
        yield FoundFile(Path(address), printable(address), source_of(address), error.strerror or str(error))
        return
    if not found:
        yield FoundFile(Path(address), printable(address), source_of(address), ABSENT)
    for seen in found:
        names = seen.removeprefix(address).split("/")
        if seen == address or not any(name.startswith(".") or name in _VERSION_CONTROL for name in names):
            yield FoundFile(Path(seen), printable(seen), printable(seen))


def _below(path: Path, folders: set[tuple[int, int]]) -> Iterator[FoundFile]:
    try:
        status = path.stat()
    except FileNotFoundError:
        yield _problem(path, ABSENT)
    except OSError as error:
        yield _problem(path, error.strerror or str(error))
    else:
        if stat.S_ISDIR(status.st_mode):
            if (status.st_dev, status.st_ino) not in folders:
                folders.add((status.st_dev, status.st_ino))
                yield from _inside(path, folders)
        elif stat.S_ISREG(status.st_mode):
            yield FoundFile(path, printable(path), source_of(path))
        else:
            yield _problem(path, "not a regular file")


def _inside(folder: Path, folders: set[tuple[int, int]]) -> Iterator[FoundFile]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        yield _problem(folder, error.strerror or str(error))
        return
    for name in names:
        if not name.startswith(".") and name not in _VERSION_CONTROL:
            yield from _below(folder / name, folders)


def _problem(path: Path, why: str) -> FoundFile:
    return FoundFile(path, printable(path), source_of(path), why)
