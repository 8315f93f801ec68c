"""The collections that the tools work on: those of whoever calls."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from assay.types import CollectionSummary

if TYPE_CHECKING:
    from assay.engine import Engine


class Collections(Protocol):
    """Lend the engines of one caller's collections."""

    @property
    def default(self) -> str:
        """The name of the collection that is used where none is named."""
        ...

    def shown(self, text: str) -> str:
        """The text as the caller may read it: without places of the server that mean nothing to them."""
        ...

    def engine(self, name: str) -> AbstractAsyncContextManager[Engine]:
        """The engine of a collection, open for as long as the block. Raises UnknownCollection, UsageError."""
        ...

    def checker(self) -> AbstractAsyncContextManager[Engine]:
        """An engine that checks texts against given sources; it may have no collection."""
        ...

    async def summaries(self) -> tuple[CollectionSummary, ...]:
        """The caller's collections, sorted by name."""
        ...
