"""label, calibrate, audit and --max-risk: what people say becomes a calibration that can be taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.records.runs import RunStore
from assay.types import Confidence, Done

from ...unit.records.test_runs import answer
from .conftest import Cli, call

RUNS = [f"01JA{n:02}" for n in range(40)]


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """Forty answers to as many questions, of which the surer half is right; the labels of all of them."""
    store = RunStore(tmp_path / "data" / "runs.sqlite", "notes")
    for n, run_id in enumerate(RUNS):
        made = replace(answer(run_id), question=f"How hot is {n}?", confidence=Confidence(None, n / 40, "low"))
        store.open(run_id, made.question)
        store.receive(run_id, Done(seq=1, at=10.0, answer=made))
    store.close()
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps({"id": run, "label": n >= 20}) + "\n" for n, run in enumerate(RUNS)))
    return path


def test_labels_are_kept_with_who_and_when(answered: Path, empty: Cli):
    said = empty("label", RUNS[0], "--right", "--by", "Ann", "--note", "read it", "--json").object
    assert (said["version"], said["run_id"], said["good"], said["by"]) == (1, RUNS[0], True, "Ann")
    empty("label", RUNS[0], "--wrong", "--by", "Bob")
    (holding,) = empty("label").objects
    assert (holding["id"], holding["label"], holding["by"]) == (RUNS[0], False, "Bob")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((RUNS[0],), "the label is missing"),
        (("--right",), "a label needs a run"),
        (("01ZZ", "--right"), "there is no run '01ZZ'"),
        ((RUNS[0], "--wrong", "--claim", "3"), "has no claim 3"),
        ((RUNS[0], "--right", "--by", " "), "the name of the labeller is empty"),
        ((RUNS[0], "--right", "--wrong"), "--right and --wrong cannot be used together"),
    ],
)
def test_a_label_of_nothing_is_refused(answered: Path, empty: Cli, arguments: tuple[str, ...], told: str):
    refused = empty("label", *arguments)
    assert refused.code == 2
    assert told in refused.err


def test_a_calibration_is_made_used_and_taken_back(answered: Path, empty: Cli):
    made = empty("calibrate", answered, "-c", "notes", "--json")
    assert made.code == 0, made
    assert made.object["version"] == 1
    assert made.object["after"]["n"] == 40
    assert made.object["after"]["brier"] < 0.2
    assert [each["in_use"] for each in _listed(empty)] == [False, True]
    assert empty("calibrate", "--use", "0", "-c", "notes").code == 0
    assert [each["in_use"] for each in _listed(empty)] == [True, False]
    assert "no calibration 7" in empty("calibrate", "--use", "7", "-c", "notes").err


def _listed(empty: Cli) -> list[dict[str, object]]:
    return empty("calibrate", "-c", "notes", "--json").object["calibrations"]


def test_labels_of_the_record_are_learned_from(answered: Path, empty: Cli):
    few = empty("calibrate", "--labelled", "-c", "notes")
    assert few.code == 2
    assert "too few to measure: 0 labels, 0 right and 0 wrong; at least 20 are needed" in few.err
    for n, run in enumerate(RUNS[8:32]):
        assert empty("label", run, "--right" if n >= 12 else "--wrong", "--by", "Ann").code == 0
    made = empty("calibrate", "--labelled", "-c", "notes")
    assert made.code == 0, made
    assert "24 labelled answers of notes" in made.out
    assert "to undo: assay calibrate --use 0 -c notes" in made.err


def test_labels_of_what_is_not_there_are_refused_with_the_line(answered: Path, empty: Cli):
    with answered.open("a") as file:
        file.write('{"id": "01ZZ", "label": true}\n')
    refused = empty("calibrate", answered, "-c", "notes")
    assert (refused.code, "line 41: there is no run '01ZZ'" in refused.err) == (2, True)
    assert "of collection notes, not other" in empty("calibrate", answered, "-c", "other").err
    both = empty("calibrate", answered, "--use", "0")
    assert "cannot be used together" in both.err


def test_a_promise_is_told_or_refused_with_the_best_that_can_be(facts: Cli):
    asked = facts("ask", "When was the Harbour Bridge opened?", "--max-risk", "0.3", "--json")
    told = [each for each in asked.object["warnings"] if each.startswith("promised")]
    assert asked.code == 0, asked
    assert len(told) == 1
    assert "at most 30%" in told[0]
    refused = facts("ask", "When was the Harbour Bridge opened?", "--max-risk", "0.01")
    assert refused.code == 2
    assert "a risk of 1% cannot be promised: the least that can is" in refused.err
    deep = facts("ask", "When was the Harbour Bridge opened?", "--max-risk", "0.3", "--rounds", "2")
    assert "no risk can be promised with more than one search" in deep.err


def test_what_answers_no_question_needs_no_promise(facts: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_MAX_RISK", "0.01")
    assert facts("judge", "When was the Harbour Bridge opened?").code == 0
    assert facts("ask", "When was the Harbour Bridge opened?").code == 2


def test_a_promise_holds_back_what_is_not_sure_enough(facts: Cli):
    unsure = "How long is the Harbour Bridge?"
    found = facts("ask", unsure, "--json").object
    gated = facts("ask", unsure, "--max-risk", "0.13", "--json").object
    assert 0.7 <= found["judgement"]["sufficiency"] < 0.94, found["judgement"]["sufficiency"]
    assert (found["outcome"] in ("answered", "partial"), gated["outcome"]) == (True, "abstained")


def test_a_promise_of_claims_is_told_and_what_is_not_sure_enough_is_unknown(tmp_path: Path):
    source = tmp_path / "source.txt"
    source.write_text("The Harbour Bridge was opened on 3 May 1932. It carries eight lanes.")
    draft = tmp_path / "draft.txt"
    draft.write_text("The Harbour Bridge was opened on 3 May 1932.")
    checked = call("check", draft, "--context", source, "--max-risk", "0.35", "--json")
    told = [each for each in checked.object["checks"] if each["name"] == "max-risk"]
    assert checked.code == 0, checked
    assert [each["status"] for each in told] == ["passed"]
    assert "at most 35% of the claims called supported are wrong" in told[0]["cause"]
    refused = call("check", draft, "--context", source, "--max-risk", "0.01")
    assert refused.code == 2
    assert "a risk of 1% cannot be promised: the least that can is" in refused.err


def test_no_promise_of_claims_with_checks_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_SKIP", "numbers")
    text = tmp_path / "draft.txt"
    text.write_text("The Harbour Bridge was opened on 3 May 1932.")
    refused = call("check", text, "--context", text, "--max-risk", "0.35")
    assert (refused.code, "with checks switched off" in refused.err) == (2, True)


def test_two_labels_of_one_run_are_refused_though_their_ids_differ(answered: Path, empty: Cli):
    with answered.open("a") as file:
        file.write('{"id": "01ja07", "label": true}\n')
    refused = empty("calibrate", answered, "-c", "notes")
    assert (refused.code, "line 41: run 01JA07 is labelled in line 8 already" in refused.err) == (2, True)


def test_an_answer_says_how_likely_it_is_right_and_how_far_off_that_may_be(facts: Cli):
    found = facts("ask", "When was the Harbour Bridge opened?", "--json").object["confidence"]
    assert found["calibrated"]
    assert 0 < found["value"] < 1
    assert found["n"] > 200
    asked = facts("ask", "When was the Harbour Bridge opened?", "--rounds", "2", "--json")
    deep = asked.object["confidence"]
    assert (deep["value"], deep["cause"]) == (None, "the calibration was fitted on answers after one search")


def test_an_audit_makes_a_card_of_the_rules_and_of_scores(tmp_path: Path):
    path = tmp_path / "claims.jsonl"
    context = "The bridge was opened on 3 May 1932."
    rows = [(context, True), ("The bridge was opened on 3 May 1933.", False)]
    path.write_text(
        "".join(
            json.dumps({"id": str(n), "claim": claim, "context": context, "label": label, "set": "dates"}) + "\n"
            for n, (claim, label) in enumerate(rows)
        )
    )
    card = _audited(path)
    assert card["judge"] == "deterministic, checker bundled"
    assert (card["all"]["balanced_accuracy"], card["sets"]["dates"]["n"]) == (1.0, 2)
    assert card["cost"] == 0.0
    path.write_text('{"id": "a", "label": true, "score": 0.9}\n{"id": "b", "label": false, "score": 0.2}\n')
    assert _audited(path)["all"]["auroc"] == 1.0
    path.write_text('{"id": "a", "label": true, "score": 0.9}\n{"id": "a", "label": false, "score": 0.2}\n')
    assert "line 2: the id 'a' stands in line 1 already" in call("audit", path).err
    path.write_text('{"id": "a", "label": true, "score": 0.9}\n{"id": "b", "label": false, "score": NaN}\n')
    assert "line 2: its score is NaN" in call("audit", path).err
    path.write_text('{"id": "a", "label": true, "score": 0.9}\n')
    assert "every label is the same" in call("audit", path).err


def _audited(path: Path) -> dict[str, object]:
    made = call("audit", path, "--json")
    assert made.code == 0, made
    return made.object
