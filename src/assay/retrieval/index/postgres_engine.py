"""A large collection in Postgres whose rows are found by a search engine.

A change is committed in Postgres first, and then brought to the engine, which says how far it has come. Newer rows
are looked through in Postgres, and what the engine finds that is no longer in Postgres is left out: a search sees
each change at once, whatever the engine has heard of.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.postgres.database import Database
from assay.retrieval.index import postgres_rows as stored
from assay.retrieval.index import postgres_vectors
from assay.retrieval.index.postgres_rows import Connection, StoredCollection, comparable, comparable_text
from assay.retrieval.index.postings import best_rows, stored_term
from assay.retrieval.index.rows import PassageWords, WordStatistics, bm25, inverse_frequency
from assay.retrieval.index.search_engine import (
    EnginePoint,
    Held,
    SearchEngine,
    WordHit,
    count_of,
    filter_number,
    term_number,
    weights_of,
)
from assay.types import Metadata

# Rows brought to the engine at a time: about 4 MB of them. Chosen.
_AT_ONCE = 500
# Rows beyond k that the engine is asked for, since scores are computed anew here; and the most at a time. Chosen.
_SPARE, _MOST = 24, 10_000

Scores = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class EngineHits:
    """The best rows with their scores, rows that the engine should no longer have, and whether it lacks some."""

    best: Scores
    gone: tuple[int, ...] = ()
    behind: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of an update: whether there is more to bring, and how far the engine was, if beyond the last row."""

    goes_on: bool = False
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class EngineRows:
    """The rows of one tenant's collection in an engine."""

    engine: SearchEngine
    database: Database
    tenant: str
    collection: str

    def fill(self, least: int, go_on: Callable[[], bool]) -> None:
        """Bring the rows to the engine that it lacks, while `go_on`, if there are more than `least` in all.

        One process does so at a time; for another there is nothing to do then.
        """
        ahead = 0
        while go_on():
            step = self.database.transaction(
                self.tenant,
                lambda connection: self._fill_some(connection, least, ahead),  # noqa: B023 - called at once
                reads=True,
            )
            if not step.goes_on:
                return
            ahead = step.ahead

    def remove(self, own: StoredCollection, rows: Sequence[int]) -> None:
        """Remove rows that are gone from Postgres."""
        name = self.database.transaction(self.tenant, lambda connection: name_of(connection, own), reads=True)
        self.engine.remove(name, rows)

    def drop(self, own: StoredCollection) -> None:
        """Remove the set of the collection."""
        self.engine.drop(
            self.database.transaction(self.tenant, lambda connection: name_of(connection, own), reads=True)
        )

    def problems(self, connection: Connection, own: StoredCollection) -> dict[str, int]:
        """Count the rows that the engine has too few or too many of those that it says it holds."""
        name = name_of(connection, own)
        held = self.engine.held(name)
        if held is None:
            return {}
        row = connection.execute(
            'SELECT count(*) FROM assay.passages WHERE collection = %s AND "row" <= %s', (own.number, held.up_to)
        ).fetchone()
        missing = (int(row[0]) if row else 0) - self.engine.count(name)
        return {
            "passages that the search engine lacks": missing,
            "passages that the search engine has too many": -missing,
        }

    def dense(
        self,
        connection: Connection,
        own: StoredCollection,
        vector: NDArray[np.float32],
        k: int,
        where: Metadata,
    ) -> EngineHits:
        """The k rows of highest cosine to `vector`, about these, best first."""
        name, filters = name_of(connection, own), _filters(where)
        held = self.engine.held(name)
        if held is None:
            found = postgres_vectors.search(connection, own, vector, k, where, exactly=True)
            return EngineHits(found, behind=True)
        asked = k + _SPARE
        while True:
            rows = self.engine.nearest(name, vector, asked, filters)
            vectors = stored.read_vectors_of(connection, own, rows)
            if len(rows) < asked or len(vectors) >= k or asked >= _MOST:
                break
            asked *= 4
        scores = {row: float(each @ vector) for row, each in vectors.items()}
        if behind := held.up_to < own.last_row:
            newer = postgres_vectors.search(connection, own, vector, k, where, exactly=True, after=held.up_to)
            scores.update(newer)
        return EngineHits(_best(scores, k), _gone(rows, vectors, own), behind)

    def sparse(
        self, connection: Connection, own: StoredCollection, query: Sequence[str], k: int, where: Metadata
    ) -> EngineHits:
        """The k rows of highest BM25 score for the terms of a query, best first."""
        name, filters = name_of(connection, own), _filters(where)
        frequencies = stored.read_frequencies(connection, own, [stored_term(term) for term in query])
        known = [term for term in query if stored_term(term) in frequencies]
        if not known:
            return EngineHits([])
        counts = {term: frequencies[stored_term(term)] for term in known}
        held = self.engine.held(name)
        scores: dict[int, float] = {}
        gone: tuple[int, ...] = ()
        if held is not None:
            weights = _query_weights(known, counts, own.passages)
            asked = k + _SPARE
            while True:
                hits = self.engine.by_words(name, weights, asked, filters)
                there = stored.passage_ids_of(connection, own, [hit.row for hit in hits])
                if len(hits) < asked or len(there) >= k or asked >= _MOST:
                    break
                asked *= 4
            statistics = WordStatistics(own.passages, own.length / max(own.passages, 1), counts)
            scores = {hit.row: _score(known, hit, statistics, held.mean_length) for hit in hits if hit.row in there}
            gone = _gone([hit.row for hit in hits], there, own)
        behind = held is None or held.up_to < own.last_row
        if behind:
            after = held.up_to if held is not None else 0
            allowed = stored.read_selected(connection, own, where) if where else None
            newer = stored.read_postings(connection, own, [stored_term(term) for term in known], after=after)
            terms = [stored_term(term) for term in known]
            best = best_rows(terms, newer, own.passages, own.length, k, allowed, frequencies=frequencies)
            scores.update(best)
        return EngineHits(_best(scores, k), gone, behind)

    def _fill_some(self, connection: Connection, least: int, ahead: int) -> _Step:
        """Bring the next rows to the engine. `ahead` is how far it was the last time, if that was too far."""
        own = stored.find_collection(connection, self.collection)
        if own is None or own.passages <= least:
            return _Step()
        name = name_of(connection, own)
        lock = connection.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", (f"assay {name}",))
        if lock.fetchone() != (True,):
            return _Step()
        if ahead > own.last_row:
            self.engine.drop(name)  # the database went back to an earlier state: its rows are others now
        held = self.engine.held(name)
        if held is None:
            held = Held(0, own.length / own.passages if own.length else 1.0)
            self.engine.create(name, own.model.dimension, held.mean_length)
        if held.up_to > own.last_row:
            return _Step(goes_on=not ahead, ahead=held.up_to)  # perhaps another process was faster: look again
        if held.up_to == own.last_row:
            return _Step()
        points = read_points(connection, own, held, _AT_ONCE)
        full = len(points) == _AT_ONCE
        self.engine.store(name, points, replace(held, up_to=points[-1].row if full else own.last_row))
        return _Step(goes_on=full)


