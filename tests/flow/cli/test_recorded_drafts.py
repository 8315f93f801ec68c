"""One draft that is checked or fixed is a run: recorded, assessed, counted and queued like an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

BRIDGE = "The Harbour Bridge was opened on 3 May 1932. Maria Keller built it for 4 million pounds.\n"
TRUE = b"The Harbour Bridge was opened on 3 May 1932.\n"
FALSE = b"Elephants live in Kenya.\n"
QUESTION = "When was the Harbour Bridge opened?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "bridge.txt"
    path.write_text(BRIDGE, encoding="utf-8")
    return path


def _json(result) -> dict:
    return json.loads(result.out)


def test_a_checked_draft_is_shown_reported_and_counted(empty, source: Path, tmp_path: Path):
    checked = _json(empty("check", "-", "--context", source, "--json", stdin=TRUE))
    record = _json(empty("show", "last", "--json"))
    assert record["run"]["run_id"] == checked["run_id"]
    assert record["run"]["question"] == "draft: The Harbour Bridge was opened on 3 May 1932."
    answer = record["events"][-1]["body"]["answer"]
    assert (answer["outcome"], answer["searches"], answer["models"]["writer"]) == ("answered", 0, "elsewhere")
    assert answer["claims"] == checked["claims"]
    assert [each["number"] for each in answer["sources"]] == [1]
    page = tmp_path / "page.html"
    assert empty("report", "last", "--out", page).code == 0
    assert "verified: every blocking check passed" in page.read_text(encoding="utf-8")
    figures = _json(empty("figures", "--json"))
    assert (figures["runs"], figures["delivered"], figures["measured"]) == (1, 1, 1)
    assert empty("show", "last").out.splitlines()[1].startswith("draft: The Harbour Bridge")


def test_a_mended_draft_is_recorded_as_it_became(empty, source: Path):
    wrong = b"The Harbour Bridge was opened on 3 May 1933.\n"
    fixed = _json(empty("fix", "-", "--sources", source, "--json", stdin=wrong))
    answer = _json(empty("show", fixed["run_id"], "--json"))["events"][-1]["body"]["answer"]
    assert answer["text"] == fixed["answer"]
    assert [each["kind"] for each in answer["repairs"]] == ["corrected"]
    assert _json(empty("figures", "--json"))["reflections"] == 1


def test_it_is_assessed_by_the_criteria_that_were_chosen(empty, source: Path):
    options = ("--context", source, "--json", "--criteria", "accuracy,coherence", "--quality", "0.9")
    assessment = _json(empty("check", "-", *options, stdin=TRUE))["assessment"]
    assert [each["criterion"] for each in assessment["scores"]] == ["accuracy", "coherence"]
    assert (assessment["passed"], assessment["bar"]) == (True, 0.9)


def test_without_a_question_what_needs_one_is_unknown(empty, source: Path):
    def scores(*options: str) -> dict:
        found = _json(empty("check", "-", "--context", source, "--json", *options, stdin=TRUE))["assessment"]
        return {each["criterion"]: each["score"] for each in found["scores"]}

    unasked, asked = scores(), scores("--question", QUESTION)
    assert (unasked["relevance"], unasked["completeness"]) == (None, None)
    assert asked["relevance"] == 1.0
    assert asked["completeness"] is not None


def test_reflection_off_assesses_nothing(empty, source: Path):
    checked = _json(empty("check", "-", "--context", source, "--json", "--no-reflection", stdin=TRUE))
    assert checked["assessment"] is None


def test_a_weak_draft_is_told(empty, source: Path):
    result = empty("check", "-", "--context", source, "--criteria", "accuracy", stdin=FALSE)
    assert "assessed as weak: 0.000 overall, 0.700 was asked" in result.err


def test_what_fails_waits_for_a_person_whose_decision_is_no_label(empty, source: Path):
    empty("check", "-", "--context", source, stdin=FALSE)
    assert "Elephants live in Kenya" in empty("review").out
    run_id = _json(empty("show", "last", "--json"))["run"]["run_id"]
    assert empty("review", run_id, "--reject").code == 0
    assert empty("review").out == ""
    refused = empty("label", run_id, "--right")
    assert (refused.code, "no answer of assay's own" in refused.err) == (2, True)


def test_a_pipe_records_nothing(empty):
    line = json.dumps({"id": 1, "answer": TRUE.decode(), "context": BRIDGE}).encode()
    assert empty("check", "--jsonl", stdin=line).code == 0
    assert "run_id" not in _json(empty("check", "--jsonl", stdin=line))
    assert _json(empty("figures", "--json"))["runs"] == 0


def test_a_question_is_about_one_draft(empty):
    for verb in ("check", "fix"):
        result = empty(verb, "--jsonl", "--question", QUESTION, stdin=b"")
        assert (result.code, "--question is about one draft" in result.err) == (2, True)


def test_lines_are_read_from_standard_input_alone(empty, source: Path):
    for options in (("draft.md",), ("--context", source)):
        result = empty("check", "--jsonl", *options, stdin=b"")
        assert (result.code, "from standard input alone" in result.err) == (2, True)


def test_people_are_told_of_the_run_its_scores_and_what_a_question_would_add(empty, source: Path):
    unasked = empty("check", "-", "--context", source, stdin=TRUE)
    run_id = _json(empty("show", "last", "--json"))["run"]["run_id"]
    assert f"run {run_id}: assay show last, assay report last" in unasked.err
    assert "assessed: overall unknown; accuracy 1.000" in unasked.err
    assert "give --question to assess relevance and completeness" in unasked.err
    shown = " ".join(empty("show", "last").out.split())  # long paths wrap
    assert "relevance unknown: no question was given to assess it by" in shown
    assert "unknown: unknown" not in shown
    assert f"{source} 0-" in shown
    asked = empty("check", "-", "--context", source, "--question", QUESTION, stdin=TRUE)
    assert "relevance 1.000" in asked.err
    assert "--question" not in asked.err


def test_checks_that_pass_are_counted(empty, source: Path):
    cited = TRUE.replace(b".\n", b" [1].\n")
    result = empty("check", "-", "--context", source, stdin=cited * 3)
    assert result.out.count("\u2713 citations") == 1
    assert "\u2713 citations, 3 times" in result.out


def test_a_replay_is_refused(empty, source: Path):
    empty("check", "-", "--context", source, stdin=TRUE)
    result = empty("replay", "last")
    assert (result.code, "cannot be replayed" in result.err) == (2, True)


def test_a_huge_draft_is_tested_and_neither_assessed_nor_recorded(empty, source: Path):
    huge = TRUE + b"- \n" * 40_000
    result = empty("check", "-", "--context", source, "--json", stdin=huge)
    checked = _json(result)
    assert (checked["verdict"], checked["assessment"]) == ("supported", None)
    assert "neither assessed nor recorded" in checked["warnings"][0]
    assert "assay show last" not in empty("check", "-", "--context", source, stdin=huge).err
    assert _json(empty("figures", "--json"))["runs"] == 0


def test_a_data_folder_that_cannot_be_written_costs_a_warning(empty, source: Path, tmp_path: Path):
    file = tmp_path / "no-folder"
    file.write_text("", encoding="utf-8")
    result = empty("check", "-", "--context", source, "--data-dir", file, stdin=TRUE)
    assert (result.code, "stopped recording this run" in result.err) == (0, True)
