"""The run record: what was written is read back, unchanged, under any name that means it."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from assay.errors import DamagedStore, StoreError, UsageError
from assay.records.runs import SCRIPTS, RunStore
from assay.types import (
    Action,
    Answer,
    Confidence,
    Done,
    Failed,
    Judgement,
    ModelsUsed,
    Outcome,
    StatusChanged,
    Usage,
    Verdict,
)


def answer(run_id: str, text: str = "100 °C. [1]") -> Answer:
    return Answer(
        run_id=run_id,
        question="How hot?",
        outcome=Outcome.ANSWERED,
        text=text,
        verdict=Verdict.SUPPORTED,
        claims=(),
        sources=(),
        citations=(),
        invalid_citations=(),
        judgement=Judgement(sufficiency=0.9, recommendation=Action.ANSWER, reason="it is there"),
        checks=(),
        findings=(),
        repairs=(),
        drafts=1,
        iterations=1,
        searches=1,
        confidence=Confidence(None, 0.9, "very_high"),
        warnings=(),
        models=ModelsUsed("extractive", "fast", "rules"),
        usage=Usage(),
        profile="fast",
        mode_used="fast",
        ms=1.5,
    )


def record(store: RunStore, run_id: str, question: str = "How hot?") -> None:
    store.open(run_id, question)
    store.receive(run_id, StatusChanged(seq=1, at=10.0, stage="understand"))
    store.receive(run_id, Done(seq=2, at=11.0, answer=answer(run_id)))


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "data" / "runs.sqlite", "notes")


def test_a_run_is_read_back_as_it_was(store: RunStore) -> None:
    record(store, "01JA")
    run = store.load("01JA")
    assert (run.run.question, run.run.collection, run.run.outcome) == ("How hot?", "notes", "answered")
    assert [(event.seq, event.at, event.kind) for event in run.events] == [(1, 10.0, "status"), (2, 11.0, "done")]
    assert run.answer == answer("01JA").to_dict()
    assert run.events[0].body["stage"] == "understand"


def test_a_failed_run_has_no_answer(store: RunStore) -> None:
    store.open("01JA", "?")
    store.receive("01JA", Failed(seq=1, error="StoreError", message="gone", hint="add it"))
    run = store.load("last")
    assert (run.run.outcome, run.answer, run.events[-1].body["hint"]) == ("error", None, "add it")


def test_an_unfinished_run_leaves_nothing(store: RunStore) -> None:
    store.open("01JA", "?")
    store.receive("01JA", StatusChanged(stage="understand"))
    assert store.latest() == ()


def test_a_prefix_that_means_one_run_is_enough(store: RunStore) -> None:
    record(store, "01JABC")
    record(store, "01JADE")
    assert store.load("01jab").run.run_id == "01JABC"
    with pytest.raises(UsageError, match="several runs"):
        store.load("01JA")


@pytest.mark.parametrize("name", ["02", "%", "01_A", "", "\ud800", "' OR 1=1 --"])
def test_what_names_no_single_run_is_refused(store: RunStore, name: str) -> None:
    record(store, "01JABC")
    record(store, "01JADE")
    with pytest.raises(UsageError):
        store.load(name)


def test_last_is_the_newest_and_without_runs_says_what_to_do(store: RunStore) -> None:
    with pytest.raises(UsageError, match="no run is recorded yet"):
        store.load("last")
    record(store, "01JA")
    record(store, "01JB")
    assert store.load("last").run.run_id == "01JB"
    assert [run.run_id for run in store.latest()] == ["01JB", "01JA"]


def test_two_stores_on_one_file_see_each_other(store: RunStore, tmp_path: Path) -> None:
    other = RunStore(tmp_path / "data" / "runs.sqlite", "other")
    record(store, "01JA")
    record(other, "01JB")
    assert {run.collection for run in store.latest()} == {"notes", "other"}


def test_lone_surrogates_do_not_lose_a_run(store: RunStore) -> None:
    record(store, "01JA", "how \ud800 hot\x00?")
    assert store.load("01JA").run.question == "how ? hot\x00?"


def test_the_file_is_for_its_owner_only(store: RunStore, tmp_path: Path) -> None:
    record(store, "01JA")
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    for file in (tmp_path / "data").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_is_written_cannot_be_rewritten(store: RunStore, tmp_path: Path) -> None:
    record(store, "01JA")
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as raw:
        for table in ("runs", "events"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                raw.execute(f"UPDATE {table} SET run_id = 'x'")  # noqa: S608 - two constants
    raw.close()


def test_a_newer_file_is_refused_with_the_way_out(store: RunStore, tmp_path: Path) -> None:
    record(store, "01JA")
    raw = sqlite3.connect(tmp_path / "data" / "runs.sqlite")
    raw.execute(f"PRAGMA user_version = {len(SCRIPTS) + 1}")
    raw.close()
    with pytest.raises(StoreError, match="newer assay"):
        store.load("last")


def test_a_file_that_was_never_finished_counts_as_none(store: RunStore, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "runs.sqlite").touch(mode=0o600)
    assert store.latest() == ()
    record(store, "01JA")
    assert store.load("last").run.run_id == "01JA"


def test_damage_is_found_and_named(store: RunStore, tmp_path: Path) -> None:
    assert store.damage() == ()
    record(store, "01JA")
    assert store.damage() == ()
    store.close()
    path = tmp_path / "data" / "runs.sqlite"
    path.write_bytes(b"not a database, " * 500)
    assert "damaged" in store.damage()[0]
    with pytest.raises(DamagedStore):
        store.load("last")


def test_a_folder_that_cannot_be_made_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = RunStore(tmp_path / "file" / "runs.sqlite")
    with pytest.raises(StoreError) as caught:
        record(store, "01JA")
    assert caught.value.hint
