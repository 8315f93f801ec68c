"""Documents and passages as rows of Postgres, both ways. Every function works inside the caller's transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from assay.core.stages import Entry
from assay.errors import ModelMismatch, UnknownCollection
from assay.retrieval.index import postings
from assay.retrieval.index.rows import document_in, document_values, passage_in, passage_values, record_in
from assay.types import Document, DocumentRecord, EmbeddingModel, Metadata, Passage, Scalar

Connection = psycopg.Connection[Any]
# The longest value that a filter compares as it is, in characters: an entry of an index has at most 2,700 bytes.
_LONGEST_VALUE = 255
# Postings in one value of `words`: 8 KiB, so that removing a passage rewrites little; chosen.
_BLOCK = 1024
# Values with fewer postings are joined once a term has more than so many of them; chosen.
_SMALL, _MANY_SMALL = 256, 8

_MERGED_AT_ONCE = 500
_MERGE = (
    "WITH small AS (DELETE FROM assay.words WHERE collection = %(number)s AND term = ANY(%(terms)s)"
    "   AND passages < %(small)s RETURNING term, first_row, last_row, passages, postings),"
    " numbered AS (SELECT *,"
    "   (sum(passages) OVER (PARTITION BY term ORDER BY first_row) - 1) / %(block)s AS part FROM small)"
    " INSERT INTO assay.words (collection, term, first_row, last_row, passages, postings)"
    " SELECT %(number)s, term, min(first_row), max(last_row), sum(passages),"
    "   string_agg(postings, ''::bytea ORDER BY first_row) FROM numbered GROUP BY term, part::int"
)

# A table that the session keeps for what is copied in: COPY cannot write to a table with row-level security.
_STAGES = {
    "documents": "document_id text, source bytea, title text, format text, revision text, bytes_sha256 text,"
    " text text, regions text, metadata text, warnings text, passages int4",
    "passages": '"row" int8, passage_id text, document_id text, revision text, start int4, "end" int4, text text,'
    " title text, location text, metadata text, line int4, places text, header text",
    "vectors": '"row" int8, vector halfvec',
    "words": "term text, first_row int8, last_row int8, passages int4, postings bytea",
    "metadata": 'key text, value text, "row" int8',
}
_PASSAGE = (
    'p.passage_id, p.document_id, p.revision, p.start, p."end", p.text, p.title, p.location, p.metadata, d.source,'
    " p.line, p.places, p.header"
)
_COLLECTION = (
    "SELECT collection, version, passages, terms, last_row, generation, unmerged, model_id, model_dimension,"
    " model_sha256, model_languages FROM assay.collections WHERE name = %s"
)
_COLLECTION_LOCKED = f"{_COLLECTION} FOR UPDATE"
_SEARCHED = "CASE header WHEN '' THEN text ELSE header || E'\\n' || text END"


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """The row of a collection: its number, and what is counted of it.

    `length` is its terms, repeated ones too; `unmerged` how many changes there were since words were joined.
    Vectors are of the `generation`: those of a further model are made beside them.
    """

    number: int
    version: int
    passages: int
    length: int
    last_row: int
    generation: int
    unmerged: int
    model: EmbeddingModel


def read_collection(
    connection: Connection, name: str, model: EmbeddingModel, *, locked: bool = False
) -> StoredCollection:
    """The collection of that name, locked against other changes where asked.

    Raises UnknownCollection, ModelMismatch.
    """
    found = require_collection(connection, name, locked=locked)
    stored = found.model
    if (stored.id, stored.dimension, stored.sha256) != (model.id, model.dimension, model.sha256):
        raise ModelMismatch(
            f"the collection was embedded by {stored.id} ({stored.dimension} dimensions, {stored.sha256[:12]}), "
            f"and {model.id} ({model.dimension} dimensions, {model.sha256[:12]}) is in use",
            hint="run `assay reindex` to embed its passages with the model in use, or go back to the other model",
        )
    return found


def require_collection(connection: Connection, name: str, *, locked: bool = False) -> StoredCollection:
    """The collection of that name, whatever its model. Raises UnknownCollection."""
    found = find_collection(connection, name, locked=locked)
    if found is None:
        raise UnknownCollection(
            f"there is no collection {name}", hint="`assay ls` lists the documents of an existing one"
        )
    return found


def find_collection(connection: Connection, name: str, *, locked: bool = False) -> StoredCollection | None:
    """The collection of that name, or None."""
    row = connection.execute(_COLLECTION_LOCKED if locked else _COLLECTION, (name,)).fetchone()
    if row is None:
        return None
    model = EmbeddingModel(id=row[7], dimension=row[8], sha256=row[9], languages=tuple(row[10].split()))
    number, version, passages, length, last_row, generation, unmerged = row[:7]
    return StoredCollection(number, version, passages, length, last_row, generation, unmerged, model)


def create_collection(connection: Connection, name: str, model: EmbeddingModel) -> None:
    """Make the collection where there is none of that name."""
    connection.execute(
        "INSERT INTO assay.collections (name, model_id, model_dimension, model_sha256, model_languages)"
        " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (tenant, name) DO NOTHING",
        (name, model.id, model.dimension, model.sha256, " ".join(model.languages)),
    )


def insert_entries(
    connection: Connection, collection: StoredCollection, entries: Sequence[Entry]
) -> tuple[int, int]:
    """Store documents that are not there with their passages; return how many passages, and terms, they have."""
    passages = [passage for entry in entries for passage in entry.passages]
    rows = range(collection.last_row + 1, collection.last_row + 1 + len(passages))
    words = postings.packed(
        (row, passage.title, passage.searched) for row, passage in zip(rows, passages, strict=True)
    )
    _copy(
        connection,
        collection,
        "documents",
        ((*document_values(entry.document), len(entry.passages)) for entry in entries),
    )
    _copy(
        connection,
        collection,
        "passages",
        ((row, *passage_values(passage, passage.document_id)) for row, passage in zip(rows, passages, strict=True)),
    )
    vectors = (vector for entry in entries for vector in entry.vectors)
    insert_vectors(connection, collection, zip(rows, vectors, strict=True))
    _copy(connection, collection, "words", _word_rows(words))
    _copy(
        connection,
        collection,
        "metadata",
        (
            (comparable_text(key), comparable(value), row)
            for row, passage in zip(rows, passages, strict=True)
            for key, value in passage.metadata.items()
            if value == value
        ),
    )
    return len(passages), words.length


def insert_vectors(
    connection: Connection, collection: StoredCollection, given: Iterable[tuple[int, NDArray[np.float32]]]
) -> None:
    """Store the vectors of rows, as those of the collection's generation."""
    _copy(connection, collection, "vectors", ((row, _sent(vector)) for row, vector in given))


