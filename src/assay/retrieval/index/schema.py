"""The SQLite file of a collection: its tables, how it is opened, and what its errors mean.

The rows are the truth. `vectors` is apart from `passages` so that reading all vectors touches no text;
`words` is an FTS5 index over our own token strings that keeps no copy of them. Rows are numbered by
AUTOINCREMENT and never reused, so that "newer than row n" means something.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import DamagedStore, ModelMismatch, StoreError, StoreFull, UsageError
from assay.types import EmbeddingModel

BUSY_SECONDS = 10.0
# Page cache of a connection in KiB; with SQLite's default of 2,000 a search by words takes a third longer.
_PAGES_KIB = 16_000
_LEAST_ROOM = 1 << 16

# The `ascii` tokenizer takes every character beyond ASCII as part of a token, and these marks too, so that a
# term made by `assay.nlp.tokens.terms` is one token whatever it is written in.
_FIRST = """
CREATE TABLE collection (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT, document_id TEXT NOT NULL UNIQUE, source BLOB NOT NULL,
  title TEXT NOT NULL, format TEXT NOT NULL, revision TEXT NOT NULL, bytes_sha256 TEXT NOT NULL,
  text TEXT NOT NULL, regions TEXT NOT NULL, metadata TEXT NOT NULL, warnings TEXT NOT NULL);
CREATE TABLE passages (
  row INTEGER PRIMARY KEY AUTOINCREMENT, passage_id TEXT NOT NULL UNIQUE, document INTEGER NOT NULL
  REFERENCES documents(number), revision TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
  text TEXT NOT NULL, title TEXT NOT NULL, location TEXT NOT NULL, metadata TEXT NOT NULL);
