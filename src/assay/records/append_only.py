"""A file of JSON lines that is only ever appended to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import StoreError


@dataclass(frozen=True, slots=True)
class AppendOnlyFile:
    """The file; it and its folder are made by the first line, for their owner alone.

    Raises StoreError if it cannot be read or written.
    """

    path: Path

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """The objects, oldest first; none without a file. ValueError for a line that is not JSON."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):  # a data folder that is a file is reported by its writers
            return
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}", hint="see who may read it") from error
        yield from map(json.loads, text.splitlines())

    def add(self, body: Mapping[str, Any]) -> None:
        """Add one line in one write: it is complete, or a later reading finds that it is not."""
        line = f"{json.dumps(body)}\n".encode()
        try:
            for folder in (self.path.parent.parent, self.path.parent):  # `mkdir` gives parents everyone's rights
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                written = os.write(file, line)
                os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be written: {error.strerror}",
                hint="choose a folder of your own with --data-dir",
            ) from error
        if written < len(line):
            raise StoreError(
                f"{self.path} was not written completely", hint="make room on the disk, then remove the file"
            )
