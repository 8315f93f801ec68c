"""The place of a tenant's collections: a data folder, or a Postgres database."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pydantic import SecretStr

from assay.core.stages import Embedder, Entry, Index
from assay.errors import MissingExtra, UsageError
from assay.records.run_records import RunRecords
from assay.records.runs import RunStore
from assay.retrieval.index.rebuild import problems, rebuild
from assay.retrieval.index.sqlite import open_sqlite, read_model, read_summary
from assay.settings import Settings
from assay.types import CollectionSummary, EmbeddingModel
from assay.wiring.models import refuse_offline

if TYPE_CHECKING:
    from assay.postgres.address import Address
    from assay.retrieval.index.search_engine import SearchEngine

TextOf = Callable[[str, str], str]
OWN_TENANT = "default"


class StoredIndex(Index, Protocol):
    """An index that gives whole documents back, so that they can be stored elsewhere."""

    async def document_ids(self) -> tuple[str, ...]:
        """The ids of all documents, in the order that they were stored in."""
        ...

    async def entries(self, document_ids: Sequence[str]) -> tuple[Entry, ...]:
        """The documents with their passages and vectors as stored; unknown ids are left out."""
        ...


class Collections(Protocol):
    """The collections of one tenant. Every method may wait for the disk or the network, and raises StoreError."""

    @property
    def place(self) -> str:
        """The place of the collections, as people know it."""
        ...

    def names(self) -> tuple[str, ...]:
        """Their names, sorted."""
        ...

    def summaries(self) -> tuple[CollectionSummary, ...]:
        """Their numbers of documents, sorted by name; opens no model."""
        ...

    def created(self, name: str) -> int:
        """The time when a collection was made or last changed, in Unix seconds."""
        ...

    def model(self, name: str) -> EmbeddingModel:
        """The model that a collection was embedded by. Raises UnknownCollection."""
        ...

    def open(self, name: str, model: EmbeddingModel, *, create: bool = True) -> StoredIndex:
        """The index of a collection. Raises UnknownCollection, ModelMismatch."""
        ...

    async def rebuild(self, name: str, embedder: Embedder, text_of: TextOf) -> int:
        """Embed every passage again and return how many there are. Raises UnknownCollection."""
        ...

    def delete(self, name: str) -> None:
        """Delete a collection with all that is in it. Raises UnknownCollection."""
        ...

    def problems(self, name: str) -> tuple[str, ...]:
        """The inconsistencies of a collection, in words; reads all of it."""
        ...

    def record(self, collection: str, *, texts: bool) -> RunRecords:
        """The tenant's record of runs, as a sink for those of a collection; without `texts` of outlines."""
        ...

    def stay_open(self) -> AbstractContextManager[None]:
        """Connections stay open from one call to the next within this block."""
        ...


def collections_of(settings: Settings) -> Collections:
    """The collections that the settings name; nothing is opened yet. Raises UsageError, MissingExtra."""
    if settings.store is None:
        if settings.search_engine is not None:
            raise UsageError(
                f"{settings.display_name('search_engine')}: a data folder is searched by assay itself",
                hint="set store to the Postgres database whose collections the engine is to search",
            )
        if settings.tenant != OWN_TENANT:
            raise UsageError(
                f"{settings.display_name('tenant')}: a data folder has the collections of one tenant",
                hint="set store to a Postgres database, or leave tenant out",
            )
        return FolderCollections(settings.data_dir, settings.runs_file)
    address = database_address(settings, settings.store)
    from assay.wiring.postgres import PostgresCollections

    return PostgresCollections(address, settings.tenant, _engine_of(settings))


def database_address(settings: Settings, store: SecretStr) -> Address:
    """The address that the setting `store` names. Raises UsageError, MissingExtra."""
    named = settings.display_name("store")
    with _needs("postgres", named):
        import assay.postgres.database  # noqa: F401 - with all that it needs
        from assay.postgres.address import Address
    address = Address.read(store.get_secret_value(), named=named)
    for host in address.hosts:
        refuse_offline(settings, host, named)
    return address


def _engine_of(settings: Settings) -> Callable[[], SearchEngine] | None:
    """A function that opens the search engine of the settings. Raises UsageError, MissingExtra."""
    if settings.search_engine is None:
        return None
    named = settings.display_name("search_engine")
    with _needs("qdrant", named):
        from assay.retrieval.index.qdrant import Qdrant, QdrantAddress
    address = QdrantAddress.read(settings.search_engine.get_secret_value(), named=named)
    refuse_offline(settings, address.host, named)
    return partial(Qdrant, address)


@contextmanager
def _needs(extra: str, named: str) -> Iterator[None]:
    """Say which extra to install where a package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"{named} needs the package {error.name}", hint=f'in the clone of assay: pip install ".[{extra}]"'
        ) from error


@dataclass(frozen=True, slots=True)
class FolderCollections:
    """The collections of a data folder: one folder each."""

    data_dir: Path
    runs_file: Path

    @property
    def place(self) -> str:
        """The data folder."""
        return str(self.data_dir)

    def names(self) -> tuple[str, ...]:
        """Their names, sorted."""
        folder = self.data_dir / "collections"
        return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir())) if folder.is_dir() else ()

    def summaries(self) -> tuple[CollectionSummary, ...]:
        """Their numbers of documents, sorted by name."""
        return tuple(read_summary(self.folder(name)) for name in self.names())

    def created(self, name: str) -> int:
        """The time when the folder of a collection last changed."""
        return int(self.folder(name).stat().st_mtime)

    def model(self, name: str) -> EmbeddingModel:
        """The model that a collection was embedded by."""
        return read_model(self.folder(name))

    def open(self, name: str, model: EmbeddingModel, *, create: bool = True) -> StoredIndex:
        """The index of a collection."""
        return open_sqlite(self.folder(name), model, create=create)

    async def rebuild(self, name: str, embedder: Embedder, text_of: TextOf) -> int:
        """Embed every passage again."""
        return await rebuild(self.folder(name), embedder, text_of)

    def delete(self, name: str) -> None:
        """Delete the folder of a collection."""
        shutil.rmtree(self.folder(name))

    def problems(self, name: str) -> tuple[str, ...]:
        """The inconsistencies of a collection."""
        return problems(self.folder(name))

    def record(self, collection: str, *, texts: bool) -> RunRecords:
        """The record of runs in the data folder."""
        return RunStore(self.runs_file, collection, texts=texts)

    def stay_open(self) -> AbstractContextManager[None]:
        """A folder has no connections."""
        return nullcontext()

    def folder(self, name: str) -> Path:
        """The folder of a collection."""
        return self.data_dir / "collections" / name
