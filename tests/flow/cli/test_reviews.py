"""figures, review and rubrics: what the record says of answers, what people decide, what answers are judged by."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.assessment.rubrics import FILE_NAME, shipped_rubrics
from assay.records.runs import RunStore
from assay.types import Done, Finding, Severity

from ...unit.records.test_runs import answer
from .conftest import Cli, call

LEFT = Finding("dates", 1, Severity.BLOCK, "the source says \x1b[31m1932", "use the source's date")


QUESTION = "At how many degrees does water boil?"
SAID = "At sea level 100 degrees Celsius make water boil."


def models(scripted: Callable[..., str]) -> tuple[str, ...]:
    """A writer in other words than the source's, and a verifier that rules on what rules leave open."""
    part = {"text": SAID, "verdict": "supported", "sentences": [2]}
    name = scripted(
        {"role": "writer", "reply": f"{SAID} [1]"},
        {
            "role": "verifier",
            "reply": {"claims": [{"number": 1, "parts": [part]}]},
            "usage": {"prompt_tokens": 200, "completion_tokens": 40, "total_tokens": 240},
        },
        {"role": "judge", "reply": {"reason": "It is stated.", "verdict": "yes", "missing": ""}},
    )
    return ("--model", name, "--verifier-model", name)


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """A data folder with one answer that waits for a person, and one that does not."""
    store = RunStore(tmp_path / "data" / "runs.sqlite", "notes")
    for run_id, findings in (("01JA", (LEFT,)), ("01JB", ())):
        store.open(run_id, "How hot?")
        store.receive(run_id, Done(seq=1, at=10.0, answer=replace(answer(run_id), findings=findings)))
    store.close()
    return tmp_path / "data"


def test_review_lists_what_waits_and_records_who_decided(waiting: Path, empty: Cli):
    listed = empty("review")
    assert listed.code == 0
    assert "01JA" in listed.out
    assert "01JB" not in listed.out
    assert "dates: the source says" in listed.out
    assert "\x1b" not in listed.out
    decided = empty("review", "01JA", "--reject", "--note", "the old date", "--by", "Maria")
    assert (decided.code, decided.err) == (0, "rejected 01JA as Maria\n")
    assert decided.out.startswith("rejected by Maria, ")
    assert decided.out.endswith(": the old date\n")
    assert empty("review").err == "no answers are waiting for review\n"
    shown = empty("review", "01JA")
    assert "question: How hot?" in shown.out
    assert "rejected by Maria" in shown.out


def test_review_as_json(waiting: Path, empty: Cli):
    (one,) = empty("review", "--json").object["waiting"]
    assert one["run"]["run_id"] == "01JA"
    decided = empty("review", "01JA", "--accept", "--by", "Maria", "--json").object
    assert [(each["by"], each["accepted"], each["note"]) for each in decided["decisions"]] == [("Maria", True, "")]
    assert empty("show", "01JA", "--json").object["decisions"] == decided["decisions"]
    assert empty("review", "--json").object == {"waiting": []}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--accept",), "--accept and --reject need a run"),
        (("01JA", "--note", "x"), "--note and --by need a decision"),
        (("01JA", "--by", "Maria"), "--note and --by need a decision"),
        (("01JA", "--accept", "--by", " "), "the name of the reviewer is empty"),
        (("01JA", "--accept", "--reject"), "--accept and --reject cannot be used together"),
        (("01JA", "--reject", "--accept"), "--accept and --reject cannot be used together"),
        (("09",), "there is no run '09'"),
    ],
)
def test_half_a_decision_is_refused(waiting: Path, empty: Cli, arguments: tuple[str, ...], told: str):
    refused = empty("review", *arguments)
    assert refused.code == 2
    assert told in refused.err
    assert "hint: " in refused.err
    assert "01JA" in empty("review").out


def test_figures_count_the_recorded_runs(waiting: Path, empty: Cli):
    told = empty("figures")
    assert told.code == 0
    assert "2, of them 2 with an answer and 0 with an error" in told.out
    assert "quality            unknown (2 not assessed)" in told.out
    counted = empty("figures", "--json").object
    assert (counted["runs"], counted["reflection_rate"], counted["quality"]["unjudged"]) == (2, 0.0, 2)


def test_figures_of_no_run_say_so(empty: Cli):
    assert empty("figures").err == "no runs are recorded yet\n"
    assert empty("figures", "--since", "2020-01-01").err == "no runs are recorded since then\n"
    assert empty("figures", "--json").object["runs"] == 0
    assert empty("figures", "--since", "yesterday").code == 2