def read_searched(
    connection: Connection, collection: StoredCollection, after: int, most: int
) -> list[tuple[int, str, str]]:
    """The next passages beyond a row: each one's row, title and searched text."""
    return connection.execute(
        f'SELECT "row", title, {_SEARCHED} FROM assay.passages'  # noqa: S608 - a constant
        ' WHERE collection = %s AND "row" > %s ORDER BY "row" LIMIT %s',
        (collection.number, after, most),
    ).fetchall()


def delete_documents(
    connection: Connection, collection: StoredCollection, document_ids: Sequence[str]
) -> tuple[int, list[int], int]:
    """Remove documents with all their rows; return how many there were, their rows, and how many terms they had."""
    own = (collection.number, list(document_ids))
    found = connection.execute(
        f'SELECT "row", title, {_SEARCHED} FROM assay.passages'  # noqa: S608 - a constant
        ' WHERE collection = %s AND document_id = ANY(%s) ORDER BY "row"',
        own,
    ).fetchall()
    words = postings.packed(found)
    rows = [row for row, _, _ in found]
    _delete_words(connection, collection, words, rows)
    for table in ("vectors", "metadata"):
        connection.execute(
            sql.SQL('DELETE FROM {} WHERE collection = %s AND "row" = ANY(%s)').format(
                sql.Identifier("assay", table)
            ),
            (collection.number, rows),
        )
    connection.execute("DELETE FROM assay.passages WHERE collection = %s AND document_id = ANY(%s)", own)
    removed = connection.execute("DELETE FROM assay.documents WHERE collection = %s AND document_id = ANY(%s)", own)
    return removed.rowcount, rows, words.length


