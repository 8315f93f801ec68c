"""The SQLite file of the API keys."""

from __future__ import annotations

from pathlib import Path

from assay.records.sqlite_file import SqliteFile
from assay.server.api_key import Cost, Key, StoredKey

# A version is never changed, only followed by another.
_KEYS = """
CREATE TABLE keys (
  key_id TEXT PRIMARY KEY, name TEXT NOT NULL, tenant TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  created REAL NOT NULL, expires REAL, revoked REAL, used REAL,
  salt BLOB NOT NULL, hash BLOB NOT NULL, n INTEGER NOT NULL, r INTEGER NOT NULL, p INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER keys_stay BEFORE DELETE ON keys BEGIN SELECT RAISE(ABORT, 'keys are only revoked'); END;
"""
_COLUMNS = "key_id, name, tenant, scope, created, expires, revoked, used, salt, hash, n, r, p"


class KeysFile:
    """Reads and writes the file, from any thread. Raises StoreError or a subclass if it cannot."""

    def __init__(self, path: Path) -> None:
        self._file = SqliteFile(path, (_KEYS,), "the API keys")

    def any(self) -> bool:
        """Whether there is a key, valid or not."""
        return bool(self._rows("SELECT 1 FROM keys LIMIT 1"))

    def all(self) -> tuple[StoredKey, ...]:
        """Every key, oldest first."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM keys ORDER BY created, key_id")  # noqa: S608 - a constant
        return tuple(_stored(row) for row in rows)

    def find(self, key_id: str) -> StoredKey | None:
        """The key of this id."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM keys WHERE key_id = ?", key_id)  # noqa: S608 - a constant
        return _stored(rows[0]) if rows else None

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

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._file.reading() as connection:
            return [] if connection is None else connection.execute(query, values).fetchall()

    def _write(self, statement: str, *values: object) -> None:
        with self._file.writing() as connection:
            connection.execute(statement, values)


def _stored(row: tuple[object, ...]) -> StoredKey:
    *about, salt, digest, n, r, p = row
    return StoredKey(Key(*about), salt, digest, Cost(n, r, p))  # type: ignore[arg-type]
