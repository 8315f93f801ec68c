"""Search by vector in Postgres: the exact scan, and a graph (HNSW) for each large collection.

The graph is a partial index over the collection's own vectors, so that neither the results nor the time of a search
depend on what other collections and tenants hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from assay.retrieval.index.postgres_rows import Connection, StoredCollection, selection, vector_in
from assay.retrieval.index.vectors import BUILD_BREADTH, LINKS
from assay.types import Metadata

Scores = list[tuple[int, float]]

# Filters that keep less than this share are searched exactly over the selected rows: as in SQLite.
_SELECTIVE_SHARE = 0.2
# Nodes of the graph that a search visits first, and at most where a filter drops many: see decisions/220.
SEARCH_BREADTH, _MOST_VISITED = 400, 40_000
# Rows beyond k whose scores are computed anew: what rounding may have put in another order. Chosen.
_SPARE = 16
# The most that pgvector takes.
_WIDEST = 1000
_BUILD_MEMORY = "1GB"


def search(
    connection: Connection,
    own: StoredCollection,
    vector: NDArray[np.float32],
    k: int,
    where: Metadata,
    *,
    exactly: bool,
    after: int = 0,
) -> Scores:
    """The k rows of highest cosine with their scores, best first; about these, where the graph is used.

    Of the rows beyond `after`, where it is given.

    The database orders by the vector asked for in 16 bits. Of a few more than k rows the scores are computed here,
    in 32 bits as for SQLite, so that both stores give the same.
    """
    asked = "[" + ",".join(map(repr, vector.astype(np.float16).astype(float).tolist())) + "]"
    selected, bound = selection(own, where) if where else (sql.SQL(""), ())
    among = sql.SQL(' AND "row" IN ({})').format(selected) if where else sql.SQL("")
    if after:
        among += sql.SQL(' AND "row" > {}').format(sql.Literal(after))
    exactly = exactly or (bool(where) and _is_selective(connection, own, selected, bound))
    nearest = _exact if exactly or not has_graph(connection, own) else _by_graph
    found = nearest(connection, own, asked, k + _SPARE, among, bound)
    vectors = np.array([vector_in(data) for _, data in found], np.float32).reshape(len(found), own.model.dimension)
    scores = vectors @ vector.astype(np.float32, copy=False)
    best = sorted(
        zip(scores.tolist(), (row for row, _ in found), strict=True), key=lambda each: (-each[0], each[1])
    )
    return [(row, score) for score, row in best[:k]]


def has_graph(connection: Connection, own: StoredCollection) -> bool:
    """Tell whether the graph of the collection is there and complete."""
    found = connection.execute(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (f"assay.{_name(own)}",)
    )
    return found.fetchone() == (True,)


def build_graph(connection: Connection, own: StoredCollection) -> None:
    """Build the graph of the collection if it has none and nobody else is building it.

    Reads and writes go on meanwhile. `connection` is in autocommit mode, as the owner of the tables. Raises
    psycopg.errors.InsufficientPrivilege where it is not.
    """
    lock = f"assay {_name(own)}"
    if connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (lock,)).fetchone() != (True,):
        return
    if has_graph(connection, own):
        return
    drop_graph(connection, own)  # what a build that was ended left
    connection.execute("SELECT set_config('maintenance_work_mem', %s, false)", (_BUILD_MEMORY,))
    connection.execute(
        sql.SQL(
            "CREATE INDEX CONCURRENTLY {} ON assay.vectors USING hnsw ((vector::halfvec({})) halfvec_ip_ops)"
            " WITH (m = {}, ef_construction = {}) WHERE {}"
        ).format(
            sql.Identifier(_name(own)),
            sql.Literal(own.model.dimension),
            sql.Literal(LINKS),
            sql.Literal(BUILD_BREADTH),
            _own_rows(own),
        )
    )


def drop_graph(connection: Connection, own: StoredCollection) -> None:
    """Drop the graph of the collection if there is one; `connection` as for `build_graph`."""
    connection.execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier("assay", _name(own))))


def _exact(
    connection: Connection,
    own: StoredCollection,
    asked: str,
    most: int,
    among: sql.Composable,
    bound: tuple[object, ...],
) -> list[tuple[int, bytes]]:
    statement = sql.SQL(
        'SELECT "row", vector FROM assay.vectors WHERE {}{} ORDER BY vector <#> %s::halfvec, "row" LIMIT %s'
    ).format(_own_rows(own), among)
    return connection.cursor(binary=True).execute(statement, (*bound, asked, most)).fetchall()


def _by_graph(
    connection: Connection,
    own: StoredCollection,
    asked: str,
    most: int,
    among: sql.Composable,
    bound: tuple[object, ...],
) -> list[tuple[int, bytes]]:
    connection.execute(
        "SELECT set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', %s, true),"
        " set_config('hnsw.max_scan_tuples', %s, true)",
        (str(min(max(SEARCH_BREADTH, 2 * most), _WIDEST)), str(_MOST_VISITED)),
    )
    near = sql.SQL("(vector::halfvec({})) <#> %s::halfvec({})").format(*[sql.Literal(own.model.dimension)] * 2)
    statement = sql.SQL('SELECT "row", vector FROM assay.vectors WHERE {}{} ORDER BY {} LIMIT %s').format(
        _own_rows(own), among, near
    )
    return connection.cursor(binary=True).execute(statement, (*bound, asked, most)).fetchall()


def _is_selective(
    connection: Connection, own: StoredCollection, selected: sql.Composable, bound: tuple[object, ...]
) -> bool:
    """Tell whether a filter keeps so few rows that they are better scanned."""
    most = int(_SELECTIVE_SHARE * own.passages)
    statement = sql.SQL("SELECT count(*) FROM ({} LIMIT %s) AS kept").format(selected)
    row = connection.execute(statement, (*bound, most)).fetchone()
    return row is not None and row[0] < most


def _own_rows(own: StoredCollection) -> sql.Composed:
    """The condition of the collection's vectors, with its numbers written out: only then is the graph used."""
    return sql.SQL("collection = {} AND generation = {}").format(
        sql.Literal(own.number), sql.Literal(own.generation)
    )


def _name(own: StoredCollection) -> str:
    return f"graph_{own.number}_{own.generation}"
