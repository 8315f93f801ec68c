"""Work on the machines of a cluster: reading files in the sandbox, and embedding. Nothing here knows Ray."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from itertools import count
from typing import TYPE_CHECKING

from assay.errors import AssayError, UsageError
from assay.ingest.files import FileReader, ReadyDocument
from assay.ingest.sandbox import Sandbox
from assay.settings import received_settings
from assay.types import FileReport
from assay.wiring import open_embedder, open_splitter
from assay.wiring.cluster import rows
from assay.wiring.cluster.rows import FileOutcome, FileRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.core.stages import Embedder

# Bytes of a file's documents that are sent at a time: about 200 passages. A file of JSON lines may hold millions.
_AT_ONCE = 512 << 10
# Threads of one worker's network: a worker has one processor.
_THREADS = 1

# A part of a file: the number to ask for more by, None at its end, and its items as `rows` writes them.
Part = tuple[int | None, list[bytes]]


def own_version() -> str:
    """The version of assay that is installed on this machine."""
    return metadata.version("assay")


def refuse_other_version(version: str) -> None:
    """Raise UsageError on a machine that has another assay than the one that sends the work."""
    if version != own_version():
        raise UsageError(
            f"a worker of the cluster has assay {own_version()}, not {version}",
            hint="install the same version on every machine of the cluster",
        )


class Worker:
    """Reads files, cuts them into passages, and embeds texts, as an actor; one call may read while another embeds.

    A file is read in a sandbox, as `assay add` does on one machine.
    """

    def __init__(self, sent: Mapping[str, object], version: str) -> None:
        refuse_other_version(version)
        self._embedder: Embedder = open_embedder(received_settings(sent), threads=_THREADS)
        self._splitter = open_splitter(self._embedder)
        self._sandbox = Sandbox()
        # One loop for all calls, since a service's connections belong to theirs.
        self._loop = asyncio.Runner()
        self._numbers = count()
        self._open: dict[int, Iterator[bytes]] = {}

    def ready(self) -> bool:
        """Tell whether it can be called."""
        return True

    def read(self, request: bytes, dry_run: bool) -> Part:
        """The first part of a file, for a request as `rows.write_request` writes it."""
        number = next(self._numbers)
        self._open[number] = self.items(rows.read_request(request), dry_run=dry_run)
        return self.more(number)

    def more(self, number: int) -> Part:
        """The next part of a file."""
        found: list[bytes] = []
        size = 0
        for item in self._open[number]:
            found.append(item)
            size += len(item)
            if size >= _AT_ONCE:
                return number, found
        del self._open[number]
        return None, found

    def items(self, request: FileRequest, *, dry_run: bool) -> Iterator[bytes]:
        """The documents of a file, then what came of it."""
        reader = FileReader(self._sandbox, self._splitter, self._embedder.model, request.stored(), dry_run=dry_run)
        try:
            for items in reader.items(request.seen):
                for item in items:
                    if isinstance(item, ReadyDocument):
                        yield rows.write_document(item)
                    else:
                        yield rows.write_outcome(FileOutcome(item, tuple(reader.stale)))
        except AssayError as error:  # such as a package for this kind of storage that is not on this machine
            report = FileReport(request.seen.path, "failed", str(error), hint=error.hint)
            yield rows.write_outcome(FileOutcome(report))
        except Exception as error:  # noqa: BLE001 - a boundary: what one file raises must not cost the others
            what = f"a bug in assay: {type(error).__name__}: {error}"
            report = FileReport(request.seen.path, "failed", what, hint="report it, with the file if you can")
            yield rows.write_outcome(FileOutcome(report))

    def embed(self, texts: Sequence[str]) -> tuple[NDArray[np.float32] | None, bytes]:
        """One row of length 1 a text; or None and the error, as `rows.write_error` writes it."""
        try:
            return self._loop.run(self._embedder.embed(texts)), b""
        except AssayError as error:
            return None, rows.write_error(error)
