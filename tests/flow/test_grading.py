"""The engine with a grader: what it is asked, what its answers say of it, and that it leaves nothing behind."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assay import open_engine
from assay.build import open_gates
from assay.build.grading import BUNDLED
from assay.build.runs import replay
from assay.errors import UsageError
from assay.record.gone import GoneGrader
from assay.record.taped import TapedGrader
from assay.stages import Pair
from assay.tape import Tape
from assay.testing.fakes import ScriptedGrader
from assay.types import Answer, Claim, Outcome, Passage

TINY = Path(__file__).parents[1] / "unit" / "models" / "tiny_grader"
ALL = "claims,evidence,ranking"
BOIL = "At how many degrees does water boil?"
WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
TOWER = "# Tower\n\nThe tower was opened on 3 May 1932 by the mayor. It is 120 metres high.\n"
# No sentence of the source, so that it is compared and not found as a quote.
WRITTEN = "At sea level, water boils at 100 degrees Celsius [1]."


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two documents."""
    papers, data = tmp_path_factory.mktemp("papers"), tmp_path_factory.mktemp("data")
    (papers / "water.md").write_text(WATER, encoding="utf-8")
    (papers / "tower.md").write_text(TOWER, encoding="utf-8")
    with open_engine(data_dir=data) as engine:
        engine.add([papers])
    return data


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model that writes one sentence of its own."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps([{"role": "writer", "reply": WRITTEN}]), encoding="utf-8")
    return f"fake:{path}"


@pytest.fixture
def grader(tmp_path: Path) -> Path:
    """A grader's folder of the test's own, free to be changed."""
    return Path(shutil.copytree(TINY, tmp_path / "grader"))


def answered(data: Path, **settings: Any) -> Answer:
    with open_engine(data_dir=data, **settings) as engine:
        return engine.ask(BOIL)


def graders_of(claim: Claim) -> list[str]:
    return [event.by for event in claim.history if event.by == "tiny-grader-4a8d2e1b"]


def changed(folder: Path, joinings: Mapping[str, object]) -> Path:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"joinings": joinings}))
    return folder


def line(**weights: float) -> dict[str, object]:
    return {"weights": weights, "shift": 0.0}


def test_an_answer_names_the_grader_wherever_it_was_asked(filled: Path, model: str):
    answer = answered(filled, model=model, graded=ALL, grader=str(TINY))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.models.judge == "heuristic (fitted), tiny-grader-4a8d2e1b"
    assert answer.models.verifier == "deterministic, tiny-grader-4a8d2e1b"
    assert answer.judgement.mode_used == "fast (read), tiny-grader-4a8d2e1b"
    assert [graders_of(claim) for claim in answer.claims] == [["tiny-grader-4a8d2e1b"]]
    assert answer.validate()


def test_without_the_setting_no_grader_is_opened_or_named(filled: Path, model: str, tmp_path: Path):
    answer = answered(filled, model=model, grader=str(tmp_path / "nowhere"))
    assert (answer.models.judge, answer.models.verifier) == ("heuristic (fitted)", "deterministic")
    assert answer.judgement.mode_used == "fast (read)"
    assert [graders_of(claim) for claim in answer.claims] == [[]]


@pytest.mark.parametrize(
    ("graded", "cause"),
    [
        ("claims", "another verifier than the calibration was fitted for"),
        ("evidence", "the evidence was not judged by the fitted judge"),
        ("ranking", "a grader ranks the passages, and no calibration tells such answers apart"),
    ],
)
def test_the_confidence_is_not_calibrated_and_says_why(filled: Path, graded: str, cause: str):
    plain, answer = answered(filled), answered(filled, graded=graded, grader=str(TINY))
    assert plain.confidence is not None
    assert plain.confidence.calibrated
    assert answer.confidence is not None
    assert (answer.confidence.calibrated, answer.confidence.value) == (False, None)
    assert answer.confidence.cause == cause


def test_a_replay_needs_no_grader(filled: Path, model: str, grader: Path):
    answer = answered(filled, model=model, graded=ALL, grader=str(grader))
    assert [graders_of(claim) for claim in answer.claims] == [["tiny-grader-4a8d2e1b"]]
    shutil.rmtree(grader)
    assert replay(answer.run_id, data_dir=filled) == answer


def test_a_replay_goes_by_the_joinings_that_the_run_had(filled: Path, model: str, grader: Path):
    weights = {"fast": 0.0, "window": 0.001, "best_passage": 0.0, "second_passage": 0.0}
    changed(grader, {"evidence": line(**weights)})
    answer = answered(filled, model=model, graded="evidence", grader=str(grader))
    changed(grader, {"evidence": line(**weights | {"window": 100.0})})
    assert replay(answer.run_id, data_dir=filled).judgement == answer.judgement


