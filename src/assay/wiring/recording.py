"""The place where runs are recorded: the data folder, or the Postgres database that holds the collections."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from assay.core.budget import Meter
from assay.core.run import MeteredSink
from assay.records.run_records import RunRecords
from assay.records.runs import RunStore
from assay.settings import Settings
from assay.types import Done, Event, Failed
from assay.wiring.collections import collections_of


def open_record(settings: Settings, collection: str = "", *, texts: bool = True) -> RunRecords:
    """The record of runs that the settings name, as a sink for those of a collection.

    Without `texts`, a run is recorded as an outline. Raises StoreError, UsageError.
    """
    return collections_of(settings).record(collection, texts=texts)


@contextmanager
def opened_record(settings: Settings, collection: str = "") -> Iterator[RunRecords]:
    """The same, closed when the block ends."""
    records = open_record(settings, collection)
    try:
        yield records
    finally:
        records.close()


def as_sink(records: RunRecords) -> MeteredSink:
    """The record as a sink of an engine: one that is away from this machine is written to beside the event loop."""
    return records if isinstance(records, RunStore) else RecordBeside(records)


@dataclass(slots=True)
class RecordBeside:
    """A sink that stores each run in a thread, one after the other; `stored` waits for one."""

    records: RunRecords
    _writing: dict[str, Future[None]] = field(default_factory=dict)
    _thread: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="assay-record")
    )

    def measure(self, run_id: str, meter: Meter) -> None:
        """Take the meter of a run that began."""
        self.records.measure(run_id, meter)

    def open(self, run_id: str, question: str) -> None:
        """A run begins."""
        self.records.open(run_id, question)

    def receive(self, run_id: str, event: Event) -> None:
        """Keep the event; with the last one the run is stored."""
        if isinstance(event, Done | Failed):
            self._writing[run_id] = self._thread.submit(self.records.receive, run_id, event)
        else:
            self.records.receive(run_id, event)

    async def stored(self, run_id: str) -> None:
        """Wait until the run is stored. Raises what storing it raised."""
        writing = self._writing.pop(run_id, None)
        if writing is not None:
            await asyncio.wrap_future(writing)

    def close(self) -> None:
        """Store what is waiting, and release the record; calling it twice is harmless."""
        self._thread.shutdown()
        self.records.close()
