"""replay: the same bytes as ask, from the tape alone."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Cli

BOIL = "At how many degrees does water boil?"
RULES = (
    {
        "role": "writer",
        "contains": BOIL,
        "reply": "Water boils at 100 degrees Celsius at sea level [1].",
        "pieces": 7,
    },
    {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}},
)


@pytest.mark.parametrize("flags", [[], ["--profile", "balanced"], ["--citation-style", "footnote"]])
def test_replay_prints_what_ask_printed_without_the_model_and_the_collection(
    own: Cli, scripted: Callable[..., str], tmp_path: Path, flags: list[str]
):
    model = scripted(*RULES)
    asked, as_object = own("ask", BOIL, "-m", model, *flags), own("ask", BOIL, "-m", model, *flags, "--json")
    Path(model.removeprefix("fake:")).unlink()
    shutil.rmtree(tmp_path / "data" / "collections")
    runs = own("show", "--json").object["runs"]
    again = own("replay", runs[1]["run_id"])
    assert (again.code, again.out) == (asked.code, asked.out)
    again = own("replay", "last", "--json")
    assert (again.code, again.out) == (as_object.code, as_object.out)


@pytest.mark.parametrize(
    "reply",
    [
        "Water boils at 100 degrees Celsius at sea level [1]. It freezes at 0 degrees Celsius [1].",
        "Water boils at 100 degrees Celsius at sea level [1]. The flag is green and made of silk.",
        "The moon is made of cheese [1].",
    ],
)
@pytest.mark.parametrize("flags", [[], ["--references"], ["--unsupported", "mark"]])
def test_replay_prints_what_was_streamed_as_it_was_streamed(
    own: Cli, scripted: Callable[..., str], reply: str, flags: list[str]
):
    model = scripted({"role": "writer", "reply": reply, "pieces": 5})
    asked = own("ask", BOIL, "--stream", "-m", model, *flags)
    again = own("replay", "last")
    assert (again.code, again.out) == (asked.code, asked.out)
    assert own("replay", "last", "--json").object["outcome"] == "answered"
    named = own("replay", "last", "--citation-style", "named").out
    assert "[1]" not in named.splitlines()[0]


def test_replay_of_no_answer_exits_as_ask_did(own: Cli):
    asked = own("ask", "Who won the chess tournament in Reykjavik?", "--json")
    again = own("replay", "last", "--json")
    assert (again.code, again.out) == (asked.code, asked.out) == (3, asked.out)


def test_replay_of_an_error_is_that_error(own: Cli, scripted: Callable[..., str]):
    model = scripted({"role": "writer", "error": {"kind": "refused", "message": "no such model"}})
    asked = own("ask", BOIL, "-m", model)
    again = own("replay", "last")
    assert asked.code == 5
    assert (again.code, again.out, again.err) == (asked.code, asked.out, asked.err)


def test_a_run_without_a_tape_cannot_be_replayed(own: Cli):
    assert own("ask", BOIL, "--no-tape").code == 0
    again = own("replay", "last")
    assert again.code == 2
    assert "its tape was not kept" in again.err
    assert "hint: " in again.err


def test_replay_of_no_run_is_told(own: Cli):
    assert "no run is recorded yet" in own("replay", "last").err
    assert "there is no run 'nothing'" in own("replay", "nothing").err


@pytest.mark.parametrize(
    ("settings", "code"),
    [({"weights": "fitted", "shadow": "none", "adaptive": False}, 0), ({"weights": "seed"}, 6), ({"charm": 1}, 6)],
)
def test_a_recording_with_settings_that_are_gone_is_replayed_where_they_changed_nothing(
    own: Cli, tmp_path: Path, settings: dict[str, object], code: int
):
    asked = own("ask", BOIL, "--json")
    with sqlite3.connect(tmp_path / "data" / "runs.sqlite") as file:
        (about,) = file.execute("SELECT about FROM recordings").fetchone()
        recorded = json.loads(about)
        recorded["settings"] |= settings
        file.execute("UPDATE recordings SET about = ?", (json.dumps(recorded),))
    replayed = own("replay", "last", "--json")
    assert replayed.code == code, replayed
    assert replayed.out == (asked.out if code == 0 else "")
    assert (next(iter(settings)) in replayed.err, "ask the question again" in replayed.err) == (bool(code),) * 2
