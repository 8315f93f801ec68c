"""The derived FAISS file: an HNSW graph over the rows up to a watermark. Losing it costs time, never an answer.

The file is one line of JSON (the header), the row of each vector as little-endian int64, then what FAISS writes.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from assay.index.vectors import Block, Rows, Scored, Vectors, load_faiss, search_rows

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
