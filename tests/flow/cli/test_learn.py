"""learn: what labels teach is printed before and after, used from then on, listed, and taken back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay import open_engine
from assay.cli.learn import _lines
from assay.evals.labels_file import recorded_claims
from assay.evals.learning import Lesson, State
from assay.records.labels import WHOLE, Labels
from assay.records.learning import SEARCH, THRESHOLD, Change, LearningLog
from assay.records.runs import RunStore
from assay.types import (
    AnswerReading,
    Claim,
    Confidence,
    Decision,
    Done,
    Evidence,
    EvidenceFound,
    Hit,
    Passage,
    Verdict,
)
from assay.wiring.replay import replay

from ...unit.evals.labelled import rows
from ...unit.models.tiny_hub import classifier, hub_folder
from ...unit.records.test_runs import answer
from .conftest import Cli, call

ASKED = "When was the Harbour Bridge opened?"
NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
WORDS = {"yes": (4, 0, 0), "well": (0, 3, 0), "no": (0, 0, 4)}


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A data folder with sixty labelled answers: the surer the reader, the oftener they are right."""
    store = RunStore(tmp_path / "data" / "runs.sqlite", "notes")
    labels = Labels(store)
    for n in range(60):
        run_id, odds = f"01JA{n:02}", n / 7.5 - 4
        reading = AnswerReading(odds, 1.0, 1.0, odds)
        rated = Confidence(None, n / 60, "low", answers="unsure", reading=reading)
        made = replace(answer(run_id), question=f"How hot is {n}?", confidence=rated)
        store.open(run_id, made.question)
        store.receive(run_id, Done(seq=1, at=10.0, answer=made))
        labels.add(run_id, WHOLE, good=n >= 30, at=float(n), by="Ann")
    store.close()
    return tmp_path / "data"


def test_what_is_learned_is_used_listed_and_taken_back(labelled: Path, empty: Cli):
    made = empty("learn", "-c", "notes", "--by", "Ann")
    assert made.code == 0, made
    assert "confidence: learned" in made.out
    assert "threshold: learned" in made.out
    assert "checker: too few to measure\n    0 labelled claims" in made.out
    assert "to undo it: assay learn --undo -c notes" in made.err
    log = LearningLog(labelled, "notes")
    assert 0.2 < (log.threshold() or 0) < 0.763
    assert _versions(empty) == [(0, False), (1, True)]
    again = empty("learn", "-c", "notes")
    assert (again.out.count("nothing new"), "nothing was changed" in again.err) == (2, True)
    assert empty("learn", "--list", "-c", "notes").out.count("by Ann") == 1
    undone = empty("learn", "--undo", "-c", "notes")
    assert undone.out.splitlines()[0] == "confidence: 1 is undone, 0 applies"
    assert (log.threshold(), _versions(empty)) == (None, [(0, True), (1, False)])
    assert "taken back" in empty("learn", "--list", "-c", "notes").out
    assert empty("learn", "--undo", "-c", "notes").code == 2


def _versions(empty: Cli) -> list[tuple[int, bool]]:
    listed = empty("calibrate", "-c", "notes", "--json").object["calibrations"]
    return [(one["version"], one["in_use"]) for one in listed]


def test_a_dry_run_changes_nothing(labelled: Path, empty: Cli):
    found = empty("learn", "-c", "notes", "--dry-run", "--json").object
    states = {one["part"]: one["state"] for one in found["lessons"]}
    assert states == {"confidence": "learned", "threshold": "learned", "checker": "too few to measure"}
    assert found["learning"] is None
    assert (_versions(empty), LearningLog(labelled, "notes").threshold()) == ([(0, True)], None)


def test_a_dry_run_says_what_would_be_learned(labelled: Path, empty: Cli):
    found = empty("learn", "-c", "notes", "--dry-run")
    assert "confidence: would be learned" in found.out
    assert "interval of what it gains: " in found.out
    assert "dry run: nothing was changed" in found.err


@pytest.mark.parametrize(("gain", "told"), [(0.02, "    better by 0.020 in "), (-0.02, "    worse by 0.020 in ")])
def test_a_loss_is_called_one(gain: float, told: str):
    lesson = Lesson("confidence", State.LEARNED, "45 answers", "20", gain=gain, gain_of="it", low=-0.1, high=0.1)
    assert list(_lines(lesson, dry_run=False))[-1].startswith(told)


def test_a_calibration_chosen_since_is_left_alone_by_undo(labelled: Path, empty: Cli):
    empty("learn", "-c", "notes")
    empty("calibrate", "--use", "0", "-c", "notes")
    undone = empty("learn", "--undo", "-c", "notes")
    assert "confidence is left unchanged" in undone.err


