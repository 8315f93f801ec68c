"""Jobs in a Postgres database: taken by any server on it, each once, with a lease by the clock of the database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from ulid import ULID

from assay.postgres.database import TenantRows, storable
from assay.postgres.isolation import as_server
from assay.server.jobs import (
    INTERRUPTED,
    INTERRUPTED_HINT,
    KEPT_SECONDS,
    LEASE,
    MOST_ATTEMPTS,
    ClaimedJob,
    CreatedJob,
    digest_of,
    job_of,
    refuse_bad_upload,
    used_for_other_files,
)
from assay.server.uploads import StagedFile, WaitingFile
from assay.types import FileReport, Job

# Seconds for which the tenants with open jobs are not read again; a job of this process counts at once. Chosen.
_FRESH = 0.5
# One number for all who claim jobs; beside it the collection is locked.
_LOCK = 0x6A6F6273
_RELEASE = "UPDATE assay.jobs SET status = 'queued', owner = NULL, attempts = attempts - 1"

Connection = psycopg.Connection[Any]
Clock = Callable[[Connection], float]


def database_time(connection: Connection) -> float:
    """The Unix seconds of the database, which machines with different clocks share."""
    row = connection.execute("SELECT extract(epoch FROM clock_timestamp())::double precision").fetchone()
    assert row is not None  # noqa: S101 - it has one row
    return float(row[0])


@dataclass(slots=True)
class OpenJobs:
    """The tenants that have jobs which have not ended, whichever server took them; `rows` are the server's own."""

    rows: TenantRows
    clock: Callable[[], float] = time.monotonic
    _read: tuple[float, frozenset[str]] | None = field(default=None, init=False)

    def tenants(self) -> frozenset[str]:
        """Their names, as they were at most half a second ago."""
        now = self.clock()
        if self._read is None or now - self._read[0] >= _FRESH:
            found = self.rows.read(
                lambda connection: connection.execute("SELECT DISTINCT of_tenant FROM assay.open_jobs").fetchall()
            )
            self._read = now, frozenset(tenant for (tenant,) in found)
        return self._read[1]

    def forget(self) -> None:
        """Ask anew the next time, since this process has changed them."""
        self._read = None


