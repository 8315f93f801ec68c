"""replay --set: a recorded run decided again, from its tape and from nothing else unless it may."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.records.runs import RunStore
from assay.settings import Settings
from assay.wiring.what_if import what_if

from .conftest import Cli

# A judge that is always asked.
BALANCED = ("--profile", "balanced", "--borderline-low", "0", "--borderline-high", "1")
BOIL = "At how many degrees does water boil?"
WRITTEN = "Water boils at 100 degrees Celsius at sea level [1]."
NOT_STATED = {
    "role": "judge",
    "contains": "the item with the number",
    "reply": {"reason": "It is not stated.", "verdict": "no", "missing": "the item"},
}
RULES = (
    {"role": "writer", "contains": BOIL, "reply": WRITTEN, "pieces": 7},
    NOT_STATED,
    {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}},
)


@pytest.fixture
def alone(own: Cli, tmp_path: Path) -> Callable[[], None]:
    """Takes away everything but the record of runs."""

    def take_away() -> None:
        shutil.rmtree(tmp_path / "data" / "collections")
        (tmp_path / "script.json").unlink(missing_ok=True)

    return take_away


def test_a_changed_threshold_decides_otherwise_from_the_tape_alone(own: Cli, alone: Callable[[], None]):
    assert own("ask", BOIL).code == 0
    alone()
    changed = own("replay", "last", "--set", "least_passages=200", "--json")
    assert changed.code == 0, changed.err
    found = changed.object
    assert found["settings"] == [{"path": "least_passages", "before": 1, "after": 200}]
    assert (found["calls"], found["drifted"]) == ([], False)
    parts = {change["path"]: (change["before"], change["after"]) for change in found["difference"]["changed"]}
    assert parts["actions"] == (["ANSWER"], ["ABSTAIN"])
    assert parts["judgement.recommendation"][0] == "ANSWER"
    assert found["answer"]["judgement"]["recommendation"] != "ANSWER"
    told = own("replay", "last", "--set", "least_passages=200")
    assert "least_passages 200 instead of 1" in told.out
    assert "ANSWER → ABSTAIN" in told.out


# Everything that may be changed, each as it was: nothing may differ, and nobody may be asked.
SAME = (
    *("k", "mode", "fusion", "correct", "incorrect", "judging", "excellent", "good", "partial", "least_passages"),
    *("rounds", "repairs", "max_calls", "model", "context_tokens", "ask_back", "profile", "importance", "rules"),
    *("unsupported", "quality", "floor", "reflection", "spelling", "checker", "reader", "reranker", "explain"),
    *("borderline_low", "borderline_high"),
)


def test_settings_set_as_they_were_change_nothing(
    own: Cli, alone: Callable[[], None], scripted: Callable[..., str]
):
    model = scripted(*RULES)
    assert own("ask", BOIL, "-m", model, *BALANCED).code == 0
    alone()
    as_they_were = {**Settings().model_dump(mode="json"), "profile": "balanced", "model": model}
    as_they_were |= {"rounds": 2, "repairs": 4, "max_calls": 8, "borderline_low": 0.0, "borderline_high": 1.0}
    pairs = [part for name in SAME for part in ("--set", f"{name}={as_they_were[name]}")]
    found = own("replay", "last", *pairs, "--json")
    assert found.code == 0, found.err
    assert found.object["difference"]["changed"] == []
    assert (found.object["calls"], found.object["drifted"]) == ([], False)
    assert "nothing differs" in own("replay", "last", *pairs).out


def test_what_the_tape_lacks_is_computed_by_the_networks_that_the_run_had(
    own: Cli, alone: Callable[[], None], scripted: Callable[..., str]
):
    model = scripted(*RULES)
    assert own("ask", BOIL, "-m", model).code == 0
    alone()
    found = own("replay", "last", "--set", "model=none", "--json").object
    assert found["answer"]["models"]["writer"] == "extractive"
    assert found["answer"]["verdict"] == "supported"
    assert found["calls"] == []


def test_a_stage_that_asks_nothing_leaves_the_prompts_of_the_others(
    own: Cli, alone: Callable[[], None], scripted: Callable[..., str]
):
    model = scripted(*RULES)
    assert own("ask", BOIL, "-m", model, *BALANCED).code == 0
    alone()
    found = own("replay", "last", "--set", "judging=off", "--json")
    assert found.code == 0, found.err
    assert found.object["answer"]["text"] == WRITTEN.replace(" [1].", ". [1]")
    assert found.object["answer"]["usage"]["calls"] == 1


def test_a_call_that_is_not_on_the_tape_is_named_and_not_made(
    own: Cli, alone: Callable[[], None], scripted: Callable[..., str]
):
    assert own("ask", BOIL).code == 0
    alone()
    refused = own("replay", "last", "--set", "model=fake:nowhere.json")
    assert refused.code == 6
    assert "does not hold this call of the writer model fake:nowhere.json: <sources" in refused.err
    assert "--live" in refused.err
    refused = own("replay", "last", "--set", "k=3")
    assert "diverged at step" in refused.err
    assert f"of the search of the collection: {BOIL}" in refused.err


def test_live_makes_the_calls_that_the_tape_lacks_and_records_nothing(
    own: Cli, scripted: Callable[..., str], tmp_path: Path
):
    assert own("ask", BOIL).code == 0
    model = scripted({"role": "writer", "reply": "Water boils at 100 degrees Celsius [1]."})
    found = own("replay", "last", "--set", f"model={model}", "--live", "--json")
    assert found.code == 0, found.err
    assert found.object["calls"] == ["stream fake:script.json"]
    assert found.object["answer"]["models"]["writer"] == "fake:script.json"
    changed = {change["path"] for change in found.object["difference"]["changed"]}
    assert {"text", "models.writer", "usage.calls"} <= changed
    again = own("replay", "last", "--set", "k=1", "--live")
    assert "calls made that are not on the tape: 1 (retrieve)" in again.out
    assert len(own("show", "--json").object["runs"]) == 1


def test_a_run_that_its_deadline_cut_asks_again_what_was_cut(own: Cli, scripted: Callable[..., str]):
    slow = scripted({"role": "writer", "reply": WRITTEN, "delay": 30})
    assert own("ask", BOIL, "-m", slow, "--deadline", "0.6").code == 5
    refused = own("replay", "last", "--set", "detail=3")
    assert refused.code == 6
    assert "of the writer model" in refused.err
    scripted({"role": "writer", "reply": WRITTEN})
    found = own("replay", "last", "--set", "quality=0.1", "--live", "--json")
    assert found.code == 0, found.err
    parts = {change["path"]: change for change in found.object["difference"]["changed"]}
    assert parts["error"]["before"].startswith("DeadlinePassed: ")
    assert parts["outcome"] == {"path": "outcome", "before": None, "after": "answered"}


def test_another_checker_than_then_is_not_asked(own: Cli, tmp_path: Path):
    assert own("ask", BOIL).code == 0
    _edit(tmp_path, lambda about: about["reader"].update(sha256="0" * 64))
    refused = own("replay", "last", "--set", "correct=0.71")
    assert refused.code == 6
    assert "does not hold this call of the reader" in refused.err


def test_a_run_of_another_version_says_that_the_difference_is_not_that_of_the_settings_alone(
    own: Cli, tmp_path: Path
):
    assert own("ask", BOIL).code == 0
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as file:
        file.execute("DROP TRIGGER events_stay")
        file.execute(
            """UPDATE events SET body = replace(body, '"verdict": "supported"', '"verdict": "unknown"')
            WHERE kind = 'done'"""
        )
    found = own("replay", "last", "--set", "correct=0.71")
    assert "warning: this version of assay answers the run differently" in found.err
    assert "unknown → supported" in found.out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("embedder=other", "reindex it"),
        ("deadline=3", "not on the tape"),
        ("openai_base_url=http://127.0.0.1:1", "only calls with --live"),
        ("references=true", "how an answer is printed"),
        ("citation_style=named", "--citation-style"),
        ("colection=x", "did you mean 'collection'?"),
        ("correct=7", "the change of correct: must be less than or equal to 1"),
        ("correct", "is not KEY=VALUE"),
        ("profile=thorough", "needs a judge with a language model"),
    ],
)
def test_what_cannot_be_changed_after_the_run_is_refused_with_the_reason(own: Cli, change: str, told: str):
    assert own("ask", BOIL).code == 0
    refused = own("replay", "last", "--set", change)
    assert refused.code == 2
    assert told in refused.err


def test_live_without_a_change_is_refused(own: Cli):
    assert own("ask", BOIL).code == 0
    assert "--live needs a changed setting" in own("replay", "last", "--live").err


def test_a_recording_with_one_list_of_codes_for_all_stages_is_replayed(
    own: Cli, scripted: Callable[..., str], tmp_path: Path
):
    asked = own("ask", BOIL, "-m", scripted(*RULES), *BALANCED, "--json")
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as file:
        assert file.execute("UPDATE tapes SET key = '' WHERE port = 'fence'").rowcount > 1
    assert own("replay", "last", "--json").out == asked.out


def test_passages_of_a_caller_stay_as_they_were(own: Cli, tmp_path: Path):
    text = "The harbour bridge was opened on 3 May 1932."
    line = {"id": "a", "question": "When was the bridge opened?", "passages": [{"id": "p", "text": text}]}
    assert own("ask", "--jsonl", stdin=json.dumps(line).encode()).code == 0
    shutil.rmtree(tmp_path / "data" / "collections")
    found = what_if("last", {"correct": 0.71}, data_dir=tmp_path / "data")
    assert found.difference.is_empty
    refused = own("replay", "last", "--set", "k=1")
    assert "the caller's passages answered the search" in refused.err


def test_the_library_gives_what_the_command_prints(own: Cli, tmp_path: Path):
    assert own("ask", BOIL).code == 0
    printed = own("replay", "last", "--set", "least_passages=200", "--json").object
    found = what_if("last", {"least_passages": 200}, data_dir=tmp_path / "data").to_dict()
    for body in (printed, found):
        body["answer"].pop("ms")
        body["answer"]["judgement"].pop("ms")
        body["answer"].pop("first_verified_ms")
    assert found == printed


def _edit(tmp_path: Path, change: Callable[[dict], None]) -> None:
    """Change what the record says about the run, and forget what its reader read."""
    store = RunStore(tmp_path / "data" / "runs.sqlite")
    about = dict(store.recording("last").about)
    change(about)
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as file:
        file.execute("UPDATE recordings SET about = ?", (json.dumps(about),))
        file.execute("DELETE FROM tapes WHERE port = 'read'")
