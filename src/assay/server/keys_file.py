"""The SQLite file of the API keys: opened for each use, migrated to this version, its errors mapped to assay's."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assay.errors import DamagedStore, StoreError, StoreFull
from assay.server.api_key import SCOPES, Cost, Key, StoredKey

# A version is never changed, only followed by another.
_KEYS = """
CREATE TABLE keys (
  key_id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL, scope TEXT NOT NULL,
  created REAL NOT NULL, expires REAL, revoked REAL, used REAL,
  salt BLOB NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL, r INTEGER NOT NULL, p INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER keys_stay BEFORE DELETE ON keys BEGIN SELECT RAISE(ABORT, 'keys are only revoked'); END;
"""
SCRIPTS = (_KEYS,)
SCHEMA_VERSION = len(SCRIPTS)
# Seconds to wait for another process that is writing.
PATIENCE = 5.0
_COLUMNS = "key_id, name, tenant, scope, created, expires, revoked, used, salt, hash, n, r, p"


class KeysFile:
    """Reads and writes the file, from any thread. Raises StoreError or a subclass if it cannot."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def any(self) -> bool:
        """Whether there is a key, valid or not."""
        return bool(self._rows("SELECT 1 FROM keys LIMIT 1"))

    def all(self) -> tuple[StoredKey, ...]:
        """Every key, oldest first."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM keys ORDER BY created, key_id")  # noqa: S608 - a constant
        return tuple(self._stored(row) for row in rows)

    def find(self, key_id: str) -> StoredKey | None:
        """The key of this id."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM keys WHERE key_id = ?", key_id)  # noqa: S608 - a constant
        return self._stored(rows[0]) if rows else None

    def add(self, stored: StoredKey) -> None:
        """Add a key."""
        key, cost = stored.key, stored.cost
        values = (
            *(key.key_id, key.name, key.tenant, key.scope, key.created, key.expires, key.revoked, key.used),
            *(stored.salt, stored.hash, cost.n, cost.r, cost.p),
        )
        marks = ", ".join("?" * len(values))
        self._write(f"INSERT INTO keys ({_COLUMNS}) VALUES ({marks})", *values)  # noqa: S608 - constants

    def revoke(self, key_id: str, at: float) -> None:
        """Note when a key was revoked; the first time counts."""
        self._write("UPDATE keys SET revoked = ? WHERE key_id = ? AND revoked IS NULL", at, key_id)

    def note_use(self, key_id: str, at: float, *, unless_after: float) -> None:
        """Note when a key was used, unless a use after `unless_after` stands there."""
        self._write(
            "UPDATE keys SET used = ? WHERE key_id = ? AND (used IS NULL OR used <= ?)", at, key_id, unless_after
        )

    # --- the file ------------------------------------------------------------------------------

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._mapped_errors():
            if not self.path.exists():
                return []
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection:
                if self._version(connection) == 0:  # another process is making it
                    return []
                return connection.execute(query, values).fetchall()

    def _write(self, statement: str, *values: object) -> None:
        with self._mapped_errors(), closing(self._connect()) as connection, connection:
            connection.execute(statement, values)

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its -wal the same mode
        connection = sqlite3.connect(self.path, timeout=PATIENCE)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # a revocation must outlive a power cut
            if self._version(connection) < SCHEMA_VERSION:
                self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Create what this version needs and the file lacks."""
        connection.execute("BEGIN IMMEDIATE")
        there = self._version(connection)  # another process may have been faster
        for script in SCRIPTS[there:]:
            for statement in script.strip().split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.commit()

    def _version(self, connection: sqlite3.Connection) -> int:
        """The file's version of the tables. Raises StoreError where it is newer than this assay."""
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer assay (keys version {version}, this one knows "
                f"{SCHEMA_VERSION})",
                hint="upgrade assay, or use another --data-dir",
            )
        return version

    def _stored(self, row: tuple[object, ...]) -> StoredKey:
        """The key of a row. Raises DamagedStore for a scope that does not exist."""
        *about, salt, digest, n, r, p = row
        key = Key(*about)  # type: ignore[arg-type]
        if key.scope not in SCOPES:
            raise DamagedStore(f"{self.path}: key {key.key_id} has no scope", hint="revoke it and make another")
        return StoredKey(key, salt, digest, Cost(n, r, p))  # type: ignore[arg-type]

    @contextmanager
    def _mapped_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error | OSError) -> StoreError:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            return StoreFull(f"no room left to write {self.path}", hint="free some disk space")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return DamagedStore(
                f"{self.path} is damaged: {error}",
                hint=f"move {self.path} away and make new keys: assay keys create",
            )
        return StoreError(f"{self.path} cannot be used: {error}", hint="check the rights of the data folder")
