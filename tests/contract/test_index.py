"""The reference index and those in SQLite, Postgres, and Postgres with Qdrant keep the contract of indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from uuid import uuid4

import pytest

from assay.core.stages import Index
from assay.retrieval.index.memory import MemoryIndex
from assay.retrieval.index.postgres import open_postgres
from assay.retrieval.index.qdrant import Qdrant, QdrantAddress
from assay.retrieval.index.sqlite import open_sqlite
from assay.testing.contracts import IndexContract
from assay.testing.contracts.index import MODEL
from support.postgres import opened as opened_database
from support.postgres import shared_address
from support.qdrant import running


class TestMemoryIndex(IndexContract):
    @pytest.fixture
    def open_index(self) -> Callable[[], Index]:
        index = MemoryIndex(MODEL)
        return lambda: index


class TestSqliteIndex(IndexContract):
    @pytest.fixture
    async def open_index(self, tmp_path: Path) -> AsyncIterator[Callable[[], Index]]:
        opened: list[Index] = []

        def open_it() -> Index:
            opened.append(open_sqlite(tmp_path / "collection", MODEL))
            return opened[-1]

        yield open_it
        for index in opened:
            await index.close()


class TestLargeSqliteIndex(IndexContract):
    """As a large collection is searched: by the graph, and with what was read of the words."""

    @pytest.fixture
    async def open_index(self, tmp_path: Path) -> AsyncIterator[Callable[[], Index]]:
        opened: list[Index] = []

        def open_it() -> Index:
            opened.append(open_sqlite(tmp_path / "collection", MODEL, exact_below=0))
            return opened[-1]

        yield open_it
        for index in opened:
            await index.close()


class TestPostgresIndex(IndexContract):
    @pytest.fixture
    async def open_index(self) -> AsyncIterator[Callable[[], Index]]:
        opened: list[Index] = []
        name = uuid4().hex
        with opened_database(shared_address()) as database:

            def open_it() -> Index:
                opened.append(open_postgres(database, "tenant", name, MODEL))
                return opened[-1]

            yield open_it
            for index in opened:
                await index.close()


class TestPostgresIndexWithQdrant(IndexContract):
    """Every search asks the engine, however small the collection is."""

    @pytest.fixture
    async def open_index(self) -> AsyncIterator[Callable[[], Index]]:
        opened: list[Index] = []
        name = uuid4().hex
        with opened_database(shared_address()) as database, running() as server:
            engine = Qdrant(QdrantAddress.read(server.address))

            def open_it() -> Index:
                opened.append(open_postgres(database, "tenant", name, MODEL, exact_below=-1, engine=engine))
                return opened[-1]

            yield open_it
            for index in opened:
                await index.close()
            engine.close()
