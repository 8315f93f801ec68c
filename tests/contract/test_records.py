"""Every record of runs keeps the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.records.runs import RunStore
from assay.testing.contracts import RunRecordsContract
from assay.testing.contracts.records import OpenRecords


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
