"""eval: a data set is asked, measured, resumed and reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli, call

ROWS: tuple[dict[str, Any], ...] = (
    {
        "id": "boil",
        "question": "At how many degrees does water boil?",
        "answers": ["100 degrees"],
        "relevant": {"water.md": 1},
        "quotes": [{"document": "water.md", "quote": "Water boils at 100 degrees Celsius at sea level."}],
        "answerability": "full",
    },
    {
        "id": "built",
        "question": "Who built the Harbour Bridge?",
        "answers": ["Maria Keller"],
        "relevant": {"bridge.txt": 1},
        "answerability": "full",
    },
    {"id": "ulm", "question": "Who won the marathon of Ulm in 1999?", "answerability": "none"},
)
Write = Callable[..., Path]


@pytest.fixture
def questions(tmp_path: Path) -> Write:
    """Writes a data set."""

    def write(*rows: Any, name: str = "questions.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows or ROWS), encoding="utf-8")
        return path

    return write


@pytest.fixture
def evaluated(filled: Path) -> Cli:
    """`assay eval` on the filled collection, without recording its runs."""
    return lambda *rest: call("eval", *rest, "-c", "facts", "--data-dir", filled, "--record", "off")


def test_a_data_set_is_asked_and_measured(evaluated: Cli, questions: Write, tmp_path: Path):
    done = evaluated(questions(), "--out", tmp_path / "out", "--json")
    assert done.code == 0
    metrics = done.object["metrics"]
    for name in ("right", "gold_contained", "recall@10", "mrr@10", "citation_recall", "abstention_recall"):
        assert metrics[name]["value"] == 1.0, name
    assert (done.object["asked"], done.object["failed"]) == (3, 0)
    about = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert (about["collection"], about["cases"]) == ("facts", 3)
    assert about["collection_version"] > 0
    assert f"results go to {tmp_path / 'out'}" in done.err


def test_the_table_names_what_was_measured_and_why_the_rest_was_not(
    evaluated: Cli, questions: Write, tmp_path: Path
):
    done = evaluated("--limit", "2", questions(), "--out", tmp_path / "out", "--repeat", "2")
    assert "2 questions of questions.jsonl, 2 times each; collection facts; profile fast" in done.out
    assert "4 asked, none failed" in done.out
    assert "answer_consistency ↑" in done.out
    assert "not measured: nugget_completeness: no case has nuggets" in done.out


def test_the_same_folder_goes_on_where_it_was(evaluated: Cli, questions: Write, tmp_path: Path):
    path, out = questions(), tmp_path / "out"
    whole = evaluated(path, "--out", out, "--json").object
    results = out / "results.jsonl"
    kept = results.read_bytes().splitlines(keepends=True)
    results.write_bytes(b"".join(kept[:1]) + kept[1][:20])
    again = evaluated(path, "--out", out, "--json")
    assert "1 of 3 results were there" in again.err
    same = ("right", "citation_f1", "groundedness", "ndcg@10", "sufficiency_auroc", "aurc", "brier")
    for name in same:
        assert again.object["metrics"][name] == whole["metrics"][name]
    assert json.loads(kept[0]) == json.loads(results.read_bytes().splitlines()[0])


def test_a_data_set_that_changed_is_not_resumed(evaluated: Cli, questions: Write, tmp_path: Path):
    out = tmp_path / "out"
    evaluated(questions(ROWS[2]), "--out", out)
    refused = evaluated(questions(ROWS[1]), "--out", out)
    assert refused.code == 2
    assert "questions.jsonl has changed since it was begun" in refused.err
    other = evaluated(questions(ROWS[2]), "--out", out, "--set", "k=3")
    assert other.code == 2
    assert 'the settings {}, not {"k": 3}' in other.err


def test_failed_questions_are_counted_and_shown(evaluated: Cli, questions: Write, tmp_path: Path):
    path = questions(ROWS[2], {"id": "long", "question": "Why? " * 5000})
    done = evaluated(path, "--out", tmp_path / "out")
    assert done.code == 0
    assert "2 asked, 1 failed (1 UsageError)" in done.out
    assert "failed: long: UsageError: the question has 25,000 characters" in done.out


def test_if_all_failed_it_says_so_by_its_exit_code(evaluated: Cli, questions: Write, tmp_path: Path):
    done = evaluated(questions({"id": "long", "question": "Why? " * 5000}), "--out", tmp_path / "out")
    assert done.code == 5


def test_passages_of_a_question_need_no_collection(questions: Write, tmp_path: Path):
    row = {"user_input": "When was the bridge opened?", "reference": "3 May 1932"}
    path = questions({**row, "retrieved_contexts": ["The bridge was opened on 3 May 1932."]})
    done = call("eval", path, "--data-dir", tmp_path / "data", "--out", tmp_path / "out", "--json")
    assert done.code == 0
    assert done.object["evaluation"]["shape"] == "ragas"
    assert done.object["evaluation"]["collection"] == ""
    assert done.object["metrics"]["gold_contained"]["value"] == 1.0


def test_contexts_of_another_system_give_way_to_a_named_collection(
    evaluated: Cli, questions: Write, tmp_path: Path
):
    row = {"user_input": "Who built the Harbour Bridge?", "reference": "Maria Keller"}
    path = questions({**row, "retrieved_contexts": ["The bridge was built by Bob Miller in a year."]})
    done = evaluated(path, "--out", tmp_path / "out", "--json")
    assert done.object["metrics"]["gold_contained"]["value"] == 1.0


def test_a_model_is_asked_and_its_tokens_are_counted(
    evaluated: Cli, questions: Write, tmp_path: Path, scripted: Callable[..., str]
):
    model = scripted({"role": "writer", "reply": "Maria Keller built the Harbour Bridge. [1]"})
    done = evaluated(questions(ROWS[1]), "--out", tmp_path / "out", "-m", model, "--json")
    assert done.object["metrics"]["calls"]["value"] >= 1
    assert done.object["evaluation"]["models"]["writer"] == model


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_a_report_is_written_and_replaced_but_no_other_file_is(
    evaluated: Cli, questions: Write, tmp_path: Path, name: str
):
    path, report = questions(ROWS[2]), tmp_path / name
    for _ in range(2):
        assert evaluated(path, "--out", tmp_path / "out", "--report", report).code == 0
    assert "Evaluation of questions.jsonl" in report.read_text(encoding="utf-8")
    report.write_text("Dear Ann")
    refused = evaluated(path, "--out", tmp_path / "out", "--report", report)
    assert (refused.code, report.read_text()) == (2, "Dear Ann")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--report", "report.pdf"), "is neither .html nor .md"),
        (("--report", "nowhere/report.md"), "there is no such folder"),
        (("--set", "k"), "expected KEY=VALUE"),
        (("--set", "kk=3"), "there is no setting 'kk'"),
        (("--set", "openai_api_key=sk-1"), "--set cannot set openai_api_key"),
        (("--set", "k=3", "-k", "4"), "k is set twice"),
        (("--set", "k=many"), "k: must be a valid integer"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_asked(
    evaluated: Cli, questions: Write, tmp_path: Path, arguments: tuple[str, ...], told: str
):
    done = evaluated(questions(), "--out", tmp_path / "out", *arguments)
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "out").exists()


def test_a_malformed_line_and_an_unknown_collection_are_named(evaluated: Cli, questions: Write, tmp_path: Path):
    malformed = evaluated(questions(ROWS[0], {"id": "x", "question": "Why?", "gold": "so"}))
    assert malformed.code == 2
    assert "questions.jsonl, line 2: there is no column 'gold'" in malformed.err
    unknown = call("eval", questions(), "-c", "nothing", "--data-dir", tmp_path / "data")
    assert unknown.code == 6


def test_without_a_folder_one_is_made_in_the_data_folder(questions: Write, tmp_path: Path):
    path = questions({"id": "a", "question": "How high?", "passages": ["It is 8 m high."]})
    done = call("eval", "run", path, "--data-dir", tmp_path / "data", "--json")
    assert Path(done.object["folder"]).parent == tmp_path / "data" / "evaluations"


def test_the_group_explains_itself(capsys: pytest.CaptureFixture[str]):
    assert call("eval", "--help").code == 0
    assert re.search(r"run +Ask the questions of a data set", capsys.readouterr().out)
    assert call("eval").code == 2
