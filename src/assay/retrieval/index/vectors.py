"""Search by vector: the exact scan, the graph, and the vectors chosen in memory between searches."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]

# Rows read at a time, so that vectors are never held twice: chosen.
_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows and their cosines, both of shape (n,), best first."""

    rows: Rows
    scores: Vectors

    def best(self, k: int) -> Scored:
        """The k best; ties go to the row stored first."""
        if len(self.rows) > k > 0:
            least = np.partition(self.scores, -k)[-k]
            chosen = self.scores >= least
            rows, scores = self.rows[chosen], self.scores[chosen]
        else:
            rows, scores = self.rows, self.scores
        order = np.lexsort((rows, -scores))[: max(k, 0)]
        return Scored(rows[order], scores[order])

    def joined(self, other: Scored) -> Scored:
        """These and the other's, in no order."""
        return Scored(np.concatenate([self.rows, other.rows]), np.concatenate([self.scores, other.scores]))


@dataclass(frozen=True, slots=True)
class Block:
    """Rows in ascending order with their vectors, in 16-bit floats as stored.

    FAISS scans them on one core with half the memory traffic of 32-bit floats, which is the bottleneck.
    """

    rows: Rows
    faiss_index: Any

    @classmethod
    def of(cls, rows: Sequence[int], blobs: Sequence[bytes], dimension: int) -> Block:
        """Make a block of stored vectors."""
        faiss = load_faiss()
        index = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # 16-bit floats need no training
        block = cls(np.array(rows, np.int64), index)
        block._append(blobs)
        return block

    def vectors(self, first: int, count: int) -> Vectors:
        """The vectors of `count` positions from `first` on, shape (count, dimension)."""
        vectors: Vectors = self.faiss_index.reconstruct_n(first, count)
        return vectors

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """The k rows of highest cosine, among the allowed ones where given (ascending)."""
        return search_rows(self.faiss_index, self.rows, vector, k, allowed, load_faiss().SearchParameters)

    def without(self, alive: Rows) -> Block:
        """The block restricted to the alive rows (ascending)."""
        places = places_of(self.rows, alive)
        if len(places) == len(self.rows):
            return self
        faiss = load_faiss()
        removed = np.ones(len(self.rows), bool)
        removed[places] = False
        index = faiss.clone_index(self.faiss_index)
        index.remove_ids(np.flatnonzero(removed))
        return Block(self.rows[places], index)

    def extended(self, rows: Sequence[int], blobs: Sequence[bytes]) -> Block:
        """The block with newer rows appended."""
        if not rows:
            return self
        block = Block(
            np.concatenate([self.rows, np.array(rows, np.int64)]), load_faiss().clone_index(self.faiss_index)
        )
        block._append(blobs)
        return block

    def _append(self, blobs: Sequence[bytes]) -> None:
        codes = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), self.faiss_index.code_size)
        if len(blobs):
            self.faiss_index.add_sa_codes(codes)


def search_rows(index: Any, rows: Rows, vector: Vectors, k: int, allowed: Rows | None, settings: Any) -> Scored:
    """The k best rows of a FAISS index; `settings` makes its search parameters."""
    if not len(rows) or k <= 0:
        return Scored(rows[:0], np.zeros(0, np.float32))
    parameters = settings()
    if allowed is not None:
        mask = np.zeros(len(rows), bool)
        mask[places_of(rows, allowed)] = True
        bits = np.packbits(mask, bitorder="little")
        parameters = settings(sel=load_faiss().IDSelectorBitmap(bits))
    scores, places = index.search(vector.reshape(1, -1), min(k, len(rows)), params=parameters)
    found = places[0] >= 0
    return Scored(rows[places[0][found]], scores[0][found]).best(k)


def load_faiss() -> Any:
    """FAISS on one thread, imported on first use; typed as Any because its stubs are incomplete."""
    import faiss

    module: Any = faiss
    module.omp_set_num_threads(1)
    return module


def places_of(rows: Rows, wanted: Rows) -> NDArray[np.intp]:
    """The positions in `rows` of the wanted rows; both ascending, missing rows are ignored."""
    places = np.searchsorted(rows, wanted)
    places = places[places < len(rows)]
    found: NDArray[np.intp] = places[rows[places] == wanted[: len(places)]]
    return found


def read_block(connection: sqlite3.Connection, after: int, dimension: int) -> Block:
    """The vectors of all rows beyond `after`."""
    block = Block.of([], [], dimension)
    cursor = connection.execute("SELECT row, vector FROM vectors WHERE row > ? ORDER BY row", (after,))
    rows: list[int] = []
    while chunk := cursor.fetchmany(_CHUNK):
        rows.extend(row for row, _ in chunk)
        block._append([blob for _, blob in chunk])
    return Block(np.array(rows, np.int64), block.faiss_index)


def read_newer(connection: sqlite3.Connection, block: Block, after: int) -> Block:
    """The block with all rows beyond `after` appended."""
    found = connection.execute("SELECT row, vector FROM vectors WHERE row > ? ORDER BY row", (after,)).fetchall()
    return block.extended([row for row, _ in found], [blob for _, blob in found])


def read_selected(
    connection: sqlite3.Connection, selected: str, bound: tuple[object, ...], dimension: int
) -> Block:
    """The vectors of the rows that a subquery selects."""
    found = connection.execute(
        f"SELECT row, vector FROM vectors WHERE row IN ({selected}) ORDER BY row",  # noqa: S608 - no value in it
        bound,
    ).fetchall()
    return Block.of([row for row, _ in found], [blob for _, blob in found], dimension)


