"""Every record of runs keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from psycopg import sql

from assay.errors import StoreError
from assay.records.labels import WHOLE, Labels
from assay.records.postgres_runs import PostgresRuns
from assay.records.runs import RunStore
from assay.testing.contracts import RunRecordsContract
from assay.testing.contracts.records import IDS, OpenRecords, record
from assay.types import Deleted
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
            yield lambda collection: PostgresRuns(lambda: database, tenant, collection)


def test_runs_in_a_database_are_those_of_their_tenant_and_are_never_changed() -> None:
    tenants = [uuid4().hex, uuid4().hex]
    with opened_database(shared_address()) as database:
        one, other = (PostgresRuns(lambda: database, tenant, "notes") for tenant in tenants)
        for records, question in ((one, "How hot?"), (other, "How cold?")):
            record(records, IDS[0], question=question)
            Labels(records).add(IDS[0], WHOLE, good=True, at=1.0, by="Ann")
        assert [run.question for run in one.latest()] == ["How hot?"]
        assert len(other.labels()) == 1
        assert other.delete_all() == Deleted(1, wiped=False)
        assert other.labels() == ()
        assert one.load("last").run.question == "How hot?"
        for table in ("runs", "events", "labels", "figures"):
            change = sql.SQL("UPDATE {} SET tenant = tenant").format(sql.Identifier("assay", table))
            with pytest.raises(StoreError, match="may not do this"):
                database.transaction(tenants[0], lambda connection: connection.execute(change).rowcount)  # noqa: B023