CREATE INDEX passages_of_document ON passages(document);
CREATE TABLE vectors (row INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE metadata (key TEXT NOT NULL, value NOT NULL, row INTEGER NOT NULL,
  PRIMARY KEY (key, value, row)) WITHOUT ROWID;
CREATE INDEX metadata_of_row ON metadata(row);
CREATE VIRTUAL TABLE words USING fts5(title, body, content='', tokenize="ascii tokenchars '.,_'''");
"""
# Version 2 added a passage's places, line and table header. Older passages have none of them, so their spans are
# placed at the passage's start.
_PLACES = """
ALTER TABLE passages ADD COLUMN line INTEGER;
ALTER TABLE passages ADD COLUMN places TEXT NOT NULL DEFAULT '[]';
ALTER TABLE passages ADD COLUMN header TEXT NOT NULL DEFAULT '';
"""
# Versions are never changed, only followed by others.
_SCRIPTS = (_FIRST, _PLACES)
SCHEMA_VERSION = len(_SCRIPTS)


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode, usable from any thread but by one at a time.

    WAL lets readers continue during a write. `synchronous=FULL` syncs each commit, so that acknowledged documents
    survive a power cut, at a few milliseconds per transaction. Up to `_PAGES_KIB` of pages are cached.
    """
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute(f"PRAGMA cache_size=-{_PAGES_KIB}")
    return connection


def prepare(path: Path, model: EmbeddingModel) -> None:
    """Create the collection's file, or check that this code and model can read it.

    Raises ModelMismatch, DamagedStore, StoreError.
    """
    with store_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
        connection = connect(path)
        try:
            if _schema_version(connection) == 0:
                _create(connection, model)
            bring_up_to_date(connection)
            refuse_other_model(connection, model)
        finally:
            connection.close()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all or nothing; takes the write lock at the start."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Read one state of the file, regardless of later commits."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def value_of(connection: sqlite3.Connection, key: str) -> str | int:
    """A value of the collection table; raises DamagedStore if it is missing."""
    row = connection.execute("SELECT value FROM collection WHERE key = ?", (key,)).fetchone()
    if row is None:
        raise DamagedStore(
            f"the collection has no {key}", hint="restore its folder from a copy, or add the documents again"
        )
    value: str | int = row[0]
    return value


def set_value(connection: sqlite3.Connection, key: str, value: str | int) -> None:
    """Set a value of the collection table."""
    connection.execute("INSERT OR REPLACE INTO collection VALUES (?, ?)", (key, value))


def number_of(connection: sqlite3.Connection, key: str) -> int:
    """An integer of the collection table."""
    return int(value_of(connection, key))


def raise_number(connection: sqlite3.Connection, key: str, by: int = 1) -> int:
    """Increase an integer of the collection table and return it."""
    number = number_of(connection, key) + by
    set_value(connection, key, number)
    return number


def stored_model(connection: sqlite3.Connection) -> EmbeddingModel:
    """The model of the stored vectors."""
    languages = str(value_of(connection, "model_languages"))
    return EmbeddingModel(
        id=str(value_of(connection, "model_id")),
        dimension=number_of(connection, "model_dimension"),
        sha256=str(value_of(connection, "model_sha256")),
        languages=tuple(languages.split()),
    )


def store_model(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    """Record the model of the stored vectors."""
    set_value(connection, "model_id", model.id)
    set_value(connection, "model_dimension", model.dimension)
    set_value(connection, "model_sha256", model.sha256)
    set_value(connection, "model_languages", " ".join(model.languages))


def refuse_other_model(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    """Raise ModelMismatch unless the vectors come from `model`."""
    stored = stored_model(connection)
    if (stored.id, stored.dimension, stored.sha256) != (model.id, model.dimension, model.sha256):
        raise ModelMismatch(
            f"the collection was embedded by {stored.id} ({stored.dimension} dimensions, {stored.sha256[:12]}), "
            f"and {model.id} ({model.dimension} dimensions, {model.sha256[:12]}) is in use",
            hint="run `assay reindex` to embed its passages with the model in use, or go back to the other model",
        )


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Migrate the file to this version; raises StoreError if a newer assay wrote it."""
    refuse_newer(connection)
    if _schema_version(connection) < SCHEMA_VERSION:
        with transaction(connection):
            refuse_newer(connection)  # another process may have migrated it
            _run_scripts(connection)


def refuse_newer(connection: sqlite3.Connection) -> None:
    """Raise StoreError if a newer assay has written the file."""
    version = _schema_version(connection)
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"the collection was written by a newer assay (schema {version}, this one reads {SCHEMA_VERSION})",
            hint="upgrade assay, or choose another --data-dir",
        )


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Translate errors of SQLite and the file system into ours."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeEncodeError, OverflowError, json.JSONDecodeError) as error:
        raise _store_error(error, path) from error


def _store_error(error: Exception, path: Path) -> StoreError | UsageError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if isinstance(error, UnicodeEncodeError | OverflowError) or name.startswith("SQLITE_CONSTRAINT"):
        return UsageError(f"this cannot be stored: {error}", hint="give each passage once, in valid Unicode")
    no_room = name == "SQLITE_FULL" or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
    # SQLite reports an I/O error if its shared memory file finds no space.
    if no_room or (name.startswith("SQLITE_IOERR") and _full(path.parent)):
        return StoreFull(
            f"the disk of {path.parent} is full", hint="free some space and run the same command again"
        )
    unreadable = isinstance(error, json.JSONDecodeError) or "decode to UTF-8" in str(error)
    if unreadable or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "malformed" in str(error):
        return DamagedStore(
            f"{path} is damaged: {error}",
            hint="restore it from a copy, or remove its folder and add the documents again",
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(
            f"another process has been writing to {path} for {BUSY_SECONDS:g} seconds",
            hint="try again when it is done",
            retryable=True,
        )
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")) or isinstance(error, OSError):
        return StoreError(
            f"{path} cannot be opened for writing: {error}",
            hint=f"see who owns {path.parent} and whether it may be written to, or choose another --data-dir",
        )
    return StoreError(f"{path}: {error}", hint="run `assay doctor` to see what is wrong with the collection")


def _full(folder: Path) -> bool:
    """True if the folder's disk has less space than a write needs."""
    return folder.exists() and shutil.disk_usage(folder).free < _LEAST_ROOM


def _schema_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _create(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    with transaction(connection):
        if _schema_version(connection) != 0:  # done by another process
            return
        _run_scripts(connection)
        set_value(connection, "collection_id", uuid.uuid4().hex)
        set_value(connection, "version", 0)
        set_value(connection, "removals", 0)
        set_value(connection, "passages", 0)
        store_model(connection, model)


def _run_scripts(connection: sqlite3.Connection) -> None:
    """Run the scripts of later versions."""
    for script in _SCRIPTS[_schema_version(connection) :]:
        for statement in script.split(";\n"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
