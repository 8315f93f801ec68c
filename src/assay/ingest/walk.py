"""Find the files under given paths and addresses."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.ingest import object_storage
from assay.ingest.object_storage import is_address

# The problem of a missing path.
ABSENT = "no such file or folder"
# Folders of version control; those that begin with a dot are hidden anyway.
_VERSION_CONTROL = frozenset({"CVS", "_darcs", "RCS", "SCCS"})
# In a data folder, where copies of uploaded files lie that are kept in a database, while a job reads them.
INCOMING = Path("uploads", ".incoming")
# How the sources of documents of such files begin.
UPLOADED = "upload:/"

# Gives the source of the documents of a file, or of the objects at an address.
SourceOf = Callable[[Path | str], str]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, or a path with the problem that prevents reading.

    `path` is as given, `source` by default absolute and resolved, or an address; both are printable and valid
    UTF-8.
    """

    file: Path
    path: str
    source: str
    problem: str | None = None


def printable(path: str | Path) -> str:
    """The path as valid UTF-8; undecodable bytes are escaped."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def source_of(path: Path | str) -> str:
    """The source of a file's documents: its absolute path, links resolved; an address stays as it is."""
    if isinstance(path, str) and is_address(path):
        return printable(path)
    return printable(os.path.realpath(path))


def walk(paths: Sequence[Path | str], name: SourceOf = source_of) -> Iterator[FoundFile]:
    """Every regular file at or under the paths, once, ordered by name; hidden ones only if named.

    `name` gives the source of each file, by default `source_of`. Folders are entered once, so links may form loops.
    Pipes, sockets and devices are problems and never opened. An address (`s3://bucket/folder`) is a text, and means
    every object that it names or that is below it.
    """
    files: set[str] = set()
    walking = _Walk(name)
    for path in paths:
        found = _in_storage(path) if isinstance(path, str) and is_address(path) else walking.below(Path(path))
        for seen in found:
            if seen.source not in files:
                files.add(seen.source)
                yield seen


def portable_source(data_dir: Path) -> SourceOf:
    """Sources that are the same on every machine for uploads that a database holds, and else as `source_of`.

    >>> portable = portable_source(Path("/srv/assay"))
    >>> portable(Path("/srv/assay/uploads/.incoming/4f1c/manual/0a1b/tea.md")), portable(Path("/notes/tea.md"))
    ('upload:/manual/0a1b/tea.md', '/notes/tea.md')
    """
    incoming = Path(source_of(data_dir / INCOMING))

    def name(path: Path | str) -> str:
        source = source_of(path)
        if not Path(source).is_relative_to(incoming):
            return source
        _job, *parts = Path(source).relative_to(incoming).parts or ("",)
        return UPLOADED + "/".join(parts)

    return name


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


@dataclass(slots=True)
class _Walk:
    """One walk; folders that were entered are not entered again."""

    name: SourceOf
    _entered: set[tuple[int, int]] = field(default_factory=set)

    def below(self, path: Path) -> Iterator[FoundFile]:
        try:
            status = path.stat()
        except FileNotFoundError:
            yield self._problem(path, ABSENT)
        except OSError as error:
            yield self._problem(path, error.strerror or str(error))
        else:
            if stat.S_ISDIR(status.st_mode):
                if (status.st_dev, status.st_ino) not in self._entered:
                    self._entered.add((status.st_dev, status.st_ino))
                    yield from self._inside(path)
            elif stat.S_ISREG(status.st_mode):
                yield FoundFile(path, printable(path), self.name(path))
            else:
                yield self._problem(path, "not a regular file")

    def _inside(self, folder: Path) -> Iterator[FoundFile]:
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            yield self._problem(folder, error.strerror or str(error))
            return
        for name in names:
            if not name.startswith(".") and name not in _VERSION_CONTROL:
                yield from self.below(folder / name)

    def _problem(self, path: Path, why: str) -> FoundFile:
        return FoundFile(path, printable(path), self.name(path), why)
