"""The command line says that an answer was kept, and the figures count the calls that this saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .conftest import Cli, call

QUESTION = "At how many degrees does water boil?"
USED = {"prompt_tokens": 200, "completion_tokens": 40, "total_tokens": 240}
RULES = ({"role": "writer", "reply": "Water boils at 100 degrees Celsius at sea level. [1]", "usage": USED},)


def test_a_kept_answer_asks_no_model_and_says_where_it_is_from(own: Cli, scripted: Callable[..., str]):
    asking = (QUESTION, "--model", scripted(*RULES), "--reuse", "same")
    first = own("ask", *asking, "--json").object
    again = own("ask", *asking, "--json").object
    assert (first["usage"]["calls"], again["usage"]["calls"]) == (1, 0)
    assert "reused_from" not in first
    assert (again["reused_from"], again["text"]) == (first["run_id"], first["text"])
    told = f"reused from run {first['run_id']}: its sources still support it"
    for shown in (own("ask", *asking), own("show", "last")):
        assert told in " ".join(shown.out.split())
    assert "kept answers       66.7 % of 3 looked for were served, 2 model calls saved" in own("figures").out
    counted = own("figures", "--json").object
    assert (counted["lookups"], counted["reused"], counted["saved_calls"]) == (3, 2, 2)


def test_a_model_whose_file_changed_answers_anew(own: Cli, scripted: Callable[..., str]):
    asking = (QUESTION, "--reuse", "same", "--json", "--model")
    assert "reused_from" not in own("ask", *asking, scripted(*RULES)).object
    other = {**RULES[0], "reply": "At sea level, water boils at 100 degrees Celsius. [1]"}
    assert "reused_from" not in own("ask", *asking, scripted(other)).object


def test_deleting_all_runs_deletes_what_was_kept(own: Cli, tmp_path: Path):
    own("ask", QUESTION, "--reuse", "near")
    assert "reused_from" in own("ask", QUESTION, "--reuse", "near", "--json").object
    assert call("runs", "delete", "--all", "--yes", "--data-dir", tmp_path / "data").code == 0
    assert "reused_from" not in own("ask", QUESTION, "--reuse", "near", "--json").object