class PostgresJobs:
    """The jobs of one tenant in a database; raises StoreError or a subclass.

    An upload that a job was created for belongs to it from that moment: both are committed together.
    """

    def __init__(
        self, rows: TenantRows, open_jobs: OpenJobs, *, lease: float = LEASE, clock: Clock = database_time
    ) -> None:
        self._rows = rows
        self._tenant = rows.tenant
        self._open_jobs = open_jobs
        self._lease = lease
        self._clock = clock

    # --- for callers -----------------------------------------------------------------------------

    def create(
        self, collection: str, files: Sequence[StagedFile], idempotency_key: str | None = None
    ) -> CreatedJob:
        """A queued job for staged files, or the job of the time when the key was used for the same ones."""
        refuse_bad_upload(files, idempotency_key)
        digest, job_id = digest_of(collection, files), str(ULID())
        key = None if idempotency_key is None else storable(idempotency_key)

        def work(connection: Connection) -> CreatedJob:
            now = self._clock(connection)
            connection.execute("DELETE FROM assay.jobs WHERE finished < %s", (now - KEPT_SECONDS,))
            # The second of two requests with the same key waits here for the first.
            new = connection.execute(
                "INSERT INTO assay.jobs (job_id, collection, created, status, idempotency_key, digest)"
                " VALUES (%s, %s, %s, 'queued', %s, %s) ON CONFLICT (tenant, idempotency_key) DO NOTHING",
                (job_id, collection, now, key, digest),
            ).rowcount
            if not new:
                known = connection.execute(
                    "SELECT job_id, digest FROM assay.jobs WHERE idempotency_key = %s", (key,)
                ).fetchone()
                if known is None or known[1] != digest:
                    raise used_for_other_files()
                return CreatedJob(self._only(connection, known[0]), new=False)
            connection.cursor().executemany(
                "INSERT INTO assay.job_files (job_id, number, name, token, size, status)"
                " VALUES (%s, %s, %s, %s, %s, 'waiting')",
                [(job_id, number, file.name, file.token, file.size) for number, file in enumerate(files, 1)],
            )
            connection.execute(
                "UPDATE assay.uploads SET job_id = %s WHERE token = ANY(%s)",
                (job_id, [file.token for file in files]),
            )
            with as_server(connection):
                connection.execute(
                    "INSERT INTO assay.open_jobs (of_tenant, job_id) VALUES (%s, %s)", (self._tenant, job_id)
                )
            return CreatedJob(self._only(connection, job_id), new=True)

        created = self._rows.write(work)
        self._open_jobs.forget()
        return created

    def job(self, job_id: str) -> Job | None:
        """The job of that id; None if there is none."""
        own = storable(job_id)
        return self._rows.read(lambda connection: next(self._jobs(connection, "WHERE job_id = %s", own), None))

    def jobs(self, collection: str, limit: int = 50) -> tuple[Job, ...]:
        """The latest jobs of a collection, newest first."""
        last = "WHERE collection = %s ORDER BY created DESC, job_id DESC LIMIT %s"
        return self._rows.read(lambda connection: tuple(self._jobs(connection, last, collection, limit)))

    def staged_tokens(self) -> frozenset[str]:
        """The tokens of all files that wait."""
        query = "SELECT token FROM assay.job_files WHERE status = 'waiting'"
        found = self._rows.read(lambda connection: connection.execute(query).fetchall())
        return frozenset(token for (token,) in found)

    def remove_collection(self, collection: str) -> tuple[str, ...]:
        """Delete the jobs of a collection; the tokens of their files that waited."""

        def work(connection: Connection) -> tuple[str, ...]:
            waited = connection.execute(
                "SELECT token FROM assay.job_files WHERE status = 'waiting' AND job_id IN"
                " (SELECT job_id FROM assay.jobs WHERE collection = %s)",
                (collection,),
            ).fetchall()
            tokens = tuple(token for (token,) in waited)
            connection.execute("UPDATE assay.uploads SET job_id = NULL WHERE token = ANY(%s)", (list(tokens),))
            gone = connection.execute(
                "DELETE FROM assay.jobs WHERE collection = %s RETURNING job_id", (collection,)
            ).fetchall()
            self._close(connection, [job_id for (job_id,) in gone])
            return tokens

        return self._rows.write(work)

    # --- for those who run jobs ------------------------------------------------------------------

    def claim(self, owner: str) -> ClaimedJob | None:
        """The oldest job that can run now, with a lease for `owner`; None if there is none."""
        return self._rows.write(lambda connection: self._claim(connection, owner))

    def claimable(self) -> bool:
        """True if `claim` may find a job; where no tenant has one, all of a process ask the database once."""
        if self._tenant not in self._open_jobs.tenants():
            return False
        return self._rows.read(lambda connection: self._next(connection, [], "") is not None)

    def beat(self, claimed: ClaimedJob) -> bool:
        """Renew the lease; False if it was lost."""
        return self._rows.write(lambda connection: self._beat(connection, claimed) is not None)

    def record(self, claimed: ClaimedJob, number: int, report: FileReport) -> bool:
        """Note what became of a file; False if the lease was lost."""

        def work(connection: Connection) -> bool:
            now = self._beat(connection, claimed)
            if now is None:
                return False
            connection.execute(
                "UPDATE assay.job_files SET status = %s, reason = %s, hint = %s, document_id = %s, passages = %s,"
                " ended = %s WHERE job_id = %s AND number = %s",
                (
                    *(
                        report.status,
                        _storable(report.reason),
                        _storable(report.hint),
                        _storable(report.document_id),
                    ),
                    *(report.passages, now, claimed.job_id, number),
                ),
            )
            return True

        return self._rows.write(work)

    def finish(self, claimed: ClaimedJob, reason: str | None = None, hint: str | None = None) -> bool:
        """End the job, and its files that wait; False if the lease was lost."""

        def work(connection: Connection) -> bool:
            now = self._beat(connection, claimed)
            if now is not None:
                self._end(connection, claimed.job_id, now, reason, hint)
            return now is not None

        return self._rows.write(work)

    def release(self, claimed: ClaimedJob) -> bool:
        """Queue the job again, as if it had not been begun; False if the lease was lost."""
        released = f"{_RELEASE} WHERE job_id = %s AND owner = %s AND status = 'running'"
        owned = (claimed.job_id, claimed.owner)
        return self._rows.write(lambda connection: connection.execute(released, owned).rowcount == 1)

    def release_all(self, owner: str) -> None:
        """Queue the running jobs of an owner again, as if they had not been begun."""
        released = f"{_RELEASE} WHERE owner = %s AND status = 'running'"
        self._rows.write(lambda connection: connection.execute(released, (owner,)).rowcount)

    # --- within a transaction --------------------------------------------------------------------

    def _claim(self, connection: Connection, owner: str) -> ClaimedJob | None:
        busy: list[str] = []
        # A job that another process is just changing is passed over: it has been taken, or goes on.
        while (row := self._next(connection, busy, "FOR UPDATE OF jobs SKIP LOCKED")) is not None:
            job_id, collection, attempts = row
            if attempts >= MOST_ATTEMPTS:
                self._end(connection, job_id, self._clock(connection), INTERRUPTED, INTERRUPTED_HINT)
                continue
            if not self._alone(connection, job_id, collection):
                busy.append(collection)
                continue
            now = self._clock(connection)
            connection.execute(
                "UPDATE assay.jobs SET status = 'running', owner = %s, heartbeat = %s, claimed = %s,"
                " attempts = attempts + 1 WHERE job_id = %s",
                (owner, now, now, job_id),
            )
            files = connection.execute(
                "SELECT number, name, token FROM assay.job_files WHERE job_id = %s AND status = 'waiting'"
                " ORDER BY number",
                (job_id,),
            ).fetchall()
            return ClaimedJob(job_id, owner, collection, tuple(WaitingFile(*file) for file in files))
        return None

    def _next(self, connection: Connection, busy: Sequence[str], locking: str) -> tuple[str, str, int] | None:
        """Id, collection and attempts of the oldest job that can run, of no `busy` collection."""
        given = {"expired": self._clock(connection) - self._lease, "busy": list(busy)}
        row: tuple[str, str, int] | None = connection.execute((_CLAIMABLE + locking).encode(), given).fetchone()
        return row

    def _alone(self, connection: Connection, job_id: str, collection: str) -> bool:
        """True if no other job of the collection runs, and none begins before this transaction ends."""
        expired = self._clock(connection) - self._lease
        row = connection.execute(
            "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, f"{self._tenant}/{collection}")
        ).fetchone()
        if row != (True,):
            return False
        row = connection.execute(
            "SELECT count(*) FROM assay.jobs WHERE collection = %s AND job_id <> %s AND status = 'running'"
            " AND heartbeat >= %s",
            (collection, job_id, expired),
        ).fetchone()
        return row == (0,)

    def _beat(self, connection: Connection, claimed: ClaimedJob) -> float | None:
        """Renew the lease: the time now, None if it was lost."""
        now = self._clock(connection)
        renewed = connection.execute(
            "UPDATE assay.jobs SET heartbeat = %s WHERE job_id = %s AND owner = %s AND status = 'running'",
            (now, claimed.job_id, claimed.owner),
        ).rowcount
        return now if renewed == 1 else None

    def _end(self, connection: Connection, job_id: str, now: float, reason: str | None, hint: str | None) -> None:
        why = (_storable(reason), _storable(hint), now, job_id)
        status = "done" if reason is None else "failed"
        connection.execute(
            "UPDATE assay.jobs SET status = %s, reason = %s, hint = %s, finished = %s WHERE job_id = %s",
            (status, *why),
        )
        connection.execute(
            "UPDATE assay.job_files SET status = 'failed', reason = %s, hint = %s, ended = %s"
            " WHERE job_id = %s AND status = 'waiting'",
            why,
        )
        # Files that were not placed are swept.
        connection.execute(
            "UPDATE assay.uploads SET job_id = NULL WHERE job_id = %s AND collection IS NULL", (job_id,)
        )
        self._close(connection, [job_id])

    def _close(self, connection: Connection, job_ids: Sequence[str]) -> None:
        """Count jobs as open no longer."""
        with as_server(connection):
            connection.execute(
                "DELETE FROM assay.open_jobs WHERE of_tenant = %s AND job_id = ANY(%s)",
                (self._tenant, list(job_ids)),
            )

    def _only(self, connection: Connection, job_id: str) -> Job:
        [job] = self._jobs(connection, "WHERE job_id = %s", job_id)
        return job

    def _jobs(self, connection: Connection, where: str, *values: object) -> Iterator[Job]:
        query = f"SELECT job_id, collection, status, created, claimed, reason, hint FROM assay.jobs {where}"  # noqa: S608
        for row in connection.execute(query.encode(), values).fetchall():
            files = connection.execute(
                "SELECT name, status, reason, hint, document_id, passages, size, ended FROM assay.job_files"
                " WHERE job_id = %s ORDER BY number",
                (row[0],),
            ).fetchall()
            yield job_of(row, files, self._clock(connection))


# The oldest job that is queued or whose lease ended, of a collection without a running job.
_CLAIMABLE = """
SELECT job_id, collection, attempts FROM assay.jobs AS jobs
WHERE (status = 'queued' OR (status = 'running' AND heartbeat < %(expired)s)) AND collection <> ALL(%(busy)s)
  AND NOT EXISTS (
    SELECT 1 FROM assay.jobs AS other WHERE other.collection = jobs.collection AND other.status = 'running'
      AND other.heartbeat >= %(expired)s
  )
ORDER BY created, job_id LIMIT 1
"""


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)
