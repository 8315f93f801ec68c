"""doctor, config and bad input: each says what is wrong, what to do, and exits by the table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Cli, call

KEY = "sk-proj-0123456789canary"


def test_doctor_finds_everything_in_order(facts: Cli, filled: Path):
    looked = call("doctor", "--store", "--data-dir", filled)
    assert looked.code == 0, looked
    for part in (
        "✓ assay: ",
        "✓ SQLite: ",
        "✓ role embedder: ",
        "languages: en",
        "✓ collection facts: whole",
        "✓ runs",
    ):
        assert part in looked.out


def test_doctor_json_lists_what_it_examined(filled: Path):
    looked = call("doctor", "--data-dir", filled, "--json").object
    assert looked["ok"] is True
    assert all(set(each) == {"name", "status", "detail"} for each in looked["examined"])
    assert not any(each["name"].startswith("collection") for each in looked["examined"])


def test_doctor_finds_a_damaged_collection(empty: Cli, sources: Path, tmp_path: Path):
    empty("add", sources / "water.md")
    file = next((tmp_path / "data" / "collections" / "default").glob("*.sqlite"))
    file.write_bytes(b"damage, " * (file.stat().st_size // 8))
    looked = empty("doctor", "--store")
    assert looked.code == 6
    assert "✗ collection default: " in looked.out
    asked = empty("ask", "How hot is it?")
    assert asked.code == 6
    assert "hint: " in asked.err
    assert empty("doctor").code == 0


def test_doctor_finds_a_model_that_is_not_there(empty: Cli, tmp_path: Path):
    looked = empty("doctor", "--embedder", tmp_path / "no-model")
    assert looked.code == 6
    assert "✗ role embedder" in looked.out


def test_config_show_names_each_place(empty: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_K", "12")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    shown = empty("config")
    assert shown.code == 2
    lines = {line.split()[0]: line for line in call("config", "show", "--origin", "-c", "x").out.splitlines()}
    assert lines["k"].split() == ["k", "12", "environment"]
    assert lines["collection"].split() == ["collection", "x", "flag"]
    assert lines["openai_api_key"].split()[1] == "sk-…nary"
    everything = call("config", "show", "--origin", "--json").object["settings"]
    assert everything["k"] == {"value": 12, "origin": "environment"}
    assert KEY not in call("config", "show", "--json").out


def test_a_setting_nobody_knows_is_refused_by_every_verb(
    empty: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "assay.toml").write_text("kk = 3\n")
    monkeypatch.chdir(tmp_path)
    for verb in (["ls"], ["ask", "x"], ["config", "show"], ["doctor"], ["show"]):
        refused = call(*verb)
        assert refused.code == 2
        assert refused.err == "error: assay.toml: there is no setting 'kk'\nhint: did you mean 'k'?\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["ask", ""], 2, "the question is empty"),
        (["ask", " \t\n"], 2, "the question is empty"),
        (["ask", "why " * 10_000], 2, "at most 20,000"),
        (["ask"], 2, "there is no question"),
        (["search", "x", "--jsonl"], 2, "standard input"),
        (["ask", "x", "--json", "--jsonl"], 2, "cannot be used together"),
        (["ask", "x", "--profile", "thorough"], 2, "--model"),
        (["ask", "x", "--profile", "deepest"], 2, "deepest"),
        (["ask", "x", "-k", "0"], 2, "--k: must be"),
        (["ask", "x", "-k", "many"], 2, "-k"),
        (["ask", "x", "--mmr", "7"], 2, "--mmr: must be"),
        (["ask", "x", "--deadline", "0"], 2, "--deadline: must be"),
        (["ask", "x", "--nonsense"], 2, "--nonsense"),
        (["ask", "x", "-c", "../../etc"], 2, "--collection: "),
        (["ask", "x", "-c", "other"], 6, "existing ones: facts"),
        (["ls", "-c", "other"], 6, "assay add PATH -c other"),
        (["rm", "x", "-c", "other", "--yes"], 6, "existing ones: facts"),
        (["reindex", "-c", "other"], 6, "existing ones: facts"),
        (["ask", "x", "-c", "facts", "--embedder", "openai:"], 2, "does not name a model"),
        (["show", "nothing"], 2, "no run"),
        (["sync", "-"], 2, "assay add -"),
        (["check", "/nowhere/answer.txt", "--context", "/nowhere/source.txt"], 2, "cannot be read"),
        (["check", "answer.txt"], 2, "answer.txt cannot be read: there is no such file"),
        (["check", "my answer.txt"], 2, "my answer.txt cannot be read: there is no such file"),
        (["check", "Yes"], 2, "Yes cannot be read: there is no such file"),
        (["check", "/"], 2, "/ cannot be read: "),
        (["check", "It rains a lot.", "--sources", "/"], 2, "hint: name a file; to check"),
        (["ask", "x", "-c", "facts", "--embedder", "~nobody-here/x"], 2, "in no one's home folder"),
        (["ask", "x", "-c", "facts", "-m", "local:~nobody-here/x.gguf"], 2, "in no one's home folder"),
        (["ask", "x", "-c", "facts", "-m", "fake:~nobody-here/x.json"], 2, "in no one's home folder"),
        (["ask", "x", "-c", "facts", "--prices", "[" * 50_000], 2, "--prices: nested too deeply"),
        (["ask", "x", "-c", "facts", "--history", "/"], 2, "the history in / cannot be read"),
        (
            ["ask", "x", "--embedder", "openai:x", "--openai-base-url", "http://[::1", "-c", "facts"],
            2,
            "not an address",
        ),
        (["ask", "x", "-c", "facts", "--outside", "mcp", "--mcp-server", '"'], 2, "is not a command"),
        (["report", "nothing", "--out", "/"], 2, "no run"),
        (["nonsense"], 2, "no such command"),
    ],
)
def test_bad_input_is_told_with_the_next_step(filled: Path, arguments: list[str], code: int, said: str):
    where = [] if arguments[0] in ("nonsense",) else ["--data-dir", str(filled)]
    told = call(*arguments, *where)
    assert told.code == code, told
    assert said in told.err
    assert told.err.startswith("error: ")
    assert "\nhint: " in told.err
    assert "Traceback" not in told.err
    assert told.out == ""


def test_json_that_is_nested_too_deeply_is_no_bug(facts: Cli, tmp_path: Path):
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    asked = facts("ask", "How hot?", "--history", deep)
    assert (asked.code, "is not JSON" in asked.err) == (2, True)
    assert facts("search", "How hot?", "--where", f"a={'[' * 50_000}").code == 0


@pytest.mark.parametrize("since", ["0001-01-01", "9999-12-31"])
def test_the_first_and_last_day_of_the_calendar_are_days(filled: Path, since: str):
    assert call("figures", "--since", since, "--data-dir", filled).code == 0


@pytest.mark.parametrize("verb", [["--help"], ["config", "show"], ["rules", "show"], ["ask", "--help"]])
def test_a_closed_pipe_ends_with_141_and_says_nothing(verb: list[str], tmp_path: Path):
    command = [sys.executable, "-m", "assay", *verb]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_asking_before_adding_names_the_next_step(empty: Cli):
    asked = empty("ask", "How hot is it?")
    assert asked.code == 6
    assert "assay add PATH" in asked.err


def test_a_data_folder_that_is_a_file_is_told(tmp_path: Path, sources: Path):
    (tmp_path / "file").write_text("")
    added = call("add", sources, "--data-dir", tmp_path / "file" / "below")
    assert added.code == 6
    assert "--data-dir" in added.err


def test_a_collection_emptied_of_documents_declines(empty: Cli, sources: Path):
    empty("add", sources / "water.md")
    empty("rm", "Water", "--yes")
    asked = empty("ask", "At how many degrees does water boil?")
    assert asked.code == 3, asked


def test_a_record_that_cannot_be_written_costs_a_warning_and_never_the_answer(
    empty: Cli, sources: Path, tmp_path: Path
):
    empty("add", sources / "water.md")
    (tmp_path / "data" / "runs.sqlite").mkdir()
    asked = empty("ask", "At how many degrees does water boil?")
    assert asked.code == 0, asked
    assert "100 degrees" in asked.out
    assert "warning: " in asked.err
    assert "runs.sqlite" in asked.err
    assert empty("show", "last").code == 6


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_told(empty: Cli, sources: Path, tmp_path: Path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    added = empty("add", closed, sources / "water.md", "--json")
    assert added.code == 8
    assert {row["status"] for row in added.object["files"]} == {"added", "failed"}
    told = call("ls", "--data-dir", closed / "data")
    assert told.code == 6
    assert "hint: " in told.err
    closed.chmod(0o700)


def test_python_runs_the_program_as_a_module():
    said = subprocess.run([sys.executable, "-m", "assay", "--help"], capture_output=True, text=True, check=True)
    assert "Usage: assay " in said.stdout
    assert (
        subprocess.run([sys.executable, "-m", "assay", "nothing"], capture_output=True, check=False).returncode == 2
    )
