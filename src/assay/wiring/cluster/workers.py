"""What runs on the machines of a cluster: reading files in the sandbox, and embedding. Nothing here knows Ray."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from assay import __version__
from assay.errors import AssayError, UsageError
from assay.ingest.files import FileReader, ReadyDocument
from assay.ingest.pipeline import embedded
from assay.ingest.sandbox import Sandbox
from assay.settings import received_settings
from assay.types import EmbeddingModel, FileReport
from assay.wiring import open_embedder, open_splitter
from assay.wiring.cluster import rows
from assay.wiring.cluster.rows import FileOutcome, FileRequest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.stages import Embedder

# A row is a document of the file with that number, its vectors once it is embedded, or what came of the file, or an
# error that ends all the work. Each is empty where the row is another.
SCHEMA = pa.schema(
    [
        ("file", pa.int64()),
        ("ordinal", pa.int64()),
        ("document", pa.large_binary()),
        ("vectors", pa.large_binary()),
        ("outcome", pa.large_binary()),
        ("error", pa.large_binary()),
    ]
)
# Passages that are embedded in one go; a row of more is one go by itself. Chosen.
_PASSAGES_AT_ONCE = 256
# Threads of one worker: a worker has one processor, and there is one for each.
_THREADS = 1


def refuse_other_version(version: str) -> None:
    """Raise UsageError on a machine that has another assay than the one that sends the work."""
    if version != __version__:
        raise UsageError(
            f"a worker of the cluster has assay {__version__}, not {version}",
            hint="install the same version on every machine of the cluster",
        )


def row(number: int, *, ordinal: int = 0, **what: bytes) -> dict[str, Any]:
    """A row; what is not given is empty."""
    return {"file": number, "ordinal": ordinal, "document": b"", "vectors": b"", "outcome": b"", "error": b"", **what}


class FileWorker:
    """Reads files and cuts them into passages, each in a sandbox, as `assay add` does on one machine.

    A call takes a table with the number and the request of each file, and yields rows without vectors.
    """

    def __init__(self, sent: Mapping[str, Any], version: str, *, dry_run: bool = False) -> None:
        refuse_other_version(version)
        embedder = open_embedder(received_settings(sent), threads=_THREADS)
        self._model: EmbeddingModel = embedder.model
        self._splitter = open_splitter(embedder)
        self._sandbox = Sandbox()
        self._dry_run = dry_run

    def __call__(self, table: pa.Table) -> Iterator[pa.Table]:
        """The rows of the files, a few documents at a time."""
        for asked in table.to_pylist():
            for found in self.rows(asked["file"], rows.read_request(asked["request"])):
                yield pa.Table.from_pylist(found, SCHEMA)

    def rows(self, number: int, request: FileRequest) -> Iterator[list[dict[str, Any]]]:
        """The rows of a file: its documents, then what came of it."""
        reader = FileReader(self._sandbox, self._splitter, self._model, request.stored(), dry_run=self._dry_run)
        sent = 0
        try:
            for items in reader.items(request.seen):
                found = []
                for item in items:
                    if isinstance(item, ReadyDocument):
                        found.append(row(number, ordinal=sent, document=rows.write_document(item)))
                        sent += 1
                    else:
                        outcome = FileOutcome(item, sent, tuple(reader.stale))
                        found.append(row(number, outcome=rows.write_outcome(outcome)))
                yield found
        except Exception as error:  # noqa: BLE001 - a boundary: what one file raises must not cost the others
            what = f"a bug in assay: {type(error).__name__}: {error}"
            report = FileReport(request.seen.path, "failed", what, hint="report it, with the file if you can")
            yield [row(number, outcome=rows.write_outcome(FileOutcome(report, sent)))]


class DocumentEmbedder:
    """Embeds the passages of documents: rows without vectors go in, rows with them come out."""

    def __init__(self, sent: Mapping[str, Any], version: str) -> None:
        refuse_other_version(version)
        self._embedder: Embedder = open_embedder(received_settings(sent), threads=_THREADS)
        self._loop = asyncio.Runner()  # one loop for all calls, since a service's connections belong to theirs

    def __call__(self, table: pa.Table) -> Iterator[pa.Table]:
        """The rows in order, several documents at a time."""
        waiting: list[dict[str, Any]] = []
        passages = 0
        for found in table.to_pylist():
            ready = rows.read_document(found["document"]) if found["document"] else None
            waiting.append({**found, "ready": ready})
            passages += 0 if ready is None else ready.size
            if passages >= _PASSAGES_AT_ONCE:
                yield self._embedded(waiting)
                waiting, passages = [], 0
        if waiting:
            yield self._embedded(waiting)

    def _embedded(self, found: Sequence[dict[str, Any]]) -> pa.Table:
        ready = [each["ready"] for each in found if each["ready"] is not None]
        try:
            entries = iter(self._loop.run(embedded(ready, self._embedder)))
        except AssayError as error:
            return pa.Table.from_pylist([row(0, error=rows.write_error(error))], SCHEMA)
        done = []
        for each in found:
            vectors = b"" if each["ready"] is None else next(entries).vectors.astype("<f4").tobytes()
            done.append({name: each[name] for name in SCHEMA.names} | {"vectors": vectors})
        return pa.Table.from_pylist(done, SCHEMA)


class TextEmbedder:
    """Embeds texts, as an actor."""

    def __init__(self, sent: Mapping[str, Any], version: str) -> None:
        refuse_other_version(version)
        self._embedder: Embedder = open_embedder(received_settings(sent), threads=_THREADS)
        self._loop = asyncio.Runner()  # one loop for all calls, since a service's connections belong to theirs

    def ready(self) -> bool:
        """Whether it can be called."""
        return True

    def embed(self, texts: Sequence[str]) -> tuple[NDArray[np.float32] | None, bytes]:
        """One row of length 1 a text; or None and the error, as `rows.write_error` writes it."""
        try:
            return self._loop.run(self._embedder.embed(texts)), b""
        except AssayError as error:
            return None, rows.write_error(error)
