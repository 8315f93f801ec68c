"""Which calibration holds for a run: the collection's own, the shipped one, or none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.calibration.curves import FITTED_MODE, SHIFTED
from assay.calibration.shipped import shipped
from assay.records.labels import Labels
from assay.records.runs import RunStore
from assay.types import Action, Answer, Done, Judgement
from assay.wiring.calibrated import UNREAD, Calibrated, calibrated_by, calibrated_then

from ..unit.records.test_runs import answer


@pytest.fixture
def store(tmp_path: Path):
    opened = RunStore(tmp_path / "runs.sqlite", "notes")
    yield opened
    opened.close()


def fitted(run_id: str, sufficiency: float) -> Answer:
    """An answer that came about as those of the fit."""
    judged = Judgement(sufficiency, Action.ANSWER, "", mode_used=FITTED_MODE, calibrated=True)
    return replace(answer(run_id), judgement=judged, mode_used=FITTED_MODE)


def asked(store: RunStore, sufficiencies: list[float], **changes: object) -> None:
    for n, sufficiency in enumerate(sufficiencies):
        made = replace(fitted(f"01JA{n:04}", sufficiency), **changes)
        store.open(made.run_id, "How hot?")
        store.receive(made.run_id, Done(seq=1, at=10.0, answer=made))


def test_without_a_record_the_shipped_one_holds(store: RunStore):
    assert calibrated_by(None, "notes") == Calibrated()
    assert calibrated_by(store, "notes") == Calibrated()


def test_fifty_questions_unlike_the_fit_raise_the_alarm_and_fewer_do_not(store: RunStore):
    asked(store, [0.99] * 49)
    assert calibrated_by(store, "notes").doubt == ""
    store.open("01JB", "How hot?")
    store.receive("01JB", Done(seq=1, at=10.0, answer=fitted("01JB", 0.99)))
    assert calibrated_by(store, "notes").doubt == SHIFTED
    assert calibrated_by(store, "other").doubt == ""


def test_questions_like_those_of_the_fit_raise_none(store: RunStore):
    asked(store, list(shipped()["answers"].reference[::4]))
    assert len(store.latest_sufficiencies("notes", 100)) == 50
    assert calibrated_by(store, "notes").doubt == ""


def test_answers_after_more_searches_are_not_compared(store: RunStore):
    asked(store, [0.99] * 60, searches=2)
    assert store.latest_sufficiencies("notes", 100) == ()


def test_a_run_is_replayed_by_the_calibration_that_it_had(store: RunStore):
    asked(store, [0.9])
    own = replace(shipped()["answers"], data="ours")
    store.add_calibration("notes", own, at=1.0, by="ann")
    about = {"calibration": dict(calibrated_by(store, "notes").about)}
    Labels(store).use("notes", 0, at=2.0, by="ann")
    assert calibrated_by(store, "notes").fit is None
    assert calibrated_then(store, about).fit == own
    assert calibrated_then(store, {}) == Calibrated()


def test_a_record_that_cannot_be_read_costs_the_probability_not_the_answer(tmp_path: Path):
    (tmp_path / "runs.sqlite").write_bytes(b"no database" * 100)
    assert calibrated_by(RunStore(tmp_path / "runs.sqlite"), "notes").doubt == UNREAD
