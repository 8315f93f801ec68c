"""Settings of the judgement itself: that it decides nothing, how much it takes, and where its model is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay import open_engine
from assay.errors import UsageError
from assay.types import Action, Answer, Outcome
from assay.wiring.replay import replay
from support.provider import MADE_UP

TOWER = "# Tower\n\nThe tower was opened on 3 May 1932 by the mayor. It is 120 metres high.\n"
KNOWN, UNKNOWN = "When was the tower opened?", "Who composed the opera Aida?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "tower.md").write_text(TOWER, encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([tmp_path / "tower.md"])
    return tmp_path / "data"


def asked(data: Path, question: str, **settings: Any) -> Answer:
    with open_engine(data_dir=data, **settings) as engine:
        return engine.ask(question)


def model(data: Path, *rules: dict[str, Any]) -> str:
    (data / "script.json").write_text(json.dumps(rules), encoding="utf-8")
    return f"fake:{data / 'script.json'}"


SAYS = {"role": "writer", "reply": "The tower was opened on 3 May 1932 [1]."}


def test_a_judgement_that_is_only_logged_changes_nothing(data: Path):
    writes = model(data, SAYS)
    decided = asked(data, UNKNOWN, model=writes)
    logged = asked(data, UNKNOWN, model=writes, judging="log")
    off = asked(data, UNKNOWN, model=writes, judging="off")
    assert decided.outcome is Outcome.ABSTAINED
    assert logged.text == off.text
    assert "3 May 1932" in logged.text
    assert logged.judgement.recommendation is off.judgement.recommendation is Action.ANSWER
    assert logged.judgement.sufficiency is None
    assert logged.judgement.shadow is not None
    assert logged.judgement.shadow.sufficiency == decided.judgement.sufficiency
    assert off.judgement.shadow is None
    assert off.mode_used == "off"
    assert replay(logged.run_id, data_dir=data) == logged


def test_what_is_asked_of_the_judge_itself_is_judged_all_the_same(data: Path):
    with open_engine(data_dir=data, judging="off") as engine:
        assert engine.judge(KNOWN).sufficiency is not None


def test_nothing_found_is_no_answer_in_any_mode(tmp_path: Path):
    for judging in ("log", "off"):
        assert asked(tmp_path, KNOWN, judging=judging).outcome is Outcome.ABSTAINED


def test_fewer_passages_than_the_least_do_not_suffice(data: Path):
    assert asked(data, KNOWN).outcome is Outcome.ANSWERED
    refused = asked(data, KNOWN, least_passages=3)
    assert any("only 1 passage (least: 3)" in each for each in refused.judgement.issues)
    assert refused.judgement.recommendation is not Action.ANSWER


def test_the_names_of_sufficiency_are_the_users(data: Path):
    found = asked(data, KNOWN).judgement
    assert found.sufficiency is not None
    assert asked(data, KNOWN, excellent=1.0, good=1.0, partial=1.0).judgement.quality == "poor"
    assert asked(data, KNOWN, excellent=0.0, good=0.0, partial=0.0).judgement.quality == "excellent"


def test_the_model_is_asked_in_the_borderline_band_alone(data: Path):
    says = model(
        data,
        {"role": "judge", "contains": MADE_UP, "reply": {"reason": "no", "verdict": "no", "missing": "it"}},
        {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}},
        SAYS,
    )
    settings = {"model": says, "profile": "balanced"}
    within = asked(data, KNOWN, borderline_low=0.0, borderline_high=1.0, **settings)
    beyond = asked(data, KNOWN, borderline_low=0.0, borderline_high=0.0, **settings)
    assert "model_likelihood" in within.judgement.signals
    assert "model_likelihood" not in beyond.judgement.signals


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"partial": 0.8}, "--partial: partial must not be above good"),
        ({"good": 0.95}, "--good: good must not be above excellent"),
        ({"borderline_low": 0.9, "borderline_high": 0.1}, "borderline_low must not be above borderline_high"),
        ({"judging": "maybe"}, "--judging: must be 'decide', 'log' or 'off'"),
        ({"least_passages": 0}, "--least-passages: must be greater than or equal to 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(tmp_path: Path, settings: dict[str, Any], said: str):
    with pytest.raises(UsageError) as raised:
        open_engine(data_dir=tmp_path, **settings)
    assert said in str(raised.value)
    assert raised.value.hint


def test_a_band_that_no_model_heeds_is_told_of_and_no_risk_is_promised_without_a_judgement(data: Path):
    assert any(
        "borderline_low is set and changes nothing" in each
        for each in asked(data, KNOWN, borderline_low=0.2).warnings
    )
    with pytest.raises(UsageError, match="a judgement that decides nothing"):
        asked(data, KNOWN, judging="log", max_risk=0.3)
