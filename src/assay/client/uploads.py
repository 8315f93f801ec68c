"""Files of this machine as an upload reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.client.calls import LocalFile
from assay.errors import UnreadableDocument, UsageError


class OpenFile:
    """A file that is open only while a piece of it is read, so that a folder of thousands can be sent at once."""

    def __init__(self, file: LocalFile) -> None:
        self._file = file
        self._position = 0

    def read(self, size: int) -> bytes:
        """The next piece of the file. Raises UnreadableDocument."""
        try:
            with self._file.path.open("rb") as opened:
                opened.seek(self._position)
                data = opened.read(size)
        except OSError as error:
            raise _unreadable(self._file.path, error) from error
        self._position += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to an offset from the beginning, or with `os.SEEK_END` from the end."""
        try:
            self._position = offset + (self._file.path.stat().st_size if whence == os.SEEK_END else 0)
        except OSError as error:
            raise _unreadable(self._file.path, error) from error
        return self._position

    def tell(self) -> int:
        """The offset of the next piece."""
        return self._position


def files_at(paths: Sequence[Path | str]) -> tuple[LocalFile, ...]:
    """The files at these paths under their names, those in a folder under their paths from the folder's name.

    Hidden files in a folder are left out, and links to folders are not followed. Raises UsageError where a path
    does not exist, where there is no file, and for two files of one name.
    """
    if isinstance(paths, str | Path):
        raise UsageError("paths are a list", hint="give [path] for a single one")
    found = [file for path in paths for file in _below(Path(path))]
    names = [file.name for file in found]
    if not found:
        raise UsageError("there is no file to upload", hint="name files, or folders that hold some")
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"two files have the name {doubled[0]!r}", hint="upload them one after the other, or rename one"
        )
    return tuple(found)


def _below(path: Path) -> Iterator[LocalFile]:
    if path.is_file():
        yield LocalFile(path.name, path)
    elif path.is_dir():
        root = path.resolve()
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(folder, name)
                if not name.startswith(".") and file.is_file():
                    yield LocalFile(file.relative_to(root.parent).as_posix(), file)
    else:
        raise UsageError(f"there is no file or folder {str(path)!r}", hint="check the path")


def _unreadable(path: Path, error: OSError) -> UnreadableDocument:
    return UnreadableDocument(
        f"{path} cannot be read: {error.strerror}", hint="check the file and your rights to it"
    )
