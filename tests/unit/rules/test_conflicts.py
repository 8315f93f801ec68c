"""Sets of rules that contradict one another are found, by the rules to blame, and consistent ones are let be."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.rules.conflicts import conflicts
from assay.rules.loader import load_rules, parse_rules

SETS = Path(__file__).parents[2] / "fixtures" / "rules"
CONFLICTING = sorted((SETS / "conflicting").glob("*.toml"))
CONSISTENT = sorted((SETS / "consistent").glob("*.toml"))


def test_there_are_twenty_of_each():
    assert min(len(CONFLICTING), len(CONSISTENT)) >= 20


@pytest.mark.parametrize("file", CONFLICTING, ids=lambda file: file.stem)
def test_a_contradiction_is_found(file: Path):
    blamed = file.read_text(encoding="utf-8").splitlines()[0].removeprefix("# in conflict: ")
    found = conflicts(load_rules(file, allow_conflicts=True))
    assert {frozenset(each.rules) for each in found} == {frozenset(blamed.split(", "))}


@pytest.mark.parametrize("file", CONSISTENT, ids=lambda file: file.stem)
def test_consistent_rules_are_let_be(file: Path):
    assert conflicts(load_rules(file)) == ()


def test_a_contradiction_says_for_which_answers():
    text = (SETS / "conflicting" / "lengths-for-one-kind.toml").read_text(encoding="utf-8")
    (found,) = conflicts(parse_rules(text, allow_conflicts=True))
    assert found.where == "for factual questions"
    assert found.lines == (3, 9)
    assert found.line == 9


def test_a_rule_may_contradict_itself():
    text = '[[rule]]\nid = "a"\nkind = "deprecated_terms"\nparams = { terms = { "Cloud" = "Cloud Plus" } }'
    (found,) = conflicts(parse_rules(text, allow_conflicts=True))
    assert str(found).startswith("the rule 'a' (line 1) contradicts itself")
