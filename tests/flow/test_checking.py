"""The engine with a checker: where it is named, what is replayed, and that it leaves nothing behind."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from assay import open_engine
from assay.calibration import ClaimPolicy
from assay.core.stages import Pair
from assay.core.tape import Tape
from assay.errors import UsageError
from assay.records.replay import TapedChecker
from assay.records.replay_stubs import CheckerStub
from assay.testing.fakes import ScriptedChecker
from assay.types import Answer, Claim, Outcome, Passage
from assay.wiring import open_checker
from assay.wiring.networks import BUNDLED_CHECKER
from assay.wiring.replay import replay

from ..unit.models.tiny import POLICY, tiny_checker

BOIL = "At how many degrees does water boil?"
# The stand-in takes a "yes" in the source for support.
WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius: yes\n"
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
def checker(tmp_path: Path) -> Path:
    """A checker's folder of the test's own, free to be changed."""
    return tiny_checker(tmp_path)


def answered(data: Path, **settings: Any) -> Answer:
    with open_engine(data_dir=data, **settings) as engine:
        return engine.ask(BOIL)


def checkers_of(claim: Claim) -> list[str]:
    return [event.by[:12] for event in claim.history if event.by.startswith(("tiny-checker", "minilm"))]


def test_a_written_answer_names_the_checker_that_tested_it(filled: Path, model: str, checker: Path):
    answer = answered(filled, model=model, checker=str(checker))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.models.verifier.startswith("deterministic, tiny-checker-")
    assert [checkers_of(claim) for claim in answer.claims] == [["tiny-checker"]]
    assert answer.validate()


def test_the_bundled_one_tests_unless_it_is_switched_off(filled: Path, model: str):
    answer = answered(filled, model=model)
    assert answer.models.verifier.startswith("deterministic, minilm-l6-checker-int8-")
    assert [checkers_of(claim) for claim in answer.claims] == [["minilm-l6-ch"]]
    plain = answered(filled, model=model, checker="none")
    assert plain.models.verifier == "deterministic"
    assert [checkers_of(claim) for claim in plain.claims] == [[]]


def test_a_replay_needs_no_checker_and_goes_by_the_policy_that_the_run_had(filled: Path, model: str, checker: Path):
    answer = answered(filled, model=model, checker=str(checker))
    path = checker / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"policy": POLICY | {"supported": 1.0}}))
    assert replay(answer.run_id, data_dir=filled) == answer
    shutil.rmtree(checker)
    assert replay(answer.run_id, data_dir=filled) == answer


async def test_what_is_on_a_tape_is_played_back_for_the_same_pairs_alone():
    pairs, tape = [Pair("a", "b"), Pair("c", "d")], Tape()
    asked = ScriptedChecker({"a": (0.9, 0.0), "c": (0.1, 0.8)}, ClaimPolicy({"checker": 1.0}, 0.0, 0.8, 0.1, 0.9))
    first = await TapedChecker(asked, tape).check(pairs)
    again = TapedChecker(CheckerStub(asked.model), Tape(tape.entries))
    assert (await again.check(pairs)).tolist() == first.tolist()
    with pytest.raises(Exception, match="diverged"):
        await again.check(pairs[::-1])


async def test_what_stands_in_for_a_checker_of_the_past_checks_nothing():
    model = ScriptedChecker({}, ClaimPolicy({"checker": 1.0}, 0.0, 0.8, 0.1, 0.9)).model
    with pytest.raises(Exception, match="a replay asked the checker scripted-checker"):
        await CheckerStub(model).check([Pair("a", "b")])


def test_no_risk_is_promised_of_claims_that_another_checker_tested(checker: Path):
    text = "Water boils at 100 degrees Celsius at sea level."
    passages = [Passage("p", "d", "", 0, len(text), text)]
    with open_checker(max_risk=0.3) as engine:
        assert engine.check(text, passages).claims[0].verdict.value == "supported"
    with (
        open_checker(max_risk=0.3, checker=str(checker)) as engine,
        pytest.raises(UsageError, match="no risk can be promised with another verifier") as caught,
    ):
        engine.check(text, passages)
    assert "--checker bundled" in caught.value.hint


def test_gates_put_claims_to_the_checker(checker: Path):
    text = "Water boils at 100 degrees Celsius at sea level."
    passages = [Passage("p", "d", "", 0, len(text), text)]
    with open_checker(checker=str(checker)) as engine:
        [claim] = engine.check("At sea level, water boils at 100 degrees Celsius.", passages).claims
    assert checkers_of(claim) == ["tiny-checker"]


def test_models_of_a_time_without_a_checker_are_told(monkeypatch: pytest.MonkeyPatch):
    import assay_models

    monkeypatch.delitem(assay_models._FOLDERS, BUNDLED_CHECKER)
    with pytest.raises(UsageError, match="the installed assay-models has no checker") as caught:
        open_checker()
    assert "--checker none" in caught.value.hint
    open_checker(checker="none").close()


def test_a_checker_in_nobodys_home_is_told():
    with pytest.raises(UsageError, match="in no one's home folder"):
        open_checker(checker="~nobody-of-that-name/checker")


def test_closing_the_engine_ends_the_checkers_threads(checker: Path):
    before = set(threading.enumerate())
    text = "Water boils at 100 degrees Celsius at sea level."
    with open_checker(checker=str(checker)) as engine:
        engine.check("At sea level, water boils at 100 degrees.", [Passage("p", "d", "", 0, len(text), text)])
        # Threads of what nobody holds end by themselves: the checker is held, so that closing has to end them.
        held = engine._open_parts
        own = [each for each in set(threading.enumerate()) - before if each.name.startswith("assay-check")]
    assert own
    for thread in own:
        thread.join(60)
    assert held is not None
    assert not any(thread.is_alive() for thread in own)