def alive_rows(connection: sqlite3.Connection) -> Rows:
    """All rows, ascending, read from the small index rather than the passages."""
    found = connection.execute("SELECT row FROM passages INDEXED BY passages_of_document").fetchall()
    return np.sort(np.array([row for (row,) in found], np.int64))


# The derived FAISS file: an HNSW graph of the rows up to a watermark. Losing it costs only time.


# Malkov and Yashunin 2018 (arXiv 1603.09320): links per node, and breadth when building and searching.
# Chosen by recall and time on real passages, see decisions/012.
LINKS = 32
BUILD_BREADTH = 120
SEARCH_BREADTH = 600
_ADD_AT_ONCE = 1000
_FORMAT = "assay-vectors/1"
_LONGEST_HEADER = 4096
_GREATEST_CHECKSUM = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Header:
    """The origin of the graph; `checksum` is the CRC-32 of all bytes after the header."""

    collection_id: str
    model_sha256: str
    version: int
    removals: int
    watermark: int
    rows: int
    checksum: int = 0
    format: str = _FORMAT


@dataclass(frozen=True, slots=True)
class Graph:
    """A searchable graph; `rows` are the rows of its vectors, ascending, including removed ones."""

    header: Header
    rows: Rows
    faiss_index: Any

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """About the k rows of highest cosine, among the allowed ones where given (ascending)."""
        settings = partial(load_faiss().SearchParametersHNSW, efSearch=max(SEARCH_BREADTH, 2 * k))
        return search_rows(self.faiss_index, self.rows, vector, k, allowed, settings)


def grow(graph: Graph | None, block: Block, header: Header, go_on: Callable[[], bool]) -> Graph:
    """Add the block's rows to `graph`, or build a new one, while `go_on` returns True.

    The FAISS index of `graph` is changed, so it must not be searched meanwhile.
    """
    faiss_index = _empty(block.faiss_index.d) if graph is None else graph.faiss_index
    done = 0
    while done < len(block.rows) and go_on():
        count = min(_ADD_AT_ONCE, len(block.rows) - done)
        faiss_index.add(block.vectors(done, count))
        done += count
    rows = block.rows[:done] if graph is None else np.concatenate([graph.rows, block.rows[:done]])
    watermark = int(rows[-1]) if len(rows) else 0
    return Graph(Header(**{**asdict(header), "watermark": watermark, "rows": len(rows)}), rows, faiss_index)


def write_graph(path: Path, graph: Graph, reached: Callable[[str], None]) -> None:
    """Write a temporary file, then rename it into place."""
    # Two who have opened the collection in one process may both write it.
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    faiss, rows, checksum = load_faiss(), graph.rows.astype("<i8"), 0
    # Written in pieces: file and graph together would take twice the memory. The checksum is known at the end.
    place = len(_header_line(replace(graph.header, checksum=_GREATEST_CHECKSUM)))
    try:
        with open(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:

            def write(piece: memoryview | bytes) -> int:
                nonlocal checksum
                checksum = zlib.crc32(piece, checksum)
                return file.write(piece)

            file.write(b" " * (place - 1) + b"\n")
            write(rows.data)
            faiss.write_index(graph.faiss_index, faiss.PyCallbackIOWriter(write))
            file.seek(0)
            file.write(_header_line(replace(graph.header, checksum=checksum))[:-1].ljust(place - 1) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        reached("graph written")
        os.replace(beside, path)
        reached("graph in place")
    finally:
        beside.unlink(missing_ok=True)


def _header_line(header: Header) -> bytes:
    return json.dumps(asdict(header)).encode() + b"\n"


def read_header(path: Path) -> Header | None:
    """The header; None if there is no file or it is not ours."""
    try:
        with path.open("rb") as file:
            return _header(file.readline(_LONGEST_HEADER))
    except OSError:
        return None


def read_graph(path: Path) -> Graph | None:
    """The graph; None if the file is missing or damaged, since it can be rebuilt from the rows."""
    try:
        with path.open("rb") as file:
            header = _header(file.readline(_LONGEST_HEADER))
            if header is None or _checksum(file) != header.checksum:
                return None
            file.seek(0)
            file.readline(_LONGEST_HEADER)
            rows = np.frombuffer(file.read(8 * header.rows), "<i8").astype(np.int64)
            faiss = load_faiss()
            # Read in pieces: file and graph together would take twice the memory.
            return Graph(header, rows, faiss.read_index(faiss.PyCallbackIOReader(file.read)))
    except OSError:
        return None


def _checksum(file: BinaryIO) -> int:
    """The CRC-32 of the rest of the file."""
    checksum = 0
    while piece := file.read(1 << 20):
        checksum = zlib.crc32(piece, checksum)
    return checksum


def _header(line: bytes) -> Header | None:
    try:
        fields = json.loads(line)
        return Header(**fields) if fields["format"] == _FORMAT else None
    except (ValueError, TypeError, KeyError):
        return None


def _empty(dimension: int) -> Any:
    """An empty graph of float16 vectors, like the stored rows: half the memory."""
    faiss = load_faiss()
    index = faiss.IndexHNSWSQ(dimension, faiss.ScalarQuantizer.QT_fp16, LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_BREADTH
    index.is_trained = True  # 16-bit floats need no training
    return index
