"""The store of servers that share a Postgres database. Needs the extra `postgres`."""

from __future__ import annotations

from pathlib import Path

from assay.postgres.address import Address
from assay.postgres.database import TenantRows
from assay.postgres.isolation import SERVER
from assay.server.api_key import tenant_folder
from assay.server.postgres_jobs import OpenJobs, PostgresJobs
from assay.server.postgres_keys import PostgresKeys
from assay.server.postgres_uploads import PostgresUploads


class PostgresStore:
    """Keys, uploads and jobs of all tenants in the database at `address`.

    In `data_dir` lie copies of uploads while a job reads them, and nothing else.
    """

    def __init__(self, address: Address, data_dir: Path) -> None:
        self._address = address
        self._data_dir = data_dir
        self._open_jobs = OpenJobs(TenantRows(address, SERVER))

    def keys(self) -> PostgresKeys:
        """The API keys."""
        return PostgresKeys(TenantRows(self._address, SERVER))

    def jobs(self, tenant: str) -> PostgresJobs:
        """The jobs of a tenant."""
        return PostgresJobs(TenantRows(self._address, tenant), self._open_jobs)

    def uploads(self, tenant: str) -> PostgresUploads:
        """The uploaded files of a tenant."""
        return PostgresUploads(TenantRows(self._address, tenant), tenant_folder(self._data_dir, tenant))

    def tenants_with_jobs(self) -> frozenset[str]:
        """The tenants with jobs that have not ended."""
        return self._open_jobs.tenants()
