"""The SQLite file of the run record: opened, migrated to this version, its errors mapped to assay's."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from assay.errors import DamagedStore, StoreError, StoreFull

# The tables of the run record, version by version. A version is never changed, only followed by another.


_RUNS = """
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, collection TEXT NOT NULL, question TEXT NOT NULL, started REAL NOT NULL,
  outcome TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
  run_id TEXT NOT NULL REFERENCES runs, seq INTEGER NOT NULL, at REAL NOT NULL, kind TEXT NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;
CREATE TRIGGER runs_stay BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'runs are append-only'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
"""
# Version 2 added what a replay needs: the settings and the dialogue, and every call out of the run in order.
_RECORDINGS = """
CREATE TABLE recordings (run_id TEXT PRIMARY KEY REFERENCES runs, about TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tapes (
  run_id TEXT NOT NULL REFERENCES runs, step INTEGER NOT NULL, port TEXT NOT NULL, key TEXT NOT NULL,
  body BLOB NOT NULL, PRIMARY KEY (run_id, step)
);
"""
# Version 3 added each run's figures, the queue for a human's eye, and what was decided there.
_REVIEWS = """
CREATE TABLE figures (run_id TEXT PRIMARY KEY REFERENCES runs, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE queued (run_id TEXT PRIMARY KEY REFERENCES runs, findings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE decisions (
  run_id TEXT NOT NULL REFERENCES runs, at REAL NOT NULL, by TEXT NOT NULL, accepted INTEGER NOT NULL,
  note TEXT NOT NULL
);
CREATE INDEX decisions_of ON decisions (run_id, at);
CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
  BEGIN SELECT RAISE(ABORT, 'decisions are append-only'); END;
"""
# Version 4 added labels of answers and claims, calibrations fitted on them, and which one a collection uses.
_LABELS = """
CREATE TABLE labels (
  version INTEGER PRIMARY KEY, run_id TEXT NOT NULL REFERENCES runs, claim INTEGER NOT NULL, good INTEGER NOT NULL,
  at REAL NOT NULL, by TEXT NOT NULL, note TEXT NOT NULL
);
CREATE INDEX labels_of ON labels (run_id, claim, version);
CREATE TABLE calibrations (
  version INTEGER PRIMARY KEY, collection TEXT NOT NULL, at REAL NOT NULL, by TEXT NOT NULL, body TEXT NOT NULL
);
CREATE TABLE calibrated (collection TEXT NOT NULL, version INTEGER NOT NULL, at REAL NOT NULL, by TEXT NOT NULL);
CREATE TRIGGER labels_stay BEFORE UPDATE ON labels BEGIN SELECT RAISE(ABORT, 'labels are append-only'); END;
CREATE TRIGGER calibrations_stay BEFORE UPDATE ON calibrations
  BEGIN SELECT RAISE(ABORT, 'calibrations are append-only'); END;
CREATE TRIGGER calibrated_stays BEFORE UPDATE ON calibrated
  BEGIN SELECT RAISE(ABORT, 'choices are append-only'); END;
"""
# Version 5 added the order in which runs are listed.
_LISTED = "CREATE INDEX runs_by_start ON runs (started, run_id);\n"
SCRIPTS = (_RUNS, _RECORDINGS, _REVIEWS, _LABELS, _LISTED)
SCHEMA_VERSION = len(SCRIPTS)
# From which version on there are tapes, figures and reviews, and labels.
RECORDED, REVIEWED, LABELLED = 2, 3, 4


def statements(script: str) -> list[str]:
    """The statements of a script, one by one, so that they share a transaction."""
    return script.strip().split(";\n")


# Seconds to wait for another process that is writing.
PATIENCE = 5.0


class RunsFile:
    """Reads and writes the file, one thread at a time. Raises StoreError or a subclass if it cannot.

    `patience` is how many seconds it waits for another process.
    """

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self.path = path
        self.patience = patience
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        """True if anything was ever written."""
        return self.path.exists()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot change anything; its file may be of an older version (`version_of`)."""
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        with (
            self._lock,
            self._mapped_errors(),
            closing(sqlite3.connect(address, uri=True, timeout=self.patience)) as connection,
        ):
            self._refuse_newer(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction, of a file of this version."""
        with self._lock, self._mapped_errors():
            if self._connection is None:
                self._connection = self._connect()
            with self._connection:
                yield self._connection

    def wipe_log(self) -> bool:
        """Empty the write-ahead log, which holds what was deleted; False if another process reads it."""
        with self._lock, self._mapped_errors():
            if self._connection is None:
                return True
            (busy, *_pages) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return not busy

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _connect(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite gives its -wal the same mode
        connection = sqlite3.connect(self.path, timeout=self.patience, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        if self._refuse_newer(connection) < SCHEMA_VERSION:
            self._migrate(connection)
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Create what this version needs and the file lacks."""
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
            return DamagedStore(f"{self.path} is damaged: {error}", hint=f"move {self.path} away; runs start anew")
        return StoreError(f"{self.path} cannot be used: {error}", hint="check the rights of the data folder")


def version_of(connection: sqlite3.Connection) -> int:
    """The file's version of the tables; 0 if the process was killed while it made the file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
