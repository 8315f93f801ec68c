"""Documents and passages as rows, both ways. Every function works inside the caller's transaction."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.stages import Entry
from assay.errors import UsageError
from assay.nlp.publication_date import date_in
from assay.nlp.tokens import terms
from assay.types import Document, DocumentRecord, Location, Metadata, Origin, Passage, Place, Region, Scalar

# Search by words: indexed token strings, queries, and BM25.


# SQLite's FTS5 fixes these two for its bm25(): https://sqlite.org/fts5.html#the_bm25_function
K1 = 1.2
B = 0.75
# Weight of a title's words, and most repetitions of a question's word: see decisions/011.
TITLE_WEIGHT = 1.5
_REPEATS = 3
# Most terms of a query: more than any real question has, few enough to be fast: chosen.
_LONGEST_QUERY = 256


@dataclass(frozen=True, slots=True)
class PassageWords:
    """The count of each term in a passage's title and text, and their total number of terms."""

    counts: Mapping[str, float]
    length: int


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """Statistics for BM25: number of passages, mean length, and passages per term."""

    passages: int
    mean_length: float
    frequencies: Mapping[str, int]


def token_string(text: str) -> str:
    """The indexed token string of `text`.

    >>> token_string("The boiling points of 水素")
    'boil point 水素'
    """
    return " ".join(terms(text))


def query_terms(text: str) -> tuple[str, ...]:
    """The searched terms of a question, in order of first occurrence; empty if it has only stop words.

    A repeated term is repeated and so weighs more, as in BM25's query term frequency.

    >>> query_terms("What is the boiling point of boiling water?"), query_terms("Who is it?")
    (('boil', 'boil', 'point', 'water'), ())
    """
    counts = Counter(terms(text))
    found = tuple(term for term, count in counts.items() for _ in range(min(count, _REPEATS)))
    return found[:_LONGEST_QUERY]


def match_expression(found: Sequence[str]) -> str:
    """An FTS5 expression for passages with any of the terms; terms are quoted, so none is query syntax.

    >>> match_expression(["near", 'a"b'])
    '"near" OR "a""b"'
    """
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in found)


def bm25(query: Sequence[str], passage: PassageWords, statistics: WordStatistics) -> float:
    """The BM25 score of a passage as FTS5 computes it (Robertson et al. 1994); 0 if no term occurs.

    >>> one, all_of = PassageWords({"boil": 1.0}, 4), WordStatistics(10, 4.0, {"boil": 2})
    >>> round(bm25(["boil", "water"], one, all_of), 3)
    1.224
    """
    score = 0.0
    for term in query:
        count = passage.counts.get(term, 0.0)
        if count:
            norm = K1 * (1 - B + B * passage.length / statistics.mean_length)
            score += (
                inverse_frequency(statistics.passages, statistics.frequencies[term])
                * count
                * (K1 + 1)
                / (count + norm)
            )
    return score


def inverse_frequency(passages: int, frequency: int) -> float:
    """The weight of a term that stands in `frequency` of the passages; FTS5 gives one in over half a millionth."""
    weight = math.log((passages - frequency + 0.5) / (frequency + 0.5))
    return weight if weight > 0 else 1e-6


# Ids per statement: chosen; SQLite's own limit is 32,766.
_BATCH = 500
_PASSAGE = (
    'passage_id, d.document_id, p.revision, start, "end", p.text, p.title, location, p.metadata, d.source, line,'
    " places, header"
)
# `Passage.searched`, of a row of passages.
SEARCHED = "CASE header WHEN '' THEN text ELSE header || char(10) || text END"


def check_entry(entry: Entry, dimension: int) -> None:
    """Raise UsageError unless there is one vector of `dimension` for each passage."""
    wanted = (len(entry.passages), dimension)
    if entry.vectors.shape != wanted:
        raise UsageError(
            f"document {entry.document.document_id} has vectors of shape {entry.vectors.shape}, not {wanted}",
            hint="embed each passage once, with the collection's model",
        )


def insert_document(connection: sqlite3.Connection, document: Document) -> int:
    """Store a document and return its row number; the source may contain undecodable bytes."""
    cursor = connection.execute(
        "INSERT INTO documents VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", document_values(document)
    )
    assert cursor.lastrowid is not None  # noqa: S101 - set by every INSERT
    return cursor.lastrowid


