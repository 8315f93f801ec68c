"""Where the time of a search by words goes in SQLite: the ranking of FTS5 beside what assay does when it is large.

    ASSAY_BENCH_CACHE=~/.cache/assay-bench .venv/bin/python benchmarks/scale/words.py [--passages 200000 1000000]

Processor milliseconds of each question: the `bm25` of FTS5; which passages have any word, without a score; and the
search of assay, the first time, when it reads where the words stand, and again. Every list of 24 is compared with
that of FTS5. The store, which has no vectors, is kept in the cache.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from assay.retrieval.index.rows import match_expression, query_terms
from assay.retrieval.index.schema import connect, snapshot
from assay.retrieval.index.sqlite import FILE_NAME, _by_bm25, open_sqlite
from assay.retrieval.index.words import WordSearcher
from report import write_result
from retrieval.sets import local_embedder
from scale.scale_passages import DIMENSION, Scale, cache, open_scale, questions
from speed.search import entry, quantiles

K = 24
ADDED_AT_ONCE = 1000
MATCHING = "SELECT count(*) FROM words WHERE words MATCH ?"


def store_of(scale: Scale) -> Path:
    """The file of a collection with the words of the passages, made if it is not there."""
    folder = cache() / f"words-{scale.count}"
    if not (folder / "complete").exists():
        asyncio.run(make(scale, folder))
        (folder / "complete").touch()
    return folder / FILE_NAME


async def make(scale: Scale, folder: Path) -> None:
    index = open_sqlite(folder, local_embedder().model, exact_below=scale.count)
    nowhere = np.zeros((1, DIMENSION), np.float32)
    for first in range(await index.size(), scale.count, ADDED_AT_ONCE):
        numbers = range(first, min(first + ADDED_AT_ONCE, scale.count))
        await index.add([entry(scale.row(n), nowhere) for n in numbers])
    await index.close()


def cpu_ms(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def measured(connection: sqlite3.Connection, asked: list[tuple[str, ...]]) -> dict[str, Any]:
    searcher, numbers = WordSearcher(0), {}

    def ask(query: tuple[str, ...]) -> list[tuple[int, float]]:
        return searcher.search(connection, query, K, {}) or []

    with snapshot(connection):
        numbers["lengths_ms"] = round(cpu_ms(lambda: ask(("none",))), 1)
        numbers["first_ms"] = quantiles([cpu_ms(lambda: ask(query)) for query in asked])  # noqa: B023
        numbers["again_ms"] = quantiles([cpu_ms(lambda: ask(query)) for query in asked])  # noqa: B023
        numbers["bm25_ms"] = quantiles([cpu_ms(lambda: _by_bm25(connection, query, K, {})) for query in asked])  # noqa: B023
        matching = [
            cpu_ms(lambda: connection.execute(MATCHING, (match_expression(query),)).fetchone())  # noqa: B023
            for query in asked
        ]
        numbers["matching_ms"] = quantiles(matching)
        numbers["lists_that_differ"] = sum(differs(connection, ask(query), query) for query in asked)
    return numbers


def differs(connection: sqlite3.Connection, best: list[tuple[int, float]], query: tuple[str, ...]) -> bool:
    ids = dict(
        connection.execute(
            f"SELECT row, passage_id FROM passages WHERE row IN ({','.join(str(row) for row, _ in best)})"  # noqa: S608
        )
    )
    other = _by_bm25(connection, query, K, {})
    same = [ids[row] for row, _ in best] == [found.passage_id for found in other]
    return not (same and np.allclose([score for _, score in best], [found.score for found in other], atol=1e-6))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, nargs="*", default=[200_000, 1_000_000])
    for count in parser.parse_args().passages:
        connection = connect(store_of(open_scale(count)))
        asked = [query for question in questions()[0] if (query := query_terms(question))]
        write_result(
            "scale", f"words-{count}", {"passages": count, "questions": len(asked), **measured(connection, asked)}
        )
        connection.close()


if __name__ == "__main__":
    main()
