"""A claim that was tested on the same passages costs no second call of the model, and its replay is the same."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli, call

QUESTION = "At how many degrees does water boil?"
SAID = "At sea level 100 degrees Celsius make water boil."
USED = {"prompt_tokens": 200, "completion_tokens": 40, "total_tokens": 240}


def rules(verdict: str = "supported") -> tuple[dict[str, Any], ...]:
    part = {"text": SAID, "verdict": verdict, "sentences": [2] if verdict == "supported" else []}
    return (
        {"role": "writer", "reply": f"{SAID} [1]", "usage": USED},
        {"role": "verifier", "reply": {"claims": [{"number": 1, "parts": [part]}]}, "usage": USED},
        {"role": "judge", "reply": {"reason": "It is stated.", "verdict": "yes", "missing": ""}, "usage": USED},
    )


@pytest.fixture
def model(scripted: Callable[..., str]) -> tuple[str, ...]:
    name = scripted(*rules())
    # The bundled checker would settle the claim, and no model would be asked.
    return ("--model", name, "--verifier-model", name, "--profile", "balanced", "--checker", "none")


def verifier_calls(own: Cli) -> tuple[int, int]:
    """The calls that tested claims in all recorded runs, and the verdicts that were known."""
    cost = own("figures", "--json").object["check_costs"]["verifier"]
    return cost["usage"]["calls"], cost["kept"]


def test_a_second_question_of_the_same_claim_asks_no_verifier(own: Cli, model: tuple[str, ...]):
    first = own("ask", QUESTION, "--json", *model).object
    second = own("ask", QUESTION, "--json", *model).object
    assert verifier_calls(own) == (1, 1)
    assert first["usage"]["calls"] == second["usage"]["calls"] + 1
    assert (first["text"], first["verdict"]) == (second["text"], second["verdict"])
    told = [event["reason"] for event in second["claims"][0]["history"]]
    assert any(reason.endswith("(as in an earlier test)") for reason in told)
    assert f"{'verifier':18} {1:>8} {240:>8} {'0.0000':>10} {1:>8}" in own("figures").out


def test_both_runs_replay_to_the_same_bytes(own: Cli, model: tuple[str, ...], tmp_path: Path):
    asked = [own("ask", QUESTION, "--json", *model) for _ in range(2)]
    (tmp_path / "data" / "collections" / "default" / "validations.sqlite").unlink()
    for each in asked:
        assert own("replay", each.object["run_id"], "--json").out == each.out


def test_a_verdict_is_deleted_with_the_last_run_that_used_it(own: Cli, model: tuple[str, ...], tmp_path: Path):
    first, second = (own("ask", QUESTION, "--json", *model).object["run_id"] for _ in range(2))
    file = tmp_path / "data" / "collections" / "default" / "validations.sqlite"

    def quotes() -> bool:
        return any(b"100 degrees" in part.read_bytes() for part in file.parent.glob("validations.sqlite*"))

    assert quotes()
    data = ("--data-dir", tmp_path / "data")
    assert call("runs", "delete", first, "--yes", *data).code == 0
    assert quotes()
    deleted = call("runs", "prune", "--older-than", "0d", "--yes", *data)
    assert deleted.code == 0, deleted
    assert not quotes()
    assert own("ask", QUESTION, "--json", *model).code == 0
    assert verifier_calls(own) == (1, 0)
    assert second not in call("runs", "list", "--json", *data).out


def test_who_wants_no_verdict_used_again_asks_again(own: Cli, model: tuple[str, ...], tmp_path: Path):
    for _ in range(2):
        own("ask", QUESTION, "--no-keep-verdicts", *model)
    assert verifier_calls(own) == (2, 0)
    assert not (tmp_path / "data" / "collections" / "default" / "validations.sqlite").exists()


def test_a_model_whose_file_changed_is_asked_again(own: Cli, model: tuple[str, ...], tmp_path: Path):
    own("ask", QUESTION, *model)
    script = tmp_path / "script.json"
    script.write_text(json.dumps(rules("unsupported")), encoding="utf-8")
    os.utime(script, (1, 1))
    own("ask", QUESTION, *model)
    calls, known = verifier_calls(own)
    assert calls >= 2
    assert known == 0


def test_a_model_that_is_asked_otherwise_is_asked_again(own: Cli, model: tuple[str, ...]):
    for warmer in ((), ("--judge-temperature", "0.5"), ("--judge-temperature", "0.5"), ()):
        own("ask", QUESTION, *model, *warmer)
    assert verifier_calls(own) == (2, 2)


def test_a_text_that_is_checked_again_needs_no_verifier(own: Cli, model: tuple[str, ...], tmp_path: Path):
    text = tmp_path / "answer.txt"
    text.write_text(SAID, encoding="utf-8")
    checking = ("check", text, "--json", "--checker", "none", *model[2:])  # a checker settles it by itself
    known = []
    for flag in ("--keep-verdicts", "--keep-verdicts", "--no-keep-verdicts"):
        checked = own(*checking, flag)
        assert checked.code == 0, checked
        (claim,) = checked.object["claims"]
        known.append(sum("as in an earlier test" in event["reason"] for event in claim["history"]))
    assert known == [0, 1, 0]


def test_a_recording_from_before_verdicts_were_kept_is_replayed(own: Cli, model: tuple[str, ...], tmp_path: Path):
    asked = own("ask", QUESTION, "--json", "--no-keep-verdicts", *model)
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as file:
        (about,) = file.execute("SELECT about FROM recordings").fetchone()
        told = json.loads(about)
        del told["settings"]["keep_verdicts"]
        file.execute("UPDATE recordings SET about = ?", (json.dumps(told),))
    assert own("replay", "last", "--json").out == asked.out
