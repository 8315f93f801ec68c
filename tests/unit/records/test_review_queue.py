"""What waits for a person is kept until somebody decides; figures and decisions stand with the run."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.budget import Meter
from assay.errors import DamagedStore, UsageError
from assay.records.figures import RunFigures, figures_of
from assay.records.labels import WHOLE, Labels
from assay.records.runs import SCRIPTS, RunStore
from assay.records.sqlite_file import statements
from assay.types import CheckCost, Decision, Done, Failed, Finding, Outcome, Severity, Usage

from .test_runs import answer

LEFT = Finding("dates", 1, Severity.BLOCK, "the source says 1932", "use the source's date")


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs.sqlite", "notes")


def record(store: RunStore, run_id: str, *findings: Finding) -> None:
    store.open(run_id, "How hot?")
    store.receive(run_id, Done(seq=1, at=10.0, answer=replace(answer(run_id), findings=findings)))


def figures(store: RunStore, since: float = 0.0) -> tuple[RunFigures | None, ...]:
    return tuple(run.figures for run in store.figures(since))


def test_an_answer_with_findings_left_waits_until_somebody_decides(store: RunStore) -> None:
    labels = Labels(store)
    record(store, "01JA", LEFT)
    record(store, "01JB")
    (waiting,) = store.waiting()
    assert (waiting.run.run_id, waiting.findings) == ("01JA", ("dates: the source says 1932",))
    decision = Decision(5.0, "maria", False, "the old date")
    assert labels.decide("01ja", decision).run_id == "01JA"
    assert store.waiting() == ()
    assert store.load("01JA").decisions == (decision,)
    assert store.load("01JB").decisions == ()


def test_a_later_decision_is_added_and_none_is_changed(store: RunStore, tmp_path: Path) -> None:
    record(store, "01JA", LEFT)
    labels = Labels(store)
    for at, accepted in ((5.0, False), (6.0, True)):
        labels.decide("last", Decision(at, "maria", accepted))
    assert [each.accepted for each in store.load("last").decisions] == [False, True]
    with (
        sqlite3.connect(tmp_path / "runs.sqlite") as file,
        pytest.raises(sqlite3.IntegrityError, match="append-only"),
    ):
        file.execute("UPDATE decisions SET accepted = 1")


def test_a_decision_is_a_label_and_the_last_one_holds(store: RunStore) -> None:
    record(store, "01JA", LEFT)
    labels = Labels(store)
    labels.decide("last", Decision(5.0, "maria", False, "the old date"))
    labels.decide("last", Decision(6.0, "tom", True))
    assert [(each.good, each.by, each.note) for each in labels.store.labels()] == [
        (False, "maria", "the old date"),
        (True, "tom", ""),
    ]
    assert [(each.run_id, each.claim, each.version) for each in labels.current()] == [("01JA", WHOLE, 2)]


def test_a_refusal_that_is_accepted_is_no_label(store: RunStore) -> None:
    store.open("01JA", "How hot?")
    store.receive("01JA", Done(seq=1, at=10.0, answer=replace(answer("01JA"), outcome=Outcome.ABSTAINED)))
    Labels(store).decide("last", Decision(5.0, "maria", True))
    assert store.labels() == ()


def test_a_run_without_an_answer_is_not_decided_on(store: RunStore) -> None:
    store.open("01JA", "?")
    store.receive("01JA", Failed(seq=1, error="StoreError", message="gone", hint="add it"))
    assert store.waiting() == ()
    with pytest.raises(UsageError, match="there is no answer to decide on"):
        Labels(store).decide("01JA", Decision(5.0, "maria", True))
    with pytest.raises(UsageError, match="there is no run"):
        Labels(store).decide("02", Decision(5.0, "maria", True))


def test_figures_are_stored_with_each_run(store: RunStore, tmp_path: Path) -> None:
    record(store, "01JA", LEFT)
    store.open("01JB", "?")
    store.receive("01JB", Failed(seq=1, error="StoreError", message="gone", hint="add it"))
    assert figures(store) == (figures_of(answer("01JA").to_dict()), None)
    assert figures(store, since=1e12) == ()
    with sqlite3.connect(tmp_path / "runs.sqlite") as file:
        assert file.execute("SELECT COUNT(*) FROM figures").fetchone() == (1,)


def test_what_the_checks_of_a_run_took_is_stored_with_its_figures(store: RunStore) -> None:
    meter = Meter()
    meter.asked("verifier", Usage(calls=2, cost=None))
    store.measure("01JA", meter)
    record(store, "01JA")
    record(store, "01JB")
    measured, other = (each for each in figures(store) if each)
    assert measured.costs == {"verifier": CheckCost(usage=Usage(calls=2, cost=None))}
    assert other.costs is None


def test_figures_of_before_costs_were_kept_are_read(store: RunStore, tmp_path: Path) -> None:
    record(store, "01JA")
    with sqlite3.connect(tmp_path / "runs.sqlite") as file:
        file.execute("UPDATE figures SET body = json_remove(body, '$.costs')")
    assert figures(store) == (figures_of(answer("01JA").to_dict()),)


def test_before_the_first_run_nothing_waits_and_nothing_is_counted(store: RunStore) -> None:
    assert store.waiting() == ()
    assert figures(store) == ()


@pytest.mark.parametrize("version", [1, 2])
def test_a_record_of_an_earlier_version_is_read_and_then_raised(
    store: RunStore, tmp_path: Path, version: int
) -> None:
    _earlier(tmp_path / "runs.sqlite", version)
    assert store.load("01JA").decisions == ()
    assert store.waiting() == ()
    assert figures(store) == (figures_of(answer("01JA").to_dict()),)
    record(store, "01JB", LEFT)
    assert [each.run.run_id for each in store.waiting()] == ["01JB"]
    assert len(figures(store)) == 2


def test_a_damaged_record_says_so(store: RunStore, tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_bytes(b"damage, " * 4096)
    with pytest.raises(DamagedStore):
        store.waiting()


def _earlier(path: Path, version: int) -> None:
    """A record with one run as an earlier version of assay wrote it."""
    with sqlite3.connect(path) as file:
        for script in SCRIPTS[:version]:
            for statement in statements(script):
                file.execute(statement)
        file.execute(f"PRAGMA user_version = {version}")
        file.execute("INSERT INTO runs VALUES ('01JA', 'notes', 'How hot?', 1.0, 'answered')")
        body = json.dumps({"answer": answer("01JA").to_dict()})
        file.execute("INSERT INTO events VALUES ('01JA', 1, 10.0, 'done', ?)", (body,))
