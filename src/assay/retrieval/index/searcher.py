"""Search by vector over a collection that other processes may change; the view in memory follows the rows."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.retrieval.index.rows import selection
from assay.retrieval.index.schema import number_of, refuse_other_model, snapshot, value_of
from assay.retrieval.index.vectors import (
    Block,
    Graph,
    Header,
    Rows,
    Scored,
    Vectors,
    alive_rows,
    grow,
    read_block,
    read_graph,
    read_header,
    read_newer,
    read_selected,
    write_graph,
)
from assay.types import EmbeddingModel, Metadata

EXACT_BELOW = 50_000
# Rows newer than the graph are scanned, at about 0.1 ms a thousand; beyond this many they are added to it.
_NEWER_ROWS = 5_000
# The share of removed rows from which the graph is rebuilt, since each search visits them: chosen.
_REMOVED_SHARE = 0.2
# Filters that keep less than this share are searched exactly over the selected rows: chosen.
_SELECTIVE_SHARE = 0.2

Reached = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class View:
    """One version of the collection in memory: a graph up to its watermark, the rows beyond it as a block.

    Without a graph the block holds all rows. `alive` are all rows, None where the graph holds no removed one.
    """

    version: int
    removals: int
    total: int
    graph: Graph | None
    block: Block
    alive: Rows | None = None

    @property
    def watermark(self) -> int:
        """The last row of the graph; 0 without one."""
        return self.graph.header.watermark if self.graph is not None else 0

    @property
    def needs_rebuild(self) -> bool:
        """True if too many rows of the graph have been removed."""
        indexed = len(self.graph.rows) if self.graph is not None else 0
        return indexed + len(self.block.rows) - self.total > _REMOVED_SHARE * indexed

    def search(self, vector: Vectors, k: int, allowed: Rows | None = None) -> Scored:
        """The k best rows, among the allowed ones where given."""
        found = self.block.search(vector, k, allowed)
        if self.graph is None:
            return found
        return found.joined(self.graph.search(vector, k, self.alive if allowed is None else allowed)).best(k)


class VectorSearcher:
    """Searches exactly or by graph, depending on the collection's size and the derived file."""

    def __init__(self, path: Path, model: EmbeddingModel, exact_below: int, reached: Reached) -> None:
        self._path = path
        self._model = model
        self._exact_below = exact_below
        self._reached = reached
        self._lock = threading.Lock()
        self._view: View | None = None
        self._stamp: tuple[int, int] | None = None

    def search(
        self, connection: sqlite3.Connection, view: View, vector: Vectors, k: int, where: Metadata
    ) -> Scored:
        """The k rows of highest cosine in the view whose metadata equal `where`."""
        if not where:
            return view.search(vector, k)
        selected, bound = selection(where)
        allowed = np.sort(np.array([row for (row,) in connection.execute(selected, bound)], np.int64))
        if view.graph is not None and len(allowed) < _SELECTIVE_SHARE * view.total:
            return read_selected(connection, selected, bound, self._model.dimension).search(vector, k)
        return view.search(vector, k, allowed)

    def view(self, connection: sqlite3.Connection) -> View:
        """The view in memory, updated to the newest version."""
        # The snapshot begins inside the lock, so that versions only rise from one call to the next.
        with self._lock, snapshot(connection):
            version, stamp = number_of(connection, "version"), _stamp(self._path)
            if self._view is None or self._stamp != stamp:
                refuse_other_model(connection, self._model)
                self._view = self._first_view(connection, version)
            elif self._view.version != version:
                refuse_other_model(connection, self._model)
                self._view = self._next_view(connection, version, self._view)
            self._stamp = stamp
            return self._view

    def is_outdated(self, view: View) -> bool:
        """True if the derived file should be built or updated."""
        if view.total <= self._exact_below:
            return False
        return view.graph is None or len(view.block.rows) > _NEWER_ROWS or view.needs_rebuild

    def build(self, connection: sqlite3.Connection, go_on: Callable[[], bool]) -> None:
        """Build or update the derived file if it is outdated; work done before `go_on` returns False is kept."""
        if number_of(connection, "passages") <= self._exact_below:
            return
        view = self.view(connection)
        if not self.is_outdated(view):
            return
        graph, block, removals = None, view.block, view.removals
        if view.needs_rebuild:
            block = read_block(connection, 0, self._model.dimension)
        elif view.graph is not None:
            # A copy of its own: FAISS cannot add to a graph that is being searched.
            graph = self._usable_graph(connection)
            if graph is None or graph.header != view.graph.header:
                return  # replaced by another process meanwhile
            # With the old count of removals, views look for removed rows.
            removals = graph.header.removals
        grown = grow(graph, block, self._header(connection, view, removals), go_on)
        self._reached("graph grown")
        if len(grown.rows):
            write_graph(self._path, grown, self._reached)

    def _header(self, connection: sqlite3.Connection, view: View, removals: int) -> Header:
        return Header(
            collection_id=str(value_of(connection, "collection_id")),
            model_sha256=self._model.sha256,
            version=view.version,
            removals=removals,
            watermark=0,
            rows=0,
        )

    def _first_view(self, connection: sqlite3.Connection, version: int) -> View:
        total, removals = number_of(connection, "passages"), number_of(connection, "removals")
        graph = self._usable_graph(connection) if total > self._exact_below else None
        after = graph.header.watermark if graph is not None else 0
        block = read_block(connection, after, self._model.dimension)
        return View(version, removals, total, graph, block, _alive_in(graph, connection, removals))

    def _next_view(self, connection: sqlite3.Connection, version: int, old: View) -> View:
        total, removals = number_of(connection, "passages"), number_of(connection, "removals")
        block = old.block.without(alive_rows(connection)) if removals != old.removals else old.block
        last = max(int(old.block.rows[-1]) if len(old.block.rows) else 0, old.watermark)
        block = read_newer(connection, block, last)
        return View(version, removals, total, old.graph, block, _alive_in(old.graph, connection, removals))

    def _usable_graph(self, connection: sqlite3.Connection) -> Graph | None:
        """The graph in the file, if it was made from this collection and model, and no later version."""
        header = read_header(self._path)
        fits = (
            header is not None
            and header.collection_id == value_of(connection, "collection_id")
            and header.model_sha256 == self._model.sha256
            and header.version <= number_of(connection, "version")
        )
        return read_graph(self._path) if fits else None


def _alive_in(graph: Graph | None, connection: sqlite3.Connection, removals: int) -> Rows | None:
    """All rows, where the graph may hold removed ones."""
    return alive_rows(connection) if graph is not None and graph.header.removals != removals else None


def _stamp(path: Path) -> tuple[int, int] | None:
    """A stamp that changes when the file is replaced."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns
