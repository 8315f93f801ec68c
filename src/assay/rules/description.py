"""A set of output rules as JSON."""

from __future__ import annotations

from typing import Any

from assay.rules.conflicts import Conflict
from assay.rules.rule import Rule, RuleSet
from assay.types import plain


def rules_object(rules: RuleSet, found: tuple[Conflict, ...]) -> dict[str, Any]:
    """The rules and their contradictions as JSON."""
    rows = [
        {
            "id": rule.id,
            "kind": rule.kind,
            "params": rule.params.model_dump(mode="json", by_alias=True),
            "when": plain(rule.when),
            "severity": rule.severity.value,
            "exempt": sorted(rule.exempt),
            "message": rule.message,
            "line": rule.line,
            "instruct": rule.instruct,
            "told": instruction_of(rule),
            "advice": rule.advice(language_of(rule)),
        }
        for rule in rules.rules
    ]
    return {"file": rules.name, "sha256": rules.sha256, "rules": rows, "conflicts": plain(found)}


def instruction_of(rule: Rule) -> str:
    """The instruction for the writer, in a language of the rule."""
    return rule.instruction(language_of(rule))


def language_of(rule: Rule) -> str:
    """A language of the rule, preferably English; empty if it has none."""
    return next(iter(sorted(rule.params.languages, key=lambda code: (code != "en", code))), "")
