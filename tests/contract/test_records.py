"""Every record of runs keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from assay.records.postgres_runs import PostgresRuns
from assay.records.runs import RunStore
from assay.testing.contracts import RunRecordsContract
from assay.testing.contracts.records import OpenRecords
from support.postgres import opened as opened_database
from support.postgres import shared_address


class TestSqliteRecords(RunRecordsContract):
    @pytest.fixture
    def open_records(self, tmp_path: Path) -> Iterator[OpenRecords]:
        opened: list[RunStore] = []

        def open_it(collection: str) -> RunStore:
            opened.append(RunStore(tmp_path / "data" / "runs.sqlite", collection))
            return opened[-1]

        yield open_it
        for store in opened:
            store.close()


class TestPostgresRecords(RunRecordsContract):
    @pytest.fixture
    def open_records(self) -> Iterator[OpenRecords]:
        tenant = uuid4().hex
        with opened_database(shared_address()) as database:
            yield lambda collection: PostgresRuns(database, tenant, collection)