async def test_scores_on_a_tape_are_played_back_for_the_same_pairs_alone():
    pairs, tape = [Pair("a", "b"), Pair("a", "c")], Tape()
    asked = ScriptedGrader({pairs[0]: 0.1, pairs[1]: -2.5}, {})
    first = await TapedGrader(asked, tape).score(pairs)
    again = TapedGrader(GoneGrader(asked.model), Tape(tape.entries))
    assert (await again.score(pairs)).tobytes() == first.tobytes()
    with pytest.raises(Exception, match="diverged"):
        await again.score(pairs[::-1])


async def test_what_stands_in_for_a_grader_of_the_past_scores_nothing():
    with pytest.raises(Exception, match="a replay asked scripted-grader"):
        await GoneGrader(ScriptedGrader({}, {}).model).score([Pair("a", "b")])


@pytest.mark.parametrize("graded", ["evidence", "ranking", ALL])
def test_no_risk_is_promised_of_what_a_grader_judged_or_ranked(filled: Path, graded: str):
    assert "promised with" in " ".join(answered(filled, max_risk=0.45).warnings)
    with pytest.raises(UsageError, match="no risk can be promised") as caught:
        answered(filled, max_risk=0.45, graded=graded, grader=str(TINY))
    assert "nothing graded" in caught.value.hint


def test_no_risk_is_promised_of_claims_that_a_grader_tested():
    text = "Water boils at 100 degrees Celsius at sea level."
    passages = [Passage("p", "d", "", 0, len(text), text)]
    with open_gates(max_risk=0.3) as engine:
        assert engine.check(text, passages).claims[0].verdict.value == "supported"
    with (
        open_gates(max_risk=0.3, graded="claims", grader=str(TINY)) as engine,
        pytest.raises(UsageError, match="no risk can be promised with another verifier") as caught,
    ):
        engine.check(text, passages)
    assert "nothing graded" in caught.value.hint


def test_gates_ask_the_grader_about_given_passages():
    text = "Water boils at 100 degrees Celsius at sea level."
    passages = [Passage("p", "d", "", 0, len(text), text)]
    with open_gates(graded="claims,evidence", grader=str(TINY)) as engine:
        assert engine.judge(BOIL, passages).mode_used == "fast (read), tiny-grader-4a8d2e1b"
        [claim] = engine.check("At sea level, water boils at 100 degrees Celsius.", passages).claims
    assert graders_of(claim) == ["tiny-grader-4a8d2e1b"]


@pytest.mark.parametrize(
    ("graded", "joinings", "said"),
    [
        ("ranking", {}, "the grader tiny-grader-[0-9a-f]{8} was fitted for nothing, not for ranking"),
        ("claims,ranking", {"claims": line(trees=1.0)}, "was fitted for claims, not for ranking"),
        ("evidence", {"evidence": line(fast=1.0, mood=1.0)}, "weighs 'mood' for evidence, which nothing measures"),
        ("claims", {"claims": line(words=1.0)}, "weighs 'words' for claims, which nothing measures"),
    ],
)
def test_a_grader_that_was_not_fitted_for_what_is_asked_is_refused(
    grader: Path, graded: str, joinings: Mapping[str, object], said: str
):
    with pytest.raises(UsageError, match=said) as caught:
        open_gates(graded=graded, grader=str(changed(grader, joinings)))
    assert "benchmarks/grader/joinings.py" in caught.value.hint


def test_joinings_for_what_is_not_asked_may_be_anything(grader: Path):
    changed(grader, {"claims": line(trees=1.0), "moods": line(mood=1.0)})
    open_gates(graded="claims", grader=str(grader)).close()


def test_the_judge_of_the_seed_weights_asks_no_grader():
    with pytest.raises(UsageError, match="asks no grader about evidence"):
        open_gates(graded="evidence", weights="seed", grader=str(TINY))
    open_gates(graded="claims", weights="seed", grader=str(TINY)).close()


def test_models_of_a_time_without_a_grader_are_told(monkeypatch: pytest.MonkeyPatch):
    import assay_models

    monkeypatch.delitem(assay_models._FOLDERS, BUNDLED, raising=False)
    with pytest.raises(UsageError, match="assay-models that is installed has no grader") as caught:
        open_gates(graded="claims")
    assert "--grader" in caught.value.hint


def test_a_grader_in_nobodys_home_is_told():
    with pytest.raises(UsageError, match="in nobody's home folder"):
        open_gates(graded="claims", grader="~nobody-of-that-name/grader")


def test_closing_the_engine_ends_the_graders_threads(filled: Path):
    before = set(threading.enumerate())
    with open_engine(data_dir=filled, graded="evidence", grader=str(TINY)) as engine:
        engine.judge(BOIL)
        # Threads of what nobody holds end by themselves: the grader is held, so that closing has to end them.
        held = engine._held
        own = [each for each in set(threading.enumerate()) - before if each.name.startswith("assay-grade")]
    assert own
    for thread in own:
        thread.join(60)
    assert held is not None
    assert not any(thread.is_alive() for thread in own)
