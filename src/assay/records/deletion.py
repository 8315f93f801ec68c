"""Delete runs with all that was kept of them: in the record, and among the verdicts kept beside collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.records.run_records import RunRecords
from assay.records.validations import FILE_NAME, ValidationCache
from assay.records.values import MOST_LISTED, RunQuery
from assay.types import Deleted, RunSummary


def delete_runs(store: RunRecords, data_dir: Path, run_ids: Sequence[str]) -> Deleted:
    """Delete runs by their whole ids, and the verdicts kept in the data folder that no other recorded run used."""
    return _with_verdicts(store, data_dir, store.delete(run_ids))


def delete_all_runs(store: RunRecords, data_dir: Path) -> Deleted:
    """Delete all runs with the calibrations made from them, and every verdict that is kept in the data folder."""
    return _with_verdicts(store, data_dir, store.delete_all())


def delete_runs_before(store: RunRecords, data_dir: Path, until: float) -> Deleted:
    """Delete runs that began before `until`, Unix seconds: at most 1,000, so that others can record between."""
    found = store.find(RunQuery(until=until, limit=MOST_LISTED)).runs
    return delete_runs(store, data_dir, [run.run_id for run in found]) if found else Deleted(0)


def runs_of(store: RunRecords, query: RunQuery) -> list[RunSummary]:
    """All runs of a query, page by page, newest first."""
    found: list[RunSummary] = []
    query = replace(query, limit=MOST_LISTED)
    while True:
        page = store.find(query)
        found += page.runs
        if page.next is None:
            return found
        query = replace(query, before=page.next)


def _with_verdicts(store: RunRecords, data_dir: Path, deleted: Deleted) -> Deleted:
    wiped = deleted.wiped
    for path in sorted(data_dir.glob(f"collections/*/{FILE_NAME}")):
        cache = ValidationCache(path)
        try:
            wiped = cache.keep_only_of(store.recorded) and wiped
        finally:
            cache.close()
    return replace(deleted, wiped=wiped)
