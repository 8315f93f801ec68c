"""What was learned: written down, taken back one by one, and refused where the file is not what was written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from assay.errors import DamagedStore, UsageError
from assay.records.learning import CONFIDENCE, THRESHOLD, Change, LearningLog


@pytest.fixture
def log(tmp_path: Path) -> LearningLog:
    return LearningLog(tmp_path / "data", "notes")


def test_nothing_is_learned_before_somebody_asks(log: LearningLog) -> None:
    assert (log.all(), log.threshold(), log.latest(CONFIDENCE)) == ((), None, None)
    assert not log.path.exists()
    with pytest.raises(UsageError, match="nothing is learned for collection notes"):
        log.undo(at=1.0, by="Ann")


def test_the_last_learning_is_taken_back_first(log: LearningLog) -> None:
    log.add([Change(THRESHOLD, None, 0.8, 40), Change(CONFIDENCE, 0, 1, 40)], at=1.0, by="Ann\udcff")
    log.add([Change(THRESHOLD, 0.8, 0.85, 60)], at=2.0, by="Bob")
    assert log.threshold() == 0.85
    assert log.undo(at=3.0, by="Bob").version == 2
    assert log.threshold() == 0.8
    assert log.add([Change(THRESHOLD, 0.8, 0.9, 70)], at=4.0, by="Bob").version == 3
    assert [log.undo(at=5.0, by="Bob").version for _ in range(2)] == [3, 1]
    assert (log.threshold(), log.latest(CONFIDENCE)) == (None, None)
    assert [one.is_undone for one in log.all()] == [True, True, True]


def test_the_file_is_its_owners_alone(log: LearningLog) -> None:
    log.add([Change(THRESHOLD, None, 0.8, 40)], at=1.0, by="Ann")
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    assert LearningLog(log.data_dir, "other").threshold() is None


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"undo": 1}', '{"undo": 0}', '{"schema": "assay-learned/2"}'])
def test_another_file_is_refused(log: LearningLog, line: str) -> None:
    log.path.parent.mkdir(parents=True)
    log.path.write_text(f"{line}\n")
    with pytest.raises(DamagedStore, match="cannot be used"):
        log.all()