def test_figures_of_a_check_are_a_row(tmp_path: Path, sources: Path):
    folder = tmp_path / "own"
    call("add", sources, "--data-dir", folder)
    call("ask", "At how many degrees does water boil?", "--data-dir", folder)
    counted = call("figures", "--data-dir", folder, "--json").object["checks"]["quotes"]
    assert counted["passed"] >= 1
    states = "".join(f" {counted[each]:>8}" for each in ("passed", "failed", "unknown", "skipped"))
    row = f"{'quotes':18}{states}"
    assert row in call("figures", "--data-dir", folder).out


def test_figures_tell_what_checks_took_and_what_they_asked_of_a_model(tmp_path: Path, sources: Path, scripted):
    folder = tmp_path / "own"
    call("add", sources, "--data-dir", folder)
    by_rules = ("--profile", "balanced", "--checker", "none")  # a checker would settle the claim
    asked = call("ask", QUESTION, "--data-dir", folder, *by_rules, *models(scripted))
    assert asked.code == 0, asked
    costs = call("figures", "--data-dir", folder, "--json").object
    assert costs["measured"] == 1
    assert costs["check_costs"]["verifier"]["usage"]["calls"] == 1
    assert costs["check_costs"]["verifier"]["usage"]["total_tokens"] == 240
    assert costs["check_costs"]["numbers"]["usage"]["calls"] == 0
    assert {"reading", "assessment", "rules", "support"} < set(costs["check_costs"])
    table = call("figures", "--data-dir", folder).out
    assert f"{'verifier':18} {1:>8} {240:>8}" in table
    assert "ms: in all, in 1 of 1 delivered" in table


def test_what_checks_took_is_no_part_of_what_a_replay_compares(tmp_path: Path, sources: Path, scripted):
    folder = tmp_path / "own"
    call("add", sources, "--data-dir", folder)
    asked = call("ask", QUESTION, "--data-dir", folder, "--profile", "balanced", "--json", *models(scripted))
    assert call("replay", "last", "--data-dir", folder, "--json").out == asked.out
    assert "check_costs" not in asked.out


def test_an_answer_is_assessed_for_what_was_chosen(own: Cli):
    assessed = own("ask", QUESTION, "--json", "--criteria", "relevance,accuracy,relevance").object["assessment"]
    assert [each["criterion"] for each in assessed["scores"]] == ["relevance", "accuracy"]
    assert assessed["bar"] == 0.7
    refused = own("ask", QUESTION, "--criteria", "charm")
    assert refused.code == 2
    assert "'accuracy'" in refused.err


def test_rubrics_are_those_shipped(empty: Cli):
    shown = empty("rubrics")
    assert shown.code == 2
    assert call("rubrics", "hash").out == f"{shipped_rubrics().sha256}\n"
    assert f'sha256 = "{shipped_rubrics().sha256}"' in call("rubrics", "show").out
    assert call("rubrics", "show", "--json").object["sha256"] == shipped_rubrics().sha256


def test_rubrics_are_worded_anew_by_an_explicit_command_and_pinned(tmp_path: Path):
    script = tmp_path / "script.json"
    strategy = {
        "aim": "Do better.",
        "steps": ["look"],
        "examples": [{"before": "bad", "after": "good", "because": "it is better"}],
    }
    rubric = {"asks": "Is it so?", "levels": [f"like level {n}" for n in range(5)], "look_for": ["flaws"]}
    rules = [
        {"contains": "You word the rubric", "reply": rubric},
        {"contains": "You word the advice", "reply": strategy},
    ]
    script.write_text(json.dumps(rules))
    renew = ("rubrics", "renew", "--model", f"fake:{script}", "--data-dir", tmp_path)
    made = call(*renew)
    assert made.code == 0, made
    assert (
        made.out.strip() == call("rubrics", "hash", "--data-dir", tmp_path).out.strip() != shipped_rubrics().sha256
    )
    again = call(*renew)
    assert again.code == 2
    assert "replace it with --yes" in again.err
    assert call(*renew, "--yes").code == 0
    file = tmp_path / FILE_NAME
    file.write_text(file.read_text().replace("Is it so?", "Is it long?", 1))
    refused = call("rubrics", "show", "--data-dir", tmp_path)
    assert refused.code == 2
    assert "was changed since it was written" in refused.err


def test_a_failing_model_writes_nothing(tmp_path: Path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"error": {"kind": "unreachable"}}]))
    failed = call("rubrics", "renew", "--model", f"fake:{script}", "--data-dir", tmp_path)
    assert failed.code == 5
    assert not (tmp_path / FILE_NAME).exists()
    assert call("rubrics", "renew", "--data-dir", tmp_path).code == 2
