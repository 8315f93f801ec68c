"""rules check and rules show: what is wrong with a rule file by its lines, and what its rules say."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import call

SETS = Path(__file__).parents[2] / "fixtures" / "rules"


def test_a_good_file_is_said_to_be_good(tmp_path: Path):
    file = SETS / "consistent" / "lengths.toml"
    checked = call("rules", "check", file)
    assert (checked.code, checked.out) == (0, f"{file}: 2 rules, no contradiction\n")
    assert call("rules", "check", file, "--json").object == {"file": str(file), "rules": 2, "problems": []}


def test_each_mistake_is_a_line_and_the_exit_code_is_2(tmp_path: Path):
    file = tmp_path / "r.toml"
    file.write_text(
        '[[rule]]\nid = "a"\nkind = "length"\nparams = { max = 1, mix = 1 }\nwehn = 2\n', encoding="utf-8"
    )
    checked = call("rules", "check", file)
    assert checked.code == 2
    assert checked.out.splitlines() == [
        f"{file}:4: unknown key 'params.mix' of kind length",
        f"{file}:5: unknown key 'wehn'",
    ]
    assert call("rules", "check", file, "--json").object["problems"] == checked.out.splitlines()


def test_a_key_that_is_no_rule_hides_no_mistake_of_the_rules(tmp_path: Path):
    file = tmp_path / "r.toml"
    file.write_text('[[rule]]\nid = "a"\nkind = "lenght"\n[extra]\nx = 1\n', encoding="utf-8")
    lines = call("rules", "check", file).out.splitlines()
    assert lines[0] == f"{file}:4: unknown key 'extra'; rules are [[rule]]"
    assert lines[1].startswith(f"{file}:3: unknown kind 'lenght'; the kinds are: ")
    assert len(lines) == 2


@pytest.mark.parametrize("text", ["", "# nothing yet\n"])
def test_a_file_without_rules_is_said_to_hold_none(tmp_path: Path, text: str):
    file = tmp_path / "r.toml"
    file.write_text(text, encoding="utf-8")
    checked = call("rules", "check", file)
    assert (checked.code, checked.out) == (0, f"{file}: no rules, so nothing is checked\n")


@pytest.mark.parametrize("file", sorted((SETS / "conflicting").glob("*.toml")), ids=lambda file: file.stem)
def test_a_contradiction_is_told_with_ids_and_lines(file: Path):
    checked = call("rules", "check", file)
    assert checked.code == 2
    assert "contradict" in checked.out
    blamed = file.read_text(encoding="utf-8").splitlines()[0].removeprefix("# in conflict: ").split(", ")
    assert all(f"'{each}' (line " in checked.out for each in blamed)


def test_the_marketing_rules_contradict_and_can_still_be_seen():
    assert call("rules", "check", "marketing").code == 2
    shown = call("rules", "show", "marketing")
    assert shown.code == 0
    assert "rule:brand-voice (forbidden_words, repair)" in shown.out
    assert 'Do not use "delve"' in shown.out
    assert "contradict one another" in shown.err
    listed = call("rules", "show", "marketing", "--json").object
    assert len(listed["rules"]) == 11
    assert [each["rules"] for each in listed["conflicts"]] == [["follow-up-questions", "bullets", "few-paragraphs"]]


def test_without_a_file_the_neutral_rules_are_shown():
    shown = call("rules", "show")
    assert shown.out.startswith("neutral: 3 rules\nrule:language (language, warn)\n")
    assert shown.err == ""


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path):
    checked = call("rules", "check", tmp_path / "none.toml")
    assert checked.code == 2
    assert checked.out == ""
    assert "hint: give a file, or one of marketing, neutral" in checked.err
