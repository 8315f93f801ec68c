"""Output rules that somebody set hold for one draft that is checked or fixed; fix mends what an edit can."""

from __future__ import annotations

from pathlib import Path

import pytest

LEASE = "The tenant may use the garden. The tenant may keep one cat.\n"
RULE = """[[rule]]
id = "plain"
kind = "forbidden_words"
params = { words = ["utilize", "cat"], use = { utilize = "use" } }
severity = "repair"
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "lease.txt"
    path.write_text(LEASE, encoding="utf-8")
    return path


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "house.toml"
    path.write_text(RULE, encoding="utf-8")
    return path


def test_check_tests_the_rules_that_were_set_and_no_others(empty, source: Path, rules: Path, monkeypatch):
    text = b"The tenant may keep one cat.\n"
    unasked = empty("check", "-", "--context", source, stdin=text)
    assert (unasked.code, "rule:" in unasked.out) == (0, False)
    asked = empty("check", "-", "--context", source, "--rules", rules, stdin=text)
    assert (asked.code, '\u2717 rule:plain: "cat"' in asked.out) == (4, True)
    monkeypatch.setenv("ASSAY_RULES", str(rules))
    assert empty("check", "-", "--context", source, stdin=text).code == 4


def test_fix_makes_the_edits_of_the_rules(empty, source: Path, rules: Path):
    text = b"<p class='u'>The tenant may utilize the garden.</p>\n"
    result = empty("fix", "-", "--sources", source, "--rules", rules, stdin=text)
    assert (result.code, result.out) == (0, "<p class='u'>The tenant may use the garden.</p>\n")
    assert "edited: " in result.err
    assert result.err.endswith("1 change \u00b7 supported\n")


def test_what_no_edit_mends_is_told(empty, source: Path, rules: Path):
    result = empty("fix", "-", "--sources", source, "--rules", rules, stdin=b"The tenant may keep one cat.\n")
    assert (result.code, result.out) == (4, "The tenant may keep one cat.\n")
    assert '\u2717 rule:plain: "cat"' in result.err
