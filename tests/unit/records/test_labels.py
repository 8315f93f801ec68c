"""Labels and calibrations are only ever added; the last one holds."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.records.test_runs import record

from assay.calibration.shipped import shipped
from assay.errors import DamagedStore, UsageError
from assay.records.labels import Labels
from assay.records.runs import RunStore


@pytest.fixture
def labels(tmp_path: Path):
    store = RunStore(tmp_path / "runs.sqlite", "manual")
    for run_id in ("01JAA", "01JAB"):
        record(store, run_id)
    yield Labels(store)
    store.close()


def test_before_anything_was_written_there_is_nothing(tmp_path: Path):
    labels = Labels(RunStore(tmp_path / "runs.sqlite"))
    assert (labels.store.labels(), labels.current(), labels.store.calibrations("manual")) == ((), (), ())
    assert (
        labels.store.calibration_in_use("manual").version,
        labels.store.calibration_in_use("manual").latest,
    ) == (0, ())


def test_a_later_label_holds_and_the_earlier_stays(labels: Labels):
    labels.add("01JAA", 0, good=True, at=1.0, by="ann", note="checked")
    labels.add("01JAB", 0, good=True, at=2.0, by="ann")
    labels.add("01JAA", 0, good=False, at=3.0, by="bob", note="old price")
    assert [(each.version, each.good, each.by) for each in labels.store.labels()] == [
        (1, True, "ann"),
        (2, True, "ann"),
        (3, False, "bob"),
    ]
    assert [(each.run_id, each.good) for each in labels.current()] == [("01JAB", True), ("01JAA", False)]


def test_what_is_not_there_cannot_be_labelled(labels: Labels):
    with pytest.raises(UsageError, match="no run"):
        labels.add("01JZZ", 0, good=True, at=1.0, by="ann")
    with pytest.raises(UsageError, match="no claim 99"):
        labels.add("01JAA", 99, good=True, at=1.0, by="ann")


def test_nothing_written_can_be_changed(labels: Labels):
    labels.add("01JAA", 0, good=True, at=1.0, by="ann")
    labels.store.add_calibration("manual", shipped()["answers"], at=1.0, by="ann")
    with sqlite3.connect(labels.store.file.path) as file:
        for table in ("labels", "calibrations", "calibrated"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                file.execute(f"UPDATE {table} SET by = 'eve'")  # noqa: S608


def test_a_calibration_is_used_until_another_is_chosen(labels: Labels):
    fit = replace(shipped()["answers"], data="two labels")
    first = labels.store.add_calibration("manual", fit, at=1.0, by="ann")
    assert labels.store.calibration_in_use("manual").fit == fit
    assert labels.store.calibration_in_use("other").fit is None
    labels.use("manual", 0, at=2.0, by="ann")
    assert labels.store.calibration_in_use("manual").fit is None
    labels.use("manual", first.version, at=3.0, by="ann")
    assert labels.store.calibration_in_use("manual").version == first.version
    with pytest.raises(UsageError, match="no calibration 7"):
        labels.use("manual", 7, at=4.0, by="ann")


def test_a_damaged_calibration_says_so(labels: Labels):
    labels.store.add_calibration("manual", shipped()["answers"], at=1.0, by="ann")
    with sqlite3.connect(labels.store.file.path) as file:
        file.execute("INSERT INTO calibrations (collection, at, by, body) VALUES ('manual', 1, 'eve', '{}')")
    with pytest.raises(DamagedStore, match="cannot be read"):
        labels.store.fit(2)
    with pytest.raises(DamagedStore, match="gone"):
        labels.store.fit(3)
