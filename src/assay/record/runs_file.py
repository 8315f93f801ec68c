"""The one SQLite file of the run record: opened, brought to this version, and its errors told as assay's."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assay.errors import DamagedStore, StoreError, StoreFull
from assay.record.schema import SCHEMA_VERSION, SCRIPTS, statements

# Seconds to wait for another process that is writing.
PATIENCE = 5.0


class RunsFile:
    """Reads and writes the file, one thread at a time. What cannot be done raises StoreError or a subclass."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        """Whether anything was ever written."""
        return self.path.exists()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot change anything; its file may be of an older version (`version_of`)."""
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        with (
            self._lock,
            self._mapped(),
            closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as connection,
        ):
            self._refuse_newer(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction, of a file of this version."""
        with self._lock, self._mapped():
            if self._connection is None:
                self._connection = self._opened()
            with self._connection:
                yield self._connection

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _opened(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its -wal the same mode
        connection = sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if self._refuse_newer(connection) < SCHEMA_VERSION:
            self._raise_version(connection)
        return connection

    def _raise_version(self, connection: sqlite3.Connection) -> None:
        """Make what this version needs and the file has not."""
        connection.execute("BEGIN IMMEDIATE")
        there = self._refuse_newer(connection)  # another process may have been faster
        for script in SCRIPTS[there:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.commit()

    def _refuse_newer(self, connection: sqlite3.Connection) -> int:
        version = version_of(connection)
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{self.path} was written by a newer assay (record version {version}, this one knows "
                f"{SCHEMA_VERSION})",
                hint="upgrade assay, or use another --data-dir",
            )
        return version

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error | OSError) -> StoreError:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            return StoreFull(f"no room left to write {self.path}", hint="free some disk space")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return DamagedStore(f"{self.path} is damaged: {error}", hint=f"move {self.path} away; runs start anew")
        return StoreError(f"{self.path} cannot be used: {error}", hint="check the rights of the data folder")


def version_of(connection: sqlite3.Connection) -> int:
    """The file's version of the tables; 0 where it was killed while it was made."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
