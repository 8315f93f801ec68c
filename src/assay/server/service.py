"""The service behind the routes: tenants by folder, their open engines, their runs, and the runs in progress."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.core.stages import Sink
from assay.engine import Engine
from assay.errors import StoreError, UnknownCollection, UsageError
from assay.records.run_records import RunRecords
from assay.server.api_key import DEFAULT_TENANT, tenant_folder
from assay.server.collection_names import refuse_bad_collection
from assay.server.document_view.viewer import DocumentViewer
from assay.server.intake import Intake, upload_path_remover
from assay.server.keys import KeyStore
from assay.server.metrics import Levels, Metrics
from assay.server.settings import ServerSettings
from assay.server.stores import store_of
from assay.server.streams import LiveRuns
from assay.settings import Settings, load_settings
from assay.telemetry.log import AnswerLog
from assay.types import AskOptions
from assay.wiring import open_checker, open_engine
from assay.wiring.collections import Collections, collections_of

Opener = Callable[[Path, str, bool], Engine]


@dataclass(slots=True)
class _OpenEngine:
    engine: Engine
    users: int = 0


@dataclass(slots=True)
class Engines:
    """Engines by data folder and collection, opened when they are first used.

    `open_one` opens the engine of a data folder's collection and creates the collection if its last argument is
    true. At most `most` stay open, besides those in use.
    """

    open_one: Opener
    most: int
    _open: OrderedDict[tuple[Path, str], _OpenEngine] = field(default_factory=OrderedDict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def use(self, folder: Path, collection: str, *, create: bool = False) -> AsyncIterator[Engine]:
        """The engine of a collection; it stays open as long as the block. Raises as `open_engine`."""
        async with self._lock:
            entry = await self._entry((folder, collection), create)
            entry.users += 1
        try:
            yield entry.engine
        finally:
            entry.users -= 1
            await self._close_spare()

    async def close(self, folder: Path, collection: str) -> None:
        """Close a collection's engine if it is open, whoever uses it."""
        async with self._lock:
            entry = self._open.pop((folder, collection), None)
        if entry is not None:
            await asyncio.to_thread(entry.engine.close)

    async def close_all(self) -> None:
        """Close every engine."""
        async with self._lock:
            entries = list(self._open.values())
            self._open.clear()
        for entry in entries:
            await asyncio.to_thread(entry.engine.close)

    @property
    def count(self) -> int:
        """Number of open engines."""
        return len(self._open)

    @property
    def open_circuits(self) -> int:
        """Number of providers that are left alone for now, counted in each engine that uses them."""
        return sum(len(entry.engine.open_circuits) for entry in self._open.values())

    async def _entry(self, key: tuple[Path, str], create: bool) -> _OpenEngine:
        known = self._open.get(key)
        if known is None:
            known = _OpenEngine(await asyncio.to_thread(self.open_one, *key, create))
            self._open[key] = known
        self._open.move_to_end(key)
        return known

    async def _close_spare(self) -> None:
        """Close the least recently used engines beyond `most` that nobody uses."""
        spare: list[_OpenEngine] = []
        for key in [key for key, entry in self._open.items() if entry.users == 0]:
            if len(self._open) <= self.most:
                break
            spare.append(self._open.pop(key))
        for entry in spare:
            await asyncio.to_thread(entry.engine.close)


# Stands for the engine of texts and passages from elsewhere; no collection has an empty name.
NO_COLLECTION = ""
_remover = lru_cache(maxsize=1024)(upload_path_remover)


@dataclass(frozen=True, slots=True)
class Tenant:
    """One tenant: what is theirs lies in `folder`, the collections where the settings keep them."""

    name: str
    folder: Path
    collections: Collections
    settings: Mapping[str, Any]

    def shorten(self, text: str) -> str:
        """The text without the folders of uploaded files, of which nobody outside needs to know."""
        return _remover(self.folder)(text)


