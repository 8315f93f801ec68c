"""compare: evaluations in folders and recorded runs, as tables, JSON, Markdown and an exit code."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.evals.cases import Case
from support.evaluation_folders import cases, evaluation_folder, result

from .conftest import Cli, call

BOIL = "At how many degrees does water boil?"
BRIDGE = "When was the Harbour Bridge opened?"
GATE = "right may not fall by more than 1 point; cost may not rise by more than 10 %"


@pytest.fixture
def main_run(tmp_path: Path) -> Path:
    asked = cases(300)
    return evaluation_folder(tmp_path / "main", asked, [result(case.id) for case in asked], settings={"k": 8})


@pytest.fixture
def branch(tmp_path: Path) -> Callable[..., Path]:
    """Makes the evaluation of a branch that is wrong on some more cases."""

    def make(wrong: int, **others: float) -> Path:
        asked = cases(300)
        results = [result(case.id, right=n >= wrong, **others) for n, case in enumerate(asked)]
        return evaluation_folder(tmp_path / f"branch-{wrong}", asked, results, settings={"k": 5})

    return make


def test_the_tables_and_the_last_line_say_what_differs(main_run: Path, branch: Callable[..., Path]):
    done = call("compare", main_run, branch(12))
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert "settings.k: 8 in A, 5 in B" in lines
    right = next(line for line in lines if line.startswith("right ")).split()
    assert right[:5] == ["right", "300", "1.000", "0.960", "-0.040"]
    assert right[-1] == "worse"
    assert any(line.startswith("right, date") for line in lines)
    assert lines[-1] == "worse: right, wrong_shown, gold_contained, f1, groundedness"


def test_a_gate_that_fails_ends_with_7_and_names_the_cases(main_run: Path, branch: Callable[..., Path]):
    done = call("compare", main_run, branch(12), "--gate", GATE)
    assert done.code == 7
    assert "failed: right may not fall by more than 1 point: it fell by 4.0 points" in done.out
    assert "worst: c000 (1.000 → 0.000)" in done.out
    assert "passed: cost may not rise by more than 10 %: it did not rise" in done.out
    assert done.out.splitlines()[-1].startswith("gate FAILED on right (1 of 2 kept); worse: right")


def test_a_gate_that_is_kept_ends_with_0(main_run: Path, branch: Callable[..., Path]):
    done = call("compare", main_run, branch(3), "--gate", GATE)
    assert done.code == 0
    assert done.out.splitlines()[-1] == "gate passed (2 of 2 kept); no metric differs beyond chance"


def test_json_has_everything(main_run: Path, branch: Callable[..., Path]):
    done = call("compare", main_run, branch(12), "--gate", GATE, "--json")
    assert done.code == 7
    body = done.object
    assert body["schema"] == "assay-compare/1"
    assert body["gate"]["passed"] is False
    ruling = body["gate"]["rulings"][0]
    assert ruling["requirement"] == {"metric": "right", "direction": "fall", "most": 1.0, "unit": "points"}
    assert (ruling["status"], ruling["change"]) == ("failed", pytest.approx(0.04))
    right = next(metric for metric in body["metrics"] if metric["name"] == "right")
    assert [part["n"] for part in right["slices"]] == [100, 200]
    unmeasured = next(metric for metric in body["metrics"] if metric["name"] == "nugget_completeness")
    assert unmeasured["cause"]


def test_the_report_is_markdown_in_which_data_is_text(tmp_path: Path):
    asked = [Case(f"a|b<i>{n:02}", "?", answers=("42",)) for n in range(40)]
    first = evaluation_folder(tmp_path / "one", asked, [result(case.id) for case in asked])
    second = evaluation_folder(tmp_path / "two", asked, [result(case.id, right=False) for case in asked])
    report = tmp_path / "report.md"
    done = call("compare", first, second, "--gate", "right may not fall", "--report", report)
    assert done.code == 7
    text = report.read_text(encoding="utf-8")
    assert text.startswith(
        "<!-- assay-compare/1 -->\n# Comparison\n\n**gate FAILED on right (0 of 1 kept); worse: "
    )
    assert "| right | 40 | 1.000 | 0.000 | -1.000 | -1.000 to -1.000 | <.001 | worse |" in text.replace("\\<", "<")
    assert r"a\|b\<i\>00" in text
    assert "<i>" not in text.replace(r"\<i\>", "")
    assert call("compare", first, first, "--report", report).code == 0
    assert "no metric differs" in report.read_text(encoding="utf-8")
    report.write_text("my notes", encoding="utf-8")
    again = call("compare", first, second, "--report", report)
    assert (again.code, "is not a report" in again.err) == (2, True)
    assert "no such folder" in call("compare", first, second, "--report", tmp_path / "none" / "r.md").err
    assert "is not .md" in call("compare", first, second, "--report", tmp_path / "r.pdf").err


def test_a_case_without_a_result_is_named_and_no_gate_passes_over_it(main_run: Path, tmp_path: Path):
    asked = cases(300)
    begun = evaluation_folder(tmp_path / "begun", asked, [result(case.id) for case in asked[:298]])
    shown = call("compare", main_run, begun)
    assert shown.code == 0
    assert f"left out, no result in {begun}: c298, c299" in shown.out
    assert "cases compared: 298; left out: 2" in shown.out
    refused = call("compare", main_run, begun, "--gate", GATE)
    assert (refused.code, refused.out) == (2, "")
    assert f"2 of 300 are missing on a side; of c298 there is no result in {begun}" in refused.err


def test_of_very_many_slices_the_first_are_shown(tmp_path: Path):
    asked = [Case(f"c{n:03}", "?", answers=("42",), slices={"page": str(n // 5)}) for n in range(300)]
    first = evaluation_folder(tmp_path / "one", asked, [result(case.id) for case in asked])
    second = evaluation_folder(tmp_path / "two", asked, [result(case.id, right=False) for case in asked])
    done = call("compare", first, second)
    assert sum(line.startswith("right, ") for line in done.out.splitlines()) == 50
    assert "… and 250 more (--json has all)" in done.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "two evaluations are needed"),
        (("main",), "two evaluations are needed"),
        (("main", "main", "main"), "two evaluations are needed"),
        (("main", "main", "--set", "k=5"), "need --recorded or --data"),
        (("main", "main", "--gate", "right >= 0"), "cannot be read"),
        (("main", "main", "--gate", "truth may not fall"), "which there is not"),
        (("main", "main", "--gate", "ece may not rise"), "cannot be gated"),
        (("main", "nowhere"), "contains no evaluation"),
        (("main", "--recorded", "--set", "k=5"), "cannot be used together"),
        (("--recorded",), "needs a changed setting"),
        (("--recorded", "--set", "k=3", "--gate", "right may not fall"), "which there is not"),
        (("main", "main", "--limit", "3"), "need --recorded or --data"),
        (("main", "main", "--a", "k=5"), "need --data"),
        (("main", "main", "--data", "q.jsonl"), "cannot be used together"),
        (("--data", "q.jsonl"), "needs what differs"),
        (("--data", "q.jsonl", "--a", "k"), "expected KEY=VALUE"),
        (("--data", "q.jsonl", "--a", "k=0"), "k"),
        (("--data", "q.jsonl", "--b", "k=5", "--gate", "truth may not fall"), "which there is not"),
        (("--data", "q.jsonl", "--b", "k=5"), "q.jsonl"),
        (("--recorded", "--set", "k"), "KEY=VALUE"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    main_run: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
):
    monkeypatch.chdir(main_run.parent)
    done = call("compare", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "hint: " in done.err


def test_recorded_runs_are_decided_again_from_their_tapes_alone(own: Cli, tmp_path: Path):
    for question in (BOIL, BRIDGE, "When is the rent due?", "What is the notice period?", "Who built the bridge?"):
        own("ask", question)
    shutil.rmtree(tmp_path / "data" / "collections")
    done = own("compare", "--recorded", "--set", "max_risk=0.13", "--set", "skip=numbers", "--json")
    assert done.code == 0, done.err
    body = done.object
    assert (body["cases"], body["left_out"]) == (5, [])
    assert body["settings"] == [
        {"path": "max_risk", "before": None, "after": 0.13},
        {"path": "skip", "before": [], "after": ["numbers"]},
    ]
    moves = {(move["first"], move["second"]): move["n"] for move in body["outcomes"]}
    withheld = moves["answered", "abstained"]
    assert moves == {("answered", "answered"): 5 - withheld, ("answered", "abstained"): withheld}
    answered = next(metric for metric in body["metrics"] if metric["name"] == "answered")
    assert (answered["first"], answered["second"]) == (1.0, pytest.approx(1 - withheld / 5))
    assert not any(metric["name"].startswith("latency") for metric in body["metrics"])
    shown = own("compare", "--recorded", "--set", "max_risk=0.13", "--gate", "failed may not rise")
    assert shown.code == 0
    assert f"outcomes that differ: answered → abstained: {withheld}" in shown.out
    assert "B: the same with max_risk=0.13" in shown.out


def test_a_run_that_needs_a_call_is_left_out_by_name(own: Cli, scripted: Callable[..., str]):
    model = scripted({"role": "writer", "reply": "Water boils at 100 degrees Celsius at sea level [1]."})
    assert own("ask", BOIL).code == 0
    assert own("ask", BOIL, "-m", model).code == 0
    assert own("ask", BRIDGE, "--no-tape").code == 0
    done = own("compare", "--recorded", "--set", f"model={model}")
    assert done.code == 0, done.err
    assert "cases compared: 1; left out: 2" in done.out
    assert "which is not on its tape: " in done.out
    assert "left out, it cannot be replayed: its tape was not kept: " in done.out
    limited = own("compare", "--recorded", "--set", f"model={model}", "--limit", "2", "--json").object
    assert len(limited["left_out"]) == 1


def test_recorded_runs_of_which_none_can_be_decided_again_are_refused(own: Cli):
    none = own("compare", "--recorded", "--set", "k=3")
    assert (none.code, "is recorded" in none.err) == (2, True)
    assert own("ask", BOIL).code == 0
    done = own("compare", "--recorded", "--set", "k=3")
    assert done.code == 2
    assert "none of 1 recorded runs could be decided again: of the latest, it needs the search" in done.err
    fixed = own("compare", "--recorded", "--set", "deadline=3")
    assert (fixed.code, "not on the tape" in fixed.err) == (2, True)
    typo = own("compare", "--recorded", "--set", "chekcer=none")
    assert (typo.code, "did you mean" in typo.err) == (2, True)


def test_json_lines_of_a_folder_that_was_damaged_are_named(main_run: Path):
    with (main_run / "results.jsonl").open("a") as file:
        file.write("{}\n")
    done = call("compare", main_run, main_run)
    assert done.code == 6
    assert "results.jsonl, line 301" in done.err
    about = json.loads((main_run / "evaluation.json").read_text())
    (main_run / "evaluation.json").write_text(json.dumps({**about, "schema": "other/1"}))
    assert call("compare", main_run, main_run).code == 2


def test_two_configurations_are_asked_now_and_compared(own: Cli, tmp_path: Path):
    questions = tmp_path / "questions.jsonl"
    rows = [
        *((BOIL, "100"), (BRIDGE, "3 May 1932"), ("When is the rent due?", "first day")),
        *(("Who built the bridge?", "Maria"), ("What is the notice period?", "three months")),
        *(("When does water freeze?", "0 degrees"), ("How high is the bridge?", "50 m")),
    ]
    lines = [{"id": f"q{n}", "question": asked, "answers": [gold]} for n, (asked, gold) in enumerate(rows)]
    questions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = own(
        *("compare", "--data", questions, "-c", "default", "--set", "reader=none"),
        *(
            "--a",
            "k=8",
            "--b",
            "k=2,max_risk=0.13",
            "--limit",
            "6",
            "--gate",
            "right may not fall by more than 1 point",
        ),
        "--json",
    )
    assert done.code in (0, 7), done.err
    body = done.object
    assert body["cases"] == 6
    changed = {change["path"]: (change["before"], change["after"]) for change in body["settings"]}
    assert changed["settings.k"] == (8, 2)
    assert changed["settings.max_risk"] == (None, 0.13)
    assert "settings.reader" not in changed
    assert body["first"] != body["second"]
    again = own("compare", body["first"], body["second"], "--json").object
    assert again["metrics"] == body["metrics"]
