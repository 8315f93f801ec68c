"""Copy a collection from one store to another, and hold what arrived against what was there."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from assay.core.stages import Entry
from assay.errors import DamagedStore, UnknownCollection, UsageError
from assay.retrieval.index.rows import document_values, passage_values
from assay.settings import Settings, load_settings
from assay.types import Value
from assay.wiring.collections import Collections, StoredIndex, collections_of

# Documents that are read and stored at a time: what a kill costs, and what is held in memory.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Copied(Value):
    """The contents of a copy; `present` of its documents were there before, and `sha256` is of all, in order."""

    documents: int
    passages: int
    present: int
    sha256: str


def copy_collection(
    source: str,
    target: str,
    *,
    name: str | None = None,
    told: Callable[[], None] = lambda: None,
    **settings: Any,
) -> Copied:
    """Copy a collection from one place to another, each a data folder or the address of a Postgres database.

    It is called `name` there, else as here. Documents that are there already, the same in every byte, are not
    stored again, so a copy that was ended goes on; `told` is called for each document that is there. At the end
    every document, its passages and vectors are read from both places and compared, and so are the counts of all
    terms.

    Raises UsageError where the target has a document that the source has not, UnknownCollection, ModelMismatch, and
    DamagedStore where something differs from the original.
    """
    chosen = load_settings(settings).settings
    here, there = (collections_of(_at(place, settings)) for place in (source, target))
    if chosen.collection not in here.names():
        raise UnknownCollection(
            f"there is no collection {chosen.collection!r} in {here.place}", hint="name it with --collection"
        )
    called = chosen.collection if name is None else load_settings({"collection": name}).settings.collection
    if (here, chosen.collection) == (there, called):
        raise UsageError("source and target are the same collection", hint="give the copy another name: --as NAME")
    with ExitStack() as open_places:
        for place in (here, there):
            open_places.enter_context(place.stay_open())
        return asyncio.run(_copied(here, there, chosen.collection, called, told))


def _at(place: str, settings: dict[str, Any]) -> Settings:
    """The settings of a place; a data folder has one tenant, whoever's collections the database's are."""
    if place.startswith(("postgresql://", "postgres://")):
        return load_settings({**settings, "store": place}).settings
    folder = load_settings({"data_dir": place, "collection": settings.get("collection")}).settings
    return folder.model_copy(update={"store": None, "search_engine": None, "tenant": "default"})


async def _copied(
    here: Collections, there: Collections, name: str, called: str, told: Callable[[], None]
) -> Copied:
    model = here.model(name)
    source = here.open(name, model, create=False)
    try:
        target = there.open(called, model)
        try:
            present = await _bring(source, target, called, there.place, told)
            return await _compared(source, target, present)
        finally:
            await target.close()
    finally:
        await source.close()


async def _bring(
    source: StoredIndex, target: StoredIndex, called: str, place: str, told: Callable[[], None]
) -> int:
    """Store what the target has not, or has otherwise; return how many documents it had."""
    ids, known = await source.document_ids(), set(await target.document_ids())
    foreign = known.difference(ids)
    if foreign:
        raise UsageError(
            f"the collection {called!r} in {place} has {len(foreign):,} documents that the source has not",
            hint="give the copy another name: --as NAME",
        )
    present = 0
    for some in _groups(ids):
        wanted = await source.entries(some)
        kept = {digest(entry) for entry in await target.entries([each for each in some if each in known])}
        missing = [entry for entry in wanted if digest(entry) not in kept]
        if missing:
            await target.add(missing)
        present += len(wanted) - len(missing)
        for _ in some:
            told()
    return present


async def _compared(source: StoredIndex, target: StoredIndex, present: int) -> Copied:
    """Compare what arrived, read again from both places. Raises DamagedStore."""
    ids, total, passages = await source.document_ids(), hashlib.sha256(), 0
    for some in _groups(ids):
        for given, arrived in zip(await source.entries(some), await target.entries(some), strict=False):
            if digest(given) != digest(arrived):
                raise _differs(f"the document {given.document.document_id}")
            total.update(digest(given))
            passages += len(given.passages)
    here, there = len(await source.documents()), len(await target.documents())
    if (here, await source.size()) != (there, await target.size()) or passages != await target.size():
        raise _differs(f"{there:,} of {here:,} documents")
    if await source.term_counts() != await target.term_counts():
        raise _differs("the index of words")
    return Copied(here, passages, present, total.hexdigest())


def digest(entry: Entry) -> bytes:
    """The SHA-256 of a document with its passages and the 16-bit floats of their vectors."""
    found = hashlib.sha256(entry.vectors.astype("<f2").tobytes())
    document = [each.hex() if isinstance(each, bytes) else each for each in document_values(entry.document)]
    passages = [passage_values(passage, passage.document_id) for passage in entry.passages]
    found.update(json.dumps([document, passages]).encode())
    return found.digest()


def _groups(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE))


def _differs(what: str) -> DamagedStore:
    return DamagedStore(
        f"{what} differs from the original",
        hint="somebody may have changed a collection meanwhile: copy again; else look at both with "
        "`assay doctor --store`",
    )