def count_change(
    connection: Connection, collection: StoredCollection, passages: int, terms: int, *, last_row: int, merged: bool
) -> None:
    """Raise the version by one, and the counts of the collection by so many passages and terms."""
    connection.execute(
        "UPDATE assay.collections SET version = version + 1, passages = passages + %s, terms = terms + %s,"
        " last_row = %s, unmerged = %s WHERE collection = %s",
        (passages, terms, last_row, 0 if merged else collection.unmerged + 1, collection.number),
    )


def delete_all_rows(connection: Connection, collection: StoredCollection) -> None:
    """Remove the collection with all that is in it."""
    for table in ("vectors", "words", "metadata", "passages", "documents", "collections"):
        connection.execute(
            sql.SQL("DELETE FROM {} WHERE collection = %s").format(sql.Identifier("assay", table)),
            (collection.number,),
        )


def merge_words(connection: Connection, collection: StoredCollection) -> None:
    """Join the small values of terms that have many of them, so that a search reads few."""
    found = connection.execute(
        "SELECT term FROM assay.words WHERE collection = %s AND passages < %s GROUP BY term HAVING count(*) > %s",
        (collection.number, _SMALL, _MANY_SMALL),
    ).fetchall()
    terms = [term for (term,) in found]
    # By the terms themselves, not by a query for them: then it is read by the index, whatever the planner guesses.
    for at in range(0, len(terms), _MERGED_AT_ONCE):
        connection.execute(
            _MERGE,
            {
                "number": collection.number,
                "terms": terms[at : at + _MERGED_AT_ONCE],
                "small": _SMALL,
                "block": _BLOCK,
            },
        )


def read_postings(
    connection: Connection, collection: StoredCollection, terms: Sequence[str], *, after: int = 0
) -> dict[str, bytes]:
    """The postings of each of the terms that stand somewhere, in rows beyond `after`."""
    cursor = connection.cursor(binary=True)
    cursor.execute(
        "SELECT term, string_agg(postings, ''::bytea) FROM assay.words"
        " WHERE collection = %s AND term = ANY(%s) AND last_row > %s GROUP BY term",
        (collection.number, list(terms), after),
    )
    found: dict[str, bytes] = dict(cursor.fetchall())
    return {term: postings.beyond(data, after) for term, data in found.items()} if after else found


def read_frequencies(
    connection: Connection, collection: StoredCollection, terms: Sequence[str] | None
) -> dict[str, int]:
    """In how many passages each term stands: of all terms, or of the ones given that stand."""
    wanted = None if terms is None else list(terms)
    found = connection.execute(
        "SELECT term, sum(passages)::int8 FROM assay.words"
        " WHERE collection = %s AND (%s::text[] IS NULL OR term = ANY(%s)) GROUP BY term",
        (collection.number, wanted, wanted),
    )
    return dict(found.fetchall())


def read_filters(
    connection: Connection, collection: StoredCollection, rows: Sequence[int]
) -> dict[int, list[tuple[str, str]]]:
    """The metadata of rows as filters compare them: key and value, of each row that has any."""
    found: dict[int, list[tuple[str, str]]] = {}
    for row, key, value in connection.execute(
        'SELECT "row", key, value FROM assay.metadata WHERE collection = %s AND "row" = ANY(%s)',
        (collection.number, list(rows)),
    ):
        found.setdefault(row, []).append((key, value))
    return found


def read_selected(connection: Connection, collection: StoredCollection, where: Metadata) -> NDArray[np.int64]:
    """The rows whose metadata equal every value of `where`."""
    selected, bound = selection(collection, where)
    cursor = connection.cursor(binary=True)
    return np.array([row for (row,) in cursor.execute(selected, bound)], np.int64)


def selection(collection: StoredCollection, where: Metadata) -> tuple[sql.Composed, tuple[object, ...]]:
    """A query for the rows whose metadata equal every value of `where`, and what is bound in it."""
    one = sql.SQL('SELECT "row" FROM assay.metadata WHERE collection = %s AND key = %s AND value = %s')
    bound = (
        (collection.number, comparable_text(key), comparable(value) if value == value else "")
        for key, value in where.items()
    )
    return sql.SQL(" INTERSECT ").join([one] * len(where)), tuple(each for three in bound for each in three)


def passage_ids_of(connection: Connection, collection: StoredCollection, rows: Sequence[int]) -> dict[int, str]:
    """The passage id of each row that is there."""
    return dict(
        connection.execute(
            'SELECT "row", passage_id FROM assay.passages WHERE collection = %s AND "row" = ANY(%s)',
            (collection.number, list(rows)),
        ).fetchall()
    )


