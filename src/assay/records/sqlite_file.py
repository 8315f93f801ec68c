"""A SQLite file: opened readable by its owner only, migrated to this version, its errors mapped to assay's."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from assay.errors import DamagedStore, StoreError, StoreFull

# Seconds to wait for another process that is writing.
PATIENCE = 5.0


class SqliteFile:
    """Reads and writes the file, from any thread and process. Raises StoreError or a subclass if it cannot.

    `scripts` make the tables, version by version; a version is never changed, only followed by another. `what` the
    file holds is named in errors without its path, since callers of a server may see them. `patience` is how many
    seconds it waits for another process.

    Where it is `durable`, what was written is on the disk itself when `writing` ends; else a loss of power may undo
    the latest writes. With `stays_open` the connection for writing is kept until `close`, for a file that is often
    written.
    """

    def __init__(
        self,
        path: Path,
        scripts: Sequence[str],
        what: str,
        *,
        patience: float = PATIENCE,
        durable: bool = True,
        stays_open: bool = False,
    ) -> None:
        self.path = path
        self.patience = patience
        self._scripts = tuple(scripts)
        self._what = what
        self._synchronous = "FULL" if durable else "NORMAL"
        self._stays_open = stays_open
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        """True if anything was ever written."""
        return self.path.exists()

    @contextmanager
    def reading(self, version: int = 1) -> Iterator[sqlite3.Connection | None]:
        """A connection that sees one state of the file and cannot change it.

        None if nothing was ever written, or by a process that knew only earlier versions of the tables.
        """
        with self._mapped_errors():
            if not self.exists:
                yield None
                return
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=self.patience)) as connection:
                connection.execute("BEGIN")
                # Version 0: another process is making the file, or was killed while it did.
                yield connection if self._refuse_newer(connection) >= version else None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction, of a file of this version."""
        with self._mapped_errors(), self._writer() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def wipe_log(self) -> bool:
        """Empty the write-ahead log, which holds what was deleted; False if another process reads it."""
        with self._mapped_errors(), self._writer() as connection:
            (busy, *_pages) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _writer(self) -> Iterator[sqlite3.Connection]:
        """The connection for writing, for one thread at a time where it is kept."""
        if not self._stays_open:
            with closing(self._connect()) as connection:
                yield connection
            return
        with self._lock:
            if self._connection is None:
                self._connection = self._connect()
            yield self._connection

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its -wal the same mode
        connection = sqlite3.connect(self.path, timeout=self.patience, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.execute("PRAGMA secure_delete = ON")
            if self._refuse_newer(connection) < len(self._scripts):
                self._migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Create what this version needs and the file lacks."""
        connection.execute("BEGIN IMMEDIATE")
        there = self._refuse_newer(connection)  # another process may have been faster
        for script in self._scripts[there:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(self._scripts)}")
        connection.commit()

    def _refuse_newer(self, connection: sqlite3.Connection) -> int:
        """The file's version of the tables. Raises StoreError where it is newer than this assay."""
        version = version_of(connection)
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
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_FULL:
            return StoreFull(f"{self._what}: no room left to write", hint="free some disk space")
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            hint = f"move {self.path.name} out of the data folder; it is created again"
            return DamagedStore(f"{self._what}: the file is damaged", hint=hint)
        return StoreError(f"{self._what}: cannot be used", hint="check the permissions of the data folder")


def statements(script: str) -> list[str]:
    r"""The statements of a script, one by one, so that they share a transaction; each ends with ";\n"."""
    return script.strip().split(";\n")


def version_of(connection: sqlite3.Connection) -> int:
    """The file's version of the tables; 0 if the process was killed while it made the file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
