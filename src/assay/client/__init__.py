"""A typed client of the HTTP API of `assay serve`; it needs neither the engine nor its models."""

from __future__ import annotations

from assay.errors import MissingExtra

try:
    import httpx2  # noqa: F401
except ImportError as error:
    raise MissingExtra(
        "the client of the server needs a package that is not installed: httpx2",
        hint='in the clone of assay: pip install ".[client]"',
    ) from error

from assay.client.clients import AsyncClient, Client
from assay.client.values import (
    CheckCost,
    CheckCounts,
    Collection,
    Decision,
    Figures,
    Label,
    Mean,
    QueuedAnswer,
    RecordedEvent,
    RunPage,
    RunRecord,
    RunSummary,
    Tries,
)

__all__ = [
    "AsyncClient",
    "CheckCost",
    "CheckCounts",
    "Client",
    "Collection",
    "Decision",
    "Figures",
    "Label",
    "Mean",
    "QueuedAnswer",
    "RecordedEvent",
    "RunPage",
    "RunRecord",
    "RunSummary",
    "Tries",
]
