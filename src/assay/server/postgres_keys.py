"""API keys in a Postgres database, where every server on it finds them. No tenant sees their rows."""

from __future__ import annotations

from typing import Any

import psycopg

from assay.postgres.database import TenantRows
from assay.server.api_key import Cost, Key, StoredKey

_COLUMNS = "key_id, name, of_tenant, scope, created, expires, revoked, used, salt, hash, n, r, p"

Connection = psycopg.Connection[Any]


class PostgresKeys:
    """Reads and writes the keys, from any thread; `rows` are the server's own. Raises StoreError or a subclass.

    Keys cannot be deleted or changed: the role of the rows may only note that one was revoked or used.
    """

    def __init__(self, rows: TenantRows) -> None:
        self._rows = rows

    def any(self) -> bool:
        """True if there is a key, valid or not."""
        query = "SELECT 1 FROM assay.keys LIMIT 1"
        return self._rows.read(lambda connection: connection.execute(query).fetchone() is not None)

    def all(self) -> tuple[StoredKey, ...]:
        """Every key, oldest first."""
        query = f"SELECT {_COLUMNS} FROM assay.keys ORDER BY created, key_id"  # noqa: S608 - a constant
        rows = self._rows.read(lambda connection: connection.execute(query).fetchall())
        return tuple(_stored(row) for row in rows)

    def find(self, key_id: str) -> StoredKey | None:
        """The key of this id."""
        query = f"SELECT {_COLUMNS} FROM assay.keys WHERE key_id = %s"  # noqa: S608 - a constant
        row = self._rows.read(lambda connection: connection.execute(query, (key_id,)).fetchone())
        return None if row is None else _stored(row)

    def add(self, stored: StoredKey) -> None:
        """Add a key."""
        key, cost = stored.key, stored.cost
        values = (
            *(key.key_id, key.name, key.tenant, key.scope, key.created, key.expires, key.revoked, key.used),
            *(stored.salt, stored.hash, cost.n, cost.r, cost.p),
        )
        marks = ", ".join(["%s"] * len(values))
        self._write(f"INSERT INTO assay.keys ({_COLUMNS}) VALUES ({marks})", *values)  # noqa: S608 - constants

    def revoke(self, key_id: str, at: float) -> None:
        """Note when a key was revoked; the first time counts."""
        self._write("UPDATE assay.keys SET revoked = %s WHERE key_id = %s AND revoked IS NULL", at, key_id)

    def note_use(self, key_id: str, at: float, *, unless_after: float) -> None:
        """Note when a key was used, unless a use after `unless_after` stands there."""
        self._write(
            "UPDATE assay.keys SET used = %s WHERE key_id = %s AND (used IS NULL OR used <= %s)",
            *(at, key_id, unless_after),
        )

    def _write(self, statement: str, *values: object) -> None:
        self._rows.write(lambda connection: connection.execute(statement.encode(), values).rowcount)


def _stored(row: tuple[Any, ...]) -> StoredKey:
    *about, salt, digest, n, r, p = row
    return StoredKey(Key(*about), bytes(salt), bytes(digest), Cost(n, r, p))
