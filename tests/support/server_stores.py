"""What a server keeps, in each of its forms: files of one machine, and a database that machines share."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from assay.postgres.address import Address
from assay.postgres.database import TenantRows
from assay.postgres.isolation import SERVER
from assay.server.jobs import LEASE, SqliteJobs
from assay.server.keys import KeyRecords, KeysFile
from assay.server.postgres_jobs import OpenJobs, PostgresJobs, database_time
from assay.server.postgres_keys import PostgresKeys
from assay.server.postgres_uploads import PostgresUploads
from assay.server.stores import JobQueue, Uploads
from assay.server.uploads import FolderUploads
from support.postgres import opened, shared_address

FORMS = ("files", "postgres")


@dataclass(frozen=True)
class FileForm:
    """A data folder."""

    folder: Path

    def jobs(self, lease: float = LEASE, clock: Callable[[], float] | None = None) -> JobQueue:
        path = self.folder / "jobs.sqlite"
        return SqliteJobs(path, lease=lease) if clock is None else SqliteJobs(path, lease=lease, clock=clock)

    def uploads(self) -> Uploads:
        return FolderUploads(self.folder)

    def keys(self) -> KeyRecords:
        return KeysFile(self.folder / "keys.sqlite")

    def age(self, token: str) -> None:
        """Make a staged file look as if it had come long ago."""
        import os

        os.utime(self.folder / "uploads" / ".staging" / token, (0, 0))

    def staged(self) -> int:
        """How many files no document has."""
        return len(list((self.folder / "uploads" / ".staging").glob("*")))


@dataclass(frozen=True)
class PostgresForm:
    """A tenant of its own in a database that tests share; copies of uploads lie in the folder."""

    folder: Path
    address: Address
    tenant: str = field(default_factory=lambda: f"t{uuid.uuid4().hex}")

    @property
    def rows(self) -> TenantRows:
        return TenantRows(self.address, self.tenant)

    def jobs(self, lease: float = LEASE, clock: Callable[[], float] | None = None) -> JobQueue:
        # With this clock each look at the open jobs is a new one.
        open_jobs = OpenJobs(TenantRows(self.address, SERVER), clock=lambda: next(_LOOKS))
        now = database_time if clock is None else lambda _connection: clock()
        return PostgresJobs(self.rows, open_jobs, lease=lease, clock=now)

    def uploads(self) -> Uploads:
        return PostgresUploads(self.rows, self.folder, part=100)

    def keys(self) -> KeyRecords:
        return PostgresKeys(self.rows)

    def age(self, token: str) -> None:
        """Make a staged file look as if it had come long ago."""
        statement = "UPDATE assay.uploads SET received = 0 WHERE token = %s"
        assert self.rows.write(lambda connection: connection.execute(statement, (token,)).rowcount) == 1

    def staged(self) -> int:
        """How many files no document has."""
        query = "SELECT count(*) FROM assay.uploads WHERE collection IS NULL"
        row = self.rows.read(lambda connection: connection.execute(query).fetchone())
        assert row is not None
        return int(row[0])


_LOOKS = itertools.count()
Form = FileForm | PostgresForm


@contextmanager
def form_of(name: str, folder: Path) -> Iterator[Form]:
    """One of `FORMS`, empty."""
    if name == "files":
        yield FileForm(folder)
        return
    with opened(shared_address()):
        yield PostgresForm(folder, Address.read(shared_address()))