def insert_passages(connection: sqlite3.Connection, entry: Entry, number: int) -> None:
    """Store the passages of the document of that number, with their vectors, words and metadata."""
    halves = entry.vectors.astype(np.float16)
    for passage, vector in zip(entry.passages, halves, strict=True):
        row = connection.execute(
            "INSERT INTO passages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            passage_values(passage, number),
        ).lastrowid
        connection.execute("INSERT INTO vectors VALUES (?, ?)", (row, vector.tobytes()))
        connection.execute(
            "INSERT INTO words(rowid, title, body) VALUES (?, ?, ?)",
            (row, token_string(passage.title), token_string(passage.searched)),
        )
        connection.executemany(
            "INSERT INTO metadata VALUES (?, ?, ?)",
            [(key, comparable(value), row) for key, value in passage.metadata.items() if value == value],
        )


def delete_document(connection: sqlite3.Connection, document_id: str) -> int | None:
    """Remove a document with all its rows; return its number of passages, or None if it is unknown."""
    found = connection.execute("SELECT number FROM documents WHERE document_id = ?", (document_id,)).fetchone()
    if found is None:
        return None
    # A contentless FTS5 table deletes a row only if given the exact indexed strings.
    rows = connection.execute(
        f"SELECT row, title, {SEARCHED} FROM passages WHERE document = ?",  # noqa: S608 - a constant
        found,
    ).fetchall()
    connection.executemany(
        "INSERT INTO words(words, rowid, title, body) VALUES ('delete', ?, ?, ?)",
        [(row, token_string(title), token_string(text)) for row, title, text in rows],
    )
    for table in ("vectors", "metadata"):
        connection.executemany(f"DELETE FROM {table} WHERE row = ?", [(row,) for row, _, _ in rows])  # noqa: S608
    connection.execute("DELETE FROM passages WHERE document = ?", found)
    connection.execute("DELETE FROM documents WHERE number = ?", found)
    return len(rows)


def read_document(connection: sqlite3.Connection, document_id: str) -> Document | None:
    """The document as stored, or None."""
    row = connection.execute(
        "SELECT document_id, text, title, source, format, bytes_sha256, regions, metadata, warnings"
        " FROM documents WHERE document_id = ?",
        (document_id,),
    ).fetchone()
    if row is None:
        return None
    return document_in(row)


def read_records(connection: sqlite3.Connection) -> tuple[DocumentRecord, ...]:
    """All documents, ordered by source, then id."""
    rows = connection.execute(
        "SELECT document_id, source, title, format, revision, bytes_sha256,"
        " (SELECT count(*) FROM passages WHERE document = number), warnings"
        " FROM documents ORDER BY source, document_id"
    )
    return tuple(record_in(row) for row in rows)


def read_passages(connection: sqlite3.Connection, passage_ids: Sequence[str]) -> tuple[Passage, ...]:
    """The passages of those ids, in that order; ids that are gone are left out."""
    found = {
        row[0]: passage_in(row)
        for row in _where_in(
            connection,
            f"SELECT {_PASSAGE} FROM passages p JOIN documents d ON d.number = p.document WHERE passage_id",  # noqa: S608
            passage_ids,
        )
    }
    return tuple(found[passage_id] for passage_id in passage_ids if passage_id in found)


def read_entry(connection: sqlite3.Connection, document_id: str, dimension: int) -> Entry | None:
    """The document with its passages in the order that they were stored in, or None."""
    document = read_document(connection, document_id)
    if document is None:
        return None
    found = connection.execute(
        "SELECT passage_id FROM passages WHERE document = (SELECT number FROM documents WHERE document_id = ?)"
        " ORDER BY row",
        (document_id,),
    ).fetchall()
    ids = [passage_id for (passage_id,) in found]
    return Entry(document, read_passages(connection, ids), read_vectors(connection, ids, dimension))


def read_vectors(connection: sqlite3.Connection, passage_ids: Sequence[str], dimension: int) -> NDArray[np.float32]:
    """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for one gone."""
    found = dict(
        _where_in(
            connection,
            "SELECT passage_id, vector FROM passages JOIN vectors USING (row) WHERE passage_id",
            passage_ids,
        )
    )
    return as_matrix([found[passage_id] for passage_id in passage_ids], dimension)


def passage_ids_of(connection: sqlite3.Connection, rows: Sequence[int]) -> dict[int, str]:
    """The passage id of each row."""
    return dict(_where_in(connection, "SELECT row, passage_id FROM passages WHERE row", rows))


