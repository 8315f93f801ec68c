"""Finding the files under the paths that a person gave."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# The problem of a path that leads nowhere.
ABSENT = "no such file or folder"
# Folders that version control keeps for itself; those that begin with a dot are skipped as hidden anyway.
_VERSION_CONTROL = frozenset({"CVS", "_darcs", "RCS", "SCCS"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, or a path that cannot be taken in and why.

    `path` is as given, `source` the resolved absolute path; both are printable and can be stored as UTF-8.
    """

    file: Path
    path: str
    source: str
    problem: str | None = None


def walk(paths: Sequence[Path]) -> Iterator[FoundFile]:
    """Every regular file at or under the paths, each once, in order of name; hidden ones only where named.

    Folders are entered once, so that links may form loops. Pipes, sockets and devices are problems, never
    opened.
    """
    files: set[str] = set()
    folders: set[tuple[int, int]] = set()
    for path in paths:
        for seen in _below(path, folders):
            if seen.source not in files:
                files.add(seen.source)
                yield seen


def printable(path: str | Path) -> str:
    """The path as text that UTF-8 can hold; bytes of a name that are no text are shown as escapes."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def source_of(path: Path) -> str:
    """What identifies a file's documents: its absolute path with links resolved."""
    return printable(os.path.realpath(path))


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
