"""What a collection holds already, by source: which files need no reading, and what has vanished."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.ingest.walk import Seen, source_of
from assay.types import DocumentRecord


@dataclass(frozen=True, slots=True)
class Stale:
    """A stored document that its file no longer holds."""

    path: str
    document_id: str
    reason: str


class Known:
    """The documents of a collection, found by the source they came from."""

    def __init__(self, records: Sequence[DocumentRecord]) -> None:
        self._by_source: dict[str, dict[str, DocumentRecord]] = defaultdict(dict)
        for record in records:
            self._by_source[record.source][record.document_id] = record

    def of(self, source: str) -> Mapping[str, DocumentRecord]:
        """The documents stored from a source, by id."""
        return self._by_source.get(source, {})

    def vanished(self, paths: Sequence[Path], found: Sequence[Seen]) -> Iterator[Stale]:
        """The documents whose file was looked for at or under the paths, and is gone.

        A folder that is gone or cannot be read takes nothing with it: a disk may just not be mounted.
        """
        present = {seen.source for seen in found if seen.problem is None}
        unreadable = tuple(_inside(seen.source) for seen in found if seen.problem is not None)
        named = {source_of(path) for path in paths}
        folders = tuple(_inside(source) for source in named if os.path.isdir(source))
        for source, records in sorted(self._by_source.items()):
            looked_for = source in named or source.startswith(folders)
            if looked_for and source not in present and not source.startswith(unreadable or ("\0",)):
                for record in records.values():
                    yield Stale(source, record.document_id, "its file is gone")


def _inside(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep
