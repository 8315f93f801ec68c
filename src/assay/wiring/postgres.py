"""The collections of one tenant in a Postgres database. Needs the extra `postgres`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from assay.core.stages import Embedder
from assay.postgres.address import Address
from assay.postgres.database import opened, release, share
from assay.records.postgres_runs import PostgresRuns
from assay.records.run_records import RunRecords
from assay.retrieval.index.postgres import (
    PostgresIndex,
    created_at,
    delete_collection,
    open_postgres,
    read_model,
    read_names,
    read_summaries,
)
from assay.retrieval.index.postgres_rebuild import problems, rebuild
from assay.retrieval.index.search_engine import SearchEngine
from assay.types import CollectionSummary, EmbeddingModel


@dataclass(frozen=True, slots=True)
class PostgresCollections:
    """The collections of `tenant` in the database at `address`; an engine searches large ones, if there is one."""

    address: Address
    tenant: str
    open_engine: Callable[[], SearchEngine] | None = field(default=None, compare=False)

    @property
    def place(self) -> str:
        """The address without its password."""
        return self.address.shown

    def names(self) -> tuple[str, ...]:
        """Their names, sorted."""
        with opened(self.address) as database:
            return read_names(database, self.tenant)

    def summaries(self) -> tuple[CollectionSummary, ...]:
        """Their numbers of documents, sorted by name."""
        with opened(self.address) as database:
            return read_summaries(database, self.tenant)

    def created(self, name: str) -> int:
        """The time when a collection was made."""
        with opened(self.address) as database:
            return created_at(database, self.tenant, name)

    def model(self, name: str) -> EmbeddingModel:
        """The model that a collection was embedded by."""
        with opened(self.address) as database:
            return read_model(database, self.tenant, name)

    def open(self, name: str, model: EmbeddingModel, *, create: bool = True) -> PostgresIndex:
        """The index of a collection; it shares connections with the others of this process."""
        with ExitStack() as entered:
            database = entered.enter_context(opened(self.address))
            engine = entered.enter_context(self._engine())
            held = ExitStack()
            index = open_postgres(
                database, self.tenant, name, model, create=create, engine=engine, closing=held.close
            )
            held.push(entered.pop_all())
        return index

    async def rebuild(self, name: str, embedder: Embedder, text_of: Callable[[str, str], str]) -> int:
        """Embed every passage again."""
        with opened(self.address) as database, self._engine() as engine:
            return await rebuild(database, self.tenant, name, embedder, text_of, engine)

    def delete(self, name: str) -> None:
        """Delete a collection."""
        with opened(self.address) as database, self._engine() as engine:
            delete_collection(database, self.tenant, name, engine)

    def problems(self, name: str) -> tuple[str, ...]:
        """The inconsistencies of a collection."""
        with opened(self.address) as database, self._engine() as engine:
            return problems(database, self.tenant, name, engine)

    def record(self, collection: str, *, texts: bool) -> RunRecords:
        """The tenant's record of runs."""
        return PostgresRuns(lambda: share(self.address), self.tenant, collection, texts=texts, closing=release)

    @contextmanager
    def stay_open(self) -> Iterator[None]:
        """The connections stay open within this block."""
        with opened(self.address):
            yield

    @contextmanager
    def _engine(self) -> Iterator[SearchEngine | None]:
        engine = self.open_engine() if self.open_engine is not None else None
        try:
            yield engine
        finally:
            if engine is not None:
                engine.close()