def as_matrix(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Stored vectors as one array, shape (len(blobs), dimension)."""
    return np.frombuffer(b"".join(blobs), dtype=np.float16).reshape(len(blobs), dimension).astype(np.float32)


def selection(where: Metadata) -> tuple[str, tuple[Scalar, ...]]:
    """A subquery for rows whose metadata match `where`, and its bound values."""
    one = "SELECT row FROM metadata WHERE key = ? AND value = ?"
    bound = tuple(bound_value for key, value in where.items() for bound_value in (key, comparable(value)))
    return " INTERSECT ".join([one] * len(where)), bound


def comparable(value: Scalar) -> Scalar:
    """The value in a form that SQLite can compare: booleans as numbers, integers beyond 64 bits as text.

    >>> comparable(True), comparable(10**20), comparable("a")
    (1, 'int:100000000000000000000', 'a')
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return f"int:{value}"
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    return value


def as_json(value: Any) -> str:
    """The value as compact JSON; ASCII, so that lone surrogates survive."""
    return json.dumps(value, separators=(",", ":"))


def _where_in(connection: sqlite3.Connection, sql: str, keys: Sequence[str] | Sequence[int]) -> list[Any]:
    """The rows of `sql IN (keys)`, in batches."""
    found: list[Any] = []
    for first in range(0, len(keys), _BATCH):
        batch = keys[first : first + _BATCH]
        found += connection.execute(f"{sql} IN ({','.join('?' * len(batch))})", batch).fetchall()
    return found


def document_values(document: Document) -> tuple[Any, ...]:
    """A document as it is stored, in ten columns: its id, then what `document_in` reads."""
    return (
        document.document_id,
        document.source.encode(errors="surrogatepass"),
        document.title,
        document.format,
        document.revision,
        document.bytes_sha256,
        document.text,
        as_json([_region_row(region) for region in document.regions]),
        as_json(dict(document.metadata)),
        as_json(document.warnings),
    )


def passage_values(passage: Passage, document: int | str) -> tuple[Any, ...]:
    """A passage as it is stored, in twelve columns; `document` is what stands for its document."""
    return (
        passage.passage_id,
        document,
        passage.revision,
        passage.start,
        passage.end,
        passage.text,
        passage.title,
        as_json(_location_row(passage.location)),
        as_json(dict(passage.metadata)),
        passage.line,
        as_json([[place.start, _location_row(place.location)] for place in passage.places]),
        passage.header,
    )


def document_in(row: Sequence[Any]) -> Document:
    """The document in a row: id, text, title, source, format, hash of its bytes, regions, metadata, warnings."""
    return Document(
        document_id=row[0],
        text=row[1],
        title=row[2],
        source=row[3].decode(errors="surrogatepass"),
        format=row[4],
        bytes_sha256=row[5],
        regions=tuple(_region(region) for region in json.loads(row[6])),
        metadata=json.loads(row[7]),
        warnings=tuple(json.loads(row[8])),
    )


def record_in(row: Sequence[Any]) -> DocumentRecord:
    """The record of a document in a row: id, source, title, format, revision, hash, passages, warnings."""
    return DocumentRecord(
        document_id=row[0],
        source=row[1].decode(errors="surrogatepass"),
        title=row[2],
        format=row[3],
        revision=row[4],
        bytes_sha256=row[5],
        passages=row[6],
        warnings=tuple(json.loads(row[7])),
    )


def passage_in(row: Sequence[Any]) -> Passage:
    """The passage in a row: `passage_values` up to its metadata, the source of its document, then the others."""
    metadata = json.loads(row[8])
    return Passage(
        passage_id=row[0],
        document_id=row[1],
        revision=row[2],
        start=row[3],
        end=row[4],
        text=row[5],
        title=row[6],
        location=Location(**json.loads(row[7])),
        metadata=metadata,
        origin=Origin(date=date_in(metadata)),
        source=shown_source(row[9].decode(errors="surrogatepass")),
        line=row[10],
        places=tuple(Place(start, Location(**location)) for start, location in json.loads(row[11])),
        header=row[12],
    )


def shown_source(source: str) -> str:
    r"""A document's source as valid text; undecodable bytes of a file name become "?".

    >>> shown_source("/tea\udcff.md")
    '/tea?.md'
    """
    return source.encode(errors="replace").decode()


def _location_row(location: Location) -> dict[str, Any]:
    return {key: value for key, value in location.to_dict().items() if value is not None}


def _region_row(region: Region) -> list[Any]:
    return [region.start, region.end, _location_row(region.location), region.kind]


def _region(row: Sequence[Any]) -> Region:
    return Region(row[0], row[1], Location(**row[2]), row[3])
