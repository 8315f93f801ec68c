"""runs list, delete, prune, export, and figures over time."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from assay.cli.export import write_lines
from assay.errors import UsageError
from assay.records.runs import RunStore
from assay.testing.contracts.records import IDS, answer_of, failed, record
from assay.types import Done

from .conftest import Cli, Result, call

QUESTIONS = dict(
    zip(IDS, ("How long is the bridge?", "How old is it? \x1b[31m", "Who built the bridge?"), strict=True)
)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A data folder with three runs, of two collections."""
    file = tmp_path / "data" / "runs.sqlite"
    for collection, runs in (("notes", IDS[:2]), ("other", IDS[2:])):
        store = RunStore(file, collection)
        for run_id in runs:
            ends = {
                IDS[0]: Done(answer=answer_of(IDS[0])),
                IDS[1]: failed(),
                IDS[2]: Done(answer=answer_of(IDS[2], document_id="d9")),
            }
            record(store, run_id, ends[run_id], question=QUESTIONS[run_id])
        store.close()
    return tmp_path / "data"


@pytest.fixture
def on(recorded: Path) -> Cli:
    """A command on the data folder with the runs; its flag follows the whole verb."""
    return lambda *rest: call(*rest, "--data-dir", recorded)


def ids(result: Result) -> list[str]:
    return sorted(run["run_id"] for run in result.object["runs"])


def test_runs_are_listed_by_what_is_asked(on: Cli):
    assert ids(on("runs", "list", "--json")) == sorted(IDS)
    assert ids(on("runs", "list", "--outcome", "error", "--json")) == [IDS[1]]
    assert ids(on("runs", "list", "-c", "other", "--json")) == [IDS[2]]
    assert ids(on("runs", "list", "--text", "BRIDGE", "-c", "notes", "--json")) == [IDS[0]]
    assert ids(on("runs", "list", "--since", "2999-01-01", "--json")) == []
    shown = on("runs", "list")
    assert len(shown.out.splitlines()) == 3
    assert "\x1b" not in shown.out
    assert "no matching runs" in on("runs", "list", "--text", "nothing").err
    assert "there is no outcome" in on("runs", "list", "--outcome", "good").err


def test_a_list_goes_on_where_it_ended(on: Cli):
    first = on("runs", "list", "--limit", "2", "--json").object
    rest = on("runs", "list", "--limit", "2", "--before", first["next"], "--json").object
    assert rest["next"] is None
    assert sorted(run["run_id"] for run in first["runs"] + rest["runs"]) == sorted(IDS)
    assert f"--before {first['next']}" in on("runs", "list", "--limit", "2").err
    assert "not a place in the list" in on("runs", "list", "--before", "nowhere").err


def test_runs_are_deleted_by_their_ids_and_never_unasked(on: Cli):
    refused = on("runs", "delete", IDS[0])
    assert (refused.code, "add --yes" in refused.err) == (2, True)
    assert "would delete" in on("runs", "delete", IDS[0], "--dry-run").out
    assert ids(on("runs", "list", "--json")) == sorted(IDS)
    deleted = on("runs", "delete", IDS[0], IDS[0].lower(), "--yes", "--json")
    assert deleted.object == {"deleted": 1, "runs": [IDS[0]], "dry_run": False, "wiped": True}
    assert ids(on("runs", "list", "--json")) == sorted(IDS[1:])
    assert "there is no run" in on("runs", "delete", IDS[0], "--yes").err


@pytest.mark.parametrize("flags", [(), ("--all", "--document", "d1"), (IDS[0], "--all")])
def test_it_must_be_clear_what_is_deleted(on: Cli, flags: tuple[str, ...]):
    assert "is not clear" in on("runs", "delete", *flags, "--yes").err
    assert ids(on("runs", "list", "--json")) == sorted(IDS)


def test_runs_are_deleted_by_document(on: Cli):
    assert on("runs", "delete", "--document", "d9", "--dry-run", "--json").object["runs"] == [IDS[2]]
    assert on("runs", "delete", "--document", "d9", "--yes").code == 0
    assert ids(on("runs", "list", "--json")) == sorted(IDS[:2])
    assert "0 runs" in on("runs", "delete", "--document", "d9", "--yes").err