@dataclass(slots=True)
class Service:
    """The engines and records behind the routes. `settings` are the server's, `base` those of its engines."""

    settings: ServerSettings
    base: Settings
    engines: Engines
    live: LiveRuns = field(default_factory=LiveRuns)
    viewer: DocumentViewer = field(default_factory=DocumentViewer)
    metrics: Metrics = field(default_factory=Metrics)
    keys: KeyStore = field(init=False)
    intake: Intake = field(init=False)
    _records: dict[Path, RunRecords] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the keys where the settings keep them, and take uploads in with the engines of this service."""
        store = store_of(self.base)
        self.keys = KeyStore(store.keys())
        self.intake = Intake(
            lambda tenant, name: self.engines.use(self.tenant(tenant).folder, name, create=True), store
        )

    @classmethod
    def over(cls, settings: ServerSettings) -> Service:
        """The service of these settings. Raises UsageError."""
        base = load_settings(settings.engine).settings
        metrics = Metrics()

        def open_one(folder: Path, collection: str, create: bool) -> Engine:
            given = {**settings.engine, **_settings_of(base, folder)}
            sinks: tuple[Sink, ...] = (metrics,)
            if settings.answer_log is not None:
                sinks = (metrics, AnswerLog(settings.answer_log, collection))
            if collection == NO_COLLECTION:
                return open_checker(record=True, sinks=sinks, **given)
            return open_engine(create=create, collection=collection, sinks=sinks, **given)

        bounds = replace(settings.bounds, tokens=base.max_tokens, cost=base.max_cost)
        engines = Engines(open_one, settings.open_engines)
        return cls(replace(settings, bounds=bounds), base, engines, metrics=metrics)

    def tenant(self, name: str) -> Tenant:
        """The tenant of that name: "default" has the data folder itself, others a folder in it."""
        return self._tenant(name, tenant_folder(self.base.data_dir, name))

    def recording_tenants(self) -> tuple[Tenant, ...]:
        """The tenants with recorded runs; with a database, those that may have some: by their folders and keys."""
        default = self.tenant(DEFAULT_TENANT)
        names = {folder.name for folder in default.folder.glob("tenants/*")}
        if self.base.store is not None:
            names |= {key.tenant for key in self.keys.list(None)} - {DEFAULT_TENANT}
            return (default, *(self.tenant(name) for name in sorted(names)))
        name = self.base.runs_file.name
        others = (self.tenant(other) for other in sorted(names))
        return tuple(tenant for tenant in (default, *others) if (tenant.folder / name).exists())

    def records(self, tenant: Tenant) -> RunRecords:
        """The tenant's recorded runs."""
        if tenant.folder not in self._records:
            self._records[tenant.folder] = tenant.collections.record("", texts=True)
        return self._records[tenant.folder]

    @asynccontextmanager
    async def engine(self, tenant: Tenant, collection: str) -> AsyncIterator[Engine]:
        """The engine of a tenant's collection. Raises UsageError for a bad name, UnknownCollection."""
        refuse_bad_collection(collection)
        if collection not in await asyncio.to_thread(tenant.collections.names):
            raise _unknown(tenant, collection)
        async with self.engines.use(tenant.folder, collection) as engine:
            yield engine

    @asynccontextmanager
    async def checker(self, tenant: Tenant) -> AsyncIterator[Engine]:
        """The tenant's engine without a collection, for texts and passages that the caller brings."""
        async with self.engines.use(tenant.folder, NO_COLLECTION) as engine:
            yield engine

    async def delete_collection(self, tenant: Tenant, collection: str) -> None:
        """Delete a collection from the disk. Raises UnknownCollection."""
        refuse_bad_collection(collection)
        if collection not in await asyncio.to_thread(tenant.collections.names):
            raise _unknown(tenant, collection)
        intake = self.intake.of(tenant.name)
        waiting = await asyncio.to_thread(intake.jobs.remove_collection, collection)
        for token in waiting:
            await intake.uploads.discard(token)
        await self.engines.close(tenant.folder, collection)
        await asyncio.to_thread(tenant.collections.delete, collection)
        await intake.uploads.remove_collection(collection)

    def has_collections(self) -> bool:
        """True if any tenant may have a collection; nobody sees those of all tenants in a database."""
        if self.base.store is not None:
            return True
        folder = self.base.data_dir
        return any(True for pattern in ("collections/*", "tenants/*/collections/*") for _ in folder.glob(pattern))

    def unreadiness(self) -> str | None:
        """The reason why no question can be answered now; None if it can."""
        folder = self.base.data_dir
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            return f"the data folder cannot be made: {error.strerror}"
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return "the data folder cannot be read and written"
        try:
            self.tenant(DEFAULT_TENANT).collections.names()
        except StoreError:  # the caller needs no key, and the error's words name the server
            return "the collections cannot be read"
        return None

    def levels(self) -> Levels:
        """The levels of this process for the metrics."""
        return Levels(self.engines.count, self.engines.open_circuits)

    def _tenant(self, name: str, folder: Path) -> Tenant:
        own = _settings_of(self.base, folder)
        return Tenant(name, folder, collections_of(self.base.model_copy(update=own)), own)

    def refuse_options(self, options: AskOptions, *, is_admin: bool) -> None:
        """Raise UsageError for an option that a request may not set, or not as high."""
        self.settings.bounds.refuse_beyond(options)
        allowed = {*self.settings.models, *self.models.values()}
        if options.model is not None and options.model not in allowed:
            raise UsageError(
                f"this server does not let a request name the model {options.model[:100]!r}",
                hint=f"it allows: {', '.join(sorted(allowed)) or 'none'}; `assay serve --allow-model` adds one",
            )
        if options.system_prompt is not None and not is_admin:
            raise UsageError(
                "the option system_prompt is for keys with the scope admin", hint="leave it out, or use such a key"
            )

    @property
    def models(self) -> dict[str, str]:
        """The models that the settings name, by setting."""
        named: dict[str, Any] = self.base.model_dump(include={"model", "writer_model", "simple_model"})
        return {name: str(value) for name, value in named.items() if value is not None}

    async def close(self, seconds: float) -> None:
        """End what runs, within `seconds` where it ends by itself, and close the engines and records."""
        await self.live.close(seconds)
        await self.intake.close()
        await self.viewer.close()
        await self.engines.close_all()
        for records in self._records.values():
            await asyncio.to_thread(records.close)


def _settings_of(base: Settings, folder: Path) -> dict[str, Any]:
    """The settings of a tenant that differ from the server's: its folder, and in a database its name."""
    name = DEFAULT_TENANT if folder == base.data_dir else folder.name
    return {"data_dir": folder} | ({} if base.store is None else {"tenant": name})


def _unknown(tenant: Tenant, collection: str) -> UnknownCollection:
    known = tenant.collections.names()
    there = f"existing ones: {', '.join(known)}" if known else "there are none yet"
    return UnknownCollection(
        f"there is no collection {collection!r}; {there}", hint="upload a document: POST /api/v1/documents"
    )
