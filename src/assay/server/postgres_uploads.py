"""Uploaded files in a Postgres database: in parts, whole before a job has them, the same for every server on it."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import AsyncIterable, AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from assay.errors import DamagedStore, StoreError, StoreFull, UploadTooLarge
from assay.ingest.files import file_at
from assay.ingest.walk import INCOMING, UPLOADED
from assay.postgres.database import TenantRows
from assay.server.collection_names import refuse_bad_collection
from assay.server.threads import in_thread
from assay.server.uploads import (
    ABANDONED,
    StagedFile,
    WaitingFile,
    folder_of,
    label_of,
    make_private,
    on_disk,
    remove_old_folders,
    remove_tree,
    storable_name,
)

# Bytes of a part: as much as a request for one may take in the memory of a server and of the database. Chosen.
PART = 1024 * 1024
# Bytes of a tenant's files that may wait for jobs at once. Chosen: sixteen of the largest uploads.
MOST_WAITING = 4 * 1024 * 1024 * 1024
# Seconds after which copies that a killed process left are deleted. Chosen, above the time that any job takes.
_COPIES_KEPT = 86_400.0

Connection = psycopg.Connection[Any]


class PostgresUploads:
    """The uploaded files of one tenant in a database.

    The source of a document of one is `upload:/COLLECTION/SHA256-OF-THE-NAME[:32]/LABEL`, on whatever machine it
    was taken in. While a job reads a file, a copy of it lies in `tenant_folder`. `part` and `most_waiting` are in
    bytes.
    """

    def __init__(
        self, rows: TenantRows, tenant_folder: Path, *, part: int = PART, most_waiting: int = MOST_WAITING
    ) -> None:
        self._rows = rows
        self._incoming = tenant_folder / INCOMING
        self._part = part
        self._most_waiting = most_waiting

    async def receive(self, name: str, chunks: AsyncIterable[bytes], limit: int) -> StagedFile:
        """Write a file of at most `limit` bytes in parts; it is whole once its hash is there."""
        token, parts, size = secrets.token_hex(16), 0, 0
        digest, held = hashlib.sha256(), bytearray()
        try:
            async for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    raise UploadTooLarge(f"{label_of(name)}: larger than {limit:,} bytes", hint="split the file")
                digest.update(chunk)
                held += chunk
                while len(held) > self._part:
                    parts += 1
                    await in_thread(self._write, token, parts, bytes(held[: self._part]))
                    del held[: self._part]
            parts += 1
            await in_thread(self._write, token, parts, bytes(held), (size, digest.hexdigest()))
        except BaseException:
            if parts:
                with suppress(StoreError):  # files left behind are swept
                    await self.discard(token)
            raise
        return StagedFile(storable_name(name), token, digest.hexdigest(), size)

    def source(self, collection: str, name: str) -> str:
        """The source of the documents of that file, the same on every machine."""
        refuse_bad_collection(collection)
        return f"{UPLOADED}{collection}/{folder_of(name)}/{label_of(name)}"

    @asynccontextmanager
    async def placed(self, collection: str, files: Sequence[WaitingFile]) -> AsyncIterator[tuple[Path, ...]]:
        """Copies of the files, for the length of the block, whose sources are those of `source`."""
        refuse_bad_collection(collection)
        folder = self._incoming / secrets.token_hex(16)
        try:
            yield tuple([await on_disk(self._place, folder, collection, file) for file in files])
        finally:
            await on_disk(remove_tree, folder)

    def read(self, source: str) -> bytes:
        """The bytes of a document's file; of one that was not uploaded, from this machine."""
        place = _place_in(source)
        if place is None:
            return file_at(source)
        found = self._rows.read(
            lambda connection: connection.execute(
                "SELECT bytes FROM assay.upload_parts JOIN assay.uploads USING (tenant, token)"
                " WHERE collection = %s AND folder = %s ORDER BY part",
                place,
            ).fetchall()
        )
        if not found:
            raise FileNotFoundError(source)
        return b"".join(data for (data,) in found)

    async def discard(self, token: str) -> None:
        """Delete a file, unless a job has it."""
        await in_thread(self._delete, "token = %s AND job_id IS NULL AND collection IS NULL", token)

    async def remove(self, source: str) -> bool:
        """Delete the file of a document; False if it is no upload to a database."""
        place = _place_in(source)
        if place is None:
            return False
        await in_thread(self._delete, "collection = %s AND folder = %s", *place)
        return True

    async def remove_collection(self, collection: str) -> None:
        """Delete all uploaded files of a collection."""
        refuse_bad_collection(collection)
        await in_thread(self._delete, "collection = %s", collection)

    async def sweep(self, taken: Collection[str]) -> int:
        """Delete files that no job has an hour after they came, and copies that a killed process left."""
        await on_disk(remove_old_folders, self._incoming, _COPIES_KEPT)
        old = "collection IS NULL AND job_id IS NULL AND received < extract(epoch FROM clock_timestamp()) - %s"
        return await in_thread(self._delete, f"{old} AND token <> ALL(%s)", ABANDONED, list(taken))

    def _write(self, token: str, part: int, data: bytes, whole: tuple[int, str] | None = None) -> None:
        """Store a part, and with the last one how many bytes there are and their hash."""

        def work(connection: Connection) -> None:
            if part == 1:
                self._refuse_too_much(connection)
                connection.execute("INSERT INTO assay.uploads (token) VALUES (%s)", (token,))
            connection.execute(
                "INSERT INTO assay.upload_parts (token, part, bytes) VALUES (%s, %s, %s)", (token, part, data)
            )
            if whole is not None:
                connection.execute(
                    "UPDATE assay.uploads SET size = %s, sha256 = %s WHERE token = %s", (*whole, token)
                )

        self._rows.write(work)

    def _refuse_too_much(self, connection: Connection) -> None:
        row = connection.execute(
            "SELECT coalesce(sum(size), 0)::bigint FROM assay.uploads WHERE collection IS NULL"
        ).fetchone()
        if row is not None and row[0] >= self._most_waiting:
            raise StoreFull(
                f"{row[0]:,} bytes of uploaded files are waiting to be added",
                hint="wait until their jobs have ended",
            )

    def _place(self, folder: Path, collection: str, file: WaitingFile) -> Path:
        """Make an upload the file of its document, and copy it to this machine."""
        place = (collection, folder_of(file.name))

        def work(connection: Connection) -> tuple[str, int] | None:
            connection.execute(
                "DELETE FROM assay.uploads WHERE collection = %s AND folder = %s AND token <> %s"
                " AND EXISTS (SELECT 1 FROM assay.uploads AS new WHERE new.token = %s AND new.sha256 IS NOT NULL)",
                (*place, file.token, file.token),
            )
            row: tuple[str, int] | None = connection.execute(
                "UPDATE assay.uploads SET collection = %s, folder = %s, label = %s"
                " WHERE token = %s AND sha256 IS NOT NULL"
                " RETURNING sha256,"
                " (SELECT count(*) FROM assay.upload_parts AS own WHERE own.token = uploads.token)",
                (*place, label_of(file.name), file.token),
            ).fetchone()
            return row

        found = self._rows.write(work)
        if found is None:
            raise StoreError(f"the uploaded file {label_of(file.name)} is gone", hint="upload it again")
        path = folder / collection / place[1] / label_of(file.name)
        self._copy(path, file.token, *found)
        return path

    def _copy(self, path: Path, token: str, sha256: str, parts: int) -> None:
        """Write a file's bytes, a part at a time. Raises StoreError, OSError; DamagedStore for other bytes."""
        make_private(path.parent)
        digest = hashlib.sha256()
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as copy:
            for part in range(1, parts + 1):
                data = self._rows.read(partial(_part_of, token=token, part=part))
                digest.update(data)
                copy.write(data)
        if digest.hexdigest() != sha256:
            raise DamagedStore(f"the uploaded file {path.name} is not what was received", hint="upload it again")

    def _delete(self, where: str, *values: object) -> int:
        """Delete files with their parts; how many."""
        statement = f"DELETE FROM assay.uploads WHERE {where}"  # noqa: S608 - constants
        return self._rows.write(lambda connection: connection.execute(statement.encode(), values).rowcount)


def _part_of(connection: Connection, token: str, part: int) -> bytes:
    row = connection.execute(
        "SELECT bytes FROM assay.upload_parts WHERE token = %s AND part = %s", (token, part)
    ).fetchone()
    return b"" if row is None else bytes(row[0])


def _place_in(source: str) -> tuple[str, str] | None:
    """The collection and folder that a source names; None for a source that is no upload to a database."""
    if not source.startswith(UPLOADED):
        return None
    parts = source.removeprefix(UPLOADED).split("/")
    return (parts[0], parts[1]) if len(parts) == 3 else None