def test_everything_of_a_tenant_is_deleted(on: Cli):
    assert on("runs", "delete", "--all", "--yes", "--json").object["deleted"] == 3
    assert ids(on("runs", "list", "--json")) == []
    assert on("figures", "--json").object["runs"] == 0


def test_old_runs_are_pruned(on: Cli, recorded: Path):
    store = RunStore(recorded / "runs.sqlite", "notes")
    long_ago(store, "01H0")
    assert on("runs", "prune", "--older-than", "90d", "--dry-run", "--json").object["runs"] == ["01H0"]
    assert on("runs", "prune", "--older-than", "90d", "-c", "other", "--yes", "--json").object["runs"] == []
    assert "add --yes" in on("runs", "prune", "--older-than", "90d").err
    pruned = on("runs", "prune", "--older-than", "36h", "--yes")
    assert "deleted 01H0" in pruned.out
    assert ids(on("runs", "list", "--json")) == sorted(IDS)
    assert "0 runs would be deleted" in on("runs", "prune", "--older-than", "1d", "--dry-run").err
    assert ids(on("runs", "list", "--json")) == sorted(IDS)


@pytest.mark.parametrize("age", ["90", "d", "-1d", "1w", "1.5d", "99999999d"])
def test_an_age_is_in_days_or_hours(on: Cli, age: str):
    assert "is not an age" in on("runs", "prune", f"--older-than={age}", "--yes").err


def long_ago(store: RunStore, run_id: str) -> None:
    """Record a run of the year 2001."""
    record(store, run_id)
    with store.file.writing() as file:
        file.execute("DROP TRIGGER runs_stay")
        file.execute("UPDATE runs SET started = 1e9 WHERE run_id = ?", (run_id,))


# --- export ----------------------------------------------------------------------------------------------


def test_runs_are_exported_as_lines(on: Cli):
    assert sorted(row["run"]["run_id"] for row in on("export").objects) == sorted(IDS)
    assert len(on("export", "--format", "ragas", "-c", "other").objects) == 1
    assert on("export", "--labelled").out == ""
    assert on("export", "--since", "2999-01-01").out == ""


def test_an_export_is_written_whole_for_its_owner_only(on: Cli, tmp_path: Path):
    file = tmp_path / "runs.jsonl"
    assert on("export", "--format", "deepeval", "--out", file).code == 0
    assert len(file.read_text().splitlines()) == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "already exists" in on("export", "--out", file).err
    assert on("export", "--out", file, "--force").code == 0
    assert len(file.read_text().splitlines()) == 3
    for refused in (tmp_path, tmp_path / "none" / "runs.jsonl"):
        assert on("export", "--out", refused).code == 2


def test_an_export_that_fails_leaves_what_was_there(tmp_path: Path):
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "runs.jsonl"
    file.write_text("before")

    def rows():
        yield {"n": 1}
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match="no space left"):
        write_lines(file, rows())
    assert file.read_text() == "before"
    assert list(file.parent.iterdir()) == [file]


# --- figures over time -----------------------------------------------------------------------------------


def test_figures_have_a_row_a_day(on: Cli, recorded: Path):
    plain = on("figures", "--json").object
    assert "series" not in plain
    found = on("figures", "--by", "hour", "--json").object
    assert found["runs"] == sum(row["runs"] for row in found["series"]) == 3
    assert found["spikes"] == []
    assert on("figures", "-c", "other", "--json").object["runs"] == 1
    shown = on("figures", "--by", "day").out.splitlines()
    assert shown[0].split()[:3] == ["day", "runs", "errors"]
    assert shown[1].split()[1:3] == ["3", "33.3"]


def test_a_spike_is_told(on: Cli, recorded: Path):
    store = RunStore(recorded / "runs.sqlite", "busy")
    for day in range(20):
        for n in range(12):
            run_id = f"01G{day:02d}{n:02d}"
            record(store, run_id, failed() if day == 18 else Done(answer=answer_of(run_id)))
    with store.file.writing() as file:
        file.execute("DROP TRIGGER runs_stay")
        file.execute(
            "UPDATE runs SET started = 1e9 + 86400 * CAST(substr(run_id, 4, 2) AS INTEGER) "
            "WHERE collection = 'busy'"
        )
    store.close()
    shown = on("figures", "--by", "day", "-c", "busy")
    assert "spike 2001-09-27: failed_share is 1, usually 0" in shown.out