def read_document(connection: Connection, collection: StoredCollection, document_id: str) -> Document | None:
    """The document as stored, or None."""
    row = connection.execute(
        "SELECT document_id, text, title, source, format, bytes_sha256, regions, metadata, warnings"
        " FROM assay.documents WHERE collection = %s AND document_id = %s",
        (collection.number, document_id),
    ).fetchone()
    return None if row is None else document_in(row)


def read_records(connection: Connection, collection: StoredCollection) -> tuple[DocumentRecord, ...]:
    """All documents, ordered by source, then id."""
    found = connection.execute(
        "SELECT document_id, source, title, format, revision, bytes_sha256, passages, warnings FROM assay.documents"
        " WHERE collection = %s ORDER BY source, document_id",
        (collection.number,),
    )
    return tuple(record_in(row) for row in found)


def read_passages(
    connection: Connection, collection: StoredCollection, passage_ids: Sequence[str]
) -> tuple[Passage, ...]:
    """The passages of those ids, in that order; ids that are gone are left out."""
    found = {
        row[0]: passage_in(row)
        for row in connection.execute(
            f"SELECT {_PASSAGE} FROM assay.passages p JOIN assay.documents d"  # noqa: S608 - a constant
            " USING (collection, document_id)"
            " WHERE p.collection = %s AND p.passage_id = ANY(%s)",
            (collection.number, list(passage_ids)),
        )
    }
    return tuple(found[passage_id] for passage_id in passage_ids if passage_id in found)


def read_document_ids(connection: Connection, collection: StoredCollection) -> tuple[str, ...]:
    """The ids of all documents, in the order that their passages were stored in; those without any come last."""
    found = connection.execute(
        'SELECT d.document_id FROM assay.documents d LEFT JOIN (SELECT document_id, min("row") AS first'
        "   FROM assay.passages WHERE collection = %s GROUP BY document_id) p USING (document_id)"
        " WHERE d.collection = %s ORDER BY p.first, d.document_id",
        (collection.number, collection.number),
    )
    return tuple(document_id for (document_id,) in found)


def read_entry(connection: Connection, collection: StoredCollection, document_id: str) -> Entry | None:
    """The document with its passages in the order that they were stored in, or None."""
    document = read_document(connection, collection, document_id)
    if document is None:
        return None
    found = connection.execute(
        'SELECT passage_id FROM assay.passages WHERE collection = %s AND document_id = %s ORDER BY "row"',
        (collection.number, document_id),
    ).fetchall()
    ids = [passage_id for (passage_id,) in found]
    return Entry(document, read_passages(connection, collection, ids), read_vectors(connection, collection, ids))


def read_vectors(
    connection: Connection, collection: StoredCollection, passage_ids: Sequence[str]
) -> NDArray[np.float32]:
    """The vectors of those passages, shape (len(passage_ids), dimension); raises KeyError for one gone."""
    rows = dict(
        connection.execute(
            'SELECT passage_id, "row" FROM assay.passages WHERE collection = %s AND passage_id = ANY(%s)',
            (collection.number, list(passage_ids)),
        ).fetchall()
    )
    vectors = read_vectors_of(connection, collection, list(rows.values()))
    empty = np.zeros((0, collection.model.dimension), np.float32)
    return np.vstack([empty, *(vectors[rows[passage_id]] for passage_id in passage_ids)])


def read_vectors_of(
    connection: Connection, collection: StoredCollection, rows: Sequence[int]
) -> dict[int, NDArray[np.float32]]:
    """The vector of each row that is there, shape (dimension,)."""
    found = connection.cursor(binary=True).execute(
        'SELECT "row", vector FROM assay.vectors WHERE collection = %s AND generation = %s AND "row" = ANY(%s)',
        (collection.number, collection.generation, list(rows)),
    )
    return {row: vector_in(data) for row, data in found}


def vector_in(data: bytes) -> NDArray[np.float32]:
    """A vector as pgvector sends it."""
    return np.frombuffer(data, ">f2", offset=4).astype(np.float32)


def _sent(vector: NDArray[np.float32]) -> bytes:
    """A vector as pgvector receives it."""
    return np.array([len(vector), 0], ">u2").tobytes() + vector.astype(">f2").tobytes()


