"""A small SQLite file of the server: opened for each use, migrated to this version, its errors mapped."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assay.errors import DamagedStore, StoreError, StoreFull

# Seconds to wait for another process that is writing.
PATIENCE = 5.0


class SqliteFile:
    """Reads and writes the file, from any thread and process. Raises StoreError or a subclass if it cannot.

    `scripts` make the tables, version by version; a version is never changed, only followed by another. `what` the
    file holds is named in errors.
    """

    def __init__(self, path: Path, scripts: tuple[str, ...], what: str) -> None:
        self.path = path
        self._scripts = scripts
        self._what = what

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection that sees one state of the file and cannot change it; None if nothing was ever written."""
        with self._mapped_errors():
            if not self.path.exists():
                yield None
                return
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection:
                connection.execute("BEGIN")
                # Version 0: another process is making the file.
                yield connection if self._version(connection) else None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction, which is on the disk itself when the block ends."""
        with self._mapped_errors(), closing(self._connect()) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its -wal the same mode
        connection = sqlite3.connect(self.path, timeout=PATIENCE)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            if self._version(connection) < len(self._scripts):
                self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Create what this version needs and the file lacks."""
        connection.execute("BEGIN IMMEDIATE")
        there = self._version(connection)  # another process may have been faster
        for script in self._scripts[there:]:
            for statement in script.strip().split(";\n"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(self._scripts)}")
        connection.commit()

    def _version(self, connection: sqlite3.Connection) -> int:
        """The file's version of the tables. Raises StoreError where it is newer than this assay."""
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > len(self._scripts):
            raise StoreError(
                f"{self._what}: written by a newer assay (version {version}, this one knows {len(self._scripts)})",
                hint="upgrade assay, or use another --data-dir",
            )
        return version

    @contextmanager
    def _mapped_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error | OSError) -> StoreError:
        """The error without the file's path, since callers of the server may see it."""
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            return StoreFull(f"{self._what}: no room left to write", hint="free some disk space")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            hint = f"move {self.path.name} out of the data folder; it is made anew"
            return DamagedStore(f"{self._what}: the file is damaged", hint=hint)
        return StoreError(f"{self._what}: cannot be used", hint="check the rights of the data folder")