def name_of(connection: Connection, own: StoredCollection) -> str:
    """The name of the collection's set in an engine, which no collection of another database has.

    A server that took over from another by replication has the same name of it; one that read a dump has not.
    """
    row = connection.execute(
        "SELECT system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database())"
        " FROM pg_control_system()"
    ).fetchone()
    named = f"{row} {own.number} {own.generation}"
    return f"assay_{hashlib.sha256(named.encode()).hexdigest()[:32]}"


def read_points(connection: Connection, own: StoredCollection, held: Held, most: int) -> list[EnginePoint]:
    """The next rows beyond those held, as an engine holds them."""
    found = stored.read_searched(connection, own, held.up_to, most)
    rows = [row for row, _, _ in found]
    vectors = stored.read_vectors_of(connection, own, rows)
    filters = stored.read_filters(connection, own, rows)
    points = []
    for row, title, text in found:
        weights, length = weights_of(title, text, held.mean_length)
        numbers = tuple(filter_number(key, value) for key, value in filters.get(row, ()))
        points.append(EnginePoint(row, vectors[row], weights, length, numbers))
    return points


def _filters(where: Metadata) -> list[int]:
    """The numbers of filters; one that is not equal to itself has that of no row."""
    return [
        filter_number(comparable_text(key), comparable(value) if value == value else "#")
        for key, value in where.items()
    ]


def _query_weights(query: Sequence[str], counts: Mapping[str, int], passages: int) -> dict[int, float]:
    found: dict[int, float] = {}
    for term, times in Counter(query).items():
        number = term_number(term)
        found[number] = found.get(number, 0.0) + times * inverse_frequency(passages, counts[term])
    return found


def _score(query: Sequence[str], hit: WordHit, statistics: WordStatistics, mean_length: float) -> float:
    counts = {
        term: count_of(hit.weights[number], hit.length, mean_length)
        for term in query
        if (number := term_number(term)) in hit.weights
    }
    return bm25(query, PassageWords(counts, hit.length), statistics)


def _best(scores: Mapping[int, float], k: int) -> Scores:
    """The k best; of equals, the row stored first."""
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:k]


def _gone(rows: Sequence[int], there: Mapping[int, object], own: StoredCollection) -> tuple[int, ...]:
    """Rows that no longer are in Postgres. One beyond the last row may be about to be committed."""
    return tuple(row for row in rows if row not in there and row <= own.last_row)