def test_a_threshold_of_ones_own_is_not_learned(labelled: Path, empty: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_ANSWERS_FROM", "0.6")
    found = empty("learn", "-c", "notes", "--dry-run", "--json").object
    assert [one["part"] for one in found["lessons"]] == ["confidence", "checker"]


def test_without_labels_nothing_is_learned(own: Cli):
    found = own("learn")
    assert found.code == 0
    assert found.out.count("too few to measure") == 3
    assert own("learn", "--undo").code == 2
    assert own("learn", "--undo", "--list").code == 2


def test_a_learned_threshold_decides_and_a_replay_keeps_it(own: Cli, tmp_path: Path):
    data = tmp_path / "data"
    assert own("ask", ASKED).code == 0
    LearningLog(data, "default").add([Change(THRESHOLD, None, 0.999, 40)], at=1.0, by="Ann")
    with open_engine(data_dir=data) as engine:
        unsure = engine.ask(ASKED)
    assert unsure.answers_question == "unsure"
    assert own("ask", ASKED, "--answers-from", "0.5").code == 0  # what somebody sets holds
    own("learn", "--undo")
    assert own("ask", ASKED).code == 0
    assert replay(unsure.run_id, data_dir=data).answers_question == "unsure"


def test_labelled_claims_teach_the_checker(tmp_path: Path):
    place = hub_folder(tmp_path / "nli", WORDS, classifier(WORDS), id2label=NLI)
    data = tmp_path / "data"
    store = RunStore(data / "runs.sqlite", "notes")
    labels = Labels(store)
    for n, row in enumerate(rows()):
        run_id, text = f"01JB{n:03}", row["evidence"]
        passage = Passage(f"p{n // 2}", f"d{n // 2}", "", 0, len(text), text)
        claim = Claim(1, row["claim"], 0, 9, (passage.passage_id,), Verdict.UNKNOWN, 0.5)
        store.open(run_id, "Who came?")
        store.receive(run_id, EvidenceFound(seq=1, at=9.0, queries=("q",), evidence=Evidence((Hit(passage, 1.0),))))
        store.receive(run_id, Done(seq=2, at=10.0, answer=replace(answer(run_id), claims=(claim,))))
        labels.add(run_id, 1, good=row["label"] == "supported", at=float(n), by="Ann")
    store.close()
    given = ("-c", "notes", "--checker", place, "--data-dir", data)
    found = call("learn", *given, "--json").object
    lesson = next(one for one in found["lessons"] if one["part"] == "checker")
    assert lesson["state"] == "learned", lesson
    assert (lesson["before"]["true claims supported"], lesson["after"]["true claims supported"]) == (0, 44)
    claims = {"claim": rows()[0]["claim"], "context": f"Few reached the pier by boat , and 7 left , {'yes'}"}
    checker = ("--checker", place, "--data-dir", data)

    def verdict() -> str:
        (one,) = call("check", "--jsonl", *checker, stdin=json.dumps(claims).encode()).object["claims"]
        return one["verdict"]

    learned = verdict()
    assert call("learn", "--undo", *given).out.startswith("checker: 1 is undone, 0 applies")
    assert (learned == "supported", verdict() == "supported") == (True, False)


def test_the_claims_of_an_accepted_answer_count_as_supported(own: Cli, tmp_path: Path):
    own("ask", ASKED)
    store = RunStore(tmp_path / "data" / "runs.sqlite", "default")
    run_id = store.load("last").run.run_id
    labels = Labels(store)
    labels.add(run_id, WHOLE, good=True, at=1.0, by="Ann")
    assert recorded_claims(labels, "default", with_accepted=True) == ()  # a label is no decision
    store.add_decision(run_id, Decision(2.0, "Ann", accepted=True), is_label=True)
    accepted = recorded_claims(labels, "default", with_accepted=True)
    assert {claim.label for claim in accepted} == {Verdict.SUPPORTED}
    assert accepted
    assert recorded_claims(labels, "default") == ()
    labels.add(run_id, 1, good=False, at=3.0, by="Ann")
    assert [claim.label for claim in recorded_claims(labels, "default", with_accepted=True)].count(
        Verdict.UNSUPPORTED
    ) == 1
    store.close()


def test_what_a_search_is_worth_is_put_in_force_kept_by_replays_and_taken_back(own: Cli, tmp_path: Path):
    data, told = tmp_path / "data", "How is the Harbour Bridge maintained today?"
    table = {"rules": {"REFINE": dict.fromkeys(("correct", "ambiguous", "incorrect"), 1.0)}}
    log = LearningLog(data, "default")
    log.add([Change(SEARCH, None, table, 40)], at=1.0, by="Ann")
    with open_engine(data_dir=data, rounds=2) as engine:
        searched = engine.ask(told)
    assert searched.searches == 2
    assert "REFINE correct 1 (rules)" in own("learn", "--list").out
    assert "is undone, the default applies" in own("learn", "--undo").out
    with open_engine(data_dir=data, rounds=2) as engine:
        assert engine.ask(told).searches == 1
    assert replay(searched.run_id, data_dir=data).searches == 2


def test_questions_are_asked_with_and_without_a_second_search(own: Cli, tmp_path: Path):
    line = {"question": "How is the Harbour Bridge maintained today?", "answerability": "none"}
    lines = [{"id": str(n), **line} for n in range(2)]
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = own("learn", "--search", questions, "--json").object
    (lesson,) = found["lessons"]
    assert (lesson["part"], lesson["state"], lesson["latest"]) == ("searching again", "too few to measure", 2)
    assert len(list((tmp_path / "data" / "evaluations").iterdir())) == 2


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--search", "none.jsonl"), "there is no data set"),
        (("--search", "q.jsonl", "--undo"), "--search asks questions"),
        (("--set", "k=3"), "--set needs --search"),
        (("--search", "q.jsonl", "--set", "rounds=3"), "rounds is set"),
        (("--search", "q.jsonl", "--set", "search_utility={}"), "search_utility is set"),
        (("--search", "q.jsonl", "--set", "model=fake:s.json", "--set", "profile=auto"), "the profile auto"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_before_anything_is_asked(
    own: Cli, flags: tuple[str, ...], told: str
):
    refused = own("learn", *flags)
    assert (refused.code, told in refused.err) == (2, True), refused
