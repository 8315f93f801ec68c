"""Jobs: uploaded files on their way into a collection; here in one SQLite file of a tenant.

A job is queued, running, and then done or failed. A running job has an owner with a lease: when the owner's
heartbeat has been missing for a while, any server process may take the job over and goes on with the files that
wait; what the former owner writes is refused.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ulid import ULID

from assay.errors import UsageError
from assay.records.sqlite_file import SqliteFile
from assay.server.uploads import StagedFile, WaitingFile
from assay.types import FileReport, Job, JobFile

_JOBS = """
CREATE TABLE jobs (
  job_id TEXT PRIMARY KEY, collection TEXT NOT NULL, created REAL NOT NULL, status TEXT NOT NULL,
  idempotency_key TEXT UNIQUE, digest TEXT NOT NULL, reason TEXT, hint TEXT, finished REAL,
  owner TEXT, heartbeat REAL, claimed REAL, attempts INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX jobs_of ON jobs (collection, status, created);
CREATE TABLE files (
  job_id TEXT NOT NULL REFERENCES jobs, number INTEGER NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL,
  size INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT, hint TEXT, document_id TEXT,
  passages INTEGER NOT NULL DEFAULT 0, ended REAL, PRIMARY KEY (job_id, number)
) WITHOUT ROWID;
"""
FILE_NAME = "jobs.sqlite"
# Seconds without a heartbeat after which a job's owner counts as killed. Chosen.
LEASE = 15.0
# Starts of a job after which it counts as the killer of the server. Chosen.
MOST_ATTEMPTS = 3
# Seconds that ended jobs are kept: 30 days. Chosen.
KEPT_SECONDS = 30 * 86_400.0
_LONGEST_KEY = 255
# Bytes that each file counts for beyond its own, in estimates of the time left: opening and storing it. Chosen.
_BYTES_A_FILE = 4096
INTERRUPTED = "the server was stopped several times while it took this in"
INTERRUPTED_HINT = "upload the files one by one to find the one that stops it"


@dataclass(frozen=True, slots=True)
class CreatedJob:
    """A job, and whether it is `new` or was created before under the same idempotency key."""

    job: Job
    new: bool


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job with a lease, and its files that wait."""

    job_id: str
    owner: str
    collection: str
    files: tuple[WaitingFile, ...] = field(default=())


class SqliteJobs:
    """The jobs of one tenant. Safe for several threads and processes; raises StoreError or a subclass.

    >>> import tempfile
    >>> store = SqliteJobs(Path(tempfile.mkdtemp()) / "jobs.sqlite")
    >>> job = store.create("default", [StagedFile("tea.md", "f00", "0" * 64, 12)]).job
    >>> claimed = store.claim("worker")
    >>> store.record(claimed, 1, FileReport("tea.md", "added", passages=2)), store.finish(claimed)
    (True, True)
    >>> store.job(job.job_id).status, store.job(job.job_id).passages
    ('done', 2)
    """

    def __init__(self, path: Path, *, lease: float = LEASE, clock: Callable[[], float] = time.time) -> None:
        self._file = SqliteFile(path, (_JOBS,), "the record of jobs")
        self._lease = lease
        self._clock = clock

    # --- for callers -----------------------------------------------------------------------------

    def create(
        self, collection: str, files: Sequence[StagedFile], idempotency_key: str | None = None
    ) -> CreatedJob:
        """A queued job for staged files; with a key that was used for the same files, the job of that time.

        Raises UsageError for no files, the same name twice, and a key that was used for other files.
        """
        refuse_bad_upload(files, idempotency_key)
        digest = digest_of(collection, files)
        job_id, now = str(ULID()), self._clock()
        with self._file.writing() as connection:
            _delete(connection, "finished < ?", now - KEPT_SECONDS)
            known = connection.execute(
                "SELECT job_id, digest FROM jobs WHERE idempotency_key = ?", (idempotency_key,)
            ).fetchone()
            if known is not None and known[1] != digest:
                raise used_for_other_files()
            if known is None:
                connection.execute(
                    "INSERT INTO jobs (job_id, collection, created, status, idempotency_key, digest) "
                    "VALUES (?, ?, ?, 'queued', ?, ?)",
                    (job_id, collection, now, idempotency_key, digest),
                )
                connection.executemany(
                    "INSERT INTO files (job_id, number, name, token, size, status) "
                    "VALUES (?, ?, ?, ?, ?, 'waiting')",
                    [(job_id, number, file.name, file.token, file.size) for number, file in enumerate(files, 1)],
                )
            [job] = self._jobs(connection, "WHERE job_id = ?", known[0] if known else job_id)
        return CreatedJob(job, new=known is None)

    def job(self, job_id: str) -> Job | None:
        """The job of that id; None if there is none."""
        with self._file.reading() as connection:
            return None if connection is None else next(self._jobs(connection, "WHERE job_id = ?", job_id), None)

    def jobs(self, collection: str, limit: int = 50) -> tuple[Job, ...]:
        """The latest jobs of a collection, newest first."""
        with self._file.reading() as connection:
            if connection is None:
                return ()
            last = "WHERE collection = ? ORDER BY created DESC, job_id DESC LIMIT ?"
            return tuple(self._jobs(connection, last, collection, limit))

    def staged_tokens(self) -> frozenset[str]:
        """The tokens of all files that wait."""
        with self._file.reading() as connection:
            query = "SELECT token FROM files WHERE status = 'waiting'"
            return frozenset(row[0] for row in connection.execute(query)) if connection is not None else frozenset()

    def remove_collection(self, collection: str) -> tuple[str, ...]:
        """Delete the jobs of a collection, whatever their status; the tokens of their files that waited.

        A server process that runs one of them stops when it next writes.
        """
        with self._file.writing() as connection:
            rows = connection.execute(
                "SELECT token FROM files WHERE status = 'waiting' AND job_id IN "
                "(SELECT job_id FROM jobs WHERE collection = ?)",
                (collection,),
            ).fetchall()
            _delete(connection, "collection = ?", collection)
        return tuple(row[0] for row in rows)

    # --- for those who run jobs ------------------------------------------------------------------

    def claim(self, owner: str) -> ClaimedJob | None:
        """The oldest job that can run now, with a lease for `owner`; None if there is none.

        One whose collection has a running job waits. One that was begun too often fails.
        """
        with self._file.writing() as connection:
            now = self._clock()
            while (row := connection.execute(_CLAIMABLE, {"expired": now - self._lease}).fetchone()) is not None:
                job_id, collection, attempts = row
                if attempts >= MOST_ATTEMPTS:
                    _end(connection, job_id, now, INTERRUPTED, INTERRUPTED_HINT)
                    continue
                connection.execute(
                    "UPDATE jobs SET status = 'running', owner = ?, heartbeat = ?, claimed = ?, "
                    "attempts = attempts + 1 WHERE job_id = ?",
                    (owner, now, now, job_id),
                )
                files = connection.execute(
                    "SELECT number, name, token FROM files WHERE job_id = ? AND status = 'waiting' ORDER BY number",
                    (job_id,),
                )
                return ClaimedJob(job_id, owner, collection, tuple(WaitingFile(*file) for file in files))
        return None

    def claimable(self) -> bool:
        """True if `claim` would find a job; cheaper, since it does not write."""
        with self._file.reading() as connection:
            if connection is None:
                return False
            row = connection.execute(_CLAIMABLE, {"expired": self._clock() - self._lease}).fetchone()
            return row is not None

    def beat(self, claimed: ClaimedJob) -> bool:
        """Renew the lease; False if it was lost."""
        with self._file.writing() as connection:
            return _owned(connection, claimed, "UPDATE jobs SET heartbeat = ?", self._clock())

    def record(self, claimed: ClaimedJob, number: int, report: FileReport) -> bool:
        """Note what became of a file; False if the lease was lost."""
        with self._file.writing() as connection:
            now = self._clock()
            if not _owned(connection, claimed, "UPDATE jobs SET heartbeat = ?", now):
                return False
            outcome = (report.status, report.reason, report.hint, report.document_id, report.passages, now)
            connection.execute(
                "UPDATE files SET status = ?, reason = ?, hint = ?, document_id = ?, passages = ?, ended = ? "
                "WHERE job_id = ? AND number = ?",
                (*outcome, claimed.job_id, number),
            )
            return True

    def finish(self, claimed: ClaimedJob, reason: str | None = None, hint: str | None = None) -> bool:
        """End the job: done, or failed for a reason, as are its files that wait; False if the lease was lost."""
        with self._file.writing() as connection:
            now = self._clock()
            owned = _owned(connection, claimed, "UPDATE jobs SET heartbeat = ?", now)
            if owned:
                _end(connection, claimed.job_id, now, reason, hint)
            return owned

    def release(self, claimed: ClaimedJob) -> bool:
        """Queue the job again, as if it had not been begun; False if the lease was lost."""
        with self._file.writing() as connection:
            return _owned(connection, claimed, _RELEASE)

    def release_all(self, owner: str) -> None:
        """Queue the running jobs of an owner again, as if they had not been begun."""
        with self._file.writing() as connection:
            connection.execute(f"{_RELEASE} WHERE owner = ? AND status = 'running'", (owner,))

    # --- reading ---------------------------------------------------------------------------------

    def _jobs(self, connection: sqlite3.Connection, where: str, *values: object) -> Iterator[Job]:
        query = f"SELECT job_id, collection, status, created, claimed, reason, hint FROM jobs {where}"  # noqa: S608
        for job_id, collection, status, created, claimed, reason, hint in connection.execute(query, values):
            rows = connection.execute(
                "SELECT name, status, reason, hint, document_id, passages, size, ended FROM files "
                "WHERE job_id = ? ORDER BY number",
                (job_id,),
            ).fetchall()
            yield job_of((job_id, collection, status, created, claimed, reason, hint), rows, self._clock())


_RELEASE = "UPDATE jobs SET status = 'queued', owner = NULL, attempts = attempts - 1"
# The oldest job that is queued or whose lease ended, of a collection without a running job.
_CLAIMABLE = """
SELECT job_id, collection, attempts FROM jobs
WHERE (status = 'queued' OR (status = 'running' AND heartbeat < :expired))
  AND NOT EXISTS (
    SELECT 1 FROM jobs AS other WHERE other.collection = jobs.collection AND other.status = 'running'
      AND other.heartbeat >= :expired
  )
ORDER BY created, job_id LIMIT 1
"""


def job_of(row: Sequence[Any], files: Sequence[Sequence[Any]], now: float) -> Job:
    """A job from what is stored of it, and of each of its files.

    `row` is id, collection, status, when it was created and claimed, reason and hint; a file is name, status,
    reason, hint, document id, passages, bytes and when it ended. All times are Unix seconds of the clock of `now`.
    """
    job_id, collection, status, created, claimed, reason, hint = row
    shown = tuple(JobFile(*file[:6]) for file in files)
    left = None
    if status == "running":
        waiting = [file[6] for file in files if file[1] == "waiting"]
        done = [file[6] for file in files if file[7] is not None and file[7] >= claimed]
        latest = max((file[7] for file in files if file[7] is not None), default=claimed)
        left = _seconds_left(done, waiting, latest - claimed, now - latest)
    return Job(
        job_id,
        collection,
        status,
        created,
        files_done=sum(file.status != "waiting" for file in shown),
        files_total=len(shown),
        passages=sum(file.passages for file in shown),
        seconds_left=left,
        files=shown,
        reason=reason,
        hint=hint,
    )


def _seconds_left(done: Sequence[int], waiting: Sequence[int], seconds: float, since: float = 0.0) -> float | None:
    """The time that the waiting files will take, by the sizes of those done in so many seconds.

    `since` is how long ago the last one was done. None if none is, or if the next takes longer than expected.

    >>> _seconds_left([96_000] * 4, [96_000] * 2, 10.0, 1.0), _seconds_left([], [500], 3.0)
    (4.0, None)
    """
    if not done:
        return None
    pace = seconds / sum(size + _BYTES_A_FILE for size in done)
    left = pace * sum(size + _BYTES_A_FILE for size in waiting) - since
    return math.ceil(left * 10) / 10 if left >= 0 else None


def _owned(connection: sqlite3.Connection, claimed: ClaimedJob, update: str, *values: object) -> bool:
    """Make an update of the job's row if its owner still has the lease; whether it has."""
    where = f"{update} WHERE job_id = ? AND owner = ? AND status = 'running'"
    return connection.execute(where, (*values, claimed.job_id, claimed.owner)).rowcount == 1


def _end(connection: sqlite3.Connection, job_id: str, now: float, reason: str | None, hint: str | None) -> None:
    status = "done" if reason is None else "failed"
    connection.execute(
        "UPDATE jobs SET status = ?, reason = ?, hint = ?, finished = ? WHERE job_id = ?",
        (status, reason, hint, now, job_id),
    )
    connection.execute(
        "UPDATE files SET status = 'failed', reason = ?, hint = ?, ended = ? "
        "WHERE job_id = ? AND status = 'waiting'",
        (reason, hint, now, job_id),
    )


def _delete(connection: sqlite3.Connection, where: str, value: object) -> None:
    connection.execute(f"DELETE FROM files WHERE job_id IN (SELECT job_id FROM jobs WHERE {where})", (value,))  # noqa: S608
    connection.execute(f"DELETE FROM jobs WHERE {where}", (value,))  # noqa: S608


def refuse_bad_upload(files: Sequence[StagedFile], idempotency_key: str | None) -> None:
    """Raise UsageError for no files, the same name twice, and a key of a wrong length."""
    if not files:
        raise UsageError("no files were uploaded", hint="send each as a form field named files")
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"two files have the name {twice[:80]!r}", hint="rename one; a name is one document")
    if idempotency_key is not None and not 0 < len(idempotency_key) <= _LONGEST_KEY:
        raise UsageError(
            f"the Idempotency-Key has {len(idempotency_key)} characters",
            hint=f"use 1 to {_LONGEST_KEY}, such as a UUID",
        )


def digest_of(collection: str, files: Sequence[StagedFile]) -> str:
    """A hash of what an upload holds."""
    content = json.dumps([collection, *([file.name, file.sha256] for file in files)])
    return hashlib.sha256(content.encode()).hexdigest()


def used_for_other_files() -> UsageError:
    """The error for an idempotency key that comes again with other files."""
    return UsageError(
        "the Idempotency-Key was used for other files",
        hint="use a new key for each upload, and the same one only to repeat it",
    )
