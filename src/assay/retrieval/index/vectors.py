"""Search by vector: the exact scan, and what of the stored vectors is kept in memory between two searches."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]

# Vectors are read this many rows at a time, so that reading never holds them twice.
_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Scored:
    """Rows with their cosines, shape (n,) both, best first."""

    rows: Rows
    scores: Vectors

    def best(self, k: int) -> Scored:
        """The k best; of equals, the row stored first."""
        if len(self.rows) > k > 0:
            least = np.partition(self.scores, -k)[-k]
            kept = self.scores >= least
            rows, scores = self.rows[kept], self.scores[kept]
        else:
            rows, scores = self.rows, self.scores
        order = np.lexsort((rows, -scores))[: max(k, 0)]
        return Scored(rows[order], scores[order])

    def joined(self, other: Scored) -> Scored:
        """These and the other's, in no order."""
        return Scored(np.concatenate([self.rows, other.rows]), np.concatenate([self.scores, other.scores]))


@dataclass(frozen=True, slots=True)
class Block:
    """Rows in ascending order with their vectors, held as they are stored: in 16-bit floats.

    FAISS scans them so on one core, at half the memory traffic of 32-bit floats, and memory is what it waits for.
    """

    rows: Rows
    faiss_index: Any

    @classmethod
    def of(cls, rows: Sequence[int], blobs: Sequence[bytes], dimension: int) -> Block:
        """A block of stored vectors."""
        faiss = load_faiss()
        index = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT)
        index.is_trained = True  # 16-bit floats need no training
        block = cls(np.array(rows, np.int64), index)
        block._append(blobs)
        return block

    def vectors(self, first: int, count: int) -> Vectors:
        """The vectors of so many places from the first on, shape (count, dimension)."""
        vectors: Vectors = self.faiss_index.reconstruct_n(first, count)
        return vectors

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """The k rows of highest cosine, among the allowed ones where given (ascending)."""
        return search_rows(self.faiss_index, self.rows, vector, k, allowed, load_faiss().SearchParameters)

    def without(self, alive: Rows) -> Block:
        """The block without the rows that are not among the alive ones (ascending)."""
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
        """The block with newer rows behind its own."""
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
    """The k best places of a FAISS index, as rows; `settings` makes its search parameters."""
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
    """FAISS on one thread, imported where it is first needed; its type stubs lack half of what it has."""
    import faiss

    module: Any = faiss
    module.omp_set_num_threads(1)
    return module


def places_of(rows: Rows, wanted: Rows) -> NDArray[np.intp]:
    """Where in `rows` the wanted ones stand; both ascending, those not in `rows` are left out."""
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
    """The block with all rows beyond `after` behind its own."""
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
    """All rows there are, ascending; read from the small index, not from the passages."""
    found = connection.execute("SELECT row FROM passages INDEXED BY passages_of_document").fetchall()
    return np.sort(np.array([row for (row,) in found], np.int64))


# The derived FAISS file: an HNSW graph over the rows up to a watermark. Losing it costs time, never an answer.


# Malkov and Yashunin 2018 (arXiv 1603.09320): links a node, and breadth while building and while searching.
# Chosen by recall and time on real passages, see decisions/012.
LINKS = 32
BUILD_BREADTH = 120
SEARCH_BREADTH = 600
_ADD_AT_ONCE = 1000
_FORMAT = "assay-vectors/1"
_LONGEST_HEADER = 4096


@dataclass(frozen=True, slots=True)
class Header:
    """What the graph was made from; `checksum` is the CRC-32 of all bytes behind the header."""

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
    """A searchable graph; `rows` are the rows of its vectors in order, ascending, removed ones included."""

    header: Header
    rows: Rows
    faiss_index: Any

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """About the k rows of highest cosine, among the allowed ones where given (ascending)."""
        settings = partial(load_faiss().SearchParametersHNSW, efSearch=max(SEARCH_BREADTH, 2 * k))
        return search_rows(self.faiss_index, self.rows, vector, k, allowed, settings)


def grow(graph: Graph | None, block: Block, header: Header, go_on: Callable[[], bool]) -> Graph:
    """A graph of the rows that `graph` holds and those of the block, as far as `go_on` lets it.

    The FAISS index of `graph` is changed, so it must not be one that is searched meanwhile.
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
    """Write the file beside, then rename it into place."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    rows = graph.rows.astype("<i8")
    body = load_faiss().serialize_index(graph.faiss_index)
    header = {**asdict(graph.header), "checksum": zlib.crc32(body.data, zlib.crc32(rows.data))}
    try:
        with open(os.open(beside, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
            file.write(json.dumps(header).encode() + b"\n")
            file.write(rows.data)
            file.write(body.data)
            file.flush()
            os.fsync(file.fileno())
        reached("graph written")
        os.replace(beside, path)
        reached("graph in place")
    finally:
        beside.unlink(missing_ok=True)


def read_header(path: Path) -> Header | None:
    """The header, or None where there is no file or not one of ours."""
    try:
        with path.open("rb") as file:
            return _header(file.readline(_LONGEST_HEADER))
    except OSError:
        return None


def read_graph(path: Path) -> Graph | None:
    """The graph, or None where the file is missing or damaged: the rows are the truth, it can be built anew."""
    try:
        with path.open("rb") as file:
            header = _header(file.readline(_LONGEST_HEADER))
            if header is None or _checksum(file) != header.checksum:
                return None
            file.seek(0)
            file.readline(_LONGEST_HEADER)
            rows = np.frombuffer(file.read(8 * header.rows), "<i8").astype(np.int64)
            faiss = load_faiss()
            # Read in pieces: the file and the graph together would take twice the memory.
            return Graph(header, rows, faiss.read_index(faiss.PyCallbackIOReader(file.read)))
    except OSError:
        return None


def _checksum(file: BinaryIO) -> int:
    """The CRC-32 of what is left of the file."""
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
    """A graph over float16 vectors: half the memory, and the stored rows hold no more either."""
    faiss = load_faiss()
    index = faiss.IndexHNSWSQ(dimension, faiss.ScalarQuantizer.QT_fp16, LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = BUILD_BREADTH
    index.is_trained = True  # 16-bit floats need no training
    return index
