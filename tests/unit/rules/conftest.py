"""Rules read from a line of TOML, and answers put to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from assay.rules.loader import parse_rules
from assay.rules.output_rules import Answerable, OutputRules
from assay.types import Check, Evidence, Hit, Passage, Question, Status

Examine = Callable[..., tuple[Check, ...]]


def rules_of(kind: str, params: str, more: str = "", answerable: Answerable | None = None) -> OutputRules:
    text = f'[[rule]]\nid = "it"\nkind = "{kind}"\nseverity = "repair"\n{more}\nparams = {{ {params} }}\n'
    return OutputRules(parse_rules(text, "test.toml"), answerable)


def evidence_of(*texts: str, title: str = "A source") -> Evidence:
    passages = (Passage(f"p{n}", "d", "r", 0, len(text), text, title) for n, text in enumerate(texts))
    return Evidence(tuple(Hit(passage, 1.0) for passage in passages))


@pytest.fixture
def examine() -> Examine:
    def examined(
        rules: OutputRules, text: str, question: Question | None = None, *sources: str
    ) -> tuple[Check, ...]:
        asked = question or Question("What is it?", "What is it?")
        return asyncio.run(rules.examine(asked, evidence_of(*sources), text))[0]

    return examined


def broken(checks: tuple[Check, ...], text: str) -> list[str]:
    """What the failed checks point at; the cause where they mean the whole answer."""
    failed = [each for each in checks if each.status is Status.FAILED]
    return [
        text[each.answer_span.start : each.answer_span.end] if each.answer_span else each.cause or ""
        for each in failed
    ]