def comparable(value: Scalar) -> str:
    """A text that two values share exactly where they are equal.

    >>> comparable(True), comparable(1.0), comparable(0.5), comparable("a")
    ('=1', '=1', '=0.5', 'a')
    """
    if isinstance(value, str):
        return comparable_text(value)
    whole = (
        value if isinstance(value, int) else int(value) if abs(value) < float("inf") and value % 1 == 0 else None
    )
    return f"={value!r}" if whole is None else f"={int(whole)}"


def comparable_text(text: str) -> str:
    r"""A text that Postgres can store and index, another for each text.

    >>> comparable_text("year"), comparable_text("=1"), comparable_text("a\x00b")
    ('year', '\\=1', 'a\\0b')
    """
    escaped = text.replace("\\", "\\\\").replace("\0", "\\0")
    safe = escaped.encode(errors="backslashreplace").decode()
    safe = f"\\{safe}" if safe.startswith(("=", "#")) else safe
    return safe if len(safe) <= _LONGEST_VALUE else f"#{hashlib.sha256(safe.encode()).hexdigest()}"


def _copy(
    connection: Connection, collection: StoredCollection, table: str, given: Iterable[tuple[Any, ...]]
) -> None:
    """Copy rows into a table of the collection, through the session's own."""
    stage, columns = sql.Identifier(f"assay_{table}"), _STAGES[table]
    names = sql.SQL(", ").join(sql.Identifier(each.split()[0].strip('"')) for each in columns.split(", "))
    connection.execute(
        sql.SQL("CREATE TEMPORARY TABLE IF NOT EXISTS {} ({}) ON COMMIT DELETE ROWS").format(
            stage, sql.SQL(columns)
        )
    )
    with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(stage)) as copy:
        copy.set_types(
            [each.split()[1] if each.split()[1] != "halfvec" else "bytea" for each in columns.split(", ")]
        )
        for row in given:
            copy.write_row(row)
    own = [sql.Identifier("collection"), *([sql.Identifier("generation")] if table == "vectors" else [])]
    values = [collection.number, *([collection.generation] if table == "vectors" else [])]
    connection.execute(
        sql.SQL("INSERT INTO {} ({}, {}) SELECT {}, {} FROM {}").format(
            sql.Identifier("assay", table),
            sql.SQL(", ").join(own),
            names,
            sql.SQL(", ").join(map(sql.Literal, values)),
            names,
            stage,
        )
    )
    connection.execute(sql.SQL("TRUNCATE {}").format(stage))


def _delete_words(
    connection: Connection, collection: StoredCollection, words: postings.PackedWords, rows: Sequence[int]
) -> None:
    """Take the rows out of the postings of their terms."""
    if not rows:
        return
    cursor = connection.cursor(binary=True)
    found = cursor.execute(
        "SELECT term, first_row, postings FROM assay.words"
        " WHERE collection = %s AND term = ANY(%s) AND first_row <= %s AND last_row >= %s",
        (collection.number, list(words.by_term), max(rows), min(rows)),
    ).fetchall()
    gone = np.array(rows, np.int64)
    left = [(term, first, data, postings.without(data, gone)) for term, first, data in found]
    changed = [(term, first, new) for term, first, old, new in left if len(new) < len(old)]
    values = ([term for term, _, _ in changed], [first for _, first, _ in changed], [new for _, _, new in changed])
    connection.execute(
        "UPDATE assay.words w SET postings = c.postings, passages = length(c.postings) / %s"
        " FROM unnest(%s::text[], %s::int8[], %s::bytea[]) AS c(term, first_row, postings)"
        " WHERE w.collection = %s AND w.term = c.term AND w.first_row = c.first_row",
        (postings.POSTING.itemsize, *values, collection.number),
    )
    connection.execute(
        "DELETE FROM assay.words WHERE collection = %s AND term = ANY(%s) AND passages = 0",
        (collection.number, values[0]),
    )


def _word_rows(words: postings.PackedWords) -> Iterator[tuple[str, int, int, int, bytes]]:
    """The postings of each term, in values of at most `_BLOCK`."""
    for term, data in words.by_term.items():
        for at in range(0, len(data), _BLOCK * postings.POSTING.itemsize):
            part = data[at : at + _BLOCK * postings.POSTING.itemsize]
            rows = postings.unpacked(part)["row"]
            yield term, int(rows[0]), int(rows[-1]), len(rows), part
