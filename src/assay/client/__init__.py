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
    ApiKey,
    DocumentDetails,
    DocumentPage,
    DocumentRow,
    FiguresOverTime,
    NewApiKey,
    ReplayedRun,
    RunRecord,
)
from assay.types import (
    Change,
    CheckChange,
    CheckCost,
    CheckCounts,
    ClaimChange,
    CollectionSummary,
    Decision,
    Deleted,
    Difference,
    Figures,
    FiguresRow,
    Job,
    JobFile,
    Label,
    Match,
    Queued,
    RecordedEvent,
    ReliabilityBin,
    RunningMean,
    RunPage,
    RunSummary,
    SentenceChange,
    Spike,
    StatedTrust,
    Tries,
)

__all__ = [
    "ApiKey",
    "AsyncClient",
    "Change",
    "CheckChange",
    "CheckCost",
    "CheckCounts",
    "ClaimChange",
    "Client",
    "CollectionSummary",
    "Decision",
    "Deleted",
    "Difference",
    "DocumentDetails",
    "DocumentPage",
    "DocumentRow",
    "Figures",
    "FiguresOverTime",
    "FiguresRow",
    "Job",
    "JobFile",
    "Label",
    "Match",
    "NewApiKey",
    "Queued",
    "RecordedEvent",
    "ReliabilityBin",
    "ReplayedRun",
    "RunPage",
    "RunRecord",
    "RunSummary",
    "RunningMean",
    "SentenceChange",
    "Spike",
    "StatedTrust",
    "Tries",
]
