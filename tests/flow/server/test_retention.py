"""Runs are deleted once they are old enough, if the server is told so: those of every tenant, and no others."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from assay.records.runs import RunStore
from assay.records.values import RunQuery
from assay.server.app import Retention
from assay.server.service import Service
from assay.server.settings import ServerSettings
from assay.types import Failed
from support.served import serving, wait_for

DAY = 86_400.0


def record(folder: Path, run_id: str, *, days_ago: float = 0.0) -> None:
    """Record a run that began some days ago."""
    store = RunStore(folder / "runs.sqlite", "default")
    store.open(run_id, "How hot?")
    store._recorder._unfinished[run_id].started -= days_ago * DAY
    store.receive(run_id, Failed(seq=1, at=1.0, error="StoreError", message="gone", hint="add it"))
    store.close()


def runs(folder: Path) -> list[str]:
    return [run.run_id for run in RunStore(folder / "runs.sqlite").find(RunQuery()).runs]


def test_a_running_server_deletes_old_runs_of_every_tenant(tmp_path: Path):
    folders = (tmp_path, tmp_path / "tenants" / "acme")
    for folder in folders:
        record(folder, "01OLD", days_ago=91)
        record(folder, "01NEW", days_ago=89)
    with serving(ServerSettings(engine={"data_dir": tmp_path}, keep_runs=90)) as server, server.client() as client:
        wait_for(lambda: [runs(folder) for folder in folders] == [["01NEW"]] * 2)
        assert [run["run_id"] for run in client.get("/api/v1/runs").json()["runs"]] == ["01NEW"]


def test_without_the_setting_runs_are_kept(tmp_path: Path):
    record(tmp_path, "01OLD", days_ago=10_000)
    with serving(ServerSettings(engine={"data_dir": tmp_path})) as server, server.client() as client:
        assert [run["run_id"] for run in client.get("/api/v1/runs").json()["runs"]] == ["01OLD"]


async def test_runs_go_when_they_are_old_enough(tmp_path: Path):
    for number in range(3):
        record(tmp_path, f"01J{number}")
    service = Service.over(ServerSettings(engine={"data_dir": tmp_path}))
    assert await Retention(service, 1).delete_once() == 0
    assert await Retention(service, 1, lambda: time.time() + 2 * DAY).delete_once() == 3
    await service.close(0.0)
    assert runs(tmp_path) == []


async def test_a_record_that_cannot_be_read_is_logged_and_the_others_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    (tmp_path / "runs.sqlite").write_bytes(b"no database" * 100)
    record(tmp_path / "tenants" / "acme", "01OLD", days_ago=2)
    service = Service.over(ServerSettings(engine={"data_dir": tmp_path}))
    assert await Retention(service, 1).delete_once() == 1
    await service.close(0.0)
    assert "the old runs of the tenant default cannot be deleted" in caplog.text
